"""Elements of packed arrays of Ada whose type is modular: they wrap as their type does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers

ADA = """\
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   type Nib is mod 16; type M10 is mod 10;
   type PN is array (1 .. 3) of Nib with Pack;
   type P10 is array (1 .. 3) of M10 with Pack;
   N : Nib := 15; P : PN := (15, 14, 13); Q : P10 := (9, 8, 7);
begin
   if P (1) = N and Q (1) > 0 then C_Abort; end if;
end Example;
"""
VALUES = {
    "p(1) + 1": "0", "-p(1)": "1", "not p(2)": "1", "q(1) + 1": "0", "q(2) * q(3)": "6",
    "p(1) + n": "14", "p(1) ** 2": "1", "p(2) < p(1)": "true", "q(3) mod 4": "3",
}  # fmt: skip
"""What the program computes (Ada 2012 3.5.4)."""


def test_they_wrap(tmp_path: Path, tool: Callable[[str], str]) -> None:
    files = ada_with_core(tool, tmp_path, ADA)
    commands = ["frame function example", *(f"output {text}" for text in VALUES)]
    own = answers(None, files, commands)[1:]
    assert [said.splitlines()[-1] for said in own] == [*VALUES.values()]
