"""Parameters of Fortran whose rows have a length that gfortran does not describe."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, fortran_with_core, last_lines

SOURCE = """\
program p
 real :: x(12) = [1,2,3,4,5,6,7,8,9,10,11,12]
 call s(2, x, x, x)
contains
 subroutine s(n, a, c, d)
  integer, intent(in) :: n
  integer, pointer, volatile :: q
  real :: a(0:n,*), c(n,0:*), d(0:n,5:7,*)
  x(1) = a(0,1)*c(1,0)*d(0,5,1)
  q => null()
  q = n
 end subroutine
end program
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    return fortran_with_core(tool, tmp_path_factory.mktemp("rows"), SOURCE)


def test_elements_of_the_first_row_need_no_length(
    files: list[str], tool: Callable[[str], str]
) -> None:
    """They follow each other from the address of the array on."""
    elements = ("a(0,1)", "a(2,1)", "c(1,0)", "c(2,0)", "d(0,5,1)", "d(2,5,1)")
    commands = [*(f"p {part}" for part in elements), "p &a(1,1)"]
    by_us = answers(None, files, commands)
    assert by_us == answers(tool("gdb"), files, commands)
    assert by_us[1].endswith("$2 = 3\n")


def test_a_section_of_the_first_row_needs_none(files: list[str]) -> None:
    assert last_lines(files, ["p a(0:1,1)", "whatis a(1,1)"]) == [
        *("$1 = (1, 2)", "type = real(kind=4)")
    ]


@pytest.mark.parametrize("part", ["a(0,2)", "c(1,1)", "d(0,6,1)", "d(0,5,2)", "a(0,1:2)"])
def test_elements_of_others_are_unknown(part: str, files: list[str]) -> None:
    by_us = answers(None, files, [f"p {part}"])
    assert "The length of the array's rows is unknown." in by_us[0]
