"""Headers of line number programs (DWARF 5 6.2.4; DWARF 2 to 4 6.2.4; AMD text A.6.2.4).

Law: an unreadable name table costs the names only: the header's length locates the program, and
names before the error are kept.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import FORMAT_LETTERS, FORMS, Attribute, indirect_form, reader_of
from dwarfgpu.dwarf.unit_header import initial_length, refuse_segments
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, counted
from dwarfgpu.expr.context import UnitFormat

LNCT_PATH: Final = 0x1
LNCT_DIRECTORY_INDEX: Final = 0x2
LNCT_TIMESTAMP: Final = 0x3
LNCT_SIZE: Final = 0x4
LNCT_MD5: Final = 0x5
LNCT_LLVM_SOURCE: Final = 0x2001
LNCT_LLVM_IS_MD5: Final = 0x2002

_FIRST_WITH_MAXIMUM_OPERATIONS: Final = 4
MAX_NAMES: Final = 200_000
"""Entries of one table; a hostile one has one in every byte."""
MAX_NUMBER: Final = 2**64 - 1
"""The largest LEB128 in a table or program; a larger one is malformed."""
MIN_NUMBER: Final = -(2**63)
"""The smallest one."""


def small_uleb(reader: Reader) -> int:
    """Read an unsigned LEB128 number; `Malformed` if it has more than 64 bits."""
    start = reader.position
    return _small(reader.uleb(), start)


def small_sleb(reader: Reader) -> int:
    """Read a signed LEB128 number; `Malformed` if it has more than 64 bits."""
    start = reader.position
    return _small(reader.sleb(), start)


def _small(number: int, start: int) -> int:
    if not MIN_NUMBER <= number <= MAX_NUMBER:
        bits = number.bit_length() + (number < 0)  # with the sign
        raise Malformed(f"LEB128 number at offset {start:#x} has {bits} bits")
    return number


@frozen
class NameEntry:
    """A directory or file, as in its table; references are not resolved."""

    path: Attribute | None
    directory: int = 0
    """Index in the directory table of the header."""
    modified: int | None = None
    """The producer's time stamp; None if unknown."""
    size_bytes: int | None = None
    md5: bytes | None = None
    """The 16 bytes of the digest; None if it is absent, or marked as invalid."""
    source: Attribute | None = None
    """DW_LNCT_LLVM_source (A.6.2.4.1)."""
    other_values: tuple[tuple[int, Attribute], ...] = ()
    """Values with other content type codes, by code."""


@frozen
class LineHeader:
    """The header of a line number program; offsets are in `.debug_line`."""

    offset: int
    end: int
    """Where the program ends."""
    format: UnitFormat
    program_at: int
    minimum_instruction_length: int
    """Bytes by which an address advances for one operation pointer step; 0 is wrong."""
    maximum_operations: int
    """Operations of one instruction; above 1 for VLIW machines. 0 is wrong, and means 1, as for
    other consumers."""
    default_is_stmt: bool
    line_base: int
    line_range: int
    opcode_base: int
    operand_counts: tuple[int, ...]
    """`standard_opcode_lengths`: of opcode 1, 2 …"""
    directories: tuple[NameEntry, ...] = field(default=(), repr=False)
    """Index 0 first; before DWARF 5 the standard counts them from 1."""
    files: tuple[NameEntry, ...] = field(default=(), repr=False)
    """Index 0 first; before DWARF 5 the standard counts them from 1."""
    problem: DwarfGpuError | None = field(default=None, eq=False)
    """Why names are missing."""
    names_end: int = field(default=0, eq=False)
    """Where the tables of names end; with a `problem`, where reading them stopped."""

    @property
    def version(self) -> int:
        return self.format.version

    @property
    def first_file(self) -> int:
        """The number of the first entry of `files` and of `directories`."""
        return 0 if self.version >= 5 else 1


def read_line_header(data: bytes, offset: int, unit: UnitFormat) -> LineHeader:
    """Read the header at an offset of `.debug_line`.

    Before DWARF 5, `unit` defines the size of an address. `Malformed` if the fields cannot be read,
    `Unsupported` for another version, or segment selectors: no opcode has one.
    """
    reader = Reader(data, unit.endian, offset)
    length, offset_size = initial_length(reader)
    if length > reader.remaining_bytes:
        raise Malformed(f"length {length:#x} reaches beyond the section")
    reader = Reader(data, unit.endian, reader.position, reader.position + length)
    version = reader.unsigned(2)
    if not 2 <= version <= 5:
        raise Unsupported(f"line table of version {version}")
    address_size = unit.address_size
    if version >= 5:
        address_size = reader.u8()
        segment_size = reader.u8()
        if address_size not in FORMAT_LETTERS:
            raise Malformed(f"address size {address_size}")
        refuse_segments(segment_size)
    header_length = reader.unsigned(offset_size)
    if header_length > reader.remaining_bytes:
        raise Malformed(f"header length {header_length:#x} reaches beyond the line table")
    form = UnitFormat(address_size, offset_size, version, unit.endian)
    fields = Reader(data, unit.endian, reader.position, reader.position + header_length)
    header = _read_fields(offset, reader.end, form, fields)
    return _with_names(header, fields)


def _read_fields(offset: int, end: int, form: UnitFormat, reader: Reader) -> LineHeader:
    minimum = reader.u8()
    most = reader.u8() if form.version >= _FIRST_WITH_MAXIMUM_OPERATIONS else 1
    default_is_stmt = bool(reader.u8())
    line_base, line_range = reader.signed(1), reader.u8()
    opcode_base = reader.u8()
    counts = tuple(reader.take(max(opcode_base - 1, 0)))
    return LineHeader(
        offset, end, form, reader.end, minimum, most, default_is_stmt, line_base, line_range,
        opcode_base, counts,
    )  # fmt: skip


def _with_names(header: LineHeader, reader: Reader) -> LineHeader:
    directories: list[NameEntry] = []
    files: list[NameEntry] = []
    problem: DwarfGpuError | None = None
    try:
        if header.version >= 5:
            _read_table(reader, header.format, directories)
            _read_table(reader, header.format, files)
        else:
            _read_directories(reader, directories)
            while (entry := read_file(reader)) is not None and len(files) < MAX_NAMES:
                files.append(entry)
    except DwarfGpuError as error:
        problem = error.with_traceback(None)
    return evolve(
        header,
        directories=tuple(directories),
        files=tuple(files),
        problem=problem,
        names_end=reader.position,
    )


def _inline(text: bytes) -> Attribute:
    return Attribute(dw.FORM_STRING, "string", text)


def _read_directories(reader: Reader, out: list[NameEntry]) -> None:
    while (text := reader.string()) and len(out) < MAX_NAMES:
        out.append(NameEntry(_inline(text)))


def read_file(reader: Reader) -> NameEntry | None:
    """Read a file entry of a version before DWARF 5; None at the end of the table."""
    text = reader.string()
    if not text:
        return None
    directory, modified, size_bytes = small_uleb(reader), small_uleb(reader), small_uleb(reader)
    return NameEntry(_inline(text), directory, modified or None, size_bytes or None)


def _read_table(reader: Reader, form: UnitFormat, out: list[NameEntry]) -> None:
    """Read a table of DWARF 5 with the description of its entries before it."""
    description = [(small_uleb(reader), small_uleb(reader)) for _ in range(reader.u8())]
    count = small_uleb(reader)
    if count > MAX_NAMES:
        raise LimitExceeded(f"{count} entries in a name table, at most {MAX_NAMES} are read")
    if count and all(kind != LNCT_PATH for kind, _ in description):
        raise Malformed(
            f"{counted(count, 'name')} without a path (DW_LNCT_path): their description has none"
        )
    for index in range(count):
        start = reader.position
        content = tuple((kind, _read_value(reader, code, form)) for kind, code in description)
        if reader.position == start:
            raise Malformed(f"entry {index} of {count} at offset {start:#x} has no bytes")
        out.append(_entry(content, form))


def _read_value(reader: Reader, code: int, form: UnitFormat) -> Attribute:
    if code == dw.FORM_INDIRECT:
        code, reader.position = indirect_form(reader.data, reader.position, reader.end)
    if code == dw.FORM_IMPLICIT_CONST:
        raise Malformed("DW_FORM_implicit_const in a line table: it has no place for the value")
    raw, reader.position = reader_of(code, form)(reader.data, reader.position, reader.end)
    return Attribute(code, FORMS[code][0], raw)


def _entry(content: tuple[tuple[int, Attribute], ...], form: UnitFormat) -> NameEntry:
    """Return the object of a decoded entry; of two components of one kind the first counts."""
    named: dict[int, Attribute] = {}
    attributes: list[tuple[int, Attribute]] = []
    for kind, value in content:
        if kind in _KNOWN and kind not in named:
            named[kind] = value
        else:
            attributes.append((kind, value))
    md5 = _number(named, LNCT_MD5)
    if _number(named, LNCT_LLVM_IS_MD5) == 0:
        md5 = None
    return NameEntry(
        named.get(LNCT_PATH),
        _number(named, LNCT_DIRECTORY_INDEX) or 0,
        _number(named, LNCT_TIMESTAMP, form) or None,
        _number(named, LNCT_SIZE),
        None if md5 is None else md5.to_bytes(16, form.endian),
        named.get(LNCT_LLVM_SOURCE),
        tuple(attributes),
    )


_KNOWN: Final = frozenset(
    {
        LNCT_PATH, LNCT_DIRECTORY_INDEX, LNCT_TIMESTAMP, LNCT_SIZE, LNCT_MD5, LNCT_LLVM_SOURCE,
        LNCT_LLVM_IS_MD5,
    }
)  # fmt: skip


def _number(named: dict[int, Attribute], kind: int, block: UnitFormat | None = None) -> int | None:
    """Return a component that is a number; a time stamp may also be a block (DWARF 5 6.2.4.1)."""
    value = named.get(kind)
    if value is None:
        return None
    if isinstance(value.raw, bytes):
        if block is None or len(value.raw) > 8:
            raise Malformed(
                f"content type {kind:#x} is not a number but {counted(len(value.raw), 'byte')}"
            )
        return int.from_bytes(value.raw, block.endian)
    if not 0 <= value.raw < 1 << 128 or (kind != LNCT_MD5 and value.raw > MAX_NUMBER):
        raise Malformed(f"content type {kind:#x} has a number of {value.raw.bit_length()} bits")
    return value.raw
