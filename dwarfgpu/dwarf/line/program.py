"""Run the line number state machine and keep the rows that it appends (DWARF 5 6.2.2 and 6.2.5).

Law: rows before an error are kept; an unknown opcode is skipped by its length. One function has
the registers in variables, because a table has millions of rows.
"""

from __future__ import annotations

from array import array
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.dwarf.line.header import LineHeader, NameEntry
from dwarfgpu.dwarf.line.operands import (
    MOST,
    address_in,
    at_opcode,
    defined_file,
    no_address,
    no_extended_opcode,
    no_line_range,
    read_discriminator,
    read_number,
    read_register,
    read_signed,
    refuse_files,
    refuse_program,
    skip_number,
    surplus,
    unended_rows,
)
from dwarfgpu.dwarf.line.rows import (
    BASIC_BLOCK,
    END_SEQUENCE,
    EPILOGUE_BEGIN,
    IS_STMT,
    PROLOGUE_END,
    REGISTERS,
    LineMatrix,
    LineRows,
    LineSequences,
    RowlessBytes,
)
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

_SEQUENCE_ROWS: Final = 2
"""A sequence takes as long as its rows and two more."""
_LONGEST_ROW: Final = 16
"""Bytes of opcodes that set all that compilers set for one row: more are without a row."""


def run_line_program(
    header: LineHeader,
    data: bytes,
    most_rows: int = DEFAULT_FILE_LIMITS.line_rows,
    rowless: RowlessBytes | None = None,
) -> LineMatrix:
    """Return the matrix of a program of `.debug_line`; an error in it is its `problem`.

    `rowless`: what the programs of the file share, and this one spends.
    """
    rowless = rowless or RowlessBytes(most_rows)
    run = _Run(header, data, rowless)
    problem: DwarfGpuError | None = None
    try:
        refuse_program(header, most_rows)
        run.read(most_rows)
        problem = unended_rows(run.unended, run.ended_at)
    except DwarfGpuError as error:
        problem = at_opcode(error, run.offset)
    rowless.spend(run.rowless_bytes)
    rows = LineRows(run.addresses, run.registers)
    return LineMatrix(rows, run.sequences, tuple(run.files), problem)


class _Run:
    """What one program has appended."""

    def __init__(self, header: LineHeader, data: bytes, rowless: RowlessBytes) -> None:
        self._header = header
        self._rowless = rowless
        self._data = data
        self.offset = header.program_at
        """Of the last opcode that was performed."""
        self.ended_at = header.program_at
        """The offset behind the last DW_LNE_end_sequence and its padding."""
        self.rowless_bytes = 0
        """Bytes without rows up to there; negative where there are many rows."""
        self.unended = 0
        """The number of rows since then."""
        self.addresses = array("Q")
        self.registers = bytearray()
        self.sequences = LineSequences()
        self.files: list[NameEntry] = []

    def read(self, most_rows: int) -> None:
        """Perform the program (DWARF 5 6.2.5)."""
        header, data, end = self._header, self._data, self._header.end
        base, most_operations = max(header.opcode_base, 1), header.maximum_operations
        length, mask = header.minimum_instruction_length, (1 << 8 * header.format.address_size) - 1
        line_range, line_base = header.line_range, header.line_base
        special = [divmod(opcode - header.opcode_base, line_range or 1) for opcode in range(256)]
        initial_flags = IS_STMT if header.default_is_stmt else 0
        addresses, sequences, pack = self.addresses, self.sequences, REGISTERS.pack
        append, extend = addresses.append, self.registers.extend
        address = op_index = column = isa = discriminator = first_row = 0
        file = line = 1
        flags, is_ordered, rows_left = initial_flags, True, most_rows
        is_padded = is_placed = False  # the sequence: by zeros before it, by an address in it
        offset, endian = header.program_at, header.format.endian
        stop = offset
        try:
            while offset < stop or offset < (stop := self._stop(offset, most_rows - rows_left)):
                opcode = data[offset]
                position = offset + 1
                if opcode >= base or opcode == 0x08 or opcode == 0x02:
                    if opcode >= base:
                        if not line_range:
                            raise no_line_range(opcode, base)
                        operations, lines = special[opcode]
                        line = line + line_base + lines & MOST
                    elif opcode == 0x08:  # DW_LNS_const_add_pc
                        if not line_range:
                            raise no_line_range(opcode, base)
                        operations = special[255][0]
                    elif position < end and data[position] < 0x80:  # DW_LNS_advance_pc
                        operations, position = data[position], position + 1
                    else:
                        operations, position = read_number(data, position, end)
                    if most_operations > 1:
                        operations, op_index = divmod(op_index + operations, most_operations)
                    address += operations * length
                    if address > mask:
                        address, is_ordered = address & mask, False
                    if opcode < base:
                        offset = position
                        continue
                elif 0x03 <= opcode <= 0x05 or opcode == 0x0C:
                    if opcode == 0x03:  # DW_LNS_advance_line
                        if position < end and (number := data[position]) < 0x80:
                            number, position = (
                                number if number < 0x40 else number - 0x80,
                                offset + 2,
                            )
                        else:
                            number, position = read_signed(data, position, end)
                        line = line + number & MOST
                    else:
                        if position < end and (number := data[position]) < 0x80:
                            position += 1
                        else:
                            number, position = read_register(data, position, end)
                        if opcode == 0x05:
                            column = number
                        elif opcode == 0x04:
                            file = number
                        else:
                            isa = number
                    offset = position
                    continue
                elif opcode == 0x06:  # DW_LNS_negate_stmt
                    flags ^= IS_STMT
                    offset = position
                    continue
                elif opcode == 0:
                    if position < end and (size_bytes := data[position]) < 0x80:
                        position += 1
                    else:
                        size_bytes, position = read_number(data, position, end)
                    if position + size_bytes > end:
                        Reader(data, "little", position, end).take(size_bytes)  # raises
                    kind = data[position] if size_bytes else None
                    after = position + size_bytes
                    if kind == 0x01:  # DW_LNE_end_sequence
                        if size_bytes != 1:
                            raise surplus("DW_LNE_end_sequence", size_bytes)
                        if is_padded and not is_placed:
                            raise no_address()
                        flags |= END_SEQUENCE
                        is_padded = is_placed = False
                    else:
                        if kind == 0x02:  # DW_LNE_set_address
                            if is_padded and not is_placed and len(addresses) > first_row:
                                raise no_address()
                            address = address_in(data, position + 1, after, header.format) & mask
                            op_index, is_placed = 0, True
                            if len(addresses) > first_row and address < addresses[-1]:
                                is_ordered = False
                        elif kind == 0x04:  # DW_LNE_set_discriminator
                            discriminator = read_discriminator(data, position, after)
                        elif kind == 0x03:  # DW_LNE_define_file
                            self.files.append(
                                defined_file(Reader(data, "little", position + 1, after))
                            )
                            refuse_files(len(self.files))
                        elif kind is None:
                            if offset != self.ended_at:
                                raise no_extended_opcode()
                            self.ended_at, is_padded = after, True
                        offset = after  # others are skipped
                        continue
                    position = after
                elif opcode != 0x01:
                    if opcode == 0x0A:
                        flags |= PROLOGUE_END
                    elif opcode == 0x0B:
                        flags |= EPILOGUE_BEGIN
                    elif opcode == 0x07:
                        flags |= BASIC_BLOCK
                    elif opcode == 0x09:  # DW_LNS_fixed_advance_pc
                        advance = Reader(data, endian, position, end).unsigned(2)
                        position += 2
                        address, op_index = address + advance, 0
                        if address > mask:
                            address, is_ordered = address & mask, False
                    else:
                        for _ in range(header.operand_counts[opcode - 1]):
                            position = skip_number(data, position, end)
                    offset = position
                    continue
                if rows_left <= 0:
                    raise LimitExceeded(
                        f"more than {most_rows} rows in a line table, each sequence counted as "
                        f"{_SEQUENCE_ROWS} more",
                        "--max-line-rows",
                    )
                rows_left -= 1
                append(address)
                extend(pack(file, line, column, isa, discriminator, op_index, flags))
                discriminator = 0
                if flags & END_SEQUENCE:
                    last, rows_left = len(addresses) - 1, rows_left - _SEQUENCE_ROWS
                    sequences.add(addresses, first_row, last, is_ordered=is_ordered)
                    address = op_index = column = isa = 0
                    file = line = 1
                    flags, is_ordered, first_row = initial_flags, True, last + 1
                    self.ended_at = position
                else:
                    flags &= IS_STMT
                offset = position
        finally:
            self.offset = offset
            self.rowless_bytes = self._rowless_at(offset, most_rows - rows_left)
        self.unended = len(addresses) - first_row

    def _rowless_at(self, offset: int, count: int) -> int:
        """Return the bytes without rows up to an offset, where `count` rows were appended."""
        return offset - self._header.program_at - _LONGEST_ROW * count

    def _stop(self, offset: int, count: int) -> int:
        """Return an offset up to which the program may be read; `LimitExceeded` if there is none
        behind `offset`, where `count` rows were appended."""
        end = self._header.end
        left_bytes = self._rowless.left - self._rowless_at(offset, count)
        if left_bytes <= 0 and offset < end:
            raise self._rowless.refuse()
        return min(end, offset + left_bytes)
