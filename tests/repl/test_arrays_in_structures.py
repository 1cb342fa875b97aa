"""Arrays of variable length in structures (an extension of GCC), in rows and behind references,
against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <stdlib.h>
int main(int argc, char **argv)
{
  int n = argc + 2;
  struct { int x; int y[n]; short z[n + 1]; char last; } whole;
  whole.x = 1;
  for (int i = 0; i < n; i++) whole.y[i] = i, whole.z[i] = -i;
  whole.z[n] = 7; whole.last = 'l';
  if (argc) abort();
  return 0;
}
"""
COMMANDS = [
    "frame function main", "ptype whole", "ptype/o whole", "ptype/ox whole", "print whole",
    "print sizeof(whole)", "print whole.y", "whatis whole.z", "ptype whole.y", "print whole.last",
    "print/x whole", "print &whole.z[1]", "print *&whole", "whatis whole",
]  # fmt: skip


def test_lengths_are_those_of_the_object(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB's resolve_dynamic_struct; ptype/o said that y has 0 bytes, and that padding follows."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "-w", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    of_gdb = answers(tool("gdb"), files, COMMANDS)
    assert answers(None, files, COMMANDS) == of_gdb
    assert "    short z[4];\n" in of_gdb[1]


ROWS = """\
#include <stdlib.h>
int table[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
int sum(int n, int m, int a[n][m])
{
  if (n) abort();
  return a[0][m - 1];
}
int main(void) { return sum(3, 4, table); }
"""


def test_rows_of_variable_length_are_elements(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The length is known in the frame; GDB refuses such arithmetic."""
    build(tmp_path, {"a.c": ROWS}, [[tool("gcc"), "-g", "-O0", "-w", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    commands = ["frame function sum", "print a[1]", "print a[2][1]", "print *(a + 2)",
                "print &a[2] - a", "print sizeof(a[1])", "whatis a[1]", "x/2dw a + 1"]  # fmt: skip
    shown = [answer.partition("= ")[2] or answer for answer in answers(None, files, commands)[1:]]
    assert shown[:5] == ["{5, 6, 7, 8}\n", "10\n", "{9, 10, 11, 12}\n", "2\n", "16\n"]
    assert shown[5] == "int [4]\n"
    assert shown[6].endswith("<table+16>:\t5\t6\n")
    refused = answers(tool("gdb"), files, commands[:2])[1]
    assert "Cannot perform pointer math on incomplete types, try casting" in refused


REFERENCES = """\
#include <cstdlib>
typedef int number;
int sum(int n)
{
  int seen[n];
  for (int i = 0; i < n; i++) seen[i] = i;
  int (&plain)[n] = seen;
  const number (&constant)[n] = seen;
  typedef int (&named)[n];
  named alias = seen;
  number (*pointer)[n] = &seen;
  auto inner = [&seen]() { if (seen[1]) abort(); return seen[0]; };
  return inner() + plain[0] + constant[1] + alias[2] + (*pointer)[0];
}
int main(int argc, char **) { return sum(argc + 3); }
"""


def test_references_have_the_length_of_their_array(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """gcc describes what a lambda captures by reference so; pointers have no length, as in GDB."""
    build(tmp_path, {"a.cc": REFERENCES}, [[tool("g++"), "-g", "-O0", "-w", "-o", "a", "a.cc"]])
    files = with_core(tool, tmp_path)
    names = ("plain", "constant", "alias", "pointer")
    words = ("print", "whatis", "ptype", "print sizeof")
    commands = ["frame function operator()", *(f"{word} (seen)" for word in words), "info locals",
                "whatis &seen", "up", *(f"{word} ({name})" for name in names for word in words),
                "info locals", "print $1", "whatis $1"]  # fmt: skip
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert ours[2].endswith("type = int (&)[4]\n") and "variable length" in ours[21]


FORTRAN = """\
module trees
  type :: tree
    integer :: key
    real, allocatable :: w(:, :)
    integer :: after
  end type
end module
program main
  use trees
  type(tree) :: root
  integer, pointer :: nowhere
  allocate(root%w(2, 3)); root%w = 1; root%key = 5; root%after = 6
  nullify(nowhere)
  nowhere = root%key
end program
"""
PASCAL = """\
program records;
type TBox = record Id: Integer; Name: string[7]; end;
var box: TBox;
begin
  box.Id := 5; box.Name := 'four';
  plongint(nil)^ := box.Id;
end.
"""


def test_records_of_fortran_in_words_of_c(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The lengths of the object's components are known, whatever language has the words."""
    make = [tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]
    build(tmp_path, {"a.f90": FORTRAN}, [make])
    files = with_core(tool, tmp_path)
    commands = ["set language c", "ptype root", "whatis root.w"]
    own, gdbs = (answers(debugger, files, commands)[1:] for debugger in (None, tool("gdb")))
    assert own == gdbs
    assert "w[3][2];" in own[0]
    offsets = answers(None, files, ["set language c", "ptype/o root"])[1]
    assert "w[3][2]" not in offsets  # there is a descriptor in its place


def test_records_of_pascal(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB has the length of the string in this object, too: `[1..4]`."""
    build(tmp_path, {"a.pas": PASCAL}, [[tool("fpc"), "-g", "-gw3", "-O-", "a.pas"]])
    files = with_core(tool, tmp_path)
    own = answers(None, files, ["ptype box", "ptype TBox", "whatis box.Name"])
    assert "Name[4];" in own[0] and "Name[variable length];" in own[1] and "[4]" in own[2]
    assert "array [1..4]" in answers(tool("gdb"), files, ["ptype box"])[0]
