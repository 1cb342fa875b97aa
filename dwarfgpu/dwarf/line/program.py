"""Run the line number state machine and keep the rows that it appends (DWARF 5 6.2.2 and 6.2.5).

Law: rows before an error are kept; an unknown opcode is skipped by its length. One function has
the registers in variables, because a table has millions of rows.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.dwarf.line.header import LineHeader
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
    skip_numbers,
    surplus,
    unended_rows,
)
from dwarfgpu.dwarf.line.rows import (
    BASIC_BLOCK,
    DEFINED_FILE,
    END_SEQUENCE,
    EPILOGUE_BEGIN,
    FREE_BYTES,
    IS_STMT,
    LONG_NUMBER,
    PROLOGUE_END,
    REGISTERS,
    LineMatrix,
    LineRows,
    LineSequences,
    LineWork,
)
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

_SEQUENCE_ROWS: Final = 2
"""A sequence takes as long as its rows and two more."""


def run_line_program(
    header: LineHeader,
    data: bytes,
    most_rows: int = DEFAULT_FILE_LIMITS.line_rows,
    work: LineWork | None = None,
    row_steps: int = -FREE_BYTES,
) -> LineMatrix:
    """Return the matrix of a program of `.debug_line`; an error in it is its `problem`.

    `work`: what the programs of the file share, and this one spends. `row_steps`: what each row
    counts in it, beyond its bytes; below 0 where something else bounds the rows.
    """
    work = work or LineWork(most_rows)
    run = _Run(header, data, work, row_steps)
    problem: DwarfGpuError | None = None
    try:
        refuse_program(header, most_rows)
        run.read(most_rows)
        problem = unended_rows(run.unended, run.ended_at)
    except DwarfGpuError as error:
        problem = at_opcode(error, run.offset)
    work.spend(run.steps)
    rows = LineRows(run.addresses, run.registers)
    return LineMatrix(rows, run.sequences, problem)


@lru_cache(maxsize=16)  # nearly all tables of a file have the same
def _special_opcodes(opcode_base: int, line_range: int) -> tuple[tuple[int, int], ...]:
    """Return by how many operations, and how many lines beyond `line_base`, each opcode advances
    if it is a special one (DWARF 5 6.2.5.1)."""
    return tuple(divmod(opcode - opcode_base, line_range or 1) for opcode in range(256))


class _Run:
    """What one program has appended."""

    def __init__(self, header: LineHeader, data: bytes, work: LineWork, row_steps: int) -> None:
        self._header = header
        self._work = work
        self._row_steps = row_steps
        self._data = data
        self.offset = header.program_at
        """Of the last opcode that was performed."""
        self.ended_at = header.program_at
        """The offset behind the last DW_LNE_end_sequence and its padding."""
        self.steps = 0
        """What it has counted up to there; negative where there are many rows."""
        self.unended = 0
        """The number of rows since then."""
        self.addresses = array("Q")
        self.registers = bytearray()
        self.sequences = LineSequences()
        self._defined_files = 0

    def read(self, most_rows: int) -> None:
        """Perform the program (DWARF 5 6.2.5)."""
        header, data, end = self._header, self._data, self._header.end
        base, most_operations = max(header.opcode_base, 1), header.maximum_operations
        length, mask = header.minimum_instruction_length, (1 << 8 * header.format.address_size) - 1
        line_range, line_base = header.line_range, header.line_base
        special = _special_opcodes(header.opcode_base, line_range)
        initial_flags = IS_STMT if header.default_is_stmt else 0
        addresses, sequences, pack = self.addresses, self.sequences, REGISTERS.pack
        append, extend = addresses.append, self.registers.extend
        address = op_index = column = isa = discriminator = first_row = 0
        file = line = 1
        flags, is_ordered, rows_left = initial_flags, True, most_rows
        is_padded = is_placed = False  # the sequence: by zeros before it, by an address in it
        offset, counts = header.program_at, (0, *header.operand_counts)
        low, high = (0, 1) if header.format.endian == "little" else (1, 0)
        extra = 0  # steps beyond the bytes and rows
        stop = offset
        try:
            while offset < stop or offset < (
                stop := self._stop(offset, extra, most_rows - rows_left)
            ):
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
                        extra += LONG_NUMBER
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
                            extra += LONG_NUMBER
                        line = line + number & MOST
                    else:
                        if position < end and (number := data[position]) < 0x80:
                            position += 1
                        else:
                            number, position = read_register(data, position, end)
                            extra += LONG_NUMBER
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
                        extra += LONG_NUMBER
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
                            extra += LONG_NUMBER
                        elif kind == 0x03:  # DW_LNE_define_file
                            defined_file(Reader(data, "little", position + 1, after))
                            self._defined_files += 1
                            refuse_files(self._defined_files)
                            extra += DEFINED_FILE
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
                        if end < position + 2:
                            Reader(data, "little", position, end).take(2)  # raises
                        address += data[position + low] | data[position + high] << 8
                        position, op_index = position + 2, 0
                        if address > mask:
                            address, is_ordered = address & mask, False
                    else:
                        extra += LONG_NUMBER
                        if count := counts[opcode]:
                            position = skip_numbers(data, position, end, count)
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
            self.steps = self._steps(offset, extra, most_rows - rows_left)
        self.unended = len(addresses) - first_row

    def _steps(self, offset: int, extra: int, count: int) -> int:
        """Return the steps up to an offset, where `count` rows were appended."""
        return offset - self._header.program_at + extra + self._row_steps * count

    def _stop(self, offset: int, extra: int, count: int) -> int:
        """Return an offset up to which the program may be read, as `LineWork.stop`."""
        return self._work.stop(offset, self._header.end, self._steps(offset, extra, count))
