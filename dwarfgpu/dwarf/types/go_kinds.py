"""What structures are to the compiler of Go: its strings and slices, also those with names of their
own, by DW_AT_go_kind, which has the constants of the package reflect."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.types import Struct, Type, strip

SLICE: Final = 23
STRING: Final = 24


def go_kind(type_: Type | None) -> int | None:
    """Return what a structure is to gc; None for a type without that."""
    bare = strip(type_)
    die = bare.members[0].die if isinstance(bare, Struct) and bare.members else None
    if die is None or die.unit.language != dw.LANG_GO:
        return None
    above = die.parent()
    return None if above is None else above.integer(dw.AT_GO_KIND)
