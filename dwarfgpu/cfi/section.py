"""`.debug_frame` and `.eh_frame`: Common Information and Frame Description Entries (A.6.4.1),
and the FDE of a pc, by `.eh_frame_hdr` or by a search. The augmentation string of a CIE, such as
`zR` or `[llvm:v0.0]`, is read here; `dwarfgpu.dwarf.cfi_rows_by_pc` derives the dialect from it.

Laws: an entry that cannot be read is kept with its reason and costs no other entry anything; an
entry that is looked for is the only one that is read whole. A section can have a million entries:
they are kept as numbers in arrays.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from struct import Struct
from typing import Final, Literal, NamedTuple

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.pattern import pattern
from dwarfgpu.cfi.declaration import CfiFormat
from dwarfgpu.cfi.decode import MAX_INSTRUCTIONS
from dwarfgpu.cfi.eh_frame_hdr import SECTION, SearchTable
from dwarfgpu.cfi.eh_pointer import ABSOLUTE, OMITTED, read_pointer
from dwarfgpu.cfi.entry import Augmentation, BrokenEntry, Cie, Fde, FrameEntry
from dwarfgpu.cfi.fde_columns import FdeColumns, FdeLayout, in_order, layout_of
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, counted

SectionKind = Literal[".debug_frame", ".eh_frame"]
_VERSIONS: Final = (1, 3, 4)
_ADDRESS_SIZES: Final = (2, 4, 8)
_NOT_ZERO: Final = pattern(rb"[^\0]")
_ZEROED_BYTES: Final = 16
"""Zeros that replaced entries of `.debug_frame`, where no entry has the length 0."""
_LONGEST_AUGMENTATION: Final = 1_024
_ENTRIES_OF_A_CIE: Final = 8
"""How many entries a CIE counts for: it is kept whole, and a unit needs one."""
_RESERVED: Final = 0xFFFF_FFF0
"""The first length that means something else (DWARF 5 7.4)."""
_64_BIT: Final = 0xFFFF_FFFF
_MAX_CACHED: Final = 1 << 16
"""Program locations for which it is remembered what describes them."""
_KNOWN: Final = pattern(rb"eh|(z[LPRSBG]*)?(\[(llvm|amd|amdgpu):v0\.0(:[^\]]*)?\])*")
"""Known augmentations: those of `.eh_frame`; in brackets those that add no fields, the form that
A.6.4.1 recommends, of the vendors and the only version that AMD's compilers and the AMDGPU usage
have had (docs/spec-notes.md)."""


class _Header(NamedTuple):
    """Where an entry is."""

    offset: int
    is_64bit: bool
    id_at: int
    """Where its CIE id or CIE pointer is."""
    end: int
    """The offset after its last byte."""

    @property
    def size_bytes(self) -> int:
        return self.end - self.offset


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
        self._alignment = alignment
        self._most_entries = most_entries
        self._most_instructions = most_instructions
        self.kind: SectionKind = kind
        self.data = data
        self.search = search
        self.search_error: DwarfGpuError | None = None
        """Where the search table was found to be wrong; it is not used any more."""
        self._ends_at_zero = ends_at_zero
        self._base = CfiFormat(
            address_size,
            endian,
            architecture=architecture,
            section_address=section_address,
            machine=machine or (architecture.machine if architecture else None),
        )
        self._cies: dict[int, Cie | DwarfGpuError] = {}
        self._unread: DwarfGpuError | None = None
        """Why the range of an FDE is not known: of the first one."""
        self._fde_at = KeptAnswers[int, Fde | None](_MAX_CACHED)

    @property
    def is_eh(self) -> bool:
        return self.kind == ".eh_frame"

    @cached_property
    def entries(self) -> tuple[FrameEntry, ...]:
        """All entries in the order of the section."""
        return tuple(self.each_entry())

    def each_entry(self) -> Iterator[FrameEntry]:
        """Yield all entries in the order of the section, then what is wrong between them."""
        for offset in self.offsets:
            yield self.entry_at(offset)
        yield from self.each_gap()

    @cached_property
    def early_terminator(self) -> tuple[int, int] | None:
        """The offset of an entry of length 0 of `.eh_frame` with FDEs behind it, and how many these
        are; None if there is none. Unwinders that go through the section end at it (Linux Standard
        Base Core, 10.6.1)."""
        terminator = self._headers[3]
        if terminator is None or not self.offsets or self.offsets[-1] < terminator:
            return None
        columns = self.fde_columns
        behind = len(columns) - bisect_left(columns.offsets, terminator)
        return (terminator, behind) if behind else None

    @property
    def offsets(self) -> array[int]:
        """Where the entries begin, in their order."""
        return self._headers[0]

    def entry_at(self, offset: int) -> FrameEntry:
        """Return the entry at one of `offsets`."""
        header = self._header(offset)
        assert header is not None
        return self._entry(header)

    def bytes_of_entry(self, offset: int) -> bytes:
        """Return the bytes of the entry at one of `offsets`."""
        header = self._header(offset)
        assert header is not None
        return self.data[offset : header.end]

    def each_gap(self) -> Iterator[BrokenEntry]:
        """Yield where zeros replaced entries, and from where on none can be read."""
        _, zeroed, last, _ = self._headers
        for offset in zeroed:
            yield BrokenEntry(offset, self._zeroed(offset))
        if last is not None:
            yield last

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
        words = Struct("<II" if self._base.endian == "little" else ">II")
        last = len(data) - words.size
        for offset in self.offsets:
            if _ENTRIES_OF_A_CIE * slow > self._most_entries:
                text = (
                    f"more than {slow - 1} entries whose range cannot be read or has no fixed size"
                )
                error = LimitExceeded(text, "--max-frame-entries")
                columns.end = BrokenEntry(offset, self._with_offset(error, offset))
                break
            if offset > last:
                self._read_range(offset, columns)
                slow += 1
                continue
            length, pointer = words.unpack_from(data, offset)
            position, end = offset + 8, offset + 4 + length
            if not 4 <= length < _RESERVED:
                self._read_range(offset, columns)
                slow += 1
                continue
            if pointer == (0 if is_eh else _64_BIT):
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
                layouts[cie] = layout_of(self._cie_at(cie), is_eh=is_eh)
            else:
                slow += 1
        return columns

    def _read_range(self, offset: int, columns: FdeColumns) -> bool:
        """Read the range of an entry if it is an FDE; false where it cannot be read."""
        header = self._header(offset)
        assert header is not None
        if self._unread is not None and header.end - header.id_at < 4:
            return False  # it has no room for the CIE pointer, and only the first error is kept
        try:
            reader, reference = self._reference(header)
            if reference is None:
                return True
            cie = self._cie_at(reference)
            position = reader.position
            start, size_bytes = self._range(reader, cie)
        except DwarfGpuError as error:  # `entries` reports it
            if self._unread is None:
                self._unread = self._with_offset(error, offset)
            return False
        try:
            reader.position = position
            program = self._fde(header, reader, reference).program_offset
        except DwarfGpuError:
            program = 0
        columns.add(offset, header.size_bytes, reference, start, size_bytes, program)
        try:
            self._require_address_size(cie)
        except DwarfGpuError as error:
            if self._unread is None:
                self._unread = self._with_offset(error, offset)
        return True

    def cie_at(self, offset: int) -> Cie:
        """Return the CIE that an FDE has at an offset; raises `DwarfGpuError` where there is
        none."""
        return self._cie_at(offset)

    def _require_address_size(self, cie: Cie) -> None:
        size_bytes = cie.format.address_size
        if size_bytes != self._base.address_size:
            text, of_file = counted(size_bytes, "byte"), self._base.address_size
            error = Malformed(f"addresses of {text}, of {of_file} in the file")
            raise self._with_offset(error, cie.offset)

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
        offset = address - self._base.section_address
        try:
            header = self._header_at(offset)
            entry = None if header is None else self._entry(header)
        except DwarfGpuError:
            entry = None
        location = entry.initial_location if isinstance(entry, Fde) else None
        problem = self._wrong_pair(start, offset, location)
        if problem is not None:
            raise Malformed(problem)
        assert isinstance(entry, Fde)
        return entry

    def _wrong_pair(self, start: int, offset: int, location: int | None) -> str | None:
        """Return what is wrong with a pair of the search table, with the initial location of the
        FDE at the offset to which it leads, None if there is none; None if nothing is wrong."""
        if location == start:
            return None
        entry_text = f"the entry of {SECTION} for {start:#x}"
        problem = f"{entry_text} points to offset {offset:#x} of {self.kind}"
        if location is None:
            return f"{problem}, which is not an FDE"
        return f"{problem}, whose FDE begins at {location:#x}"

    def search_differences(self) -> Iterator[str]:
        """Return how the search table and the section disagree, all of both compared.

        `LimitExceeded` where the table has more pairs than a section may have entries, or the
        section has more.
        """
        if self.search is None:
            return
        begin, named = self._base.section_address, self.search.frames_address
        if named != begin:
            yield f"{SECTION} is for {self.kind} at {named:#x}, which is at {begin:#x}"
        if not self.search.count:
            return
        if self.search.count > self._most_entries:
            pairs_text = f"{SECTION} has more than {self._most_entries} pairs"
            raise LimitExceeded(f"{pairs_text}: they are not compared", "--max-frame-entries")
        for end in (self.fde_columns.end, self._headers[2]):
            if end is not None and isinstance(end.error, LimitExceeded):
                raise end.error.anew()
        starts, addresses = self.search.pairs()
        for before, after in pairwise(starts):
            if after < before:
                yield f"{SECTION} is not sorted: {after:#x} follows {before:#x}"
        columns = self.fde_columns
        is_listed = bytearray(len(columns))
        for start, address in zip(starts, addresses, strict=True):
            row = columns.row_at(address - begin)
            location = None
            if row is not None:
                is_listed[row] = 1
                location = columns.starts[row] if columns.programs[row] else None
            problem = self._wrong_pair(start, address - begin, location)
            if problem is not None:
                yield problem
        order = in_order(starts)
        for row, is_in_table in enumerate(is_listed):
            if is_in_table or not columns.sizes[row]:  # no location is in an empty one
                continue
            start, offset = columns.starts[row], columns.offsets[row]
            after = bisect_right(order, start, key=starts.__getitem__)
            other = None
            if after and starts[order[after - 1]] == start:
                other = columns.row_at(addresses[order[after - 1]] - begin)
            if other is None:
                yield f"{SECTION} has no entry for {start:#x} (FDE at offset {offset:#x})"
                continue
            # lld keeps the first of those that begin at one address.
            has_code = columns.sizes[other] > 0
            subject = f"the FDE at offset {columns.offsets[other]:#x}"
            yield (
                f"the entry of {SECTION} for {start:#x} is that of {subject}"
                f"{'' if has_code else ', which has no code,'} and the FDE at offset {offset:#x}, "
                "which begins there too, has none"
            )

    @cached_property
    def _headers(self) -> tuple[array[int], array[int], BrokenEntry | None, int | None]:
        """Where entries begin, where zeros replaced some, from where on none can be read, and the
        first entry of length 0 of `.eh_frame`."""
        offsets, zeroed = array("Q"), array("Q")
        last: BrokenEntry | None = None
        terminator: int | None = None
        data, size_bytes, most = self.data, len(self.data), self._most_entries
        of_cie = bytes(4) if self.is_eh else b"\xff" * 4
        letters = "<" if self._base.endian == "little" else ">"
        length_at, long_length_at = Struct(f"{letters}I"), Struct(f"{letters}4xQ")
        offset = count = 0
        while offset < size_bytes:
            if count >= most:
                text = f"more than {most} entries, each CIE counted as {_ENTRIES_OF_A_CIE}"
                error = LimitExceeded(text, "--max-frame-entries")
                last = BrokenEntry(offset, self._with_offset(error, offset))
                break
            id_at = offset + 4
            length = length_at.unpack_from(data, offset)[0] if id_at <= size_bytes else 0
            is_entry = 0 < length < _RESERVED
            if length == _64_BIT and offset + long_length_at.size <= size_bytes:
                id_at = offset + long_length_at.size
                length = long_length_at.unpack_from(data, offset)[0]
                is_entry = True
            end = id_at + length
            if is_entry and end <= size_bytes:
                offsets.append(offset)
                count += _ENTRIES_OF_A_CIE if data.startswith(of_cie, id_at, end) else 1
                offset = end
                continue
            count += 1
            try:
                header = self._header(offset)
            except Malformed as error:
                last = BrokenEntry(offset, self._with_offset(error, offset))
                break
            assert header is None
            if self._ends_at_zero:
                break
            if self.is_eh and terminator is None:
                terminator = offset
            zeros, after = self._zeros(offset)
            if not self.is_eh and zeros >= _ZEROED_BYTES:
                zeroed.append(offset)
            offset += zeros if after == size_bytes else zeros // 4 * 4
        return offsets, zeroed, last, terminator

    def _zeros(self, offset: int) -> tuple[int, int]:
        """Return how many zeros begin at an offset, and where they end."""
        after = _NOT_ZERO.search(self.data, offset)
        end = len(self.data) if after is None else after.start()
        return end - offset, end

    def _zeroed(self, offset: int) -> DwarfGpuError:
        """Return the error for entries that zeros replaced."""
        zeros, _ = self._zeros(offset)
        error = Malformed(f"entries are overwritten with {zeros} bytes of zeros")
        return self._with_offset(error, offset)

    def _with_offset(self, error: DwarfGpuError, offset: int) -> DwarfGpuError:
        if error.context is None:
            error.context = f"{self.kind} entry at offset {offset:#x}"
        return error.with_traceback(None)  # which keeps the reader and more

    def _header(self, offset: int) -> _Header | None:
        """Return the entry at an offset; None for the zero that pads or ends `.eh_frame`."""
        reader = Reader(self.data, self._base.endian, offset)
        length = reader.unsigned(4)
        is_64bit = length == _64_BIT
        if is_64bit:
            length = reader.unsigned(8)
        elif length >= _RESERVED:
            raise Malformed(f"reserved length {length:#x}")
        if length == 0 and not is_64bit:
            return None
        if length > reader.remaining_bytes:
            raise Malformed(f"length {length:#x} is more than the {reader.remaining_bytes:#x} left")
        return _Header(offset, is_64bit, reader.position, reader.position + length)

    def _entry(self, header: _Header) -> FrameEntry:
        try:
            reader, reference = self._reference(header)
            if reference is None:
                return self._cie(header)
            return self._fde(header, reader, reference)
        except DwarfGpuError as error:
            return BrokenEntry(header.offset, self._with_offset(error, header.offset))

    def _reference(self, header: _Header) -> tuple[Reader, int | None]:
        """Return a reader after the CIE id or pointer, and the CIE's offset; None for a CIE."""
        reader = Reader(self.data, self._base.endian, header.id_at, header.end)
        if self.is_eh:
            distance = reader.unsigned(4)
            return reader, header.id_at - distance if distance else None
        size_bytes = 8 if header.is_64bit else 4
        pointer = reader.unsigned(size_bytes)
        return reader, None if pointer == (1 << 8 * size_bytes) - 1 else pointer

    def _cie_at(self, offset: int) -> Cie:
        """Return the CIE of an FDE; `Malformed` where there is none."""
        cached = self._cies.get(offset)
        if isinstance(cached, Cie):
            return cached
        header = self._header_at(offset)
        if header is None or self._reference(header)[1] is not None:
            raise Malformed(f"there is no CIE at offset {offset:#x}")
        return self._cie(header)

    def _header_at(self, offset: int) -> _Header | None:
        """Return the entry at an offset; once all up to there are known, only if one of them begins
        there."""
        if "_headers" in self.__dict__ and not self._is_beyond_limit(offset):
            index = bisect_left(self.offsets, offset)
            if index == len(self.offsets) or self.offsets[index] != offset:
                return None
        try:
            return self._header(offset)
        except Malformed:
            return None

    def _is_beyond_limit(self, offset: int) -> bool:
        """Return whether an offset is where too many entries were before."""
        last = self._headers[2]
        return last is not None and isinstance(last.error, LimitExceeded) and offset >= last.offset

    def _cie(self, header: _Header) -> Cie:
        cached = self._cies.get(header.offset)
        if cached is None:
            try:
                cached = self._read_cie(header)
            except DwarfGpuError as error:
                cached = self._with_offset(error, header.offset)
            self._cies[header.offset] = cached
        if isinstance(cached, Cie):
            return cached
        raise cached

    def _read_cie(self, header: _Header) -> Cie:
        reader, _ = self._reference(header)
        version = reader.u8()
        if version not in _VERSIONS:
            raise Malformed(f"unknown version {version} of a CIE")
        text = reader.string()
        if len(text) > _LONGEST_AUGMENTATION:
            raise Malformed(f"an augmentation of {counted(len(text), 'byte')}")
        base = self._base
        is_known = _KNOWN.fullmatch(text) is not None
        # In `.eh_frame` the range of an FDE is as `R` says, if that precedes the unknown part.
        if not (is_known or self.is_eh and text.startswith(b"z")):
            unknown = Augmentation(text.decode("utf-8", "replace"), is_known=False)
            return Cie(
                header.offset,
                header.size_bytes,
                header.is_64bit,
                version,
                unknown,
                0,
                None,
                base,
                self.data,
                reader.position,
            )
        address_size = base.address_size
        selector_size = 0
        if version == 4:
            address_size, selector_size = reader.u8(), reader.u8()
            if address_size not in _ADDRESS_SIZES:
                raise Malformed(f"address size {address_size}")
        if text == b"eh":
            reader.take(address_size)
        code, data = _word(reader.uleb()), _word(reader.sleb())
        column = reader.u8() if version == 1 else _word(reader.uleb())
        augmentation = self._augmentation(text, reader, address_size, is_known=is_known)
        form = CfiFormat(
            address_size,
            base.endian,
            code,
            data,
            base.architecture,
            base.machine,
            augmentation.fde_encoding,
            base.section_address,
        )
        return Cie(
            header.offset,
            header.size_bytes,
            header.is_64bit,
            version,
            augmentation,
            selector_size,
            column if is_known else None,
            form,
            self.data,
            reader.position,
            self._most_instructions,
            self._alignment,
        )

    def _augmentation(
        self, text: bytes, reader: Reader, address_size: int, *, is_known: bool
    ) -> Augmentation:
        name = text.decode("utf-8", "replace")
        if not text.startswith(b"z"):
            return Augmentation(name)
        size_bytes = reader.uleb()
        start = reader.position
        data = reader.take(size_bytes)
        inner = Reader(self.data, self._base.endian, start, start + size_bytes)
        fde_encoding, lsda_encoding = ABSOLUTE, OMITTED
        personality: int | None = None
        for letter in name[1:]:
            if letter == "R":
                fde_encoding = inner.u8()
            elif letter == "L":
                lsda_encoding = inner.u8()
            elif letter == "P":
                personality = self._pointer(inner, inner.u8(), address_size)
            elif letter not in "SBG":
                break  # vendors' parts, which add no fields, or unknown ones
        return Augmentation(
            name,
            data,
            fde_encoding,
            lsda_encoding,
            personality,
            is_signal_frame="S" in name.partition("[")[0],
            is_sized=is_known,  # a part that is unknown may add fields before the size
            is_known=is_known,
        )

    def _pointer(self, reader: Reader, encoding: int, address_size: int) -> int | None:
        """Read a pointer that only some readers need: None if its base is unknown here."""
        if encoding == OMITTED:
            return None
        try:
            return read_pointer(reader, encoding, address_size, self._base.section_address)
        except Unsupported:
            read_pointer(reader, encoding & 0x0F, address_size)
            return None

    def _range(self, reader: Reader, cie: Cie) -> tuple[int, int]:
        """Return initial location and size of an FDE from a reader after the CIE pointer."""
        form = cie.format
        reader.take(cie.segment_selector_size)
        encoding = form.pointer_encoding if self.is_eh else ABSOLUTE
        if encoding & 0x80:
            raise Unsupported(f"indirect initial location (pointer encoding {encoding:#04x})")
        start = read_pointer(reader, encoding, form.address_size, form.section_address)
        return start, read_pointer(reader, encoding & 0x0F, form.address_size)

    def _fde(self, header: _Header, reader: Reader, cie_offset: int) -> Fde:
        cie = self._cie_at(cie_offset)
        form = cie.format
        size = cie.segment_selector_size
        segment = Reader(self.data, form.endian, reader.position).unsigned(size) if size else None
        start, size_bytes = self._range(reader, cie)
        lsda = None
        if cie.augmentation.is_sized:
            length = reader.uleb()
            after = reader.position + length
            if length > reader.remaining_bytes:
                raise Malformed(
                    f"augmentation data of {counted(length, 'byte')} do not fit the entry"
                )
            if length and cie.augmentation.lsda_encoding != OMITTED:
                lsda = self._pointer(reader, cie.augmentation.lsda_encoding, form.address_size)
            reader.position = after
        offset, size = header.offset, header.size_bytes
        return Fde(offset, size, cie, segment, start, size_bytes, lsda, reader.position)


def _word(value: int) -> int:
    """Return a factor or column: `Malformed` where it is beyond 64 bits."""
    if not -1 << 63 <= value < 1 << 64:
        raise Malformed(f"number of {value.bit_length()} bits does not fit 64 bits")
    return value
