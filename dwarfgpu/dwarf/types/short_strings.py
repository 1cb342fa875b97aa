"""Short strings of Free Pascal: a byte with their length, and room for characters, the first ones
of the string (Reference guide, "Short strings"). In DWARF 2 they are records; later, arrays whose
upper bound is their length, so that nothing says how many characters the object has.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.types.types import Array, Member, Struct, strip

_MEMBERS: Final = ["length", "st"]
MOST_CHARACTERS: Final = 255


def members_of_string(struct_type: Struct) -> tuple[Member, Member] | None:
    """Return the length and the characters of a record that is a short string; None for any other
    record."""
    if [(member.name or "").lower() for member in struct_type.members] != _MEMBERS:
        return None
    length, characters = struct_type.members
    are_there = length.bit_offset is not None and characters.bit_offset is not None
    return (length, characters) if are_there and isinstance(strip(characters.type), Array) else None
