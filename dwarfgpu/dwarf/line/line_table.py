"""Line tables map program locations to source lines and back (DWARF 5 6.2; AMD text A.6.2).

Law: a header is read with its table, its program with the first row, both once. Rows contain
addresses of the file; only `LineLookup` uses program locations as loaded.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.records import frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.line.file_table import FileNames, FileTable, located
from dwarfgpu.dwarf.line.header import LineHeader, NameEntry, read_line_header
from dwarfgpu.dwarf.line.rows import FREE_BYTES, LAST_LINE, ROW, DroppedRows, LineWork
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.errors import DwarfGpuError, FailedReads, IllFormed, LimitExceeded

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.gdb_rows import LineSteps
    from dwarfgpu.dwarf.line.line_unit import LineUnit
    from dwarfgpu.dwarf.line.program_check import ProgramFault
    from dwarfgpu.dwarf.line.rows import LineMatrix, LineRow, LineRows, LineSequence

_MAX_KEPT: Final = 1_000
"""Maximum number of addresses whose answers a table keeps."""


@frozen
class LineFaults:
    """What is wrong with a line table."""

    problem: DwarfGpuError | None
    """Why names or rows are missing, have no file or describe no code."""
    decrease: str | None = None
    """Where addresses decrease in a sequence, of a table without `problem`."""
    negative_line: int | None = None
    """The line of the first row that has one below 0."""
    large_line: int | None = None
    """The first line beyond 32 bits."""
    begins: frozenset[int] = frozenset()
    """Where sequences begin, of a table without `problem`."""


@methods_name_wrong_arguments
class LineTable(FileTable):
    """The line table of a unit: `DW_AT_stmt_list` of its own entry."""

    def __init__(self, unit: LineUnit, header: LineHeader, tables: LineTables) -> None:
        super().__init__(unit, header)
        self._tables = tables
        # The table never changes: what a few addresses lead to is kept.
        self._rows_at = KeptAnswers[int, "tuple[LineRow, Range] | None"](_MAX_KEPT)
        self._begins_at = KeptAnswers[int, bool](_MAX_KEPT)

    @property
    def _read(self) -> ReadTable:
        return self._tables.read(self)

    @property
    def matrix(self) -> LineMatrix:
        """Rows and sequences."""
        return self._read.matrix

    @property
    def gdb_steps(self) -> LineSteps:
        """What GDB keeps of the rows."""
        return self._read.gdb_steps

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why names or rows are missing; the program is read for that."""
        problems = (self.header.problem, self.matrix.problem)
        return tuple(problem for problem in problems if problem is not None)

    def faults(self) -> LineFaults:
        """Return what is wrong with the table; no rows are kept."""
        if self.header.problem is not None:
            return LineFaults(self.header.problem)
        fault = self._tables.program_fault(self.header)
        is_readable = fault.problem is None and fault.may_decrease
        matrix = self._tables.run(self.header, ROW, "order") if is_readable else None
        problem = fault.problem if matrix is None else matrix.problem
        decrease = None if matrix is None else self._decrease(matrix.rows)
        begins = fault.begins if fault.problem is None else frozenset[int]()
        return LineFaults(problem, decrease, fault.negative_line, fault.large_line, begins)

    def _decrease(self, rows: LineRows) -> str | None:
        """Return where an address or operation is before the one of the row before it, in a
        sequence of code that is present; None if they only increase."""
        begin: int | None = None
        last = (0, 0)
        for row in rows:
            operation = (row.address, row.op_index)
            if begin is None:
                begin = row.address
            elif operation < last and not self.unit.is_mark(begin):
                if row.address == last[0]:
                    return f"operation {row.op_index} of address {row.address:#x} follows {last[1]}"
                return f"address {row.address:#x} follows {last[0]:#x} in a sequence"
            begin, last = (None, (0, 0)) if row.end_sequence else (begin, operation)
        return None

    @cached_property
    def _names(self) -> FileNames:
        return self._tables.names(self.header)

    def _defined_files(self) -> Sequence[NameEntry]:
        return self._tables.defined_files(self)

    @property
    def sequences(self) -> Iterator[LineSequence]:
        """The sequences of code that is present, by address."""
        read = self._read
        return (read.matrix.sequences[number] for _, number in read.index)

    def line_at(self, address: int) -> tuple[LineRow, Range] | None:
        """Return the row that describes an address of the file, and the addresses it describes.

        None if no sequence covers the address; if the program could not be read to its end, raises
        the reason instead. `IllFormed` for a line below 0 (6.2.2: the register is unsigned).
        """
        try:
            return self._rows_at.answer(address, self._row_at)
        except FOREIGN:
            require_right_arguments(LineTable.line_at, self, address)
            raise

    def _row_at(self, address: int) -> tuple[LineRow, Range] | None:
        read = self._read
        rows = read.matrix.rows
        for number in read.index.covering(address):
            sequence = read.matrix.sequences[number]
            position = read.position_at(number, address)
            row = rows[sequence.order[position]]
            if row.line > LAST_LINE:
                raise self._wrong(address, row.line)
            return row, Range(row.address, sequence.end_of(rows, position))
        if read.matrix.problem is not None:
            raise self._located(read.matrix.problem)
        return None

    def _wrong(self, address: int, line: int) -> DwarfGpuError:
        negative = f"line {line}, which is {line - (1 << 32)} in 32 bits"
        return self._located(IllFormed(f"the row for {address:#x} has {negative}"))

    @property
    def wrong_line(self) -> DwarfGpuError | None:
        """The first step, by address, whose line is below 0: the code of a line that is not found
        may be there."""
        step = self.gdb_steps.first_wrong
        return None if step is None else self._wrong(step.address, step.line)

    def begins_line(self, address: int) -> bool:
        """Return whether GDB takes the code of a line to begin at an address of the file.

        At every statement, except for rows that continue the line and file of the row before them
        from the first of these on that has a discriminator: it drops them when it reads the table.
        """
        try:
            return self._begins_at.answer(address, self._begins_line)
        except FOREIGN:
            require_right_arguments(LineTable.begins_line, self, address)
            raise

    def _begins_line(self, address: int) -> bool:
        read = self._read
        rows = read.matrix.rows
        for number in read.index.covering(address):
            sequence = read.matrix.sequences[number]
            position = sequence.after(rows, address) - 1
            while position >= 0 and rows.addresses[sequence.order[position]] == address:
                is_stmt = rows.is_stmt(sequence.order[position])
                if is_stmt and not read.is_dropped_by_gdb(number, position):
                    return True
                position -= 1
            return False
        return False

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


class ReadTable:
    """The rows of a table, and the indexes of them that a question needed."""

    def __init__(self, table: LineTable, matrix: LineMatrix) -> None:
        self._is_dropped = table.unit.is_mark
        self.matrix = matrix
        # All rows may be at one address: those at it are gone through once.
        self._positions = KeptAnswers[tuple[int, int], int](_MAX_KEPT)
        """The row that counts of those at one address, by the sequence and the last of them."""
        self._dropped = KeptAnswers[int, DroppedRows](_MAX_KEPT)
        """The rows that GDB drops, by the sequence."""

    def position_at(self, number: int, address: int) -> int:
        """Return the index, in the order of a sequence, of the row that describes an address of
        it."""
        last = self.matrix.sequences[number].after(self.matrix.rows, address) - 1
        return self._positions.answer((number, last), self._position)

    def _position(self, row: tuple[int, int]) -> int:
        number, last = row
        sequence, is_dropped = (
            self.matrix.sequences[number],
            partial(self.is_dropped_by_gdb, number),
        )
        return sequence.position_up_to(self.matrix.rows, last, is_dropped)

    def is_dropped_by_gdb(self, number: int, position: int) -> bool:
        """Return whether GDB drops the row at an index in the order of a sequence."""
        return self._dropped.answer(number, self._dropped_rows).has(position)

    def _dropped_rows(self, number: int) -> DroppedRows:
        return DroppedRows(self.matrix.rows, self.matrix.sequences.order(number))

    @cached_property
    def index(self) -> SpanIndex[int]:
        """The numbers of the sequences of code that is present, by address."""
        begins, ends = self.matrix.sequences.begins, self.matrix.sequences.ends
        present = [number for number, begin in enumerate(begins) if not self._is_dropped(begin)]
        present.sort(key=ends.__getitem__)
        numbers = array("I", sorted(present, key=begins.__getitem__))
        return SpanIndex.of_columns(
            array("Q", map(begins.__getitem__, numbers)),
            array("Q", map(ends.__getitem__, numbers)),
            numbers,
        )

    @cached_property
    def gdb_steps(self) -> LineSteps:
        """What GDB keeps of the rows."""
        from dwarfgpu.dwarf.line.gdb_rows import LineSteps  # most commands start from a pc

        return LineSteps(self.matrix, self.index)


@methods_name_wrong_arguments
class LineTables:
    """The line tables of one file; units may share them.

    Tables that do not overlap have no more bytes than their section: beyond that programs are
    `LimitExceeded`. The rows of those that were read last are kept, up to `FileLimits.line_rows`.
    """

    def __init__(self, sections: Sections) -> None:
        self._sections = sections
        self._headers: dict[tuple[int, int], LineHeader] = {}
        self._names: dict[tuple[int, int], FileNames | None] = {}
        """None: of a header whose names depend on the unit."""
        self._failed = FailedReads()
        self._tables: dict[tuple[int, int], ReadTable] = {}
        self._kept_rows = 0
        self._defined_files: dict[tuple[int, int], Sequence[NameEntry]] = {}
        """Of the tables that were asked for them: they are few."""
        self._read: set[tuple[int, int]] = set()
        """The keys of the tables whose bytes are counted."""
        self._program_bytes = 0
        self._work = LineWork(sections.object.limits.line_rows)
        self._left: dict[tuple[int, int, str], int] = {}
        """The steps that were left for each reading of a table when it was first read."""
        self._checked: set[tuple[int, int]] = set()
        """The keys of the tables whose programs were checked, and whose bytes are counted."""
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

    def names(self, header: LineHeader) -> FileNames:
        """Return where the names of a header are kept: for all units that share it, unless a name
        is an index into the string offsets of its unit."""
        key = (header.offset, header.format.address_size)
        if key not in self._names:
            entries = chain(header.directories, header.files)
            has_indexes = any(
                item.path is not None and item.path.kind == "strx" for item in entries
            )
            self._names[key] = None if has_indexes else FileNames()
        return self._names[key] or FileNames()

    def read(self, table: LineTable) -> ReadTable:
        """Return the rows of a table."""
        header = table.header
        key = (header.offset, header.format.address_size)
        read = self._tables.get(key)
        if read is None:
            size_bytes = self._program_bytes
            if key not in self._read:
                size_bytes += header.end - header.offset
                self._refuse_overlap(size_bytes, header)
            read = ReadTable(table, self.run(header))
            # After what Ctrl-C may end, also this call: no table counts twice.
            self._read.add(key)
            self._program_bytes = size_bytes
            count = len(read.matrix.rows)
            if self._kept_rows + count > self._sections.object.limits.line_rows:
                self._tables.clear()
                self._kept_rows = 0
            self._tables[key] = read
            self._kept_rows += count
        return read

    def defined_files(self, table: LineTable) -> Sequence[NameEntry]:
        """Return the files that the program of a table defines."""
        header = table.header
        key = (header.offset, header.format.address_size)
        files = self._defined_files.get(key)
        if files is None:
            from dwarfgpu.dwarf.line.defined_files import defined_files  # few questions need it

            data, work = self._sections.section(".debug_line"), self._work_of(header, "files")
            files = defined_files(header, data, self._sections.object.limits.line_rows, work)
            self._defined_files[key] = files
        return files

    def run(
        self, header: LineHeader, row_steps: int = -FREE_BYTES, reading: str = "rows"
    ) -> LineMatrix:
        """Return the rows of a table, which are not kept; `row_steps` as of `run_line_program`."""
        from dwarfgpu.dwarf.line.program import run_line_program  # for rows alone

        data, work = self._sections.section(".debug_line"), self._work_of(header, reading)
        most_rows = self._sections.object.limits.line_rows
        return run_line_program(header, data, most_rows, work, row_steps)

    def _work_of(self, header: LineHeader, reading: str) -> LineWork:
        """Return the steps that a reading of a table may take: those left for the file, or where
        the table was read so before, those that were left then."""
        key = (header.offset, header.format.address_size, reading)
        if key in self._left:
            return LineWork(self._sections.object.limits.line_rows, self._left[key])
        self._left[key] = self._work.left
        return self._work

    def program_fault(self, header: LineHeader) -> ProgramFault:
        """Return what is wrong with the program of a table. Its rows are not kept."""
        key = (header.offset, header.format.address_size)
        if key not in self._checked:
            size_bytes = self._checked_bytes + header.end - header.offset
            self._refuse_overlap(size_bytes, header)
            self._checked_bytes = size_bytes
            self._checked.add(key)
        from dwarfgpu.dwarf.line.program_check import line_program_fault  # for `check`

        data, work = self._sections.section(".debug_line"), self._work_of(header, "check")
        return line_program_fault(header, data, self._sections.object.limits.line_rows, work)

    def _refuse_overlap(self, size_bytes: int, header: LineHeader) -> None:
        if size_bytes > len(self._sections.section(".debug_line")):
            raise located(
                LimitExceeded("line tables overlap, they have more bytes than .debug_line"),
                self._sections,
                header.offset,
            )
