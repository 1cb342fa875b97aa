"""`.debug_frame` and `.eh_frame`: the FDE of a pc, by `.eh_frame_hdr` or by a search (A.6.4.1).

Laws: an entry that is looked for is the only one that is read whole. A section can have a million
entries: they are kept as numbers in arrays.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from struct import Struct
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.cfi.declaration import CfiFormat
from dwarfgpu.cfi.decode import MAX_INSTRUCTIONS
from dwarfgpu.cfi.eh_frame_hdr import SECTION, SearchTable
from dwarfgpu.cfi.entry import BrokenEntry, Cie, Fde, FrameEntry
from dwarfgpu.cfi.fde_columns import FdeColumns, FdeLayout, layout_of
from dwarfgpu.cfi.frame_entries import (
    ENTRIES_OF_A_CIE,
    ID_OF_64_BITS,
    RESERVED,
    FrameEntries,
    SectionKind,
)
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, counted

_MAX_CACHED: Final = 1 << 16
"""Program locations for which it is remembered what describes them."""


class FrameSection:
    """A section of call frame information, read entry by entry."""

    def __init__(
        self,
        kind: SectionKind,
        data: bytes,
        *,
        section_address: int = 0,
        address_size: int = 8,
        endian: Endian = "little",
        architecture: Architecture | None = None,
        machine: str | None = None,
        search: SearchTable | None = None,
        ends_at_zero: bool = False,
        most_instructions: int = MAX_INSTRUCTIONS,
        most_entries: int = DEFAULT_FILE_LIMITS.frame_entries,
        alignment: int | None = None,
    ) -> None:
        """`address_size` is that of the file, for CIEs that do not specify one.

        `search` is the table of an `.eh_frame`. `ends_at_zero`: an entry of length 0 ends the
        section, and data may follow it. `most_instructions` limits each entry, `most_entries` their
        number. `alignment`: that of the section in bytes; None if it is unknown.
        """
        self.most_entries = most_entries
        self.search = search
        self.search_error: DwarfGpuError | None = None
        """Where the search table was found to be wrong; it is not used any more."""
        base = CfiFormat(
            address_size,
            endian,
            architecture=architecture,
            section_address=section_address,
            machine=machine or (architecture.machine if architecture else None),
        )
        self._section = FrameEntries(
            kind,
            data,
            base,
            ends_at_zero=ends_at_zero,
            most_instructions=most_instructions,
            most_entries=most_entries,
            alignment=alignment,
        )
        self._unread: DwarfGpuError | None = None
        """Why the range of an FDE is not known: of the first one."""
        self._fde_at = KeptAnswers[int, Fde | None](_MAX_CACHED)

    @property
    def kind(self) -> SectionKind:
        return self._section.kind

    @property
    def data(self) -> bytes:
        return self._section.data

    @property
    def address(self) -> int:
        """That of the section, as linked."""
        return self._section.base.section_address

    @property
    def is_eh(self) -> bool:
        return self._section.is_eh

    @property
    def offsets(self) -> array[int]:
        """Where the entries begin, in their order."""
        return self._section.offsets

    def entry_at(self, offset: int) -> FrameEntry:
        """Return the entry at one of `offsets`."""
        return self._section.entry_at(offset)

    def is_broken_fde(self, offset: int) -> bool:
        """Return whether an FDE begins at an offset that cannot be read."""
        header = self._section.header_at(offset) if 0 <= offset < len(self.data) else None
        entry = None if header is None else self._section.entry(header)
        return isinstance(entry, BrokenEntry) and entry.is_fde

    def bytes_of_entry(self, offset: int) -> bytes:
        """Return the bytes of the entry at one of `offsets`."""
        return self._section.bytes_of_entry(offset)

    def cie_at(self, offset: int) -> Cie:
        """Return the CIE that an FDE has at an offset; raises `DwarfGpuError` where there is
        none."""
        return self._section.cie_at(offset)

    @property
    def end(self) -> BrokenEntry | None:
        """The first entry that cannot be read, nor any after it; None if all can be."""
        return self._section.positions.end

    @cached_property
    def entries(self) -> tuple[FrameEntry, ...]:
        """All entries in the order of the section."""
        return tuple(self.each_entry())

    def each_entry(self) -> Iterator[FrameEntry]:
        """Yield all entries in the order of the section, then what is wrong between them."""
        for offset in self.offsets:
            yield self.entry_at(offset)
        yield from self.each_gap()

    def each_gap(self) -> Iterator[BrokenEntry]:
        """Yield where zeros replaced entries, and from where on none can be read."""
        return self._section.each_gap()

    @cached_property
    def early_terminator(self) -> tuple[int, int] | None:
        """The offset of an entry of length 0 of `.eh_frame` with FDEs behind it, and how many these
        are; None if there is none. Unwinders that go through the section end at it (Linux Standard
        Base Core, 10.6.1)."""
        terminator = self._section.positions.terminator
        if terminator is None or not self.offsets or self.offsets[-1] < terminator:
            return None
        columns = self.fde_columns
        behind = len(columns) - bisect_left(columns.offsets, terminator)
        return (terminator, behind) if behind else None

    @cached_property
    def fdes(self) -> tuple[Fde, ...]:
        """The FDEs by their initial location."""
        columns = self.fde_columns
        rows = (row for row in columns.order if columns.programs[row])
        fdes = (self.entry_at(columns.offsets[row]) for row in rows)
        return tuple(fde for fde in fdes if isinstance(fde, Fde))

    @cached_property
    def fde_columns(self) -> FdeColumns:
        """The FDEs whose range can be read; nothing of the others is kept but the first error."""
        columns, layouts = FdeColumns(), dict[int, FdeLayout | None]()
        slow = 0
        data, is_eh = self.data, self.is_eh
        words = Struct("<II" if self._section.base.endian == "little" else ">II")
        last = len(data) - words.size
        for offset in self.offsets:
            if ENTRIES_OF_A_CIE * slow > self.most_entries:
                text = (
                    f"more than {slow - 1} entries whose range cannot be read or has no fixed size"
                )
                error = LimitExceeded(text, "--max-frame-entries")
                columns.end = BrokenEntry(offset, self._section.with_offset(error, offset))
                break
            if offset > last:
                self._read_range(offset, columns)
                slow += 1
                continue
            length, pointer = words.unpack_from(data, offset)
            position, end = offset + 8, offset + 4 + length
            if not 4 <= length < RESERVED:
                self._read_range(offset, columns)
                slow += 1
                continue
            if pointer == (0 if is_eh else ID_OF_64_BITS):
                continue  # a CIE
            cie = offset + 4 - pointer if is_eh else pointer
            layout = layouts.get(cie)
            if layout is not None and position + layout.size_bytes <= end:
                start, size_bytes = layout.unpack(data, position)
                if layout.base is not None:
                    start += layout.base + position
                program = layout.program(data, position + layout.size_bytes, end)
                if program is not None:
                    mask = layout.mask
                    columns.add(offset, length + 4, cie, start & mask, size_bytes & mask, program)
                    continue
            if self._read_range(offset, columns) and cie not in layouts:
                layouts[cie] = layout_of(self._section.cie_at(cie), is_eh=is_eh)
            else:
                slow += 1
        return columns

    def _read_range(self, offset: int, columns: FdeColumns) -> bool:
        """Read the range of an entry if it is an FDE; false where it cannot be read."""
        header = self._section.header(offset)
        assert header is not None
        if self._unread is not None and header.end - header.id_at < 4:
            return False  # it has no room for the CIE pointer, and only the first error is kept
        try:
            reader, reference = self._section.reference(header)
            if reference is None:
                return True
            cie = self._section.cie_at(reference)
            position = reader.position
            try:
                fde = self._section.fde(header, reader, reference)
                start, size_bytes = fde.initial_location, fde.address_range
                program = fde.program_offset
            except DwarfGpuError:  # the range may be readable, and what follows is not
                reader.position = position
                (start, size_bytes), program = self._section.range_of(reader, cie), 0
        except DwarfGpuError as error:  # `entries` reports it
            if self._unread is None:
                self._unread = self._section.with_offset(error, offset)
            return False
        columns.add(offset, header.size_bytes, reference, start, size_bytes, program)
        try:
            self._require_address_size(cie)
        except DwarfGpuError as error:
            if self._unread is None:
                self._unread = self._section.with_offset(error, offset)
        return True

    def _require_address_size(self, cie: Cie) -> None:
        size_bytes = cie.format.address_size
        if size_bytes != self._section.base.address_size:
            text, of_file = counted(size_bytes, "byte"), self._section.base.address_size
            error = Malformed(f"addresses of {text}, of {of_file} in the file")
            raise self._section.with_offset(error, cie.offset)

    def why_incomplete(self) -> DwarfGpuError | None:
        """Return why an FDE may not be found: the error of the first one whose range cannot be
        read, or has addresses of another size than the file, or of where zeros replaced entries or
        the lengths stop making sense; None if all are known."""
        end = self.fde_columns.end
        gap = end if end is not None else next(self.each_gap(), None)
        return self._unread or (None if gap is None else gap.error)

    def find(self, location: int) -> Fde | None:
        """Return the FDE that covers a program location as linked; of several, the last to start.

        Reads no other FDE if the search table leads to it.
        """
        return self._fde_at.answer(location, self._find)

    def _find(self, location: int) -> Fde | None:
        return self._by_table(location) or self._by_bounds(location)

    def _by_bounds(self, location: int) -> Fde | None:
        columns = self.fde_columns
        starts, ends = columns.bounds
        index: int | None = bisect_right(starts, location)
        while index and location < ends[index - 1]:
            index = columns.last_covering(location, index)
            if index is not None:
                entry = self.entry_at(columns.offsets[columns.order[index]])
                if isinstance(entry, Fde):
                    return entry
        return None

    def overlapped(self, location: int, fde: Fde) -> Fde | None:
        """Return the first FDE that covers a program location for which `find` answers `fde`; None
        if that is `fde`, or if the search table chose."""
        if "fde_columns" not in self.__dict__ or self._by_table(location) is not None:
            return None
        columns = self.fde_columns
        first = bisect_right(columns.bounds[1], location)  # `fde` covers it, at the latest
        entry = self.entry_at(columns.offsets[columns.order[first]])
        return entry if isinstance(entry, Fde) and entry.offset != fde.offset else None

    def _by_table(self, location: int) -> Fde | None:
        if self.search is None or self.search_error is not None:
            return None
        pair = self.search.find(location)
        if pair is None:
            return None
        try:
            fde = self._searched(*pair)
        except DwarfGpuError as error:
            self.search_error = error
            return None
        return fde if location < fde.end else None

    def _searched(self, start: int, address: int) -> Fde:
        """Return the FDE to which a pair of the search table leads; `Malformed` where it does
        not."""
        offset = address - self.address
        try:
            header = self._section.header_at(offset)
            entry = None if header is None else self._section.entry(header)
        except DwarfGpuError:
            entry = None
        if isinstance(entry, BrokenEntry) and entry.is_fde:
            raise entry.error.anew()
        location = entry.initial_location if isinstance(entry, Fde) else None
        problem = wrong_pair(self.kind, start, offset, location)
        if problem is not None:
            raise Malformed(problem)
        assert isinstance(entry, Fde)
        return entry


def wrong_pair(kind: SectionKind, start: int, offset: int, location: int | None) -> str | None:
    """Return what is wrong with a pair of the search table of a section, with the initial location
    of the FDE at the offset to which it leads, None if there is none; None if nothing is wrong."""
    if location == start:
        return None
    problem = f"the entry of {SECTION} for {start:#x} points to offset {offset:#x} of {kind}"
    if location is None:
        return f"{problem}, which is not an FDE"
    return f"{problem}, whose FDE begins at {location:#x}"
