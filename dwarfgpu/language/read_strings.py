"""Read strings: the contents of an array or a pointer's target, up to a NUL."""

from __future__ import annotations

from typing import Final

from dwarfgpu.access.read_string import string_at
from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import element_type, size_bits
from dwarfgpu.dwarf.types.types import Array, BareType, Pointer, strip, without_typedefs
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax.expression_language import language_of
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.view.strings import CharacterKind, character_kind

MAX_CHARACTERS: Final = 10_000
_CODINGS: Final = {1: "utf-8", 2: "utf-16", 4: "utf-32"}


def string_of(objects: ObjectAccess, value: TypedValue) -> str:
    """Return the characters up to a NUL, or to the end of an array; `UsageError` for other
    types."""
    bare = strip(value.type)
    kind = string_character(bare)
    if kind is None:
        cplusplus = language_of(value.unit).is_cplusplus
        shown = type_name(without_typedefs(value.type), cplusplus=cplusplus)
        raise UsageError(f"Trying to read string with inappropriate type `{shown}'.")
    read = of_array if isinstance(bare, Array) else pointed
    data = read(objects, value, kind.unit_bytes)
    coding = _CODINGS[kind.unit_bytes]
    coding += "" if kind.unit_bytes == 1 else "-le" if objects.context.endian == "little" else "-be"
    return data.decode(coding, "replace")


def string_character(bare: BareType | None) -> CharacterKind | None:
    """Return the characters of an array that is no vector, or that a pointer points to; None for
    other types."""
    if isinstance(bare, Array):
        return None if bare.is_vector else character_kind(element_type(bare), is_text=True)
    return character_kind(bare.target, is_text=True) if isinstance(bare, Pointer) else None


def of_array(objects: ObjectAccess, value: TypedValue, width: int = 1) -> bytes:
    """Return the bytes of an array up to a NUL, or to its end; `UsageError` where neither is in
    what is read of a long one."""
    bits = objects.beginning(value)
    data = bits.to_bytes(objects.context.endian)
    text = up_to_nul(data, width)
    if len(text) == len(data) and bits.size_bits < (size_bits(value.type) or 0):
        raise UsageError(f"A string of {len(data) // width} or more characters is not read.")
    return text


def up_to_nul(data: bytes, width: int) -> bytes:
    """Return the bytes before the first unit that is 0."""
    nul, start = bytes(width), data.find(bytes(width))
    while start % width and start >= 0:  # the zeros are of two units
        start = data.find(nul, start + 1)
    return data if start < 0 else data[:start]


def pointed(objects: ObjectAccess, value: TypedValue, width: int = 1) -> bytes:
    """Return the bytes from where a pointer points to up to a NUL."""
    bare = strip(value.type)
    pointer = bare if isinstance(bare, Pointer) else Pointer(None)
    return at_address(objects, pointer, value, objects.known(value).value, width)


def bytes_at(objects: ObjectAccess, space: AddressSpace, address: int, size_bytes: int) -> bytes:
    """Read memory; raises `Unavailable` with GDB's wording, followed by the reason."""
    try:
        return objects.context.access.read_bytes(objects.at(space, address), size_bytes)
    except Unavailable as error:
        where = f"Cannot access memory at address {objects.address_text(space, address)}"
        _, _, reason = error.message.partition(": ")
        raise Unavailable(f"{where}: {reason}" if reason else where) from None


def at_address(
    objects: ObjectAccess, pointer: Pointer, value: TypedValue, address: int, width: int = 1
) -> bytes:
    """Return the bytes from an address of a pointer's space up to a NUL."""
    space = objects.space_of(pointer, value.unit)

    def read(start: int, size_bytes: int) -> bytes | None:
        objects.count_parts(1)
        try:
            return objects.context.access.read_bytes(objects.at(space, start), size_bytes)
        except DwarfGpuError:
            return None

    data, is_ended, is_readable = string_at(read, address, width, MAX_CHARACTERS)
    if not is_readable:
        bytes_at(objects, space, address + len(data), width)  # raises the error
    if not is_ended:
        raise UsageError(f"A string of {MAX_CHARACTERS} or more characters is not read.")
    return data[:-width]
