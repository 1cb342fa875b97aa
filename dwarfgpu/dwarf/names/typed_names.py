"""Names that users can type, from each unit of a file and from its symbol tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.scope.named_entries import NamedEntries
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, CONTAINERS, name_of
from dwarfgpu.dwarf.scope.symbol_list import units_with_word
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

NameKind = Literal[
    "function", "inlined function", "variable", "struct", "class", "union", "enum", "enumerator",
    "type", "namespace", "code symbol", "data symbol",
]  # fmt: skip

_TYPES: Final[dict[int, NameKind]] = {
    dw.TAG_BASE_TYPE: "type",
    dw.TAG_TYPEDEF: "type",
    dw.TAG_STRUCTURE_TYPE: "struct",
    dw.TAG_CLASS_TYPE: "class",
    dw.TAG_UNION_TYPE: "union",
    dw.TAG_ENUMERATION_TYPE: "enum",
}
_READ: Final = CONTAINERS | {*_TYPES, dw.TAG_SUBPROGRAM, dw.TAG_VARIABLE}
_IDENTIFIER: Final = pattern(r"(?!_Z)[A-Za-z_]\w*")


@frozen
class UnitNames:
    """What a unit defines outside of functions."""

    file: str
    """The source file; empty for what only symbol tables have."""
    names: tuple[tuple[str, NameKind], ...]


def typed_names(code_object: CodeObject, word: str = "") -> Iterator[UnitNames]:
    """Yield the names of every unit, then of the symbol tables; unreadable units are skipped.

    `word`: units without an identifier with this prefix may be skipped, too, and names of C and of
    symbol tables that do not begin with it.
    """
    try:
        units = tuple(_units(code_object.info, word))
    except DwarfGpuError:
        units = ()  # a header points outside of the file
    for unit in units:
        try:
            full = unit.full
            is_filtered = word and unit.language in dw.C
            entries = _beginning(full, word) if is_filtered else full.root.children(_READ)
            declared = tuple(_declared(entries, "", unit.is_cplusplus))
            yield UnitNames(unit.root.name or "", declared)
        except (DwarfGpuError, RecursionError):
            continue  # what reads the unit reports it
    try:
        yield UnitNames("", tuple(_symbols(code_object, word)))
    except DwarfGpuError:
        return


def _units(info: DebugInfo, word: str) -> Iterable[CompilationUnit]:
    if not word:
        return info.units
    from dwarfgpu.dwarf.index.unit_names import kinds_of  # few commands look for part of a name

    kinds = kinds_of(_READ | {dw.TAG_ENUMERATOR}, CONTAINERS | CLASSES)
    return units_with_word(info, word, kinds, is_beginning=True)


def _declared(
    entries: Iterable[Die], around: str, is_cplusplus: bool
) -> Iterator[tuple[str, NameKind]]:
    for die in entries:
        if die.tag == dw.TAG_SUBPROGRAM:
            yield from _function(die, is_cplusplus)
        elif die.tag == dw.TAG_VARIABLE:
            if die.has(dw.AT_LOCATION) or die.has(dw.AT_CONST_VALUE):
                yield qualified_name(die) if is_cplusplus else name_of(die) or "", "variable"
        elif die.tag in _TYPES:
            yield from _type(die, around, is_cplusplus)
        elif die.tag in CONTAINERS and die.name is not None:
            yield f"{around}{die.name}", "namespace"
            inside = f"{around}{die.name}::"
            yield from _declared(die.children(_READ), inside, is_cplusplus)


def _function(die: Die, is_cplusplus: bool) -> Iterator[tuple[str, NameKind]]:
    has_code = die.has(dw.AT_LOW_PC) or die.has(dw.AT_RANGES)
    if not (has_code or die.has(dw.AT_INLINE)):
        return
    is_mangled = is_cplusplus and die.holder(dw.AT_LINKAGE_NAME) is not None
    name = full_function_name(die) if is_mangled else name_of(die)
    if name:
        yield name, "function" if has_code else "inlined function"


def _type(die: Die, around: str, is_cplusplus: bool) -> Iterator[tuple[str, NameKind]]:
    name = die.name
    if die.flag(dw.AT_DECLARATION):
        return
    if die.tag == dw.TAG_BASE_TYPE:
        if name is not None:
            unit = die.unit
            is_c = unit.is_cplusplus or unit.language in dw.C
            yield _base_type_name(name) if is_c else name, "type"
    elif name is not None:
        yield f"{around}{name}", _TYPES[die.tag]
    inside = f"{around}{name}::" if is_cplusplus and name is not None else around
    if die.tag == dw.TAG_ENUMERATION_TYPE:
        inside = inside if die.flag(dw.AT_ENUM_CLASS) else around
        for child in die.children((dw.TAG_ENUMERATOR,)):
            if child.name is not None:
                yield f"{inside}{child.name}", "enumerator"
    elif is_cplusplus and die.tag in CLASSES:
        yield from _declared(die.children(_TYPES), inside, is_cplusplus)


_base_type_name: Final = lru_cache(maxsize=256)(canonical)
"""Every unit of a program has the same few."""


def _beginning(unit: CompilationUnit, word: str) -> Iterator[Die]:
    """Yield the entries of a unit of C outside of functions whose names, or those of enumerators in
    them, begin with a word, and the types that are built in, which are shown as `unsigned long`.

    Most names are read without an object for their entry.
    """
    tree, names = unit.tree, NamedEntries(unit)

    def begins(index: int) -> bool:
        name = names.name_at(index)
        if name is None:
            name = unit.die(index).name or ""
        return name.startswith(word)

    for index in tree.children(0):
        tag = tree.abbreviations[index].tag
        if tag in _READ and (
            tag == dw.TAG_BASE_TYPE
            or begins(index)
            or (tag == dw.TAG_ENUMERATION_TYPE and any(map(begins, tree.children(index))))
        ):
            yield unit.die(index)


def _symbols(code_object: CodeObject, word: str) -> Iterator[tuple[str, NameKind]]:
    """Yield symbols by linker name, the only name known without debugging information."""
    for symbol in code_object.file.symbols:
        is_meant = symbol.is_in_section and symbol.name.startswith(word)
        if is_meant and _IDENTIFIER.fullmatch(symbol.name):
            is_code = symbol.kind == "function" or code_object.file.is_code(symbol.address)
            yield symbol.name, "code symbol" if is_code else "data symbol"
