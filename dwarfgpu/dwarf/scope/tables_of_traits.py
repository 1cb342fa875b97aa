"""The types of the objects that use a table of methods of Rust, by the address of the table.

rustc describes the table of a type and a trait as a variable directly in a unit,
`<Circle as Shape>::{vtable}`, whose own type has the type of the objects as DW_AT_containing_type.

Law: only a table that begins exactly at the address counts. The linker or LTO may leave one table
for several types, so that there may be several. rustc itself makes one of those of a unit that have
equal contents, as those without methods of types that need no drop, and gives an address to the
last description only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ExprLoc

_METHOD: Final = "__method"
"""How the names of the members begin that rustc gives to methods in the types of tables."""
_ADDR: Final = b"\x03"
_INDEXED: Final = frozenset({b"\xa1", b"\xfb"})
"""DW_OP_addrx, and DW_OP_GNU_addr_index of DWARF 4."""


@frozen
class ObjectTypes:
    """The types that the objects with a table at an address may have."""

    described: tuple[Die, ...]
    """Those whose table begins there."""
    sharing: tuple[Die, ...]
    """Those of the same units whose table has no address, and no methods either: it may be this one
    if the objects need no drop and have this size."""


@kept_with(first)
def object_types(info: DebugInfo, address: int) -> ObjectTypes:
    """Return the types of the objects with the table at an address of the file.

    Raises the error of a unit that cannot be read if no other one has the table.
    """
    described: dict[Die, None] = {}
    sharing: dict[Die, None] = {}
    problem: DwarfGpuError | None = None
    for unit in _units_with(info, address):
        try:
            types = _types_in(unit.full, address)
        except DwarfGpuError as error:
            problem = problem or error
            continue
        described.update(dict.fromkeys(types.described))
        sharing.update(dict.fromkeys(types.sharing))
    if problem is not None and not described:
        raise problem
    return ObjectTypes(tuple(described), tuple(sharing))


def _units_with(info: DebugInfo, address: int) -> Iterator[CompilationUnit]:
    """Yield the units that may have an address in a location."""
    sizes = {unit.format.address_size for unit in info.units}
    encoded = [address.to_bytes(size, info.units[0].endian) for size in sizes if size]
    named = chain.from_iterable(info.units_with(value) for value in encoded)
    yield from dict.fromkeys(named)
    if info.section(".debug_addr"):
        yield from (unit for unit in info.units if unit.is_skeleton or unit.format.version >= 5)


def _types_in(unit: CompilationUnit, address: int) -> ObjectTypes:
    nothing = ObjectTypes((), ())
    if not unit.abbreviations.accepted(_is_of_table) or unit.language != dw.LANG_RUST:
        return nothing
    here: list[Die] = []
    without_address: list[Die] = []
    for variable in unit.root.children((dw.TAG_VARIABLE,)):
        location = variable.unit.location_of(variable, dw.AT_LOCATION)
        is_here = isinstance(location, ExprLoc) and _is_at(location, unit, address)
        if not is_here and location is not None:
            continue
        table = variable.reference(dw.AT_TYPE)
        if table is not None and table.has(dw.AT_CONTAINING_TYPE):
            (here if is_here else without_address).append(table)
    if not here:
        return nothing
    may_share = not any(map(_has_methods, here))
    sharing = (table for table in without_address if may_share and not _has_methods(table))
    return ObjectTypes(_objects_of(here), _objects_of(sharing))


def _objects_of(tables: Iterable[Die]) -> tuple[Die, ...]:
    """Return the types of the objects that use tables."""
    types = (table.reference(dw.AT_CONTAINING_TYPE) for table in tables)
    return tuple(type_ for type_ in types if type_ is not None)


def _has_methods(table: Die) -> bool:
    """Return whether a table has methods: each is that of one type."""
    members = table.children((dw.TAG_MEMBER,))
    return any((member.name or "").startswith(_METHOD) for member in members)


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
