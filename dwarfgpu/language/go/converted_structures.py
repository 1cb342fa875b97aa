"""Conversions of Go that C has not: to strings, and between structures (The Go Programming Language
Specification, "Conversions")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.go_kinds import SLICE, go_kind
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Struct, Type, strip
from dwarfgpu.errors import Unsupported
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.go.slices_and_strings import INTERFACES, array_of, is_constant_nil, is_string
from dwarfgpu.language.member_lookup import is_embedded
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits

_REPLACEMENT: Final = 0xFFFD
_BYTE_BITS: Final = 8
_RUNE_BITS: Final = 32


def as_nil_or_interface(value: TypedValue, to: TypedValue) -> TypedValue | None:
    """Return `nil` as a slice or an interface; None for what becomes another structure.

    `Unsupported` for a value that becomes an interface of another type.
    """
    bare = strip(to.type)
    is_interface = isinstance(bare, Struct) and bare.name in INTERFACES
    if (is_interface or go_kind(bare) == SLICE) and is_constant_nil(value):
        return TypedValue(to.type, bits=Bits(0, size_bits(bare) or 0), unit=to.unit)
    if is_interface and not have_one_form(value.type, to.type):
        raise Unsupported("an interface of Go takes a value with its type, as only the program can")
    return None


def have_one_form(first: Type | None, second: Type | None) -> bool:
    """Return whether two structures are one for Go whatever their names: their underlying types are
    identical ("Type identity").

    Those of two interfaces with methods are alike, but their methods are unknown.
    """
    one, other = strip(first), strip(second)
    if not isinstance(one, Struct) or not isinstance(other, Struct):
        return False
    if one.name in INTERFACES or other.name in INTERFACES:
        return _spelled(first) == _spelled(second)
    if go_kind(one) != go_kind(other) or len(one.members) != len(other.members):
        return False
    return all(
        a.name == b.name
        and is_embedded(a) == is_embedded(b)
        and _spelled(a.type) == _spelled(b.type)
        for a, b in zip(one.members, other.members, strict=True)
    )


def has_text(objects: ObjectAccess, value: TypedValue) -> bool:
    """Return whether a value is one that `string(x)` takes: an integer, or a slice of bytes or of
    characters."""
    if is_integer(value.type):
        return True
    array = _elements(objects, value)
    bare = None if array is None else strip(array.type)
    return isinstance(bare, Array) and _bits_of_text(bare.element) is not None


def no_conversion(value: TypedValue, to: Type | None) -> str:
    """Return that Go does not convert a value to a type."""
    return f"Go has no conversion of {spelled_type(value)} to {_spelled(to)}."


def spelled_type(value: TypedValue) -> str:
    """Return the type of a value as Go spells it: of a slice expression a slice."""
    bare = strip(value.type)
    if isinstance(bare, Array) and is_string(value):
        return "string"
    if value.capacity is not None and isinstance(bare, Array):
        return f"[]{_spelled(bare.element)}"
    return _spelled(value.type)


def bytes_of_string(arithmetic: Arithmetic, value: TypedValue) -> bytes:
    """Return the text of `string(x)` in UTF-8: of an integer the character, and of a slice its
    bytes or characters."""
    if is_integer(value.type):
        number = arithmetic.number(value).value.number
        assert isinstance(number, int)
        return encoded(number)
    objects, endian = arithmetic.objects, arithmetic.objects.context.endian
    array = _elements(objects, value)
    bare = None if array is None else strip(array.type)
    assert array is not None and isinstance(bare, Array)
    data = objects.known(objects.read(array)).to_bytes(endian)
    if _bits_of_text(bare.element) == _BYTE_BITS:
        return data
    step = _RUNE_BITS // 8
    starts = range(0, len(data), step)
    return b"".join(
        encoded(int.from_bytes(data[start : start + step], endian, signed=True)) for start in starts
    )


def as_slice(objects: ObjectAccess, value: TypedValue, element: Type | None) -> TypedValue | None:
    """Return a string as its bytes or characters, which are in no memory, and a slice expression as
    it is: a slice with elements of a type. None for what Go makes no such slice."""
    bits, endian = _bits_of_text(element), objects.context.endian
    if not is_string(value):
        bare = strip(value.type)
        is_one = isinstance(bare, Array) and _spelled(bare.element) == _spelled(element)
        return value if is_one and value.capacity is not None else None
    if bits is None:
        return None
    if isinstance(objects, Unevaluated):
        return value
    data = objects.known(objects.read(array_of(objects, value))).to_bytes(endian)
    if bits == _RUNE_BITS:
        data = b"".join(code.to_bytes(_RUNE_BITS // 8, endian) for code in _decoded(data))
    count = 8 * len(data) // bits
    contents = Bits(int.from_bytes(data, endian), 8 * len(data))
    kind = Array(element, (count,), is_value=True)
    return TypedValue(kind, bits=contents, unit=value.unit, capacity=count)


def _decoded(data: bytes) -> list[int]:
    """Return the characters of a text in UTF-8; for each byte that is of none U+FFFD."""
    codes = map(ord, data.decode(errors="surrogateescape"))
    return [_REPLACEMENT if 0xDC80 <= code <= 0xDCFF else code for code in codes]


def encoded(number: int) -> bytes:
    """Return the character of a number in UTF-8; U+FFFD for a number of none."""
    is_character = 0 <= number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number if is_character else _REPLACEMENT).encode()


def _elements(objects: ObjectAccess, value: TypedValue) -> TypedValue | None:
    """Return the elements of a slice or a slice expression; None of another value."""
    if go_kind(value.type) == SLICE:
        return array_of(objects, value)
    return None if value.capacity is None else value


def _bits_of_text(element: Type | None) -> int | None:
    """Return the size of a type whose underlying type is byte or rune, whatever its name; None for
    another type."""
    bare = strip(element)
    if not isinstance(bare, Base) or not is_integer(bare):
        return None
    if bare.base.name in ("int", "uint"):  # of 32 bits on some machines, but no rune
        return None
    bits = _RUNE_BITS if bare.base.is_signed else _BYTE_BITS
    return bits if bare.base.bit_size == bits else None


def _spelled(type_: Type | None) -> str:
    return "void" if type_ is None else type_name(type_).removeprefix("struct ")
