"""Objects of the type System.Address of Ada, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import ada_with_core, answers

SOURCE = """\
with System;
procedure Example is
   type Holder is record Q : System.Address; N : Integer; end record;
   type Several is array (1 .. 2) of System.Address;
   type Own is new System.Address;
   subtype Sub is System.Address;
   procedure Stop;
   pragma Import (C, Stop, "abort");
   X : Integer := 3;
   A : System.Address := X'Address; B : System.Address := System.Null_Address;
   Held : Holder := (A, 2); Both : Several := (A, B); O : Own := Own (A); S : Sub := A;
   procedure Inner (Where : System.Address; N : Integer) is
   begin
      Stop;
   end Inner;
begin
   if O = Own (S) then
      Inner (Both (1), Held.N);
   end if;
end Example;
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    return ada_with_core(tool, tmp_path_factory.mktemp("addresses"), SOURCE)


@pytest.mark.parametrize(
    "commands",
    [
        ["frame", "info args", "p where", "p/x where", "p/d where", "whatis where", "up",
         "info locals"],
        ["up", "p a", "p b", "p held", "p both", "p both(1)", "p held.q", "output a", "p $a := a",
         "p system.address(3)", "p a = b", "p/s a"],
        ["up", "p o", "p s", "p a + 1", "whatis a + 1", "p a mod 16", "p o + 1", "p -a", "p a - b"],
        ["set output-radix 16", "p where", "info args", "up", "p a"],
    ],
)  # fmt: skip
def test_they_are_shown_as_addresses(
    commands: list[str], files: list[str], tool: Callable[[str], str]
) -> None:
    """GNAT describes the type as one of numbers; results of operators are numbers."""
    before = ["frame function example.inner"]
    by_us, by_gdb = (answers(gdb, files, before + commands) for gdb in (None, tool("gdb")))
    assert by_us[1:] == by_gdb[1:]
