"""Decide from a unit's bytes, without reading its entries, whether it can contain a name.

The condition is necessary, so that a look-up by name parses the units with the name and few others
(`dwarfgpu.dwarf.index.string_index`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.printable import name_beginning
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import fixed_size
from dwarfgpu.dwarf.index.string_index import MAX_OFFSETS
from dwarfgpu.dwarf.names.qualified import spellings

if TYPE_CHECKING:
    from dwarfgpu.dwarf.abbrev import Abbreviation
    from dwarfgpu.dwarf.debug_info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit

_MAX_OF_TAGS: Final = 200_000
"""Places of a name, where the entries are looked for that have a name at one of them."""
_MAX_KEPT: Final = 64
"""Questions whose answers are kept for each file."""
_FEW_COMPARISONS: Final = 100
_BYTES_PER_COMPARISON: Final = 16
"""Bytes of a unit for each comparison of an abbreviation with a position of a name, beyond a few:
where there are more, reading the unit is as fast."""
_DECLARING: Final = (dw.TAG_MEMBER,)
"""Tags of declarations that entries of other tags complete: static members (DWARF 4 5.5.6)."""
_EMPTY_FORMS: Final = (dw.FORM_FLAG_PRESENT, dw.FORM_IMPLICIT_CONST)
"""The forms of attributes that take no bytes of an entry."""
_NAME_FORMS: Final = (dw.FORM_STRING, dw.FORM_STRP, dw.FORM_LINE_STRP)


def mentions(
    info: DebugInfo,
    name: str,
    tags: Collection[int] | None = None,
    *,
    is_template: bool = False,
) -> Callable[[CompilationUnit], bool]:
    """Return a predicate for units of a file: False only if no entry of the unit can have the name;
    with `is_template`, nor the name with template arguments.

    With `tags`, only entries with these tags count, and only declarations that are completed. The
    answers are kept: one search may ask for a name again and again.
    """
    return _mentions(info, name, None if tags is None else frozenset(tags), is_template)


@kept_with(first, _MAX_KEPT)
def _mentions(
    info: DebugInfo, name: str, tags: frozenset[int] | None, is_template: bool
) -> Callable[[CompilationUnit], bool]:
    if "\\" in name or not info.strings.is_conclusive:
        return _always
    strings = name_texts(name, is_template=is_template)
    if tags is not None:
        defining = info.strings.units_defining(strings, tags)
        if defining is not None:
            return frozenset(defining).__contains__
    units = info.strings.units(*strings)
    if units is None and tags is None:
        return _always
    offsets = info.strings.offsets(strings, _MAX_OF_TAGS)
    if offsets is None:
        return _always
    names = frozenset(units or ())

    @cache
    def values(size_bytes: int, endian: Endian) -> frozenset[bytes]:
        return frozenset(offset.to_bytes(size_bytes, endian) for offset in offsets)

    known: dict[CompilationUnit, bool] = {}

    def test(unit: CompilationUnit) -> bool:
        if units is not None and unit not in names:
            return False
        if tags is None or info.strings.has_any_name(unit):
            return True
        has_entry = known.get(unit)
        if has_entry is None:
            unit_values = values(unit.format.offset_size, unit.endian)
            has_entry = known[unit] = _has_entry(unit, tags, strings, unit_values)
        return has_entry

    return test


def name_texts(name: str, *, is_template: bool = False) -> tuple[bytes, ...]:
    """Return how the strings of a simple name begin: whole, or also before template arguments.

    The arguments of an instance may be in other entries than its name.
    """
    template = name.partition("<")[0].rstrip() if name.endswith(">") else ""
    written = (*spellings(name), template) if template else spellings(name)
    terminated = tuple(map(name_beginning, written))
    return (*terminated, terminated[0].rstrip(b"\0") + b"<") if is_template else terminated


def _occurs_in(unit: CompilationUnit, value: bytes) -> bool:
    return unit.data.find(value, unit.offset, unit.end) >= 0


def _has_entry(
    unit: CompilationUnit,
    tags: Collection[int],
    strings: Collection[bytes],
    values: Collection[bytes],
) -> bool:
    """Return whether an entry with these tags can have the name: its code precedes the name in the
    usual encodings; True for unusual ones."""
    most = _FEW_COMPARISONS + (unit.end - unit.offset) // _BYTES_PER_COMPARISON
    if len(unit.abbreviations) > most:  # of many units
        return True
    named = [
        abbreviation
        for abbreviation in unit.abbreviations.values()
        if dw.AT_NAME in abbreviation.positions
        and (abbreviation.tag in tags or abbreviation.tag in _DECLARING)
    ]
    completing = [
        (abbreviation, name)
        for abbreviation in unit.abbreviations.values()
        for name in (dw.AT_SPECIFICATION, dw.AT_ABSTRACT_ORIGIN)
        if abbreviation.tag in tags and name in abbreviation.positions
    ]
    # A name that ends many strings has very many offsets; its texts are few.
    most //= max(len(named), 1)
    text_offsets, value_offsets = (_match_offsets(unit, of, most) for of in (strings, values))
    if max(len(text_offsets or ()), len(value_offsets or ())) > most:
        return True
    remaining = MAX_OFFSETS
    for abbreviation in sorted(named, key=lambda candidate: not _is_whole(candidate, tags)):
        is_whole = _is_whole(abbreviation, tags)
        if not is_whole and not completing:
            break
        gap_bytes = _bytes_before_name(abbreviation)
        form = abbreviation.attributes[abbreviation.positions[dw.AT_NAME]].form
        is_text = form == dw.FORM_STRING
        names = strings if is_text else values
        match_offsets = text_offsets if is_text else value_offsets
        is_unknown = match_offsets is None and (gap_bytes or is_text)
        if gap_bytes is None or is_unknown or form not in _NAME_FORMS:
            return True
        for start in _entry_starts(
            unit, encode_uleb(abbreviation.code), names, match_offsets, gap_bytes
        ):
            remaining -= 1
            if (
                not remaining
                or is_whole
                or any(_completes(unit, start, *completion) for completion in completing)
            ):
                return True
    # A code may be longer than it must be: its last byte is then 0, and those before continue.
    gaps = {_bytes_before_name(abbreviation) or 0 for abbreviation in named}
    return any(
        unit.data[start - 1] >= 0x80
        for names, match_offsets in ((strings, text_offsets), (values, value_offsets))
        for gap_bytes in gaps
        for start in _entry_starts(unit, b"\0", names, match_offsets, gap_bytes)
    )


def _bytes_before_name(abbreviation: Abbreviation) -> int | None:
    """Return the number of bytes between the code and the name of an entry; None if it varies."""
    total_bytes = 0
    for attribute in abbreviation.attributes[: abbreviation.positions[dw.AT_NAME]]:
        size_bytes = (
            0 if attribute.form in _EMPTY_FORMS else fixed_size(attribute.form, abbreviation.format)
        )
        if size_bytes is None:
            return None
        total_bytes += size_bytes
    return total_bytes


def _match_offsets(unit: CompilationUnit, values: Collection[bytes], most: int) -> list[int] | None:
    """Return where one of some values begins in a unit, one more than `most` at most; None for very
    many values."""
    if len(values) > 2 * MAX_OFFSETS:
        return None
    if not values:
        return []
    pattern = re.compile(b"|".join(map(re.escape, values)))
    match_offsets: list[int] = []
    match = pattern.search(unit.data, unit.header.entries_at, unit.end)
    while match is not None and len(match_offsets) <= most:
        match_offsets.append(match.start())
        match = pattern.search(unit.data, match.start() + 1, unit.end)
    return match_offsets


def _entry_starts(
    unit: CompilationUnit,
    before: bytes,
    values: Collection[bytes],
    match_offsets: list[int] | None,
    gap_bytes: int,
) -> Iterator[int]:
    """Yield the positions in a unit of bytes that precede, after a gap, one of the values, which
    begin at `match_offsets`; without these, the values are offsets, and there is no gap."""
    data, end = unit.data, unit.end
    if match_offsets is None:
        size_bytes = unit.format.offset_size
        pattern = re.compile(re.escape(before) + b"(?=(.{%d}))" % size_bytes, re.DOTALL)
        for match in pattern.finditer(data, unit.header.entries_at, end):
            if match[1] in values:
                yield match.start()
        return
    alternatives, longest = tuple(values), max(map(len, values), default=0)
    for offset in match_offsets:
        start = offset - gap_bytes - len(before)
        is_inside = start >= unit.header.entries_at and data[start : start + len(before)] == before
        if is_inside and data[offset : offset + longest].startswith(alternatives):
            yield start


def _is_whole(abbreviation: Abbreviation, tags: Collection[int]) -> bool:
    """Return whether matching entries include uncompleted ones that are not declarations."""
    return abbreviation.tag in tags and not abbreviation.is_declaration


def _completes(unit: CompilationUnit, start: int, abbreviation: Abbreviation, name: int) -> bool:
    """Return whether an entry of an abbreviation may refer by an attribute to that which starts
    there."""
    first = abbreviation.attributes[0]
    if first.name != name or first.form != dw.FORM_REF4:
        return True
    reference = encode_uleb(abbreviation.code) + (start - unit.offset).to_bytes(4, unit.endian)
    return _occurs_in(unit, reference)


def _always(unit: CompilationUnit) -> bool:
    return True
