"""Intrinsic functions of Fortran, parts of complex numbers and concatenation, at the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from platform import machine

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
    "kind(int(1e30))": "4", "kind(nint(1/r, 8))": "8", "digits(x)": "53", "huge(v)": "2147483647",
    "tiny(x)": "2.2250738585072014e-308", "bit_size(m)": "32", "max(a, 'b')": "'b    '",
    "min(names(1), 'abd', 'b')": "'abc'", "len(max('a', 'bcd'))": "3", "shape(m, 8)": "(2, 2)",
    "sqrt(w)": "Unsupported: SQRT of a complex number is not evaluated", "kind(shape(m, 8))": "8",
    "kind(lbound(m, kind=8))": "8", ".true._1": ".TRUE.", "kind(.false._8)": "8",
    "kind(.true._2 .and. .true._1)": "2", "1000_16": "1000", "kind(1000_16)": "16",
    "170141183460469231731687303715884105727_16": "170141183460469231731687303715884105727",
    ".true._3": "unsupported kind 3 for type logical*4",
}  # fmt: skip

FRAME = "frame function fa"
EXTENDED = """\
program fa
 real(10) :: a = 1.1_10
 real(16) :: b = 1.3_16
 real(8) :: x(2) = [0.0d0, 1d300]
 integer :: kinds(4)
 kinds = [kind(a), kind(a + b), kind(b + a), kind(a + x(1))]
 call abort()
 print *, a, b, x, kinds
end program
"""
OF_EXTENDED = {
    "kinds": "(10, 16, 16, 10)", "kind(a)": "10", "kind(a + b)": "16", "kind(b + a)": "16",
    "kind(a + x(1))": "10", "a + b": "2.40000000000000000002168404344970993",
    "kind(max(a, b))": "16", "kind(mod(a, b))": "16", "a == 1.1_10": ".TRUE.",
    "kind(cmplx(1, 2, 10))": "10", "b == 1.3_10": ".FALSE.",
}  # fmt: skip
"""What programs of gfortran print."""
TYPES = {
    "int(1.5/x(2))": "integer*4", "nint(a/b)": "integer*4", "floor(1.5/x(1))": "integer*4",
    "ishft(1, int(1/x(1)))": "integer*4",
}  # fmt: skip
"""Of what has no value where the operands are 0."""


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


@pytest.mark.skipif(machine() != "x86_64", reason="real(10) is that of x86")
def test_extended_reals(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They have the size of real(16), and were taken for it."""
    files = fortran_with_core(tool, tmp_path, EXTENDED)
    asked = [*(f"output {text}" for text in OF_EXTENDED), *(f"whatis {text}" for text in TYPES)]
    shown = last_lines(files, [FRAME, *asked])[1:]
    assert shown == [*OF_EXTENDED.values(), *(f"type = {kind}" for kind in TYPES.values())]
