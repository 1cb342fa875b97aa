"""What is wrong with a line number program (DWARF 5 6.2.5), for `check`.

Law: no rows are kept, and opcodes that cannot fail are passed over.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.line.header import LineHeader
from dwarfgpu.dwarf.line.operands import (
    MOST,
    address_in,
    at_opcode,
    defined_file,
    no_extended_opcode,
    no_line_range,
    read_discriminator,
    read_number,
    read_register,
    read_signed,
    refuse_files,
    refuse_program,
    skip_numbers,
    surplus,
)
from dwarfgpu.dwarf.line.program import run_line_program
from dwarfgpu.dwarf.line.rows import DEFINED_FILE, LONG_NUMBER, ROW, LineMatrix, LineWork
from dwarfgpu.errors import DwarfGpuError, IllFormed, counted

_MOST_FORWARD: Final = 0x7FFFFFFF
"""An advance of more operations may lead backwards, where addresses begin again at 0."""
_MOST_FORWARD_OF_BYTE: Final = 1 << 13
"""More operations than any byte of the opcodes advances that `_Check.read` passes over."""

_COPY: Final = 0x01
_WITHOUT_OPERANDS: Final = (_COPY, 0x06, 0x07, 0x0A, 0x0B)
"""Standard opcodes that cannot fail."""
_ADVANCE_PC: Final = 0x02
_ADVANCE_LINE: Final = 0x03
_SET_FILE: Final = 0x04
_WITH_NUMBER: Final = (_ADVANCE_PC, 0x05, 0x0C)
"""Other standard opcodes with one number, which cannot fail where it has one or two bytes."""
_CONST_ADD_PC: Final = 0x08
"""It fails where `line_range` is 0, as special opcodes do."""
_FIXED_ADVANCE_PC: Final = 0x09
_LAST_STANDARD: Final = 0x0C
_RARE: Final = 20
"""Steps of each opcode that takes longest, as one that ends a sequence, beyond its bytes."""
_FIRST_OF_SEQUENCE: Final = 1
"""The file of rows before the first DW_LNS_set_file (DWARF 5 6.2.2)."""
_DISCRIMINATOR: Final = b"\0\2\4"
"""DW_LNE_set_discriminator with an operand of one byte, up to that."""


@frozen
class ProgramFault:
    """What is wrong with a program."""

    problem: DwarfGpuError | None
    """Why it cannot be read to its end, or rows of it have no file or describe no code."""
    may_decrease: bool
    """Whether addresses may decrease within a sequence."""
    negative_line: int | None
    """The line of the first row that has one below 0."""
    large_line: int | None
    """The first line beyond 32 bits."""
    begins: frozenset[int]
    """Where sequences begin: their first DW_LNE_set_address, 0 without one."""


def line_program_problem(
    header: LineHeader, data: bytes, most_rows: int = DEFAULT_FILE_LIMITS.line_rows
) -> DwarfGpuError | None:
    """Return why a program of `.debug_line` cannot be read to its end; None where it can."""
    return _Check(header, data, most_rows, LineWork(most_rows)).read()


def line_program_fault(
    header: LineHeader, data: bytes, most_rows: int, work: LineWork
) -> ProgramFault:
    """Return the same, or else why rows of a program have no file or describe no code, and what
    else may be wrong with its rows.

    `work`: what the programs of the file share, and this one spends.
    """
    check = _Check(header, data, most_rows, work)
    problem = check.read() or check.fault()
    return ProgramFault(
        problem,
        check.may_decrease,
        check.negative_line,
        check.large_line,
        frozenset(check.begins),
    )


@lru_cache(maxsize=16)  # nearly all tables of a file have the same
def _safe_opcodes(
    base: int, line_base: int, line_range: int, operand_counts: tuple[int, ...]
) -> tuple[frozenset[int], tuple[int, ...]]:
    """Return the opcodes of one byte that cannot fail, and by which each opcode advances the
    line."""
    safe = {opcode for opcode in _WITHOUT_OPERANDS if opcode < base}
    lines = [0] * 256
    if line_range:
        safe |= {_CONST_ADD_PC, *range(max(base, 1), 256)}
        for opcode in range(max(base, 1), 256):
            lines[opcode] = line_base + (opcode - base) % line_range
    unknown = range(_LAST_STANDARD + 1, base)
    safe |= {opcode for opcode in unknown if not operand_counts[opcode - 1]}
    return frozenset(safe), tuple(lines)


class _Check:
    """What was seen of one program."""

    def __init__(self, header: LineHeader, data: bytes, most_rows: int, work: LineWork) -> None:
        self._most_rows = most_rows
        self._work = work
        self._header = header
        self._data = data
        self._mask = (1 << 8 * header.format.address_size) - 1
        self._named_files: set[int] = set()
        """The operands of DW_LNS_set_file."""
        self._defined_files = 0
        self._ended_at = header.program_at
        """The offset behind the last DW_LNE_end_sequence and its padding."""
        self.may_decrease = False
        """Whether an address may be less than the one before it in its sequence."""
        self._address = 0
        """That of the last DW_LNE_set_address, with the advances that are not passed over."""
        self._has_address = False
        """Whether the sequence has had a DW_LNE_set_address."""
        self.begins: set[int] = set()
        """The first address of each sequence, 0 without a DW_LNE_set_address."""
        self._is_padded = False
        """Whether zeros precede a sequence: they may have been its start."""
        self._set_at = header.program_at
        """The offset behind the last DW_LNE_set_address or DW_LNE_end_sequence."""
        self.negative_line: int | None = None
        """The line of the first row that has one below 0."""
        self.large_line: int | None = None
        """The first line beyond 32 bits."""
        self._extra = 0
        """Steps of what was read, beyond its bytes."""

    def read(self) -> DwarfGpuError | None:
        """Return the error at which reading the rows stops."""
        header, data, end, base = (
            self._header,
            self._data,
            self._header.end,
            self._header.opcode_base,
        )
        safe, lines = _safe_opcodes(
            base, header.line_base, header.line_range, header.operand_counts
        )
        numbers = {opcode for opcode in _WITH_NUMBER if opcode < base}
        low, high = (1, 2) if header.format.endian == "little" else (2, 1)
        begin = offset = stop = header.program_at
        line = 1
        try:
            refuse_program(header, self._most_rows)
            while offset < stop or offset < (
                stop := self._work.stop(offset, end, offset - begin + self._extra)
            ):
                opcode = data[offset]
                if opcode in safe:
                    line += lines[opcode]
                    if line < 0 and (opcode >= base or opcode == _COPY):
                        self.negative_line, line = self.negative_line or line, 0
                    offset += 1
                elif opcode == _SET_FILE < base and offset + 1 < end and data[offset + 1] < 0x80:
                    self._named_files.add(data[offset + 1])
                    offset += 2
                elif opcode == _ADVANCE_LINE < base:
                    if offset + 1 < end and (number := data[offset + 1]) < 0x80:
                        number, offset = number if number < 0x40 else number - 0x80, offset + 2
                    else:
                        number, offset = read_signed(data, offset + 1, end)
                        self._extra += LONG_NUMBER
                    line += number
                    if line > MOST:  # no special opcode leads as far
                        self.large_line = self.large_line or line
                        line &= MOST
                elif opcode in numbers and offset + 2 < end and data[offset + 1] < 0x80:
                    offset += 2
                elif opcode in numbers and offset + 2 < end and data[offset + 2] < 0x80:
                    offset += 3
                elif (
                    not opcode
                    and data[offset : offset + 3] == _DISCRIMINATOR
                    and offset + 3 < end
                    and data[offset + 3] < 0x80
                ):
                    offset += 4
                elif opcode == _FIXED_ADVANCE_PC < base and offset + 2 < end:
                    self._address += data[offset + low] | data[offset + high] << 8
                    if self._address > self._mask:
                        self._advance(0)
                    offset += 3
                else:
                    self._extra += _RARE
                    if opcode:
                        offset = self._standard(opcode, offset + 1)
                    else:
                        offset = self._extended(offset)
                        line = 1 if offset == self._ended_at else line
        except DwarfGpuError as error:
            if not self._is_padded:  # rows before it may have no address
                return at_opcode(error, offset)
        finally:
            self._work.spend(offset - begin + self._extra)
        start = header.program_at if self._is_padded else self._ended_at
        if start == end:
            return None
        return self._run(evolve(header, program_at=start)).problem

    def _run(self, header: LineHeader) -> LineMatrix:
        return run_line_program(header, self._data, self._most_rows, self._work, ROW)

    def fault(self) -> DwarfGpuError | None:
        """Return what is wrong with a program that `read` has read to its end."""
        header = self._header
        first, count = header.first_file, len(header.files) + self._defined_files
        files = range(first, first + count)
        for number in sorted(self._named_files):
            if number not in files:
                return _no_file(number, files)
        if _FIRST_OF_SEQUENCE not in files:
            matrix = self._run(header)
            for row in matrix.rows:
                if row.file not in files and not row.end_sequence:
                    return _no_file(row.file, files)
            return matrix.problem
        return None

    def _advance(self, size_bytes: int) -> None:
        address = self._address + size_bytes
        self.may_decrease = self.may_decrease or address > self._mask
        self._address = address & self._mask

    def _standard(self, opcode: int, offset: int) -> int:
        """Perform an opcode with a long operand, or one that is unknown; return the offset behind
        it."""
        header, data, end = self._header, self._data, self._header.end
        if opcode >= header.opcode_base or opcode == _CONST_ADD_PC:
            raise no_line_range(opcode, header.opcode_base)
        if opcode == _FIXED_ADVANCE_PC:
            reader = Reader(data, header.format.endian, offset, end)
            self._advance(reader.unsigned(2))
            return reader.position
        if opcode == _ADVANCE_PC:
            operations, offset = read_number(data, offset, end)
            self.may_decrease = self.may_decrease or operations > _MOST_FORWARD
            self._advance(operations * header.minimum_instruction_length)
        elif opcode <= _LAST_STANDARD:
            number, offset = read_register(data, offset, end)
            if opcode == _SET_FILE:
                self._named_files.add(number)
        else:
            offset = skip_numbers(data, offset, end, header.operand_counts[opcode - 1])
        return offset

    def _extended(self, offset: int) -> int:
        """Perform an extended opcode; return the offset behind it."""
        header, data = self._header, self._data
        size_bytes, begin = read_number(data, offset + 1, header.end)
        if not size_bytes:
            if offset != self._ended_at:
                raise no_extended_opcode()
            self._ended_at, self._is_padded = begin, True
            return begin
        operand = Reader(data, "little", begin, header.end)
        operand.take(size_bytes)
        end, kind = operand.position, data[begin]
        if kind == 0x01:  # DW_LNE_end_sequence
            if size_bytes != 1:
                raise surplus("DW_LNE_end_sequence", size_bytes)
            self._end_sequence(begin)
            self._ended_at = end
        elif kind == 0x02:  # DW_LNE_set_address
            self._address = address_in(data, begin + 1, end, header.format) & self._mask
            self._set_at = end
            if not self._has_address:
                self.begins.add(self._address)
            self.may_decrease = self.may_decrease or self._has_address
            self._has_address = True
        elif kind == 0x03:  # DW_LNE_define_file
            defined_file(Reader(data, "little", begin + 1, end))
            self._defined_files += 1
            refuse_files(self._defined_files)
            self._extra += DEFINED_FILE
        elif kind == 0x04:  # DW_LNE_set_discriminator
            read_discriminator(data, begin, end)
        return end

    def _end_sequence(self, offset: int) -> None:
        length = max(self._header.minimum_instruction_length, 1)
        most = (offset + 1 - self._set_at) * _MOST_FORWARD_OF_BYTE * length
        # `read` passes over most opcodes; what a linker dropped begins at one of two addresses.
        if self._mask - most < self._address < self._mask - 1:
            self.may_decrease = True
        if not self._has_address:
            self.begins.add(0)
        self._set_at = offset + 1
        self._address = 0
        self._has_address = False


def _no_file(number: int, files: range) -> IllFormed:
    known = f"the table has {counted(len(files), 'file')}"
    if files and number < files.start:
        known = f"the first one is {files.start}"
    return IllFormed(f"rows are of file {number}, and {known}")
