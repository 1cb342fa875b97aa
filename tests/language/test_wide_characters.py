"""`wchar_t`, `char16_t` and `char32_t`: keywords of C++, names of typedefs in C."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, file_of, state_in
from tests.language.made_units import BASE_TYPE, HEADER_BYTES, NAME, RANGE, UNIT

TYPEDEF = Shape(dw.TAG_TYPEDEF, (NAME, (dw.AT_TYPE, dw.FORM_REF4)))
SHAPES = [UNIT, BASE_TYPE, Shape(dw.TAG_SUBPROGRAM, (NAME, *RANGE), True), TYPEDEF]
C, CPLUSPLUS = 0x0C, 0x1A
SHORT = b"\2short\0\5\2"


def unit(language: int, types: bytes, at: int) -> bytes:
    """A unit with a function of 16 bytes, behind types."""
    code = struct.pack("<QI", at, 16)
    return b"\1a\0" + bytes([language]) + code + types + b"\3f\0" + code + b"\0\0"


def state_of(folder: Path, language: int, types: bytes = b"") -> Path:
    """A state in a function of that language, beside a library of C with typedefs to `short`."""
    base = struct.pack("<I", HEADER_BYTES + len(b"\1a\0") + 1 + 12)
    typedefs = b"".join(b"\4" + name + b"\0" + base for name in (b"char16_t", b"wchar_t"))
    code = Content(bytes(16), flags=6, address=0x2000)
    library = file_of(unit(C, SHORT + typedefs, 0x2000), SHAPES, {".text": code}, machine=X86_64)
    (folder / "c.so").write_bytes(library)
    state = state_in(folder, unit(language, types, 0x1000), SHAPES)
    contents = json.loads(state.read_text())
    contents["code_objects"].append({"path": "c.so"})
    state.write_text(json.dumps(contents))
    return state


def answer(state: Path, command: str) -> str:
    done = run("debug", "-q", "--batch", "--state", state, "-ex", command)
    return done.out.rstrip("\n") or done.err.rstrip("\n").splitlines()[0]


@pytest.mark.parametrize(
    ("command", "of_cplusplus", "of_c"),
    [
        ("whatis char16_t", "type = char16_t", "type = short"),
        ("ptype char16_t", "type = char16_t", "type = short"),
        ("ptype char16_t[3]", "type = char16_t [3]", "type = short [3]"),
        ("whatis wchar_t", "type = wchar_t", "type = short"),
        ("p sizeof(wchar_t)", "$1 = 4", "$1 = 2"),
        ("p (char16_t)72", "$1 = 72 u'H'", "$1 = 72 u'H'"),
        ("whatis char32_t", "type = char32_t", 'No symbol "char32_t" in current context.'),
        ("p (char32_t)72", "$1 = 72 U'H'", 'No symbol "char32_t" in current context.'),
        ("p char32_t", "Attempt to use a type name as an expression", None),
        ("p char16_t", "Attempt to use a type name as an expression", None),
        ("whatis struct char32_t", "No struct type named char32_t.", None),
    ],
)
def test_a_typedef_of_c_hides_no_keyword(
    tmp_path: Path, command: str, of_cplusplus: str, of_c: str | None
) -> None:
    """As in GDB, where the types of the language are before those of other files."""
    assert answer(state_of(tmp_path, CPLUSPLUS), command) == of_cplusplus
    if of_c is not None:
        assert answer(state_of(tmp_path, C), command) == of_c


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("whatis char16_t", "type = short"),
        ("p sizeof(char16_t)", "$1 = 2"),
        ("p sizeof(char32_t)", "$1 = 2"),
        ("whatis wchar_t", "type = wchar_t"),
    ],
)
def test_a_typedef_of_the_unit_counts(tmp_path: Path, command: str, expected: str) -> None:
    """In C++98 only `wchar_t` is a keyword."""
    base = struct.pack("<I", HEADER_BYTES + len(b"\1a\0") + 1 + 12)
    typedefs = b"".join(b"\4" + name + b"\0" + base for name in (b"char16_t", b"char32_t"))
    assert answer(state_of(tmp_path, CPLUSPLUS, SHORT + typedefs), command) == expected


def test_the_type_of_the_program_is_used(tmp_path: Path) -> None:
    """It has 2 bytes with -fshort-wchar."""
    state = state_of(tmp_path, CPLUSPLUS, b"\2wchar_t\0\7\2")
    assert answer(state, "p sizeof(wchar_t)") == "$1 = 2"
    assert answer(state, "whatis wchar_t") == "type = wchar_t"


def test_a_typedef_of_an_imported_unit_counts(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """dwz moves what several units describe into a partial unit."""
    types = "typedef int char32_t; typedef unsigned char char16_t;\n"
    members = "".join(f"char16_t small{n}; char32_t number{n};" for n in range(60))
    (tmp_path / "types.h").write_text(f"{types}struct large {{ {members} }};\n")
    for name in ("one", "two"):
        code = f"large of_{name}; int in_{name}() {{ return of_{name}.number0; }}"
        text = f'#include "types.h"\n{code}\n'
        (tmp_path / f"{name}.cc").write_text(text)
    command = [tool("g++"), "-w", "-g", "-std=c++98", "-shared", "-fPIC", "-o", "a.so"]
    subprocess.run([*command, "one.cc", "two.cc"], cwd=tmp_path, check=True)
    subprocess.run([tool("dwz"), "a.so"], cwd=tmp_path, check=True)
    for function in ("in_one", "in_two"):
        place = ("--pc", function, "-q", "--batch", "-ex", "output sizeof(char16_t)")
        assert run("debug", tmp_path / "a.so", *place).out.endswith("1")
