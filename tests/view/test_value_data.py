"""Values as plain data: what `--json` says part by part."""

from __future__ import annotations

import json

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    Unspecified,
)
from dwarfgpu.model.object import Bits
from dwarfgpu.view.json_object import Plain
from dwarfgpu.view.value_data import MAX_ELEMENTS, MAX_PARTS, value_data
from tests.language.sessions import stopped

INT = Base(BaseType("int", "signed", 32))
CHAR = Base(BaseType("char", "signed_char", 8))
FLOAT = Base(BaseType("float", "float", 32, float_format=float_format("float", 32)))
PAIR = Struct("struct", "pair", 8, (Member("a", INT, 0), Member("b", INT, 32)))
FIELDS = Struct("struct", "f", 4, (Member("low", INT, 0, 3), Member("high", INT, 3, 5)))


def unknown(why: str) -> Plain:
    return {"unknown": why}


@pytest.mark.parametrize(
    ("bits", "kind", "data"),
    [
        (Bits(5, 32), INT, 5),
        (Bits(0xFFFF_FFFF, 32), INT, -1),
        (Bits(1, 128), Base(BaseType("u128", "unsigned", 128)), 1),
        (Bits(1 << 100, 128), Base(BaseType("u128", "unsigned", 128)), f"{1 << 100:#x}"),
        (Bits(1, 8), Base(BaseType("bool", "boolean", 8)), True),
        (Bits(7, 8), Base(BaseType("bool", "boolean", 8)), 7),
        (Bits(0x3FC0_0000, 32), FLOAT, 1.5),
        (Bits(0x7FC0_0000, 32), FLOAT, "nan"),
        (Bits(0xFF80_0000, 32), FLOAT, "-inf"),
        (Bits(0x3FC0_0000_3F80_0000, 64), Base(BaseType("_Complex float", "complex_float", 64)),
         {"real": 1.0, "imaginary": 1.5}),
        (Bits(0x0100, 16), Base(BaseType("be", "signed", 16, "big")), 1),
        (Bits(2, 32), Enum("e", 4, (("A", 1), ("B", 2))), {"enumerator": "B", "value": 2}),
        (Bits(9, 32), Enum("e", 4, (("A", 1),)), {"enumerator": None, "value": 9}),
        (Bits(16, 64), Pointer(INT), {"address": 16}),
        (Bits(16, 32), Pointer(INT, size_bytes=4, address_space=5),
         {"address": 16, "address_space": "private_lane"}),
        (Bits(4, 64), MemberPointer(INT), 4),
        (Bits(4, 64), Unspecified("nullptr_t", 8), 4),
        (Bits(0, 0), Unspecified("()", 0), {"members": []}),
        (Bits(0, 0), None, unknown("no contents")),
        (Bits(0, 0), Function(), unknown("no contents")),
        (Bits(0, 0), Absent(INT, "not allocated"), unknown("not allocated")),
        (Bits(0, 0), Struct("struct", "s", None), unknown("incomplete type")),
        (Bits(0x2_0000_0001, 64), PAIR, {"members": [
            {"name": "a", "base_class": False, "value": 1},
            {"name": "b", "base_class": False, "value": 2}]}),
        (Bits(0b11111_101, 32), FIELDS, {"members": [
            {"name": "low", "base_class": False, "value": -3},
            {"name": "high", "base_class": False, "value": -1}]}),
        (Bits(1, 64, undefined=0xFFFF_FFFF << 32), PAIR, {"members": [
            {"name": "a", "base_class": False, "value": 1},
            {"name": "b", "base_class": False, "value": unknown("optimized out")}]}),
        (Bits(1, 64, unavailable=0xFF), Array(INT, (2,)),
         {"elements": [unknown("unavailable"), 0]}),
        (Bits(0x1_0000_0001, 64), Array(INT, (2,), lower_bounds=(-1,)),
         {"elements": [1, 1], "lower_bound": -1}),
        (Bits(0x2_0000_0001, 64), Array(INT, (2,), (-32,)), {"elements": [2, 1]}),
        (Bits(0x2_0000_0009_0000_0001, 96), Array(INT, (2,), (64,), is_section=True),
         {"elements": [1, 2]}),
        (Bits(0x00FF_6261, 32), Array(CHAR, (4,)), {"characters": "ab\xff\0"}),
        (Bits(0x6261, 16), Array(CHAR, (2,), is_vector=True), {"elements": [97, 98]}),
        (Bits(0, 32 * 1000), Array(INT, (1000,)),
         {"elements": [0] * MAX_ELEMENTS, "omitted": 1000 - MAX_ELEMENTS}),
        (Bits(7, 32), Array(INT, (1 << 60,)), {"elements": [7], "omitted": (1 << 60) - 1}),
        (Bits(0, 0), Array(INT, (None,)), unknown("array of unknown length")),
    ],
)  # fmt: skip
def test_data(bits: Bits, kind: Type | None, data: Plain) -> None:
    architecture = stopped("shapes.gfx942").architecture
    result = value_data(bits, kind, architecture=architecture)
    assert result == data and type(result) is type(data)
    json.dumps(result, allow_nan=False)


def test_the_parts_of_an_answer_are_bounded() -> None:
    kind: Type = INT
    for _ in range(6):
        kind = Array(kind, (100,))
    text = json.dumps(value_data(Bits(0, 8 << 20), kind))
    assert text.count("0,") < 2 * MAX_PARTS and '"omitted"' in text
    deep: Type = INT
    for _ in range(200):
        deep = Struct("struct", "s", 4, (Member("m", deep, 0),))
    assert "omitted" in json.dumps(value_data(Bits(0, size_bits(deep) or 0), deep))


@pytest.mark.parametrize(
    ("state", "lane", "name", "part", "data"),
    [
        ("shapes.gfx942", 3, "arrayvar", ("elements", 1, "members", 1, "value"),
         unknown("not associated")),
        ("shapes.gfx942", 3, "arrayvar", ("elements", 0, "members", 1, "value"),
         {"elements": [0.5, 1.0, 1.5], "lower_bound": 1}),
        ("records.gfx942", 3, "OBJ2B", ("members", 1, "value"),
         {"elements": [1, 2, 3, 4], "lower_bound": 1}),
        ("shapes.gfx942", 3, "text", (), {"characters": "hello world", "lower_bound": 1}),
        ("records.gfx942", 3, "pair", ("members", 1, "value"), 203),
        ("shapes.gfx942", 3, "absurd", ("omitted",), (1 << 60) - MAX_ELEMENTS),
        ("bases.gcc.O0", None, "bottom",
         ("members", 0, "value", "members", 0, "value", "members", 1),
         {"name": "t", "base_class": False, "value": 1}),
    ],
)  # fmt: skip
def test_parts_that_must_be_computed(
    state: str, lane: int | None, name: str, part: tuple[str | int, ...], data: Plain
) -> None:
    session = stopped(state, lane)
    reading = session.read(session.variable(name))
    assert reading.bits is not None
    result = value_data(
        reading.bits, reading.type, location=reading.location, resolver=session.resolver()
    )
    for step in part:
        result = result[step]  # type: ignore[index,call-overload]
    assert result == data


def test_decimal_numbers() -> None:
    """Their bits are no binary number; where the encoding is known, the digits are text."""
    kind = Base(BaseType("_Decimal64", "decimal_float", 64))
    bits = Bits(0x316000000001E23A, 64)
    assert value_data(bits, kind) == {"hex": "0x316000000001e23a"}
    x86 = architecture("x86_64")
    assert value_data(bits, kind, architecture=x86) == {"decimal": "123.450"}
