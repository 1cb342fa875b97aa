"""The entries of a section: where each begins, and what a CIE and an FDE say (A.6.4.1). The
augmentation string of a CIE, such as `zR` or `[llvm:v0.0]`, is read here;
`dwarfgpu.dwarf.cfi_rows_by_pc` derives the dialect from it.

Law: an entry that cannot be read is kept with its reason and costs no other entry anything.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from struct import Struct
from typing import Final, Literal, NamedTuple

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.pattern import pattern
from dwarfgpu.cfi.declaration import CfiFormat
from dwarfgpu.cfi.eh_pointer import ABSOLUTE, OMITTED, read_pointer
from dwarfgpu.cfi.entry import Augmentation, BrokenEntry, Cie, Fde, FrameEntry
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, counted

SectionKind = Literal[".debug_frame", ".eh_frame"]
_VERSIONS: Final = (1, 3, 4)
_ADDRESS_SIZES: Final = (2, 4, 8)
_NOT_ZERO: Final = pattern(rb"[^\0]")
_ZEROED_BYTES: Final = 16
"""Zeros that replaced entries of `.debug_frame`, where no entry has the length 0."""
_LONGEST_AUGMENTATION: Final = 1_024
ENTRIES_OF_A_CIE: Final = 8
"""How many entries a CIE counts for: it is kept whole, and a unit needs one."""
RESERVED: Final = 0xFFFF_FFF0
"""The first length that means something else (DWARF 5 7.4)."""
ID_OF_64_BITS: Final = 0xFFFF_FFFF
_KNOWN: Final = pattern(rb"eh|(z[LPRSBG]*)?(\[(llvm|amd|amdgpu):v0\.0(:[^\]]*)?\])*")
"""Known augmentations: those of `.eh_frame`; in brackets those that add no fields, the form that
A.6.4.1 recommends, of the vendors and the only version that AMD's compilers and the AMDGPU usage
have had (docs/spec-notes.md)."""


class EntryHeader(NamedTuple):
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


class EntryPositions(NamedTuple):
    """Where the entries of a section are."""

    entries: array[int]
    zeroed: array[int]
    """Where zeros replaced entries of `.debug_frame`."""
    end: BrokenEntry | None
    """From where on none can be read; None if that is the end of the section."""
    terminator: int | None
    """The first entry of length 0 of `.eh_frame`; None if there is none, or another section follows
    it in the data."""


class FrameEntries:
    """The entries of a section of call frame information, each read when it is asked for."""

    def __init__(
        self,
        kind: SectionKind,
        data: bytes,
        base: CfiFormat,
        *,
        ends_at_zero: bool,
        most_instructions: int,
        most_entries: int,
        alignment: int | None,
    ) -> None:
        """`base` is the format before a CIE changes it; the rest is as in `FrameSection`."""
        self.kind: SectionKind = kind
        self.data = data
        self.base = base
        self._ends_at_zero = ends_at_zero
        self._most_instructions = most_instructions
        self._most_entries = most_entries
        self._alignment = alignment
        self._cies: dict[int, Cie | DwarfGpuError] = {}

    @property
    def is_eh(self) -> bool:
        return self.kind == ".eh_frame"

    @property
    def offsets(self) -> array[int]:
        """Where the entries begin, in their order."""
        return self.positions.entries

    def entry_at(self, offset: int) -> FrameEntry:
        """Return the entry at one of `offsets`."""
        header = self.header(offset)
        assert header is not None
        return self.entry(header)

    def bytes_of_entry(self, offset: int) -> bytes:
        """Return the bytes of the entry at one of `offsets`."""
        header = self.header(offset)
        assert header is not None
        return self.data[offset : header.end]

    def each_gap(self) -> Iterator[BrokenEntry]:
        """Yield where zeros replaced entries, and from where on none can be read."""
        for offset in self.positions.zeroed:
            yield BrokenEntry(offset, self._zeroed(offset))
        if self.positions.end is not None:
            yield self.positions.end

    @cached_property
    def positions(self) -> EntryPositions:
        """Where the entries begin, all headers read one after the other."""
        offsets, zeroed = array("Q"), array("Q")
        last: BrokenEntry | None = None
        terminator: int | None = None
        data, size_bytes, most = self.data, len(self.data), self._most_entries
        of_cie = bytes(4) if self.is_eh else b"\xff" * 4
        letters = "<" if self.base.endian == "little" else ">"
        length_at, long_length_at = Struct(f"{letters}I"), Struct(f"{letters}4xQ")
        offset = count = 0
        while offset < size_bytes:
            if count >= most:
                text = f"more than {most} entries, each CIE counted as {ENTRIES_OF_A_CIE}"
                error = LimitExceeded(text, "--max-frame-entries")
                last = BrokenEntry(offset, self.with_offset(error, offset))
                break
            id_at = offset + 4
            length = length_at.unpack_from(data, offset)[0] if id_at <= size_bytes else 0
            is_entry = 0 < length < RESERVED
            if length == ID_OF_64_BITS and offset + long_length_at.size <= size_bytes:
                id_at = offset + long_length_at.size
                length = long_length_at.unpack_from(data, offset)[0]
                is_entry = True
            end = id_at + length
            if is_entry and end <= size_bytes:
                offsets.append(offset)
                count += ENTRIES_OF_A_CIE if data.startswith(of_cie, id_at, end) else 1
                offset = end
                continue
            count += 1
            try:
                header = self.header(offset)
            except Malformed as error:
                last = BrokenEntry(offset, self.with_offset(error, offset))
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
        return EntryPositions(offsets, zeroed, last, terminator)

    def _zeros(self, offset: int) -> tuple[int, int]:
        """Return how many zeros begin at an offset, and where they end."""
        after = _NOT_ZERO.search(self.data, offset)
        end = len(self.data) if after is None else after.start()
        return end - offset, end

    def _zeroed(self, offset: int) -> DwarfGpuError:
        """Return the error for entries that zeros replaced."""
        zeros, _ = self._zeros(offset)
        error = Malformed(f"entries are overwritten with {zeros} bytes of zeros")
        return self.with_offset(error, offset)

    def with_offset(self, error: DwarfGpuError, offset: int) -> DwarfGpuError:
        """Return an error of an entry with the position of that, unless it has one."""
        if error.context is None:
            error.context = f"{self.kind} entry at offset {offset:#x}"
        return error.with_traceback(None)  # which keeps the reader and more

    def header(self, offset: int) -> EntryHeader | None:
        """Return the entry at an offset; None for the zero that pads or ends `.eh_frame`."""
        reader = Reader(self.data, self.base.endian, offset)
        length = reader.unsigned(4)
        is_64bit = length == ID_OF_64_BITS
        if is_64bit:
            length = reader.unsigned(8)
        elif length >= RESERVED:
            raise Malformed(f"reserved length {length:#x}")
        if length == 0 and not is_64bit:
            return None
        if length > reader.remaining_bytes:
            raise Malformed(f"length {length:#x} is more than the {reader.remaining_bytes:#x} left")
        return EntryHeader(offset, is_64bit, reader.position, reader.position + length)

    def entry(self, header: EntryHeader) -> FrameEntry:
        """Return the entry with a header; the one that cannot be read with its error."""
        reference = None
        try:
            reader, reference = self.reference(header)
            if reference is None:
                return self._cie(header)
            return self.fde(header, reader, reference)
        except DwarfGpuError as error:
            is_fde = reference is not None
            is_of_cie = reference is not None and self._cies.get(reference) is error
            error = self.with_offset(error, header.offset)
            return BrokenEntry(header.offset, error, is_fde, is_of_cie)

    def reference(self, header: EntryHeader) -> tuple[Reader, int | None]:
        """Return a reader after the CIE id or pointer, and the CIE's offset; None for a CIE."""
        reader = Reader(self.data, self.base.endian, header.id_at, header.end)
        if self.is_eh:
            distance = reader.unsigned(4)
            return reader, header.id_at - distance if distance else None
        size_bytes = 8 if header.is_64bit else 4
        pointer = reader.unsigned(size_bytes)
        return reader, None if pointer == (1 << 8 * size_bytes) - 1 else pointer

    def cie_at(self, offset: int) -> Cie:
        """Return the CIE that an FDE has at an offset; raises `DwarfGpuError` where there is
        none."""
        cached = self._cies.get(offset)
        if isinstance(cached, Cie):
            return cached
        header = self.header_at(offset)
        if header is None or self.reference(header)[1] is not None:
            raise Malformed(f"there is no CIE at offset {offset:#x}")
        return self._cie(header)

    def header_at(self, offset: int) -> EntryHeader | None:
        """Return the entry at an offset; once all up to there are known, only if one of them begins
        there."""
        if "positions" in self.__dict__ and not self._is_beyond_limit(offset):
            index = bisect_left(self.offsets, offset)
            if index == len(self.offsets) or self.offsets[index] != offset:
                return None
        try:
            return self.header(offset)
        except Malformed:
            return None

    def _is_beyond_limit(self, offset: int) -> bool:
        """Return whether an offset is where too many entries were before."""
        last = self.positions.end
        return last is not None and isinstance(last.error, LimitExceeded) and offset >= last.offset

    def _cie(self, header: EntryHeader) -> Cie:
        cached = self._cies.get(header.offset)
        if cached is None:
            try:
                cached = self._read_cie(header)
            except DwarfGpuError as error:
                cached = self.with_offset(error, header.offset)
            self._cies[header.offset] = cached
        if isinstance(cached, Cie):
            return cached
        raise cached.with_traceback(None)  # `entry` knows it again

    def _read_cie(self, header: EntryHeader) -> Cie:
        reader, _ = self.reference(header)
        version = reader.u8()
        if version not in _VERSIONS:
            raise Malformed(f"unknown version {version} of a CIE")
        text = reader.string()
        if len(text) > _LONGEST_AUGMENTATION:
            raise Malformed(f"an augmentation of {counted(len(text), 'byte')}")
        base = self.base
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
        inner = Reader(self.data, self.base.endian, start, start + size_bytes)
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
            return read_pointer(reader, encoding, address_size, self.base.section_address)
        except Unsupported:
            read_pointer(reader, encoding & 0x0F, address_size)
            return None

    def range_of(self, reader: Reader, cie: Cie) -> tuple[int, int]:
        """Return initial location and size of an FDE from a reader after the CIE pointer."""
        form = cie.format
        reader.take(cie.segment_selector_size)
        encoding = form.pointer_encoding if self.is_eh else ABSOLUTE
        if encoding & 0x80:
            raise Unsupported(f"indirect initial location (pointer encoding {encoding:#04x})")
        start = read_pointer(reader, encoding, form.address_size, form.section_address)
        return start, read_pointer(reader, encoding & 0x0F, form.address_size)

    def fde(self, header: EntryHeader, reader: Reader, cie_offset: int) -> Fde:
        """Return an FDE from a reader after the CIE pointer."""
        cie = self.cie_at(cie_offset)
        form = cie.format
        size = cie.segment_selector_size
        segment = Reader(self.data, form.endian, reader.position).unsigned(size) if size else None
        start, size_bytes = self.range_of(reader, cie)
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
        bits = value.bit_length() if value >= 0 else (~value).bit_length() + 1
        raise Malformed(f"number of {bits} bits does not fit 64 bits")
    return value
