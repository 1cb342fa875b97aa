"""The rows of a line table as GDB keeps them, for `list` and `info line`.

Of several rows at one address the last one counts, but a statement counts before later rows that
are not statements.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from dwarfgpu.dwarf.line.line_table import LineTable


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

    def first_of(self, files: frozenset[int], line: int) -> tuple[int, bool] | None:
        """Return where the first statement of a line of one of these files begins, else that of the
        next line with code; and whether it belongs to the line itself."""
        best: Step | None = None
        for step in self._steps:
            if not step.is_statement or not step.line or step.file not in files:
                continue
            if step.line == line:
                return step.address, True
            if step.line > line and (best is None or step.line < best.line):
                best = step
        return None if best is None else (best.address, False)


def _kept(table: LineTable) -> Iterator[list[Step]]:
    """Yield the steps of each sequence."""
    for sequence in table.sequences:
        rows = table.rows_of_gdb(sequence)
        steps = [
            Step(row.address, row.file, row.line, row.is_stmt, row.prologue_end) for row in rows
        ]
        yield [*steps, Step(sequence.span.end, 0, 0, True)]
