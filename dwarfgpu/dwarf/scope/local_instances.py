"""The symbols of instances of variable templates that are local to a file: gcc gives them neither a
linkage name nor the arguments, only the name of the template."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, cast

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.printable import is_cut, name_bytes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import units_naming
from dwarfgpu.dwarf.names.demangle import demangled_name
from dwarfgpu.dwarf.names.qualified import canonical, split_last
from dwarfgpu.dwarf.scope.named_entries import completed, named
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ConstValue, ExprLoc
from dwarfgpu.objfile.elf import ObjectFile

if TYPE_CHECKING:
    from dwarfgpu.dwarf.debug_info import DebugInfo

_ADDR: Final = 0x03
"""DW_OP_addr."""
_SPARE_BYTES: Final = 1 << 16
"""Of symbols that are compared with constants, above the bytes of these: entries need not have the
contents of all symbols, and many symbols may be of one large section."""


def symbol_of_instance(die: Die, names_of: Callable[[Die], tuple[str, ...]]) -> str | None:
    """Return the mangled name of a declared variable whose symbol has the name of its entry, and
    template arguments behind it; None of any other variable, and of one without a symbol. Empty if
    it is unknown which of several symbols is that of the variable.

    `names_of`: the names of the scopes around an entry, and its own.
    """
    name, sections, above = die.name, die.unit.sections, die.parent()
    if name is None or is_cut(name) or above is None or above.tag in BLOCKS | FUNCTIONS:
        return None
    part = f"{len(name_bytes(name))}{name}I"
    files = tuple(dict.fromkeys((sections.program.loaded, sections.object)))
    by_address = {
        symbol.address: symbol.name
        for file in files
        for symbol in file.mangled_symbols(part)
        if symbol.kind != "function"
    }
    if not by_address:
        return None  # of almost all variables
    address = _address_of(die)
    if address is not None:
        return by_address.get(address)
    scope = canonical("::".join(names_of(die)[:-1]))
    for file in files:
        try:
            known = None if file.is_relocatable else _constants(die.unit, file, above, name, scope)
        except DwarfGpuError:
            return ""
        if known is not None:
            return known.get(die, "")
    return None


@kept_with(first, 64)
def _constants(
    unit: CompilationUnit, file: ObjectFile, above: Die, name: str, scope: str
) -> dict[Die, str] | None:
    """Return the symbols of constants without an address, as gcc describes those of namespaces, of
    one name in one scope. None if no symbol is that of such a constant.

    Each symbol of the source file is that of one entry, with its size and contents: where only one
    entry has them, that is the one. Contents are read of symbols that have the size of a constant.
    """
    source, part = source_file(unit), f"{len(name_bytes(name))}{name}I"
    in_source = file.mangled_symbols_in(part, source)
    symbols = [symbol for symbol in in_source if _scope_in(symbol.name) == scope]
    namesakes = units_naming(cast("DebugInfo", unit.info), name) if symbols else ()
    if not symbols or any(one is not unit and source_file(one) == source for one in namesakes):
        return None
    with_contents: dict[tuple[int | None, bytes | None], list[Die]] = {}
    addresses: set[int | None] = set()
    sizes: set[int | None] = set()
    spare = _SPARE_BYTES
    for entry in named(unit, canonical(name)):
        if entry.tag == dw.TAG_VARIABLE and entry.parent() == above and entry.linkage_name is None:
            address = _address_of(entry)
            addresses.add(address)
            if address is None:
                size, data = contents = _contents(entry)
                with_contents.setdefault(contents, []).append(entry)
                if data is not None:
                    sizes.add(size)
                    spare += len(data)
    assigned: dict[Die, str] = {}
    for symbol in symbols:
        if symbol.address in addresses:
            continue
        size, data = symbol.size_bytes, None
        if size in sizes:
            spare -= size
            if spare < 0:
                return {}
            data = file.memory_bytes(symbol.address, size)
        alike = ((size, data), (size, None), (None, None))
        possible = [with_contents[key] for key in dict.fromkeys(alike) if key in with_contents]
        only = possible[0][0] if sum(map(len, possible)) == 1 else None
        if not possible or only in assigned:
            return {}
        if only is not None:
            assigned[only] = symbol.name
    return assigned


def source_file(unit: CompilationUnit) -> str:
    """Return the name of a unit's source file without its folder, as its symbol has it."""
    return PurePath(unit.full.name or "").name


def _scope_in(mangled: str) -> str:
    name = demangled_name(mangled)
    return "" if name is None else canonical(split_last(name)[0])


def _contents(entry: Die) -> tuple[int | None, bytes | None]:
    """Return the size of a constant and its bytes; None for what is unknown."""
    try:
        size = entry.unit.info.size_of_object(entry)
        value = entry.unit.location_attribute(entry)
    except DwarfGpuError:
        return None, None
    return size, value.data if isinstance(value, ConstValue) else None


def _address_of(die: Die) -> int | None:
    """Return the address of a variable, which an entry that completes it may have."""
    return next(filter(None, map(_address, completed(die, [die.unit]))), None)


def _address(die: Die) -> int | None:
    """Return the address of a variable, as the file has it; None where it has another location."""
    location = die.unit.location_attribute(die)
    size_bytes = die.unit.format.address_size
    if not isinstance(location, ExprLoc) or len(location.expression) != 1 + size_bytes:
        return None
    reader = Reader(location.expression, die.unit.endian)
    return reader.unsigned(size_bytes) if reader.u8() == _ADDR else None
