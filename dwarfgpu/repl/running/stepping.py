"""How far a step goes: instructions, lines, calls and returns, for the lane in focus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.language.prologue import body_of
from dwarfgpu.language.source_lines import line_at
from dwarfgpu.machine.run_control import Halt, ResumesCalls, StepsRanges
from dwarfgpu.machine.target import EndsWaves
from dwarfgpu.repl.running.conditions import is_active
from dwarfgpu.repl.running.runner import addresses, runner
from dwarfgpu.repl.running.stops import Stop, function_of, source_position, stop_of
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.waves.thread_commands import focus_on
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import depth, readable_functions_at

MAX_INSTRUCTIONS: Final = 1_000_000
"""Executed for one `step`, `next` or `finish`."""


def stepped_here(shell: Shell) -> Stop:
    """Return the result of a step that ends at the focus."""
    return Stop(Halt("end-stepping-range", shell.session.wave))


def resumed(shell: Shell, more: frozenset[int] = frozenset()) -> Stop:
    """Run until a breakpoint stops the program, the wave in focus reaches one of more addresses, or
    the end."""
    session = shell.session
    while True:
        halt = runner(shell).resume(addresses(shell) | more)
        stop = stop_of(shell, halt)
        if stop is not None:
            return stop
        is_here = halt.wave == session.wave and halt.reason == "breakpoint-hit"
        if is_here and shell.session.pc in more:
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


def instruction(shell: Shell) -> Stop:
    """Execute one instruction of the wave in focus."""
    return _range(shell, 0, 0, over_calls=False)


def next_instruction(shell: Shell) -> Stop:
    """Step one instruction, over a call."""
    if isinstance(_backend(shell), StepsRanges):
        return _range(shell, 0, 0, over_calls=True)
    deep = depth(shell.session)
    stop = instruction(shell)
    if not stop.is_step or depth(shell.session) <= deep:
        return stop
    return until_depth(shell, deep)


def _backend(shell: Shell) -> object:
    return runner(shell)


def _range(shell: Shell, begin: int, end: int, *, over_calls: bool) -> Stop:
    """Step an instruction, and more within a range of addresses where the machine can.

    What is hit and does not stop, such as a breakpoint whose condition is false, changes neither
    the focus nor where the step ends.
    """
    backend, before = runner(shell), shell.session
    is_over = over_calls and bool(shell.breakpoints) and not isinstance(backend, ResumesCalls)
    deep = depth(before) if is_over else None
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
    if deep is not None and depth(shell.session) > deep:
        return until_depth(shell, deep)
    return stepped_here(shell)


def until_depth(shell: Shell, deep: int) -> Stop:
    """Run until the frames are as few as that, at the return address of the call."""
    for _ in range(MAX_INSTRUCTIONS):
        here = depth(shell.session)
        if here <= deep:
            return stepped_here(shell)
        caller = (shell.session.top or shell.session).at_level(here - deep).physical_frame
        assert caller is not None
        stop = resumed(shell, frozenset({caller.pc}))
        if stop.halt.reason != "location-reached":
            return stop
    raise LimitExceeded(f"more than {MAX_INSTRUCTIONS} stops before the frame returns")


def _within_line(shell: Shell, *, over_calls: bool) -> Stop:
    """Step an instruction; where the machine can, all that belong to a row of the line table."""
    session = shell.session
    if not isinstance(_backend(shell), StepsRanges) or session.pc is None:
        return next_instruction(shell) if over_calls else instruction(shell)
    line = line_at(session, session.pc)
    begin, end = (session.pc, session.pc) if line is None else (line.span.begin, line.span.end)
    return _range(shell, begin, end, over_calls=over_calls)


def line(
    shell: Shell, *, over_calls: bool, is_enough: Callable[[Session], bool] = lambda session: True
) -> Stop:
    """Step until the lane in focus begins another line at which a step ends.

    With `over_calls`, functions that are inlined into the one in focus are passed over, too. One
    that begins here, and is not entered yet, is otherwise entered without an instruction.
    """
    session = shell.session
    if session.inline_level and not over_calls and is_active(shell, session.lane):
        shell.session = session.at_level(0, session.inline_level - 1)
        return stepped_here(shell)
    start, inlined = _line_of(session), _functions(session)[session.inline_level :]
    wave = session.wave
    for _ in range(MAX_INSTRUCTIONS):
        stop = _within_line(shell, over_calls=over_calls)
        session = shell.session
        if not stop.is_step or session.wave != wave:
            return stop
        if not is_active(shell, session.lane):
            continue
        position = source_position(session)
        if position is None or not position.is_start or _line_of(session) == start:
            continue
        if over_calls and _is_inside(_functions(session), inlined):
            continue
        if is_enough(session):
            return _past_prologue(shell, stop)
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
            return stop
    raise LimitExceeded(f"more than {MAX_INSTRUCTIONS} instructions before the function returns")


def _line_of(session: Session) -> tuple[object, ...]:
    """Return the line and the function, by which the end of a step is recognised."""
    position = source_position(session)
    return (None if position is None else (position.path, position.line), function_of(session))


def _functions(session: Session) -> list[int]:
    """Return the functions at the program location, the innermost inlined one first."""
    return [die.offset for die in readable_functions_at(session)]


def _is_inside(functions: list[int], around: list[int]) -> bool:
    """Return whether code is of a function that is inlined into another one."""
    return len(functions) > len(around) > 0 and functions[-len(around) :] == around


def _past_prologue(shell: Shell, stop: Stop) -> Stop:
    """Run from the entry of a function on to its body, as GDB stops there."""
    session = shell.session
    assert session.pc is not None
    subprogram = session.frame.subprogram
    if subprogram is None or session.pc not in {span.begin for span in subprogram.ranges}:
        return stop
    body = body_of(session, session.pc)
    for _ in range(body - session.pc):
        if shell.session.pc == body or not stop.is_step:
            break
        stop = instruction(shell)
    return stop
