"""Intrinsic functions of Fortran, parts of complex numbers and concatenation, at the prompt."""

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
VALUES = {
    "int(1.5)": "1", "int(-1.7)": "-1", "int(w)": "3", "real(3)": "3", "real(w)": "3",
    "real(r,8)": "0.10000000149011612", "real(kind=8)": None,
    "int(1e30)": "integer*4 does not hold 1000000015047466219876688855040: give a larger kind",
    "abs(c)": "2.23606801", "abs(w)": "5", "abs((3,4))": "5", "abs(-3)": "3",
    "sqrt(q)": "1.73205078", "sqrt(2.0)": "1.41421354", "sqrt(4.0)": "2",
    "sqrt(4)": "argument to SQRT must be of type float", "aimag(w)": "-4",
    "c%re": "1", "c%im": "2", "W%IM": "-4",
    "a//'x'": "'ab   x'", "'a'//'b'//'c' == 'abc'": ".TRUE.", "names(1)//names(2)": "'abcabc'",
    '"a""b"': "'a\"b'", '"a\\n"': "'a\\\\n'", "'a''b' // \"\"": "'a\\'b'", '""""': "'\"'",
    '"a" "b"': "A syntax error in expression, near `\"b\"'.",
    "(int(q+1))": "4", "1 + (int(2.5))": "3", "(real((v(1))+1))": "2", "((int(2.5))+1)": "3",
    "(int)2.5": "2", "(real(kind=8))r": "0.10000000149011612", "sizeof(int(2.5))": "4",
    "8/2": "4", "a//1": "Concatenation is of two strings.",
}  # fmt: skip

FRAME = "frame function fa"


@pytest.fixture
def files(tmp_path: Path, tool: Callable[[str], str]) -> list[str]:
    """A program of gfortran and its core file."""
    return fortran_with_core(tool, tmp_path, SOURCE)


def test_intrinsic_functions(files: list[str]) -> None:
    expected = {text: value for text, value in VALUES.items() if value is not None}
    shown = last_lines(files, [FRAME, *(f"output {text}" for text in expected)])[1:]
    assert shown == [*expected.values()]
    kinds = [
        "whatis c%im",
        "whatis abs(w)",
        "whatis real(kind=8)",
        "whatis int(q)",
        "whatis a//'x'",
    ]
    assert last_lines(files, [FRAME, *kinds])[1:] == [
        "type = real(kind=4)", "type = real(kind=8)", "type = real*8", "type = integer*4",
        "type = character*6",
    ]  # fmt: skip
