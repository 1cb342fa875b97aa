"""Functions of Fortran on numbers, bits and characters: what a program of gfortran computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import fortran_with_core, last_lines

EXPRESSIONS = {
    "integer(4)": [
        "len(a)", "len_trim(a)", "len('abc')", "nint(q)", "nint(-2.5)", "nint(x)", "max(i, j, 3)",
        "min(i, j)", "ichar('A')", "iachar(a(1:1))", "iand(i, 6)", "ior(j, 8)", "ieor(i, j)",
        "not(i)", "ishft(j, 3)", "ishft(j, -1)", "ishft(i, 32)", "sign(i, j)", "sign(i, -1)",
        "dim(i, j)", "dim(j, i)",
    ],
    "integer(8)": ["nint(x, 8)", "ishft(k, -60)", "not(k)", "max(k, 5_8)", "iand(k, 15_8)"],
    "real(4)": ["max(q, 1.5)", "min(q, -q)", "sign(q, -1.0)", "dim(q, 0.25)", "dim(0.25, q)",
                "real(c)"],
    "real(8)": ["max(x, 0.5d0)", "dble(q)", "dble(i)", "dble(c)", "sign(x, 1d0)"],
    "complex(4)": ["conjg(c)"],
    "logical(4)": ["btest(i, 0)", "btest(j, 1)", "btest(k, 63)"],
}  # fmt: skip
"""By the type of the results, which the program has in variables."""
REFUSED = {
    "max(i, q)": "MAX is of numbers of one type, not of integers and real numbers",
    "max(i)": "MAX takes 2 to 100 arguments, not 1",
    "nint(i)": "argument to NINT must be of type float",
    "nint(1e30)": "integer*4 does not hold 1000000015047466219876688855040: give a larger kind",
    "iand(i, q)": "IAND is of integers",
    "ishft(i, 33)": "the second argument of ISHFT is from -32 to 32 here",
    "btest(i, 32)": "the second argument of BTEST is from 0 to 31 here",
    "len(i)": "argument to LEN must be of type character",
    "ichar('ab')": "argument to ICHAR must have the length 1, not 2",
    "conjg(q)": "argument to CONJG must be of type complex",
}


def _source() -> str:
    declared, set_ = [], []
    for kind, texts in EXPRESSIONS.items():
        for number, text in enumerate(texts):
            name = f"{kind.partition('(')[0]}{kind[-2]}_{number}"
            declared.append(f" {kind} :: {name}")
            set_.append(f" {name} = {text}")
    return "\n".join([
        "program fa", " implicit none",
        " real(4) :: q = 2.5", " real(8) :: x = -3.5d0", " complex :: c = (1.0, 2.0)",
        " character(5) :: a = 'ab'", " integer :: i = -7, j = 6", " integer(8) :: k = -5",
        *declared, *set_, " call abort()", " print *, q, x, c, a, i, j, k", "end program",
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


TYPES = {
    "nint(q)": "integer*4",
    "len(a)": "integer*4",
    "ichar(a(1:1))": "integer*4",
    "ishft(k, 3)": "integer(kind=8)",
    "btest(i, 0)": "logical(kind=4)",
    "max(i, k)": "integer(kind=8)",
    "dble(i)": "real*8",
}


def test_types(files: list[str]) -> None:
    shown = last_lines(files, ["frame function fa", *(f"whatis {text}" for text in TYPES)])[1:]
    assert shown == [f"type = {name}" for name in TYPES.values()]


def test_other_arguments_are_refused(files: list[str]) -> None:
    shown = last_lines(files, ["frame function fa", *(f"output {text}" for text in REFUSED)])[1:]
    assert dict(zip(REFUSED, shown, strict=True)) == REFUSED
