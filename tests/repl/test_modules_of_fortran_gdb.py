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
