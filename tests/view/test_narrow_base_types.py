"""Base types whose values have fewer bits than their storage (DWARF 5 5.1): DW_AT_byte_size 4 and
DW_AT_bit_size 17.

The numbers and sizes are those of GDB 13 for an array of three of them with the same bytes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.types import Base
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.model.value import Value
from tests.cli.command import run
from tests.dwarf.builder import Content, Shape, file_of, state_in

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (), True),
    Shape(
        dw.TAG_BASE_TYPE,
        (
            NAME,
            (dw.AT_BYTE_SIZE, dw.FORM_DATA1),
            (dw.AT_BIT_SIZE, dw.FORM_DATA1),
            (dw.AT_ENCODING, dw.FORM_DATA1),
        ),
    ),
    Shape(dw.TAG_ARRAY_TYPE, (TYPE,), True),
    Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]


CONTENTS = bytes.fromhex("00010203 01020107 ffffff0b")


def entries(encoding: int) -> bytes:
    base, array = (at.to_bytes(4, "little") for at in (13, 19))
    return (
        b"\1"
        + b"\2b\0\4\x11" + bytes((encoding,))
        + b"\3" + base + b"\4\3\0"
        + b"\5x\0" + array + b"\x0e\x9e\x0c" + CONTENTS
        + b"\0"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("encoding", "numbers"), [(7, [256, 66049, 131071]), (5, [256, -65023, -1])]
)
def test_elements_are_as_far_apart_as_their_storage(
    tmp_path: Path, encoding: int, numbers: list[int]
) -> None:
    state = state_in(tmp_path, entries(encoding), SHAPES)
    commands = ("print sizeof(x)", "print x", "print x[1]", "print sizeof(x[1])", "print x[1] + 1")
    typed = [part for command in commands for part in ("-ex", command)]
    first, second, third = numbers
    assert run("debug", "-q", "--batch", "--state", state, *typed).lines[-5:] == [
        "$1 = 12",
        f"$2 = {{{first}, {second}, {third}}}",
        f"$3 = {second}",
        "$4 = 4",
        f"$5 = {second + 1}",
    ]
    answer = json.loads(run("eval", "--json", "--state", state, "x").out)
    assert answer["data"]["elements"] == numbers and answer["bytes"] == CONTENTS.hex()


def within(encoding: int, endian: Endian) -> bytes:
    """The same with DW_AT_data_bit_offset 5."""
    base, array = (at.to_bytes(4, endian) for at in (13, 20))
    return (
        b"\1"
        + b"\2b\0\4\x11\5" + bytes((encoding,))
        + b"\3" + base + b"\4\3\0"
        + b"\5x\0" + array + b"\x0e\x9e\x0c" + CONTENTS
        + b"\0"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("encoding", "endian", "machine", "numbers"),
    [
        (5, "little", 62, [4104, 2064, -1]),
        (7, "little", 62, [4104, 2064, 131071]),
        (5, "big", 183, [64, 16512, -1]),
        (7, "big", 183, [64, 16512, 131071]),
    ],
)
def test_values_inside_their_storage(
    tmp_path: Path, encoding: int, endian: Endian, machine: int, numbers: list[int]
) -> None:
    """DW_AT_data_bit_offset of a base type: the numbers of GDB 13 for the same files."""
    name, size, bits, code = SHAPES[1].attributes
    offset = (dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1)
    shape = Shape(dw.TAG_BASE_TYPE, (name, size, bits, offset, code))
    shapes = [SHAPES[0], shape, *SHAPES[2:]]
    path = tmp_path / "made"
    code_section = {".text": Content(bytes(16), flags=6, address=0x1000)}
    entries_of_file = within(encoding, endian)
    data = file_of(entries_of_file, shapes, code_section, machine=machine, endian=endian)
    path.write_bytes(data)
    typed = [part for command in ("print x", "print x[1] + 1") for part in ("-ex", command)]
    first, second, third = numbers
    assert run("debug", "-q", "--batch", str(path), *typed).lines[-2:] == [
        f"$1 = {{{first}, {second}, {third}}}",
        f"$2 = {second + 1}",
    ]


@pytest.mark.parametrize("endian", ["little", "big"])
def test_a_value_is_stored_where_it_begins(endian: Endian) -> None:
    kind = Base(BaseType("b", "unsigned", 17, endian), storage_bits=32, first_bit=5)
    numbers = Numbers(Builtins(architecture("x86_64" if endian == "little" else "aarch64_be")))
    bits = numbers.bits(Number(Value.of(0x1F00F, kind.base), kind))
    assert numbers.of(kind, bits).value.bits == 0x1F00F
