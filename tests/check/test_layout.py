"""Sizes and offsets of numbers that contradict one another: `check` finds what `eval` refuses."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.check.made import BASE_TYPE, COMPILE_UNIT, DATA1, STRING, findings, info_file, verdict_on
from tests.dwarf.builder import Shape

UNIT = Shape(COMPILE_UNIT, (), True)
NAME = (dw.AT_NAME, STRING)
SIZES = {
    "byte_size": dw.AT_BYTE_SIZE,
    "bit_size": dw.AT_BIT_SIZE,
    "data_bit_offset": dw.AT_DATA_BIT_OFFSET,
    "encoding": dw.AT_ENCODING,
}


def messages(shape: Shape, data: bytes) -> list[str]:
    file = info_file((UNIT, shape), b"\1\2b\0" + data + b"\0")
    return [found.message for found in findings(verdict_on(file)) if found.rule == "wrong-layout"]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"byte_size": 4, "encoding": 5}, None),
        ({"byte_size": 4, "bit_size": 32, "encoding": 5}, None),
        ({"byte_size": 4, "bit_size": 17, "data_bit_offset": 15, "encoding": 5}, None),
        ({"bit_size": 17, "encoding": 5}, None),
        (
            {"byte_size": 4, "bit_size": 33, "encoding": 5},
            "DW_AT_bit_size 33 is more than DW_AT_byte_size 4 has",
        ),
        (
            {"byte_size": 4, "bit_size": 17, "data_bit_offset": 16, "encoding": 5},
            "17 bits at bit 16 are not in a storage of 32 bits",
        ),
        ({"byte_size": 4}, "base type b at 0xd has no encoding"),
    ],
)
def test_base_types(sizes: dict[str, int], message: str | None) -> None:
    shape = Shape(BASE_TYPE, (NAME, *((SIZES[name], DATA1) for name in sizes)))
    assert messages(shape, bytes(sizes.values())) == ([] if message is None else [message])


def test_a_member_has_one_location() -> None:
    location, offset = (dw.AT_DATA_MEMBER_LOCATION, DATA1), (dw.AT_DATA_BIT_OFFSET, DATA1)
    both = "both DW_AT_data_member_location and DW_AT_data_bit_offset say where it is"
    assert messages(Shape(dw.TAG_MEMBER, (NAME, location, offset)), b"\0\0") == [both]
    for attribute in location, offset:
        assert messages(Shape(dw.TAG_MEMBER, (NAME, attribute)), b"\0") == []
