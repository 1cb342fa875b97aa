"""Arrays and records of Ada that optimized code has no longer, or whose bounds it has not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import VOLATILE_PACKAGE, answers, build, last_lines, with_core

SOURCE = """\
with Pk; use Pk;
with System;
procedure Example is
   procedure C_Raise (Signal : Integer);
   pragma Import (C, C_Raise, "raise");
   type Vec is array (Integer range <>) of Integer;
   type Variant (A : Boolean := False) is record
      case A is
         when True => F : Long_Float;
         when False => C : Character;
      end case;
   end record;
   type Variants is array (1 .. 2) of Variant;
   procedure Show (N : Integer; Par : String; V : Vec);
   pragma No_Inline (Show);
   procedure Use_It (A : System.Address);
   pragma No_Inline (Use_It);
   procedure Use_It (A : System.Address) is
      S : String (1 .. 2) with Address => A;
   begin
      Sink := Character'Pos (S (1));
   end Use_It;
   procedure Show (N : Integer; Par : String; V : Vec) is
      Loc : String (1 .. N) := (others => 'x');
      Low : String (N .. 6) := (others => 'y');
      W : Vec (1 .. N) := (others => 5);
      Made : constant String := Par & "!";
      Va : Variants := ((True, 2.5), (False, 'c'));
      V1 : Variant := Va (Start - 2);
   begin
      Use_It (Loc'Address);
      Use_It (Low'Address);
      Use_It (W'Address);
      Use_It (Made'Address);
      Use_It (V'Address);
      C_Raise (6);
      Use_It (Loc'Address);
      Use_It (Low'Address);
      Use_It (W'Address);
      Use_It (Made'Address);
      Sink := Va'Length;
   end Show;
begin
   Show (Start, (1 .. Start => 'z'), (1 .. Start => 7));
end Example;
"""
NAMES = ["loc", "low", "w", "made", "par", "v"]
LOST = [
    text.format(name)
    for name in NAMES
    for text in ("output {}(1 .. 2)", "output {}'length", "output {}'first", "output {}'last")
]
LOST += [f'output {name} = "xxx"' for name in ("loc", "low", "made", "par")]
LOST += [
    'output "xxx" = made',
    'output loc < "a"',
    'output par & "x"',
    "output w = w",
    "output v = v",
]
LOST += ["output 2 in v'range", "output par(2)", "output v(1)", "output par'size"]
LOST += ["output v1 = v1", "output v1 = va(1)", "output va(1) /= va(2)"]


@pytest.fixture
def files(tool: Callable[[str], str], tmp_path: Path) -> list[str]:
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O2", "example.adb", "-o", "a"]
    build(tmp_path, {"pk.ads": VOLATILE_PACKAGE, "example.adb": SOURCE}, [make])
    return with_core(tool, tmp_path)


def test_reasons(files: list[str]) -> None:
    """GDB shows empty strings and arrays, `false`, or says that the array has no location."""
    own = answers(None, files, ["frame function example.show", *LOST])[1:]
    wrong = [text for text in own if "value has been optimized out: " not in text]
    assert not wrong
    commands = ["frame function example.show", *(f"print {name}" for name in NAMES)]
    wrong = [text for text in answers(None, files, commands)[1:] if "<optimized out>" not in text]
    assert not wrong


def test_types_are_as_in_gdb(tool: Callable[[str], str], files: list[str]) -> None:
    asked = [f"whatis {name}(1)" for name in NAMES]
    asked += ["whatis va(1)", "ptype va(1)", "whatis va(1).f", "whatis par(1 .. 2)"]
    commands = ["frame function example.show", *asked]
    assert answers(None, files, commands)[1:] == answers(tool("gdb"), files, commands)[1:]


INLINED = """\
with Pk; use Pk;
procedure Example is
   procedure C_Raise (Signal : Integer);
   pragma Import (C, C_Raise, "raise");
   procedure Show (Str : String) is
      Loc : constant String := Str & "!";
   begin
      C_Raise (6);
      Sink := Character'Pos (Loc (Start));
   end Show;
begin
   Show ("hello");
end Example;
"""


def test_bounds_of_the_abstract_instance(tool: Callable[[str], str], tmp_path: Path) -> None:
    """GCC leaves the bounds out of the array that it describes again where the subprogram is
    inlined, and describes the variables that are the bounds (GDB: an empty string)."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O2", "example.adb", "-o", "a"]
    build(tmp_path, {"pk.ads": VOLATILE_PACKAGE, "example.adb": INLINED}, [make])
    asked = ["output loc", 'output loc = "hello!"', "output loc(5 .. 6)", "output loc'last"]
    commands = ["frame function example.show", *asked, "whatis loc"]
    assert last_lines(with_core(tool, tmp_path), commands)[1:] == [
        '"hello!"',
        "true",
        '"o!"',
        "6",
        "type = <ref> array (1 .. 6) of character",
    ]
