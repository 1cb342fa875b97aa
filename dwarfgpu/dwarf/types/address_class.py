"""DW_AT_address_class of pointers on AMDGPU, in the numbers of each producer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.model import AddressSpace, Architecture
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.errors import IllFormed
from dwarfgpu.expr.dialect.upstream_clang import ADDRESS_SPACES

if TYPE_CHECKING:
    from dwarfgpu.dwarf.unit import CompilationUnit

_CLASSES_OF_2020: Final = {1: "global", 2: "region", 3: "local", 4: "global", 5: "private_lane"}
_CLASSES_TODAY: Final = {1: "global", 2: "global", 3: "local", 4: "private_lane", 0x8000: "region"}
"""For AMD's compilers, whose numbers became those of memory spaces."""
_LAST_OF_2020: Final = 14
"""The last LLVM whose AMD compilers wrote the address classes of the 2020 text."""


def space_of_class(
    address_class: int, unit: CompilationUnit, architecture: Architecture
) -> AddressSpace:
    """The address space that an address class means; `IllFormed` for one that is none."""
    if unit.dialect.upstream_clang:
        space = architecture.address_spaces.get(ADDRESS_SPACES.get(address_class, -1))
    else:
        version = parse_producer(unit.producer).version
        is_old = version is not None and version <= _LAST_OF_2020
        name = (_CLASSES_OF_2020 if is_old else _CLASSES_TODAY).get(address_class)
        space = None if name is None else architecture.address_space_named(name)
    if space is None:
        raise IllFormed(f"DW_AT_address_class {address_class} is not an AMDGPU address class")
    return space
