"""The frame in focus, in one line."""

from __future__ import annotations

import re

from attrs import evolve

from dwarfgpu.dwarf.names.functions import full_function_name
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.entities import Variable
from dwarfgpu.errors import DwarfGpuError, Unavailable, UndefinedBits, UsageError
from dwarfgpu.language.registers import lane_count
from dwarfgpu.language.symbols import symbol_text
from dwarfgpu.machine.sparse_memory import NOT_IN_STATE
from dwarfgpu.machine.target import Named
from dwarfgpu.service.reading_answer import variable_text
from dwarfgpu.session.backtrace import function_in_focus, place_of
from dwarfgpu.session.session import Reading, Session
from dwarfgpu.view.frame_style import DEFAULT_STYLE, FrameStyle
from dwarfgpu.view.printed import has_printer
from dwarfgpu.view.stack_line import (
    address_mark,
    frame_words,
    is_aggregate,
    marked,
    origin_of,
)
from dwarfgpu.view.values import OPTIMIZED_OUT, FormatOptions

_UNREADABLE = re.compile(
    rf"cannot access memory at address (?P<address>0x[0-9a-f]+)(?!\w|: {NOT_IN_STATE})"
)
"""Why memory of a process cannot be read; what a state file leaves out is `<unavailable>`."""


def require_frame(session: Session) -> int:
    """Where the lane in focus is; `UsageError` in GDB's words where there is no location."""
    pc = session.program_location
    if pc is None:
        raise UsageError("No frame selected.")
    return pc


def lane_numbers(session: Session) -> range:
    """The lanes of the wave; none where the architecture has none."""
    return range(lane_count(session))


def target_id(session: Session) -> str:
    """ROCgdb's name of the lane in focus; what is not known is `?`, as there.

    Agent, queue, dispatch and wave, then the lane, the work-group and the work-item.
    """
    if isinstance(session.target, Named):
        return session.target.target_id(session.wave, session.lane)
    return f"AMDGPU Lane ?:?:?:{session.wave}/{session.lane} (?,?,?)[?,?,?]"


def symbol_at(session: Session, address: int) -> str | None:
    """`nest+64`, or `nest` at its first address; where no entry describes a function, by the
    symbol. None outside every known function."""
    for code_object in session.code_objects:
        if not code_object.covers(address):
            continue
        try:
            found = code_object.scopes.subprogram_at(address)
        except DwarfGpuError:
            return None
        if found is not None:
            name = full_function_name(found.die) or found.name
            offset = address - found.ranges[0].begin
            if offset < 0:  # code that is split off, as in GDB
                own = symbol_text(session, address)
                return own if own and "+" not in own else f"{name}{offset:+}"
            return f"{name}+{offset}" if offset else name
    return symbol_text(session, address)


def frame_line(session: Session, style: FrameStyle = DEFAULT_STYLE) -> str:
    """`0x0000000000001640 in nest (limit=3) at nest.hip:12`, or `from /d/k.co`."""
    pc = frame_pc(session)
    digits = session.architecture.address_bits // 4
    code_object = session.code_object
    subprogram = session.frame.subprogram
    name = function_in_focus(session) or "??"
    arguments = variables(session, "parameter") if subprogram is not None else []
    if style.arguments == "presence":
        shown = "..." if arguments else ""
    else:
        shown = ", ".join(
            f"{argument.name}={argument_text(session, argument, style)}" for argument in arguments
        )
    place = place_of(session, pc)
    origin = origin_of(code_object) if place is None else None
    physical = session.physical_frame
    call, mark = f"{name} ({shown})", address_mark(physical)
    words = frame_words(pc, digits, call, place, origin, mark, style)
    return words + marked(physical)


def frame_pc(session: Session) -> int:
    """Where the lane in focus goes on in its frame; where it is with the wave, as `wave_pc`."""
    pc, physical = require_frame(session), session.physical_frame
    is_waiting = session.level and pc == session.pc
    return physical.pc if is_waiting and physical is not None else pc


def wave_pc(session: Session) -> int | None:
    """Where the frame in focus goes on: an outer one after the call, as GDB shows it."""
    physical = session.physical_frame
    return physical.pc if session.level and physical is not None else session.pc


def variables(session: Session, kind: str) -> list[Variable]:
    """The variables of a kind that belong to the function in focus."""
    require_frame(session)
    level = session.inline_level
    return [
        variable
        for variable in session.variables()
        if variable.kind == kind and variable.inline_level == level
    ]


def argument_text(session: Session, variable: Variable, style: FrameStyle) -> str:
    """The value of an argument in a frame's line."""
    if style.arguments == "none":
        return "..."
    is_short = style.arguments == "scalars"
    return contents(session, session.read(variable), style.options, scalars_only=is_short)


_DEFAULT = FormatOptions()


def contents(
    session: Session,
    reading: Reading,
    options: FormatOptions = _DEFAULT,
    *,
    scalars_only: bool = False,
) -> str:
    """A variable's value, or in its place why there is none; as GDB lists variables.

    There a pointer is without its type, and among the arguments of a frame an aggregate is `...`.
    """
    if isinstance(reading.failure, UndefinedBits):
        return "..." if scalars_only and is_aggregate(reading.type) else OPTIMIZED_OUT
    if scalars_only and isinstance(reading.failure, Unavailable):
        return "<unavailable>"  # a backtrace has one line for a frame; `eval` tells why
    if reading.failure is not None:
        return f"<error reading variable {reading.variable.name} ({reading.failure})>"
    if reading.pointer is not None:
        return "<synthetic pointer>"
    bits = reading.bits
    assert bits is not None
    unreadable = next(filter(None, map(_UNREADABLE.match, bits.reasons)), None)
    if bits.unavailable and unreadable is not None:
        error = f"Cannot access memory at address {unreadable['address']}"
        if scalars_only:  # the frame's line has the name already
            return f"<error reading variable: {error}>"
        return f"<error reading variable {reading.variable.name} ({error})>"
    if scalars_only:
        options = evolve(options, summary=True)
        if is_aggregate(reading.type) and not has_printer(reading.type, options):
            return "..."
    text = variable_text(reading, session, options)
    variable = reading.variable
    cplusplus, style = options.language or (variable.unit.is_cplusplus, variable.unit.style)
    return text.removeprefix(f"({type_name(variable.type, cplusplus=cplusplus, style=style)}) ")
