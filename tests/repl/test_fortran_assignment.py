"""Intrinsic assignment of Fortran, at the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import fortran_with_core, last_lines

SOURCE = """\
program fa
 implicit none
 real :: q = 3.0, r = 0.1
 complex :: c = (1.0,2.0)
 complex(8) :: w = (3.0d0,-4.0d0)
 character(5) :: a = 'ab'
 character(3) :: names(2) = 'abc'
 integer :: v(4) = 1, m(2,2) = 2, l(0:2) = 3
 real(8) :: x(2) = 0.5d0
 call abort()
 print *, q, r, c, w, a, names, v, m, l, x
end program
"""
ASSIGNED = [
    ("a = 'xy'", "'xy   '"), ("a = 'abcdefgh'", "'abcde'"), ("a(2:3) = 'z'", "'z '"),
    ("a", "'az de'"), ("v(1:2) = 9", "(9, 9)"), ("v", "(9, 9, 1, 1)"), ("v(1:4:3) = 7", "(7, 7)"),
    ("v", "(7, 9, 1, 7)"), ("m = 5", "((5, 5) (5, 5))"), ("l = 4.9", "(4, 4, 4)"),
    ("x = 2", "(2, 2)"), ("names = 'z'", "('z  ', 'z  ')"), ("c%im = 6", "6"), ("c", "(1,6)"),
]  # fmt: skip

FRAME = "frame function fa"


@pytest.fixture
def files(tmp_path: Path, tool: Callable[[str], str]) -> list[str]:
    """A program of gfortran and its core file."""
    return fortran_with_core(tool, tmp_path, SOURCE)


def test_intrinsic_assignment(files: list[str]) -> None:
    """Strings of another length and scalars were refused."""
    shown = last_lines(files, [FRAME, *(f"output {text}" for text, _ in ASSIGNED)])[1:]
    assert shown == [value for _, value in ASSIGNED]
