"""References between entries: attributes that refer to no entry, and types and origins that are
none.

Law: a reference into the unit of the entry is looked up when the unit has been read, one into
another unit when all have; each target once for each unit. References to type units and into
supplementary files are not looked up: those may be elsewhere.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.check.attributes import REFERENCES, tag_name
from dwarfgpu.check.reference_targets import Refused, refused_targets
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import FORMS, read_uleb
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_file_protocol import UnitFile
from dwarfgpu.dwarf.unit_walk import walk
from dwarfgpu.errors import DwarfGpuError

_INDEX_BITS: Final = 32
"""A reference is the attribute and the index of its entry in one number, as there are many.

The index has the low bits: files give attributes numbers of any size."""


@frozen
class BadReference:
    """A reference that leads nowhere."""

    index: int
    """Of the entry in its unit."""
    attribute: str
    """With DW_AT_."""
    message: str


@define(eq=False)
class EntryReferences:
    """The references of the entries of one unit."""

    unit: CompilationUnit
    offsets: array[int] = field(init=False, factory=lambda: array("Q"))
    """The offset of each entry of the unit that was read."""
    within: dict[Refused, dict[int, int]] = field(init=False, factory=dict)
    """Targets as offsets from the start of the unit, with the first reference to each, by what they
    must not be."""
    beyond: dict[Refused, dict[int, int]] = field(init=False, factory=dict)
    """The same for targets as offsets from the start of the section."""

    def targets(self, form: int, number: int, tag: int) -> dict[int, int]:
        """Return the targets of an attribute of a form so far, of entries of a tag."""
        targets = self.beyond if form == dw.FORM_REF_ADDR else self.within
        return targets.setdefault(refused_targets(number, tag), {})

    def add(self, targets: dict[int, int], value: int, index: int, number: int) -> None:
        """Note a target that is new."""
        targets[value] = number << _INDEX_BITS | index

    def bad_within(self) -> list[BadReference]:
        """Return the bad references into the unit, after all its entries were read."""
        offsets, unit = self.offsets, self.unit

        def is_entry(offset: int) -> bool:
            index = bisect_left(offsets, offset)
            return index < len(offsets) and offsets[index] == offset

        bad = [
            _bad(first, problem)
            for refused, targets in self.within.items()
            for value, first in targets.items()
            if (problem := _problem(unit, unit.offset + value, is_entry, refused)) is not None
        ]
        return bad + self._circular()

    def _circular(self) -> list[BadReference]:
        """Return one reference of each circle of origins and specifications in the unit."""
        bad, visited = [], set[int]()
        for value in sorted({value for targets in self.within.values() for value in targets}):
            offset: int | None = self.unit.offset + value
            chain = dict[int, BadReference]()
            while offset is not None and offset not in visited:
                visited.add(offset)
                start, (reference, offset) = offset, self._origin(offset)
                if reference is not None:
                    chain[start] = reference
            if offset is not None and offset in chain:
                bad.append(chain[offset])
        return sorted(bad, key=lambda reference: reference.index)

    def _origin(self, offset: int) -> tuple[BadReference | None, int | None]:
        """Return the reference from an entry to its origin, and the origin, if it has one in the
        unit."""
        index = bisect_left(self.offsets, offset)
        if index == len(self.offsets) or self.offsets[index] != offset:
            return None, None  # reported
        code, _ = read_uleb(self.unit.data, offset, self.unit.end)
        positions = self.unit.abbreviations[code].positions
        for number in (dw.AT_ABSTRACT_ORIGIN, dw.AT_SPECIFICATION):
            if number in positions:
                try:
                    origin = self.unit.die(index).reference(number)
                except DwarfGpuError:  # reported where it is looked up
                    return None, None
                if origin is None or origin.unit is not self.unit:
                    return None, None
                message = f"the origins of the entry at offset {offset:#x} lead back to it"
                reference = _bad(number << _INDEX_BITS | index, message)
                return reference, origin.offset
        return None, None

    def forget_unit(self) -> None:
        """Free what `bad_within` needs."""
        self.offsets, self.within = array("Q"), {}

    def bad_beyond(self, entries: EntriesOfUnits) -> list[BadReference]:
        """Return the bad references to entries of any unit."""
        return [
            _bad(first, problem)
            for refused, targets in self.beyond.items()
            for value, first in targets.items()
            if (problem := entries.problem(self.unit.info, value, refused)) is not None
        ] + [
            _bad(first, f"the origins of the entry at offset {circular:#x} lead back to it")
            for targets in self.beyond.values()
            for value, first in targets.items()
            if (circular := entries.circle(self.unit.info, value)) is not None
        ]


@define(eq=False)
class EntriesOfUnits:
    """Which offsets are entries of other units: each unit is read again, once, if at all."""

    _wanted: dict[UnitFile, set[int]] = field(init=False, factory=dict)
    _known: dict[UnitFile, set[int]] = field(init=False, factory=dict)
    """Those of the wanted offsets where an entry starts."""
    _unread: set[CompilationUnit] = field(init=False, factory=set)
    """Units whose entries cannot be read to the end."""
    _followed: set[tuple[UnitFile, int]] = field(init=False, factory=set)
    """Entries whose origins were followed."""

    def add(self, references: EntryReferences) -> None:
        """Add the targets of a unit, before the first problem is asked for."""
        for targets in references.beyond.values():
            self._wanted.setdefault(references.unit.info, set()).update(targets)

    def problem(self, info: UnitFile, offset: int, refused: Refused) -> str | None:
        """Return why an offset in a section is not a valid target; None if it is, or unknown."""
        known = self._known.get(info)
        if known is None:
            known = self._known[info] = self._read(info)
        unit = info.unit_at(offset)
        if unit is None:
            return f"offset {offset:#x} is not in any unit"
        if unit in self._unread:
            return None
        return _problem(unit, offset, known.__contains__, refused)

    def circle(self, info: UnitFile, offset: int) -> int | None:
        """Return an entry to which its own origins and specifications lead through other units, if
        the entry at an offset leads to it; None if none does, or it was returned before."""
        if offset not in self._known.get(info, ()):
            return None  # reported
        chain = dict[int, bool]()
        """Whether the origin of an entry is in another unit."""
        following: int | None = offset
        while following is not None and (info, following) not in self._followed:
            self._followed.add((info, following))
            start, (following, is_beyond) = following, _origin(info, following)
            chain[start] = is_beyond
        if following is None or following not in chain:
            return None
        entries = list(chain)
        circle = entries[entries.index(following) :]
        return following if any(map(chain.__getitem__, circle)) else None

    def _read(self, info: UnitFile) -> set[int]:
        of_units: dict[CompilationUnit, set[int]] = {}
        for offset in self._wanted[info]:
            unit = info.unit_at(offset)
            if unit is not None:
                of_units.setdefault(unit, set()).add(offset)
        known = set[int]()
        for unit, wanted in of_units.items():
            try:
                rows = walk(unit.data, unit.header.entries_at, unit.end, unit.abbreviations)
                known.update(offset for offset, _, _ in rows if offset in wanted)
            except DwarfGpuError:  # reported where it is read
                self._unread.add(unit)
        return known


def _origin(info: UnitFile, offset: int) -> tuple[int | None, bool]:
    """Return the origin or specification of the entry at an offset in a section, without the other
    entries of its unit, and whether it may be in another unit."""
    unit = info.unit_at(offset)
    if unit is None:
        return None, False
    try:
        code, _ = read_uleb(unit.data, offset, unit.end)
        abbreviation = unit.abbreviations.get(code)
        positions = {} if abbreviation is None else abbreviation.positions
        position = positions.get(dw.AT_ABSTRACT_ORIGIN, positions.get(dw.AT_SPECIFICATION))
        if abbreviation is None or position is None:  # nearly always
            return None, False
        _, _, values = next(walk(unit.data, offset, unit.end, unit.abbreviations))
    except DwarfGpuError:  # reported where it is read
        return None, False
    form, value = abbreviation.attributes[position].form, values[position]
    if form == dw.FORM_REF_ADDR and isinstance(value, int):
        return value, True
    if FORMS[form][0] == "unit_reference" and isinstance(value, int):
        return unit.offset + value, False
    return None, False


def _bad(first: int, message: str) -> BadReference:
    number = first >> _INDEX_BITS
    name = REFERENCES.get(number, f"{number:#x}")
    index = first & (1 << _INDEX_BITS) - 1
    return BadReference(index, f"DW_AT_{name}", message)


def _problem(
    unit: CompilationUnit, offset: int, is_entry: Callable[[int], bool], refused: Refused
) -> str | None:
    if not is_entry(offset):
        return f"no entry starts at offset {offset:#x}"
    if not refused:
        return None
    code, _ = read_uleb(unit.data, offset, unit.end)
    tag = unit.abbreviations[code].tag
    if tag in refused:
        return f"the entry at offset {offset:#x} is a {tag_name(tag)}"
    return None
