"""The operands of opcodes of a line number program, and what is wrong with them (DWARF 5 6.2.5)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.dwarf.forms import FORMAT_LETTERS
from dwarfgpu.dwarf.line.header import MAX_NAMES, LineHeader, NameEntry, read_file, small_uleb
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, counted
from dwarfgpu.expr.context import UnitFormat

MOST: Final = 0xFFFFFFFF
"""The largest number of a register, except the address."""
_ROW_BYTES: Final = 6
"""Bytes of a program for each row that may be read: GCC and Clang write about five."""


def read_number(data: bytes, offset: int, end: int) -> tuple[int, int]:
    """Return an unsigned LEB128 number of 64 bits, and the offset behind it."""
    number, shift, position = 0, 0, offset
    while position < end and shift < 63:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7
    reader = Reader(data, "little", offset, end)
    return small_uleb(reader), reader.position


def read_register(data: bytes, offset: int, end: int) -> tuple[int, int]:
    """Return an unsigned LEB128 number of 32 bits, and the offset behind it."""
    number, position = read_number(data, offset, end)
    if number > MOST:
        raise Malformed(f"operand at {offset:#x} does not fit into 32 bits")
    return number, position


def read_signed(data: bytes, offset: int, end: int) -> tuple[int, int]:
    """Return a signed LEB128 number of any size, and the offset behind it."""
    number, shift, position = 0, 0, offset
    while position < end and shift < 63:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number - ((byte & 0x40) << shift - 6), position
    reader = Reader(data, "little", offset, end)
    return reader.sleb(), reader.position


def skip_number(data: bytes, offset: int, end: int) -> int:
    """Return the offset behind an LEB128 number of any size."""
    if offset < end and data[offset] < 0x80:
        return offset + 1
    reader = Reader(data, "little", offset, end)
    reader.uleb()
    return reader.position


def address_in(data: bytes, begin: int, end: int, format: UnitFormat) -> int:
    """Return the address that is the operand of DW_LNE_set_address (DWARF 5 6.2.5.3).

    A header of version 5 gives its size; before, it is that of the target, which the unit may not
    have.
    """
    size_bytes = end - begin
    if size_bytes not in FORMAT_LETTERS:
        raise Malformed(f"DW_LNE_set_address has an address of {counted(size_bytes, 'byte')}")
    if format.version >= 5 and size_bytes != format.address_size:
        raise Malformed(
            f"DW_LNE_set_address has an address of {counted(size_bytes, 'byte')}, and the header "
            f"address_size {format.address_size}"
        )
    return int.from_bytes(data[begin:end], format.endian)


def defined_file(reader: Reader) -> NameEntry:
    """Return the operand of DW_LNE_define_file."""
    entry = read_file(reader)
    if entry is None:
        raise Malformed("DW_LNE_define_file has no name")
    return entry


def refuse_files(count: int) -> None:
    """Raise `LimitExceeded` for too many files that a program defines."""
    if count > MAX_NAMES:
        raise LimitExceeded(f"more than {MAX_NAMES} files that the line number program defines")


def refuse_program(header: LineHeader, most_rows: int) -> None:
    """Raise `LimitExceeded` for a program that is too long, before it is read."""
    size_bytes, most_bytes = header.end - header.program_at, _ROW_BYTES * most_rows
    if size_bytes > most_bytes:
        raise LimitExceeded(
            f"a line number program of {size_bytes} bytes: more than {most_bytes}, "
            f"{_ROW_BYTES} for each row that is read",
            "--max-line-rows",
        )


def no_line_range(opcode: int) -> Malformed:
    """Return why a special opcode has no meaning."""
    return Malformed(f"special opcode {opcode:#x} where line_range is 0")


def no_extended_opcode() -> Malformed:
    """Return why an extended opcode of no bytes within a sequence has no meaning: its length counts
    the opcode itself (6.2.5.3). Some producers pad with such bytes behind a sequence."""
    return Malformed("an extended opcode of length 0 within a sequence")


def no_address() -> Malformed:
    """Return why rows describe no code that follow padding and have no address: their sequence
    begins within the zeros (6.2.5.3)."""
    return Malformed("rows without a DW_LNE_set_address follow zeros")


def unended_rows(count: int, offset: int) -> DwarfGpuError | None:
    """Return why rows from an offset on describe no code; None where there are none (6.2.5.3)."""
    if not count:
        return None
    problem = f"{counted(count, 'row')} without a DW_LNE_end_sequence describe no code"
    return at_opcode(Malformed(problem), offset)


def at_opcode(error: DwarfGpuError, offset: int) -> DwarfGpuError:
    """Return the error with the opcode at an offset of `.debug_line` as its context."""
    error.context = f"line program opcode at {offset:#x}"
    return error
