"""Access values of Ada that are followed for an index, a tag or a comparison, indexes of arrays and
Booleans, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers

SOURCE = """\
with System.Machine_Code; use System.Machine_Code;
procedure Example is
   type Colour is (Red, Green, 'x');
   type Flags is array (Colour) of Boolean;
   type Vector is array (1 .. 3) of Float;
   type Matrix is array (Colour range Red .. Green, 1 .. 2) of Integer;
   type Open is array (Integer range <>, Integer range <>) of Short_Integer;
   type Bits is array (0 .. 4) of Boolean with Pack;
   type Letters is array (Character range 'a' .. 'b') of Integer;
   type Animal is tagged record
      Legs : Integer := 4;
   end record;
   type Dog is new Animal with record
      Name : String (1 .. 3) := "rex";
   end record;
   type Animal_Access is access all Animal'Class;
   type Text_Access is access String;
   F : Flags := (Red => True, others => False);
   V : Vector := (1.0, 2.0, 3.0);
   M : Matrix := ((1, 2), (3, 4));
   O : Open (-1 .. 0, 5 .. 6) := ((1, 2), (3, 4));
   P : Bits := (True, False, True, True, False);
   L : Letters := (7, 8);
   W : array (1 .. 2) of String (1 .. 3) := ("abc", "def");
   A : Animal_Access := new Dog'(Legs => 3, Name => "fid");
   T : Text_Access := new String'("on the heap");
   N : Text_Access;
   B : Boolean := True;
   procedure Stop is
   begin
      Asm ("ud2", Volatile => True);
   end Stop;
begin
   Stop;
end Example;
"""
COMMANDS = [
    "whatis t.all(3)", "ptype t.all(3)", "print t.all(3)", "whatis t.all(2..3)",
    "whatis a'tag", "print a'tag = a.all'tag",
    "print b + false", "print b / b", "whatis b - b", "print b = true", "print b + 1",
    "set print array-indexes on",
    "print f", "print v", "print m", "print o", "print p", "print l", "print w", "print t.all",
    "set print array on", "print m", "set print array off", "set print repeats 1", "print f",
]  # fmt: skip

OF_A_TASK = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   task type Worker (Id : Integer) is
      entry Go;
   end Worker;
   task body Worker is
   begin
      accept Go;
   end Worker;
   T : Worker (21);
begin
   C_Abort;
   T.Go;
end Example;
"""


def test_indexes_tags_and_booleans(tool: Callable[[str], str], tmp_path: Path) -> None:
    files = ada_with_core(tool, tmp_path, SOURCE)
    commands = ["up", *COMMANDS]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_a_tag_through_an_access_value(tool: Callable[[str], str], tmp_path: Path) -> None:
    """GDB adds the name of the type."""
    files = ada_with_core(tool, tmp_path, SOURCE)
    own, gdb = (answers(which, files, ["up", "print a'tag"])[1] for which in (None, tool("gdb")))
    assert gdb == f"{own.rstrip()} (example.dog)\n"


def test_null_of_an_access_type_to_arrays(tool: Callable[[str], str], tmp_path: Path) -> None:
    files = ada_with_core(tool, tmp_path, SOURCE)
    commands = ["up", "print n", "output n", "print/x n"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    _, local, kept = answers(None, files, ["up", "info locals", "print $n := n"])
    assert "\nn = 0x0\n" in local
    assert kept.endswith("$1 = (example.text_access) 0x0\n")


def test_access_values_to_arrays_and_null(tool: Callable[[str], str], tmp_path: Path) -> None:
    """GDB 13 refuses these comparisons."""
    files = ada_with_core(tool, tmp_path, SOURCE)
    commands = ["print t = null", "print t /= null", "print null = n", "print n /= null"]
    said = answers(None, files, ["up", *commands, "print v = null"])[1:]
    results = [text.partition(" = ")[2].split(" = ")[-1].strip() for text in said[:4]]
    assert results == ["false", "true", "true", "false"], said
    assert "Attempt to compare array with non-array" in said[4]


def test_the_literal_null(tool: Callable[[str], str], tmp_path: Path) -> None:
    """It is of no access type."""
    files = ada_with_core(tool, tmp_path, OF_A_TASK)
    commands = ["frame function example", "print null", "output null", "print/x null"]
    commands += ["set var $n := null", "print $n"]
    of_gdb = answers(tool("gdb"), files, commands)[1:]
    assert answers(None, files, commands)[1:] == of_gdb
    assert of_gdb[0].endswith("$1 = null\n")


def test_the_record_of_a_task(tool: Callable[[str], str], tmp_path: Path) -> None:
    """It has no name."""
    files = ada_with_core(tool, tmp_path, OF_A_TASK)
    commands = ["frame function example", "whatis t", "ptype t", "whatis t'access"]
    of_gdb = answers(tool("gdb"), files, commands)[1:]
    assert answers(None, files, commands)[1:] == of_gdb
    assert of_gdb[0].endswith("type = record ... end record\n")
