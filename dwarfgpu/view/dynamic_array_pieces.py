"""Dynamic arrays of D and slices of Rust as their elements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.dynamic_arrays import DynamicArray, dynamic_array
from dwarfgpu.dwarf.types.types import Member, Struct
from dwarfgpu.errors import OutOfRange
from dwarfgpu.model.object import Bits
from dwarfgpu.session.resolve_type import TypedObject
from dwarfgpu.view.object_bits import ObjectBytes
from dwarfgpu.view.object_printer import Shown, Whole, unknown_text
from dwarfgpu.view.strings import character_kind


def dynamic_array_pieces(
    shown: Shown, struct_type: Struct, first_bit: int, depth: int, letter: str | None
) -> Iterator[str] | None:
    """Return the pieces of a dynamic array; None for any other structure, and where its members are
    shown: with `/r`, and where the length or the address is unknown."""
    if letter == "r" or shown.options.raw or shown.resolver is None:
        return None
    array = dynamic_array(struct_type)
    if array is None:
        return None
    count, address = map(partial(_number, shown, first_bit), (array.length, array.pointer))
    if count is None or address is None:
        return None
    if depth >= shown.options.max_depth:
        return iter(("{...}",))
    if not count:
        return iter((_empty(shown, array, address),))
    location = shown.resolver.at(address)
    # As in GDB, it is one level, and its elements are two levels below it.
    options = evolve(shown.options, max_depth=max(shown.options.max_depth, depth + 2))
    inner = evolve(shown, options=options, whole=Whole(location, shown.resolver), address=address,
                   bases=None)  # fmt: skip
    return _pieces(inner, array, count, depth, letter)


def _number(shown: Shown, first_bit: int, member: Member) -> int | None:
    """Return the number in a member; None if a bit of it is unknown."""
    bits = shown.object.bits(first_bit + (member.bit_offset or 0), shown.size(member.type))
    return bits.value if bits.size_bits and bits.is_complete else None


def _empty(shown: Shown, array: DynamicArray, address: int) -> str:
    """Return an array of no elements: as in GDB, of D its address, but no text from behind its
    end."""
    kind = character_kind(array.shown_element, shown.options.style)
    if kind is not None and address:
        return shown.quoted(b"", kind, is_cut=False, has_length=True)
    if array.is_slice:
        return "{}"
    return shown.printed_address(address, symbol=shown.options.symbol)


def _pieces(
    shown: Shown, array: DynamicArray, count: int, depth: int, letter: str | None
) -> Iterator[str]:
    bits, type_ = _contents(shown, array, count), array.shown_with_length(count)
    if bits is None or unknown_text(bits) is not None:
        where = shown.address_text(shown.address or 0, symbol=False)
        yield f"<error: Cannot access memory at address {where}>"
        return
    contents = ObjectBytes.of(bits, shown.object.endian)
    inner = evolve(shown, object=contents, is_cut=bits.size_bits < shown.size(type_))
    yield from inner.value(type_, 0, depth + 1, letter)


def _contents(shown: Shown, array: DynamicArray, count: int) -> Bits | None:
    """Return the elements, or the first that are shown where the last cannot be read, as those of a
    length that was never set; None where the memory ends before them."""
    options, whole = shown.options, shown.required()
    most = max(options.elements, options.most_characters)
    for number in (count, min(count, most)):
        with suppress(OutOfRange):
            placed = TypedObject(array.with_length(number), whole.location)
            bits = whole.resolver.contents(placed)
            if bits.is_complete or number <= most:
                return bits
    return None
