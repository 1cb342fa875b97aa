"""Arrays and strings of Fortran: every text is what GDB 13 prints of a variable of gfortran."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import BINARY32
from dwarfgpu.dwarf.types.types import Array, Base, Member, Struct, Type
from dwarfgpu.model.object import Bits
from dwarfgpu.view.values import FormatOptions, format_value

INT = Base(BaseType("integer(kind=4)", "signed", 32))
REAL = Base(BaseType("real(kind=4)", "float", 32, float_format=BINARY32))
COMPLEX = Base(BaseType("complex(kind=4)", "complex_float", 64))
CHARACTER = Base(BaseType("character(kind=1)", "unsigned_char", 8))
WIDE = Base(BaseType("character(kind=4)", "unsigned", 32))
POINT = Struct("struct", "p", 12, (Member("x", INT, 0), Member("v", Array(REAL, (2,)), 32)))
POINTS = struct.pack("<iff", 3, 1, 2) * 3
ONES = struct.pack("<12i", *[1] * 12)
FIVES = struct.pack("<12i", *[5] * 12)
ROWS = struct.pack("<24i", *[1, 2] * 12)
SIX = struct.pack("<6i", 1, 2, 3, 4, 5, 6)


def shown(kind: Type, data: bytes, **options: Any) -> str:
    bits = Bits(int.from_bytes(data, "little"), 8 * len(data))
    form = FormatOptions(style="fortran", **options)
    return format_value(bits, kind, form, architecture=architecture("x86_64"))


@pytest.mark.parametrize(
    ("kind", "data", "options", "text"),
    [
        (Array(INT, (12,)), FIVES, {}, "(5, <repeats 12 times>)"),
        (Array(INT, (12,)), FIVES, {"elements": 3}, "(5, 5, 5, ...)"),
        (Array(INT, (12,)), FIVES, {"elements": 3, "repeats": 2}, "(5, <repeats 3 times>, ...)"),
        (Array(INT, (12,)), FIVES, {"elements": 2, "repeats": 2}, "(5, 5, ...)"),
        (
            Array(INT, (12,), lower_bounds=(1,)), FIVES, {"array_indexes": True},
            "((1) = 5, <repeats 12 times>)",
        ),
        (Array(INT, (3, 2)), SIX, {}, "((1, 2) (3, 4) (5, 6))"),
        (Array(INT, (3, 2)), SIX, {"array": True, "pretty": True}, "((1, 2) (3, 4) (5, 6))"),
        (Array(INT, (3, 2)), SIX, {"elements": 1}, "((1, ...) ...)"),
        (Array(INT, (3, 2)), SIX, {"elements": 2}, "((1, 2) ...)"),
        (Array(INT, (3, 2)), SIX, {"elements": 3}, "((1, 2) (3, ...) ...)"),
        (Array(INT, (3, 2)), SIX, {"elements": 5}, "((1, 2) (3, 4) (5, ...))"),
        (Array(INT, (3, 2)), SIX, {"max_depth": 0}, "(...)"),
        (Array(INT, (3, 2)), SIX, {"max_depth": 1}, "((1, 2) (3, 4) (5, 6))"),
        (Array(INT, (12, 2)), ROWS, {}, "((1, 2) <repeats 12 times>)"),
        (Array(INT, (12, 2)), ROWS, {"repeats": 2, "elements": 4}, "((1, 2) (1, 2) ...)"),
        (Array(INT, (3, 2, 2)), ONES, {"elements": 2}, "(((1, 1) ...) ...)"),
        (Array(INT, (3, 2, 2)), ONES, {"elements": 3}, "(((1, 1) (1, ...)) ...)"),
        (
            Array(INT, (3, 2, 2)), ONES, {"repeats": 1},
            "(((1, <repeats 2 times>) <repeats 2 times>) <repeats 3 times>)",
        ),
        (Array(INT, (0,)), b"", {"max_depth": 0}, "(...)"),
        (Array(POINT, (3,)), POINTS, {"repeats": 2}, "(( x = 3, v = (1, 2) ), <repeats 3 times>)"),
        (Array(POINT, (1,)), POINTS[:12], {"max_depth": 1}, "(( x = 3, v = (...) ))"),
        (POINT, POINTS[:12], {"pretty": True}, "( x = 3, v = (1, 2) )"),
        (Array(COMPLEX, (1,)), struct.pack("<2f", 1, 2), {"letter": "c"}, r"((1 '\001',2 '\002'))"),
        (Array(CHARACTER, (5,)), b"hello", {"letter": "x"}, "'hello'"),
        (Array(CHARACTER, (5,)), b"hello", {"letter": "d", "max_depth": 0}, "'hello'"),
        (Array(Array(CHARACTER, (3,)), (2,)), b"abcxyz", {"letter": "c"}, "('abc', 'xyz')"),
        (Array(Array(CHARACTER, (3,)), (2,)), b"abcxyz", {"elements": 1}, "('a'..., ...)"),
        (Array(WIDE, (3,)), "wxy".encode("utf-32-le"), {}, "4_'wxy'"),
        (Array(WIDE, (3,)), "wxy".encode("utf-32-le"), {"letter": "x"}, "4_'wxy'"),
    ],
)  # fmt: skip
def test_as_gdb(kind: Type, data: bytes, options: dict[str, Any], text: str) -> None:
    assert shown(kind, data, **options) == text


def test_indexes_count_on() -> None:
    """GDB 13 repeats the index of an element that equals its neighbour: `(1) = 1, (3) = 1`."""
    kind = Array(INT, (3,), lower_bounds=(-1,))
    data = struct.pack("<3i", 1, 1, 2)
    assert shown(kind, data, array_indexes=True) == "((-1) = 1, (0) = 1, (1) = 2)"
