"""Modules and common blocks of Fortran at the prompt, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
module shapes
  implicit none
  integer :: counter = 5
  integer, parameter :: limit = 9
  real :: table(3) = [1.0, 2.0, 3.0]
  type :: point
    integer :: id
    real :: weight
  end type
contains
  subroutine show(at, points)
    type(point), intent(inout) :: at, points(2)
    integer :: shared, blank
    real :: reals(2)
    integer, pointer :: nowhere
    common /blk/ shared, reals
    common blank
    shared = 7
    reals = [1.5, 2.5]
    blank = 3
    nullify(nowhere)
    nowhere = twice(at%id) + shared + blank
  end subroutine
  integer function twice(n)
    integer, intent(in) :: n
    twice = 2 * n
  end function
end module

module other
  implicit none
  integer :: counter = 17
contains
  subroutine add(k)
    integer, intent(inout) :: k
    k = k + counter
  end subroutine
end module

program modules
  use shapes
  use other, only: add
  implicit none
  type(point) :: points(2)
  points = point(1, 2.5)
  call add(points(1)%id)
  call show(points(1), points)
end program
"""


@pytest.fixture
def files(tmp_path: Path, tool: Callable[[str], str]) -> list[str]:
    """The program and its core file."""
    build(tmp_path, {"a.f90": SOURCE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    return with_core(tool, tmp_path)


def test_symbols_by_module(files: list[str], tool: Callable[[str], str]) -> None:
    """Each module has its functions or variables by file, and conditions are in the title."""
    commands = [
        f"info module {kind}{options}"
        for kind in ("functions", "variables")
        for options in (
            "", " -q", " -m other", " -m sha c", " -t real", " -t real -m shapes tab", " -t real x",
            " nosuch", " -q nosuch", " -m nosuch", " -m nosuch x", " -n x", " -m", " -t",
        )
    ]  # fmt: skip
    commands += ["info module nosuch", "info mod func twice"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert '\nModule "shapes":\n\nFile a.f90:\n' in own[0] and "shapes::twice(" in own[0]
    assert "info module variables -- " in answers(None, files, ["info module"])[0]


def test_common_blocks(files: list[str], tool: Callable[[str], str]) -> None:
    """They are those of the function in focus."""
    commands = ["info common", "info common blk_", "info common __BLNK__", "info common nosuch"]
    commands += ["up", "info common", "info common blk_"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    block = "Contents of F77 COMMON block 'blk':\nshared = 7\nreals = (1.5, 2.5)\n"
    assert block in own[0] and block in own[1]
    own = answers(None, files, ["info common blk", "info common BLK"])
    assert all(block in answer for answer in own)


INLINED = """\
program host
  implicit none
  real(8) :: outer(2)
  integer :: k, e
  common /glob/ outer, k
  common e
  outer = [1.5d0, 2.5d0]; k = 12; e = 13
  call first(3)
  call second(4)
contains
  subroutine first(n)
    integer, intent(in) :: n
    real(8) :: reals(2)
    integer :: kk, blank
    common /glob/ reals, kk
    common blank
    kk = kk + n + blank
    call stop_here(reals)
  end subroutine
  subroutine second(n)
    integer, intent(in) :: n
    real(8) :: e(2)
    integer :: listed
    namelist /list/ listed
    common /glob/ e, listed
    listed = listed + n
    call stop_here(e)
  end subroutine
end program
"""
STOPS = """\
subroutine stop_here(numbers)
  real(8) :: numbers(2)
  integer, pointer :: nowhere
  nullify(nowhere)
  if (numbers(1) > LIMIT) nowhere = 1
  numbers(1) = numbers(1) + 1
end subroutine
"""


@pytest.mark.parametrize(
    ("limit", "procedure", "names"),
    [("1", "first", ["blank", "reals"]), ("2", "second", ["listed", "e"])],
)
def test_common_blocks_of_inlined_procedures(
    limit: str, procedure: str, names: list[str], tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """gfortran describes them in the abstract instance alone, and a variable of a namelist as if
    it were only declared. They hide the variables of the host."""
    sources = {"a.f90": INLINED, "b.f90": STOPS.replace("LIMIT", f"{limit}d0")}
    make = [tool("gfortran"), "-g", "-O2", "-fno-backtrace", "a.f90", "b.f90", "-o", "a"]
    build(tmp_path, sources, [make])
    files = with_core(tool, tmp_path)
    commands = ["up", "info common", "info common glob_"]
    commands += [f"{ask} {name}" for name in names for ask in ("print", "whatis", "info address")]
    commands += ["up", "info common", "print k"]
    own, by_gdb = (
        [*map(_without_notes, answers(gdb, files, commands))] for gdb in (None, tool("gdb"))
    )
    assert own[1:] == by_gdb[1:] and f"host::{procedure} (" in own[0]
    assert own[3].endswith("= <optimized out>\n")
    assert by_gdb[-1] == "print k\n$3 = <optimized out>\n"  # of the host, which is inlined, too
    (listed,) = answers(None, files, ["up", "info locals"])[1:]
    assert all(f"{name} = <optimized out>\n" in listed for name in names)


def _without_notes(answer: str) -> str:
    """An answer without notes, and without what a hint says to type."""
    return "".join(
        line
        for line in answer.splitlines(keepends=True)
        if not line.startswith(("note: ", 'type "explain '))
    )


def test_completion_of_names(files: list[str], tool: Callable[[str], str]) -> None:
    """Names of modules have the module, and components are offered after `%`."""
    commands = ["shapes::c", "shapes::l", "shapes::t", "other::", "at%i", "at%", "1+at%we"]
    commands = [f"complete print {words}" for words in commands]
    commands += ["complete break shapes::t", "complete break twi", "complete ptype at%w"]
    commands += ["complete info module v", "complete print at%x", "complete print other::x"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert own[0].endswith("\nprint shapes::counter\n") and own[4].endswith("\nprint at%id\n")
    (own_of_element,) = answers(None, files, ["complete print points(2)%w"])
    assert own_of_element.endswith("\nprint points(2)%weight\n")


def test_a_module_has_no_value(files: list[str], tool: Callable[[str], str]) -> None:
    commands = ["ptype shapes", "whatis shapes", "ptype OTHER", "print shapes", "output shapes"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert own[0].endswith("type = module shapes\n") and own[1].endswith("type = shapes\n")
