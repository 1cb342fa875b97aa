"""Functions of Fortran on numbers, bits and characters: what a program of gfortran computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, fortran_with_core, last_lines

EXPRESSIONS = {
    "integer(4)": [
        "len(a)", "len_trim(a)", "len('abc')", "nint(q)", "nint(-2.5)", "nint(x)", "max(i, j, 3)",
        "min(i, j)", "ichar('A')", "iachar(a(1:1))", "iand(i, 6)", "ior(j, 8)", "ieor(i, j)",
        "not(i)", "ishft(j, 3)", "ishft(j, -1)", "ishft(i, 32)", "sign(i, j)", "sign(i, -1)",
        "dim(i, j)", "dim(j, i)", "ichar(char(65))", "len(char(200))", "ichar(achar(200 + j))",
        "ichar(ACHAR(i=66))", "int(a=q)", "sign(b=-1, a=i)", "size(m, dim=2)",
        "ubound(m, dim=1)", "nint(q, kind=4)", "len('abcd'(2:3))", "max(a1=p, a2=3)",
        "huge(i)", "digits(i)", "digits(q)", "digits(x)", "precision(q)",
        "precision(x)", "precision(c)", "range(i)", "range(k)", "range(q)", "range(x)", "range(c)",
        "radix(i)", "radix(x)", "maxexponent(q)", "minexponent(q)", "maxexponent(x)",
        "minexponent(x)", "bit_size(i)", "size(v(3:2))", "size(v(9:2))", "size(v(2:9:-1))",
        "len(a(3:2))", "len(a(9:2)//'x')", "ubound(v(3:2), 1)", "p + 1", "-p", "max(p, 3)",
        "mod(p, 5)", "p*p", "v(p/21)", "h%p - p", "p**2", "2**p", "ishft(2147483647, 1)",
        "len(each)", "len(later)", "len(held)", "len(target)",
        "len(h%name)", "len(h%to // 'x')", "len_trim(h%to)", "ichar(h%name(2:2))",
        "len_trim(held // h%name)", "max(a1=i, a2=j, a3=9)", "max(i, j, a3=4)", "min(i, 3, a4=-9)",
        "kind(lbound(m, kind=8))", "kind(ubound(m, kind=8))", "kind(shape(m, kind=1))",
        "int(kind=4, a=q)", "int(kind=2 + 2, a=q)",
        "len(rows)", "len_trim(later)", "len_trim(held)", "len_trim(target)", "len_trim(each(2))",
    ],
    "integer(8)": ["nint(x, 8)", "ishft(k, -60)", "not(k)", "max(k, 5_8)", "iand(k, 15_8)",
                   "int(x, kind=8)", "size(m, kind=8)", "lbound(m, kind=8, dim=1)",
                   "len(a, kind=8)", "huge(x=k)", "bit_size(i=k)",
                   "int(kind=8, a=r)"],
    "real(4)": ["max(q, 1.5)", "min(q, -q)", "sign(q, -1.0)", "dim(q, 0.25)", "dim(0.25, q)",
                "real(c)", "real(x, kind=4)", "huge(q)", "tiny(q)", "epsilon(q)",
                "sign(1.0, modulo(-6.0*q, 3.0))",
                "sign(1.0, mod(-6.0*q, 3.0))", "sign(1.0, modulo(0*q, -q))", "modulo(0*q, -q)",
                "sign(1.0, modulo(-5*q, -q))", "sign(1.0, mod(0*q, -q))"],
    "real(8)": ["max(x, 0.5d0)", "dble(q)", "dble(i)", "dble(c)", "sign(x, 1d0)",
                "real(i, KIND = 8)", "huge(x)", "tiny(x)", "epsilon(x)", "r*2", "sqrt(r)",
                "real(kind=8, a=q)"],
    "complex(4)": ["conjg(c)", "cmplx(x, kind=4)", "cmplx(y=q, x=1)"],
    "complex(8)": ["cmplx(q, kind=8)"],
    "logical(4)": ["btest(i, 0)", "btest(j, 1)", "btest(k, 63)", "p == 42", "p > h%p",
                   "t == 'hello'", "a(3:2) == ''", "h%name == 'name'",
                   "h%name == ''", "h%to > 'held'", "i == j", "l1 .or. .not. p == 42"],
    "logical(8)": [".not. l8", "l8 .and. l1", "l1 .or. l8", "l8 .eqv. l1", "l1 .neqv. l8",
                   "l8 .and. .true."],
    "logical(1)": [".not. l1", "l1 .and. l1", "l1 .or. l1", "l1 .eqv. l1", "l1 .neqv. g"],
}  # fmt: skip
"""By the type of the results, which the program has in variables."""
TEXTS = ["char(65)", "achar(66) // 'x'", "'abcd'(2:3)", '"abcd"(:2)', "'abcd'(3:) // char(67)"]
REFUSED = {
    "m(i=1, 2)": "i= is for an argument of an intrinsic function.",
    "char(256)": "the argument of CHAR is from 0 to 255",
    "char('a')": "argument to CHAR must be of type integer",
    "char(65, kind=4)": "unsupported kind 4 for type character",
    "int(x, kin=8)": "INT has no argument kin",
    "int(x, a=x)": "INT has two arguments a",
    "nint(kind=8, kind=4)": "Two arguments have the keyword kind.",
    "nint(kind=8, x)": "An argument without a keyword is behind one with a keyword.",
    "nint(kind=8)": "NINT needs its argument a",
    "'abc'(2:4)": "array subscript out of bounds",
    "'abc'(0:1)": "array subscript out of bounds",
    "max(i, q)": "MAX is of numbers of one type, not of integers and real numbers",
    "max(a1=i, a3=j)": "MAX needs its argument a2",
    "max(i, j, a2=3)": "MAX has two arguments a2",
    "max(i, j, a0=3)": "MAX has no argument a0",
    "max(i)": "MAX takes 2 to 100 arguments, not 1",
    "nint(i)": "argument to NINT must be of type float",
    "nint(1e30)": "integer*4 does not hold 1000000015047466219876688855040: give a larger kind",
    "iand(i, q)": "IAND is of integers",
    "ishft(i, 33)": "the second argument of ISHFT is from -32 to 32 here",
    "btest(i, 32)": "the second argument of BTEST is from 0 to 31 here",
    "len(i)": "argument to LEN must be of type character",
    "ichar('ab')": "argument to ICHAR must have the length 1, not 2",
    "len(wide)": "LEN of characters of kind 4 is not supported",
    "len_trim(each)": "LEN_TRIM of an array is not supported: give it an element",
    "max(list, 1)": "MAX of type integer(kind=4) (2) not supported",
    "min(each, each)": "MIN of type character*3 (2) not supported",
    "conjg(q)": "argument to CONJG must be of type complex",
    "epsilon(i)": "argument to EPSILON must be of type float",
    "maxexponent(i)": "argument to MAXEXPONENT must be of type float",
    "precision(i)": "argument to PRECISION must be of type float",
    "sin(q)": "Unsupported: the intrinsic function SIN is not evaluated",
    "sum(v)": "Unsupported: the intrinsic function SUM is not evaluated",
    "nowhere + 1": "The pointer is not associated, as associated(p) says.",
    "v(3:99)": "array subscript out of bounds",
}


def _source() -> str:
    declared, set_ = [], []
    for kind, texts in EXPRESSIONS.items():
        for number, text in enumerate(texts):
            name = f"{kind.partition('(')[0]}{kind[-2]}_{number}"
            declared.append(f" {kind} :: {name}")
            set_.append(f" {name} = {text}")
    declared.append(f" character(5) :: texts({len(TEXTS)})")
    set_ += [f" texts({number}) = {text}" for number, text in enumerate(TEXTS, 1)]
    return "\n".join([
        "program fa", " use iso_c_binding", " implicit none",
        " real(4) :: q = 2.5", " real(8) :: x = -3.5d0", " complex :: c = (1.0, 2.0)",
        " character(5) :: a = 'ab'", " integer :: i = -7, j = 6", " integer(8) :: k = -5",
        " integer :: m(3, 4) = 1",
        " integer :: v(5) = [1, 2, 3, 4, 5]", " logical(8) :: l8 = .true.",
        " logical(1) :: l1 = .false.", " logical(1), pointer :: g",
        " logical(1), target :: of_g = .true.",
        " integer, pointer :: p, nowhere", " integer, target :: of_p = 42",
        " real(8), pointer :: r", " real(8), target :: of_r = 2.5d0",
        " character(5), pointer :: t", " character(5), target :: of_t = 'hello'",
        " type holder", "  integer, pointer :: p",
        "  character(:), allocatable :: name", "  character(:), pointer :: to", " end type",
        " type(holder) :: h", " type(holder), target :: broken", " integer(8), pointer :: words(:)",
        " character(3) :: each(2) = ['abc', 'de ']", " character(:), allocatable :: later",
        " character(4), allocatable :: held", " character(6), pointer :: target",
        " character(6), target :: aim = 'aim'", " character(7), allocatable :: rows(:)",
        " character(kind=4, len=3) :: wide = 4_'abc'", " integer :: list(2) = [1, 2]",
        *declared, " p => of_p", " r => of_r", " t => of_t", " h%p => of_p",
        " broken%name = 'a name of 21 letters.'",
        " call c_f_pointer(c_loc(broken), words, [storage_size(broken) / 64])",
        " where (words == 21) words = -21",
        " h%name = 'name'", " h%to => aim", " g => of_g",
        " nullify(nowhere)", " later = 'hello '", " held = 'xy'", " target => aim", *set_,
        " call abort()", " print *, q, x, c, a, i, j, k, each, wide, list", "end program",
    ])  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("functions of fortran")
    return fortran_with_core(tool, folder, _source())


def test_results_are_those_of_the_program(files: list[str]) -> None:
    for kind, texts in EXPRESSIONS.items():
        name = f"{kind.partition('(')[0]}{kind[-2]}_"
        own = [f"output {text}" for text in texts]
        of_program = [f"output {name}{number}" for number in range(len(texts))]
        kinds = [f"output kind({text})" for text in texts]
        shown = last_lines(files, ["frame function fa", *own, *of_program, *kinds])[1:]
        count = len(texts)
        assert dict(zip(texts, shown[:count], strict=True)) == dict(
            zip(texts, shown[count : 2 * count], strict=True)
        )
        assert shown[2 * count :] == [kind[-2]] * count, kind


def test_characters_are_those_of_the_program(files: list[str]) -> None:
    numbers = range(1, len(TEXTS) + 1)
    commands = [
        f"output {text} == texts({number})" for number, text in zip(numbers, TEXTS, strict=True)
    ]
    shown = last_lines(files, ["frame function fa", *commands, "output 'abcd'(2:3)"])[1:]
    assert shown == [".TRUE."] * len(TEXTS) + ["'bc'"]


TYPES = {
    "char(i + 80)": "character*1",
    "size(m, kind=8)": "integer*8",
    "nint(q)": "integer*4",
    "len(a)": "integer*4",
    "ichar(a(1:1))": "integer*4",
    "ishft(k, 3)": "integer(kind=8)",
    "btest(i, 0)": "logical(kind=4)",
    "max(i, k)": "integer(kind=8)",
    "dble(i)": "real*8",
    "kind(1)": "integer*4",
    "c + x": "complex(kind=8)",
    "x * c": "complex(kind=8)",
    "h%name": "PTR TO -> ( character*4 )",
    "h%name // 'x'": "character*5",
    "lbound(m, kind=8)": "integer*8 (2)",
    "shape(m, kind=1)": "integer*1 (2)",
    "shape(m)": "integer*4 (2)",
    "p": "PTR TO -> ( integer(kind=4) )",
    "p + 1": "integer(kind=4)",
    ".not. l8": "logical(kind=8)",
}


def test_types(files: list[str]) -> None:
    shown = last_lines(files, ["frame function fa", *(f"whatis {text}" for text in TYPES)])[1:]
    assert shown == [f"type = {name}" for name in TYPES.values()]


def test_a_length_that_no_string_has_is_an_error(files: list[str]) -> None:
    reason = "the length of the string is negative: -21"
    asked = ["output len(broken%name)", "output broken%name // 'x'"]
    shown = last_lines(files, ["frame function fa", *asked, "output len(h%name)"])[1:]
    assert all(reason in text for text in shown[:2]) and shown[2] == "4", shown


def test_other_arguments_are_refused(files: list[str]) -> None:
    shown = last_lines(files, ["frame function fa", *(f"output {text}" for text in REFUSED)])[1:]
    assert dict(zip(REFUSED, shown, strict=True)) == REFUSED


WRAPPED = [
    "dim(2147483647, i)",
    "dim(100_1, -100_1)",
    "abs(-127_1 - 1_1)",
    "sign(-127_1 - 1_1, 1_1)",
]
"""Results that their type does not hold (docs/language-fortran.md)."""


def test_results_that_do_not_fit(files: list[str]) -> None:
    for text in WRAPPED:
        shown = answers(None, files, ["frame function fa", f"output {text}"])[1]
        assert "warning: the result overflows integer" in shown, text
    for text in ("ishft(2147483647, 1)", "not(i)", "dim(i, j)", "abs(i)"):
        assert "warning" not in answers(None, files, ["frame function fa", f"output {text}"])[1]


def test_addresses_stay_addresses(files: list[str]) -> None:
    """As in GDB: a pointer alone, beside an address, and in `*p`."""
    texts = [
        "p == &of_p",
        "&of_p == p",
        "*p",
        "associated(p)",
        "associated(nowhere)",
        "loc(p) == &p",
    ]
    shown = last_lines(files, ["frame function fa", *(f"output {text}" for text in texts)])[1:]
    assert shown == [".TRUE.", ".TRUE.", "42", ".TRUE.", ".FALSE.", ".TRUE."]
    (alone,) = last_lines(files, ["frame function fa", "print p"])[1:]
    assert "PTR TO -> ( integer(kind=4) )" in alone
