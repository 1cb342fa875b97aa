"""Source lines of a session's object files, and where their code begins, as loaded.

Law: as in GDB, a line has one address for each block with its code. Those of the object file in
focus come first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.calls.call_sites import TAG_GNU_CALL_SITE
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.file_table import FileTable
from dwarfgpu.dwarf.line.line_lookup import LineLookup, SourceLine
from dwarfgpu.dwarf.line.line_table import LineTable
from dwarfgpu.dwarf.loaded_code import code_object_at, code_objects_at
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.session.focused_frame import FramePosition, position_in_file
from dwarfgpu.session.session import Session

_WITHOUT_NAMES: Final = frozenset(
    (
        dw.TAG_LEXICAL_BLOCK,
        dw.TAG_INLINED_SUBROUTINE,
        dw.TAG_SUBPROGRAM,
        dw.TAG_CALL_SITE,
        TAG_GNU_CALL_SITE,
    )
)
"""Entries in a lexical block that declare nothing in it."""


def has_file(session: Session, name: str) -> bool:
    """Return whether a unit is of a source file."""
    return any(lines.has_file(name) for lines in line_lookups(session))


@frozen
class LineStep:
    """The line of a program location and its surrounding code, as GDB reports it."""

    position: FramePosition
    begin: int
    """As loaded, as is the end."""
    end: int
    file: int
    """The number of its file in the line table."""
    is_doubled: bool
    """Whether the code of another line of the file begins at the same address."""


def step_at(session: Session, pc: int) -> LineStep | None:
    """Return the step of the line at a program location; None if the line is unknown."""
    owner = code_object_at(session.code_objects, pc)
    unit = None if owner is None else owner.scopes.linked_unit_at(pc)
    table = None if unit is None else unit.line_table
    if owner is None or unit is None or table is None:
        return None
    steps = table.gdb_steps
    address = owner.info.in_file(pc)
    line_step = steps.at(address)
    if line_step is None:
        return None
    step, end = line_step
    position = position_in_file(table.file(step.file), step.line, is_start=True)
    span = _within_function(owner, unit, table, address, Range(step.address, end))
    begin, end = unit.relocate(span.begin), unit.relocate(span.end)
    is_doubled = span.begin == step.address and steps.is_doubled(step)
    return LineStep(position, begin, end, step.file, is_doubled)


def _within_function(
    owner: CodeObject, unit: CompilationUnit, table: LineTable, address: int, step: Range
) -> Range:
    """Return the part of a step, in the file, with an address: the step may go on in the next
    function, where a row begins, if GDB drops rows with discriminators. Padding between functions
    is of the first one. The step is unchanged if the functions of the unit cannot be read."""
    try:
        begins = owner.scopes.subprogram_begins(unit)
    except DwarfGpuError:
        return step
    after = bisect_right(begins, address)
    first = bisect_right(begins, step.begin, hi=after)
    end = bisect_left(begins, step.end, lo=after)
    before = (begins[index] for index in range(after - 1, first - 1, -1))
    following = (begins[index] for index in range(after, end))
    return Range(
        next((begin for begin in before if _begins_row(table, begin)), step.begin),
        next((begin for begin in following if _begins_row(table, begin)), step.end),
    )


def _begins_row(table: LineTable, address: int) -> bool:
    try:
        row = table.line_at(address)
    except DwarfGpuError:
        return False
    return row is not None and row[1].begin == address


def position_at(session: Session, pc: int) -> FramePosition | None:
    """Return the file and line at a program location; None if they are unknown."""
    step = step_at(session, pc)
    return None if step is None else step.position


def why_no_line(session: Session, pc: int) -> str | None:
    """Return why the line of a program location cannot be read; None where it can, and where the
    files describe none."""
    for code_object in code_objects_at(session.code_objects, pc):
        try:
            LineLookup(code_object.scopes).line_of(pc)
        except DwarfGpuError as error:
            return f"the line of {pc:#x} cannot be read: {error}"
    return None


def starts_of(session: Session, position: FramePosition) -> tuple[int | None, ...]:
    """Return where the first code of a line begins, else that of the next line with code, for each
    table with the file, also of libraries; None if no code follows.

    The next line is that of all tables: a header may have code in some of them only. As in GDB, a
    table with code, but not of that line, has the address of the first one that has it, if it has
    the same name for the file. The units that gcc describes before -flto have no code. `IllFormed`
    where no table has code of the line, and one has a line below 0.
    """
    return tuple(start for _, start in _starts_by_table(session, position))


def start_in_own_table(session: Session, position: FramePosition) -> int | None:
    """Return, of the addresses of `starts_of`, that for the table with the position."""
    starts = _starts_by_table(session, position)
    own = (start for table, start in starts if table is position.source.table)
    return next(own, starts[0][1] if starts else None)


def _starts_by_table(
    session: Session, position: FramePosition
) -> list[tuple[FileTable, int | None]]:
    named_files = [
        (unit, table, table.gdb_steps.first_of(numbers, position.line), named)
        for lines in line_lookups(session)
        for unit, table, named in lines.tables_with(position.path)
        if (
            numbers := frozenset(
                source_file.number for source_file in named if source_file.path == position.path
            )
        )
    ]
    lines_with_code = [step.line for _, _, step, _ in named_files if step is not None]
    best = min(lines_with_code, default=None)
    shown_name = position.source.shown_name
    if best != position.line:
        wrong = next((wrong for _, table, *_ in named_files if (wrong := table.wrong_line)), None)
        if wrong is not None:
            raise wrong
    starts: list[tuple[FileTable, int | None]] = [
        (table, unit.relocate(step.address) if step is not None and step.line == best else None)
        for unit, table, step, named in named_files
        if step is not None
        or (table.matrix.rows and any(file.shown_name == shown_name for file in named))
    ]
    first = next((start for _, start in starts if start is not None), None)
    return [(files, first if start is None else start) for files, start in starts]


def has_units(session: Session) -> bool:
    """Return whether a file has debugging information."""
    return any(code_object.info.units for code_object in session.code_objects)


def searched_files(session: Session) -> list[CodeObject]:
    """Return every object file, the one in focus first."""
    here = session.code_object
    return sorted(session.code_objects, key=lambda code_object: code_object is not here)


def line_lookups(session: Session) -> Iterator[LineLookup]:
    """Yield the line tables of every object file, the one in focus first."""
    return (LineLookup(code_object.scopes) for code_object in searched_files(session))


def pcs_of(session: Session, position: FramePosition) -> tuple[int, ...]:
    """Return where the code of a line begins, in the object file in focus first: as in GDB once in
    each block."""
    out: list[int] = []
    for lines in line_lookups(session):
        for file, pcs in lines.pcs_by_file(position.path, position.line):
            if file.path == position.path:
                out += _first_in_blocks(lines, pcs)
    return tuple(out)


def pcs_by_position(
    session: Session, path: str, line: int
) -> tuple[tuple[FramePosition, tuple[int, ...]], ...]:
    """Return the line in each file that the path, perhaps without leading directories, denotes,
    with what `pcs_of` returns for it."""
    positions: dict[str, FramePosition] = {}
    pcs_by_path: dict[str, tuple[int, ...]] = {}
    for lines in line_lookups(session):
        for file, pcs in lines.pcs_by_file(path, line):
            key = file.path
            positions.setdefault(key, position_in_file(file, line, is_start=True))
            pcs_by_path[key] = pcs_by_path.get(key, ()) + tuple(_first_in_blocks(lines, pcs))
    return tuple((position, pcs_by_path[key]) for key, position in positions.items())


def _first_in_blocks(lines: LineLookup, pcs: tuple[int, ...]) -> Iterator[int]:
    """Yield where a line begins in each block: where it has statements both in the code around the
    function's entry and in a part that the compiler split off (`.cold`), in the former, which runs
    first."""
    starts: dict[object, int] = {}
    around_entry: dict[Die, Range | None] = {}
    for pc in pcs:
        try:
            chain = lines.scopes.chain_at(pc)
        except DwarfGpuError:
            chain = ()
        blocks = [die for die in chain if not _is_without_names(die)]
        block: object = blocks[-1] if blocks else _unit_key(lines, pc)
        start = starts.setdefault(block, pc)
        if start != pc and chain:
            function = chain[0]
            if function not in around_entry:
                around_entry[function] = _range_of_entry(function)
            span = around_entry[function]
            if span is not None and span.covers(pc) and not span.covers(start):
                starts[block] = pc
    yield from starts.values()


def _range_of_entry(function: Die) -> Range | None:
    """Return the code around the entry of a function, as loaded."""
    subprogram = Subprogram(function)
    entry = subprogram.entry
    if entry is None:
        return None
    return next((span for span in subprogram.ranges if span.covers(entry)), None)


def _unit_key(lines: LineLookup, pc: int) -> object:
    """Return what code outside of functions is in: its unit, whose thunks are one block in GDB."""
    try:
        unit = lines.scopes.unit_at(pc)
    except DwarfGpuError:
        return pc
    return pc if unit is None else unit


def _is_without_names(die: Die) -> bool:
    """Return whether it is a lexical block that declares nothing: no block in GDB."""
    return die.tag == dw.TAG_LEXICAL_BLOCK and all(
        child.tag in _WITHOUT_NAMES for child in die.children()
    )


def line_at(session: Session, pc: int) -> SourceLine | None:
    """Return the line of a program location."""
    owner = code_object_at(session.code_objects, pc)
    return None if owner is None else LineLookup(owner.scopes).line_of(pc)
