"""Formats of fixed-point numbers, characters and strings in Ada, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
with Ada.Text_IO;
procedure Example is
   type Money is delta 0.01 digits 12;
   type Angle is delta 0.125 range -100.0 .. 100.0;
   type Angles is array (1 .. 3) of Angle;
   Price : Money := 12.34;
   Turn  : Angle := 2.625;
   Back  : Angle := -1.5;
   Turns : Angles := (1.0, 2.5, -3.125);
   Count : Integer := 10;
   procedure Stop (N : Integer) is
      procedure C_Abort;
      pragma Import (C, C_Abort, "abort");
   begin
      Ada.Text_IO.Put_Line (Integer'Image (N));
      C_Abort;
   end Stop;
begin
   Stop (Count + (if Price > 1.0 and Turn > 0.0 and Back < 0.0 and Turns (1) > 0.0 then 1 else 0));
end Example;
"""


def test_formats(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A letter for integers shows the one next to the number towards 0."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O0", "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": SOURCE}, [make])
    files = with_core(tool, tmp_path)
    letters = ("", "/x", "/d", "/u", "/t", "/o", "/z", "/a", "/f", "/s", "/r")
    names = ("price", "turn", "back", "turns")
    commands = ["frame function example"]
    commands += [f"print{letter} {name}" for name in names for letter in letters]
    commands += ["set print elements 5", "x/2s $sp", "x/2hs $sp", "x/ws $sp"]
    commands += ["print/c turn", "print/c count", "print/c 65", "print/c 39", "output/c 1.5"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert of_gdb[2] == "print/x price\n$2 = 0xc\n" and """'["0a"]'""" in of_gdb[-4]
