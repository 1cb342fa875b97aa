"""Names of Pascal, in which the case of letters does not matter (ISO 7185 6.1.3). Free Pascal
writes them as they are declared, and in DWARF 2 in upper case.

Law: the nearest name counts, in whichever letters, and one of the code before one of a file in
another language, which has it only as it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import around
from dwarfgpu.dwarf.scope.imports import units_with_names
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Pointer, Struct, Type, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

_MOST: Final = 100_000
"""Entries of one scope that are looked at."""
_OBJECT: Final = {"self": "this"}
"""What Free Pascal calls the object of a method."""
_IDENTIFIER: Final = pattern(r"([^\W\d]\w*)")
_MOST_PARTS: Final = 4
"""Of the name of a function."""
_STATIC: Final = ("$_static_{}_", "_static_{}_")
"""What Free Pascal writes before the name of a class variable, which is in upper case:
`_static_tsquare_MADE`, with `$` before it in DWARF 3."""
_CLASSES: Final = (dw.TAG_CLASS_TYPE, dw.TAG_STRUCTURE_TYPE)


def pascal_spelling(session: Session, name: str) -> str:
    """Return the name that the file has for one in any case of letters; the name itself if nothing
    of Pascal has it."""
    if not name.isidentifier():
        return name
    lookup = session.meanings(name)
    folded = name.lower()
    for spelled in dict.fromkeys(_spellings(lookup, folded)):
        if _is_of_pascal(lookup, spelled):
            return spelled
    of_object = _OBJECT.get(folded)
    if of_object is None or not _is_of_pascal(session.meanings(of_object), of_object):
        return name
    return of_object


def _spellings(lookup: NameLookup, folded: str) -> Iterator[str]:
    """Yield how the scopes around the code, then its unit, then any unit, write a name."""
    enclosing = around(lookup.chain[0]) if lookup.chain else ()
    for scope in chain(reversed(lookup.chain), enclosing):
        if scope != scope.unit.root:
            yield from (name for name in _names(scope) if name.lower() == folded)
        if scope.tag in _CLASSES:
            yield from (before + folded.upper() for before in before_class_variables(_type(scope)))
    if lookup.unit is not None:
        yield from names_of_unit(lookup.unit).get(folded, ())
    for info in lookup.infos:
        for unit in units_of_pascal(info):
            yield from names_of_unit(unit).get(folded, ())


def spelled_in_any_case(info: DebugInfo, name: str) -> Iterator[str]:
    """Yield how the units of Pascal write a name, whose letters may be in any case: `TShape.Nest`
    for `tshape.nest`."""
    parts = _IDENTIFIER.split(name)  # with what is between them
    names = [part.lower() for part in parts[1::2]]
    if not names or len(names) > _MOST_PARTS:
        return
    units = [names_of_unit(unit) for unit in units_of_pascal(info)]
    spellings = [
        [*dict.fromkeys(spelled for unit in units for spelled in unit.get(part, ()))]
        for part in names
    ]
    for chosen in product(*spellings):
        parts[1::2] = chosen
        yield "".join(parts)


def before_class_variables(type_: Type | None) -> Iterator[str]:
    """Yield what is before the names of the class variables of a class, then of those from which it
    is derived."""
    struct_type = strip(type_)
    if isinstance(struct_type, Pointer):
        struct_type = strip(struct_type.target)
    for _ in range(MAX_CHAIN):
        if not isinstance(struct_type, Struct):
            return
        yield from (before.format((struct_type.name or "").lower()) for before in _STATIC)
        bases = [strip(member.type) for member in struct_type.index.bases]
        struct_type = next((base for base in bases if isinstance(base, Struct)), None)


def class_variables(session: Session, type_: Type) -> Iterator[str]:
    """Yield the names of the class variables that a class has, in lower case: Free Pascal writes
    them in upper case, whatever the source has."""
    units = [unit for item in session.loaded_objects() for unit in units_of_pascal(item.info)]
    for before in before_class_variables(type_):
        for unit in units:
            names = names_of_unit(unit)
            yield from (name[len(before) :] for name in names if name.startswith(before))


def _type(scope: Die) -> Type | None:
    try:
        return types_of(scope.unit).build(scope)
    except DwarfGpuError:
        return None


def _is_of_pascal(lookup: NameLookup, name: str) -> bool:
    """Return whether a name, as it is, means anything of Pascal."""
    try:
        if lookup.in_enclosing_functions(name) is not None:
            return True
        return any(meaning.unit.style == "pascal" for meaning in lookup.of(name))
    except UsageError:
        return True  # several have it
    except DwarfGpuError:
        return False  # the search for its meanings raises it


@kept_with(first)
def names_of_unit(unit: CompilationUnit) -> Mapping[str, tuple[str, ...]]:
    """Return the names of a unit by themselves in lower case; none where it cannot be read."""
    names: dict[str, list[str]] = {}
    try:
        for name in named_entries(unit).by_name:
            names.setdefault(name.lower(), []).append(name)
    except DwarfGpuError:
        return {}
    return {folded: tuple(spelled) for folded, spelled in names.items()}


@kept_with(first)
def units_of_pascal(info: DebugInfo) -> tuple[CompilationUnit, ...]:
    return tuple(filter(_is_pascal, units_with_names(info)))


def _is_pascal(unit: CompilationUnit) -> bool:
    try:
        return unit.style == "pascal"
    except DwarfGpuError:
        return False


def _names(scope: Die) -> Iterator[str]:
    """Yield the names of the entries of a scope, and of the enumerators of its types."""
    try:
        for child in islice(scope.children(), _MOST):
            if child.name is not None:
                yield child.name
            if child.tag == dw.TAG_ENUMERATION_TYPE:
                yield from (inner.name for inner in child.children() if inner.name is not None)
    except DwarfGpuError:
        return  # the search for its meanings raises it
