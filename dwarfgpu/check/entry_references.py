"""References between entries: attributes that refer to no entry, and types and origins that are
none.

Law: a reference into the unit of the entry is looked up when the unit has been read, one into
another unit, to a type unit or into the supplementary file when all have; each target once for each
unit.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.check.attributes import attribute_name
from dwarfgpu.check.entry_chains import OF_ENTRIES, EntryChains, closing_edges
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.forms import FORMS, read_uleb
from dwarfgpu.dwarf.reference_targets import Refused, refused_targets, tag_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_file_protocol import UnitFile
from dwarfgpu.dwarf.unit_walk import walk
from dwarfgpu.errors import DwarfGpuError, IllFormed
from dwarfgpu.expr.static_check.severity import Severity

_INDEX_BITS: Final = 32
"""A reference is the attribute and the index of its entry in one number, as there are many.

The index has the low bits: files give attributes numbers of any size."""
_IMPORTED_UNITS: Final = refused_targets(dw.AT_IMPORT, dw.TAG_IMPORTED_UNIT)
"""By which the references of those are known: no other entry has the same."""
_SUPPLEMENTARY: Final = frozenset(
    form for form, (kind, _) in FORMS.items() if kind == "supplementary_reference"
)
FORMS_BEYOND: Final = _SUPPLEMENTARY | {dw.FORM_REF_ADDR}
"""Of references to entries of any unit: these are looked for when all units have been read."""
_ITSELF: Final = "the imported units of the unit lead back to it"


@frozen
class BadReference:
    """A reference that leads nowhere."""

    index: int
    """Of the entry in its unit."""
    attribute: str
    """With DW_AT_."""
    message: str
    severity: Severity | None = None
    """None for that of the rule."""


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

    supplementary: dict[Refused, dict[int, int]] = field(init=False, factory=dict)
    """The same for the supplementary file (DWARF 5 7.3.6)."""
    signatures: dict[int, int] = field(init=False, factory=dict)
    """Signatures of type units, with the first reference to each."""

    def targets(self, form: int, number: int, tag: int) -> dict[int, int]:
        """Return the targets of an attribute of a form so far, of entries of a tag."""
        if form == dw.FORM_REF_SIG8:
            return self.signatures
        targets = self.beyond if form == dw.FORM_REF_ADDR else self.within
        if form in _SUPPLEMENTARY:
            targets = self.supplementary
        return targets.setdefault(refused_targets(number, tag), {})

    def add(self, targets: dict[int, int], value: int, index: int, number: int) -> None:
        """Note a target that is new."""
        targets[value] = number << _INDEX_BITS | index

    def bad_within(self) -> list[BadReference]:
        """Return the bad references into the unit, after all its entries were read."""
        if not self.within:
            return []
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
        own = self.within.get(_IMPORTED_UNITS, {}).get(unit.header.entries_at - unit.offset)
        return [*bad, *([] if own is None else [_bad(own, _ITSELF)]), *self._circular()]

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
        abbreviation = self.unit.abbreviations[code]
        links = dict(OF_ENTRIES)
        if abbreviation.tag == dw.TAG_IMPORTED_DECLARATION:
            links[dw.AT_IMPORT] = "imported declarations"
        for number, words in links.items():
            if number in abbreviation.positions:
                try:
                    origin = self.unit.die(index).reference(number)
                except DwarfGpuError:  # reported where it is looked up
                    return None, None
                if origin is None or origin.unit is not self.unit:
                    return None, None
                message = f"the {words} of the entry at offset {offset:#x} lead back to it"
                reference = _bad(number << _INDEX_BITS | index, message)
                return reference, origin.offset
        return None, None

    def forget_unit(self) -> None:
        """Free what `bad_within` needs."""
        self.offsets, self.within = array("Q"), {}

    def bad_beyond(self, entries: EntriesOfUnits) -> Iterator[BadReference]:
        """Yield the bad references to entries of any unit."""
        info = self.unit.info
        yield from self._without_target(self.beyond, info, entries)
        known, continues = entries.known(info), entries.chains.continues
        for targets in self.beyond.values():
            for value, first in targets.items():
                abbreviation = known.get(value)
                if (
                    abbreviation is not None
                    and continues(abbreviation)
                    and (problem := entries.circle(info, value)) is not None
                ):
                    yield _bad(first, problem)
        for value, first in self.beyond.get(_IMPORTED_UNITS, {}).items():
            if (self.unit, info.unit_at(value)) in entries.circular_imports:
                yield _bad(first, _ITSELF)

    @staticmethod
    def _without_target(
        referred: dict[Refused, dict[int, int]],
        info: UnitFile,
        entries: EntriesOfUnits,
        where: str = "",
    ) -> Iterator[BadReference]:
        """Yield the references to what is no valid target in a file. `where`: before the reason."""
        known = entries.known(info)
        for refused, targets in referred.items():
            for value, first in targets.items():
                abbreviation = known.get(value)
                if abbreviation is not None and abbreviation.tag not in refused:  # nearly all
                    continue
                problem = entries.problem(info, value, refused)
                if problem is not None:
                    yield _bad(first, where + problem)

    @property
    def is_leading_out(self) -> bool:
        """Whether a reference leads out of the unit."""
        return bool(self.beyond or self.signatures or self.supplementary)

    def bad_supplementary(self, entries: EntriesOfUnits) -> Iterator[BadReference]:
        """Yield the bad references into the supplementary file; one, where the file names none.

        Raises `MissingContext` and `InconsistentContext` where that file is not found.
        """
        if not self.supplementary:
            return
        try:
            info = self.unit.info.supplementary
        except IllFormed as error:
            first = min(min(targets.values()) for targets in self.supplementary.values())
            yield _bad(first, error.message)
            return
        where = "in the supplementary file "
        yield from self._without_target(self.supplementary, info, entries, where)

    def bad_signatures(self, chains: EntryChains, is_whole: bool) -> list[BadReference]:
        """Return the bad references to types of type units; those to none only if `is_whole`: if
        the headers of all units can be read."""
        bad = []
        for signature, first in self.signatures.items():
            try:
                entry = chains.of_signature(self.unit, signature)
                problem = None if entry is None else chains.circle(entry)
            except IllFormed as error:
                if is_whole:
                    bad.append(_bad(first, error.message, "warning"))
                continue
            except DwarfGpuError:  # in a file that is not found, which is reported
                continue
            if problem is not None:
                bad.append(_bad(first, problem))
        return bad


@define(eq=False)
class EntriesOfUnits:
    """Which offsets are entries of other units: a unit that was not read to its end, or has none at
    some of them, is read again, once."""

    _read_entries: dict[UnitFile, array[int]] = field(init=False, factory=dict)
    """The offsets of the entries of the units that were read."""
    _wanted: dict[UnitFile, set[int]] = field(init=False, factory=dict)
    _known: dict[UnitFile, dict[int, Abbreviation]] = field(init=False, factory=dict)
    """Those of the wanted offsets where an entry starts, and its abbreviation."""
    _unread: set[CompilationUnit] = field(init=False, factory=set)
    """Units whose entries cannot be read to the end."""
    chains: EntryChains = field(init=False, factory=EntryChains)
    _imports: dict[CompilationUnit, list[CompilationUnit]] = field(init=False, factory=dict)
    """The units that each unit imports."""
    _circular_imports: set[tuple[CompilationUnit, CompilationUnit]] | None = field(
        init=False, default=None
    )

    def add_entries(self, references: EntryReferences) -> None:
        """Add the entries of a unit that was read to its end."""
        unit = references.unit
        if unit.header.section == ".debug_info":  # others have offsets of their own
            self._read_entries.setdefault(unit.info, array("Q")).extend(references.offsets)

    def add(self, references: EntryReferences) -> None:
        """Add the targets of a unit, before the first problem is asked for."""
        unit, imported = references.unit, references.beyond.get(_IMPORTED_UNITS, {})
        targets_of = map(unit.info.unit_at, imported)
        self._imports[unit] = [target for target in targets_of if target is not None]
        for targets in references.beyond.values():
            self._wanted.setdefault(unit.info, set()).update(targets)
        if references.supplementary:
            try:
                supplementary = unit.info.supplementary
            except DwarfGpuError:
                return  # `bad_supplementary` says why
            for targets in references.supplementary.values():
                self._wanted.setdefault(supplementary, set()).update(targets)

    @property
    def circular_imports(self) -> set[tuple[CompilationUnit, CompilationUnit]]:
        """One import of each circle of units, as the unit and the one that it imports."""
        if self._circular_imports is None:
            self._circular_imports = set(closing_edges(self._imports))
        return self._circular_imports

    def problem(self, info: UnitFile, offset: int, refused: Refused) -> str | None:
        """Return why an offset in a section is not a valid target; None if it is, or unknown."""
        known = self.known(info)
        unit = info.unit_at(offset)
        if unit is None:
            return f"offset {offset:#x} is not in any unit"
        if unit in self._unread:
            return None
        return _problem(unit, offset, known.__contains__, refused)

    def known(self, info: UnitFile) -> dict[int, Abbreviation]:
        """Return those of the targets in a file where an entry starts, and its abbreviation, after
        all targets were added."""
        known = self._known.get(info)
        if known is None:
            known = self._known[info] = self._find(info)
        return known

    def circle(self, info: UnitFile, offset: int) -> str | None:
        """Return that an entry leads back to itself, if the one at an offset leads to it through
        other units; None if none does, or it was returned before."""
        unit = info.unit_at(offset)
        if unit is None or offset not in self._known.get(info, ()):
            return None  # reported
        return self.chains.circle((unit, offset))

    def _find(self, info: UnitFile) -> dict[int, Abbreviation]:
        wanted = self._wanted.pop(info, set())
        starts = wanted.intersection(self._read_entries.pop(info, ()))
        known = dict[int, Abbreviation]()
        unit: CompilationUnit | None = None
        end = 0
        for offset in sorted(starts):
            if offset >= end or unit is None:
                unit = info.unit_at(offset)
                if unit is None:
                    continue
                end, data, abbreviations = unit.end, unit.data, unit.abbreviations
            code = data[offset]
            if code >= 0x80:
                code, _ = read_uleb(data, offset, end)
            known[offset] = abbreviations[code]
        self._read_again(info, wanted - starts, known)
        return known

    def _read_again(
        self, info: UnitFile, wanted: Iterable[int], known: dict[int, Abbreviation]
    ) -> None:
        """Add the entries at other offsets to those that are known."""
        of_units: dict[CompilationUnit, set[int]] = {}
        for offset in wanted:
            unit = info.unit_at(offset)
            if unit is not None:
                of_units.setdefault(unit, set()).add(offset)
        for unit, offsets in of_units.items():
            try:
                rows = walk(unit.data, unit.header.entries_at, unit.end, unit.abbreviations)
                known.update((offset, shape) for offset, shape, _ in rows if offset in offsets)
            except DwarfGpuError:  # reported where it is read
                self._unread.add(unit)


def _bad(first: int, message: str, severity: Severity | None = None) -> BadReference:
    number = first >> _INDEX_BITS
    return BadReference(first & (1 << _INDEX_BITS) - 1, attribute_name(number), message, severity)


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
