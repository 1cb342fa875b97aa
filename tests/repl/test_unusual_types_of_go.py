"""Slices, strings and interfaces of Go as gc does not write them, without members."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
SIZE, KIND = (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_GO_KIND, dw.FORM_DATA1)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1), *CODE), True),
    Shape(dw.TAG_BASE_TYPE, (NAME, (dw.AT_ENCODING, dw.FORM_DATA1), SIZE)),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, SIZE, KIND), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(dw.TAG_POINTER_TYPE, (TYPE,)),
]
HEADER_BYTES = 12
SLICE, STRING = 23, 24
AT = b"\x09\3" + struct.pack("<Q", 0x2000)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """`a` is a slice and `s` a string with a pointer alone, `e` an interface with nothing."""
    out = b"\1a.go\0" + bytes([dw.LANG_GO]) + struct.pack("<QI", 0x1000, 16)
    number = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\2int\0\5\x08"
    pointer = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\6" + number
    for name, kind, member in (
        (b"[]int", SLICE, b"array"), (b"string", STRING, b"str"), (b"runtime.eface", 25, b""),
    ):  # fmt: skip
        type_at = struct.pack("<I", HEADER_BYTES + len(out))
        out += b"\3" + name + b"\0\x10" + bytes([kind])
        out += (b"\4" + member + b"\0" + pointer + b"\0" if member else b"") + b"\0"
        out += b"\5" + {SLICE: b"a", STRING: b"s"}.get(kind, b"e") + b"\0" + type_at + AT
    path = tmp_path / "a.so"
    path.write_bytes(elf({
        ".debug_info": unit(out + b"\0"), ".debug_abbrev": abbreviations(*SHAPES),
        ".text": Content(bytes(32), flags=6, address=0x1000),
        ".data": Content(bytes(64), flags=3, address=0x2000),
    }, machine=X86_64))  # fmt: skip
    return path


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("len(a)", "the type []int has no member len"),
        ("cap(a)", "the type []int has no member cap"),
        ("sizeof(len(a))", "the type []int has no member len"),
        ("a[0]", "the type []int has too few members"),
        ("len(s)", "the type string has no member len"),
        ("s[0]", "the type string has too few members"),
        ('s == "a"', "the type string has too few members"),
        ("e == nil", "the type runtime.eface has too few members"),
    ],
)
def test_what_a_type_lacks_is_named(program: Path, expression: str, error: str) -> None:
    done = run("eval", "--file", program, "--pc", "0x1000", expression)
    assert (done.status, done.out) == (1, "")
    assert error in done.err
