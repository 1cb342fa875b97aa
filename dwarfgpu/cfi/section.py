"""`.debug_frame` and `.eh_frame`: Common Information and Frame Description Entries (A.6.4.1).

Law: an entry that cannot be read is kept with its reason and costs no other entry anything.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Final, Literal, TypeAlias

from attrs import field, frozen

from dwarfgpu.arch.model import Architecture
from dwarfgpu.bits import Endian, Reader
from dwarfgpu.cfi.decode import CfaProgram, decode_cfa
from dwarfgpu.cfi.operation import CfiFormat
from dwarfgpu.cfi.pointer import ABSOLUTE, OMITTED, read_pointer
from dwarfgpu.cfi.program import Initial, RowTable, initial_rules, row_table
from dwarfgpu.errors import DwarfGpuError, Malformed, Unsupported

SectionKind = Literal[".debug_frame", ".eh_frame"]
_VERSIONS: Final = (1, 3, 4)
_ADDRESS_SIZES: Final = (2, 4, 8)
_NOT_ZERO: Final = re.compile(rb"[^\0]")
_VENDORS: Final = re.compile(rb"(\[(llvm|amd)[^\]]*\])+")
"""Augmentations that add no fields: the form that A.6.4.1 recommends, of the vendors we know."""


@frozen
class Augmentation:
    """What the augmentation of a CIE says (Linux Standard Base Core, 10.6.1.1.1)."""

    text: str
    data: bytes = b""
    fde_encoding: int = ABSOLUTE
    """`R`: the pointer encoding of the addresses in its FDEs."""
    lsda_encoding: int = OMITTED
    """`L`: the pointer encoding of the language-specific data area in its FDEs."""
    personality: int | None = None
    """`P`: address of the personality routine, or of its address where that is indirect."""
    is_signal_frame: bool = False
    """`S`: the caller was interrupted, not called."""
    is_sized: bool = False
    """`z`: its data, and those of its FDEs, begin with their size."""
    is_known: bool = True
    """Whether the fields after the augmentation of a CIE, or the range of an FDE, could be read."""


@frozen(slots=False)
class Cie:
    """A Common Information Entry."""

    offset: int
    """Bytes from the start of the section."""
    size_bytes: int
    """With the length field itself."""
    is_64bit: bool
    version: int
    augmentation: Augmentation
    segment_selector_size: int
    return_register: int | None
    """None where the augmentation is unknown."""
    format: CfiFormat
    data: bytes = field(repr=False, eq=False)
    """The section."""
    program_offset: int
    """Where in the section the initial instructions begin."""

    @cached_property
    def program(self) -> CfaProgram:
        """The initial instructions; none where the augmentation is unknown."""
        if not self.augmentation.is_known:
            return CfaProgram(self.format)
        end = self.offset + self.size_bytes
        return decode_cfa(self.data, self.format, self.program_offset, end)

    @cached_property
    def initial(self) -> Initial:
        """What its FDEs start with; raises where the instructions cannot be executed."""
        if not self.augmentation.is_known:
            raise Unsupported(f"augmentation {self.augmentation.text!r}")
        return initial_rules(self.program)


@frozen
class Fde:
    """A Frame Description Entry."""

    offset: int
    """Bytes from the start of the section."""
    size_bytes: int
    """With the length field itself."""
    cie: Cie
    segment: int | None
    initial_location: int
    """As linked: not relocated."""
    address_range: int
    """Bytes of code described."""
    lsda: int | None
    program_offset: int
    """Where in the section the instructions begin."""

    @property
    def program(self) -> CfaProgram:
        """The instructions, decoded when asked for; none where the augmentation is unknown."""
        if not self.cie.augmentation.is_known:
            return CfaProgram(self.cie.format)
        end = self.offset + self.size_bytes
        return decode_cfa(self.cie.data, self.cie.format, self.program_offset, end)

    @property
    def end(self) -> int:
        """The first program location past the code described."""
        return self.initial_location + self.address_range

    def table(self) -> RowTable:
        """The rows, as far as they can be told; never raises."""
        try:
            initial = self.cie.initial
        except DwarfGpuError as error:
            return RowTable((), error)
        return row_table(initial, self.program, self.initial_location, self.address_range)


@frozen
class BrokenEntry:
    """An entry that cannot be read."""

    offset: int
    error: DwarfGpuError = field(eq=False)


FrameEntry: TypeAlias = Cie | Fde | BrokenEntry


@frozen
class _Header:
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
    ) -> None:
        """`address_size` is that of the file, where a CIE does not tell."""
        self.kind: SectionKind = kind
        self.data = data
        self._base = CfiFormat(
            address_size,
            endian,
            architecture=architecture,
            section_address=section_address,
            machine=machine or (architecture.machine if architecture else None),
        )
        self._cies: dict[int, Cie | DwarfGpuError] = {}

    @property
    def is_eh(self) -> bool:
        return self.kind == ".eh_frame"

    @cached_property
    def entries(self) -> tuple[FrameEntry, ...]:
        """All entries in the order of the section."""
        headers, broken = self._headers
        found: list[FrameEntry] = [self._entry(header) for header in headers.values()]
        return (*found, *broken)

    @cached_property
    def fdes(self) -> tuple[Fde, ...]:
        """The FDEs by their initial location."""
        found = (entry for entry in self.entries if isinstance(entry, Fde))
        return tuple(sorted(found, key=lambda fde: fde.initial_location))

    @cached_property
    def _bounds(self) -> tuple[list[int], list[int]]:
        """Of `fdes`: their initial locations, and the largest end up to each."""
        starts = [fde.initial_location for fde in self.fdes]
        return starts, list(accumulate((fde.end for fde in self.fdes), max))

    def find(self, location: int) -> Fde | None:
        """The FDE that describes a program location as linked; of several, the last to start."""
        starts, ends = self._bounds
        index = bisect_right(starts, location) - 1
        while index >= 0 and location < ends[index]:
            if location < self.fdes[index].end:
                return self.fdes[index]
            index -= 1
        return None

    @cached_property
    def _headers(self) -> tuple[dict[int, _Header], tuple[BrokenEntry, ...]]:
        """Every entry by its offset, and where the lengths stop making sense."""
        headers: dict[int, _Header] = {}
        offset = 0
        while offset < len(self.data):
            try:
                header = self._header(offset)
            except Malformed as error:
                return headers, (BrokenEntry(offset, self._placed(error, offset)),)
            if header is None:
                after = _NOT_ZERO.search(self.data, offset)
                offset += len(self.data) if after is None else (after.start() - offset) // 4 * 4
            else:
                headers[offset] = header
                offset = header.end
        return headers, ()

    def _placed(self, error: DwarfGpuError, offset: int) -> DwarfGpuError:
        if error.context is None:
            error.context = f"{self.kind} entry at offset {offset:#x}"
        return error

    def _header(self, offset: int) -> _Header | None:
        """The entry at an offset; None for the zero that pads or ends `.eh_frame`."""
        reader = Reader(self.data, self._base.endian, offset)
        length = reader.unsigned(4)
        is_64bit = length == 0xFFFF_FFFF
        if is_64bit:
            length = reader.unsigned(8)
        elif length >= 0xFFFF_FFF0:
            raise Malformed(f"reserved length {length:#x}")
        if length == 0:
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
            return BrokenEntry(header.offset, self._placed(error, header.offset))

    def _reference(self, header: _Header) -> tuple[Reader, int | None]:
        """A reader after the CIE id or pointer, and the CIE's offset; None where it is a CIE."""
        reader = Reader(self.data, self._base.endian, header.id_at, header.end)
        if self.is_eh:
            distance = reader.unsigned(4)
            return reader, header.id_at - distance if distance else None
        size_bytes = 8 if header.is_64bit else 4
        pointer = reader.unsigned(size_bytes)
        return reader, None if pointer == (1 << 8 * size_bytes) - 1 else pointer

    def _cie_at(self, offset: int) -> Cie:
        """The CIE of an FDE; `Malformed` where there is none."""
        header = self._headers[0].get(offset)
        if header is None or self._reference(header)[1] is not None:
            raise Malformed(f"there is no CIE at offset {offset:#x}")
        return self._cie(header)

    def _cie(self, header: _Header) -> Cie:
        known = self._cies.get(header.offset)
        if known is None:
            try:
                known = self._read_cie(header)
            except DwarfGpuError as error:
                known = error
            self._cies[header.offset] = known
        if isinstance(known, Cie):
            return known
        raise known

    def _read_cie(self, header: _Header) -> Cie:
        reader, _ = self._reference(header)
        version = reader.u8()
        if version not in _VERSIONS:
            raise Malformed(f"unknown version {version} of a CIE")
        text = reader.string()
        base = self._base
        if not (text in (b"", b"eh") or text.startswith(b"z") or _VENDORS.fullmatch(text)):
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
        augmentation = self._augmentation(text, reader, address_size)
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
            column,
            form,
            self.data,
            reader.position,
        )

    def _augmentation(self, text: bytes, reader: Reader, address_size: int) -> Augmentation:
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
                break  # The size tells where the instructions are; what follows stays unread.
        return Augmentation(
            name,
            data,
            fde_encoding,
            lsda_encoding,
            personality,
            is_signal_frame="S" in name,
            is_sized=True,
        )

    def _pointer(self, reader: Reader, encoding: int, address_size: int) -> int | None:
        """A pointer that only some readers need: None where its base is not known here."""
        if encoding == OMITTED:
            return None
        try:
            return read_pointer(reader, encoding, address_size, self._base.section_address)
        except Unsupported:
            read_pointer(reader, encoding & 0x0F, address_size)
            return None

    def _fde(self, header: _Header, reader: Reader, cie_offset: int) -> Fde:
        cie = self._cie_at(cie_offset)
        form = cie.format
        segment = None
        if cie.segment_selector_size:
            segment = reader.unsigned(cie.segment_selector_size)
        encoding = form.pointer_encoding if self.is_eh else ABSOLUTE
        if encoding & 0x80:
            raise Unsupported(f"indirect initial location (pointer encoding {encoding:#04x})")
        start = read_pointer(reader, encoding, form.address_size, form.section_address)
        size_bytes = read_pointer(reader, encoding & 0x0F, form.address_size)
        lsda = None
        if cie.augmentation.is_sized:
            length = reader.uleb()
            after = reader.position + length
            if length > reader.remaining_bytes:
                raise Malformed(f"augmentation data of {length} bytes do not fit the entry")
            if length and cie.augmentation.lsda_encoding != OMITTED:
                lsda = self._pointer(reader, cie.augmentation.lsda_encoding, form.address_size)
            reader.position = after
        at, size = header.offset, header.size_bytes
        return Fde(at, size, cie, segment, start, size_bytes, lsda, reader.position)


def _word(value: int) -> int:
    """A factor or column: `Malformed` where it is beyond 64 bits."""
    if not -1 << 63 <= value < 1 << 64:
        raise Malformed(f"number of {value.bit_length()} bits does not fit 64 bits")
    return value
