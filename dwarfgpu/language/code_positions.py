"""Source lines for scripts: from a program location to its line and inlined functions, from a line
to its code, and every row of the line tables.

Law: program locations go in and come out as loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import integer
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.names.function_names import name_in_frames
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS, file_of
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_name
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.linespec import code_locations_of, require_line, with_code
from dwarfgpu.session.session import Session

_READ_ONLY: Final = Options(read_only="assignments are not possible in a location", is_closed=True)
_MAX_LISTED: Final = 8


@frozen
class SourcePosition:
    """A function and the source line in it."""

    function: str | None
    """As in call frames; None if neither debug information nor a symbol names it."""
    file: str | None
    """The path; None if the line is unknown."""
    line: int | None
    """From 1; None if unknown."""
    column: int | None
    """From 1; None if unknown."""


@frozen
class CodePosition:
    """A program location and the source that it is from."""

    pc: int
    """As loaded."""
    positions: tuple[SourcePosition, ...]
    """The innermost inlined function first, then its call site, outwards to the function with the
    code. At least one."""
    span: Range | None = None
    """The code of the row that describes the program location; None if the line is unknown."""

    @property
    def function(self) -> str | None:
        """The function of the innermost position."""
        return self.positions[0].function

    @property
    def file(self) -> str | None:
        """The file of the innermost position."""
        return self.positions[0].file

    @property
    def line(self) -> int | None:
        """The line of the innermost position."""
        return self.positions[0].line

    @property
    def column(self) -> int | None:
        """The column of the innermost position."""
        return self.positions[0].column


@frozen
class LineEntry:
    """A row of a line table (DWARF 5 6.2.2)."""

    address: int
    """As loaded."""
    file: str | None
    """The path; None at the end of a sequence."""
    line: int
    """From 1; 0 for code that no line describes."""
    column: int
    """From 1; 0 if unknown."""
    is_stmt: bool
    """Whether a breakpoint on the line belongs here (`is_stmt`)."""
    discriminator: int
    is_end: bool
    """Whether the address is the first one after the code of a sequence."""


@names_wrong_arguments
def place_at(code_object: CodeObject | None, pc: int | None) -> CodePosition | None:
    """Return the source of a program location; None if it is outside of the object's code, or if
    one of them is None, as the code object of a session that is in none."""
    if code_object is None or pc is None:
        return None
    pc = integer("pc", pc)
    if not code_object.covers(pc):
        return None
    line_info = LineLookup(code_object.scopes).line_of(pc)
    row: tuple[str | None, int | None, int | None] = (None, None, None)
    if line_info is not None:
        row = (line_info.file.path, line_info.line, line_info.column or None)
    functions = [die for die in code_object.scopes.chain_at(pc) if die.tag in FUNCTIONS]
    positions: list[SourcePosition] = []
    for function in reversed(functions[1:]):
        positions.append(SourcePosition(name_in_frames(function), *row))
        row = _call_position(function)
    outermost = name_in_frames(functions[0]) if functions else None
    positions.append(SourcePosition(outermost or symbol_name((code_object,), pc), *row))
    return CodePosition(pc, tuple(positions), None if line_info is None else line_info.span)


def _call_position(inlined: Die) -> tuple[str | None, int | None, int | None]:
    """Return the file, line and column of the call of an inlined function."""
    file = file_of(inlined, dw.AT_CALL_FILE)
    return (
        None if file is None else file.path,
        inlined.integer(dw.AT_CALL_LINE) or None,
        inlined.integer(dw.AT_CALL_COLUMN) or None,
    )


@names_wrong_arguments
def code_places(
    session: Session, text: str, options: Options = _READ_ONLY
) -> tuple[CodePosition, ...]:
    """Return where the code of a place begins: `FILE:LINE`, `FUNCTION`, `FILE:FUNCTION`,
    `FUNCTION+OFFSET`, `*EXPRESSION`. Functions precede their inlined calls.

    Several for a line with code in several blocks, for an overloaded function and for an inlined
    one; empty for a line without code. `UsageError` if the file or the function is unknown.
    """
    locations = sorted(
        code_locations_of(session, text, None, options), key=lambda location: location.is_call
    )
    pcs = dict.fromkeys(pc for location in locations for pc in location.pcs)
    return tuple(position_of(session, pc) for pc in pcs)


def next_line_with_code(
    session: Session, text: str, options: Options = _READ_ONLY
) -> tuple[int, int] | None:
    """Return the first line with code after a `FILE:LINE` that has none, and where its code
    begins.

    The line is that of the row by which it is found: at its address, the file may describe
    another line, or none.
    """
    locations = code_locations_of(session, text, None, options)
    for location in locations:
        require_line(text, location)
    for after in with_code(session, locations):
        for pc in after.pcs:
            if after.position is not None:
                return after.position.line, pc
    return None


def position_of(session: Session, pc: int) -> CodePosition:
    """Return the source of a program location; without names and lines if no file has the code."""
    positions = (place_at(code_object, pc) for code_object in session.code_objects)
    unknown_position = CodePosition(pc, (SourcePosition(None, None, None, None),))
    return next((position for position in positions if position is not None), unknown_position)


def choices(text: str, positions: Sequence[CodePosition]) -> tuple[str, ...]:
    """Return which of several code locations is used: one note, or none for one location."""
    if len(positions) < 2:
        return ()
    listed = [_words(position) for position in positions[:_MAX_LISTED]]
    if len(positions) > _MAX_LISTED:
        listed.append("…")
    note = (
        f"{text} has code at {len(positions)} places: {', '.join(listed)}; "
        f"using {positions[0].pc:#x}; give an address for another one"
    )
    return (note,)


def _words(code_position: CodePosition) -> str:
    """Return `0x1618 in nest`, `0x1700 in twice inlined into nest`."""
    functions = [
        position.function for position in code_position.positions if position.function is not None
    ]
    return f"{code_position.pc:#x}" + (
        f" in {' inlined into '.join(functions)}" if functions else ""
    )


@names_wrong_arguments
def line_entries(code_object: CodeObject) -> Iterator[LineEntry]:
    """Yield every row of every line table of a file, table by table, by address in each sequence.

    Sequences that the linker dropped are skipped. Unreadable parts of a table are missing:
    `dwarfgpu check` reports why.
    """
    for unit, table in LineLookup(code_object.scopes).tables():
        rows = table.matrix.rows
        paths: dict[int, str] = {}
        for sequence in table.sequences:
            for index in sequence.order:
                row = rows[index]
                if row.file not in paths:
                    paths[row.file] = table.file(row.file).path
                yield LineEntry(
                    unit.relocate(row.address),
                    paths[row.file],
                    row.line,
                    row.column,
                    row.is_stmt,
                    row.discriminator,
                    is_end=False,
                )
            end = unit.relocate(sequence.span.end)
            yield LineEntry(end, None, 0, 0, is_stmt=False, discriminator=0, is_end=True)
