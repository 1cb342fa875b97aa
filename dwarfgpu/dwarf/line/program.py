"""The line number state machine and the rows that it appends (DWARF 5 6.2.2 and 6.2.5).

Law: an opcode writes at most one row, so that the size of the program bounds the matrix. Rows
before an error are kept; an unknown opcode is skipped by its length.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import Final, NamedTuple, overload

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import define, evolve, frozen
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import FORMAT_LETTERS, read_uleb
from dwarfgpu.dwarf.line.header import LineHeader, NameEntry, read_file, small_uleb
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, counted

IS_STMT: Final = 0x01
BASIC_BLOCK: Final = 0x02
END_SEQUENCE: Final = 0x04
PROLOGUE_END: Final = 0x08
EPILOGUE_BEGIN: Final = 0x10

_ROW: Final = Struct("<QIIIIIBB")
MAX_ROWS: Final = 4_000_000
"""Of one table: the code of a unit with as many has tens of megabytes, and a hostile program has a
row in each byte."""
_MOST: Final = 0xFFFFFFFF
_MOST_FORWARD: Final = 0x7FFFFFFF
"""An advance of more operations may lead backwards, where addresses begin again at 0."""
_MOST_FORWARD_OF_BYTE: Final = 1 << 13
"""More operations than any byte of the opcodes advances that `read` passes over."""


class LineRow(NamedTuple):
    """One row of the matrix: the registers as they were (DWARF 5 table 6.3)."""

    address: int
    """The address in the file."""
    file: int
    line: int
    """From 1; 0 for code that comes from no line."""
    column: int
    """From 1; 0 for the left edge or an unknown column."""
    isa: int
    discriminator: int
    op_index: int
    """The operation within a VLIW instruction."""
    flags: int
    """`IS_STMT` and the others."""

    @property
    def is_stmt(self) -> bool:
        """Whether a breakpoint on the line belongs here (`is_stmt`)."""
        return bool(self.flags & IS_STMT)

    @property
    def basic_block(self) -> bool:
        return bool(self.flags & BASIC_BLOCK)

    @property
    def end_sequence(self) -> bool:
        """Whether the row is the first address after a sequence, and so no row of code."""
        return bool(self.flags & END_SEQUENCE)

    @property
    def prologue_end(self) -> bool:
        return bool(self.flags & PROLOGUE_END)

    @property
    def epilogue_begin(self) -> bool:
        return bool(self.flags & EPILOGUE_BEGIN)


class LineRows(Sequence[LineRow]):
    """The rows of a program in its order, 30 bytes each."""

    def __init__(self, data: bytes | bytearray) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data) // _ROW.size

    @overload
    def __getitem__(self, index: int) -> LineRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[LineRow]: ...
    def __getitem__(self, index: int | slice) -> LineRow | list[LineRow]:
        if isinstance(index, slice):
            return [self[row_index] for row_index in range(*index.indices(len(self)))]
        row_index = index if index >= 0 else index + len(self)
        if not 0 <= row_index < len(self):
            raise IndexError(index)
        return LineRow(*_ROW.unpack_from(self._data, row_index * _ROW.size))

    def __iter__(self) -> Iterator[LineRow]:
        return map(LineRow._make, _ROW.iter_unpack(self._data))

    def address(self, index: int) -> int:
        """Return the address of one row."""
        return int.from_bytes(self._data[index * _ROW.size : index * _ROW.size + 8], "little")


@frozen
class LineSequence:
    """Rows that describe one range of code."""

    span: Range
    order: Sequence[int]
    """Indexes of its rows by address, without the end row."""

    def position_at(self, rows: LineRows, address: int) -> int:
        """Return the index in `order` of the row that describes an address of the sequence: of rows
        with the same address, the last one that is a statement, or else the last one."""
        last = position = bisect_right(self.order, address, key=rows.address) - 1
        begin = rows.address(self.order[last])
        while position >= 0 and rows.address(self.order[position]) == begin:
            if rows[self.order[position]].is_stmt:
                return position
            position -= 1
        return last

    def end_of(self, rows: LineRows, position: int) -> int:
        """Return the address at which the next row, by address, begins."""
        begin = rows.address(self.order[position])
        after = bisect_right(self.order, begin, key=rows.address)
        return rows.address(self.order[after]) if after < len(self.order) else self.span.end


@frozen
class LineMatrix:
    """What a line number program says."""

    rows: LineRows
    sequences: tuple[LineSequence, ...]
    """In program order; empty sequences are omitted."""
    defined_files: tuple[NameEntry, ...]
    """Files that the program defines in addition to its header (DW_LNE_define_file)."""
    problem: DwarfGpuError | None
    """Why the program was not read to its end."""


@define
class _Registers:
    """The state machine (DWARF 5 table 6.4)."""

    flags: int
    address: int = 0
    op_index: int = 0
    file: int = 1
    line: int = 1
    column: int = 0
    isa: int = 0
    discriminator: int = 0


class _Machine:
    """Runs one program."""

    def __init__(self, header: LineHeader, data: bytes) -> None:
        self.header = header
        self.reader = Reader(data, header.format.endian, header.program_at, header.end)
        self.mask = (1 << 8 * header.format.address_size) - 1
        self.registers = self._initial()
        self.rows = bytearray()
        self.files: list[NameEntry] = []
        self.named_files: set[int] = set()
        """The operands of DW_LNS_set_file."""
        self.ended_at = header.program_at
        """The offset behind the last DW_LNE_end_sequence that `read` has read."""
        self.may_decrease = False
        """Whether an address of `read` may be less than the one before it in its sequence."""
        self.has_address = False
        """Whether the sequence has had a DW_LNE_set_address."""
        self._set_at = header.program_at
        """The offset behind the last DW_LNE_set_address or DW_LNE_end_sequence."""

    def _initial(self) -> _Registers:
        return _Registers(IS_STMT if self.header.default_is_stmt else 0)

    def run(self) -> DwarfGpuError | None:
        """Read the program; return the error at which it stopped."""
        reader, base = self.reader, self.header.opcode_base
        data, end, offset = reader.data, reader.end, reader.position
        try:
            while (offset := reader.position) < end:
                opcode = data[offset]
                reader.position = offset + 1
                if opcode >= base and opcode:
                    self.special(opcode)
                else:
                    self.perform(opcode)
        except DwarfGpuError as error:
            return _at(error, offset)
        return None

    def read(self) -> DwarfGpuError | None:
        """Return the error at which `run` stops; only what can fail is performed."""
        header, reader = self.header, self.reader
        data, end, base = reader.data, reader.end, header.opcode_base
        safe = {opcode for opcode in _WITHOUT_OPERANDS if opcode < base}
        if header.line_range:
            safe |= {_CONST_ADD_PC, *range(max(base, 1), 256)}
        numbers = {opcode for opcode in _WITH_NUMBER if opcode < base}
        offset = reader.position
        try:
            while offset < end:
                opcode = data[offset]
                if opcode in safe:
                    offset += 1
                elif opcode == _SET_FILE < base and offset + 1 < end and data[offset + 1] < 0x80:
                    self.named_files.add(data[offset + 1])
                    offset += 2
                elif opcode in numbers and offset + 2 < end and data[offset + 1] < 0x80:
                    offset += 2
                elif opcode in numbers and offset + 2 < end and data[offset + 2] < 0x80:
                    offset += 3
                elif (
                    data[offset : offset + 3] == _DISCRIMINATOR
                    and offset + 3 < end
                    and data[offset + 3] < 0x80
                ):
                    offset += 4
                else:
                    reader.position = offset + 1
                    if opcode >= base and opcode:
                        self.special(opcode)
                    else:
                        self.perform(opcode)
                    if data[offset : offset + 3] == _END_SEQUENCE:
                        self.ended_at = reader.position
                    offset = reader.position
        except DwarfGpuError as error:
            return _at(error, offset)
        return None

    def fault(self, data: bytes) -> DwarfGpuError | None:
        """Return what is wrong with a program that `read` has read to its end."""
        header = self.header
        first, count = header.first_file, len(header.files) + len(self.files)
        for number in sorted(self.named_files):
            if number and not number - first < count:
                return IllFormed(
                    f"rows are of file {number}, and the table has {counted(count, 'file')}"
                )
        rest = _Machine(evolve(header, program_at=self.ended_at), data)
        rest.run()
        if rest.rows:
            count = len(rest.rows) // _ROW.size
            problem = f"{counted(count, 'row')} without a DW_LNE_end_sequence describe no code"
            return _at(Malformed(problem), self.ended_at)
        return None

    def perform(self, opcode: int) -> None:
        """Perform an opcode that is not a special one."""
        if opcode == 0:
            self.extended()
        elif opcode in _STANDARD:
            _STANDARD[opcode](self)
        else:
            for _ in range(self.header.operand_counts[opcode - 1]):
                self.reader.uleb()

    def emit(self) -> None:
        r = self.registers
        if len(self.rows) >= MAX_ROWS * _ROW.size:
            raise LimitExceeded(f"more than {MAX_ROWS} rows in a line table")
        self.rows += _ROW.pack(
            r.address, r.file, r.line, r.column, r.isa, r.discriminator, r.op_index, r.flags
        )
        r.flags &= IS_STMT
        r.discriminator = 0

    def advance(self, operations: int) -> None:
        """Advance by a number of operations; an instruction may have several."""
        r, most = self.registers, self.header.maximum_operations
        instructions = operations
        if most > 1:
            instructions, r.op_index = divmod(r.op_index + operations, most)
        length = self.header.minimum_instruction_length
        address = r.address + instructions * length
        if address > self.mask:
            self.may_decrease, address = True, address & self.mask
        r.address = address

    def special(self, opcode: int) -> None:
        operations, line = self._split(opcode)
        self.advance(operations)
        r = self.registers
        r.line = r.line + self.header.line_base + line & _MOST
        self.emit()

    def _split(self, opcode: int) -> tuple[int, int]:
        """Return the advances of operations and, above `line_base`, of lines of a special
        opcode."""
        if not self.header.line_range:
            raise Malformed(f"special opcode {opcode:#x} where line_range is 0")
        return divmod(opcode - self.header.opcode_base, self.header.line_range)

    def number(self) -> int:
        reader = self.reader
        offset = reader.position
        number, reader.position = read_uleb(reader.data, offset, reader.end)
        if number > _MOST:
            raise Malformed(f"operand at {offset:#x} does not fit into 32 bits")
        return number

    # Standard opcodes (6.2.5.2)

    def advance_pc(self) -> None:
        operations = small_uleb(self.reader)
        self.may_decrease = self.may_decrease or operations > _MOST_FORWARD
        self.advance(operations)

    def advance_line(self) -> None:
        self.registers.line = self.registers.line + self.reader.sleb() & _MOST

    def set_file(self) -> None:
        self.registers.file = self.number()
        self.named_files.add(self.registers.file)

    def set_column(self) -> None:
        self.registers.column = self.number()

    def negate_stmt(self) -> None:
        self.registers.flags ^= IS_STMT

    def set_basic_block(self) -> None:
        self.registers.flags |= BASIC_BLOCK

    def const_add_pc(self) -> None:
        self.advance(self._split(255)[0])

    def fixed_advance_pc(self) -> None:
        address = self.registers.address + self.reader.unsigned(2)
        self.may_decrease = self.may_decrease or address > self.mask
        self.registers.address, self.registers.op_index = address & self.mask, 0

    def set_prologue_end(self) -> None:
        self.registers.flags |= PROLOGUE_END

    def set_epilogue_begin(self) -> None:
        self.registers.flags |= EPILOGUE_BEGIN

    def set_isa(self) -> None:
        self.registers.isa = self.number()

    # Extended opcodes (6.2.5.3)

    def extended(self) -> None:
        outer = self.reader
        length = small_uleb(outer)
        if not length:
            return  # zero bytes by which some producers pad
        start = outer.position
        outer.take(length)
        self.reader = Reader(outer.data, outer.endian, start, start + length)
        try:
            perform = _EXTENDED.get(self.reader.u8())
            if perform is not None:
                perform(self)
        finally:
            self.reader = outer

    def end_sequence(self) -> None:
        length = max(self.header.minimum_instruction_length, 1)
        most = (self.reader.position - self._set_at) * _MOST_FORWARD_OF_BYTE * length
        # `read` passes over most opcodes; what a linker dropped begins at one of two addresses.
        if self.mask - most < self.registers.address < self.mask - 1:
            self.may_decrease = True
        self._set_at = self.reader.position
        self.registers.flags |= END_SEQUENCE
        self.emit()
        self.registers = self._initial()
        self.has_address = False

    def set_address(self) -> None:
        size_bytes = self.reader.remaining_bytes
        if size_bytes not in FORMAT_LETTERS:
            raise Malformed(f"DW_LNE_set_address has an address of {counted(size_bytes, 'byte')}")
        self.registers.address = self.reader.unsigned(size_bytes) & self.mask
        self.registers.op_index = 0
        self._set_at = self.reader.end
        self.may_decrease, self.has_address = self.may_decrease or self.has_address, True

    def define_file(self) -> None:
        entry = read_file(self.reader)
        if entry is None:
            raise Malformed("DW_LNE_define_file has no name")
        self.files.append(entry)

    def set_discriminator(self) -> None:
        self.registers.discriminator = self.number()


def _at(error: DwarfGpuError, offset: int) -> DwarfGpuError:
    error.context = f"line program opcode at {offset:#x}"
    return error


_WITHOUT_OPERANDS: Final = (0x01, 0x06, 0x07, 0x0A, 0x0B)
"""Standard opcodes that cannot fail."""
_WITH_NUMBER: Final = (0x02, 0x03, 0x05, 0x0C)
"""Other standard opcodes with one number, which cannot fail where it has one or two bytes."""
_CONST_ADD_PC: Final = 0x08
"""It fails where `line_range` is 0, as special opcodes do."""
_SET_FILE: Final = 0x04
_END_SEQUENCE: Final = b"\0\1\1"
_DISCRIMINATOR: Final = b"\0\2\4"
"""DW_LNE_set_discriminator with an operand of one byte, up to that."""
_STANDARD: Final[dict[int, Callable[[_Machine], None]]] = {
    0x01: _Machine.emit,
    0x02: _Machine.advance_pc,
    0x03: _Machine.advance_line,
    0x04: _Machine.set_file,
    0x05: _Machine.set_column,
    0x06: _Machine.negate_stmt,
    0x07: _Machine.set_basic_block,
    0x08: _Machine.const_add_pc,
    0x09: _Machine.fixed_advance_pc,
    0x0A: _Machine.set_prologue_end,
    0x0B: _Machine.set_epilogue_begin,
    0x0C: _Machine.set_isa,
}
_EXTENDED: Final[dict[int, Callable[[_Machine], None]]] = {
    0x01: _Machine.end_sequence,
    0x02: _Machine.set_address,
    0x03: _Machine.define_file,
    0x04: _Machine.set_discriminator,
}


def line_program_problem(header: LineHeader, data: bytes) -> DwarfGpuError | None:
    """Return why a program of `.debug_line` cannot be read to its end; None where it can."""
    return _Machine(header, data).read()


def line_program_fault(header: LineHeader, data: bytes) -> tuple[DwarfGpuError | None, bool]:
    """Return the same, or else why rows of a program have no file or describe no code; and whether
    addresses may decrease within a sequence."""
    machine = _Machine(header, data)
    return machine.read() or machine.fault(data), machine.may_decrease


def run_line_program(header: LineHeader, data: bytes) -> LineMatrix:
    """Return the matrix of a program of `.debug_line`; an error in it is its `problem`."""
    machine = _Machine(header, data)
    problem = machine.run()
    rows = LineRows(machine.rows)
    return LineMatrix(rows, tuple(_sequences(rows)), tuple(machine.files), problem)


def _sequences(rows: LineRows) -> Iterator[LineSequence]:
    """Yield the sequences that are ended. Their addresses only grow (6.2.5); where a producer broke
    that, they are put in order."""
    first, grows, last_address = 0, True, 0
    for index, row in enumerate(rows):
        if row.end_sequence:
            order: Sequence[int] = range(first, index)
            if not grows:
                order = sorted(order, key=rows.address)
            if order and rows.address(order[0]) < row.address:
                yield LineSequence(Range(rows.address(order[0]), row.address), order)
            first, grows, last_address = index + 1, True, 0
            continue
        grows = grows and row.address >= last_address
        last_address = row.address
