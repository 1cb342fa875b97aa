"""Types of Ada in full and by their names, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers, build, last_lines, with_core

SOURCE = """\
procedure Example is
   type Byte is mod 256;
   type Odd is mod 10;
   type Small is range -5 .. 7;
   subtype Tiny is Small range 0 .. 3;
   subtype Letter is Character range 'a' .. 'z';
   subtype Control is Character range Character'Val (0) .. ' ';
   type Real is digits 6 range -1.0 .. 1.0;
   subtype Unit is Float range 0.0 .. 1.0;
   type Day is (Mon, Tue, Wed, Thu, Fri);
   subtype Middle is Day range Tue .. Thu;
   type Color is (Red, Green, Blue);
   for Color use (Red => 1, Green => 5, Blue => 6);
   subtype Cold is Color range Green .. Blue;
   type Truth is new Boolean;
   type Price is delta 0.25 range -10.0 .. 10.0;
   type Vector is array (Positive range <>) of Integer;
   type Matrix is array (Positive range <>, Positive range <>) of Float;
   type Access_To_Vector is access Vector;
   type Flags is array (1 .. 10) of Boolean;
   pragma Pack (Flags);
   type Tinies is array (1 .. 6) of Tiny;
   pragma Pack (Tinies);
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Show (V : Vector; M : Matrix; S : String; A : Access_To_Vector) is
      B : Byte := 200;
      O : Odd := 3;
      N : Small := -2;
      T : Tiny := 2;
      L : Letter := 'q';
      C : Control := ' ';
      R : Real := 0.5;
      U : Unit := 0.25;
      F : Flags := (others => True);
      G : Tinies := (others => 1);
      H : Natural := V'Length;
      P : Positive := M'Length;
      D : Middle := Wed;
      E : Cold := Blue;
      I : Truth := True;
      J : Price := 2.5;
   begin
      F (4) := D = Wed and E = Blue and I = True and J = 2.5;
      F (3) := B = 200 and O = 3 and N = -2 and T = 2 and S'Length = 3;
      G (2) := T;
      if F (3) and L = 'q' and C = ' ' and R < 1.0 and U < 1.0 and H > 0 and A (1) = 7 then
         C_Abort;
      end if;
      H := P;
   end Show;
begin
   Show ((1, 2, 3), ((1.0, 2.0), (3.0, 4.0)), "hey", new Vector'(7, 8));
end Example;
"""
VARIABLES = "bontlcrufghpvmsadeij"
NAMES = ["byte", "odd", "small", "tiny", "letter", "control", "real", "unit", "vector", "matrix"]
NAMES += ["access_to_vector", "example.tiny", "Example.Small", "ODD"]
NAMES += ["flags", "tinies", "Example.Tinies", "FLAGS"]
NAMES += ["integer", "character", "boolean", "day", "middle", "color", "cold", "truth", "price"]
EXPECTED = {
    "byte": "<1-byte integer>",
    "odd": "mod 10",
    "small": "range -5 .. 7",
    "letter": "range 'a' .. 'z'",
    "middle": "range tue .. thu",
    "cold": "range green .. blue",
    "truth": "range false .. true",
    "vector": "array (<>) of integer",
    "access_to_vector": "access array (<>) of integer",
    "tinies": "array (1 .. 6) of example.tiny <packed: 2-bit elements>",
}


def test_types_are_as_in_gdb(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Ranges and packed arrays have names; GNAT describes an unconstrained array as a structure."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O0", "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": SOURCE}, [make])
    files = with_core(tool, tmp_path)
    asked = [
        f"{command} {name}" for name in (*VARIABLES, *NAMES) for command in ("ptype", "whatis")
    ]
    own = answers(None, files, ["frame function example.show", *asked])[1:]
    assert own == answers(tool("gdb"), files, ["frame function example.show", *asked])[1:]
    assert {
        name: own[asked.index(f"ptype {name}")].splitlines()[1].removeprefix("type = ")
        for name in EXPECTED
    } == EXPECTED


PACKAGE = """\
package Pk is
   type Color is (Red, Green);
   type Shape is record X, Y : Integer; end record;
   type Ref is access Shape;
   type Small is range -5 .. 7;
   subtype Tiny is Small range 0 .. 3;
   type Vector is array (Positive range <>) of Integer;
   procedure Set (V : in out Vector);
   C : Color := Green; S : aliased Shape := (1, 2); R : Ref := new Shape; T : Tiny := 2;
end Pk;
"""
BODY = """\
package body Pk is
   procedure Set (V : in out Vector) is
   begin
      V (V'First) := 1;
   end Set;
end Pk;
"""
USER = """\
with Pk;
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
begin
   Pk.C := Pk.Red;
   C_Abort;
end Example;
"""


def test_listed_types_have_the_names_of_the_source(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB spells the type of access values out, and does not find it by its name."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O0", "example.adb", "-o", "a"]
    build(tmp_path, {"pk.ads": PACKAGE, "pk.adb": BODY, "example.adb": USER}, [make])
    files = with_core(tool, tmp_path)
    asked = [f"info types {name}" for name in ("shape", "color", "tiny")]
    own = answers(None, files, [*asked, "info types pk.ref", "info types pk.vector"])
    assert own[:-2] == answers(tool("gdb"), files, asked)
    assert own[-2].splitlines()[-1] == "4:\tpk.ref;"
    assert own[-1].count("\tpk.vector;\n") == 1


def test_types_of_standard_come_before_names_of_c(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Duration has 64 bits and the small 10**-9 (GNAT reference manual, "Characteristics of
    fixed-point types")."""
    c = "enum value_type { none, string, duration, integer } vt = string; int natural = 3;"
    ada = """\
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   N : Integer;
   pragma Import (C, N, "vt");
begin
   N := N + 1;
   C_Abort;
end Example;
"""
    make = [tool("gnatmake"), "-q", "-g", "example.adb", "-o", "a", "-largs", "c.o"]
    build(tmp_path, {"c.c": c, "example.adb": ada}, [[tool("gcc"), "-g", "-c", "c.c"], make])
    commands = ["frame function example", "whatis string", "whatis duration", "ptype duration"]
    commands += ["whatis none", "output duration(2.5)", "output duration(1) + duration(0.5)"]
    commands += ["print natural"]
    assert last_lines(with_core(tool, tmp_path), commands)[1:] == [
        "type = string",
        "type = duration",
        "type = <8-byte fixed point (small = 1/1000000000)>",
        "type = enum value_type",
        "2.5",
        "1.5",
        "Attempt to use a type name as an expression",
    ]


HELPED = """\
package Pk is
   type Color is (Red, Green, Blue);
   subtype Warm is Color range Red .. Green;
   type Sensors is array (Warm) of Short_Integer;
end Pk;
"""
HELPED_USER = """\
with Pk; use Pk;
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   S : Sensors := (1, 2);
   W : Warm := Green;
begin
   if S (W) = 2 then
      C_Abort;
   end if;
end Example;
"""


def test_a_subtype_in_a_helper_structure(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GNAT describes the subtype of the bounds in the structure with them alone."""
    files = ada_with_core(tool, tmp_path, {"pk.ads": HELPED, "example.adb": HELPED_USER})
    commands = ["frame function example", "ptype pk.warm", "ptype warm", "whatis warm"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert own[1].endswith("type = range red .. green\n")
    asked = ["output warm'last", "output w in warm", "output blue in warm"]
    assert last_lines(files, [commands[0], *asked])[1:] == ["green", "true", "false"]
