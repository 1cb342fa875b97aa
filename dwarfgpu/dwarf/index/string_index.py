"""Decide from bytes which units of a file mention a name, with an index stored with the file.

A name occurs in its unit itself, or its offset in a string section occurs in the unit. Finding the
offset takes one pass over the section in C; each name is searched once.

Law: the result is a necessary condition. A unit whose names may be in other units, or in other
files, mentions every name; for files of such programs the index is inconclusive.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Data
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.suggest import KnownNames
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

if TYPE_CHECKING:
    from dwarfgpu.dwarf.index.unit_names import UnitNames

STRINGS: Final = (".debug_str", ".debug_line_str")
MAX_OFFSETS: Final = 32
"""Places of a name that are looked for; one that ends many strings is looked for in all units."""
_INDIRECT_SECTIONS: Final = (".debug_str_offsets", ".debug_addr", ".gnu_debugaltlink", ".debug_sup")
"""Sections of files whose units take names from other files, or by index."""
_GNU_SKELETON: Final = encode_uleb(dw.AT_GNU_DWO_NAME)
_NAMED_INDIRECTLY: Final = tuple(
    (name, form)
    for name in (dw.AT_ABSTRACT_ORIGIN, dw.AT_SPECIFICATION)
    for form in (dw.FORM_REF_ADDR, dw.FORM_REF_SIG8, dw.FORM_INDIRECT)
)
"""Attribute and form of an abbreviation whose entries may take their name from another unit."""
_TABLE_END: Final = bytes(3)
"""The end of the last abbreviation of a table and of the table."""
_FEW: Final = 4
"""Values that are looked for one after the other, which is faster than a pattern."""
_MAX_KEPT: Final = 1_000
_MAX_SIMILAR: Final = 16
_MAX_SUGGESTED_BYTES: Final = 1 << 26
"""Size of the strings beyond which none is suggested."""
_MAX_SPANS: Final = 2_000
"""Strings with one text that are looked for."""
_MAX_BLOCKS: Final = 200
"""Blocks of numbers that are looked for, beyond which reading the units is as fast."""
_MAX_MISSES: Final = 1_000_000
"""Bytes like a number that is looked for, in one pass; the next ones count as the number."""
_MIN_INDEXED_BYTES: Final = 1 << 16
"""Smaller files are not in the index cache."""
_LETTERS: Final = frozenset(
    bytes([letter]) for letter in b"_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)
"""The first letters of identifiers; in mangled names these begin after digits."""


@methods_name_wrong_arguments
class StringIndex:
    """The index of one file; everything is read on demand."""

    def __init__(self, sections: Sections, units: Callable[[], Sequence[CompilationUnit]]) -> None:
        """`units`: gives the units of the file."""
        self._file = sections
        self._units_of_file = units
        self._known = KeptAnswers[tuple[bytes, ...], tuple[CompilationUnit, ...] | None](_MAX_KEPT)
        self._similar = KeptAnswers[str, tuple[bytes, ...]](_MAX_KEPT)

    @cached_property
    def _names(self) -> UnitNames | None:
        """The names of the units where the index cache has them: nothing is searched then."""
        file = self._file.object
        if not file.limits.index_cache or file.size_bytes < _MIN_INDEXED_BYTES:
            return None
        from dwarfgpu.dwarf.index.cached_names import cached_names

        return cached_names(self._file, self._units_of_file)

    def _by_names(
        self, ask: Callable[[UnitNames], Collection[int]]
    ) -> tuple[CompilationUnit, ...] | None:
        """Return the units that the cached names give; None without them."""
        if self._names is None:
            return None
        units = self._units_of_file()
        try:
            return tuple(units[number] for number in sorted(ask(self._names)))
        except (IndexError, ValueError):  # it was not written by dwarfgpu
            self._names = None
            return None

    def units_defining(
        self, texts: Collection[bytes], tags: Collection[int]
    ) -> tuple[CompilationUnit, ...] | None:
        """Return the units with an entry of such a name and one of these tags that is not a
        declaration, or that completes one; None if that is not known without reading them."""
        return self._by_names(lambda names: names.units_defining(texts, tags))

    @cached_property
    def is_conclusive(self) -> bool:
        """Whether bytes can decide what a unit mentions."""
        if self._names is not None:
            return True
        file = self._file
        return not (
            file.suffix
            or any(file.object.has_section(section) for section in _INDIRECT_SECTIONS)
            or _GNU_SKELETON in file.section(".debug_abbrev")
        )

    def units(self, *texts: bytes) -> tuple[CompilationUnit, ...] | None:
        """Return the units, in the order of the file, that may have a name that begins with one of
        these texts; a text that ends with a zero byte is a whole name. None: every unit may."""
        return self._known.answer(texts, self._units)

    def is_absent(self, *texts: bytes) -> bool:
        """Return whether no unit has a name that begins with one of these texts, where the cached
        names, an earlier search or one of a small file say so; False where only a search of a
        large file can tell."""
        known = self._known.get(texts)
        if known is not None or texts in self._known:
            return known == ()
        is_small = self._file.object.size_bytes < _MIN_INDEXED_BYTES
        is_quick = is_small or vars(self).get("_names") is not None
        return is_quick and self.units(*texts) == ()

    def _units(self, texts: Collection[bytes]) -> tuple[CompilationUnit, ...] | None:
        cached = self._by_names(lambda names: names.units(texts))
        if cached is not None:
            return cached
        always = self._always if self.is_conclusive else None
        offsets = None if always is None else self.offsets(texts, MAX_OFFSETS)
        if always is None or offsets is None:
            return None
        units = set(always)
        values = {
            offset.to_bytes(size_bytes, endian)
            for size_bytes, endian in self._forms
            for offset in offsets
        }
        return self._in_order(units | self._holding(*values, *texts))

    def offsets(self, texts: Collection[bytes], most: int) -> set[int] | None:
        """Return the offsets of such names in string sections; None if there are more than
        `most`."""
        offsets: set[int] = set()
        for section in STRINGS:
            data = self._file.section(section)
            for text in texts:
                offset = data.find(text)
                while offset >= 0:
                    offsets.add(offset)
                    if len(offsets) > most:
                        return None
                    offset = data.find(text, offset + 1)
        return offsets

    def similar(self, name: str) -> tuple[bytes, ...]:
        """Return the strings of `.debug_str` that are most similar to a simple name.

        The section never changes: each name is compared with its strings once.
        """
        return self._similar.answer(name, self._most_similar)

    def _most_similar(self, name: str) -> tuple[bytes, ...]:
        nearest = self._strings.similar(name)[:_MAX_SIMILAR]
        return tuple(string.encode("utf-8", "surrogateescape") for _, string in nearest)

    @cached_property
    def _strings(self) -> KnownNames:
        data = self._file.section(STRINGS[0])
        if len(data) > _MAX_SUGGESTED_BYTES:
            return KnownNames(())
        strings = re.finditer(rb"[^\0]+", data)
        return KnownNames(string[0].decode("utf-8", "surrogateescape") for string in strings)

    def units_containing(
        self, text: bytes, kinds: Collection[int] | None = None, *, is_beginning: bool = False
    ) -> tuple[CompilationUnit, ...] | None:
        """Return the units, in the order of the file, that may have a name that contains a text.
        None: every unit may. `is_beginning`: an identifier in the name begins with it. `kinds`
        (`kinds_of`): units without an entry of these kinds with such a name may be left out."""
        cached = self._by_names(
            lambda names: names.units_containing(text, kinds, is_beginning=is_beginning)
        )
        if cached is not None:
            return cached
        always = self._always if self.is_conclusive else None
        spans = None if always is None else self._spans_with(text, is_beginning=is_beginning)
        if always is None or spans is None:
            return None
        blocks = _blocks(spans, _MAX_BLOCKS)
        if blocks is None:
            return None
        units = set(always) | self._holding(text)
        for size_bytes, endian in self._forms:
            for find in _finders(blocks, size_bytes, endian):
                units |= self._at(find)
        return self._in_order(units)

    def _spans_with(self, text: bytes, *, is_beginning: bool) -> list[tuple[int, int]] | None:
        """Return the offsets in string sections, first and last, of names that continue up to a
        text; None if there are too many. A name may begin anywhere in a longer string."""
        spans: list[tuple[int, int]] = []
        for section in STRINGS:
            data = self._file.section(section)
            offset = data.find(text)
            start, searched = 0, 0  # many may be in one very long string
            while offset >= 0:
                is_inside = is_beginning and data[offset - 1 : offset] in _LETTERS and offset > 0
                if not is_inside:
                    start = data.rfind(b"\0", searched, offset) + 1 or start
                    searched = offset
                spans.append((offset if is_inside else start, offset))
                if len(spans) > _MAX_SPANS:
                    return None
                offset = data.find(text, offset + 1)
        return spans

    def has_any_name(self, unit: CompilationUnit) -> bool:
        """Return whether a unit may have any name, whatever its bytes are."""
        return self._always is None or unit in self._always

    # Positions of bytes

    @cached_property
    def _sections(self) -> dict[str, tuple[list[int], list[int], list[CompilationUnit]]]:
        """The units of each section, and where they start and end."""
        units: dict[str, tuple[list[int], list[int], list[CompilationUnit]]] = {}
        for unit in self._units_of_file():
            starts, ends, own = units.setdefault(unit.header.section, ([], [], []))
            starts.append(unit.offset)
            ends.append(unit.end)
            own.append(unit)
        return units

    @cached_property
    def _forms(self) -> set[tuple[int, Endian]]:
        """The sizes of offsets of the units and their byte orders."""
        return {(unit.format.offset_size, unit.endian) for unit in self._units_of_file()}

    def _holding(self, *values: bytes) -> set[CompilationUnit]:
        """Return the units that contain one of some values."""
        if len(values) > _FEW:
            return self._at(partial(_first, re.compile(b"|".join(map(re.escape, values)))))
        units: set[CompilationUnit] = set()
        for value in values:
            units |= self._at(partial(_find, value))
        return units

    def _at(self, find: Callable[[Data, int], int]) -> set[CompilationUnit]:
        """Return the units with a match; `find` returns the position from a start on, -1 for
        none."""
        ordered: set[CompilationUnit] = set()
        for section, (starts, ends, units) in self._sections.items():
            # The memory that the units use: a large section is in memory once.
            data = self._file.loaded(section, 0, max(ends))
            hits = spans_with(starts, ends.__getitem__, partial(find, data))
            ordered.update(units[number] for number, _ in hits)
        return ordered

    def _in_order(self, units: Collection[CompilationUnit]) -> tuple[CompilationUnit, ...]:
        if len(units) < 64:
            return tuple(sorted(units, key=lambda unit: (unit.header.section, unit.offset)))
        return tuple(unit for unit in self._units_of_file() if unit in units)

    # Units that may have names of others

    @cached_property
    def _always(self) -> frozenset[CompilationUnit] | None:
        """The units that may have any name; None: all of them."""
        tables = self._suspect_tables
        if tables is None:
            return None
        return frozenset(
            unit
            for unit in self._units_of_file()
            if unit.header.kind == dw.UT_SKELETON
            or (unit.header.abbreviations_at in tables and _may_be_named_indirectly(unit))
        )

    @cached_property
    def _suspect_tables(self) -> frozenset[int] | None:
        """Return the abbreviation tables that contain the bytes of such an attribute, perhaps with
        another meaning; None if tables overlap."""
        data = self._file.section(".debug_abbrev")
        pairs = [bytes(pair) for pair in _NAMED_INDIRECTLY if bytes(pair) in data]
        if not pairs:
            return frozenset()
        starts = sorted({unit.header.abbreviations_at for unit in self._units_of_file()})
        offsets: set[int] = set()
        for pair in pairs:
            for index, _ in spans_with(starts, lambda _: len(data), partial(_find, pair, data)):
                start = starts[index]
                if index and data[max(start - 3, 0) : start] != _TABLE_END[-start:]:
                    return None
                offsets.add(start)
        return frozenset(offsets)


def spans_with(
    starts: Sequence[int], end_of: Callable[[int], int], find: Callable[[int], int]
) -> Iterator[tuple[int, int]]:
    """Yield the number of each span in which a value begins, and where its first one does.

    `starts`: of the spans, which are in order and do not overlap. `end_of` returns the end of
    a span by its number. `find` returns where the first value begins from an offset on, -1 if none
    does; it is called once for each span at most, however many values are between spans.
    """
    number = 0
    while number < len(starts):
        offset = find(starts[number])
        if offset < 0:
            return
        number = bisect_right(starts, offset, number + 1) - 1
        if offset < end_of(number):
            yield number, offset
        number += 1


def _blocks(spans: Iterable[tuple[int, int]], most: int) -> dict[int, set[int]] | None:
    """Return the lowest bytes of the numbers in spans, by all their other bytes; None if there are
    more than `most` blocks. Spans may overlap: each number is added once."""
    blocks: dict[int, set[int]] = {}
    end = 0
    for first, last in sorted(spans):
        first = max(first, end)
        for block in range(first >> 8, (last >> 8) + 1):
            low, top = max(first, block << 8) & 0xFF, min(last, block << 8 | 0xFF) & 0xFF
            blocks.setdefault(block, set()).update(range(low, top + 1))
            if len(blocks) > most:
                return None
        end = max(end, last + 1)
    return blocks


def _finders(
    blocks: Mapping[int, Collection[int]], size_bytes: int, endian: Endian
) -> Iterator[Callable[[Data, int], int]]:
    """Yield what finds the numbers of some blocks: each takes a pass over a section."""
    if len(blocks) <= _FEW:
        for block, lows in blocks.items():
            misses = repeat(False, _MAX_MISSES)
            yield partial(_in_block, block, lows, size_bytes, endian, misses)
        return
    numbers = frozenset(
        (block << 8 | low).to_bytes(size_bytes, endian)
        for block, lows in blocks.items()
        for low in lows
    )
    first, *following = (_one_of(set(column)) for column in zip(*numbers, strict=True))
    # Only the first byte is taken, so that what begins within a number is found, too.
    pattern = re.compile(b"%s(?=%s)" % (first, b"".join(following)))
    yield partial(_number, pattern, numbers, size_bytes, repeat(False, _MAX_MISSES))


def _one_of(byte_values: Collection[int]) -> bytes:
    """Return the pattern of one byte with one of some values."""
    return b"[%s]" % b"".join(b"\\x%02x" % value for value in sorted(byte_values))


def _number(
    pattern: re.Pattern[bytes],
    numbers: Collection[bytes],
    size_bytes: int,
    misses: Iterator[bool],
    data: Data,
    begin: int,
) -> int:
    """Find one of some numbers of a size, where a pattern is matched that others match, too; one of
    these where no miss remains."""
    for match in pattern.finditer(data, begin):
        start = match.start()
        if data[start : start + size_bytes] in numbers or next(misses, True):
            return start
    return -1


def _in_block(
    block: int,
    lows: Collection[int],
    size_bytes: int,
    endian: Endian,
    misses: Iterator[bool],
    data: Data,
    offset: int,
) -> int:
    """Find a number with these bytes above its lowest byte; there are several. Where no miss
    remains, one with other lowest bytes, too.

    Python searches one text so much faster than many that this is faster, too.
    """
    high = block.to_bytes(size_bytes - 1, endian)
    is_little = endian == "little"
    offset = data.find(high, offset + is_little)
    while offset >= 0:
        low = offset - 1 if is_little else offset + size_bytes - 1
        if data[low : low + 1] and (data[low] in lows or next(misses, True)):
            return offset - is_little
        offset = data.find(high, offset + 1)
    return -1


def _first(pattern: re.Pattern[bytes], data: Data, offset: int) -> int:
    match = pattern.search(data, offset)
    return -1 if match is None else match.start()


def _find(value: bytes, data: Data, offset: int) -> int:
    return data.find(value, offset)


def _may_be_named_indirectly(unit: CompilationUnit) -> bool:
    """Return whether entries of a unit may take names from other units; True for an unreadable
    unit, whose reader reports it."""
    try:
        return any(
            (attribute.name, attribute.form) in _NAMED_INDIRECTLY
            for abbreviation in unit.abbreviations.values()
            for attribute in abbreviation.attributes
        )
    except DwarfGpuError:
        return True
