"""The entries of one unit by name, those that complete others, and those that import names.

A few names are looked for in the bytes of the unit, as offsets of `.debug_str` or as text, and only
the entries with these bytes are read; for more of them the names of all entries are read once.

Law: both ways find the same entries. Where the forms of a unit do not show its names, all are read.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from itertools import islice
from operator import gt
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.string_index import spans_with
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, canonical, spellings
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, CLASSES, CONTAINERS, DATA, UNKNOWN_NAME
from dwarfgpu.dwarf.section_budget import LONG_NAME_BYTES
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

TAGGED: Final = CLASSES | {dw.TAG_ENUMERATION_TYPE}
"""Types that in C have names of their own kind: `struct s`."""
TYPES: Final = TAGGED | dw.TYPEDEFS | {
    dw.TAG_BASE_TYPE, dw.TAG_UNSPECIFIED_TYPE,
    dw.TAG_SUBRANGE_TYPE, dw.TAG_ARRAY_TYPE,
}  # fmt: skip
"""Subranges have names in Ada and Pascal, and packed arrays in Ada."""
VARIABLES: Final = DATA - {dw.TAG_FORMAL_PARAMETER}
VARIABLE_TEMPLATES: Final = VARIABLES | {dw.TAG_MEMBER}
"""The entries that may be instances of variable templates."""
_NAMED: Final = (
    TYPES
    | VARIABLES
    | CONTAINERS
    | {dw.TAG_ENUMERATOR, dw.TAG_SUBPROGRAM, dw.TAG_MEMBER, dw.TAG_IMPORTED_DECLARATION}
    | {dw.TAG_NAMELIST}
)
_IMPORTS: Final = frozenset({dw.TAG_IMPORTED_MODULE, dw.TAG_IMPORTED_DECLARATION})
_COMPLETED: Final[dict[int, tuple[int, ...]]] = {
    **dict.fromkeys(CLASSES | {dw.TAG_VARIABLE}, (dw.AT_SPECIFICATION,)),
    dw.TAG_SUBPROGRAM: (dw.AT_SPECIFICATION, dw.AT_ABSTRACT_ORIGIN),
}
"""How an entry refers to the one that it completes. Inlined variables are not looked up by name."""
_DECLARED: Final = frozenset({dw.AT_SPECIFICATION, dw.AT_ABSTRACT_ORIGIN})
_IN_UNIT: Final = frozenset(
    {dw.FORM_REF1, dw.FORM_REF2, dw.FORM_REF4, dw.FORM_REF8, dw.FORM_REF_UDATA}
)
"""References that lead to entries of the same unit."""
_SHOWN_FORMS: Final = {
    tag: (
        *([(dw.AT_NAME, frozenset({dw.FORM_STRP, dw.FORM_STRING}))] if tag in _NAMED else []),
        *((name, _IN_UNIT) for name in _COMPLETED.get(tag, ())),
    )
    for tag in _NAMED | _COMPLETED.keys()
}
"""Forms by which the bytes of a unit show the name of an entry, or that it is of the same unit."""
_MAX_COMPLETIONS: Final = 64
"""Entries that complete one another."""
_MAX_SEARCHES: Final = 8
"""Names that are looked for in the bytes of a unit before all its names are read."""
_MAX_POSITIONS: Final = 1_000
"""Positions in the bytes of a unit that may be a reference to an entry."""
_MAX_OFFSETS: Final = 32
"""Offsets of a name, which may also end other strings, that are looked for."""


class NamedEntries:
    """The entries of one unit with a name, by their indices in its tree."""

    def __init__(self, unit: CompilationUnit) -> None:
        self._unit = unit
        self._remaining = self._remaining_completions = _MAX_SEARCHES
        self._containing: dict[tuple[bytes, ...], Set[int]] = {}
        """The entries that have one of some values in their bytes: each scope asks for them."""
        self._last: tuple[str, Sequence[int]] | None = None
        """The name that was looked for last, and its entries: a command asks for it several
        times."""

    def with_name(self, name: str) -> Sequence[int]:
        """Return the entries with a canonical simple name, in the order of the file."""
        last = self._last
        if last is not None and last[0] == name:
            return last[1]
        if self._remaining and "by_name" not in vars(self):
            indices = self._searched(name)
            if indices is not None:
                self._remaining -= 1
                self._last = name, indices
                return indices
        return self.by_name.get(name, ())

    def outside_functions(self, name: str) -> Iterator[int]:
        """Yield the entries with a name but for variables that are directly in a function with
        attributes or in its blocks. Of a local name a unit may have very many."""
        tree = self._unit.tree
        parents, abbreviations = tree.parents, tree.abbreviations
        are_in_functions: dict[int, bool] = {}
        for index in self.with_name(name):
            abbreviation = abbreviations[index]
            if abbreviation.tag in VARIABLES and not _is_elsewhere(abbreviation):
                scope = parents[index]
                is_local = are_in_functions.get(scope)
                if is_local is None:
                    is_local = are_in_functions[scope] = self._is_in_function(scope)
                if is_local:
                    continue
            yield index

    def _is_in_function(self, index: int) -> bool:
        """Return whether an entry is a function with attributes, or a block of one."""
        tree = self._unit.tree
        abbreviation = tree.abbreviations[index]
        while abbreviation.tag in BLOCKS and not _is_elsewhere(abbreviation):
            index = tree.parents[index]
            abbreviation = tree.abbreviations[index]
        return abbreviation.tag == dw.TAG_SUBPROGRAM and bool(abbreviation.attributes)

    def templates(self, name: str) -> list[str]:
        """Return the canonical names of the instances of a template with a canonical simple name:
        no names are read where no bytes can be part of one."""
        if "by_name" not in vars(self) and _is_plain(name) and self._shows_names:
            # Without arguments in the file, the name of an instance is that of the template.
            after = rb"[\s<\0]" if self._unit.has_bare_templates else rb"\s*<"
            unit, instance = self._unit, re.compile(re.escape(name_bytes(name)) + after)
            if not _is_in_entries(unit, instance) and not _is_in_strings(unit.sections, instance):
                return []
        return [key for key in self.by_name if key.startswith(f"{name}<")]

    def name_at(self, index: int) -> str | None:
        """Return the canonical simple name that an entry itself has; None where it has none."""
        abbreviation = self._unit.tree.abbreviations[index]
        return self._name_of(index, abbreviation) if dw.AT_NAME in abbreviation.positions else None

    @cached_property
    def by_name(self) -> Mapping[str, tuple[int, ...]]:
        """All of them; entries with unreadable names, as in a missing file, have `UNKNOWN_NAME`."""
        by_name: dict[str, list[int]] = {}
        for index, name in self.with_names(_has_name):
            by_name.setdefault(name, []).append(index)
        return {name: tuple(indices) for name, indices in by_name.items()}

    def with_names(self, accepts: Callable[[Abbreviation], bool]) -> Iterator[tuple[int, str]]:
        """Yield the entries with some abbreviations, in order, with their names (`by_name`)."""
        abbreviations = self._unit.tree.abbreviations
        accepted = set(filter(accepts, set(abbreviations)))
        for index, abbreviation in enumerate(abbreviations):
            if abbreviation in accepted:
                for name in self._names(index, abbreviation):
                    yield index, name

    @cached_property
    def first_unreadable(self) -> Die | None:
        """The first entry with an unreadable name.

        Names in the entries, and offsets of `.debug_str` in front of its last string, are readable
        without a look at their text: no table of all names is made for a name that is in no entry.
        """
        if "by_name" in vars(self):
            indices = self.by_name.get(UNKNOWN_NAME, ())
            return self._unit.die(indices[0]) if indices else None
        unit, abbreviations = self._unit, self._unit.tree.abbreviations
        data, end, starts = unit.data, unit.end, unit.tree.offsets
        width, endian = unit.format.offset_size, unit.endian
        strings_end: int | None = None
        checks = {one: _check_of(one) for one in set(abbreviations) if _has_name(one)}
        references = {one: _reference_in(one) for one, check in checks.items() if check is None}
        for index, abbreviation in enumerate(abbreviations):
            check = checks.get(abbreviation, -1)
            if check == -1:
                continue
            reference = references.get(abbreviation)
            if reference is not None and data[starts[index]] < 0x80:
                offset_at = starts[index] + 1 + reference
                target = unit.offset + int.from_bytes(data[offset_at : offset_at + 4], endian)
                entry = bisect_left(starts, target)
                if offset_at + 4 <= end and entry < len(starts) and starts[entry] == target:
                    continue
            if check is not None and data[starts[index]] < 0x80:
                offset_at = starts[index] + 1 + check
                if strings_end is None:
                    strings_end = _last_string_end(unit.sections)
                offset = int.from_bytes(data[offset_at : offset_at + width], endian)
                if offset_at + width <= end and offset <= strings_end:
                    continue
            if UNKNOWN_NAME in self._names(index, abbreviation):
                return unit.die(index)
        return None

    def _names(self, index: int, abbreviation: Abbreviation) -> Iterator[str]:
        """Yield the names by which an entry is looked up: also that of one in another unit."""
        unit, tag, positions = self._unit, abbreviation.tag, abbreviation.positions
        try:
            for name in _COMPLETED.get(tag, ()):
                origin = unit.die(index).reference(name) if name in positions else None
                if origin is not None and origin.unit is not unit:
                    yield canonical(origin.name or "")
            if tag in _NAMED and dw.AT_NAME in positions:
                yield self._name_of(index, abbreviation)
            elif tag == dw.TAG_NAMESPACE:
                yield ANONYMOUS
        except DwarfGpuError:  # the others are usable
            yield UNKNOWN_NAME

    @cached_property
    def _name_of(self) -> Callable[[int, Abbreviation], str]:
        """What reads the canonical name of an entry, by its index and abbreviation.

        Nearly all names are strings or offsets of strings, at the same distance in all entries of
        an abbreviation: these are read without an object for the entry, and each string of
        `.debug_str` once.
        """
        unit = self._unit
        data, end, starts = unit.data, unit.end, unit.tree.offsets
        width, endian = unit.format.offset_size, unit.endian
        distances: dict[int, tuple[int | None, bool]] = {}
        texts: dict[bytes, str] = {}
        text_of = unit.sections.budget.text
        bare = dw.TEMPLATE_INSTANCES if unit.has_bare_templates else frozenset[int]()

        def name_of(index: int, abbreviation: Abbreviation) -> str:
            if abbreviation.tag in bare:
                return canonical(unit.die(index).name or "")
            known = distances.get(abbreviation.code)
            if known is None:
                known = distances[abbreviation.code] = _distance_in(abbreviation)
            distance, is_text = known
            start = starts[index]
            if distance is None or data[start] >= 0x80 or start + 1 + distance + width > end:
                return canonical(unit.die(index).string(dw.AT_NAME) or "")
            value_offset = start + 1 + distance
            if is_text:
                stop = data.find(b"\0", value_offset, end)
                if stop < 0:
                    return canonical(unit.die(index).string(dw.AT_NAME) or "")
                return canonical(text_of(data[value_offset:stop]))
            offset = data[value_offset : value_offset + width]
            text = texts.get(offset)
            if text is None:
                name = unit.sections.string(".debug_str", int.from_bytes(offset, endian))
                text = texts[offset] = canonical(text_of(name))
            return text

        return name_of

    # One name

    def may_have(
        self, names: Collection[str], *, with_more: bool = False
    ) -> Callable[[int, Abbreviation], bool]:
        """Return what is False only of an entry, by its index and abbreviation, that has a readable
        name of its own which is none of some canonical simple names; `with_more`: nor one of them
        with scopes before it or the arguments of a template after it.

        Names in the entries are looked for in the bytes of the unit.
        """
        reads: dict[Abbreviation, Callable[[int, Abbreviation], bool]] = {}
        ends = (b"\0", b"<", b" ") if with_more else (b"\0",)

        def is_read(index: int, abbreviation: Abbreviation) -> bool:
            try:
                name = self._name_of(index, abbreviation)
            except DwarfGpuError:
                return True
            return name in names or (with_more and not name.isidentifier())

        def may_be(index: int, abbreviation: Abbreviation) -> bool:
            read = reads.get(abbreviation)
            if read is None:
                distance, is_text = _distance_in(abbreviation)
                read = lambda *_: True  # noqa: E731
                if is_text and all(map(_is_plain, names)):
                    texts = tuple(name_bytes(name) + end for name in names for end in ends)
                    indices = self._with_bytes(texts)
                    read = lambda index, _: index in indices  # noqa: E731
                elif distance is not None:
                    read = is_read
                reads[abbreviation] = read
            return read(index, abbreviation)

        return may_be

    def may_match(self, is_named: Callable[[str], bool]) -> Callable[[int, Abbreviation], bool]:
        """Return what is False only of an entry, by its index and abbreviation, that has a readable
        identifier of its own as its name which a test refuses."""
        has_own: dict[Abbreviation, bool] = {}

        def may_be(index: int, abbreviation: Abbreviation) -> bool:
            if abbreviation not in has_own:
                has_own[abbreviation] = _distance_in(abbreviation)[0] is not None
            if not has_own[abbreviation]:
                return True
            try:
                name = self._name_of(index, abbreviation)
            except DwarfGpuError:
                return True
            return not name.isidentifier() or is_named(name)

        return may_be

    def _with_bytes(self, values: tuple[bytes, ...]) -> Set[int]:
        """Return the entries that have one of some values in their bytes."""
        indices = self._containing.get(values)
        if indices is None:
            if len(self._containing) >= _MAX_SEARCHES:
                self._containing.clear()
            indices = {index for value in values for index in self._in_which_begins(value)}
            self._containing[values] = indices
        return indices

    def _in_which_begins(self, value: bytes) -> Iterator[int]:
        """Yield the entries with a value in their bytes, however often."""
        data, end = self._unit.data, self._unit.end
        starts = self._unit.tree.offsets
        spans = spans_with(starts, lambda _: end, lambda start: data.find(value, start, end))
        return (index for index, _ in spans)

    def _entries_at(self, positions: Iterable[int]) -> Set[int]:
        """Return the entries with these positions in their bytes."""
        offsets = self._unit.tree.offsets
        return {bisect_right(offsets, position) - 1 for position in positions}

    @cached_property
    def _shows_names(self) -> bool:
        """Whether each name of an entry is in its bytes, or the offset of its string."""
        table = self._unit.abbreviations
        return len(table.accepted(_shows_name)) == len(table)

    def _searched(self, name: str) -> Sequence[int] | None:
        """Return the entries with a name without reading the other names; None where that is not
        possible."""
        if not _is_plain(name) or not self._shows_names:
            return None
        unit, text = self._unit, name_bytes(name) + b"\0"
        offsets = _string_offsets(unit.sections, text)
        if offsets is None:
            return None
        width, endian = unit.format.offset_size, unit.endian
        values = [text, *(offset.to_bytes(width, endian) for offset in offsets)]
        if not any(True for value in values for _ in self._positions(value)):
            return ()
        tree, indices = unit.tree, self._with_bytes(tuple(values))
        return [
            index
            for index in sorted(indices)
            if index >= 0 and name in self._names(index, tree.abbreviations[index])
        ]

    def _positions(self, value: bytes) -> Iterator[int]:
        """Yield where a value begins in the entries."""
        data, end = self._unit.data, self._unit.end
        offset = data.find(value, self._unit.header.entries_at, end)
        while offset >= 0:
            yield offset
            offset = data.find(value, offset + 1, end)

    # Other entries

    def completing(self, die: Die) -> Sequence[int]:
        """Return the entries that complete one: a few are looked for in the bytes of the unit."""
        if self._remaining_completions and "_completions" not in vars(self):
            searched = self._searched_completions(die)
            if searched is not None:
                self._remaining_completions -= 1
                return searched
        targets, indices, by_entry = self._completions
        if die.unit is not self._unit:
            return by_entry.get(die, ())
        first, end = bisect_left(targets, die.offset), bisect_right(targets, die.offset)
        return indices[first:end]

    def _searched_completions(self, die: Die) -> Sequence[int] | None:
        """Return the entries that complete one without reading the other references; None where
        that is not possible, or its offset is at many positions."""
        unit = self._unit
        completing = unit.abbreviations.accepted(_completes)
        shortly = unit.abbreviations.accepted(_completes_shortly)
        if die.unit is not unit or len(shortly) < len(completing):
            return None
        if not completing:
            return ()
        value = (die.offset - unit.offset).to_bytes(4, unit.endian)
        positions = tuple(islice(self._positions(value), _MAX_POSITIONS + 1))
        if len(positions) > _MAX_POSITIONS:
            return None
        tree, indices = unit.tree, list[int]()
        for index in sorted(self._entries_at(positions)):
            abbreviation = tree.abbreviations[index]
            for name in _COMPLETED[abbreviation.tag] if abbreviation in completing else ():
                try:
                    origin = unit.die(index).reference(name)
                except DwarfGpuError:  # its name is unknown
                    break
                if origin == die:
                    indices.append(index)
        return indices

    @cached_property
    def _completions(self) -> tuple[Sequence[int], Sequence[int], Mapping[Die, list[int]]]:
        """The offsets of the entries of this unit that others complete, in order, and the indices
        of these; for entries of other units the indices.

        Nearly all references are numbers at the same distance in all entries of an abbreviation:
        these are read without an object for the entry, and kept as numbers.
        """
        unit = self._unit
        data, end, endian, start_of = unit.data, unit.end, unit.endian, unit.offset
        targets, indices = array("Q"), array("Q")
        by_entry: dict[Die, list[int]] = {}
        for index, abbreviation in self._entries(_completes):
            for name in _COMPLETED[abbreviation.tag]:
                position = abbreviation.positions.get(name)
                if position is None:
                    continue
                form, _, _, distance = abbreviation.value(position)
                start = unit.tree.offsets[index]
                if form == dw.FORM_REF4 and distance is not None and data[start] < 0x80:
                    value_offset = start + 1 + distance
                    if value_offset + 4 <= end:
                        raw = data[value_offset : value_offset + 4]
                        targets.append(start_of + int.from_bytes(raw, endian))
                        indices.append(index)
                        continue
                try:
                    origin = unit.die(index).reference(name)
                except DwarfGpuError:  # its name is unknown
                    break
                if origin is not None and origin.unit is unit:
                    targets.append(origin.offset)
                    indices.append(index)
                elif origin is not None:
                    by_entry.setdefault(origin, []).append(index)
        if not any(map(gt, targets, islice(targets, 1, None))):  # compilers keep the order
            return targets, indices, by_entry
        order = sorted(range(len(targets)), key=targets.__getitem__)
        return (
            array("Q", map(targets.__getitem__, order)),
            array("Q", map(indices.__getitem__, order)),
            by_entry,
        )

    @cached_property
    def imports(self) -> tuple[int, ...]:
        """The entries of using-directives, using-declarations and aliases."""
        return tuple(index for index, _ in self._entries(_imports_names))

    def _entries(
        self, accepts: Callable[[Abbreviation], bool]
    ) -> Iterator[tuple[int, Abbreviation]]:
        """Yield the entries with some abbreviations; without any the tree is not read."""
        wanted = self._unit.abbreviations.accepted(accepts)
        if wanted:
            for index, abbreviation in enumerate(self._unit.tree.abbreviations):
                if abbreviation in wanted:
                    yield index, abbreviation


def _is_plain(name: str) -> bool:
    """Return whether a name has one spelling, which is an identifier of ASCII."""
    is_short = name.isascii() and name.isidentifier() and len(name) < LONG_NAME_BYTES
    return is_short and len(spellings(name)) == 1


def _distance_in(abbreviation: Abbreviation) -> tuple[int | None, bool]:
    """Return how many bytes are before the name of entries of an abbreviation, and whether its text
    is there; otherwise the offset of a string is. None where the name must be read in another
    way."""
    position = abbreviation.positions.get(dw.AT_NAME)
    if position is None:
        return None, False
    value = abbreviation.value(position)
    is_text = value.form == dw.FORM_STRING
    return (value.before_bytes if is_text or value.form == dw.FORM_STRP else None), is_text


def _has_name(abbreviation: Abbreviation) -> bool:
    """Return whether its entries can be looked up by name."""
    is_named = abbreviation.tag in _NAMED and dw.AT_NAME in abbreviation.positions
    return is_named or abbreviation.tag == dw.TAG_NAMESPACE or _completes(abbreviation)


def _shows_name(abbreviation: Abbreviation) -> bool:
    """Return whether the names of its entries are in their bytes, or the offsets of strings are."""
    for name, forms in _SHOWN_FORMS.get(abbreviation.tag, ()):
        position = abbreviation.positions.get(name)
        if position is not None and abbreviation.attributes[position].form not in forms:
            return False
    return True


def _is_in_entries(unit: CompilationUnit, instance: re.Pattern[bytes]) -> bool:
    """Return whether the entries may have the name of an instance: one with arguments has a `>`
    before its end, which numbers that happen to look like its beginning seldom have."""
    start = unit.header.entries_at
    while (match := instance.search(unit.data, start, unit.end)) is not None:
        if unit.has_bare_templates:
            return True
        start = unit.data.find(b"\0", match.end(), unit.end)
        if start < 0 or unit.data.find(b">", match.end(), start) >= 0:
            return True
    return False


def _check_of(abbreviation: Abbreviation) -> int | None:
    """Return what to check of the names of entries: -1 for nothing, as they are in the entries; the
    bytes between the code and the offset of the string; or None if they must be read."""
    if _completes(abbreviation) or dw.AT_NAME not in abbreviation.positions:
        return None
    value = abbreviation.value(abbreviation.positions[dw.AT_NAME])
    if value.form == dw.FORM_STRING:
        return -1
    return value.before_bytes if value.form == dw.FORM_STRP else None


def _reference_in(abbreviation: Abbreviation) -> int | None:
    """Return how many bytes are before the only reference to what entries without a name of their
    own complete, of 4 bytes; None where they refer to it in another way."""
    names = [name for name in _COMPLETED.get(abbreviation.tag, ()) if _has(abbreviation, name)]
    if len(names) != 1 or _has(abbreviation, dw.AT_NAME):
        return None
    value = abbreviation.value(abbreviation.positions[names[0]])
    return value.before_bytes if value.form == dw.FORM_REF4 else None


def _has(abbreviation: Abbreviation, name: int) -> bool:
    return name in abbreviation.positions


def _last_string_end(sections: Sections) -> int:
    """Return where the last string of `.debug_str` ends; -1 if the section is unreadable."""
    try:
        return sections.section(".debug_str").rfind(b"\0")
    except DwarfGpuError:  # every name that is in it has this error
        return -1


def _completes(abbreviation: Abbreviation) -> bool:
    """Return whether its entries complete others."""
    return any(name in abbreviation.positions for name in _COMPLETED.get(abbreviation.tag, ()))


def _completes_shortly(abbreviation: Abbreviation) -> bool:
    """Return whether its entries complete others at offsets of the unit, of 4 bytes."""
    positions = abbreviation.positions
    names = [name for name in _COMPLETED.get(abbreviation.tag, ()) if name in positions]
    forms = {abbreviation.attributes[positions[name]].form for name in names}
    return forms == {dw.FORM_REF4}


def _imports_names(abbreviation: Abbreviation) -> bool:
    return abbreviation.tag in _IMPORTS


@kept_with(first, 64)
def _string_offsets(sections: Sections, text: bytes) -> tuple[int, ...] | None:
    """Return where a text with its end is in `.debug_str`; None if it is in many places. A name is
    looked for in many units."""
    data, offsets = sections.section(".debug_str"), []
    offset = data.find(text)
    while offset >= 0:
        offsets.append(offset)
        if len(offsets) > _MAX_OFFSETS:
            return None
        offset = data.find(text, offset + 1)
    return tuple(offsets)


@kept_with(first, 64)
def _is_in_strings(sections: Sections, instance: re.Pattern[bytes]) -> bool:
    """Return whether `.debug_str` has a match. A name is looked for in many units."""
    return instance.search(sections.section(".debug_str")) is not None


@kept_with(first)
def named_entries(unit: CompilationUnit) -> NamedEntries:
    """Return the index of a unit, which is made once."""
    return NamedEntries(unit)


def _is_elsewhere(abbreviation: Abbreviation) -> bool:
    """Return whether the scope of an entry may be that of another one, its declaration."""
    return not abbreviation.positions.keys().isdisjoint(_DECLARED)


def named(unit: CompilationUnit, name: str, tags: Container[int] | None = None) -> Iterator[Die]:
    """Yield the entries of a unit with a canonical simple name, those with some tags alone."""
    indices: Iterable[int] = named_entries(unit).with_name(name)
    if tags is not None and indices:
        abbreviations = unit.tree.abbreviations
        indices = (index for index in indices if abbreviations[index].tag in tags)
    yield from map(unit.die, indices)


def named_outside_functions(unit: CompilationUnit, name: str) -> Iterator[Die]:
    """Yield the entries of a unit with a canonical simple name (`outside_functions`)."""
    yield from map(unit.die, named_entries(unit).outside_functions(name))


def imports(unit: CompilationUnit) -> Iterator[Die]:
    """Yield the using-directives, using-declarations and aliases of a unit."""
    yield from map(unit.die, named_entries(unit).imports)


def completed(die: Die, units: Iterable[CompilationUnit]) -> Iterator[Die]:
    """Yield an entry and those of some units that complete it."""
    pending, remaining = [die], _MAX_COMPLETIONS
    while pending and remaining:
        remaining -= 1
        current = pending.pop(0)
        yield current
        for unit in units:
            pending += map(unit.die, named_entries(unit).completing(current))
