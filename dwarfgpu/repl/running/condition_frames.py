"""The frame in which the condition of a watchpoint is evaluated.

Law: a name in it is the variable that it was where the condition was set; as in GDB, of the
innermost frame in its block, from the frame of the watched variables on. Where that frame is not
known, nothing is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.repl.running.watchpoint import ConditionNames, Watchpoint
from dwarfgpu.repl.running.watchpoint_values import frame_of_watched
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.expression_block import block_of, frame_in_block, named_variables
from dwarfgpu.service.value.suspended_frame import suspended_frame
from dwarfgpu.service.value.watched_object import code_between_bounds
from dwarfgpu.session.session import Session


def names_of(shell: Shell, session: Session, text: str) -> ConditionNames | None:
    """Return what the names of a condition are in a frame; None without variables."""
    variables = named_variables(session, shell.values, text) if text else ()
    return ConditionNames(session, variables, block_of(session, variables)) if variables else None


def frame_of_condition(shell: Shell, item: Watchpoint, returns_to: int | None) -> Session | None:
    """Return the session that evaluates the condition at a stop; None if there is none.

    `returns_to`: where a call returns that the function of the watched variables has made.
    """
    names = item.condition_names
    if names is None:
        return shell.session
    if names.block is None:
        return _with_names(shell, item.condition, names, shell.session)
    start = shell.session.top or shell.session
    if item.frame is not None and item.session.wave == start.wave:
        frame = frame_of_watched(shell, item, is_in_call=returns_to is not None)
        if frame is None and returns_to is not None:
            frame = suspended_frame(start, returns_to, item.watched.frame_registers)
        if frame is None:
            return None
        start = frame
    for outer in _outwards(start):
        inner = frame_in_block(outer, names.block)
        if inner is not None:
            return _with_names(shell, item.condition, names, inner)
    return None


def _outwards(session: Session) -> Iterator[Session]:
    """Yield a frame and those around it, without the functions that are inlined there."""
    yield session
    level = session.level
    while True:
        level += 1
        try:
            outer = session.at_level(level)
        except DwarfGpuError:
            return
        yield outer


def _with_names(shell: Shell, text: str, names: ConditionNames, frame: Session) -> Session | None:
    """Return a frame with the names of where the condition was set, if it has others; None if the
    locations of the variables depend on where the frame is."""
    if _entries(named_variables(frame, shell.values, text)) == _entries(names.variables):
        return frame
    if _has_bounds(names.session, names.variables):
        return None
    inline_level = names.session.inline_level
    return evolve(frame, pc=names.session.pc, top=frame.top or frame, inline_level=inline_level)


def _entries(variables: tuple[Variable, ...]) -> list[Die]:
    return [variable.die for variable in variables]


def _has_bounds(session: Session, variables: tuple[Variable, ...]) -> bool:
    """Return whether a variable has different locations in different code."""
    local = [variable for variable in variables if variable.kind != "global"]
    return code_between_bounds(session.pc, local) is not None
