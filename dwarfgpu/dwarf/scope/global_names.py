"""Names that a code object declares outside functions and classes.

Law: a file does not change while it is open, so that the first names of a small one are read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final
from weakref import WeakKeyDictionary

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import MAX_AROUND, Kind, declaration_of
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.dwarf.scope.scope_entries import CONTAINERS
from dwarfgpu.dwarf.scope.variable_names import shown_name, variable_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError


@frozen
class GlobalName:
    """What is declared outside functions and classes."""

    simple: str
    qualified: str
    """As its language writes it."""
    kind: Kind


_KINDS: Final[dict[int, Kind]] = {
    dw.TAG_SUBPROGRAM: "function",
    dw.TAG_VARIABLE: "variable",
    dw.TAG_BASE_TYPE: "type",
    dw.TAG_TYPEDEF: "type",
    dw.TAG_TEMPLATE_ALIAS: "type",
    dw.TAG_STRUCTURE_TYPE: "struct",
    dw.TAG_CLASS_TYPE: "struct",
    dw.TAG_UNION_TYPE: "union",
    dw.TAG_INTERFACE_TYPE: "struct",
    dw.TAG_ENUMERATION_TYPE: "enum",
}
_MOST: Final = 10_000
_FEW_UNITS: Final = 64
"""If there are fewer units, all are read."""
_MAX_UNITS_PER_STRING: Final = 4
"""Units that are read for a name."""
_KNOWN: Final[WeakKeyDictionary[CodeObject, tuple[GlobalName, ...]]] = WeakKeyDictionary()


def names_of(code_object: CodeObject, similar_to: str | None = None) -> Iterator[GlobalName]:
    """Yield the names; unreadable units are skipped, and so are units without a
    name similar to a given one, if their bytes show it. With `similar_to` they are the first."""
    info = code_object.info
    units = None if similar_to is None else _units_with_similar_names(info, similar_to)
    if similar_to is not None and len(info.units) < _FEW_UNITS:
        yield from _first_of(code_object)
        return
    yield from _names_in(info.reported_units() if units is None else units)


def _first_of(code_object: CodeObject) -> tuple[GlobalName, ...]:
    """Return the first names of a file with few units, which are compared with each unknown
    name."""
    names = _KNOWN.get(code_object)
    if names is None:
        names = tuple(islice(_names_in(code_object.info.reported_units()), _MOST))
        _KNOWN[code_object] = names
    return names


def _names_in(units: Iterable[CompilationUnit]) -> Iterator[GlobalName]:
    for unit in units:
        try:
            yield from _declared(unit)
        except DwarfGpuError:
            continue  # what reads the unit reports it


def _units_with_similar_names(info: DebugInfo, name: str) -> list[CompilationUnit] | None:
    """Return the units of a large file that contain similar names; None for any unit."""
    if len(info.units) < _FEW_UNITS or not info.strings.is_conclusive:
        return None
    similar_units: dict[CompilationUnit, None] = {}
    for text in info.strings.similar(name):
        units = info.strings.units(text + b"\0")
        if units is None:
            return None
        similar_units |= dict.fromkeys(units[:_MAX_UNITS_PER_STRING])
    return list(similar_units)


def first_names(
    code_objects: Iterable[CodeObject],
    kinds: tuple[Kind, ...],
    similar_to: str | None = None,
) -> Iterator[tuple[str, Kind]]:
    """Return the names of these kinds, with the kind, among the first declarations of code objects:
    as many as can be read at once; with `similar_to` perhaps only those of units with a name
    similar to it."""
    declared = chain.from_iterable(
        names_of(code_object, similar_to) for code_object in code_objects
    )
    first = islice(declared, _MOST)
    return ((name.qualified, name.kind) for name in first if name.kind in kinds)


def in_namespaces(code_objects: Iterable[CodeObject], name: str) -> Iterator[str]:
    """Return the qualified names of the variables with a name."""
    for code_object in code_objects:
        variable = global_named(code_object.info, name)
        if variable is not None and variable_name(variable.die) != name:
            yield shown_name(variable_name(variable.die), variable.die)


def _declared(unit: CompilationUnit) -> Iterator[GlobalName]:
    """Yield the names of the entries of a unit and of those in its namespaces, qualified as
    `qualified_name` does. Namespaces may be nested deeper than Python calls, so there is no
    recursion."""
    levels = [iter(unit.root.children())]
    around: list[str] = []
    while levels:
        die = next(levels[-1], None)
        if die is None:
            levels.pop()
            del around[-1:]
            continue
        name = die.name
        if name is None:
            continue
        if die.tag == dw.TAG_VARIABLE and _is_declared_in_scope(die):
            continue  # its declaration has the whole name
        if die.tag in _KINDS:
            qualified = unit.joint.join((*around[-MAX_AROUND:], name))
            yield GlobalName(name, qualified, _KINDS[die.tag])
        elif die.tag in CONTAINERS:
            levels.append(iter(die.children()))
            around.append(name)


def _is_declared_in_scope(die: Die) -> bool:
    """Return whether an entry completes a declaration in a namespace or class with a name."""
    above = declaration_of(die).parent() if die.has(dw.AT_SPECIFICATION) else None
    return above is not None and above.parent() is not None and above.name is not None
