"""Commands that run the program: for a backend with run control (`dwarfgpu.machine.target.Runs`).

Law: a stop is reported as in GDB, and then in focus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from attrs import evolve

from dwarfgpu.errors import DwarfGpuError, LimitExceeded, MissingContext, UsageError
from dwarfgpu.language.linespec import body_of, line_at
from dwarfgpu.machine.target import Halt, StepsRanges
from dwarfgpu.machine.undo import RecordedTarget
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, command
from dwarfgpu.repl.data.displays import displayed
from dwarfgpu.repl.files.listing import source_line
from dwarfgpu.repl.open_files import wave_names
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.running.breakpoints import NOT_RUNNING, can_run, located, runner
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.waves.threads import focus_on
from dwarfgpu.service.frame.focus import focused_frame_line
from dwarfgpu.service.frame.stack_frame import frame_record
from dwarfgpu.service.value.value_history import holds
from dwarfgpu.session.backtrace import FramePosition, frame_of, place_of, selected_number
from dwarfgpu.session.session import Session
from dwarfgpu.view.coverage import runs_text
from dwarfgpu.view.frame_style import frame_number
from dwarfgpu.view.json_object import JsonObject

MAX_INSTRUCTIONS: Final = 1_000_000
"""Executed for one `step`, `next` or `finish`."""
_MAX_DEEP: Final = 10_000
NOT_RUN: Final = "The program is not being run."
NO_PROCESS: Final = "You can't do that without a process to debug."
_COUNT: Final = re.compile(r"[0-9]{1,6}")


def _count(argument: str) -> int:
    if argument and not _COUNT.fullmatch(argument):
        raise UsageError(f"A count of times is needed, not {argument}.")
    return int(argument or 1)


def _focus_on_stop(shell: Shell, halt: Halt) -> None:
    """Focus on the wave or thread that stopped."""
    target = shell.session.target
    if isinstance(target, RecordedTarget):  # what was written before cannot be taken back now
        target.done.clear()
        target.undone.clear()
    if halt.wave is None:
        _end_of_program(shell)
        return
    threads = wave_names(shell.session)
    if threads or not shell.machine.threads:
        shell.know_threads(threads or {halt.wave: f"Thread {halt.wave}"})
    lane = shell.session.lane if halt.wave == shell.session.wave else None
    focus_on(shell, halt.wave)
    if lane is not None and (halt.reason == "end-stepping-range" or _is_active(shell, lane)):
        shell.session = shell.session.focused(lane)


def _end_of_program(shell: Shell) -> None:
    """There is no wave or thread any more; memory can still be read."""
    shell.know_threads({})
    top = shell.session.top or shell.session
    shell.session = evolve(top, pc=None, lane=None, top=None, level=0, inline_level=0)


def _is_active(shell: Shell, lane: int | None) -> bool:
    """Whether a lane of the wave in focus executes; of a CPU there is only one."""
    session = shell.session
    if lane is None or not session.architecture.is_simt:
        return True
    mask = session.active_lanes()[0]
    return mask is None or bool(mask >> lane & 1)


def _addresses(shell: Shell) -> frozenset[int]:
    return frozenset(pc for stop in shell.breakpoints.values() for pc in stop.addresses)


def _hit(shell: Shell, halt: Halt) -> Breakpoint | None:
    """The breakpoint at which the wave in focus is."""
    if halt.reason != "breakpoint-hit":
        return None
    pc = shell.session.pc
    return next((stop for stop in shell.breakpoints.values() if pc in stop.addresses), None)


def _focus_text(shell: Shell) -> str:
    """Return `Thread 6, with lanes [0-63], ` on a GPU; empty for the only thread of a CPU."""
    session = shell.session
    if not session.architecture.is_simt:
        return "" if max(shell.machine.threads, default=0) < 2 else f"Thread {session.wave} hit "
    return f"Thread {session.wave} hit "


def _lanes(session: Session) -> str:
    if not session.architecture.is_simt:
        return ""
    mask, _ = session.active_lanes()
    if not mask:
        return ""
    lanes = [lane for lane in range(mask.bit_length()) if mask >> lane & 1]
    if len(lanes) == 1:
        return f", with lane {lanes[0]}"
    return f", with lanes [{runs_text(lanes).replace(',', ' ')}]"


def _stopped(shell: Shell, halt: Halt, before: tuple[object, ...] | None = None) -> Iterator[Part]:
    """Yield the report of a stop; `before` is the function that was in focus, for which the line is
    sufficient."""
    data: JsonObject = {"reason": halt.reason, "thread-id": halt.wave}
    if halt.reason == "exited":
        code = halt.exit_code or 0
        yield Output(
            f"[Inferior 1 exited {f'with code {code:02o}' if code else 'normally'}]",
            {**data, "exit-code": code},
        )
        return
    session = shell.session
    frame = frame_of(session, selected_number(session))
    style = shell.settings.frame_style()
    data["frame"] = frame_record(frame, with_arguments=True, style=style)
    hit = _hit(shell, halt)
    if hit is not None:
        kind = "Temporary breakpoint" if hit.is_temporary else "Breakpoint"
        head = f"{_focus_text(shell)}{kind} {hit.number}{_lanes(session)}, "
        yield Output(
            f"\n{head}{focused_frame_line(session, style)}",
            {**data, "bkptno": hit.number},
        )
        if hit.is_temporary:
            del shell.breakpoints[hit.number]
    elif halt.reason == "signal-received":
        name = halt.signal or "?"
        why = "." if halt.text is None else f", {halt.text}."
        has_threads = max(shell.machine.threads, default=0) > 1  # as GDB: there were several
        who = f"Thread {session.wave}" if has_threads else "Program"
        yield heading(f"\n{who} received signal {name}{why}")
        yield Output(focused_frame_line(session, style), {**data, "signal-name": name})
    elif before is not None and before == _function(session) and _place(session) is not None:
        yield Output("", data)
    else:
        yield Output(focused_frame_line(session, style), data)
    lines = list(source_line(shell, session))
    place = _place(session)
    yield from lines
    if not lines and place is not None:  # as GDB, where the source is missing
        yield heading(f"{place.line}\tin {place.file}")
    yield from displayed(shell)


def _place(session: Session) -> FramePosition | None:
    return None if session.pc is None else place_of(session, session.pc)


def _function(session: Session) -> tuple[object, ...]:
    """Return what distinguishes one call of a function from another: its entry, and its depth."""
    subprogram = session.frame.subprogram
    return (None if subprogram is None else subprogram.die, depth(session))


def depth(session: Session) -> int:
    """Return how many callers of the innermost frame are known."""
    top = session.top or session
    for level in range(1, _MAX_DEEP):
        try:
            top.at_level(level)
        except MissingContext:
            return level - 1
    return _MAX_DEEP


def _require_started(shell: Shell) -> None:
    if not can_run(shell):
        raise UsageError(NOT_RUN)
    if shell.session.pc is None:
        raise UsageError(NOT_RUN)


def _resumed(shell: Shell) -> Iterator[Part]:
    yield from _stopped(shell, _run_on(shell))


def _run_on(shell: Shell, more: frozenset[int] = frozenset()) -> Halt:
    """Resume until a breakpoint whose condition holds, one of more addresses, or the end."""
    while True:
        halt = runner(shell).resume(_addresses(shell) | more)
        _focus_on_stop(shell, halt)
        if shell.session.pc in more or not _is_to_be_passed(shell, halt):
            return halt


def _is_to_be_passed(shell: Shell, halt: Halt) -> bool:
    """Whether the wave is at a breakpoint whose condition holds in none of its active lanes.

    Where it holds in one, the first such lane is in focus then.
    """
    hit = _hit(shell, halt)
    if hit is None or not hit.condition:
        return False
    session = shell.session
    try:
        if not session.architecture.is_simt:
            return not holds(session, shell.values, hit.condition)
        mask = session.active_lanes()[0] or 0
        for lane in range(mask.bit_length()):
            if mask >> lane & 1:
                focused = session.focused(lane)
                if holds(focused, shell.values, hit.condition):
                    shell.session = focused
                    return False
    except DwarfGpuError as error:
        shell.console.note(f"Error in testing condition for breakpoint {hit.number}: {error}")
        return False
    return True


@command("run", topic="running", aliases=("r",), repeats=False)
def run(shell: Shell, argument: str) -> Iterator[Part]:
    """Start the program anew, up to the first breakpoint.

    Usage: run
    """
    backend = runner(shell)
    if argument:
        raise UsageError("The program takes its arguments from the backend, none here.")
    halt = backend.start()
    _focus_on_stop(shell, halt)
    if halt.reason != "exited" and shell.session.pc in _addresses(shell):
        halt = evolve(halt, reason="breakpoint-hit")
        if _is_to_be_passed(shell, halt):
            halt = _run_on(shell)
    elif halt.reason != "exited":
        halt = _run_on(shell)
    yield from _stopped(shell, halt)


@command("starti", topic="running", repeats=False)
def starti(shell: Shell, argument: str) -> Iterator[Part]:
    """Start the program anew, up to before its first instruction.

    Usage: starti
    """
    halt = runner(shell).start()
    _focus_on_stop(shell, halt)
    yield from _stopped(shell, halt)


@command("continue", topic="running", aliases=("c", "fg"))
def continue_(shell: Shell, argument: str) -> Iterator[Part]:
    """Go on up to the next breakpoint.

    Usage: continue [COUNT]

    COUNT is how often a breakpoint is reached.
    """
    _require_started(shell)
    for _ in range(max(_count(argument), 1) - 1):
        halt = _run_on(shell)
        if halt.reason == "exited":
            yield from _stopped(shell, halt)
            return
    yield heading("Continuing.")
    yield from _resumed(shell)


def _stepped(shell: Shell, argument: str, once: Callable[[Shell], Halt]) -> Iterator[Part]:
    """Perform a number of steps; report the last one."""
    _require_started(shell)
    before = _function(shell.session)
    halt = Halt("end-stepping-range", shell.session.wave)
    for _ in range(_count(argument)):
        before = _function(shell.session)
        halt = once(shell)
        if halt.reason != "end-stepping-range":
            break
    yield from _stopped(shell, halt, before)


def _instruction(shell: Shell) -> Halt:
    halt = runner(shell).step_instruction(shell.session.wave)
    _focus_on_stop(shell, halt)
    return halt


def _next_instruction(shell: Shell) -> Halt:
    """An instruction; what it calls runs until it returns."""
    deep = depth(shell.session)
    halt = _instruction(shell)
    if halt.reason != "end-stepping-range" or depth(shell.session) <= deep:
        return halt
    return _until_depth(shell, deep)


def _until_depth(shell: Shell, deep: int) -> Halt:
    """Run until the frames are as few as that, at the place where the call returns."""
    for _ in range(MAX_INSTRUCTIONS):
        here = depth(shell.session)
        if here <= deep:
            return Halt("end-stepping-range", shell.session.wave)
        caller = (shell.session.top or shell.session).at_level(here - deep).physical_frame
        assert caller is not None
        halt = runner(shell).resume(_addresses(shell) | {caller.pc})
        _focus_on_stop(shell, halt)
        if halt.reason != "breakpoint-hit" or _hit(shell, halt) is not None:
            return halt
    raise LimitExceeded(f"more than {MAX_INSTRUCTIONS} stops before the frame returns")


def _within_line(shell: Shell, *, over_calls: bool) -> Halt:
    """An instruction; where the machine can, all that belong to a row of the line table."""
    backend, session = runner(shell), shell.session
    if not isinstance(backend, StepsRanges) or session.pc is None:
        return _next_instruction(shell) if over_calls else _instruction(shell)
    line = line_at(session, session.pc)
    begin, end = (session.pc, session.pc) if line is None else (line.span.begin, line.span.end)
    addresses = _addresses(shell)
    halt = backend.step_range(session.wave, begin, end, addresses, over_calls=over_calls)
    _focus_on_stop(shell, halt)
    if _is_to_be_passed(shell, halt):
        return Halt("end-stepping-range", halt.wave)
    return halt


def _line(shell: Shell, *, over_calls: bool) -> Halt:
    """Until another line begins that the lane in focus executes."""
    here = _place(shell.session)
    start = (None if here is None else (here.path, here.line), _function(shell.session))
    for _ in range(MAX_INSTRUCTIONS):
        halt = _within_line(shell, over_calls=over_calls)
        if halt.reason != "end-stepping-range":
            return halt
        if not _is_active(shell, shell.session.lane):
            continue
        place = _place(shell.session)
        if place is None or not place.is_start:
            continue
        if ((place.path, place.line), _function(shell.session)) != start:
            return _past_prologue(shell, halt)
    raise LimitExceeded(f"more than {MAX_INSTRUCTIONS} instructions before another line")


def _past_prologue(shell: Shell, halt: Halt) -> Halt:
    """At the entry of a function, on to its body, as GDB stops there."""
    session = shell.session
    assert session.pc is not None
    subprogram = session.frame.subprogram
    if subprogram is None or session.pc not in {span.begin for span in subprogram.ranges}:
        return halt
    body = body_of(session, session.pc)
    for _ in range(body - session.pc):
        if shell.session.pc == body or halt.reason != "end-stepping-range":
            break
        halt = _instruction(shell)
    return halt


@command("stepi", topic="running", aliases=("si",))
def stepi(shell: Shell, argument: str) -> Iterator[Part]:
    """Execute one instruction.

    Usage: stepi [COUNT]
    """
    yield from _stepped(shell, argument, _instruction)


@command("nexti", topic="running", aliases=("ni",))
def nexti(shell: Shell, argument: str) -> Iterator[Part]:
    """Execute one instruction, and all of what it calls.

    Usage: nexti [COUNT]
    """
    yield from _stepped(shell, argument, _next_instruction)


@command("step", topic="running", aliases=("s",))
def step(shell: Shell, argument: str) -> Iterator[Part]:
    """Step until another line begins.

    Usage: step [COUNT]

    This includes a line in a called function, after its prologue.
    """
    yield from _stepped(shell, argument, lambda shell: _line(shell, over_calls=False))


@command("next", topic="running", aliases=("n",))
def next_(shell: Shell, argument: str) -> Iterator[Part]:
    """Go on until another line of this function begins.

    Usage: next [COUNT]
    """
    yield from _stepped(shell, argument, lambda shell: _line(shell, over_calls=True))


@command("finish", topic="running", aliases=("fin",))
def finish(shell: Shell, argument: str) -> Iterator[Part]:
    """Go on until the function of the frame in focus returns.

    Usage: finish
    """
    _require_started(shell)
    deep = depth(shell.session)
    level = shell.session.level
    if deep <= level:
        raise UsageError('"finish" not meaningful in the outermost frame.')
    line = focused_frame_line(shell.session, shell.settings.frame_style())
    yield heading(f"Run till exit from {frame_number(level)}{line}")
    yield from _stopped(shell, _until_depth(shell, deep - level - 1))


@command("advance", topic="running", aliases=("until", "u"), complete=completion.places)
def advance(shell: Shell, argument: str) -> Iterator[Part]:
    """Go on until a place is reached.

    Usage: advance LINE | FILE:LINE | FUNCTION | *ADDRESS
    """
    _require_started(shell)
    if not argument:
        raise UsageError("Argument required (a location).")
    addresses, _ = located(shell, argument)
    yield from _stopped(shell, _run_on(shell, frozenset(addresses)))


def _without(name: str, about: str, why: str = NOT_RUNNING) -> Command:
    """A command of GDB that no backend has the power for; `why` where nothing can run."""

    def refused(shell: Shell, argument: str) -> Iterator[Part]:
        if not can_run(shell):
            raise UsageError(why)
        yield from ()
        raise UsageError(f'"{name}" needs more than to run: no backend offers it.')

    text = f"{about}\n\nUsage: {name}\n\nGDB's; no backend of dwarfgpu offers it."
    return Command(name, text, refused, "running", repeats=False)


RUNNING: Final = (
    advance,
    continue_,
    finish,
    next_,
    nexti,
    run,
    starti,
    step,
    stepi,
    _without("start", "Start the program, and stop at its main function."),
    _without("jump", "Continue at another place.", NOT_RUN),
    _without("watch", "Stop when a value changes."),
    _without("rwatch", "Stop when a value is read."),
    _without("awatch", "Stop when a value is read or written."),
    _without("hbreak", "Set a breakpoint of the hardware."),
    _without("rbreak", "Set breakpoints at the functions of a regular expression."),
    _without("kill", "End the program.", NOT_RUN),
    _without("attach", "Attach to a running process."),
    _without("detach", "Detach from the program.", NOT_RUN),
    _without("signal", "Continue with a signal.", NOT_RUN),
    _without("return", "Let a function return.", NO_PROCESS),
)
