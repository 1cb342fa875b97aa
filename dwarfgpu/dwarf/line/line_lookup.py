"""Map program locations of one file to source lines, and source lines to program locations.

Law: program locations go in and come out as loaded. A query for a program location reads the line
program of the unit that covers it; a query for a line reads those whose files may match, and
`FileLimits.line_rows` bounds their rows together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.address_ranges import Range, merged
from dwarfgpu.dwarf.line.file_table import (
    MAX_NAME_BYTES,
    SourceFile,
    is_primary_file,
    located,
)
from dwarfgpu.dwarf.line.line_table import LineTable
from dwarfgpu.dwarf.line.rows import LineRow
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

_TABLE_ROWS: Final = 200
"""A table that a question reads takes as long as its rows and these."""
_MAX_PATH: Final = 4096
"""Characters of a path on Linux; a longer one counts each time that it is made."""
_PATH_COST: Final = 100
"""How many characters take as much memory as a path besides its own."""


@frozen
class SourceLine:
    """A line of source text and the code that a row describes as made from it."""

    file: SourceFile
    line: int
    """From 1."""
    column: int
    """From 1; 0 for an unknown one."""
    span: Range
    """As loaded."""
    row: LineRow
    """With addresses of the file."""

    def __str__(self) -> str:
        """Return `FILE:LINE:COLUMN`, the file by the name that GDB shows."""
        return self._in(self.file.shown_name)

    @property
    def with_path(self) -> str:
        """`FILE:LINE:COLUMN`, the file by its path: for programs."""
        return self._in(self.file.path)

    def _in(self, file: str) -> str:
        position = f"{file}:{self.line}"
        return f"{position}:{self.column}" if self.column else position


def is_of_file(unit: CompilationUnit, file: str) -> bool:
    """Return whether a unit has lines of a file that a path, perhaps without leading directories,
    denotes; without a line table, whether the unit has its name."""
    table = unit.line_table
    return is_primary_file(unit, file) if table is None else table.has_file(file)


class LineLookup:
    """The lines of one object file."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.info = scopes.info

    def line_of(self, pc: int) -> SourceLine | None:
        """Return the source line of a program location; None if no row describes it, or its row has
        no line (line 0)."""
        unit = self.scopes.linked_unit_at(pc)
        table = None if unit is None else unit.line_table
        line = None if table is None else table.line_at(self.info.in_file(pc))
        if line is None or unit is None or table is None:
            return None
        row, span = line
        if not row.line:
            return None
        loaded = Range(unit.relocate(span.begin), unit.relocate(span.end))
        return SourceLine(table.file(row.file), row.line, row.column, loaded, row)

    def problem_at(self, pc: int) -> DwarfGpuError | None:
        """Return why the rows of the unit at a program location are not all read."""
        unit = self.scopes.linked_unit_at(pc)
        table = None if unit is None else unit.line_table
        return None if table is None else table.matrix.problem

    def begins_at(self, pc: int) -> bool:
        """Return whether the code of a line begins there, as `LineTable.begins_line`."""
        unit = self.scopes.linked_unit_at(pc)
        table = None if unit is None else unit.line_table
        return table is not None and table.begins_line(self.info.in_file(pc))

    def first_line(self, begin: int, end: int, source: SourceLine) -> int | None:
        """Return the first line of the file of a source line that begins in a range of code.

        It is the opening brace of a function whose prologue the compiler removed: at that address
        the line that follows begins, too, which alone is the one of the code.
        """
        unit = self.scopes.linked_unit_at(begin)
        table = None if unit is None else unit.line_table
        if table is None:
            return None
        in_file = self.info.in_file
        return table.gdb_steps.first_line(in_file(begin), in_file(end), source.file.number)

    def pcs_of(self, file: str, line: int) -> tuple[int, ...]:
        """Return where statements of a source line begin, in order: good breakpoint locations.

        Leading directories of the file's path are optional. An unreadable table, or one with a line
        below 0, is an error only if no other table has the line.
        """
        pcs = {pc for _, of_file in self.pcs_by_file(file, line) for pc in of_file}
        return tuple(sorted(pcs))

    def pcs_by_file(self, file: str, line: int) -> tuple[tuple[SourceFile, tuple[int, ...]], ...]:
        """Return `pcs_of` for each file that the path denotes, in the order of the tables: those of
        several directories, each once; one that units spell with other `..` components counts as
        another one, as in GDB."""
        files: dict[str, SourceFile] = {}
        pcs: dict[str, set[int]] = {}
        problem: DwarfGpuError | None = None
        for unit, table, named, error in self._tables_with(file):
            problem = problem or error
            if table is None:
                continue
            try:
                numbers: dict[str, set[int]] = {}
                for source_file in named:
                    files.setdefault(source_file.path, source_file)
                    numbers.setdefault(source_file.path, set()).add(source_file.number)
                for path, of_file in numbers.items():
                    addresses = table.gdb_steps.addresses_of(of_file, line)
                    pcs.setdefault(path, set()).update(map(unit.relocate, addresses))
                    problem = problem or table.matrix.problem or table.wrong_line
            except DwarfGpuError as fault:
                problem = problem or fault.with_traceback(None)
        if problem is not None and not any(pcs.values()):
            raise problem.anew()
        return tuple((files[path], tuple(sorted(of_file))) for path, of_file in pcs.items())

    def spans_of(self, file: str, line: int) -> tuple[Range, ...]:
        """Return all code of a source line, in order: the program locations whose `line_of` it is,
        also where none of its statements begins. Unreadable tables are skipped."""
        spans: list[Range] = []
        for unit, table, named, _ in self._tables_with(file):
            if table is None:
                continue
            numbers = {source_file.number for source_file in named}
            try:
                for row in table.matrix.rows:
                    if row.line != line or row.file not in numbers:
                        continue
                    position = self.line_of(unit.relocate(row.address))
                    if position is None or position.row.file not in numbers:
                        continue
                    if position.line == line:
                        spans.append(position.span)
            except DwarfGpuError:
                continue
        return merged(spans)

    def files_named(self, file: str) -> Iterator[SourceFile]:
        """Yield the files of all tables that a path, perhaps without leading directories, denotes;
        unreadable tables are skipped."""
        for _, table, _ in self._tables():
            try:
                named = () if table is None else table.files_named(file)
            except DwarfGpuError:
                continue
            yield from named

    def has_file(self, file: str) -> bool:
        """Return whether `is_of_file` is true of any unit; unreadable ones are skipped."""
        if next(self.files_named(file), None) is not None:
            return True
        for unit in self.info.units:
            with suppress(DwarfGpuError):
                if unit.line_table is None and is_primary_file(unit, file):
                    return True
        return False

    def next_line(self, file: str, line: int) -> int | None:
        """Return the first line after a line on which a statement begins; None if there is none.
        Unreadable tables are skipped."""
        best: int | None = None
        for _, table, named, _ in self._tables_with(file):
            if table is None:
                continue
            try:
                later = table.gdb_steps.next_line({of_file.number for of_file in named}, line)
            except DwarfGpuError:
                continue
            if later is not None and (best is None or later < best):
                best = later
        return best

    def files(self) -> Iterator[SourceFile]:
        """Return the files of all readable tables; a file may be in several of them."""
        for _, table, _ in self._tables():
            if table is not None:
                yield from table.files

    def files_by_path(self) -> dict[str, SourceFile]:
        """Return the files of all readable tables by their paths, sorted, each once.

        `LimitExceeded` if they have more than `MAX_NAME_BYTES` characters, each path counted as 100
        more: a hostile table gives one long directory to many files.
        """
        by_path: dict[str, SourceFile] = {}
        characters = 0
        for file in self.files():
            table, path = file.table, file.path
            if path not in by_path or len(path) > _MAX_PATH:
                by_path.setdefault(path, file)
                characters += len(path) + _PATH_COST
            if characters > MAX_NAME_BYTES:
                error = LimitExceeded(
                    f"paths of files of more than {MAX_NAME_BYTES} characters, "
                    f"each path counted as {_PATH_COST} more"
                )
                raise located(error, table.unit.sections, table.offset)
        return dict(sorted(by_path.items()))

    def tables(self) -> Iterator[tuple[CompilationUnit, LineTable]]:
        """Yield every table that can be read, with the first unit that has it: a type unit only if
        no compilation unit does, because names of a file are those that its unit declares."""
        for unit, table, _ in self._tables():
            if table is not None:
                yield unit, table

    def tables_with(
        self, file: str
    ) -> Iterator[tuple[CompilationUnit, LineTable, tuple[SourceFile, ...]]]:
        """Yield the readable tables, as `tables`, that have files which a path denotes, with these
        files.

        `LimitExceeded` if these tables have more than `FileLimits.line_rows` rows together, each
        table counted as 200 more.
        """
        for unit, table, named, _ in self._tables_with(file):
            if table is not None:
                yield unit, table, named

    def _tables_with(
        self, file: str
    ) -> Iterator[
        tuple[CompilationUnit, LineTable | None, tuple[SourceFile, ...], DwarfGpuError | None]
    ]:
        """Yield what `tables_with` yields, and why a table cannot be read."""
        most_rows = self.info.sections.object.limits.line_rows
        rows_left = most_rows
        for unit, table, problem in self._tables():
            if table is None:
                yield unit, None, (), problem
                continue
            try:
                named = table.files_named(file)
                rows_left -= len(table.matrix.rows) + _TABLE_ROWS if named else 0
            except DwarfGpuError as fault:
                yield unit, None, (), fault
                continue
            if rows_left < 0:
                error = LimitExceeded(
                    f"the line tables that name {file} have more than {most_rows} rows, each table "
                    f"counted as {_TABLE_ROWS} more",
                    "--max-line-rows",
                )
                raise located(error, table.unit.sections, table.offset)
            if named:
                yield unit, table, named, None

    def _tables(
        self,
    ) -> Iterator[tuple[CompilationUnit, LineTable | None, DwarfGpuError | None]]:
        """Yield every table once, with its unit as in `tables`; or why a unit's cannot be read."""
        visited: set[int] = set()
        for unit in sorted(self.info.units, key=lambda unit: unit.header.is_type_unit):
            try:
                table = unit.line_table
            except DwarfGpuError as error:
                yield unit, None, error
                continue
            if table is not None and table.offset not in visited:
                visited.add(table.offset)
                yield unit, table, None
