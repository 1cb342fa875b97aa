"""Concatenation of arrays of Ada, at the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers, last_lines

PACKED = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Nib is mod 16;
   type Low is range -4 .. 3;
   type Nibs is array (Positive range <>) of Nib with Pack;
   type Lows is array (Positive range <>) of Low with Pack;
   type Flags is array (Positive range <>) of Boolean with Pack;
   procedure Stop (F : Flags; N : Nibs) is
      T : Boolean := True;
      K : Nib := 9;
      L : Low := -3;
      M : Nibs (1 .. 3) := (1, 2, 3);
      S : Lows (1 .. 2) := (-1, 2);
      R1 : Flags := F & T;
      R2 : Flags := False & F;
      R3 : Nibs := K & N;
      R4 : Nibs := N & M;
      R5 : Nibs := M & 7;
      R6 : Lows := S & L;
      R7 : Lows := -4 & S;
   begin
      if R1 (1) and not R2 (1) and K = 9 and L = -3 and R6 (1) = R7 (2) then C_Abort; end if;
   end Stop;
begin
   Stop ((True, False, True), (4, 5));
end Example;
"""
OF_PACKED = {
    "r1": "f & t", "r2": "false & f", "r3": "k & n", "r4": "n & m", "r5": "m & 7", "r6": "s & l",
    "r7": "-4 & s",
}  # fmt: skip
"""By the variable that has the program's result."""
ADA = """\
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   type Ints is array (Positive range <>) of Integer;
   procedure Stop (S : String; V : Ints; C : Character) is
   begin
      if S'Length > 0 and V (1) > 0 and C /= ' ' then C_Abort; end if;
   end Stop;
begin
   Stop ("abc", (1, 2), 'z');
end Example;
"""


def test_elements_beside_packed_arrays(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They have more bits than those in the array."""
    files = ada_with_core(tool, tmp_path, PACKED)
    commands = ["frame function stop", *(f"output {text}" for p in OF_PACKED.items() for text in p)]
    shown = last_lines(files, [*commands, "print n & 17", "print m & l"])[1:]
    assert shown[1:-2:2] == shown[:-2:2]
    assert (
        shown[-1]
        == shown[-2]
        == ("Concatenation is of arrays of one type, or of one and an element.")
    )


def test_concatenation_of_ada(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """It was refused; GDB has it for some strings."""
    files = ada_with_core(tool, tmp_path, ADA)
    frame = ["frame function example.stop"]
    strings = ['print s & "x"', "print s & s", 'print "a" & "b"', "print s & c"]
    own = answers(None, files, frame + strings)[1:]
    assert [said.splitlines()[-1].partition("= ")[2] for said in own] == [
        '"abcx"', '"abcabc"', '"ab"', '"abcz"'
    ]  # fmt: skip
    arrays = answers(None, files, [*frame, "print v & v", "print 3 & v", "print v & s"])[1:]
    assert [said.splitlines()[-1] for said in arrays] == [
        "$1 = (1, 2, 1, 2)", "$2 = (3, 1, 2)",
        "Concatenation is of arrays of one type, or of one and an element.",
    ]  # fmt: skip
    refused = answers(None, files, [*frame, "print 'a' & 'b'", "print c & c", "print c & 1"])[1:]
    assert all("Concatenation is of arrays" in said for said in refused)  # they were numbers
