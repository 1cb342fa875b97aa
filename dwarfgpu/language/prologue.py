"""Where the body of a function begins, after its prologue: where GDB puts breakpoints of functions.

By GDB's rules, in this order: assembler code has no prologue; location lists of GCC are right from
the entry on; the line table marks the end of the prologue (DW_LNS_set_prologue_end); on machines of
`Abi.prologue`, the instructions that set a frame pointer are the prologue; elsewhere, and where
clang made the unit, the first line of the function is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.source_lines import step_at
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.kernel_start import skipped_bytes_at
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import call_position

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.line_table import LineTable

_LLVM: Final = ("clang ", " F90 Flang ")
"""How the producers begin whose first line GDB trusts on every machine."""

_MOST_PATHS: Final = 16
"""Files of a table whose numbers are kept: one path may have thousands."""
_LISTS: Final = (dw.FORM_SEC_OFFSET, dw.FORM_LOCLISTX)
_LISTS_BEFORE_4: Final = (dw.FORM_DATA4, dw.FORM_DATA8)
"""The forms of location lists; DWARF 2 and 3 have no form of their own for them (7.5.4)."""


def body_of(session: Session, entry: int) -> int:
    """Return where the body of the function begins whose entry is given, as loaded; in a kernel,
    behind the code that its waves skip."""
    owner = code_object_at(session.code_objects, entry)
    if owner is None:
        return entry
    unit = _unit_at(owner, entry)
    if unit is not None and _is_right_from_entry(unit):
        return entry
    span = _range_at(owner, entry)
    body = None if span is None or unit is None else _marked(session, owner, unit, span)
    is_gpu = session.architecture.is_simt
    start = entry + (skipped_bytes_at(owner, entry - owner.load_address) if is_gpu else 0)
    if start > entry and span is not None and span.covers(start):
        entry, span = start, Range(start, span.end)
        if body is None and unit is not None:
            body = _marked(session, owner, unit, span)
        elif body is not None and body <= start:
            return start
    if body is None:
        body = _after_prologue_code(session, owner, unit, entry, span)
    step = step_at(session, body)
    if step is not None and step.begin != body and span is not None and step.end < span.end:
        body = step.end  # in the middle of a line
    return max(body, entry)


def after_prologue(session: Session, pc: int) -> int:
    """Return the body of a function for a program location in its prologue, otherwise the location
    itself."""
    owner = code_object_at(session.code_objects, pc)
    span = None if owner is None else _range_at(owner, pc)
    return pc if span is None else max(pc, body_of(session, span.begin))


def is_right_from_entry(session: Session, pc: int) -> bool:
    """Return whether variables at a program location are right from the entry of functions on."""
    owner = code_object_at(session.code_objects, pc)
    unit = None if owner is None else _unit_at(owner, pc)
    return unit is not None and _is_right_from_entry(unit)


def body_position(session: Session, body: int) -> FramePosition | None:
    """Return the line of the body of a function that does not begin at its entry: where an inlined
    call is the first code of the body, the line of the call; None if the line is unknown."""
    owner = code_object_at(session.code_objects, body)
    chain = () if owner is None else _chain_at(owner, body)
    call = next((die for die in chain if die.tag == dw.TAG_INLINED_SUBROUTINE), None)
    position = None if call is None else call_position(call)
    if position is not None:
        return position
    step = step_at(session, body)
    return None if step is None else step.position


def _unit_at(owner: CodeObject, pc: int) -> CompilationUnit | None:
    """Return the unit at a program location; its skeleton, which has the lines, where the split
    unit cannot be read."""
    try:
        return owner.scopes.unit_at(pc)
    except DwarfGpuError:
        return owner.scopes.linked_unit_at(pc)


def _chain_at(owner: CodeObject, pc: int) -> tuple[Die, ...]:
    """Return the scopes around a program location; none where its split unit cannot be read."""
    try:
        owner.scopes.unit_at(pc)
    except DwarfGpuError:
        return ()
    return owner.scopes.chain_at(pc)


def _range_at(owner: CodeObject, pc: int) -> Range | None:
    """Return the range of the function, not an inlined one, that covers a program location; that of
    its symbol if it has lines, but no entry (-gline-tables-only)."""
    subprogram = owner.scopes.subprogram_at(pc) if _chain_at(owner, pc) else None
    if subprogram is None:
        return _range_of_symbol(owner, pc) if owner.scopes.linked_unit_at(pc) else None
    return next((span for span in subprogram.ranges if span.covers(pc)), None)


def _range_of_symbol(owner: CodeObject, pc: int) -> Range | None:
    in_file = pc - owner.load_address
    symbols = [file.symbol_before(in_file) for file in symbol_files(owner)]
    spans = [Range(one.address, one.address + one.size_bytes) for one in symbols if one is not None]
    span = max(spans, default=None)
    if span is None or not span.covers(in_file):
        return None
    return Range(span.begin + owner.load_address, span.end + owner.load_address)


@kept_with(lambda unit: unit)
def _is_right_from_entry(unit: CompilationUnit) -> bool:
    """Return whether a unit is of assembler code, or has location lists of GCC."""
    if unit.language == dw.LANG_MIPS_ASSEMBLER:
        return True
    lists = _LISTS if unit.format.version >= 4 else _LISTS_BEFORE_4
    return "GNU" in unit.producer and any(
        attribute.name == dw.AT_LOCATION and attribute.form in lists
        for abbreviation in unit.abbreviations.values()
        for attribute in abbreviation.attributes
    )


def _marked(session: Session, owner: CodeObject, unit: CompilationUnit, span: Range) -> int | None:
    """Return the end of the prologue that the line table marks in a function."""
    first, table = step_at(session, span.begin), unit.line_table
    if first is None or table is None:
        return None
    begin, end = owner.info.in_file(span.begin), owner.info.in_file(span.end)
    marked = table.gdb_steps.prologue_end(begin, end, _numbers_of(table, first.position.path))
    return None if marked is None else unit.relocate(marked)


@kept_with(lambda table, path: table, _MOST_PATHS)
def _numbers_of(table: LineTable, path: str) -> frozenset[int]:
    """Return the numbers of the files of a table that have a path: thousands of functions of one
    file may ask."""
    return frozenset(file.number for file in table.files_named(path) if file.path == path)


def _after_prologue_code(
    session: Session,
    owner: CodeObject,
    unit: CompilationUnit | None,
    entry: int,
    span: Range | None,
) -> int:
    prologue = session.architecture.abi.prologue
    if prologue is None or (unit is not None and unit.producer.startswith(_LLVM)):
        after = None if span is None else _after_first_line(session, owner, span)
        if after is not None or prologue is None:
            return entry if after is None else after
    from dwarfgpu.arch.x86_prologue import head_of  # not of GPUs

    def code(offset: int, most_bytes: int) -> bytes:
        begin = entry + offset
        end = span.end if span is not None and span.covers(begin) else begin + most_bytes
        sizes = range(min(most_bytes, end - begin), 0, -1)  # the code may end before
        in_file = begin - owner.load_address
        return next(filter(None, (owner.file.memory_bytes(in_file, size) for size in sizes)), b"")

    return entry + head_of(prologue, code).body


def _after_first_line(session: Session, owner: CodeObject, span: Range) -> int | None:
    """Return where the code after the first line of a function begins; None if the function is all
    on one line. Earlier lines that follow are of the prologue, too: a compiler moved them."""
    line = step_at(session, span.begin)
    if line is None:
        return None
    if line.begin == span.begin and line.is_doubled:
        return span.begin  # the line of an empty prologue
    if line.end >= span.end:
        return None
    while line.end < span.end:
        following = step_at(session, line.end)
        if (
            following is None
            or following.position.line >= line.position.line
            or following.position.path != line.position.path
            or _is_inlined(owner, line.end)
        ):
            break
        line = following
    return line.end if line.end < span.end else line.begin


def _is_inlined(owner: CodeObject, pc: int) -> bool:
    functions = [die for die in _chain_at(owner, pc) if die.tag in FUNCTIONS]
    return len(functions) > 1
