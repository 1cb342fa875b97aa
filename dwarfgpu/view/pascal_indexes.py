"""Indexes of arrays of Pascal: enumerators, Booleans, characters with numbers, integers."""

from __future__ import annotations

from dwarfgpu.dwarf.types.types import Base, Enum
from dwarfgpu.view.scalars import base_text, enum_text
from dwarfgpu.view.strings import character_kind, quoted_character


def pascal_index(kind: Enum | Base | None, index: int) -> str:
    """Return an index as GDB shows a value of its type, if that is no integer type."""
    if kind is None or index < 0:
        return str(index)
    if isinstance(kind, Enum):
        return enum_text(kind, index)
    text = base_text(kind.base, index, kind.base.bit_size, "pascal")
    characters = character_kind(kind, "pascal")
    return text if characters is None else f"{text} {quoted_character(index, characters)}"
