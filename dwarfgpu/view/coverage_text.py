"""Where a variable is described, for people: words, percentages, lines of source, a bar.

Law: nothing is rounded away. Less than all is never 100%, more than nothing is never 0%, and a
partly full cell of a bar looks neither full nor empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.address_ranges import Range, common, merged, size_bytes, without
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import CodeScope, Coverage, Description
from dwarfgpu.dwarf.scope.scope_entries import UNKNOWN_NAME, UNREADABLE_NAME
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.variable_names import shown_name
from dwarfgpu.dwarf.scope.variable_names import variable_name as full_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import Ambiguous, DwarfGpuError, LimitExceeded
from dwarfgpu.expr.context import ConstValue, ExprLoc
from dwarfgpu.view.number_runs import runs_text

MAX_ROWS: Final = 1_000
"""Ranges of one variable that are listed."""
_MAX_LINES: Final = 300_000
"""Maximum number of line table rows to read per unit."""
_FILES_WIDTH: Final = 48
"""Columns of the source lines of a range, unless one file needs more."""


@frozen
class Cells:
    """The characters of a bar."""

    full: str
    some: str
    empty: str


BLOCKS: Final = Cells("█", "▒", "░")
ASCII: Final = Cells("#", "+", ".")


def cells_for(encoding: str | None) -> Cells:
    """Return block characters if the stream can encode them."""
    try:
        "█▒░".encode(encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return ASCII
    return BLOCKS


def bar_width(columns: int) -> int:
    """Return how many cells a bar has on a screen of that width, with its share after it.

    A narrow terminal breaks the line rather than lose the bar.
    """
    return max(columns - 40, 10)


def bar(coverage: Coverage, width: int, cells: Cells = BLOCKS) -> str:
    """Return the code of the scope from its first byte to its last, without the gaps between its
    parts.

    A cell is full if all of the variable is described in all of its code. A global variable has no
    code: all cells are the same.
    """
    total = coverage.scope_bytes
    if not total:
        everywhere = coverage.code_scope is None and coverage.is_described
        return (cells.full if everywhere else cells.empty) * width
    if coverage.complete == coverage.scope:
        return cells.full * width
    if not coverage.described:
        return cells.empty * width
    full, partial, empty = cells.full, cells.some, cells.empty
    complete = _scaled(coverage.complete, coverage.scope, width)
    if coverage.described == coverage.complete:
        return "".join(
            [full if bytes_ == total else partial if bytes_ else empty for bytes_ in complete]
        )
    described = _scaled(coverage.described, coverage.scope, width)
    return "".join(
        full if complete_span == total else partial if described_span else empty
        for complete_span, described_span in zip(complete, described, strict=True)
    )


def _scaled(spans: tuple[Range, ...], scope: tuple[Range, ...], width: int) -> list[int]:
    """Return how much of each of `width` equal cells some parts of a scope fill: bytes times
    `width`, so that a full one has the bytes of the scope."""
    total = size_bytes(scope)
    out = [0] * width
    before, index, count = 0, 0, len(spans)
    for begin, end in scope:
        shift = before - begin
        while index < count and spans[index][0] < end:
            left, right = spans[index]
            first, last = (left + shift) * width, (right + shift) * width
            cell, final = first // total, (last - 1) // total
            if cell == final:
                out[cell] += last - first
            else:
                out[cell] += (cell + 1) * total - first
                out[final] += last - final * total
                for inner in range(cell + 1, final):
                    out[inner] = total
            index += 1
        before += end - begin
    return out


def percent(part: int, total: int) -> str:
    """Return `12.3%`, rounded down; `-` if the whole is 0."""
    if not total:
        return "-"
    tenths = 1000 * part // total
    return "<0.1%" if part and not tenths else f"{tenths // 10}.{tenths % 10}%"


def share(coverage: Coverage) -> str:
    """Return how much of its scope a variable is described in; of a global one whether it is at
    all."""
    if coverage.problem is not None:
        return "?"
    if coverage.code_scope is None:
        return "100.0%" if coverage.is_described else "0.0%"
    return percent(coverage.described_bytes, coverage.scope_bytes)


def spans_text(spans: Sequence[Range], most: int = 8) -> str:
    """Return `[0x1600,0x1634) [0x1650,0x17ac)`."""
    shown = " ".join(f"[{begin:#x},{end:#x})" for begin, end in spans[:most])
    return shown + (f" and {len(spans) - most} more" if len(spans) > most else "")


MAX_CALLS: Final = 32
"""Calls inlined into one another that are shown: every variable in them shows all around it."""


def function_text(code_scope: CodeScope) -> str:
    """Return `clamp, inlined into leaf at line 84`: the line of the call is in the enclosing
    function.

    Of more than `MAX_CALLS` nested calls the outer ones are counted.
    """
    *outer, inner = code_scope.functions
    out = inner.qualified_name
    for call in reversed(outer[-MAX_CALLS:]):
        line = inner.call_line  # 0 is none, as where a thunk calls
        out += f", inlined into {call.qualified_name}" + (f" at line {line}" if line else "")
        inner = call
    more = len(outer) - MAX_CALLS
    return out if more <= 0 else f"{out}, … ({more} more) in {outer[0].name}"


def variable_name(variable: Variable) -> str:
    """Return the name of a variable; a global one with its namespaces and the arguments
    of its template, where those can be read."""
    if variable.kind != "global" or variable.name in (UNKNOWN_NAME, UNREADABLE_NAME):
        return variable.name
    try:
        return shown_name(full_name(variable.die), variable.die)
    except DwarfGpuError:
        return variable.name


@frozen
class Row:
    """A range of the code of a scope, and its description."""

    span: Range | None
    """None: everywhere."""
    description: Description | None
    """None if there is none."""
    is_outside: bool = False


def rows(coverage: Coverage) -> list[Row]:
    """Return the descriptions by address, including the undescribed code of the scope.

    Neighbours with the same description are joined. At most `MAX_ROWS`, and one more if there are
    more.
    """
    out: list[Row] = []
    described = merged(
        description.bounds
        for description in coverage.descriptions
        if description.bounds is not None
    )
    for description in coverage.descriptions:
        if description.bounds is None:
            if coverage.code_scope is None:
                out.append(Row(None, description))
            here = without(coverage.scope, described)
        else:
            here = common((description.bounds,), coverage.scope)
            beyond = without((description.bounds,), coverage.scope)
            if coverage.code_scope is not None:
                out += [Row(span, description, is_outside=True) for span in beyond[:MAX_ROWS]]
        out += [Row(span, description) for span in here[:MAX_ROWS]]
        if len(out) > 64 * MAX_ROWS:
            break
    if coverage.problem is None and all(
        description.bounds for description in coverage.descriptions
    ):
        out += [Row(span, None) for span in without(coverage.scope, described)[:MAX_ROWS]]
    out.sort(key=lambda row: row.span or Range(0, 0))
    return _joined(out)[: MAX_ROWS + 1]


def _joined(rows: list[Row]) -> list[Row]:
    out: list[Row] = []
    for row in rows:
        last = out[-1] if out else None
        if (
            last is not None
            and last.span is not None
            and row.span is not None
            and last.span.end == row.span.begin
            and last.is_outside == row.is_outside
            and _source_of(last) == _source_of(row)
        ):
            out[-1] = Row(Range(last.span.begin, row.span.end), last.description, last.is_outside)
        else:
            out.append(row)
    return out


def _source_of(row: Row) -> ExprLoc | ConstValue | None:
    return None if row.description is None else row.description.source


class SourceLines:
    """The source lines of the code of a unit; an unreadable unit is reported once."""

    def __init__(self, unit: CompilationUnit) -> None:
        self.unit = unit
        self._remaining_lines = _MAX_LINES
        self.problem: DwarfGpuError | None = None
        """Why lines are missing."""

    def of(self, span: Range) -> list[tuple[str, list[int]]]:
        """Return the lines of a range as loaded: by file, each line once in order."""
        by_range: dict[int, set[int]] = {}
        if self.problem is not None:
            return []
        try:
            table = self.unit.line_table
            if table is None:
                return []
            begin, end = map(self.unit.sections.program.in_file, span)
            for row in table.rows_in(Range(begin, end)):
                self._remaining_lines -= 1
                if not self._remaining_lines:
                    raise LimitExceeded(f"more than {_MAX_LINES} rows of the line table are needed")
                if row.line:
                    by_range.setdefault(row.file, set()).add(row.line)
            return [
                (table.file(number).name.rsplit("/", 1)[-1], sorted(lines))
                for number, lines in by_range.items()
            ]
        except DwarfGpuError as error:
            self.problem = error
            return []

    def text(self, span: Range) -> str:
        """Return `t.hip:14-16,19`; of many files only the unit's own and the first ones.

        Optimized code of C++ has lines of a dozen headers in one range.
        """
        files = self.of(span)
        texts = [f"{file}:{runs_text(lines)}" for file, lines in files]
        order = sorted(range(len(files)), key=lambda index: files[index][0] != self._own_file)
        shown: list[int] = []
        room = _FILES_WIDTH
        for index in order:
            room -= len(texts[index]) + 1
            if shown and room < 0:
                break
            shown.append(index)
        rest = [] if len(shown) == len(texts) else ["…"]
        return " ".join([texts[index] for index in sorted(shown)] + rest)

    @cached_property
    def _own_file(self) -> str:
        try:
            return self.unit.primary_file.rsplit("/", 1)[-1]
        except DwarfGpuError:
            return ""  # its name is reported elsewhere


@frozen
class Line:
    """A range of a variable's scope, to be shown."""

    where: str
    """`[0x1600,0x1634)`."""
    lines: str
    """Source lines."""
    description: str
    span: Range | None = None
    registers: tuple[str, ...] = ()
    """Of a cubin: where in it which machine registers hold the variable."""


def undescribed(variable: Variable, code_objects: Iterable[CodeObject]) -> str:
    """Return where the symbol of a variable is that nothing describes, why that is not known, or
    why it is optimized out."""
    from dwarfgpu.dwarf.scope.symbols_by_name import symbol_of_variable  # few variables need it

    symbol = None
    if variable.kind == "global" and variable.location is None:
        try:
            symbol = symbol_of_variable(code_objects, variable)
        except Ambiguous as error:
            return error.message
    if symbol is None:
        from dwarfgpu.dwarf.scope.thread_statics import why_not_known  # few variables need it

        return why_not_known(variable) or f"optimized out: {variable.why_without_location}"
    if symbol.thread_local_in is not None:
        return f"no location: its symbol is at offset {symbol.address:#x} in thread-local storage"
    return f"no location: its symbol is at {symbol.address:#x}"


def coverage_lines(
    coverage: Coverage,
    arch: Architecture | None,
    source: SourceLines,
    *,
    with_operations: bool = True,
) -> Iterator[Line]:
    """Yield the descriptions by address: in words, with the operations unless the words suffice."""
    # A list of all variables of a file has no words.
    from dwarfgpu.view.location_sentence import description_text, description_words

    variable = coverage.variable
    not_known = None
    if variable.location is None:
        from dwarfgpu.dwarf.scope.thread_statics import why_not_known  # most have a location

        not_known = why_not_known(variable)
    for count, row in enumerate(rows(coverage)):
        if count == MAX_ROWS:
            yield Line("…", "", "more ranges are omitted")
            return
        words = not_known or "optimized out"
        if row.description is not None:
            words = "" if with_operations else description_words(row.description, arch, variable)
            words = words or description_text(row.description, arch, variable)
        if row.span is None:
            yield Line("everywhere", "", words)
            continue
        outside = "outside the scope: " if row.is_outside else ""
        lines = source.text(row.span)
        registers: tuple[str, ...] = ()
        if variable.unit.sections.program.loaded.machine == "CUDA":
            registers = _machine_registers(row, row.span, variable.unit)
        yield Line(spans_text([row.span]), lines, outside + words, row.span, registers)


def _machine_registers(row: Row, span: Range, unit: CompilationUnit) -> tuple[str, ...]:
    """Return the machine registers in a range of code, or why they are unknown."""
    from dwarfgpu.view.machine_registers import allocated_text, machine_registers  # few files

    try:
        return tuple(map(allocated_text, machine_registers(row.description, span, unit)))
    except DwarfGpuError as error:
        return (f"machine registers: {error}",)
