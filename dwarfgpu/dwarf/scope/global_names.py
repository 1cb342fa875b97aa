"""The names that a code object declares outside of functions and classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final, Literal

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.errors import DwarfGpuError

Kind = Literal["function", "variable", "type"]

_KINDS: Final[dict[int, Kind]] = {
    dw.TAG_SUBPROGRAM: "function",
    dw.TAG_VARIABLE: "variable",
    dw.TAG_BASE_TYPE: "type",
    dw.TAG_TYPEDEF: "type",
    dw.TAG_STRUCTURE_TYPE: "type",
    dw.TAG_CLASS_TYPE: "type",
    dw.TAG_UNION_TYPE: "type",
    dw.TAG_ENUMERATION_TYPE: "type",
}
_MOST: Final = 10_000
_AROUND: Final = frozenset({dw.TAG_NAMESPACE, dw.TAG_MODULE})


def names_of(code_object: CodeObject) -> Iterator[tuple[str, Kind]]:
    """The names and what they are; units that cannot be read are left out."""
    for unit in code_object.info.units:
        try:
            yield from _declared(unit.root.children(), "")
        except DwarfGpuError:
            continue  # what reads the unit reports it


def first_names(code_objects: Iterable[CodeObject], kinds: tuple[Kind, ...]) -> Iterator[str]:
    """The names of these kinds among the first that code objects declare: no more than can be read
    at once."""
    declared = chain.from_iterable(names_of(each) for each in code_objects)
    return (name for name, kind in islice(declared, _MOST) if kind in kinds)


def in_namespaces(code_objects: Iterable[CodeObject], name: str) -> Iterator[str]:
    """The qualified names of the variables that have a name."""
    for each in code_objects:
        found = each.scopes.global_named(name)
        if found is not None and qualified_name(found.die) != name:
            yield qualified_name(found.die)


def _declared(entries: Iterable[Die], around: str) -> Iterator[tuple[str, Kind]]:
    for die in entries:
        name = die.name
        if name is None:
            continue
        if die.tag in _KINDS:
            yield f"{around}{name}", _KINDS[die.tag]
        elif die.tag in _AROUND:
            yield from _declared(die.children(), f"{around}{name}::")
