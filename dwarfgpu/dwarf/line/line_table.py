"""Line tables map program locations to source lines and back (DWARF 5 6.2; AMD text A.6.2).

Law: a header is read with its table, its program with the first row, both once. Rows contain
addresses of the file; only `LineLookup` uses program locations as loaded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.records import frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.line.file_table import FileTable, located
from dwarfgpu.dwarf.line.header import LineHeader, NameEntry, read_line_header
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.errors import DwarfGpuError, FailedReads, IllFormed, LimitExceeded

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.line_unit import LineUnit
    from dwarfgpu.dwarf.line.program import LineMatrix, LineRow, LineSequence

_MAX_KEPT: Final = 1_000
"""Maximum number of addresses whose answers a table keeps."""


@frozen
class LineFaults:
    """What is wrong with a line table."""

    problem: DwarfGpuError | None
    """Why names or rows are missing, have no file or describe no code."""
    decrease: str | None
    """Where addresses decrease in a sequence, of a table without `problem`."""


@methods_name_wrong_arguments
class LineTable(FileTable):
    """The line table of a unit: `DW_AT_stmt_list` of its own entry."""

    def __init__(self, unit: LineUnit, header: LineHeader, tables: LineTables) -> None:
        super().__init__(unit, header)
        self._tables = tables
        # The table never changes: what a few addresses lead to is kept.
        self._rows_at = KeptAnswers[int, "tuple[LineRow, Range] | None"](_MAX_KEPT)
        self._begins_at = KeptAnswers[int, bool](_MAX_KEPT)

    @cached_property
    def matrix(self) -> LineMatrix:
        """Rows and sequences."""
        return self._tables.matrix(self.header)

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why names or rows are missing; the program is read for that."""
        problems = (self.header.problem, self.matrix.problem)
        return tuple(problem for problem in problems if problem is not None)

    def faults(self) -> LineFaults:
        """Return what is wrong with the table; no rows are kept."""
        if self.header.problem is not None:
            return LineFaults(self.header.problem, None)
        problem, may_decrease = self._tables.program_fault(self.header)
        is_readable = problem is None and may_decrease
        return LineFaults(problem, self._decrease() if is_readable else None)

    def _decrease(self) -> str | None:
        """Return where an address or operation is before the one of the row before it, in a
        sequence of code that is present; None if they only increase."""
        begin: int | None = None
        last = (0, 0)
        for row in self._tables.run(self.header).rows:
            operation = (row.address, row.op_index)
            if begin is None:
                begin = row.address
            elif operation < last and not self._is_dropped(Range(begin, begin)):
                if row.address == last[0]:
                    return f"operation {row.op_index} of address {row.address:#x} follows {last[1]}"
                return f"address {row.address:#x} follows {last[0]:#x} in a sequence"
            begin, last = (None, (0, 0)) if row.end_sequence else (begin, operation)
        return None

    def _defined_files(self) -> Sequence[NameEntry]:
        return self.matrix.defined_files

    @cached_property
    def _index(self) -> SpanIndex[LineSequence]:
        return SpanIndex(
            (sequence.span, sequence)
            for sequence in self.matrix.sequences
            if not self._is_dropped(sequence.span)
        )

    @property
    def sequences(self) -> Iterator[LineSequence]:
        """The sequences of code that is present, by address."""
        return (sequence for _, sequence in self._index)

    def _is_dropped(self, span: Range) -> bool:
        """Return whether a linker dropped the code: it leaves 0, or one of the two highest
        addresses, on code that they dropped."""
        file = self.unit.sections.object
        if span.begin == 0:
            return not file.is_code(0)
        return span.begin >= self.unit.tombstone

    def line_at(self, address: int) -> tuple[LineRow, Range] | None:
        """Return the row that describes an address of the file, and the addresses it describes.

        None if no sequence covers the address; if the program could not be read to its end, raises
        the reason instead.
        """
        try:
            if address not in self._rows_at:
                self._rows_at[address] = self._row_at(address)
            return self._rows_at[address]
        except FOREIGN:
            require_right_arguments(LineTable.line_at, self, address)
            raise

    def _row_at(self, address: int) -> tuple[LineRow, Range] | None:
        rows = self.matrix.rows
        for sequence in self._index.covering(address):
            position = sequence.position_at(rows, address)
            row = rows[sequence.order[position]]
            return row, Range(row.address, sequence.end_of(rows, position))
        if self.matrix.problem is not None:
            raise self._located(self.matrix.problem)
        return None

    def begins_line(self, address: int) -> bool:
        """Return whether GDB takes the code of a line to begin at an address of the file.

        At every statement, except for rows that continue the line and file of the row before them
        from the first of these on that has a discriminator: it drops them when it reads the table.
        """
        try:
            if address not in self._begins_at:
                self._begins_at[address] = self._begins_line(address)
            return self._begins_at[address]
        except FOREIGN:
            require_right_arguments(LineTable.begins_line, self, address)
            raise

    def _begins_line(self, address: int) -> bool:
        rows = self.matrix.rows
        for sequence in self._index.covering(address):
            position = bisect_right(sequence.order, address, key=rows.address) - 1
            while position >= 0 and rows[sequence.order[position]].address == address:
                is_stmt = rows[sequence.order[position]].is_stmt
                if is_stmt and not self._is_dropped_by_gdb(sequence, position):
                    return True
                position -= 1
            return False
        return False

    def _is_dropped_by_gdb(self, sequence: LineSequence, position: int) -> bool:
        rows = self.matrix.rows
        row = rows[sequence.order[position]]
        has_discriminator, first = bool(row.discriminator), position
        while first > 0:
            before = rows[sequence.order[first - 1]]
            if (before.line, before.file) != (row.line, row.file):
                break
            has_discriminator = has_discriminator or bool(before.discriminator)
            first -= 1
        return first < position and has_discriminator

    def rows_in(self, span: Range) -> Iterator[LineRow]:
        """Return the rows that describe the addresses of a range, by address, up to the first
        address without a row."""
        address = span.begin
        while address < span.end:
            line = self.line_at(address)
            if line is None:
                return
            row, described = line
            yield row
            address = max(described.end, address + 1)


@methods_name_wrong_arguments
class LineTables:
    """The line tables of one file; units may share them.

    Tables that do not overlap have no more bytes than their section: beyond that programs are
    `LimitExceeded`.
    """

    def __init__(self, sections: Sections) -> None:
        self._sections = sections
        self._headers: dict[tuple[int, int], LineHeader] = {}
        self._failed = FailedReads()
        self._matrices: dict[tuple[int, int], LineMatrix] = {}
        self._program_bytes = 0
        self._checked_bytes = 0

    def of(self, unit: LineUnit) -> LineTable | None:
        """Return the table of a unit; None if it has none.

        `IllFormed` if its address size differs from that of the unit (A.2.5.1).
        """
        try:
            attribute = unit.root.attribute(dw.AT_STMT_LIST)
            if attribute is None:
                return None
            offset = attribute.raw
            try:
                if not isinstance(offset, int):
                    raise IllFormed(f"DW_AT_stmt_list is of class {attribute.kind}")
                header = self._header(offset, unit)
                if header.format.address_size != unit.format.address_size:
                    raise IllFormed(
                        f"address_size {header.format.address_size} of .debug_line and "
                        f"address_size {unit.format.address_size} of its unit disagree"
                    )
            except DwarfGpuError as error:
                raise located(error, self._sections, offset if isinstance(offset, int) else 0)
            return LineTable(unit, header, self)
        except FOREIGN:
            from dwarfgpu.dwarf.line import line_unit  # noqa: F401  # the argument

            require_right_arguments(LineTables.of, self, unit)
            raise

    def _header(self, offset: int, unit: LineUnit) -> LineHeader:
        key = (offset, unit.format.address_size)
        if key not in self._headers:
            self._headers[key] = self._failed.read(key, lambda: self._read_header(offset, unit))
        return self._headers[key]

    def _read_header(self, offset: int, unit: LineUnit) -> LineHeader:
        return read_line_header(self._sections.section(".debug_line"), offset, unit.format)

    def matrix(self, header: LineHeader) -> LineMatrix:
        """Return the rows of a table."""
        key = (header.offset, header.format.address_size)
        if key not in self._matrices:
            size_bytes = self._program_bytes + header.end - header.offset
            self._refuse_overlap(size_bytes, header)
            self._matrices[key] = self.run(header)
            self._program_bytes = size_bytes  # after what Ctrl-C may end: no table counts twice
        return self._matrices[key]

    def run(self, header: LineHeader) -> LineMatrix:
        """Return the rows of a table, which are not kept."""
        from dwarfgpu.dwarf.line.program import run_line_program  # for rows alone

        return run_line_program(header, self._sections.section(".debug_line"))

    def program_fault(self, header: LineHeader) -> tuple[DwarfGpuError | None, bool]:
        """Return why the program of a table cannot be read to its end, or why rows of it have no
        file or describe no code; and whether its addresses may decrease. Its rows are not kept."""
        self._checked_bytes += header.end - header.offset
        self._refuse_overlap(self._checked_bytes, header)
        from dwarfgpu.dwarf.line.program import line_program_fault  # for rows alone

        return line_program_fault(header, self._sections.section(".debug_line"))

    def _refuse_overlap(self, size_bytes: int, header: LineHeader) -> None:
        if size_bytes > len(self._sections.section(".debug_line")):
            raise located(
                LimitExceeded("line tables overlap, they have more bytes than .debug_line"),
                self._sections,
                header.offset,
            )
