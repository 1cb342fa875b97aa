"""Base types whose values have fewer bits than their storage (DWARF 5 5.1): DW_AT_byte_size 4 and
DW_AT_bit_size 17.

The numbers and sizes are those of GDB 13 for an array of three of them with the same bytes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import Shape, state_in

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
