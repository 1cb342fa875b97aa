"""The types of the objects that use a table of methods of Rust, by the address of the table.

rustc describes the table of a type and a trait as a variable directly in a unit,
`<Circle as Shape>::{vtable}`, whose own type has the type of the objects as DW_AT_containing_type.

Law: only a table that begins exactly at the address counts. The linker or LTO may leave one table
for several types, so that there may be several.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ExprLoc

_ADDR: Final = b"\x03"
_INDEXED: Final = frozenset({b"\xa1", b"\xfb"})
"""DW_OP_addrx, and DW_OP_GNU_addr_index of DWARF 4."""


@kept_with(first)
def types_with_table(info: DebugInfo, address: int) -> tuple[Die, ...]:
    """Return the types of the objects whose table begins at an address of the file.

    Raises the error of a unit that cannot be read if no other one has the table.
    """
    types: dict[Die, None] = {}
    problem: DwarfGpuError | None = None
    for unit in _units_with(info, address):
        try:
            types.update(dict.fromkeys(_types_in(unit.full, address)))
        except DwarfGpuError as error:
            problem = problem or error
    if problem is not None and not types:
        raise problem
    return tuple(types)


def _units_with(info: DebugInfo, address: int) -> Iterator[CompilationUnit]:
    """Yield the units that may have an address in a location."""
    sizes = {unit.format.address_size for unit in info.units}
    encoded = [address.to_bytes(size, info.units[0].endian) for size in sizes if size]
    named = chain.from_iterable(info.units_with(value) for value in encoded)
    yield from dict.fromkeys(named)
    if info.section(".debug_addr"):
        yield from (unit for unit in info.units if unit.is_skeleton or unit.format.version >= 5)


def _types_in(unit: CompilationUnit, address: int) -> Iterator[Die]:
    if not unit.abbreviations.accepted(_is_of_table) or unit.language != dw.LANG_RUST:
        return
    for variable in unit.root.children((dw.TAG_VARIABLE,)):
        location = variable.unit.location_of(variable, dw.AT_LOCATION)
        if isinstance(location, ExprLoc) and _is_at(location, unit, address):
            table = variable.reference(dw.AT_TYPE)
            type_ = None if table is None else table.reference(dw.AT_CONTAINING_TYPE)
            if type_ is not None:
                yield type_


def _is_of_table(abbreviation: Abbreviation) -> bool:
    return dw.AT_CONTAINING_TYPE in abbreviation.positions


def _is_at(location: ExprLoc, unit: CompilationUnit, address: int) -> bool:
    """Return whether a location is an address and nothing else."""
    code = location.expression
    if code[:1] == _ADDR:
        return int.from_bytes(code[1:], unit.endian) == address
    if code[:1] not in _INDEXED:
        return False
    reader = Reader(code[1:], unit.endian)
    index = reader.uleb()
    return not reader and location.unit.address(index) == address
