"""The operands of opcodes of a line number program, and what is wrong with them (DWARF 5 6.2.5)."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.line.header import (
    MAX_NAMES,
    MAX_NUMBER,
    MIN_NUMBER,
    LineHeader,
    NameEntry,
    read_file,
    small_sleb,
    small_uleb,
)
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, counted
from dwarfgpu.expr.context import UnitFormat

MOST: Final = 0xFFFFFFFF
"""The largest number of a register, except the address."""
_BITS: Final = 70
"""Of a LEB128 number whose bytes are looked at one by one: the others are padding, or too many."""
_ZEROS: Final = pattern(rb"\x80*+\0")
_ONES: Final = pattern(rb"\xff*+\x7f")
"""The padding of a number, of a negative one."""
_ROW_BYTES: Final = 6
"""Bytes of a program for each row that may be read: GCC and Clang write about five."""


def read_number(data: bytes, offset: int, end: int) -> tuple[int, int]:
    """Return an unsigned LEB128 number of 64 bits, and the offset behind it."""
    number, shift, position = 0, 0, offset
    while position < end and shift < _BITS:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            if number <= MAX_NUMBER:
                return number, position
            break
    else:
        padding = _ZEROS.match(data, position, end)
        if padding is not None and number <= MAX_NUMBER:
            return number, padding.end()
    reader = Reader(data, "little", offset, end)
    return small_uleb(reader), reader.position


def read_register(data: bytes, offset: int, end: int) -> tuple[int, int]:
    """Return an unsigned LEB128 number of 32 bits, and the offset behind it."""
    number, position = read_number(data, offset, end)
    if number > MOST:
        raise _too_large(offset)
    return number, position


def read_signed(data: bytes, offset: int, end: int) -> tuple[int, int]:
    """Return a signed LEB128 number of 64 bits, and the offset behind it."""
    number, shift, position = 0, 0, offset
    while position < end and shift < _BITS:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            number -= (byte & 0x40) << shift - 6
            if MIN_NUMBER <= number <= MAX_NUMBER:
                return number, position
            break
    else:
        padding = _ZEROS.match(data, position, end)
        if padding is None and (padding := _ONES.match(data, position, end)) is not None:
            number -= 1 << _BITS
        if padding is not None and MIN_NUMBER <= number <= MAX_NUMBER:
            return number, padding.end()
    reader = Reader(data, "little", offset, end)
    return small_sleb(reader), reader.position


def read_discriminator(data: bytes, begin: int, end: int) -> int:
    """Return the operand of DW_LNE_set_discriminator, from the opcode to its end by its length."""
    number, position = read_number(data, begin + 1, end)
    if number > MOST:
        raise _too_large(begin + 1)
    if position != end:
        raise surplus("DW_LNE_set_discriminator", end - begin, position - begin)
    return number


def skip_numbers(data: bytes, offset: int, end: int, count: int) -> int:
    """Return the offset behind LEB128 numbers of any size."""
    numbers = _numbers(count).match(data, offset, end)
    if numbers is not None:
        return numbers.end()
    reader = Reader(data, "little", offset, end)
    for _ in range(count):
        reader.uleb()  # raises at the one that is cut short
    return reader.position


@cache
def _numbers(count: int) -> re.Pattern[bytes]:
    return re.compile(rb"(?:[\x80-\xff]*+[\0-\x7f]){%d}+" % count)


def address_in(data: bytes, begin: int, end: int, format: UnitFormat) -> int:
    """Return the address that is the operand of DW_LNE_set_address (DWARF 5 6.2.5.3).

    A header of version 5 gives its size; before, it is that of the target, as in the unit.
    """
    size_bytes = end - begin
    if size_bytes != format.address_size:
        owner = "header" if format.version >= 5 else "unit"
        raise Malformed(
            f"DW_LNE_set_address has an address of {counted(size_bytes, 'byte')}, and the {owner} "
            f"address_size {format.address_size}"
        )
    return int.from_bytes(data[begin:end], format.endian)


def defined_file(reader: Reader) -> NameEntry:
    """Return the operand of DW_LNE_define_file, behind its opcode up to its end by its length."""
    opcode_at = reader.position - 1
    entry = read_file(reader)
    if entry is None:
        raise Malformed("DW_LNE_define_file has no name")
    if reader:
        opcode, used_bytes = "DW_LNE_define_file", reader.position - opcode_at
        raise surplus(opcode, reader.end - opcode_at, used_bytes)
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


def _too_large(offset: int) -> Malformed:
    return Malformed(f"operand at {offset:#x} does not fit into 32 bits")


def no_line_range(opcode: int, opcode_base: int) -> Malformed:
    """Return why a special opcode, or DW_LNS_const_add_pc, has no meaning."""
    is_special = opcode >= opcode_base
    name = f"special opcode {opcode:#x}" if is_special else "DW_LNS_const_add_pc"
    return Malformed(f"{name} where line_range is 0")


def no_extended_opcode() -> Malformed:
    """Return why an extended opcode of no bytes within a sequence has no meaning: its length counts
    the opcode itself (6.2.5.3). Some producers pad with such bytes behind a sequence."""
    return Malformed("an extended opcode of length 0 within a sequence")


def surplus(opcode: str, size_bytes: int, used_bytes: int = 1) -> Malformed:
    """Return why an extended opcode has no meaning whose length is more than the opcode and its
    operands have: it is their size (6.2.3), and nothing says which of the two is wrong."""
    return Malformed(f"{opcode} has a length of {size_bytes}, and needs {used_bytes}")


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
    """Return an error to be kept, with the opcode at an offset of `.debug_line` as its context."""
    error.context = f"line program opcode at {offset:#x}"
    return error.with_traceback(None)
