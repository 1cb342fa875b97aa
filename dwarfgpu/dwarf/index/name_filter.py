"""Whether a unit can have a name at all, told from its bytes without reading its entries.

A necessary condition, so that a look-up by name parses the units that have the name and few others:
a name stands in the unit itself, or at an offset of a string section that stands in the unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.bits import Endian, encode_uleb
from dwarfgpu.dwarf import constants as dw

if TYPE_CHECKING:
    from dwarfgpu.dwarf.abbrev import Abbreviation
    from dwarfgpu.dwarf.info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit

_STRINGS: Final = (".debug_str", ".debug_line_str")
_ELSEWHERE: Final = (".debug_str_offsets", ".debug_addr", ".gnu_debugaltlink", ".debug_sup")
"""Sections of files whose units have names in other files, or by index."""
_GNU_SKELETON: Final = encode_uleb(dw.AT_GNU_DWO_NAME)
_NAMED_ELSEWHERE: Final = tuple(
    (name, form)
    for name in (dw.AT_ABSTRACT_ORIGIN, dw.AT_SPECIFICATION)
    for form in (dw.FORM_REF_ADDR, dw.FORM_REF_SIG8, dw.FORM_INDIRECT)
)
"""Attribute and form of an abbreviation whose entries may have the name of one in another unit."""
_MOST: Final = 32
"""Places of a name that are looked for; one that ends many strings is looked for in all units."""
_MOST_OF_TAGS: Final = 200_000
"""The same, where the entries are looked for that have a name at one of them."""
_DECLARING: Final = (dw.TAG_MEMBER,)
"""Tags of declarations that entries of other tags complete: static members (DWARF 4 5.5.6)."""
_NAME_FORMS: Final = (dw.FORM_STRING, dw.FORM_STRP, dw.FORM_LINE_STRP)


def mentions(
    info: DebugInfo, name: str, tags: Collection[int] | None = None
) -> Callable[[CompilationUnit], bool]:
    """A test for units of a file: False only where no entry of the unit can have the name.

    With `tags` only entries of these tags count, and no declaration that nothing completes.
    """
    if (
        "\\" in name
        or info.suffix
        or any(info.object.has_section(section) for section in _ELSEWHERE)
    ):
        return _always
    abbreviations = info.section(".debug_abbrev")
    if _GNU_SKELETON in abbreviations:
        return _always
    is_suspect = any(bytes(pair) in abbreviations for pair in _NAMED_ELSEWHERE)
    string = name.encode("utf-8", "surrogatepass") + b"\0"
    most = _MOST if tags is None else _MOST_OF_TAGS
    offsets: set[int] = set()
    for section in _STRINGS:
        data, at = info.section(section), -1
        while (at := data.find(string, at + 1)) >= 0:
            offsets.add(at)
            if len(offsets) > most:
                return _always

    @cache
    def values(size_bytes: int, endian: Endian) -> frozenset[bytes]:
        return frozenset(offset.to_bytes(size_bytes, endian) for offset in offsets)

    def test(unit: CompilationUnit) -> bool:
        if unit.header.kind == dw.UT_SKELETON or is_suspect and _names_elsewhere(unit):
            return True
        known = values(unit.format.offset_size, unit.endian)
        if len(known) <= _MOST and not any(_stands_in(unit, each) for each in (string, *known)):
            return False
        return tags is None or _has_entry(unit, tags, string, known)

    return test


def _stands_in(unit: CompilationUnit, value: bytes) -> bool:
    return unit.data.find(value, unit.offset, unit.end) >= 0


def _has_entry(
    unit: CompilationUnit, tags: Collection[int], string: bytes, values: Collection[bytes]
) -> bool:
    """Whether an entry of these tags can have the name: its code stands directly before it, as
    compilers write it; True where they write it otherwise."""
    named = [
        each
        for each in unit.abbreviations.values()
        if dw.AT_NAME in each.positions and (each.tag in tags or each.tag in _DECLARING)
    ]
    completing = [
        (each, name)
        for each in unit.abbreviations.values()
        for name in (dw.AT_SPECIFICATION, dw.AT_ABSTRACT_ORIGIN)
        if each.tag in tags and name in each.positions
    ]
    left = _MOST
    for each in sorted(named, key=lambda each: not _is_whole(each, tags)):
        is_whole = _is_whole(each, tags)
        if not is_whole and not completing:
            break
        form = each.attributes[0].form
        if each.positions[dw.AT_NAME] or form not in _NAME_FORMS:
            return True
        names = {string} if form == dw.FORM_STRING else values
        for start in _places(unit, encode_uleb(each.code), names):
            left -= 1
            if not left or is_whole or any(_completes(unit, start, *one) for one in completing):
                return True
    # A code may be longer than it must be: its last byte is then 0, and those before go on.
    return any(
        unit.data[start - 1] >= 0x80
        for names in ({string}, values)
        for start in _places(unit, b"\0", names)
    )


def _places(unit: CompilationUnit, before: bytes, values: Collection[bytes]) -> Iterator[int]:
    """Where bytes stand in a unit with one of the values behind them; many are offsets."""
    data, end = unit.data, unit.end
    if len(values) > _MOST:
        size_bytes = unit.format.offset_size
        pattern = re.compile(re.escape(before) + b"(?=(.{%d}))" % size_bytes, re.DOTALL)
        for found in pattern.finditer(data, unit.header.entries_at, end):
            if found[1] in values:
                yield found.start()
        return
    for value in values:
        at = data.find(before + value, unit.header.entries_at, end)
        while at >= 0:
            yield at
            at = data.find(before + value, at + 1, end)


def _is_whole(abbreviation: Abbreviation, tags: Collection[int]) -> bool:
    """Whether entries count that nothing completes: they are no declarations."""
    position = abbreviation.positions.get(dw.AT_DECLARATION)
    is_declaration = (
        position is not None and abbreviation.attributes[position].form == dw.FORM_FLAG_PRESENT
    )
    return abbreviation.tag in tags and not is_declaration


def _completes(unit: CompilationUnit, start: int, abbreviation: Abbreviation, name: int) -> bool:
    """Whether an entry of an abbreviation may refer by an attribute to that which starts there."""
    first = abbreviation.attributes[0]
    if first.name != name or first.form != dw.FORM_REF4:
        return True
    reference = encode_uleb(abbreviation.code) + (start - unit.offset).to_bytes(4, unit.endian)
    return _stands_in(unit, reference)


def _names_elsewhere(unit: CompilationUnit) -> bool:
    return any(
        (each.name, each.form) in _NAMED_ELSEWHERE
        for abbreviation in unit.abbreviations.values()
        for each in abbreviation.attributes
    )


def _always(unit: CompilationUnit) -> bool:
    return True
