"""Short strings of Pascal, which Free Pascal describes in DWARF 2 as records."""

from __future__ import annotations

from dwarfgpu.dwarf.types.short_strings import members_of_string
from dwarfgpu.dwarf.types.types import Array, Struct, strip
from dwarfgpu.view.object_printer import Shown
from dwarfgpu.view.strings import character_kind


def string_in_record(shown: Shown, struct_type: Struct, first_bit: int) -> str | None:
    """Return the short string that a record of its length and its characters is; None for any
    other record."""
    members = members_of_string(struct_type)
    if members is None:
        return None
    length, characters = members
    array = strip(characters.type)
    kind = character_kind(array.element, "pascal") if isinstance(array, Array) else None
    if length.bit_offset is None or characters.bit_offset is None or kind is None:
        return None
    size = shown.object.known_bytes(first_bit + length.bit_offset, 8)
    if size is None:
        return None
    data = shown.object.known_bytes(first_bit + characters.bit_offset, 8 * size[0])
    return None if data is None else shown.quoted(data, kind, is_cut=False)
