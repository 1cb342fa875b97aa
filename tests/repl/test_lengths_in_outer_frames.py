"""Lengths of arrays in registers of outer frames, which the functions within the call may have
changed: gcc ends a location before such a call, but not an expression of a type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.dynamic_properties import Bounds, Computed, Properties
from dwarfgpu.dwarf.types.types import Array, Base, Dynamic, Type
from dwarfgpu.expr.context import ExprLoc, LocationListEntry, LocList
from tests.cli.command import FIXTURES
from tests.repl.side_by_side import answers, build, with_core

CRASH = [str(FIXTURES / f"core/crash.x86_64.O2{suffix}") for suffix in ("", ".core")]
NOTE = "note: rdx is assumed to be preserved by the functions within the call: "
UNREAD = "set print frame-arguments none"
RDX = bytes.fromhex("7103")
"""DW_OP_breg1 3: rdx is 0 in the frame, and the functions within the call leave it alone."""


def with_length(
    monkeypatch: pytest.MonkeyPatch, source: Callable[[Variable], ExprLoc | LocList]
) -> None:
    """Make `here` of crash.c, a structure in memory, an array with an upper bound."""

    def kind(variable: Variable) -> Type | None:
        if variable.name != "here":
            return types_of(variable.unit).type_of(variable.die)
        bound = Computed("DW_AT_upper_bound", source(variable))
        number = Base(BaseType("int", "signed", 32))
        return Dynamic(Array(number, (None,)), Properties(bounds=(Bounds(0, bound),)))

    monkeypatch.setattr(Variable, "type", property(kind))


def shown(commands: list[str]) -> list[str]:
    """The answer to each command in the frame, without the command and the number of the value."""
    lines = answers(None, CRASH, [UNREAD, "frame 4", *commands])[2:]
    return [line.partition("\n")[2].partition(" = ")[2] or line for line in lines]


def test_an_expression_of_a_type_has_no_register_that_a_call_may_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A location in it would be read, with a note: `outer` is."""
    with_length(monkeypatch, lambda variable: ExprLoc(RDX, variable.unit))
    whole, named, element, beyond, address, decayed, some, size = shown([
        "print here", "whatis here", "print here[0]", "print here[5]", "print &here",
        "print here + 1", "print *here@2", "print sizeof(here)",
    ])  # fmt: skip
    assert whole == "0x7fffffffede0\n"
    assert named == "int []\n"
    assert (element, beyond) == ("9\n", "1074528256\n")  # 3.5
    assert address == "(int (*)[]) 0x7fffffffede0\n"
    assert decayed == "(int *) 0x7fffffffede4\n"
    assert some == "{9, 0}\n"
    assert "rdx of the frame at 0x7ffff7ffa086 is caller-saved and has no CFI rule" in size


def test_a_location_list_of_a_type_has_it_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = LocationListEntry(RDX, None, None)
    with_length(monkeypatch, lambda variable: LocList((entry,), variable.unit))
    whole, size, locals_ = shown(["print here", "print sizeof(here)", "info locals"])
    assert whole.startswith("{9, 0, 0, 0}\n" + NOTE)
    assert size.startswith("16\n")
    assert locals_.startswith("{9, 0, 0, 0}\n")


@pytest.mark.parametrize(
    "command", ["print outer", "print &outer->next", "printf \"%p\\n\", outer", "display outer",
                "info args", "print down::outer"]
)  # fmt: skip
def test_every_command_notes_what_it_assumes(command: str) -> None:
    """Only `info args` did. The line of the frame would have the note first, which comes once."""
    *before, answer = answers(None, CRASH, [UNREAD, "frame 4", command])
    assert NOTE not in "".join(before)
    assert answer.count(NOTE) == 1


@pytest.mark.parametrize("command", ["backtrace", "backtrace full", "frame 4", "up 4", "where 5"])
def test_lines_of_frames_note_what_they_assume(command: str) -> None:
    """Of the arguments in it."""
    (answer,) = answers(None, CRASH, [command])
    assert answer.count(NOTE) == 1


@pytest.mark.parametrize("command", ["backtrace 4", "frame 3", "backtrace -frame-arguments none"])
def test_what_is_not_read_is_not_assumed(command: str) -> None:
    (answer,) = answers(None, CRASH, [command])
    assert NOTE not in answer


ROWS = """\
struct sizes { long n, m; };
typedef int function(struct sizes *, void *, long);
__attribute__((noinline)) int stop(struct sizes *s, void *a, long n)
{
  s = (void *)n;
  *(volatile int *)0 = 1;
  return ((int *)a)[n];
}
__attribute__((noinline)) int rows(struct sizes *s, function f)
{
  int v[3][s->m];
  for (long i = 0; i < 3; i++)
    for (long j = 0; j < s->m; j++)
      v[i][j] = 10 * i + j;
  return f(0, v, 4) + v[1][1];
}
int main(int argc, char **argv)
{
  struct sizes s = {argc + 2, argc + 3};
  return rows(&s, stop);
}
"""


def test_rows_of_lost_length_have_their_address(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A variable without a location has their length; in GDB they are the same."""
    build(tmp_path, {"a.c": ROWS}, [[tool("gcc"), "-g", "-O1", "-w", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    commands = ["frame 1", "print v", "whatis v", "print &v", "print v + 1"]
    own = answers(None, files, commands)
    assert own[1:] == answers(tool("gdb"), files, commands)[1:]
    if own[2].endswith("type = int [3][]\n"):  # in another version of gcc it may have a location
        refused = answers(None, files, [commands[0], "print v[1]"])[1]
        assert "value has been optimized out: DW_AT_upper_bound refers to " in refused


STOP_OF_FORTRAN = """\
subroutine stop_here(n)
  integer :: n
  integer, pointer :: nowhere
  nullify(nowhere)
  nowhere = n
end subroutine
"""
LENGTHS_OF_FORTRAN = """\
subroutine work(text, row, n)
  character(len=*) :: text
  integer :: n, row(n + 1)
  call stop_here(3)
  text(1:1) = 'x'
  row(2) = 7
end subroutine
"""
CALLER_OF_FORTRAN = """\
program a
  character(len=9) :: text = 'some text'
  integer :: row(3) = [5, 6, 7]
  call work(text, row, 2)
  print *, text, row
end program
"""


def below_undescribed_caller(
    tool: Callable[[str], str], folder: Path, work: str, caller: str
) -> list[str]:
    """The program and its core file, of Fortran at -O2, where the caller has no debugging
    information."""
    compiler = [tool("gfortran"), "-O2"]
    build(folder, {"stop.f90": STOP_OF_FORTRAN, "work.f90": work, "caller.f90": caller}, [
        [*compiler, "-c", "caller.f90"],
        [*compiler, "-g", "stop.f90", "work.f90", "caller.o", "-o", "a"],
    ])  # fmt: skip
    return with_core(tool, folder)


def test_arrays_and_strings_of_fortran_have_their_elements(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Of a caller without debugging information it is not known which length it gave."""
    files = below_undescribed_caller(tool, tmp_path, LENGTHS_OF_FORTRAN, CALLER_OF_FORTRAN)
    commands = ["frame 1", "print text(1)", "print row(1)", "print row(3) + 1", "whatis row(1)"]
    own = answers(None, files, commands)
    assert own[1:] == answers(tool("gdb"), files, commands)[1:]
    commands = ["print text", "print row", "print text(2:4)", "print row(2:3)", "print &text"]
    own = answers(None, files, ["frame 1", *commands, "print sizeof(row)"])
    assert "= <optimized out>\n" in own[1] and "= <optimized out>\n" in own[2]
    assert own[3].endswith("= 'ome'\n") and own[4].endswith("= (6, 7)\n")
    assert "(PTR TO -> ( character*(*) )) 0x" in own[5] and "has been optimized out" in own[6]


ROWS_OF_FORTRAN = """\
subroutine work(names, table, n)
  character(len=*) :: names(2)
  integer :: n, table(n + 1, 2)
  call stop_here(3)
  names(1)(1:1) = 'x'
  table(2, 1) = 7
end subroutine
"""
CALLER_OF_ROWS = """\
program a
  character(len=4) :: names(2) = ['some', 'text']
  integer :: table(3, 2) = reshape([5, 6, 7, 8, 9, 10], [3, 2])
  call work(names, table, 2)
  print *, names, table
end program
"""


def test_arrays_of_fortran_have_the_first_of_rows_and_strings_of_lost_length(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """It is where the array is; where the next one is depends on the length."""
    files = below_undescribed_caller(tool, tmp_path, ROWS_OF_FORTRAN, CALLER_OF_ROWS)
    of_names = ["names", "names(1)", "names(1)(2:3)", "&names(1)", "names(2)", "size(names)"]
    own = answers(None, files, ["frame 1", *(f"print {name}" for name in of_names)])[1:]
    assert all("= <optimized out>\n" in text for text in own[:2])
    assert all("note: DW_" in text for text in own[:2])
    assert own[2].endswith("= 'om'\n") and "(PTR TO -> ( character*(*) )) 0x" in own[3]
    assert "value has been optimized out: DW_" in own[4]
    assert own[5].endswith("= 2\n")
    own = answers(None, files, ["frame 1", "whatis names", "whatis names(2)"])[1:]
    assert own[0].endswith("type = character*(*) (2)\n")
    assert own[1].endswith("type = character*(*)\n")
    known = ["table(1,1)", "table(3,1)", "table(2:3,1)", "size(table,2)"]
    own = answers(None, files, ["frame 1", *(f"print {name}" for name in known)])[1:]
    assert [text.rpartition("= ")[2] for text in own] == ["5\n", "7\n", "(6, 7)\n", "2\n"]
    lost = ["table(1,2)", "table(1,1:2)", "size(table)", "shape(table)", "ubound(table)"]
    for text in answers(None, files, ["frame 1", *(f"print {name}" for name in lost)])[1:]:
        assert "value has been optimized out: DW_" in text


def test_a_length_in_unreadable_memory_has_gdbs_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the attribute and the operation, as GDB of the same program compiled by gcc -O2."""
    with_length(monkeypatch, lambda variable: ExprLoc(bytes.fromhex("3806"), variable.unit))
    listed = answers(None, CRASH, ["up", "info locals"])[-1]
    assert "here = <error reading variable here (Cannot access memory at address 0x8)>" in listed
