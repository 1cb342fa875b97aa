"""Concatenation of arrays of Ada, at the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers

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
