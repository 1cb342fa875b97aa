"""Numbers whose bits are not what their size alone says: made by hand, with the source's values."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Shape, file_of

AARCH64 = 183
AT = 0x2000
"""Where the object is."""


def program(
    path: Path, data: bytes, types: bytes, *shapes: Shape, machine: int = X86_64, version: int = 5
) -> Path:
    """A program whose variable `v`, of the type that is the first of `types`, holds `data`."""
    exprloc = dw.FORM_EXPRLOC if version >= 4 else dw.FORM_BLOCK1
    attributes = (
        (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF1), (dw.AT_LOCATION, exprloc),
        (dw.AT_EXTERNAL, dw.FORM_DATA1),
    )  # fmt: skip
    own = [Shape(dw.TAG_COMPILE_UNIT, (), True), Shape(dw.TAG_VARIABLE, attributes)]
    variable = b"\2v\0" + bytes((first_type(version), 9, 3)) + AT.to_bytes(8, "little") + b"\1"
    entries = b"\1" + variable + types + b"\0"
    path.write_bytes(loaded(file_of(entries, [*own, *shapes], None, version, machine), data))
    return path


def loaded(file: bytes, data: bytes) -> bytes:
    """The file with a segment that holds the data."""
    out = bytearray(file + data)
    struct.pack_into("<Q", out, 32, len(out))
    struct.pack_into("<HH", out, 54, 56, 1)
    size = len(data)
    return bytes(out) + struct.pack("<IIQQQQQQ", 1, 6, len(file), AT, AT, size, size, 1)


def first_type(version: int = 5) -> int:
    """The offset of the first type in the unit: after the header, the unit and the variable."""
    return (12 if version >= 5 else 11) + 1 + 15


def answers(path: Path, *expressions: str) -> list[str]:
    return run("eval", "--file", path, *expressions).lines


X87 = bytes.fromhex("000000000000 00c0ff3f 000000000000")
BINARY128 = (0x3FFF8 << 108).to_bytes(16, "little")


@pytest.mark.parametrize(
    ("name", "part", "machine"),
    [
        ("complex long double", X87, X86_64),
        ("_Complex long double", X87, X86_64),
        ("complex _Float128", BINARY128, X86_64),
        ("complex long double", BINARY128, AARCH64),
    ],
)
def test_the_parts_of_a_complex_number_have_the_format_of_their_name(
    tmp_path: Path, name: str, part: bytes, machine: int
) -> None:
    shape = Shape(
        dw.TAG_BASE_TYPE,
        ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_ENCODING, dw.FORM_DATA1),
         (dw.AT_BYTE_SIZE, dw.FORM_DATA1)),
    )  # fmt: skip
    types = b"\3" + name.encode() + b"\0" + bytes((3, 32))
    path = program(tmp_path / "z", part + bytes(16), types, shape, machine=machine)
    assert answers(path, "v") == ["v = 1.5 + 0i"]
