"""The rows and sequences of a line table in packed arrays: a table may have millions (DWARF 5
6.2.2)."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import Final, NamedTuple, overload

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

IS_STMT: Final = 0x01
BASIC_BLOCK: Final = 0x02
END_SEQUENCE: Final = 0x04
PROLOGUE_END: Final = 0x08
EPILOGUE_BEGIN: Final = 0x10

LAST_LINE: Final = 0x7FFFFFFF
"""No source file has more lines; a line below 0 is beyond it, as the register has 32 bits."""

REGISTERS: Final = Struct("=IIIIIBB")
"""The registers of a row, without its address: file, line, column, isa, discriminator, op_index,
flags."""
_DISCRIMINATOR_AT: Final = 16
_FLAGS_AT: Final = REGISTERS.size - 1
_DISCRIMINATOR: Final = 4
"""Its index in `REGISTERS`."""
_FILE_AND_LINE: Final = 8
"""The bytes of these registers, which come first."""

_NEIGHBOURS: Final = 32
"""The rows before one that are looked at before all of its sequence: nearly always enough."""
LONG_NUMBER: Final = 4
"""Steps of a LEB128 number of several bytes, or of an operand that is skipped, beyond its bytes."""
DEFINED_FILE: Final = 30
"""Steps of a DW_LNE_define_file beyond its bytes."""
ROW: Final = 5
"""Steps of a row that is appended."""
FREE_BYTES: Final = 8
"""Bytes that compilers write for one row, or fewer: of rows that a question is about, more are
counted."""
_STEPS: Final = 16
"""Steps of all programs of a file for each row that one may have: the check of a file with as many
entries as `--max-dies` allows, which GCC wrote, takes up to 14."""
_MOST_OF_BYTE: Final = 12
"""No byte takes more steps, with those of the opcode that begins there."""


class LineWork:
    """How many steps the programs of a file may still take: of all tables, and each time that one
    is gone through.

    Each byte is a step, and what takes longer counts more: in `check` no bytes pay for others.
    """

    def __init__(self, most_rows: int, left: int | None = None) -> None:
        self._most = _STEPS * most_rows
        self.left = self._most if left is None else left

    def spend(self, steps: int) -> None:
        """Count what one program has taken."""
        self.left -= max(steps, 0)

    def stop(self, offset: int, end: int, steps: int) -> int:
        """Return an offset up to which a program may be read that has taken some steps up to
        another one; `LimitExceeded` if there are no more steps for it."""
        left = self.left - steps
        if left <= 0 and offset < end:
            raise LimitExceeded(
                f"the line number programs of .debug_line take more than {self._most} steps to "
                "read",
                "--max-line-rows",
            )
        return min(end, offset + left // _MOST_OF_BYTE + 1)


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

    def __init__(self, addresses: array[int], registers: bytearray) -> None:
        self.addresses = addresses
        self._registers = registers
        """Those of `REGISTERS` for each row."""

    def __len__(self) -> int:
        return len(self.addresses)

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
        registers = REGISTERS.unpack_from(self._registers, row_index * REGISTERS.size)
        return LineRow(self.addresses[row_index], *registers)

    def __iter__(self) -> Iterator[LineRow]:
        for address, registers in zip(
            self.addresses, REGISTERS.iter_unpack(self._registers), strict=True
        ):
            yield LineRow(address, *registers)

    def registers(self, order: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Return the registers of rows in an order, as in `REGISTERS`; no objects are made of
        them."""
        size_bytes, data = REGISTERS.size, self._registers
        if isinstance(order, range):
            neighbours = memoryview(data)[order.start * size_bytes : order.stop * size_bytes]
            return REGISTERS.iter_unpack(neighbours)
        return (REGISTERS.unpack_from(data, index * size_bytes) for index in order)

    def is_stmt(self, index: int) -> bool:
        """Return whether one row is a statement."""
        return bool(self._registers[index * REGISTERS.size + _FLAGS_AT] & IS_STMT)

    def has_discriminator(self, index: int) -> bool:
        """Return whether one row has a discriminator."""
        start = index * REGISTERS.size + _DISCRIMINATOR_AT
        return any(self._registers[start : start + 4])

    def has_line_of(self, index: int, other: int) -> bool:
        """Return whether two rows have the same file and line."""
        first, second = index * REGISTERS.size, other * REGISTERS.size
        data = self._registers
        return data[first : first + _FILE_AND_LINE] == data[second : second + _FILE_AND_LINE]


@frozen
class LineSequence:
    """Rows that describe one range of code."""

    span: Range
    order: Sequence[int]
    """Indexes of its rows by address, without the end row."""

    def after(self, rows: LineRows, address: int) -> int:
        """Return the index in `order` behind the rows that are not beyond an address."""
        order = self.order
        if isinstance(order, range):
            return bisect_right(rows.addresses, address, order.start, order.stop) - order.start
        return bisect_right(order, address, key=rows.addresses.__getitem__)

    def position_up_to(self, rows: LineRows, last: int, is_dropped: Callable[[int], bool]) -> int:
        """Return the index in `order` of the row that counts of those with the address of the one
        at index `last`, behind which others follow: the last one that is a statement, or else the
        last one.

        A statement that GDB drops gives way to a row of another line."""
        order, addresses, position = self.order, rows.addresses, last
        begin = addresses[order[last]]
        while position >= 0 and addresses[order[position]] == begin:
            if rows.is_stmt(order[position]) and (
                rows.has_line_of(order[position], order[last]) or not is_dropped(position)
            ):
                return position
            position -= 1
        return last

    def end_of(self, rows: LineRows, position: int) -> int:
        """Return the address at which the next row, by address, begins."""
        after = self.after(rows, rows.addresses[self.order[position]])
        return rows.addresses[self.order[after]] if after < len(self.order) else self.span.end


class DroppedRows:
    """The rows of a sequence that GDB drops when it reads the table: those that continue the line
    of the rows before them, from the first of these on that has a discriminator."""

    def __init__(self, rows: LineRows, order: Sequence[int]) -> None:
        self._rows = rows
        self._order = order

    def has(self, position: int) -> bool:
        """Return whether the row at an index in the order of the sequence is dropped."""
        order, rows = self._order, self._rows
        first = max(position - _NEIGHBOURS, 0)
        has_discriminator = rows.has_discriminator(order[position])
        for before in range(position - 1, first - 1, -1):
            if not rows.has_line_of(order[before], order[position]):
                return False
            if has_discriminator or rows.has_discriminator(order[before]):
                return True
        return first > 0 and bool(bisect_right(self._bounds, position) % 2)

    @cached_property
    def _bounds(self) -> array[int]:
        """Where dropped rows begin and end, in turn: all rows of a sequence may be of one line."""
        bounds = array("I")
        line: tuple[int, ...] = ()
        start, begin = 0, None
        for position, registers in enumerate(self._rows.registers(self._order)):
            if registers[:2] != line:
                if begin is not None and begin < position:
                    bounds.extend((begin, position))
                line, start, begin = registers[:2], position, None
            if begin is None and registers[_DISCRIMINATOR]:
                begin = max(position, start + 1)  # the first row of a line is kept
        if begin is not None:
            bounds.extend((begin, len(self._order)))
        return bounds


class LineSequences(Sequence[LineSequence]):
    """The sequences of a program in its order, 24 bytes each; empty ones are omitted."""

    def __init__(self) -> None:
        self.begins, self.ends = array("Q"), array("Q")
        self._first_rows, self._last_rows = array("I"), array("I")
        self._orders: dict[int, array[int]] = {}
        """Of the sequences whose rows are not in the order of their addresses."""

    def add(self, addresses: array[int], first: int, last: int, *, is_ordered: bool) -> None:
        """Add the sequence of the rows from `first` on; the row `last` ends it."""
        if first == last:
            return
        begin, order = addresses[first], None
        if not is_ordered:
            order = array("I", sorted(range(first, last), key=addresses.__getitem__))
            begin = addresses[order[0]]
        if begin < addresses[last]:
            if order is not None:
                self._orders[len(self)] = order
            self.begins.append(begin)
            self.ends.append(addresses[last])
            self._first_rows.append(first)
            self._last_rows.append(last)

    def __len__(self) -> int:
        return len(self.begins)

    @overload
    def __getitem__(self, index: int) -> LineSequence: ...
    @overload
    def __getitem__(self, index: slice) -> list[LineSequence]: ...
    def __getitem__(self, index: int | slice) -> LineSequence | list[LineSequence]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return LineSequence(Range(self.begins[index], self.ends[index]), self.order(index))

    def order(self, number: int) -> Sequence[int]:
        """Return the indexes of the rows of a sequence by address, without the end row."""
        order = self._orders.get(number)
        return range(self._first_rows[number], self._last_rows[number]) if order is None else order


@frozen
class LineMatrix:
    """What a line number program says."""

    rows: LineRows
    sequences: LineSequences
    problem: DwarfGpuError | None
    """Why the program was not read to its end."""
