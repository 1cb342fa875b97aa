"""Comparisons of many elements at once, which are those of their elements one by one."""

from __future__ import annotations

import struct
from itertools import product

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import BINARY32, BINARY64, X87_EXTENDED
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Struct, Type
from dwarfgpu.errors import LimitExceeded, UndefinedBits
from dwarfgpu.language import TypedValue, contents
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.contents import Comparison
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.plain_contents import compared_at_once
from dwarfgpu.model.object import Bits
from tests.language.sessions import demo

_FLOAT = Base(BaseType("float", "float", 32, float_format=BINARY32))
_DOUBLE = Base(BaseType("double", "float", 64, float_format=BINARY64))
_BIG = Base(BaseType("big", "float", 32, "big", float_format=BINARY32))
_X87 = Base(BaseType("long double", "float", 128, float_format=X87_EXTENDED))
_BYTE = Base(BaseType("byte", "unsigned", 8))
_COLOR = Enum("color", 1)
_PADDED = Struct(
    "struct",
    "padded",
    12,
    (
        Member("byte", _BYTE, bit_offset=0),
        Member("real", _FLOAT, bit_offset=32),
        Member("color", _COLOR, bit_offset=64),
    ),
)
_FIELDS = Struct("struct", "fields", 1, (Member("low", _BYTE, 0, 4), Member("high", _BYTE, 4, 4)))
_UNION = Struct("union", "union", 4, (Member("real", _FLOAT, bit_offset=0),))
_NUMBERS = (0.0, -0.0, 1.0, float("nan"), float("inf"))


def _array(kind: Type, data: bytes, undefined: int = 0) -> TypedValue:
    size = (kind.base.bit_size if isinstance(kind, Base) else 8 * (kind.size_bytes or 0)) // 8
    bits = Bits(int.from_bytes(data, "little"), 8 * len(data), undefined=undefined)
    return TypedValue(Array(kind, (len(data) // size,)), bits=bits)


def _arithmetic() -> Arithmetic:
    session = demo()
    return Arithmetic(ObjectAccess(session), Numbers(Names(session).builtins))


def _at_once(left: TypedValue, right: TypedValue) -> bool | None:
    assert left.size_bits is not None
    return compared_at_once(ObjectAccess(demo()), left, right, left.size_bits)


@pytest.mark.parametrize(
    ("kind", "form"), [(_FLOAT, "2f"), (_DOUBLE, "2d"), (_PADDED, "4xf4x4xf4x")]
)
def test_numbers(kind: Type, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.0 is equal to -0.0, and a NaN to nothing, in an array that is compared with itself, too."""
    arrays = [_array(kind, struct.pack(f"<{form}", *pair)) for pair in product(_NUMBERS, repeat=2)]
    pairs = list(product(arrays, repeat=2))
    own = [_at_once(*pair) for pair in pairs]
    assert set(own) == {True, False}
    monkeypatch.setattr(contents, "compared_at_once", lambda *_: None)
    arithmetic = _arithmetic()
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 1 << 20)
    assert [Comparison(arithmetic, pads=False).holds("==", *pair) for pair in pairs] == own


@pytest.mark.parametrize("changed", range(12))
def test_padding_does_not_count(changed: int) -> None:
    data = bytearray(24)
    first = _array(_PADDED, bytes(data))
    data[12 + changed] = 1
    is_component = changed in {0, *range(4, 9)}
    assert _at_once(first, _array(_PADDED, bytes(data))) is not is_component


@pytest.mark.parametrize("kind", [_BIG, _X87, _FIELDS, _UNION])
def test_other_elements_are_compared_one_by_one(kind: Type) -> None:
    assert _at_once(_array(kind, bytes(32)), _array(kind, bytes(32))) is None


def test_unknown_bits_are_an_error_where_they_are_compared() -> None:
    """As before: elements behind two that differ are not read."""
    ones, zeros = struct.pack("<2f", 1, 0), bytes(8)
    unknown = _array(_FLOAT, zeros, undefined=1 << 32)
    assert _at_once(unknown, unknown) is None
    comparison = Comparison(_arithmetic(), pads=False)
    assert not comparison.holds("==", unknown, _array(_FLOAT, ones))
    with pytest.raises(UndefinedBits):
        comparison.holds("==", unknown, _array(_FLOAT, zeros))


def test_many_elements_are_few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """They count together, so that many comparisons end, too."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 100)
    array, comparison = _array(_DOUBLE, bytes(8 * 3200)), Comparison(_arithmetic(), pads=False)
    assert comparison.holds("==", array, array) and comparison.holds("==", array, array)
    with pytest.raises(LimitExceeded, match="more than 100 elements and components"):
        comparison.holds("==", array, array)
