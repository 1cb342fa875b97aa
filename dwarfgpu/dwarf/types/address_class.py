"""DW_AT_address_class: of pointers on AMDGPU, in the numbers of each producer, and of variables in
cubins, by CUDA's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.amdgpu import GENERIC, GLOBAL, LOCAL, PRIVATE_LANE, REGION
from dwarfgpu.arch.model import AddressSpace, Architecture
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.errors import IllFormed, Unavailable

if TYPE_CHECKING:
    from dwarfgpu.dwarf.die import Die
    from dwarfgpu.dwarf.unit import CompilationUnit

_CLASSES_OF_2020: Final = {1: GLOBAL, 2: REGION, 3: LOCAL, 4: GLOBAL, 5: PRIVATE_LANE}
_CLASSES_TODAY: Final = {1: GLOBAL, 2: GLOBAL, 3: LOCAL, 4: PRIVATE_LANE, 0x8000: REGION}
"""For AMD's compilers, whose numbers became those of memory spaces."""
_CLANGS_OWN: Final = {1: PRIVATE_LANE, 2: LOCAL}
"""For upstream clang up to `_LAST_OWN`; since then it writes DWARF's numbers of address spaces."""
_DWARFS: Final = {space: space for space in (GENERIC, REGION, LOCAL, PRIVATE_LANE)}
_LLVMS: Final = {0: GENERIC, 1: GLOBAL, 2: REGION, 3: LOCAL, 4: GLOBAL, 5: PRIVATE_LANE}
"""For Triton, which writes the number that LLVM's IR has for the address space."""
_LAST_OWN: Final = 21
_NO_CLASS: Final = "is not an AMDGPU address class"
_LAST_OF_2020: Final = 14
"""The last LLVM whose AMD compilers wrote the address classes of the 2020 text."""


def space_of_class(
    address_class: int, unit: CompilationUnit, architecture: Architecture
) -> AddressSpace:
    """Return the address space that an address class denotes.

    `IllFormed` for one that is none; `Unavailable` where the numbers of an unknown producer differ
    from those of another.
    """
    space = architecture.address_spaces.get(_numbers(address_class, unit).get(address_class, -1))
    if space is None:
        raise IllFormed(f"DW_AT_address_class {address_class} {_NO_CLASS}")
    return space


def class_fault(address_class: int, unit: CompilationUnit) -> str | None:
    """Return what is wrong with an address class of a pointer; None for 0, which is none (DWARF 5
    2.12), other machines, which have classes of their own, and where it is unknown."""
    architecture = unit.sections.program.architecture
    if not address_class or architecture is None or architecture.machine != "AMDGPU":
        return None
    try:
        space_of_class(address_class, unit, architecture)
    except IllFormed:
        return f"{address_class} {_NO_CLASS}"
    except Unavailable:
        return None
    return None


def _numbers(address_class: int, unit: CompilationUnit) -> dict[int, int]:
    """Return the address spaces by the numbers of the producer of a unit."""
    who = parse_producer(unit.producer)
    version = who.version
    if not unit.dialect.upstream_clang:
        is_old = version is not None and version <= _LAST_OF_2020
        return _CLASSES_OF_2020 if is_old else _CLASSES_TODAY
    if who.is_triton:
        return _LLVMS
    if version is not None:
        return _CLANGS_OWN if version <= _LAST_OWN else _DWARFS
    if address_class in _CLANGS_OWN:
        raise Unavailable(
            f"DW_AT_address_class {address_class} of an unknown producer: upstream LLVM changed "
            f"its numbers after version {_LAST_OWN}"
        )
    return _DWARFS


def storage_of(die: Die) -> str | None:
    """Return where a variable of a cubin is by its DW_AT_address_class: `local`, `shared`,
    `register` …

    None for another machine, and for a variable without one.
    """
    if die.unit.sections.object.machine != "CUDA":
        return None
    from dwarfgpu.arch.nvidia import STORAGE_KINDS  # few files are cubins

    number = die.integer(dw.AT_ADDRESS_CLASS)
    return None if number is None else STORAGE_KINDS.get(number, f"unknown ({number})")
