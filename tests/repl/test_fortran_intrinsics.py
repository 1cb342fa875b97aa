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


POLYMORPHIC = """\
module shapes
  implicit none
  type :: base
    integer :: id = 3
  end type
  type, extends(base) :: point
    integer :: x = 8
  end type
  type :: box
    class(base), allocatable :: inner, none, many(:)
    class(*), pointer :: any => null()
    class(base), pointer :: ptr(:) => null()
  end type
contains
  subroutine show(every, grid, alone, star)
    class(base), intent(in) :: every(:), alone
    class(base), allocatable, intent(in) :: grid(:, :)
    class(*), intent(in) :: star(:)
    integer, allocatable :: numbers(:)
    logical, allocatable :: truths(:)
    numbers = [size(every), rank(every), shape(every), lbound(every), ubound(every), size(grid), &
      size(grid, 2), rank(grid), shape(grid), lbound(grid), ubound(grid), rank(alone), &
      rank(star), size(star), shape(star), shape(alone)]
    truths = [allocated(grid), loc(every) == loc(every(1)), loc(alone) == loc(alone%id)]
    call abort()
  end subroutine
end module
program fa
  use shapes
  implicit none
  class(base), allocatable :: pal(:), nal(:), sal, snal, grid(:, :)
  class(base), pointer :: pb, pn, pa(:), pan(:)
  class(*), pointer :: sp, sn
  class(*), allocatable :: sa, san, sarr(:)
  type(box) :: b
  type(point), target :: e(5:7), one
  integer, target :: i = 5
  integer, allocatable :: numbers(:)
  logical, allocatable :: truths(:)
  nullify(pn, pan, sn)
  allocate(pal(2:3), b%inner, b%many(0:3))
  allocate(point :: sal)
  allocate(sarr(3), source=[1, 2, 3])
  allocate(sa, source=4.5)
  allocate(point :: grid(0:1, 3))
  pb => one
  pa => e(5:7:2)
  b%any => i
  b%ptr => e
  sp => i
  numbers = [size(pal), rank(pal), shape(pal), lbound(pal), ubound(pal), size(pa), lbound(pa), &
    ubound(pa), rank(pb), rank(nal), size(sarr), shape(sarr), rank(sarr), size(b%many), &
    lbound(b%many), ubound(b%ptr)]
  truths = [allocated(pal), allocated(nal), allocated(sal), allocated(snal), allocated(sa), &
    allocated(san), allocated(sarr), allocated(b%inner), allocated(b%none), allocated(b%many), &
    associated(pa), associated(pan), associated(pb), associated(pn), associated(sp), &
    associated(sn), associated(b%any), associated(b%ptr), associated(pb, one), &
    associated(pb, e(5)), associated(sp, i), associated(pa, e), associated(pa, e(5:7:2)), &
    associated(b%ptr, e), loc(pb) == loc(one), loc(pal) == loc(pal(2)), loc(pn) == 0]
  call show(e, grid, one, sarr)
end program
"""


def test_polymorphic_objects(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The program itself keeps what each function says, in the order of its source."""
    files = fortran_with_core(tool, tmp_path, POLYMORPHIC)
    for frame in ("show", "fa"):
        whole = POLYMORPHIC.split(" " + frame)[1].replace("&\n", "")
        for kept in ("numbers", "truths"):
            asked = _items(whole.split(f"{kept} = [")[1].split("]\n")[0])
            shown = last_lines(files, [f"frame function {frame}", *(f"output {a}" for a in asked)])
            (own,) = last_lines(files, [f"frame function {frame}", f"output {kept}"])[1:]
            answered = [text.strip("()") for text in shown[1:] if text != "()"]
            assert ", ".join(answered) == own.strip("()"), (frame, kept)


def _items(text: str) -> list[str]:
    """Return the parts of a list between the commas that are in no brackets."""
    items, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            items.append("")
        else:
            items[-1] += letter
    return [item.strip() for item in items]


def test_polymorphic_objects_without_an_attribute(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    files = fortran_with_core(tool, tmp_path, POLYMORPHIC)
    of_arrays = "ALLOCATED can only be applied to arrays"
    of_pointers = "ASSOCIATED can only be applied to pointers"
    expected = {
        "allocated(pb)": of_arrays, "associated(sal)": of_pointers, "associated(pal)": of_pointers,
        "size(pb)": "SIZE can only be applied to arrays", "allocated(one)": of_arrays,
        "size(nal)": "SIZE can only be used on allocated/associated arrays",
        "associated(pb, i)": "arguments to associated must be of same type and kind",
        "int(pb)": "Argument to arithmetic operation not a number or boolean.",
    }  # fmt: skip
    asked = ["frame function fa", *(f"output {text}" for text in expected)]
    assert last_lines(files, asked)[1:] == [*expected.values()]
    types = {"size(b%many)": "integer*4", "loc(pb)": "integer*8", "rank(pal)": "integer*4"}
    asked = ["frame function fa", *(f"whatis {text}" for text in types)]
    assert last_lines(files, asked)[1:] == [f"type = {kind}" for kind in types.values()]
    kept = ["frame function fa", "print $k = b", "output allocated($k%inner)"]
    kept += ["output size($k%many)", "output associated($k%any)"]
    assert last_lines(files, kept)[2:] == [".TRUE.", "4", ".TRUE."]
