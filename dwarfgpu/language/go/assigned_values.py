"""What becomes a string, a slice or an interface of Go (The Go Programming Language Specification,
"Conversions to and from a string type" and "Assignability")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.go_kinds import SLICE, STRING, go_kind
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Struct, Type, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.dynamic_indexing import with_members
from dwarfgpu.language.go.slices_and_strings import (
    INTERFACES,
    array_of,
    capacity_of,
    is_constant_nil,
)
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.location import single_location_in
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory

_REPLACEMENT: Final = 0xFFFD
_RUNE_BITS: Final = 32


def bytes_of_string(arithmetic: Arithmetic, value: TypedValue) -> bytes | None:
    """Return the text of `string(x)` in UTF-8: of an integer the character, and of a slice its
    bytes or characters; None for another operand."""
    if is_integer(value.type):
        number = arithmetic.number(value).value.number
        assert isinstance(number, int)
        return _encoded(number)
    array = array_of(arithmetic.objects, value) if go_kind(value.type) == SLICE else value
    bare = strip(array.type)
    if not isinstance(bare, Array) or not is_integer(bare.element) or array is value:
        return None
    element, endian = strip(bare.element), arithmetic.objects.context.endian
    assert isinstance(element, Base)
    data = arithmetic.objects.known(arithmetic.objects.read(array)).to_bytes(endian)
    if element.base.name == "uint8":
        return data
    if element.base.name != "int32":
        return None
    step = _RUNE_BITS // 8
    starts = range(0, len(data), step)
    return b"".join(
        _encoded(int.from_bytes(data[start : start + step], endian, signed=True))
        for start in starts
    )


def _encoded(number: int) -> bytes:
    is_character = 0 <= number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number if is_character else _REPLACEMENT).encode()


def as_stored(arithmetic: Arithmetic, target: TypedValue, value: TypedValue) -> TypedValue:
    """Return what is stored in a slice, string or interface to which a value is assigned; other
    targets and values as they are.

    `Unsupported` for what only the program can make, and `UsageError` for elements of another type.
    """
    bare, kind = strip(target.type), go_kind(target.type)
    is_interface = isinstance(bare, Struct) and bare.name in INTERFACES
    if not is_interface and kind not in (SLICE, STRING):
        return value
    if kind != STRING and is_constant_nil(value):
        return TypedValue(target.type, bits=Bits(0, size_bits(bare) or 0), unit=target.unit)
    if is_interface and _spelled(target.type) != _spelled(value.type):
        raise Unsupported("an interface of Go takes a value with its type, as only the program can")
    array = array_of(arithmetic.objects, value) if kind == SLICE else value
    from_ = strip(array.type)
    if not isinstance(from_, Array):
        return value
    if kind == SLICE:
        whole = strip(array_of(arithmetic.objects, target).type)
        assert isinstance(whole, Array)
        _require_one_type(from_.element, whole.element)
        if array is not value:
            return value  # a slice
    single, room = single_location_in(value.location), capacity_of(value)
    if single is None or not isinstance(single.storage, Memory) or single.byte_address is None:
        raise Unsupported("what is written out is in no memory of the program")
    if room is None or (count := from_.dimensions[0]) is None:
        return value
    return with_members(arithmetic.objects, target, [single.byte_address, count, room])


def _require_one_type(own: Type | None, to: Type | None) -> None:
    """Raise `UsageError` for elements that are none of a slice."""
    if strip(own) is not strip(to) and _spelled(own) != _spelled(to):
        raise UsageError(f"A slice of {_spelled(own)} is none of {_spelled(to)}.")


def _spelled(type_: Type | None) -> str:
    return "void" if type_ is None else type_name(type_)
