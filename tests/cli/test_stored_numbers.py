"""Numbers whose bits are not what their size alone says: made by hand, with the source's values."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run, run_json
from tests.dwarf.builder import X86_64, Content, Shape, file_of

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
        (dw.AT_EXTERNAL, dw.FORM_FLAG),
    )  # fmt: skip
    own = [Shape(dw.TAG_COMPILE_UNIT, (), True), Shape(dw.TAG_VARIABLE, attributes)]
    variable = b"\2v\0" + bytes((first_type(version), 9, 3)) + AT.to_bytes(8, "little") + b"\1"
    entries = b"\1" + variable + types + b"\0"
    content = {".data": Content(data, flags=3, address=AT)}
    path.write_bytes(loaded(file_of(entries, [*own, *shapes], content, version, machine), data))
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
        ("complex", X87, X86_64),  # clang's name of every complex type
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


# struct { int i:5; int j:11; unsigned k:17; unsigned short w:16; } of big-endian storage order
# holds -3, 555, 70000 and 0x1234.
FIELDS = (
    ("i", "int", 5, 0), ("j", "int", 11, 5), ("k", "unsigned", 17, 32), ("w", "short", 16, 64)
)  # fmt: skip
STORED = bytes.fromhex("ea2b0000 88b80000 12340000")
BASES = {"int": (5, 4), "unsigned": (7, 4), "short": (7, 2)}


def big_endian_fields(path: Path, version: int) -> Path:
    """Their place as DW_AT_data_bit_offset, or as GCC writes DW_AT_bit_offset for version 2."""
    sizes = ((dw.AT_BIT_SIZE, dw.FORM_DATA1),)
    if version >= 5:
        sizes += ((dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1),)
    else:
        sizes += ((dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_BIT_OFFSET, dw.FORM_DATA1),
                  (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))  # fmt: skip
    shapes = [
        Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_BYTE_SIZE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_MEMBER, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF1), *sizes)),
        Shape(dw.TAG_BASE_TYPE, (
            (dw.AT_NAME, dw.FORM_STRING), (dw.AT_ENCODING, dw.FORM_DATA1),
            (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENDIANITY, dw.FORM_DATA1))),
    ]  # fmt: skip
    member_bytes = 1 + 2 + 1 + (2 if version >= 5 else 4)
    at, kinds, where = first_type(version) + 2 + 4 * member_bytes + 1, b"", {}
    for name, (encoding, size) in BASES.items():
        where[name] = at + len(kinds)
        kinds += b"\5" + name.encode() + b"\0" + bytes((encoding, size, 1))
    members = b""
    for name, kind, size, offset in FIELDS:
        members += b"\4" + name.encode() + bytes((0, where[kind], size))
        storage = BASES[kind][1]
        unit, first = divmod(offset, 8 * storage)
        dwarf_2 = bytes((storage, (8 * storage - first - size), unit * storage))
        members += bytes((offset,)) if version >= 5 else dwarf_2
    return program(path, STORED, b"\3\x0c" + members + b"\0" + kinds, *shapes, version=version)


@pytest.mark.parametrize("version", [2, 4, 5])
def test_bit_fields_of_a_big_endian_type_count_from_the_top(tmp_path: Path, version: int) -> None:
    path = big_endian_fields(tmp_path / "f", version)
    assert answers(path, "v", "v.i", "v.j", "v.k", "v.w", "v.j + 1", "*&v") == [
        "v = {i = -3, j = 555, k = 70000, w = 4660}",
        "v.i = -3",
        "v.j = 555",
        "v.k = 70000",
        "v.w = 4660",
        "v.j + 1 = 556",
        "*&v = {i = -3, j = 555, k = 70000, w = 4660}",
    ]
    done = run_json("eval", "--file", path, "v", "v.i", "v.j", "v.k", "v.w")
    whole, *parts = done.json["variables"]
    numbers = [-3, 555, 70000, 0x1234]
    assert [part["data"] for part in parts] == numbers
    assert [member["value"] for member in whole["data"]["members"]] == numbers


def test_writing_a_bit_field_of_a_big_endian_type_leaves_its_neighbours(tmp_path: Path) -> None:
    path = big_endian_fields(tmp_path / "f", 5)
    commands = ("set var v.j = -300", "p v", "p v.k = 99999", "p v", "p v.i += 1", "p v.w = 258")
    options = [
        part for command in (*commands, "p v", "p v.k == 99999") for part in ("-ex", command)
    ]
    memory = f"default#{AT:#x}={STORED.hex()}"
    lines = run("debug", "--file", path, "--mem", memory, "--batch", *options).lines
    assert lines == [
        "$1 = {i = -3, j = -300, k = 70000, w = 4660}",
        "$2 = 99999",
        "$3 = {i = -3, j = -300, k = 99999, w = 4660}",
        "$4 = -2",
        "$5 = 258",
        "$6 = {i = -2, j = -300, k = 99999, w = 258}",
        "$7 = 1",
    ]


@pytest.mark.skipif(shutil.which("gdb") is None, reason="there is no gdb")
@pytest.mark.parametrize("version", [2, 5])
def test_gdb_reads_the_same_bit_fields(tmp_path: Path, version: int) -> None:
    path = big_endian_fields(tmp_path / "f", version)
    command = ["gdb", "-nx", "-q", "-batch", "-ex", "print v", str(path)]
    out = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert out.replace("$1", "v").splitlines()[-1:] == answers(path, "v")
