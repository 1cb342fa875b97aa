"""Alignments: the numbers are what gcc and clang compute for such types."""

from __future__ import annotations

import pytest

from dwarfgpu.arch import i386, x86_64
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Array, Base, Member, Qualified, Struct, Type
from dwarfgpu.errors import UsageError
from dwarfgpu.language.alignment import alignment_bytes
from tests.work import calls_of


def _base(name: str, encoding: str, bits: int) -> Base:
    return Base(BaseType(name, encoding, bits, "little"))


def _struct(size: int, *members: tuple[int, Type]) -> Struct:
    parts = tuple(Member(f"m{offset}", kind, 8 * offset) for offset, kind in members)
    return Struct("struct", "S", size, parts)


CHAR, INT, LONG_LONG = (
    _base("char", "signed_char", 8), _base("int", "signed", 32), _base("long long", "signed", 64),
)  # fmt: skip
FLOAT, DOUBLE = _base("float", "float", 32), _base("double", "float", 64)
VECTOR = Array(FLOAT, (4,), is_vector=True)
PACKED = _struct(13, (0, CHAR), (1, INT), (5, DOUBLE))


@pytest.mark.parametrize(
    ("kind", "on_i386", "on_x86_64"),
    [
        (INT, 4, 4),
        (DOUBLE, 4, 8),
        (LONG_LONG, 4, 8),
        (_base("complex double", "complex_float", 128), 4, 8),
        (_base("_Decimal64", "decimal_float", 64), 8, 8),
        (_base("_Float128", "float", 128), 16, 16),
        (Qualified("atomic", LONG_LONG), 8, 8),
        (Qualified("atomic", _struct(4, (0, CHAR), (2, CHAR))), 4, 4),
        (Array(DOUBLE, (2,)), 4, 8),
        (_struct(16, (0, CHAR), (8, DOUBLE)), 4, 8),
    ],
)
def test_numbers_are_aligned_as_the_machine_has_them(
    kind: Type, on_i386: int, on_x86_64: int
) -> None:
    """System V ABI, Intel386 supplement, table 2.1: `double` has an alignment of 4."""
    assert alignment_bytes(kind, i386.ABI) == on_i386
    assert alignment_bytes(kind, x86_64.ABI) == on_x86_64


def test_a_long_double_of_i386_has_three_words() -> None:
    assert alignment_bytes(_base("long double", "float", 96), i386.ABI) == 4


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (PACKED, 1),
        (Array(PACKED, (2,)), 1),
        (_struct(16, (0, PACKED), (14, _base("short", "signed", 16))), 2),
    ],
)
def test_a_structure_of_an_odd_size_is_not_aligned(kind: Type, expected: int) -> None:
    """An object of an array is as aligned as the one before."""
    assert alignment_bytes(kind, x86_64.ABI) == expected


@pytest.mark.parametrize(
    "kind",
    [
        VECTOR,
        _struct(16, (0, VECTOR)),
        _struct(6, (0, INT), (4, CHAR)),
        _struct(16, (0, INT), (4, DOUBLE)),
    ],
)
def test_what_the_file_contradicts_is_unknown(kind: Type) -> None:
    """A vector, and structures packed by `#pragma pack(2)`, which has no attribute."""
    with pytest.raises(UsageError, match="^could not determine alignment of type$"):
        alignment_bytes(kind, x86_64.ABI)


def test_a_structure_of_many_members_is_judged_once() -> None:
    kind: Type = CHAR
    for level in range(40):
        kind = _struct(2 << level, (0, kind), (1 << level, kind))
    assert calls_of(lambda: alignment_bytes(kind, x86_64.ABI)) < 40 * 100


def test_deep_structures_take_three_calls_of_python_for_each() -> None:
    """An `std::tuple` is as deep as it has elements."""
    kind: Type = CHAR
    for _ in range(240):
        kind = _struct(1, (0, kind))
    assert alignment_bytes(_struct(2, (0, kind), (1, kind)), x86_64.ABI) == 1
