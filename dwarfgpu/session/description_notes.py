"""Notes on the description of a variable: what reading it assumes, at a program location."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final, Protocol

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import constant_excess
from dwarfgpu.dwarf.scope.nameless_functions import is_nameless
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Unspecified, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import Program, programs_at
from dwarfgpu.expr.context import ConstValue, ExprLoc
from dwarfgpu.expr.dialect.upstream_clang import notes_that_hold, unplaced
from dwarfgpu.expr.dialect.vgpr_contents import (
    assumption_notes,
    is_in_private_memory,
    register_of_address,
    registers_in_private_memory,
)
from dwarfgpu.expr.instruction import Instructions
from dwarfgpu.expr.lane_zero import lane_zero_notes
from dwarfgpu.expr.merged_types import merged_type_notes
from dwarfgpu.expr.narrow_bases import narrow_base_notes
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.expr.segments import has_zero_offset
from dwarfgpu.session.focused_frame import FocusedFrame
from dwarfgpu.session.frame import SubprogramFrame

_OF_A_PART: Final = (
    "{}: DW_AT_const_value is a number, as LLVM also writes the value of one member or element: "
    "the others may be optimized out, and its place in the object may be another one"
)


class LaneFocus(Protocol):
    """The frame and the lane in focus, and the notes on variables there."""

    @property
    def lane(self) -> int | None: ...

    @property
    def focused_frame(self) -> FocusedFrame: ...

    @property
    def known_notes(self) -> dict[Variable, tuple[str, ...]]: ...

    def lane_count(self) -> tuple[int, str | None]: ...


def assumptions(
    focus: LaneFocus, variable: Variable, frame: SubprogramFrame, pc: int | None
) -> tuple[str, ...]:
    """Return the assumptions about the focus and about the description of a variable."""
    notes = focus.known_notes.get(variable)
    if notes is None:
        count, note = focus.lane_count()
        assumed = filter(None, [variable.note, note, frame.lane_location(focus.lane).note])
        notes = (*assumed, *_notes_on_location(variable, frame, pc, count))
        if not focus.focused_frame.has_lane_pc:  # the machine does not decide where lanes are
            focus.known_notes[variable] = notes
    return tuple(dict.fromkeys([*variable.remarks, *notes]))


def _notes_on_location(
    variable: Variable, frame: SubprogramFrame, pc: int | None, lane_count: int
) -> tuple[str, ...]:
    """Return the assumptions about the description of a variable at a program location."""
    most = frame.session.limits.places
    try:
        programs = list(islice(programs_at(variable.location, pc), most + 1))
        if len(programs) > most:
            return ()  # the reading itself reports it
        return tuple(_each_note(variable, programs, frame, pc, lane_count))
    except DwarfGpuError:
        return ()  # the reading itself reports it


def _each_note(
    variable: Variable,
    programs: list[Program],
    frame: SubprogramFrame,
    pc: int | None,
    lane_count: int,
) -> Iterator[str]:
    unit, session = variable.unit, frame.session
    yield from notes_that_hold(chain.from_iterable(item.notes for item in programs), frame)
    if unit.dialect.upstream_clang and any(
        has_zero_offset(program.instructions, unit) for program in programs
    ):
        from dwarfgpu.dwarf.lds_layout import is_alone_in_lds  # for variables in LDS only

        if not is_alone_in_lds(variable):
            yield unplaced(variable.name)
        if variable.kind == "global" and is_nameless(variable.die):
            from dwarfgpu.session.own_frame import note_on_nameless  # few are so

            note = note_on_nameless(variable, frame)
            if note is not None:
                yield note
    if variable.kind != "global" and not frame.is_of(variable.function):
        from dwarfgpu.session.own_frame import require_frame_with  # most frames are of its function

        note = require_frame_with(variable.die, variable.location, frame, pc)
        if note is not None:
            yield note
    if isinstance(variable.location, ConstValue):
        yield from _notes_on_constant(variable)
    elif variable.die.has(dw.AT_CONST_VALUE) and variable.die.has(dw.AT_LOCATION):
        yield (
            f"{variable.name} has both DW_AT_location and DW_AT_const_value: its location is read"
        )
    if programs:
        yield from _notes_on_pieces(variable, programs)
        kind = strip(variable.type)
        if isinstance(kind, Unspecified) and kind.size_bytes is None:
            yield f"the type {kind.name} has no size: the bits are those of the location"
    architecture = session.architecture
    if session.widens_bases:
        for used in (*programs, *_frame_base_programs(programs, frame)):
            yield from narrow_base_notes(used.instructions, architecture, unit.dialect)
    if session.merges_signed:
        for program in programs:
            yield from merged_type_notes(program, architecture, unit, pc)
    for program in programs:
        yield from _notes_on_vector_registers(variable, program, frame)
    if lane_count > 1:
        for program in programs:
            yield from lane_zero_notes(program.instructions, size_bits(variable.type), architecture)


def register_assumptions(
    variable: Variable, frame: SubprogramFrame, pc: int | None
) -> tuple[str, ...]:
    """Return the assumptions about vector registers of a variable's description."""
    notes = dict[str, None]()
    for program in programs_at(variable.location, pc):
        notes |= dict.fromkeys(_notes_on_vector_registers(variable, program, frame))
    return tuple(notes)


def _notes_on_vector_registers(
    variable: Variable, program: Program, frame: SubprogramFrame
) -> tuple[str, ...]:
    """Return notes on what vector registers are assumed to hold, or on one that can hold only the
    address of the object."""
    instructions, session = program.instructions, frame.session
    number = None
    if instructions and instructions[0].operation.name == "bregx":
        size = described_size(variable)
        number = register_of_address(instructions, size)
    if number is None:
        if session.vgpr_holds is None:
            return _notes_on_values(variable, instructions, frame)
        return assumption_notes(instructions, session.vgpr_holds, session.architecture)
    register = session.architecture.register(number)
    memory = ""
    if is_in_private_memory(instructions):
        from dwarfgpu.dwarf.lds_layout import why_perhaps_in_lds  # few variables are so

        if why_perhaps_in_lds(frame.subprograms.outermost) is not None:
            return ()  # the error has the text
        memory = ", in private memory"
    return (
        f"upstream clang: {register} holds the address of {variable.name}{memory}: {size} bits do "
        "not fit into one lane of it",
    )


def _notes_on_values(
    variable: Variable, instructions: Instructions, frame: SubprogramFrame
) -> tuple[str, ...]:
    """Return notes on vector registers that hold the value itself, because there is no memory to
    which its address could lead."""
    numbers = registers_in_private_memory(instructions)
    if not numbers:
        return ()
    from dwarfgpu.dwarf.lds_layout import why_no_address  # few variables are so

    why = why_no_address(frame.subprograms.outermost)
    if why is None:
        return ()  # the error has the text
    architecture = frame.session.architecture
    contents = variable.name if len(numbers) == 1 else f"a part of {variable.name}"
    why = f"holds {contents} itself, not its address in private memory: {why}"
    names = (architecture.register(number).name for number in numbers)
    return tuple(f"upstream clang: {name} {why}" for name in names)


def _notes_on_constant(variable: Variable) -> tuple[str, ...]:
    """Return notes on DW_AT_const_value: where it has more bits than the object, the lowest are
    read, as in GDB; where it is a number, it may be that of a part."""
    from dwarfgpu.dwarf.scope.partial_constants import may_be_of_a_part  # few are constants

    for die in variable.die.origins():
        value = die.attribute(dw.AT_CONST_VALUE)
        if value is not None:
            size = size_bits(variable.type)
            excess = None if size is None else constant_excess(value, -(-size // 8))
            if excess is not None:
                return (f"{variable.name}: {excess}",)
            return (_OF_A_PART.format(variable.name),) if may_be_of_a_part(variable) else ()
    return ()


def _notes_on_pieces(variable: Variable, programs: Iterable[Program]) -> Iterator[str]:
    """Yield the note on pieces that are not those of the object, or that may be missing, of Go."""
    may_lack = variable.unit.language == dw.LANG_GO
    for program in programs:
        instructions = program.instructions
        has_pieces = bool(instructions) and instructions[-1].operation.name in PIECES
        if not (has_pieces or (may_lack and instructions)):
            continue
        from dwarfgpu.session.excess_pieces import note_on_pieces  # few are in pieces

        note = note_on_pieces(variable, instructions)
        if note is not None:
            yield note
            return


def _frame_base_programs(
    programs: Iterable[Program], frame: SubprogramFrame
) -> tuple[Program, ...]:
    """Return the frame base expression that other expressions use; empty if it is a list, or
    explicit."""
    names = {
        instruction.operation.name
        for program in programs
        for instruction in program.instructions.distinct
    }
    if "fbreg" not in names or not frame.has_frame_base or frame.session.given_frame_base:
        return ()
    _, attribute = frame.described_frame_base()
    if not isinstance(attribute, ExprLoc):
        return ()
    return tuple(programs_at(attribute, None))


def described_size(variable: Variable) -> int | None:
    """Return the size of a variable in bits; None if its type does not determine it."""
    try:
        return size_bits(variable.type)
    except DwarfGpuError:  # reading it reports the error
        return None
