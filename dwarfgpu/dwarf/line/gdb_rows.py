"""The rows of a line table that GDB keeps, for breakpoints, `list` and `info line`, without its
loss of lines.

Of several rows at one address the last one counts, but a statement counts before later rows that
are not statements.

Law: they are packed, because a table has millions of rows.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Set
from typing import Final, NamedTuple

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.dwarf.line.rows import IS_STMT, LAST_LINE, PROLOGUE_END, LineMatrix

_BEGINS_NO_LINE: Final = 0x80
"""The flag of the step at the end of a sequence, which has none of a row."""


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

    def __init__(self, matrix: LineMatrix, index: SpanIndex[int]) -> None:
        self._addresses, self._files = array("Q"), array("I")
        self._lines, self._flags = array("I"), array("B")
        last_end = 0
        is_ordered = True
        for (begin, end), number in index:
            self._keep(matrix, number)
            self._add(end, 0, 0, IS_STMT | _BEGINS_NO_LINE)
            is_ordered = is_ordered and begin >= last_end
            last_end = end
        if not is_ordered:
            addresses = self._addresses
            order = array("I", sorted(range(len(addresses)), key=addresses.__getitem__))
            self._addresses = array("Q", map(addresses.__getitem__, order))
            self._files = array("I", map(self._files.__getitem__, order))
            self._lines = array("I", map(self._lines.__getitem__, order))
            self._flags = array("B", map(self._flags.__getitem__, order))

    def _add(self, address: int, file: int, line: int, flags: int) -> None:
        self._addresses.append(address)
        self._files.append(file)
        self._lines.append(line)
        self._flags.append(flags)

    def _keep(self, matrix: LineMatrix, number: int) -> None:
        """Add the rows of a sequence that GDB keeps when it reads the table.

        It drops rows that continue the line and file of the row before them, beginning with the
        first of these that has a discriminator; rows at whose address the code of another file
        begins, or the sequence ends; and a row of another file that is not a statement, at an
        address that has one. The row after such a one is as if its file were another one again.

        Of the dropped rows, one is kept where a statement of another line hides the row that they
        continue: there GDB takes their code for that of the statement. It is no statement here, so
        that lines begin where they do in GDB.
        """
        order, first = matrix.sequences.order(number), len(self._addresses)
        addresses = map(matrix.rows.addresses.__getitem__, order)
        add_address, add_file = self._addresses.append, self._files.append
        add_line, add_flags = self._lines.append, self._flags.append
        last_line, last_file, is_distinguished, is_left_out = -1, -1, False, False
        last_address, has_statement, may_be_hidden = -1, False, False
        for address, registers in zip(addresses, matrix.rows.registers(order), strict=True):
            file, line, _, _, discriminator, _, flags = registers
            if address != last_address:
                last_address, has_statement = address, False
            is_stmt = flags & IS_STMT
            begins_file = is_left_out or file != last_file
            continues = file == last_file and line == last_line
            is_distinguished = discriminator != 0 or (continues and is_distinguished)
            last_line, last_file = line, file
            is_left_out = begins_file and has_statement and not is_stmt
            if is_left_out:
                continue
            if begins_file:
                self._drop_empty(first, address, file)
            is_kept = begins_file or not continues or not is_distinguished
            if is_kept:
                add_address(address)
                add_file(file)
                add_line(line)
                add_flags(flags)
                may_be_hidden = True
            elif may_be_hidden and address != self._addresses[-1]:
                may_be_hidden = False
                if self._is_last_hidden():
                    self._add(address, file, line, 0)
            has_statement = has_statement or is_stmt != 0
        self._drop_empty(first, matrix.sequences.ends[number])

    def _is_last_hidden(self) -> bool:
        """Return whether the last step begins at the address of a statement of another line, which
        counts there."""
        last = len(self._addresses) - 1
        chosen = self._chosen(last)
        return (self._lines[chosen], self._files[chosen]) != (self._lines[last], self._files[last])

    def _drop_empty(self, first: int, address: int, next_file: int | None = None) -> None:
        """Remove the last steps of a sequence, which begins with step `first`, if they are of one
        file, another one than that of the next row, and describe no address before this one."""
        addresses, files = self._addresses, self._files
        if len(addresses) == first or addresses[-1] != address:
            return
        file = files[-1]
        if file == next_file:
            return
        while len(addresses) > first and addresses[-1] == address and files[-1] == file:
            for column in (addresses, files, self._lines, self._flags):
                column.pop()

    def _step(self, index: int) -> Step:
        flags = self._flags[index]
        return Step(
            self._addresses[index],
            self._files[index],
            self._lines[index],
            bool(flags & IS_STMT),
            bool(flags & PROLOGUE_END),
        )

    def at(self, address: int) -> tuple[Step, int] | None:
        """Return the step to which an address belongs, and the address at which the next step
        begins; None where no line is known, or one below 0, for which `LineTable.line_at` raises
        the error."""
        after = bisect_right(self._addresses, address)
        if not after:
            return None
        step = self._step(self._chosen(after - 1))
        if not 0 < step.line <= LAST_LINE or after == len(self._addresses):
            return None
        return step, self._addresses[after]

    def _chosen(self, last: int) -> int:
        """Return the step that counts of those at the address of the last of them."""
        index = last
        while (
            not self._flags[index] & IS_STMT
            and index
            and self._addresses[index - 1] == self._addresses[last]
            and self._lines[index - 1]
        ):
            index -= 1
        return index if self._flags[index] & IS_STMT else last

    def prologue_end(self, begin: int, end: int, files: Set[int]) -> int | None:
        """Return the first address in a range that the code of one of these files marks as the end
        of a prologue (DW_LNS_set_prologue_end)."""
        for index in self._between(begin, end):
            if self._flags[index] & PROLOGUE_END and self._files[index] in files:
                return self._addresses[index]
        return None

    def first_line(self, begin: int, end: int, file: int) -> int | None:
        """Return the line of the first step of a file in a range; None if it has none there."""
        for index in self._between(begin, end):
            if self._lines[index] and self._files[index] == file:
                return self._lines[index]
        return None

    def is_doubled(self, step: Step) -> bool:
        """Return whether the code of several lines of its file begins at the address of a step."""
        same = self._between(step.address, step.address + 1)
        return sum(self._lines[i] != 0 and self._files[i] == step.file for i in same) > 1

    def _between(self, begin: int, end: int) -> range:
        return range(bisect_left(self._addresses, begin), bisect_left(self._addresses, end))

    def first_of(self, files: Set[int], line: int) -> Step | None:
        """Return the first statement of a line of one of these files, else that of the next line
        with code."""
        first = next(self._of_line(files, line), None) if line else None
        if first is None:
            following = self.next_line(files, line)
            first = None if following is None else next(self._of_line(files, following))
        return None if first is None else self._step(first)

    def next_line(self, files: Set[int], line: int) -> int | None:
        """Return the first line after a line on which a statement of one of these files begins.

        One below 0, which is beyond `LAST_LINE`, comes after none.
        """
        line = max(line, 0)  # rows of line 0 are of no line
        rows = zip(self._lines, self._files, self._flags, strict=True)
        later = (
            other
            for other, file, flags in rows
            if line < other <= LAST_LINE and flags & IS_STMT and file in files
        )
        return min(later, default=None)

    @cached_property
    def first_wrong(self) -> Step | None:
        """The first step, by address, whose line is below 0; None if there is none."""
        if max(self._lines, default=0) <= LAST_LINE:
            return None
        return self._step(next(i for i, line in enumerate(self._lines) if line > LAST_LINE))

    def addresses_of(self, files: Set[int], line: int) -> Iterator[int]:
        """Yield where statements of a line of one of these files begin."""
        return (self._addresses[index] for index in self._of_line(files, line))

    def _of_line(self, files: Set[int], line: int) -> Iterator[int]:
        """Yield the steps that are statements of a line of one of these files, by address."""
        index = -1
        while True:
            try:
                index = self._lines.index(line, index + 1)
            except ValueError:
                return
            is_statement = self._flags[index] & (IS_STMT | _BEGINS_NO_LINE) == IS_STMT
            if is_statement and self._files[index] in files:
                yield index
