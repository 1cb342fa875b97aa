"""Arrays in one another, each of a type of its own: what is in them is determined once."""

from __future__ import annotations

import pytest

from dwarfgpu.arch import x86_64
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import (
    empty_array,
    innermost_element,
    lost_length,
    nested_arrays,
    size_bits,
)
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Array, Base, Member, Struct, Type, Typedef
from dwarfgpu.errors import IllFormed, LimitExceeded
from dwarfgpu.language.alignment import alignment_bytes
from dwarfgpu.session.bit_field import has_turned_parts
from tests.work import calls_of

INT = Base(BaseType("int", "signed", 32, "little"))
LENGTHS = pytest.mark.parametrize("length", [1, 31, 32, 33, 40, 990])


def arrays(length: int, element: Type | None = INT, count: int | None = 1) -> Array:
    """Return an array of typedefs of arrays …"""
    kind = Array(element, (count,))
    for number in range(length - 1):
        kind = Array(Typedef(f"t{number}", kind), (1,))
    return kind


@LENGTHS
def test_any_number_of_arrays(length: int) -> None:
    kind = arrays(length, count=3)
    assert size_bits(kind) == 96
    assert size_bits(Array(kind, (2,))) == 192
    assert not is_dynamic(kind)
    assert innermost_element(kind) is INT
    assert nested_arrays(kind) == length
    assert lost_length(kind) is None and empty_array(kind) is None
    assert alignment_bytes(kind, x86_64.ABI) == 4
    assert has_turned_parts(kind, "big") and not has_turned_parts(kind, "little")


@LENGTHS
def test_what_is_unknown_inside(length: int) -> None:
    assert size_bits(arrays(length, count=None)) is None
    assert size_bits(arrays(length, None)) is None
    lost = evolve(arrays(1, count=None), lost_length="it is optimized out")
    assert lost_length(arrays(length, lost)) == "it is optimized out"
    empty = arrays(1, count=0)
    assert empty_array(arrays(length, empty)) is empty
    assert size_bits(arrays(length, empty)) == 0
    too_large = evolve(arrays(1, count=2), declared_bits=32)
    for kind in (too_large, arrays(length, too_large), Array(arrays(length), (1 << 68,))):
        for _ in range(2):
            with pytest.raises(IllFormed, match="array|size"):
                size_bits(kind)
        assert not is_dynamic(kind)


def test_too_many_arrays() -> None:
    assert size_bits(arrays(MAX_CHAIN)) == 32
    for ask in (size_bits, is_dynamic, lost_length, nested_arrays):
        with pytest.raises(LimitExceeded, match="more than 1000 arrays are in one another"):
            ask(arrays(MAX_CHAIN + 1))


def test_an_array_of_itself() -> None:
    def itself() -> Array:
        return kind

    kind = Array(itself, (1,))
    for ask in (size_bits, is_dynamic, lost_length, nested_arrays):
        with pytest.raises(LimitExceeded, match="arrays are in one another"):
            ask(kind)


def test_each_is_read_once() -> None:
    kind = arrays(990)

    def ask() -> None:
        for array in (kind, Array(kind, (2,))):
            assert not is_dynamic(array) and lost_length(array) is None and size_bits(array)

    ask()
    assert calls_of(ask) < 200


@LENGTHS
def test_arrays_with_strides(length: int) -> None:
    kind = Array(INT, (1,), (64,))
    for _ in range(length):
        kind = Array(kind, (1,), (64,))
    assert calls_of(lambda: size_bits(kind)) < 150 * (length + 1)
    assert size_bits(kind) == 64


def test_a_size_beyond_every_address_space_is_no_product() -> None:
    """The product of 999 counts has 8 KB, for each array around them."""
    kind = Array(Typedef("t", arrays(100, count=(1 << 63) - 1)), (1 << 40,))
    for _ in range(100):
        kind = Array(Typedef("t", kind), (1 << 40,))
    with pytest.raises(IllFormed, match="the size of a type in bits is"):
        size_bits(kind)
    assert kind.contents is not None and isinstance(kind.contents.get().size_bits, IllFormed)


def test_the_alignment_of_many_members_is_read_once() -> None:
    shared = arrays(900)

    def ask(count: int) -> int:
        members = tuple(
            Member(f"m{n}", Array(Typedef("t", shared), (1,)), 32 * n) for n in range(count)
        )
        kind = Struct("struct", "s", 4 * count, members)
        return calls_of(lambda: alignment_bytes(kind, x86_64.ABI))

    ask(1)
    assert ask(101) - ask(1) < 100 * 100
