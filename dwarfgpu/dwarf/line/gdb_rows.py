"""The rows of a line table that GDB keeps, for breakpoints, `list` and `info line`.

Of several rows at one address the last one counts, but a statement counts before later rows that
are not statements.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dwarfgpu.dwarf.line.line_table import LineTable

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.program import LineRow, LineSequence


class Step(NamedTuple):
    """Where the code of a line begins."""

    address: int
    """The address in the file."""
    file: int
    line: int
    """0 where the code of no line begins: mainly at the end of a sequence."""
    is_statement: bool
    is_prologue_end: bool = False


class LineSteps:
    """The steps of one line table, by address."""

    def __init__(self, table: LineTable) -> None:
        steps = [step for rows in _kept(table) for step in rows]
        self._steps = sorted(steps, key=lambda step: step.address)
        self._addresses = [step.address for step in self._steps]

    def at(self, address: int) -> tuple[Step, int] | None:
        """Return the step to which an address belongs, and the address at which the next step
        begins."""
        after = bisect_right(self._addresses, address)
        if not after:
            return None
        index = last = after - 1
        while (
            not self._steps[index].is_statement
            and index
            and self._addresses[index - 1] == self._addresses[last]
            and self._steps[index - 1].line
        ):
            index -= 1
        step = self._steps[index if self._steps[index].is_statement else last]
        if not step.line or after == len(self._steps):
            return None
        return step, self._addresses[after]

    def prologue_end(self, begin: int, end: int, file: int) -> int | None:
        """Return the first address in a range that the code of a file marks as the end of a
        prologue (DW_LNS_set_prologue_end)."""
        for step in self._between(begin, end):
            if step.is_prologue_end and step.file == file:
                return step.address
        return None

    def is_doubled(self, step: Step) -> bool:
        """Return whether the code of several lines of its file begins at the address of a step."""
        same = self._between(step.address, step.address + 1)
        return sum(bool(neighbour.line) and neighbour.file == step.file for neighbour in same) > 1

    def _between(self, begin: int, end: int) -> list[Step]:
        first, last = bisect_left(self._addresses, begin), bisect_left(self._addresses, end)
        return self._steps[first:last]

    def first_of(self, files: frozenset[int], line: int) -> Step | None:
        """Return the first statement of a line of one of these files, else that of the next line
        with code."""
        best: Step | None = None
        for step in self._steps:
            if not step.is_statement or not step.line or step.file not in files:
                continue
            if step.line == line:
                return step
            if step.line > line and (best is None or step.line < best.line):
                best = step
        return best


def _kept(table: LineTable) -> Iterator[list[Step]]:
    """Yield the steps of each sequence."""
    for sequence in table.sequences:
        rows = rows_of_gdb(table, sequence)
        steps = [
            Step(row.address, row.file, row.line, row.is_stmt, row.prologue_end) for row in rows
        ]
        yield [*steps, Step(sequence.span.end, 0, 0, True)]


def addresses_of(table: LineTable, files: frozenset[int], line: int) -> Iterator[int]:
    """Yield where statements of a line of one of these files begin, as GDB has them."""
    for sequence in table.sequences:
        for row in rows_of_gdb(table, sequence):
            if row.line == line and row.is_stmt and row.file in files:
                yield row.address


def rows_of_gdb(table: LineTable, sequence: LineSequence) -> list[LineRow]:
    """Return the rows of a sequence that GDB keeps when it reads the table.

    It drops rows that continue the line and file of the row before them, beginning with the
    first of these that has a discriminator; rows at whose address the code of another file
    begins, or the sequence ends; and a row of another file that is not a statement, at an
    address that has one.
    """
    rows = table.matrix.rows
    kept: list[LineRow] = []
    line, file, is_distinguished = None, None, False
    address, has_statement = None, False
    for index in sequence.order:
        row = rows[index]
        has_statement = has_statement and row.address == address
        address = row.address
        if row.file != file and not row.is_stmt and has_statement and file is not None:
            continue
        is_same = (row.line, row.file) == (line, file)
        is_distinguished = bool(row.discriminator) or (is_same and is_distinguished)
        if not is_same or not is_distinguished:
            if row.file != file:
                _drop_empty(kept, row.address)
            kept.append(row)
        line, file = row.line, row.file
        has_statement = has_statement or row.is_stmt
    _drop_empty(kept, sequence.span.end)
    return kept


def _drop_empty(rows: list[LineRow], address: int) -> None:
    """Remove the last rows if they are of one file and describe no address before this one."""
    file = rows[-1].file if rows else None
    while rows and (rows[-1].address, rows[-1].file) == (address, file):
        rows.pop()
