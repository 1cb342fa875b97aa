"""Arrays of Ada without elements have the bounds that are declared (Ada 2012 3.6.2, 4.1.2, 4.5.3),
as the program itself says."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import ada_with_core, answers, last_lines

OBJECTS = [
    "nul", "neg", "con", "pos", "nul2", "fl", "us0", "us1", "cc", "cd", "gc", "r.v", "acc.all",
    "ren", "f", "p", "c", "q", "con(9..4)", "s(4..2)", "c(blue..red)"
]  # fmt: skip
PLANES = ("gr", "g2", "g")
JOINED = ("Con & Neg", "Neg & Con", "P & P")
_IMAGES = """\
      Put_Line ({0}'First{1}'Image);
      Put_Line ({0}'Last{1}'Image);
      Put_Line ({0}'Length{1}'Image);
"""
SHOWN = "".join(
    [_IMAGES.format(name, "") for name in OBJECTS]
    + [_IMAGES.format(name, f" ({number})") for name in PLANES for number in (1, 2)]
    + [f"      Show ({joined});\n" for joined in JOINED]
)
SOURCE = f"""\
with Ada.Text_IO; use Ada.Text_IO;
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Ints is array (Integer range <>) of Integer;
   type U32 is mod 2 ** 32;
   type Us is array (U32 range <>) of Integer;
   type Grid is array (Integer range <>, Integer range <>) of Integer;
   type Flags is array (Positive range <>) of Boolean with Pack;
   type Color is (Red, Green, Blue, Black);
   type Gap is (A, B, C);
   for Gap use (A => 1, B => 5, C => 9);
   type Cs is array (Color range <>) of Integer;
   type Gs is array (Gap range <>) of Integer;
   type Access_Ints is access Ints;
   type Rec (N : Integer) is record
      V : Ints (5 .. N);
   end record;
   procedure Show (V : Ints) is
   begin
      Put_Line (V'Last'Image);
   end Show;
   procedure Stop
     (N : Integer; F : Flags; P : Ints; G : Grid; C : Cs; Q : Gs; T : Color; S : String)
   is
      Nul : aliased String (N .. N - 3);
      Neg : Ints (-N .. -9);
      Con : Ints (3 .. 1);
      Pos : Ints (1 .. -2);
      Nul2 : String := "";
      Gr  : Grid (1 .. 2, N .. 3);
      G2  : Grid (N .. 3, 1 .. 2);
      Fl  : Flags (N .. 1);
      Us0 : Us (7 .. 0);
      Us1 : Us (U32 (N) .. U32 (N) - 5);
      Cc  : Cs (Blue .. Red);
      Cd  : Cs (Blue .. T);
      Gc  : Gs (Gap'Last .. Gap'First);
      Acc : Access_Ints := new Ints (N .. 0);
      R   : Rec (N - 4);
      Ren : String renames Nul;
   begin
{SHOWN}
      if N > 0 then C_Abort; end if;
   end Stop;
begin
   Stop
     (5, (3 .. 1 => True), (7 .. 4 => 1), (2 .. 1 => (5 .. 3 => 1)), (Blue .. Green => 1),
      (C .. A => 1), Red, "abcd");
end Example;
"""
TYPES = "nul, neg, con, pos, nul2, us0, us1, cc, cd, gr, g2, r.v, acc.all, ren, f, c, g"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """The program and its core file."""
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCE)


def test_the_bounds_of_arrays_without_elements(files: list[str], tmp_path: Path) -> None:
    """GDB 13 counts a negative number of elements; it takes the last index of a slice and of what
    `&` joins for the one before the first."""
    run = subprocess.run([files[0]], check=False, cwd=tmp_path, capture_output=True, timeout=60)
    bounds = ("first", "last", "length")
    asked = [f"{name}'{bound}" for name in OBJECTS for bound in bounds]
    asked += [f"{name}'{b}({number})" for name in PLANES for number in (1, 2) for b in bounds]
    asked += [f"({joined})'last" for joined in JOINED]
    commands = ["frame function example.stop", *(f"output {one}" for one in asked)]
    own = last_lines(files, commands)[1:]
    expected = [line.strip().lower() for line in run.stdout.decode().splitlines()]
    assert dict(zip(asked, own, strict=True)) == dict(zip(asked, expected, strict=True))


def test_the_types_of_arrays_without_elements(files: list[str], tool: Callable[[str], str]) -> None:
    asked = ["frame function example.stop", *(f"whatis {name}" for name in TYPES.split(", "))]
    assert answers(None, files, asked)[1:] == answers(tool("gdb"), files, asked)[1:]
