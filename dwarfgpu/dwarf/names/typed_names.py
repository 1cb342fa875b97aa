"""Names that users can type, from each unit of a file and from its symbol tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import nsmallest
from typing import Final, Literal

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.file_table import joined
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, MAIN_OF_D
from dwarfgpu.dwarf.scope.declarations import followed, qualified, qualified_name
from dwarfgpu.dwarf.scope.named_entries import NamedEntries
from dwarfgpu.dwarf.scope.required_word import units_with_word
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, CONTAINERS, name_of
from dwarfgpu.dwarf.scope.variable_names import variable_name
from dwarfgpu.dwarf.section_budget import LONG_NAME_BYTES
from dwarfgpu.dwarf.types.class_builder import scope_of
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

NameKind = Literal[
    "function", "inlined function", "variable", "struct", "class", "union", "enum", "enumerator",
    "type", "namespace", "code symbol", "data symbol",
]  # fmt: skip

_TYPES: Final[dict[int, NameKind]] = {
    dw.TAG_BASE_TYPE: "type",
    dw.TAG_TYPEDEF: "type",
    dw.TAG_TEMPLATE_ALIAS: "type",
    dw.TAG_STRUCTURE_TYPE: "struct",
    dw.TAG_CLASS_TYPE: "class",
    dw.TAG_UNION_TYPE: "union",
    dw.TAG_INTERFACE_TYPE: "struct",
    dw.TAG_ENUMERATION_TYPE: "enum",
    dw.TAG_SUBRANGE_TYPE: "type",
    dw.TAG_ARRAY_TYPE: "type",
}
_ARRAYS: Final = frozenset({dw.TAG_SUBRANGE_TYPE, dw.TAG_ARRAY_TYPE})
"""With names in Ada and Pascal; most others have none."""
_READ: Final = CONTAINERS | {
    *_TYPES,
    dw.TAG_SUBPROGRAM,
    dw.TAG_VARIABLE,
    dw.TAG_CONSTANT,
    dw.TAG_IMPORTED_DECLARATION,
}
_CONSTANTS: Final = frozenset({dw.TAG_VARIABLE, dw.TAG_MEMBER})
"""Entries of static members."""
_OTHER_NAMES: Final = frozenset(
    {
        *dw.LINKAGE_NAMES,
        dw.AT_SPECIFICATION,
        dw.AT_ABSTRACT_ORIGIN,
    }
)
"""Attributes of entries whose names may be other than DW_AT_name."""
_RESPELLED: Final = pattern(r"<.*(?:[(']|[0-9][lL])")
"""Template arguments that are shown in another way: `To<(& global)>` as `To<&global>`."""
_INTEGER: Final = pattern(r"\b(short|long(?: long)?)( unsigned)? int\b")
"""An integer among them as gcc names it, `long unsigned int`: most names need no more."""
_IDENTIFIER: Final = pattern(r"(?!_Z)[A-Za-z_]\w*")
_MOST_QUALIFIED: Final = 20
"""Functions of C++ that are read of a unit, for each name that is needed."""
_ABBREVIATED: Final = frozenset(
    {
        "std", "allocator", "basic_string", "basic_istream", "basic_ostream", "basic_iostream",
        "char_traits", "string", "istream", "ostream", "iostream", "operator", "void", "wchar_t",
        "bool", "char", "signed", "unsigned", "short", "int", "long", "float", "double", "half",
        "ellipsis", "auto", "decltype", "nullptr_t", "const", "volatile", "restrict", "anonymous",
        "namespace", "unnamed", "lambda", "complex", "imaginary", "true", "false", "sizeof",
        "alignof", "noexcept", "throw", "vector", "enum", "requires", "new", "delete", "typename",
        "template", "this", "clone", "abi", "cxx11", "char8_t", "char16_t", "char32_t", "typeid",
        "dynamic_cast", "static_cast", "const_cast", "reinterpret_cast",
    }
)  # fmt: skip
"""Words of functions that their linker names do not contain as they are."""


class _Wanted:
    """Which functions of C++ are read of a unit: their names are long, and made of many entries."""

    __slots__ = ("is_match", "left", "word")

    def __init__(self, word: str, most: int | None, is_match: Callable[[str], bool] | None) -> None:
        is_abbreviated = any(known.startswith(word) for known in _ABBREVIATED)
        self.word = "" if is_abbreviated or word.startswith("_") else word
        """A part of their linker names; empty if that does not decide."""
        self.left = -1 if most is None or is_match is None else most * _MOST_QUALIFIED
        """How many that match are still read; negative without a limit."""
        self.is_match = is_match

    def takes(self, linkage_name: str) -> bool:
        """Return whether a function is read."""
        return self.left != 0 and (not linkage_name.startswith("_Z") or self.word in linkage_name)

    def count(self, name: str) -> None:
        """Count a function that was read."""
        if self.left > 0 and self.is_match is not None and self.is_match(name):
            self.left -= 1


@frozen
class UnitNames:
    """What a unit defines outside of functions."""

    file: str
    """The source file; empty for what only symbol tables have."""
    names: tuple[tuple[str, NameKind], ...]
    unit: CompilationUnit | None = None
    """None for what only symbol tables have."""

    def files(self) -> set[str]:
        """Return the source files, as they are shown: the first one, and the others of the line
        table, headers and what #line names."""
        paths = (joined("", self.file), *(() if self.unit is None else _files_of_table(self.unit)))
        return {*paths} - {""}

    def has_file(self, file: str) -> bool:
        """Return whether the unit is one of a file that a path, perhaps without leading
        directories, denotes; False where that cannot be read."""
        from dwarfgpu.dwarf.line.line_lookup import is_of_file  # few names are in a file

        try:
            return self.unit is not None and is_of_file(self.unit, file)
        except DwarfGpuError:
            return False


def _files_of_table(unit: CompilationUnit) -> tuple[str, ...]:
    """Return the files of a line table; none of one that cannot be read, which is reported where
    its lines are asked for."""
    try:
        table = unit.line_table
        return () if table is None else tuple({file.shown_name: 0 for file in table.files})
    except DwarfGpuError:
        return ()


def source_files(code_object: CodeObject) -> Iterator[str]:
    """Yield the source files of all units, as they are shown; a file may be in several of them."""
    try:
        units = code_object.info.units
    except DwarfGpuError:
        return  # a header points outside of the file
    for unit in units:
        try:
            yield from UnitNames(unit.full.root.name or "", (), unit).files()
        except DwarfGpuError:
            continue  # what reads the unit reports it


def typed_names(
    code_object: CodeObject,
    word: str = "",
    most: int | None = None,
    is_match: Callable[[str], bool] | None = None,
) -> Iterator[UnitNames]:
    """Yield the names of every unit, then of the symbol tables; unreadable units are skipped.

    `word`: units without an identifier with this prefix may be skipped, too, and names of C and of
    symbol tables that do not begin with it. `most`: how many identifiers of a
    kind are needed from a unit at most, the first in alphabetical order. `is_match`: which names of
    functions are looked for: of those of C++ the first in the order of the file, in proportion to
    `most`.
    """
    try:
        units = tuple(_units(code_object.info, word))
    except DwarfGpuError:
        units = ()  # a header points outside of the file
    for unit in units:
        try:
            full = unit.full
            declared = _first(_of_unit(full, _Wanted(word, most, is_match), word), most)
            yield UnitNames(full.root.name or "", declared, unit)
        except (DwarfGpuError, RecursionError):
            continue  # what reads the unit reports it
    try:
        yield UnitNames("", _first(_symbols(code_object, word), most))
    except DwarfGpuError:
        return


def _units(info: DebugInfo, word: str) -> Iterable[CompilationUnit]:
    if not word:
        return info.units
    from dwarfgpu.dwarf.index.unit_names import kinds_of  # few commands look for part of a name

    kinds = kinds_of(_READ | {dw.TAG_ENUMERATOR}, CONTAINERS | CLASSES | _CONSTANTS)
    return units_with_word(info, word, kinds, is_beginning=True)


def _declared(
    entries: Iterable[Die], around: str, is_cplusplus: bool, wanted: _Wanted
) -> Iterator[tuple[str, NameKind]]:
    for die in entries:
        if die.unit.language == dw.LANG_D:
            yield from _with_module(die)
        if die.tag == dw.TAG_SUBPROGRAM:
            for name, kind in _function(die, is_cplusplus, wanted, is_inside=bool(around)):
                yield _in_module(die, name, around), kind
        elif die.tag in (dw.TAG_VARIABLE, dw.TAG_CONSTANT):
            if die.has(dw.AT_LOCATION) or die.has(dw.AT_CONST_VALUE):
                name = variable_name(die) if is_cplusplus else name_of(die) or ""
                yield _in_module(die, name, around), "variable"
        elif die.tag == dw.TAG_IMPORTED_DECLARATION:
            if die.name is not None and followed(die).tag == dw.TAG_NAMESPACE:
                yield f"{around}{die.name}", "namespace"
        elif die.tag in _TYPES:
            yield from _type(die, around, is_cplusplus, wanted)
        elif die.tag in CONTAINERS:
            name = die.name or ANONYMOUS
            yield f"{around}{name}", "namespace"
            inside = f"{around}{name}{die.unit.joint}"
            yield from _declared(die.children(_READ), inside, is_cplusplus, wanted)


def _in_module(die: Die, name: str, around: str) -> str:
    """Return the name of a function or variable of Rust with the modules around it, or the type or
    implementation, `{impl#0}`, whose method it is: without them it is known only there; one in a
    module of Fortran as GDB names it. Other names as they are."""
    if die.unit.style == "fortran":
        return f"{around}{name}"
    if die.unit.language != dw.LANG_RUST:
        return name
    return qualified_name(die) if die.has(dw.AT_SPECIFICATION) else f"{around}{name}"


def _with_module(die: Die) -> Iterator[tuple[str, NameKind]]:
    """Yield the name of a function or variable of D with the module and class that it is in, and of
    a class or enumeration the names of what is in it: without them they are known only there. What
    the compiler has added, `app.core.__ModuleInfo` in the module `app.core`, cannot be typed."""
    if die.flag(dw.AT_ARTIFICIAL):
        return
    if die.tag == dw.TAG_SUBPROGRAM and (die.has(dw.AT_LOW_PC) or die.has(dw.AT_RANGES)):
        *scopes, name = qualified(die)
        yield ".".join((*scopes, "main" if name == MAIN_OF_D else name)), "function"
    elif die.tag == dw.TAG_VARIABLE and die.has(dw.AT_LOCATION):
        yield qualified_name(die), "variable"
    elif die.tag == dw.TAG_ENUMERATION_TYPE and die.name is not None:
        for child in die.children((dw.TAG_ENUMERATOR,)):
            yield f"{qualified_name(die)}.{child.name or ''}", "enumerator"
    elif die.tag in CLASSES:
        for child in die.children(_READ):
            yield from _with_module(child)


def _function(
    die: Die, is_cplusplus: bool, wanted: _Wanted, *, is_inside: bool
) -> Iterator[tuple[str, NameKind]]:
    """Yield the name of a function that is wanted; `is_inside`: in a namespace or class, whose name
    is a part of it."""
    has_code = die.has(dw.AT_LOW_PC) or die.has(dw.AT_RANGES)
    if not (has_code or die.has(dw.AT_INLINE)):
        return
    mangled = die.linkage_name if is_cplusplus else None
    if mangled is not None and not wanted.takes(mangled):
        return
    name = name_of(die)
    if is_cplusplus:
        is_plain = _OTHER_NAMES.isdisjoint(die.abbreviation.positions)
        if is_plain and not is_inside and wanted.word not in (name or ""):
            return
        name = full_function_name(die)
    if name:
        wanted.count(name)
        yield name, "function" if has_code else "inlined function"


def _type(
    die: Die, around: str, is_cplusplus: bool, wanted: _Wanted
) -> Iterator[tuple[str, NameKind]]:
    name = die.name
    if die.flag(dw.AT_DECLARATION):
        if is_cplusplus and die.tag in CLASSES:  # around the type of a type unit
            inside = f"{around}{die.described.name}::"
            yield from _declared(die.children(_TYPES), inside, is_cplusplus, wanted)
        return
    if die.has(dw.AT_SPECIFICATION):
        around = scope_of(die)
    if die.tag == dw.TAG_BASE_TYPE:
        if name is not None:
            unit = die.unit
            is_c = unit.is_cplusplus or unit.language in dw.C
            yield _base_type_name(name) if is_c else name, "type"
    elif name is not None:
        if is_cplusplus and _RESPELLED.search(name):
            name = canonical(name, is_shown=True)
        elif is_cplusplus and "<" in name:
            name = _INTEGER.sub(_integer, name)
        yield around + name, _TYPES[die.tag]  # without something around it, no copy
    is_qualified = is_cplusplus or die.unit.language == dw.LANG_RUST
    inside = f"{around}{name}::" if is_qualified and name is not None else around
    if die.tag == dw.TAG_ENUMERATION_TYPE:
        is_scoped = die.flag(dw.AT_ENUM_CLASS) or not is_cplusplus
        inside = inside if is_scoped else around
        for child in die.children((dw.TAG_ENUMERATOR,)):
            if child.name is not None:
                yield inside + child.name, "enumerator"
    elif is_qualified and die.tag in CLASSES:
        yield from _declared(die.children(_TYPES), inside, is_cplusplus, wanted)
        for child in die.children(_CONSTANTS):
            if child.name is not None and child.has(dw.AT_CONST_VALUE):
                yield inside + child.name, "variable"


def _integer(match: re.Match[str]) -> str:
    """Return `unsigned long` of `long unsigned int`, as GDB has it."""
    return f"{(match[2] or '').strip()} {match[1]}".strip()


_base_type_name: Final = lru_cache(maxsize=256)(canonical)
"""Every unit of a program has the same few."""


def _of_unit(unit: CompilationUnit, wanted: _Wanted, word: str) -> Iterator[tuple[str, NameKind]]:
    """Yield the names of a unit: at least all that an identifier with a prefix is a part of, and
    the types that are built in, which are shown as `unsigned long`.

    Most names are read without an object for their entry.
    """
    tree, names, is_cplusplus = unit.tree, NamedEntries(unit), unit.is_cplusplus
    is_c = unit.language in dw.C
    plain: dict[Abbreviation, NameKind | None] = {}

    def begins(index: int) -> bool:
        name = names.name_at(index)
        if name is None:
            name = unit.die(index).name or ""
        return name.startswith(word)

    for index in tree.children(0):
        abbreviation = tree.abbreviations[index]
        if abbreviation.tag not in _READ:
            continue
        if abbreviation.tag in _ARRAYS and dw.AT_NAME not in abbreviation.positions:
            continue
        if abbreviation not in plain:
            plain[abbreviation] = _plain_kind(abbreviation, is_cplusplus)
        kind = plain[abbreviation]
        if kind is not None:
            try:
                name = names.name_at(index) or ""
            except DwarfGpuError:
                name = ""
            if name.isidentifier():
                if name.startswith(word):
                    yield name, kind
                continue
        if wanted.left == 0 and abbreviation.tag == dw.TAG_SUBPROGRAM:
            continue
        is_read = not word or not is_c or abbreviation.tag == dw.TAG_BASE_TYPE or begins(index)
        if is_read or (
            abbreviation.tag == dw.TAG_ENUMERATION_TYPE and any(map(begins, tree.children(index)))
        ):
            yield from _declared((unit.die(index),), "", is_cplusplus, wanted)
    if unit.style == "ada":
        yield from _nested_in_ada(names, tree.abbreviations, word)


def _nested_in_ada(
    names: NamedEntries, abbreviations: Sequence[Abbreviation], word: str
) -> Iterator[tuple[str, NameKind]]:
    """Yield the subprograms with code that are in packages and subprograms: gnat puts their names
    before these, by which they are known everywhere."""
    for index, name in names.with_names(lambda one: one.tag == dw.TAG_SUBPROGRAM):
        kind = _plain_kind(abbreviations[index], False) if "__" in name else None
        if kind is not None and name.startswith(word) and name.isidentifier():
            yield name, kind


def _plain_kind(abbreviation: Abbreviation, is_cplusplus: bool) -> NameKind | None:
    """Return the kind of entries of an abbreviation that are a variable or function with no other
    name than that in DW_AT_name; None of others: functions of C++ are shown with parameters."""
    positions = abbreviation.positions
    if dw.AT_NAME not in positions or not _OTHER_NAMES.isdisjoint(positions):
        return None
    if abbreviation.tag == dw.TAG_VARIABLE and abbreviation.has_location:
        return "variable"
    if abbreviation.tag != dw.TAG_SUBPROGRAM or is_cplusplus:
        return None
    if dw.AT_LOW_PC in positions or dw.AT_RANGES in positions:
        return "function"
    return "inlined function" if dw.AT_INLINE in positions else None


def _first(
    names: Iterable[tuple[str, NameKind]], most: int | None
) -> tuple[tuple[str, NameKind], ...]:
    """Return names, of the identifiers of each kind the first ones in alphabetical order; with
    None all. A long one, which many entries may share, is looked at once."""
    if most is None:
        return tuple(names)
    long_names: set[tuple[str, NameKind]] = set()
    out: list[tuple[str, NameKind]] = []
    identifiers: dict[NameKind, set[str]] = {}
    last: dict[NameKind, str] = {}
    """The last of the first `most` identifiers so far: no later one is needed."""
    for name, kind in names:
        if len(name) >= LONG_NAME_BYTES:
            if (name, kind) in long_names:
                continue
            long_names.add((name, kind))
        if not name.isidentifier():
            out.append((name, kind))
        elif kind not in last or name < last[kind]:
            known = identifiers.setdefault(kind, set())
            known.add(name)
            if len(known) >= 2 * most:
                first = nsmallest(most, known)
                identifiers[kind], last[kind] = set(first), first[-1]
    for kind, known in identifiers.items():
        out += [(name, kind) for name in nsmallest(most, known)]
    return tuple(out)


def _symbols(code_object: CodeObject, word: str) -> Iterator[tuple[str, NameKind]]:
    """Yield symbols by linker name, the only name known without debugging information."""
    for symbol in code_object.file.symbols:
        is_meant = symbol.is_in_section and symbol.name.startswith(word)
        if is_meant and _IDENTIFIER.fullmatch(symbol.name):
            is_code = symbol.kind == "function" or code_object.file.is_code(symbol.address)
            yield symbol.name, "code symbol" if is_code else "data symbol"
