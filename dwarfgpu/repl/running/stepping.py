"""How far a step goes: instructions, lines, calls and returns, for the lane in focus."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.language.prologue import body_of
from dwarfgpu.language.source_lines import line_at
from dwarfgpu.machine.run_control import Halt, ResumesCalls, StepsRanges
from dwarfgpu.machine.target import EndsWaves
from dwarfgpu.repl.running.conditions import is_active
from dwarfgpu.repl.running.runner import addresses, runner
from dwarfgpu.repl.running.stops import Stop, source_position, stop_of
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.waves.thread_commands import focus_on
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.followed_calls import FollowedCalls, is_at_entry
from dwarfgpu.session.frame_identity import (
    FrameIdentity,
    ReturnPoint,
    identity_of,
    level_of,
    return_point_of,
)
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import before_inlined, entered_but, readable_functions_at

MAX_INSTRUCTIONS: Final = 1_000_000
"""Executed for one `step`, `next` or `finish`."""
_Line: TypeAlias = tuple[tuple[str, int] | None, list[int]]
"""A line and the functions of its code, by which the end of a step is recognised."""


def stepped_here(shell: Shell) -> Stop:
    """Return the result of a step that ends at the focus."""
    return Stop(Halt("end-stepping-range", shell.session.wave))


def resumed(
    shell: Shell,
    more: frozenset[int] = frozenset(),
    is_enough: Callable[[Session], bool] = lambda session: True,
) -> Stop:
    """Run until a breakpoint stops the program, the wave in focus reaches one of more addresses
    where that is enough, or the end.

    What is passed over does not change the lane in focus, which may be inactive there.
    """
    session = shell.session
    while True:
        halt = runner(shell).resume(addresses(shell) | more)
        stop = stop_of(shell, halt)
        if stop is not None:
            return stop
        is_here = halt.wave == session.wave and halt.reason == "breakpoint-hit"
        if is_here and shell.session.pc in more and is_enough(shell.session):
            is_other = shell.session.lane != session.lane
            return Stop(evolve(halt, reason="location-reached"), is_other=is_other)
        _focus_again(shell, session)


def _focus_again(shell: Shell, before: Session) -> None:
    """Focus on a wave and lane that were in focus, unless the wave has ended."""
    target = runner(shell)
    if isinstance(target, EndsWaves) and target.has_ended(before.wave):
        return
    focus_on(shell, before.wave)
    if before.lane is not None:
        shell.session = shell.session.focused(before.lane)


def followed_instruction(shell: Shell) -> Stop:
    """Execute one instruction; the stop says whether that has called or returned."""
    return _followed(shell, instruction)


def followed_next_instruction(shell: Shell) -> Stop:
    """Step one instruction, over a call; the stop says whether that has returned."""
    return _followed(shell, next_instruction)


def _followed(shell: Shell, step: Callable[[Shell], Stop]) -> Stop:
    """Step once; finding the caller takes longer than the step."""
    session, pc = shell.session, shell.session.pc
    calls = FollowedCalls(session)
    stop = step(shell)
    if pc is None or not stop.is_step or shell.session.wave != session.wave:
        return stop
    passage = calls.passage(shell.session, Range(pc, pc))
    return evolve(stop, is_other_call=passage is not None)


def instruction(shell: Shell) -> Stop:
    """Execute one instruction of the wave in focus."""
    return _range(shell, 0, 0, over_calls=False)


def next_instruction(shell: Shell) -> Stop:
    """Step one instruction, over a call."""
    if isinstance(_backend(shell), StepsRanges):
        return _range(shell, 0, 0, over_calls=True)
    before = identity_of(shell.session.at_level(0))
    stop = instruction(shell)
    return _back_in(shell, before) if stop.is_step else stop


def _backend(shell: Shell) -> object:
    return runner(shell)


def _range(shell: Shell, begin: int, end: int, *, over_calls: bool) -> Stop:
    """Step an instruction, and more within a range of addresses where the machine can.

    What is hit and does not stop, such as a breakpoint whose condition is false, changes neither
    the focus nor where the step ends.
    """
    backend, before = runner(shell), shell.session
    is_over = over_calls and bool(shell.breakpoints) and not isinstance(backend, ResumesCalls)
    frame = identity_of(before.at_level(0)) if is_over else None
    while True:
        if isinstance(backend, StepsRanges):
            halt = backend.step_range(
                before.wave, begin, end, addresses(shell), over_calls=over_calls
            )
        else:
            halt = backend.step_instruction(before.wave)
        stop = stop_of(shell, halt)
        while stop is None and isinstance(backend, ResumesCalls):
            _focus_again(shell, before)
            resumed_halt = backend.resume_call(before.wave, addresses(shell))
            if resumed_halt is None:
                break
            halt = resumed_halt
            stop = stop_of(shell, halt)
        if stop is not None:
            return stop
        _focus_again(shell, before)
        if halt.wave == before.wave or shell.session.wave != before.wave:
            break
    return stepped_here(shell) if frame is None else _back_in(shell, frame)


def _back_in(shell: Shell, frame: FrameIdentity) -> Stop:
    """Run until the calls have returned that a frame has made."""
    session = shell.session
    level = level_of(session, frame)
    point = return_point_of(session.at_level(level - 1)) if level else None
    return stepped_here(shell) if point is None else until_return(shell, point)


def until_return(shell: Shell, point: ReturnPoint) -> Stop:
    """Run until a call returns, where the lane in focus stays so as at the end of any step."""
    before = shell.session
    stop = resumed(shell, frozenset({point.pc}), point.is_reached)
    if stop.halt.reason != "location-reached":
        return stop
    _focus_again(shell, before)
    return stepped_here(shell)


def note_uncertain_return(shell: Shell, point: ReturnPoint) -> None:
    """Say that deeper calls may return there, too, where nothing known distinguishes them."""
    if not point.is_certain:
        what = f"a deeper call that returns to {point.pc:#x} stops it too"
        shell.console.note(f"the stack pointer of the caller is not known: {what}")


def _within_row(shell: Shell, row: Range, *, over_calls: bool) -> Stop:
    """Step an instruction; where the machine can, all that belong to a row of the line table.

    The step also ends at the entry of the function, to which a call may have led.
    """
    if not isinstance(_backend(shell), StepsRanges):
        return next_instruction(shell) if over_calls else instruction(shell)
    subprogram = shell.session.frame.subprogram
    is_first = subprogram is not None and row.begin == subprogram.entry
    return _range(shell, row.begin + is_first, row.end, over_calls=over_calls)


def _row(session: Session) -> Range:
    """Return the code of the row of the line table at the program location; empty without one."""
    pc = session.pc or 0
    with suppress(DwarfGpuError):
        line = line_at(session, pc)
        if line is not None:
            return line.span
    return Range(pc, pc)


def line(
    shell: Shell, *, over_calls: bool, is_enough: Callable[[Session], bool] = lambda session: True
) -> Stop:
    """Step until the lane in focus begins another line at which a step ends, or calls a function
    that has lines.

    With `over_calls`, functions that are inlined into the one in focus are passed over, too. One
    that begins here, and is not entered yet, is otherwise entered without an instruction.

    As in GDB, a step ends before a call that is inlined, in the line of the call.
    """
    session = shell.session
    if session.inline_level and not over_calls and is_active(shell, session.lane):
        shell.session = entered_but(session, session.inline_level - 1)
        return stepped_here(shell)
    inlined = _functions(session)[session.inline_level :]
    start: _Line = _line_of(source_position(session)), inlined
    wave, calls, has_returned = session.wave, FollowedCalls(session), False
    for _ in range(MAX_INSTRUCTIONS):
        row = _row(session)
        stop = _within_row(shell, row, over_calls=over_calls)
        session = shell.session
        if not stop.is_step or session.wave != wave or session.pc is None:
            return stop
        passage = calls.passage(session, row)
        if not is_active(shell, session.lane):
            continue
        has_returned |= passage == "return"
        position, functions = source_position(session), _functions(session)
        here = _line_of(position), functions
        if passage == "call" and position is not None and not over_calls:
            return _past_prologue(shell, evolve(stop, is_other_call=True))
        calling = before_inlined(session)
        if calling.inline_level and functions[calling.inline_level :] == inlined:
            is_same_line = _line_of(source_position(calling)) == start[0]
            if not is_same_line and is_enough(calling):
                shell.session = calling
                return stop
            if is_same_line and not over_calls:
                shell.session = entered_but(calling, calling.inline_level - 1)
                return stop
        if over_calls and _is_inside(functions, inlined):
            continue
        is_start = position is not None and position.is_start
        if is_start and here != start and is_enough(session):
            return _past_prologue(shell, evolve(stop, is_other_call=has_returned))
        if is_start or row.covers(session.pc):
            continue
        if position is not None and session.pc != _row(session).begin:
            start, inlined = here, functions  # as in GDB: the step is in that line now
        elif passage == "return" or functions[-1:] not in ([], inlined[-1:]):
            start, inlined = (None, functions), functions
    raise LimitExceeded(f"more than {MAX_INSTRUCTIONS} instructions before another line")


def out_of_inlined(shell: Shell) -> Stop:
    """Step until the lane in focus has left the inlined function in focus."""
    session = shell.session
    wave, inlined = session.wave, _functions(session)[session.inline_level :]
    for _ in range(MAX_INSTRUCTIONS):
        stop = _range(shell, 0, 0, over_calls=True)
        if not stop.is_step or shell.session.wave != wave:
            return stop
        functions = _functions(shell.session)
        if functions[-len(inlined) :] != inlined and is_active(shell, shell.session.lane):
            shell.session = before_inlined(shell.session)
            return stop
    raise LimitExceeded(f"more than {MAX_INSTRUCTIONS} instructions before the function returns")


def _line_of(position: FramePosition | None) -> tuple[str, int] | None:
    return None if position is None else (position.path, position.line)


def _functions(session: Session) -> list[int]:
    """Return the functions at the program location, the innermost inlined one first."""
    return [die.offset for die in readable_functions_at(session)]


def _is_inside(functions: list[int], around: list[int]) -> bool:
    """Return whether code is of a function that is inlined into another one."""
    return len(functions) > len(around) > 0 and functions[-len(around) :] == around


def _past_prologue(shell: Shell, stop: Stop) -> Stop:
    """Run from the entry of a function on to its body, as GDB stops there: before the calls that
    are inlined at its beginning."""
    session = shell.session
    assert session.pc is not None
    body = body_of(session, session.pc) if is_at_entry(session) else session.pc
    for _ in range(body - session.pc):
        if shell.session.pc == body or not stop.is_step:
            break
        stop = evolve(instruction(shell), is_other_call=stop.is_other_call)
    if stop.is_step:
        shell.session = before_inlined(shell.session)
    return stop
