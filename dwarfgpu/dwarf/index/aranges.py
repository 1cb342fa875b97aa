"""Look up the unit that covers an address in `.debug_aranges` (DWARF 5 6.1.2).

Law: the section is a hint. Unusable sets are omitted and reported; `dwarfgpu.dwarf.scope.by_pc`
verifies the returned unit, and finds that of addresses in no set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from struct import Struct, iter_unpack
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import FORMAT_LETTERS
from dwarfgpu.dwarf.patch_space import has_patch_space
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_header import MAX_PROBLEMS, initial_length, refuse_segments
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, Unsupported

_VERSION: Final = 2
MAX_SETS: Final = 1 << 20
"""Sets that are read: as many as a file has units, and more than any program has."""
MAX_RANGES: Final = 1 << 20
"""Ranges of addresses that are read of an index, of all units together."""
MAX_LISTED_UNITS: Final = 1 << 19
"""Units that an index of names lists, where each one is looked up."""


@frozen
class ArangeSet:
    """The addresses of one unit."""

    offset: int
    """Bytes from the start of `.debug_aranges`."""
    unit_offset: int
    """The offset of the unit, in `.debug_info`."""
    address_size: int
    """Bytes."""
    spans: tuple[Range, ...]
    """Addresses of the file, in the order of the section."""
    is_terminated: bool
    """Whether a pair of zeros ends the set (DWARF 5 6.1.2)."""


def read_aranges(
    data: bytes, endian: Endian, *, has_patch_space: bool = False
) -> tuple[list[ArangeSet], list[DwarfGpuError]]:
    """Return the sets of a section, and the errors of sets that could not be read; of too many,
    `LimitExceeded` is the last. `has_patch_space`: zeros at the end are no sets."""
    sets: list[ArangeSet] = []
    problems: list[DwarfGpuError] = []
    reader = Reader(data, endian)
    ranges_left = MAX_RANGES
    sets_end = len(data.rstrip(b"\0")) if has_patch_space else len(data)
    while reader.position < sets_end:
        offset = reader.position
        end = len(data)
        if len(sets) >= MAX_SETS or len(problems) >= MAX_PROBLEMS:
            amount = f"{len(sets)} sets and {len(problems)} that cannot be used"
            problems.append(LimitExceeded(f"{amount} are before it: the others are not read"))
            problems[-1].context = f".debug_aranges set {offset:#x}"
            break
        usual = _usual_set(data, offset, endian, ranges_left)
        if usual is not None:
            arange_set, reader.position = usual
            sets.append(arange_set)
            ranges_left -= len(arange_set.spans)
            continue
        try:
            length, offset_size = initial_length(reader)
            if length > reader.remaining_bytes:
                raise Malformed(f"length {length:#x} reaches beyond the section")
            end = reader.position + length
            of_set = Reader(data, endian, reader.position, end)
            sets.append(_read_set(offset, of_set, offset_size, ranges_left))
            ranges_left -= len(sets[-1].spans)
        except DwarfGpuError as error:
            error.context = f".debug_aranges set {offset:#x}"
            problems.append(error.with_traceback(None))
        reader.position = end
    return sets, problems


_USUAL: Final = {
    "little": (Struct("<IHIBB4x"), Struct("<QQ")),
    "big": (Struct(">IHIBB4x"), Struct(">QQ")),
}
"""Length, version, offset of the unit, sizes of addresses and segments, padding; a pair."""


def _usual_set(data: bytes, offset: int, endian: Endian, most: int) -> tuple[ArangeSet, int] | None:
    """Return a set with offsets of 4 and addresses of 8 bytes, as nearly all are, and its end; None
    for any other, for an unusable one, and for one of more than `most` ranges."""
    form, pair = _USUAL[endian]
    start = offset + form.size
    if start > len(data):
        return None
    length, version, unit_offset, address_size, segment_size = form.unpack_from(data, offset)
    end = offset + 4 + length
    is_usual = (version, address_size, segment_size) == (_VERSION, 8, 0) and length < 0xFFFFFFF0
    if not is_usual or not start <= end <= len(data) or (end - start) // pair.size > most:
        return None
    rows = data[start : end - (end - start) % pair.size]
    spans = [Range(begin, begin + size) for begin, size in pair.iter_unpack(rows) if size]
    is_terminated = rows.endswith(bytes(pair.size))
    return ArangeSet(offset, unit_offset, address_size, tuple(spans), is_terminated), end


def _read_set(offset: int, reader: Reader, offset_size: int, most: int) -> ArangeSet:
    version = reader.unsigned(2)
    if version != _VERSION:
        raise Unsupported(f"version {version}")
    unit_offset = reader.unsigned(offset_size)
    address_size, segment_size = reader.u8(), reader.u8()
    if address_size not in FORMAT_LETTERS:
        raise Malformed(f"address size {address_size}")
    refuse_segments(segment_size)
    # The first pair is aligned to its own size, counted from the start of the set.
    pair = 2 * address_size
    reader.take((offset - reader.position) % pair)
    count = reader.remaining_bytes // pair
    if count > most:
        raise LimitExceeded(f"it and those before it have more than {MAX_RANGES} ranges")
    rows = reader.take(count * pair)
    form = ("<" if reader.endian == "little" else ">") + 2 * FORMAT_LETTERS[address_size]
    # A pair of zeros ends the set, but linkers also leave one in place of dropped code.
    spans = [Range(begin, begin + size) for begin, size in iter_unpack(form, rows) if size]
    is_terminated = rows.endswith(bytes(pair))
    return ArangeSet(offset, unit_offset, address_size, tuple(spans), is_terminated)


class OtherAddressSize(IllFormed):
    """A set whose unit has addresses of another size."""

    @property
    def kind(self) -> str:
        return "IllFormed"


class _Sets:
    """The sets of a file, for all its loads."""

    def __init__(
        self, sections: Sections, unit_at: Callable[[int], CompilationUnit | None]
    ) -> None:
        self._sections = sections
        self._unit_at = unit_at

    @cached_property
    def listed(self) -> tuple[list[ArangeSet], list[DwarfGpuError]]:
        return read_aranges(
            self._sections.section(".debug_aranges"),
            self._sections.endian,
            has_patch_space=has_patch_space(self._sections.object),
        )

    @cached_property
    def read(self) -> tuple[tuple[ArangeSet, ...], tuple[DwarfGpuError, ...]]:
        try:
            sets, unread = self.listed
        except DwarfGpuError as error:
            return (), (error.with_traceback(None),)
        problems = list(unread)
        usable: list[ArangeSet] = []
        for arange_set in sets:
            try:
                if self._is_usable(arange_set):
                    usable.append(arange_set)
            except IllFormed as error:
                error.context = f".debug_aranges set {arange_set.offset:#x}"
                problems.append(error.with_traceback(None))
            except DwarfGpuError as error:  # no unit can be read, whichever set names it
                return (), (error.with_traceback(None),)
        for problem in problems:
            problem.context = f"{self._sections.path}: {problem.context}"
        return tuple(usable), tuple(problems)

    def _is_usable(self, arange_set: ArangeSet) -> bool:
        """Return whether the unit of a set can be used; `IllFormed` if they do not fit."""
        unit = self._unit_at(arange_set.unit_offset)
        if unit is not None and unit.format.address_size != arange_set.address_size:
            raise OtherAddressSize(
                f"address_size {arange_set.address_size} of .debug_aranges and address_size "
                f"{unit.format.address_size} of its unit disagree"
            )
        return unit is not None

    @cached_property
    def index(self) -> SpanIndex[int]:
        return SpanIndex((span, one.unit_offset) for one in self.read[0] for span in one.spans)


class AddressIndex:
    """The `.debug_aranges` of a file."""

    def __init__(
        self, sections: Sections, unit_at: Callable[[int], CompilationUnit | None]
    ) -> None:
        """`unit_at`: the unit that starts at an offset of `.debug_info`; None if it cannot be used,
        `IllFormed` if none starts there."""
        self._sets = sections.for_all_loads.once("aranges", lambda: _Sets(sections, unit_at))
        self._unit_at = unit_at

    @property
    def listed(self) -> Sequence[ArangeSet]:
        """The sets of the section, those that fit no unit too."""
        return self._sets.listed[0]

    @property
    def sets(self) -> tuple[ArangeSet, ...]:
        """The usable sets."""
        return self._sets.read[0]

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why others cannot."""
        return self._sets.read[1]

    def units_at(self, address: int) -> Iterator[CompilationUnit]:
        """Yield the units whose sets contain an address of the file, each once."""
        visited: set[int] = set()
        for offset in self._sets.index.covering(address):
            unit = None if offset in visited else self._unit_at(offset)
            visited.add(offset)
            if unit is not None:
                yield unit
