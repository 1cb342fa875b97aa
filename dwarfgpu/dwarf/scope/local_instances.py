"""The symbols of instances of variable templates that are local to a file: gcc gives them neither a
linkage name nor the arguments, only the name of the template."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.named_entries import completed
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS
from dwarfgpu.expr.context import ExprLoc

_ADDR: Final = 0x03
"""DW_OP_addr."""


def symbol_of_instance(die: Die) -> str | None:
    """Return the mangled name of a variable whose symbol has the name of its entry, and template
    arguments behind it; None of any other variable, and of one without a symbol."""
    name, sections, above = die.name, die.unit.sections, die.parent()
    if name is None or above is None or above.tag in BLOCKS | FUNCTIONS:
        return None
    part = f"{len(name_bytes(name))}{name}I"
    named = {
        symbol.address: symbol.name
        for file in dict.fromkeys((sections.program.loaded, sections.object))
        for symbol in file.mangled_symbols(part)
        if symbol.kind != "function"
    }
    if not named:
        return None  # of almost all variables
    addresses = filter(None, map(_address, completed(die, [die.unit])))
    return next((named[address] for address in addresses if address in named), None)


def _address(die: Die) -> int | None:
    """Return the address of a variable, as the file has it; None where it has another location."""
    location = die.unit.location_attribute(die)
    size_bytes = die.unit.format.address_size
    if not isinstance(location, ExprLoc) or len(location.expression) != 1 + size_bytes:
        return None
    reader = Reader(location.expression, die.unit.endian)
    return reader.unsigned(size_bytes) if reader.u8() == _ADDR else None
