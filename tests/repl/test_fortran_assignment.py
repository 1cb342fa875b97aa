"""Intrinsic assignment of Fortran, at the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, fortran_with_core, last_lines

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

DOUBTED = {
    "v(1) = 3000000000_8": ["-1294967296"],
    "v = 3000000000_8": ["(-1294967296, -1294967296, -1294967296, -1294967296)"],
    "v(2:3) = 3000000000_8": ["(-1294967296, -1294967296)"],
    "m(1,:) = 3000000000_8": ["(-1294967296, -1294967296)"],
}
DOUBT = "warning: the type integer(kind=4) does not hold 3000000000"
"""gfortran stores the low bits, too."""

FRAME = "frame function fa"


@pytest.fixture
def files(tmp_path: Path, tool: Callable[[str], str]) -> list[str]:
    """A program of gfortran and its core file."""
    return fortran_with_core(tool, tmp_path, SOURCE)


def test_intrinsic_assignment(files: list[str]) -> None:
    """Strings of another length and scalars were refused."""
    shown = last_lines(files, [FRAME, *(f"output {text}" for text, _ in ASSIGNED)])[1:]
    assert shown == [value for _, value in ASSIGNED]


def test_numbers_that_elements_do_not_hold(files: list[str]) -> None:
    """One warning, as of an assignment to one element."""
    texts = answers(None, files, [FRAME, *(f"output {text}" for text in DOUBTED)])[1:]
    shown = {text: said.splitlines()[1:] for text, said in zip(DOUBTED, texts, strict=True)}
    note = "note: only this session's registers and memory change, not the core file"
    own = {text: [line for line in lines if line != note] for text, lines in shown.items()}
    assert own == {text: [DOUBT, *value] for text, value in DOUBTED.items()}
