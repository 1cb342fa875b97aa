"""Words that C or C++ reserve, as names of variables where the language does not reserve them.

GDB 13 knows them by the language of the frame, too: its parser for C takes `class` and `bool` for
names in C, those for other languages have no words of C.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.language.syntax.words import WORDS
from tests.cli.command import run
from tests.dwarf.builder import Shape, state_in
from tests.language.made_units import BASE_TYPE, HEADER_BYTES, NAME, RANGE, UNIT, VARIABLE

SHAPES = [UNIT, BASE_TYPE, Shape(dw.TAG_SUBPROGRAM, (NAME, *RANGE), True), VARIABLE]
C, CPLUSPLUS, FORTRAN, RUST = 0x0C, 0x1A, 0x0E, dw.LANG_RUST


def state_of(folder: Path, language: int, *names: str) -> Path:
    """A state in a function whose variables of 2 bytes have these names and the values 3, 4, …"""
    code = struct.pack("<QI", 0x1000, 16)
    out = b"\1a\0" + bytes([language]) + code
    base = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\2small\0\5\2" + b"\3f\0" + code
    for number, name in enumerate(names, 3):
        expression = bytes([0x30 + number, 0x9F])  # DW_OP_litN; DW_OP_stack_value
        out += b"\4" + name.encode() + b"\0" + base + bytes([len(expression)]) + expression
    return state_in(folder, out + b"\0\0", SHAPES)


def answer(state: Path, command: str) -> str:
    done = run("debug", "-q", "--batch", "--state", state, "-ex", command)
    return done.out.rstrip("\n") or done.err.rstrip("\n").splitlines()[0]


@pytest.mark.parametrize(
    ("language", "word"),
    [
        *((language, word) for language in (FORTRAN, RUST) for word in sorted(WORDS)),
        *((C, word) for word in ("bool", "class", "restrict")),
        (CPLUSPLUS, "restrict"),
    ],
)
def test_variables(tmp_path: Path, language: int, word: str) -> None:
    state = state_of(tmp_path, language, word)
    assert answer(state, f"p {word}") == "$1 = 3"
    assert answer(state, f"p 2 + {word}*2") == "$1 = 8"
    assert answer(state, f"p ({word})") == "$1 = 3"
    assert answer(state, f"whatis {word}") == "type = small"
    if word != "sizeof":
        assert answer(state, f"p sizeof({word})") == "$1 = 2"
        assert answer(state, f"p sizeof {word}") == "$1 = 2"


@pytest.mark.parametrize("language", [C, CPLUSPLUS])
def test_a_word_that_the_language_reserves(tmp_path: Path, language: int) -> None:
    """A variable of another unit may have the name."""
    state = state_of(tmp_path, language, "long")
    assert answer(state, "p long") == "Attempt to use a type name as an expression"
    assert answer(state, "p sizeof(long)") == "$1 = 8"
    assert answer(state, "p (long)3") == "$1 = 3"


def test_types_where_no_variable_has_the_name(tmp_path: Path) -> None:
    state = state_of(tmp_path, RUST, "short")
    assert answer(state, "p sizeof(long)") == "$1 = 8"
    assert answer(state, "p (int)short") == "$1 = 3"
    assert answer(state, "p sizeof(short)") == "$1 = 2"
    assert answer(state, "p sizeof(unsigned short)") == "$1 = 2"
    assert answer(state, "p (unsigned short)65541 + short") == "$1 = 8"
    assert answer(state, "p (const short *)0") == "$1 = (const short *) 0x0"


def test_names_in_fortran_have_no_case(tmp_path: Path) -> None:
    state = state_of(tmp_path, FORTRAN, "lat", "long")
    assert answer(state, "p lat - Long") == answer(state, "p lat - long") == "$1 = -1"
    assert answer(state, "p LONG") == "$1 = 4"


def test_a_tag_is_no_variable(tmp_path: Path) -> None:
    state = state_of(tmp_path, C, "class")
    assert answer(state, "p sizeof(struct class)") == "No struct type named class."
    assert answer(state, "whatis struct class") == "No struct type named class."
