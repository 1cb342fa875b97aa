"""Variables whose data the linker dropped, as `--gc-sections` does.

Linkers leave 0 as the address of what they dropped, or one of the two largest addresses, as they do
for code (`dwarfgpu.dwarf.scope.scope_entries.pc_bounds`). An offset in thread-local storage or in
another address space may well be 0: operations follow that make a location of it.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.types.memory_space import memory_space
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ExprLoc, LocationAttribute, Unit
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHF_ALLOC

_ADDR: Final = 0x03
_PLUS_UCONST: Final = 0x23
ADDRESSES: Final = frozenset({b"\x03", b"\xa1", b"\xfb"})
"""DW_OP_addr, DW_OP_addrx, and DW_OP_GNU_addr_index of DWARF 4: only locations that begin with one
of these can be of dropped data."""


def why_dropped(die: Die, location: LocationAttribute) -> str | None:
    """Return why a location of a variable says that the linker dropped its data; None if it does
    not."""
    if not isinstance(location, ExprLoc):
        return None
    code = location.expression
    if code[:1] not in ADDRESSES:
        return None
    address = _first_address(code, location.unit, die.unit.endian)
    if address is None or (address and address < die.unit.tombstone):
        return None
    file = die.unit.info.main.sections.object
    if file.is_relocatable or _may_have_data(file, address):
        return None
    if memory_space(die) is not None or die.holder(dw.AT_ADDRESS_CLASS) is not None:
        return None  # an offset in the memory of that kind
    return (
        f"the linker dropped it (no allocated section has the address {address:#x} of its "
        "DW_AT_location)"
    )


def _first_address(code: bytes, unit: Unit, endian: Endian) -> int | None:
    """Return the address of an expression that is DW_OP_addr, DW_OP_addrx or one of these and
    DW_OP_plus_uconst, as for a part of merged variables; None for any other."""
    reader = Reader(code, endian)
    try:
        if reader.u8() == _ADDR:
            address = reader.unsigned(unit.format.address_size)
        else:
            address = unit.address(reader.uleb())
        if reader:
            if reader.u8() != _PLUS_UCONST:
                return None
            reader.uleb()
        return None if reader else address
    except DwarfGpuError:
        return None  # the evaluation reports it


def _may_have_data(file: ObjectFile, address: int) -> bool:
    """Return whether an allocated section contains an address, or none is known."""
    allocated = [section for section in file.sections if section.flags & SHF_ALLOC]
    return not allocated or any(
        section.address <= address < section.address + section.size_bytes for section in allocated
    )
