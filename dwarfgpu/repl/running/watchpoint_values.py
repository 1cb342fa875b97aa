"""The values of watchpoints, in the frames where they were set."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, shortened
from dwarfgpu.machine.target import EndsWaves
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.service.value.watched_object import Watched, code_between_bounds, text_of, watched
from dwarfgpu.service.waves.wave_frames import innermost_of
from dwarfgpu.session.frame_identity import level_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import blocks_at, readable_functions_at

_NO_CODE: Final = (0, 0)
"""The code of a watch that is looked at again as soon as its function executes."""


def look_at_written(shell: Shell) -> bool:
    """Look again at the watchpoints before the program runs on, where something was written at the
    prompt or they were disabled: as in GDB, the previous value of a stop is that which the program
    changes. Return whether there were any."""
    writes = shell.session.write_count.writes
    items = [
        item
        for item in shell.breakpoints.values()
        if isinstance(item, Watchpoint) and item.is_enabled and item.writes != writes
    ]
    for item in items:
        item.writes = writes
        looked_again(shell, item)
    return bool(items)


def looked_again(
    shell: Shell, item: Watchpoint, *, returns_to: int | None = None
) -> tuple[str, str] | None:
    """Return the previous and the current value of a watchpoint, and remember the latter; None if
    the value is unchanged, or missing at this location.

    In a function that the one of the expression calls (`returns_to`: from where), whose callers
    are not found, the object is read where it was; a pointer or an index that leads to it counts
    after the return. Outside of their block the variables have no value, in a call from there
    neither, and no access is theirs.

    An entry of a location list does not describe an inactive lane whose own program location is
    unknown: its value counts when it is active again.
    """
    before, text = item.watched.value, item.text
    session = frame_of_watched(shell, item, is_in_call=returns_to is not None)
    now = None if session is None else _evaluated(shell, item, session)
    if now is not None:
        code = now.code if item.frame is not None else None
        item.watch = evolve(item.watch, bytes=now.bytes, code=code)
        if now.is_optimized_out or (now.code is not None and session and session.is_unlocated):
            return None
    elif session is not None and None not in (item.expression, item.frame):
        code = code_between_bounds(session.pc, item.watched.variables)
        item.watch = evolve(item.watch, code=code)
        return None
    else:
        if None not in (item.expression, item.frame):
            item.watch = evolve(item.watch, code=_NO_CODE)
            is_left = returns_to is not None and not _is_in_block(shell, item, returns_to - 1)
            if is_left or item.is_in_registers:  # which the callee may use for something else
                return None
        now = evolve(item.watched, value=item.watched.now(shell.session))
    item.watched = now
    options = shell.settings.format_options()
    item.text = text_of(now.value, session or shell.session, options)
    if item.expression is None and _is_left(shell, item, returns_to):
        return None
    is_same = now.value.bits == before.bits and item.text == text
    return None if is_same and item.expression is not None else (text, item.text)


def note_unknown_value(shell: Shell, text: str, error: DwarfGpuError) -> None:
    """Say why a watched expression has no value."""
    why = error_line(error)
    shell.console.note(f"the value of {shortened(text)} is not known here: {why}")


def _evaluated(shell: Shell, item: Watchpoint, session: Session) -> Watched | None:
    """Return the expression of the same variables; None where they cannot be looked up."""
    if item.expression is None:
        return None
    options = options_of(session, shell.values, writes=False)
    try:
        now = watched(session, item.expression, options)
    except DwarfGpuError:
        return None
    before = [variable.die.offset for variable in item.watched.variables]
    after = [variable.die.offset for variable in now.variables]
    if item.watched.value.error or now.value.error:  # which may be of the first variable
        count = min(len(before), len(after))
        before, after = before[:count], after[:count]
    return now if before == after else None


def frame_of_watched(shell: Shell, item: Watchpoint, *, is_in_call: bool) -> Session | None:
    """Return the frame in which a watchpoint was set, as it is now; None if it is not known."""
    session = shell.session.top or shell.session
    wave, lane = item.session.wave, item.session.lane
    if wave != session.wave:
        if isinstance(session.target, EndsWaves) and session.target.has_ended(wave):
            return None
        session = innermost_of(session, wave)
    try:
        if item.frame is not None and (is_in_call or not _is_in_function(item, session)):
            level = level_of(session, item.frame, first=1)
            if level is None:
                return None
            session = session.at_level(level)
        functions = readable_functions_at(session)
        if item.of_function in functions:
            session = evolve(session, inline_level=functions.index(item.of_function))
        return session if lane is None else session.focused(lane)
    except DwarfGpuError:
        return None


def _is_in_block(shell: Shell, item: Watchpoint, pc: int) -> bool:
    """Return whether a location in the function of the watched variables is in their block."""
    top = shell.session.top or shell.session
    there = evolve(top, pc=pc, not_entered=0, inline_level=0)
    return item.block is None or item.block in blocks_at(there)


def _is_left(shell: Shell, item: Watchpoint, returns_to: int | None) -> bool:
    """Return whether an access was made while the function of the watched variables was outside of
    their block: by the instruction before the program location, in a call, or by another wave."""
    session, wave = shell.session.top or shell.session, item.session.wave
    if returns_to is not None:
        return not _is_in_block(shell, item, returns_to - 1)
    is_own = wave == session.wave
    if not is_own:
        if isinstance(session.target, EndsWaves) and session.target.has_ended(wave):
            return False
        session = innermost_of(session, wave)
    if session.pc is None or not _is_in_function(item, session):
        return False
    return not _is_in_block(shell, item, session.pc - is_own)


def _is_in_function(item: Watchpoint, session: Session) -> bool:
    """Return whether the innermost frame is of the function whose variables are watched: without
    known callers, that of a function that it calls has the same depth."""
    scope = item.watch.scope
    ranges = () if scope is None else scope.ranges
    return not ranges or any(
        begin <= session.pc < end for begin, end in ranges if session.pc is not None
    )
