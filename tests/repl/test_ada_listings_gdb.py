"""Lists of Ada's subprograms and variables, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers

SOURCES = {
    "pk.ads": """\
package Pk is
   type Colour is (Red, Green);
   type Text is access String;
   Total : Integer := 3;
   Names : array (Colour) of Text;
   type Pair is record A : Integer; end record;
   Held : Pair := (A => 5);
   function Twice (X : Integer) return Integer;
   procedure Stop;
end Pk;
""",
    "pk.adb": """\
with System.Machine_Code; use System.Machine_Code;
package body Pk is
   Hidden : Integer := 5;
   function Twice (X : Integer) return Integer is (X * 2 + Hidden);
   procedure Show (S : String; N : Natural) is
   begin
      Total := N + S'Length;
      Asm ("ud2", Volatile => True);
   end Show;
   procedure Stop is
   begin
      Show ("a", Twice (Total));
   end Stop;
end Pk;
""",
    "example.adb": """\
with Pk;
procedure Example is
begin
   Pk.Stop;
end Example;
""",
}
COMMANDS = [
    "info functions twice", "info functions stop", "info functions show", "info functions example",
    "info variables hidden", "info variables total", "info variables names",
]  # fmt: skip


def test_subprograms_and_variables(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Those of libraries are left out."""
    files = ada_with_core(tool, tmp_path, SOURCES)

    def own_lines(gdb: str | None) -> list[str]:
        text = "".join(answers(gdb, files, COMMANDS))
        return [
            line
            for line in text.splitlines()
            if ":\t" in line and ("pk." in line or "procedure example" in line)
        ]

    of_gdb = own_lines(tool("gdb"))
    assert own_lines(None) == of_gdb
    assert "3:\tpk.hidden: integer;" in of_gdb
    assert "4:\tfunction pk.twice (a1: integer) return integer;" in of_gdb


def test_an_object_of_another_package_is_no_package(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """A note said that `held` is that of a package, where `use` would make it visible."""
    files = ada_with_core(tool, tmp_path, SOURCES)
    commands = ["frame function example", "print held.a", "print pk.total"]
    _, *ours = answers(None, files, commands)
    assert not any("note:" in answer for answer in ours)
