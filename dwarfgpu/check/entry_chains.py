"""Entries that lead back to themselves through other units: origins, extensions of namespaces,
imported declarations, types, and the declarations of types in type units (DWARF 5 2.13.2, 3.2.2,
3.2.3, 3.3.8.1, 5.3, 5.7).

Law: an entry is followed once, and alone: no other entry of its unit is read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias, TypeVar

from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, ValueReader
from dwarfgpu.dwarf.forms import FORMS, indirect_attribute, read_uleb
from dwarfgpu.dwarf.types.type_entries import QUALIFIERS
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

EntryOfUnit: TypeAlias = tuple[CompilationUnit, int]
"""A unit, and the offset of one of its entries in the section."""

AT_EXTENSION: Final = 0x54
OF_ENTRIES: Final = {
    dw.AT_ABSTRACT_ORIGIN: "origins",
    dw.AT_SPECIFICATION: "origins",
    AT_EXTENSION: "namespaces before it",
    dw.AT_SIGNATURE: "definitions",
}
"""Attributes by which an entry continues another one, and what those are."""


def chain_of(tag: int) -> tuple[int, str] | None:
    """Return an attribute by which entries of a tag alone lead to another, and what that is."""
    if tag == dw.TAG_IMPORTED_DECLARATION:
        return dw.AT_IMPORT, "imported declarations"
    return (dw.AT_TYPE, "types") if tag in TYPES_OF_ONE else None


_Link: TypeAlias = tuple[ValueReader, str]
"""What reads the reference of an entry to the one that it continues, and what that is."""


def _link_of(abbreviation: Abbreviation) -> _Link | None:
    """Return how the entries of an abbreviation lead to another one; None where they do not."""
    links, positions = dict(OF_ENTRIES), abbreviation.positions
    own = chain_of(abbreviation.tag)
    if own is not None:
        links[own[0]] = own[1]
    number = next((number for number in links if number in positions), None)
    if number is None:  # nearly always
        return None
    try:
        return abbreviation.value(positions[number]), links[number]
    except DwarfGpuError:  # reported where it is read
        return None


TYPES_OF_ONE: Final = frozenset(
    {
        *dw.TYPEDEFS, *QUALIFIERS, dw.TAG_ARRAY_TYPE, dw.TAG_SUBRANGE_TYPE,
        dw.TAG_ENUMERATION_TYPE,
    }
)  # fmt: skip
"""Types whose values are those of the type at their DW_AT_type."""


@define(eq=False)
class EntryChains:
    """The chains of entries that were followed."""

    type_units: set[CompilationUnit] = field(init=False, factory=set)
    """Those whose type is an entry."""
    _followed: dict[CompilationUnit, dict[int, int]] = field(init=False, factory=dict)
    """The entries that were followed, by their offsets, and in which chain: there may be a million,
    so nothing else is kept of them."""
    _count: int = field(init=False, default=0)
    """The number of chains."""
    _links: dict[Abbreviation, _Link | None] = field(init=False, factory=dict)
    """How the entries of an abbreviation lead to another one; None where they do not."""

    def continues(self, abbreviation: Abbreviation) -> bool:
        """Return whether the entries of an abbreviation lead to another one."""
        return self._link(abbreviation) is not None

    def circle(self, start: EntryOfUnit) -> str | None:
        """Return that an entry leads back to itself, if the given one leads to it through
        other units; None if none does, or if it was returned before."""
        self._count = number = self._count + 1
        following, unit, of_unit = start, None, dict[int, int]()
        while True:
            if following[0] is not unit:
                unit = following[0]
                of_unit = self._followed.setdefault(unit, {})
            earlier = of_unit.setdefault(following[1], 0)
            if earlier:
                return self._circular(following) if earlier == number else None
            of_unit[following[1]] = number
            link = self._next(following)
            if link is None:
                return None
            following = link[0]

    def _circular(self, start: EntryOfUnit) -> str | None:
        """Return that an entry leads back to itself, as it does; None if in its unit."""
        following, is_outside, words = start, False, ""
        while following != start or not words:
            link = self._next(following)
            assert link is not None
            following, is_outside, words = link[0], is_outside or link[1], words or link[2]
        if not is_outside:
            return None  # reported with the unit
        return f"the {words} of the entry at offset {start[1]:#x} lead back to it"

    def of_signature(self, unit: CompilationUnit, signature: int) -> EntryOfUnit | None:
        """Return the type of a signature; None if unknown. `IllFormed` if there is none."""
        type_unit = unit.info.type_unit(signature)
        if type_unit not in self.type_units or type_unit.header.type_offset is None:
            return None
        return type_unit, type_unit.offset + type_unit.header.type_offset

    def _next(self, entry: EntryOfUnit) -> tuple[EntryOfUnit, bool, str] | None:
        """Return the entry that another one continues, whether the reference may leave the
        unit, and what that entry is."""
        unit, offset = entry
        try:
            code, values_at = read_uleb(unit.data, offset, unit.end)
            abbreviation = unit.abbreviations.get(code)
            link = None if abbreviation is None else self._link(abbreviation)
            if abbreviation is None or link is None:  # nearly always
                return None
            reader, words = link
            form, kind, read, _ = reader
            value = read(unit.data, values_at, unit.end)
            if kind == "indirect":
                assert isinstance(value, int)
                form, kind, value = indirect_attribute(unit.data, value, unit.end, unit.format)
            target = self._target(unit, form, value)
        except DwarfGpuError:  # reported where it is read
            return None
        if target is None:
            return None
        return target, kind != "unit_reference", words

    def _link(self, abbreviation: Abbreviation) -> _Link | None:
        try:
            return self._links[abbreviation]
        except KeyError:
            link = self._links[abbreviation] = _link_of(abbreviation)
            return link

    def _target(self, unit: CompilationUnit, form: int, value: object) -> EntryOfUnit | None:
        if not isinstance(value, int):
            return None
        if form == dw.FORM_REF_SIG8:
            return self.of_signature(unit, value)
        if form == dw.FORM_REF_ADDR:
            other = unit.info.unit_at(value)
            return None if other is None else (other, value)
        return (unit, unit.offset + value) if FORMS[form][0] == "unit_reference" else None


Node = TypeVar("Node", bound=Hashable)


def closing_edges(graph: Mapping[Node, Iterable[Node]]) -> Iterator[tuple[Node, Node]]:
    """Yield an edge of each circle of a graph: where a search in depth comes back to its path."""
    finished, on_path = set[Node](), set[Node]()
    for start in graph:
        if start in finished:
            continue
        path = [(start, iter(graph[start]))]
        on_path.add(start)
        while path:
            node, targets = path[-1]
            target = next(targets, None)
            if target is None:
                path.pop()
                on_path.remove(node)
                finished.add(node)
            elif target in on_path:
                yield node, target
            elif target in graph and target not in finished:
                on_path.add(target)
                path.append((target, iter(graph[target])))
