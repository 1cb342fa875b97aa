"""`run`, `continue`, `step`, `until` and their kin: commands that let the program run, on a target
with run control (`machine.target.Runs`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.machine.run_control import Halt
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, command
from dwarfgpu.repl.files.file_commands import core_file
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.running.break_commands import set_breakpoint
from dwarfgpu.repl.running.break_locations import located
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.running.breakpoint_commands import ignore_text
from dwarfgpu.repl.running.catchpoint import Catchpoint
from dwarfgpu.repl.running.finish_commands import finish
from dwarfgpu.repl.running.jump_commands import jump
from dwarfgpu.repl.running.runner import (
    NO_PROCESS,
    NOT_RUN,
    addresses,
    arm,
    can_run,
    killer,
    leave,
    require_started,
    resuming,
    runner,
    why_not_running,
)
from dwarfgpu.repl.running.stepping import (
    followed_instruction,
    followed_next_instruction,
    instruction,
    line,
    next_instruction,
    note_uncertain_return,
    resumed,
    stepped_here,
)
from dwarfgpu.repl.running.stops import (
    Stop,
    delete_local_watchpoints,
    focus_on_stop,
    is_at_body,
    reported,
    source_position,
    stop_of,
)
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.running.watchpoint_values import looked_again
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import whole_number
from dwarfgpu.session.frame_identity import FrameIdentity, identity_of, return_point_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import (
    before_inlined,
    innermost,
    why_caller_is_unknown,
)

if TYPE_CHECKING:
    from dwarfgpu.dwarf.code_object import CodeObject

_NO_ARGUMENTS: Final = (
    "A kernel has the arguments of --arg, a backend gives the program its own: "
    "none can be given here."
)
_STARTED: Final = (
    "The program being debugged has been started already.\nStart it from the beginning?"
)


def _started(shell: Shell) -> Halt:
    """Return the program before its first instruction; at a terminal, one that runs is given up
    only after a confirmation."""
    is_asked = shell.console.is_interactive and shell.script.is_typed
    if is_asked and shell.stops and shell.session.pc is not None and not shell.confirms(_STARTED):
        raise UsageError("Program not restarted.")
    for item in shell.breakpoints.values():
        item.hits = 0
        if isinstance(item, Catchpoint):
            item.begun.clear()
    delete_local_watchpoints(shell, is_restart=True)
    arm(shell)
    halt = runner(shell).start()
    focus_on_stop(shell, halt)
    for item in shell.breakpoints.values():
        if isinstance(item, Watchpoint):
            looked_again(shell, item)
    arm(shell)
    return halt


def _run(shell: Shell) -> Iterator[Part]:
    halt = _started(shell)
    stop: Stop | None = None
    with resuming(shell, is_step=False):
        if halt.reason == "exited":
            stop = Stop(halt)
        elif shell.session.pc in addresses(shell):
            stop = stop_of(shell, evolve(halt, reason="breakpoint-hit"))
        stop = stop or resumed(shell)
    yield from reported(shell, stop)


@command("run", topic="running", aliases=("r",), repeats=False)
def run(shell: Shell, argument: str) -> Iterator[Part]:
    """Start the program, and run to the first breakpoint.

    Usage: run
    """
    runner(shell)
    if argument:
        raise UsageError(_NO_ARGUMENTS)
    yield from _run(shell)


@command("start", topic="running", repeats=False)
def start(shell: Shell, argument: str) -> Iterator[Part]:
    """Start the program, and stop in its main function.

    Usage: start

    For a dispatch, the main function is its kernel; the stop is after the prologue.
    """
    if argument:
        raise UsageError(_NO_ARGUMENTS)
    runner(shell)
    text = "main"
    if shell.session.architecture.is_simt:
        _started(shell)
        session = shell.session
        subprogram = session.frame.subprogram
        text = f"*{session.pc:#x}" if subprogram is None else subprogram.name
    yield from set_breakpoint(shell, text, is_temporary=True)
    yield from _run(shell)


@command("starti", topic="running", repeats=False)
def starti(shell: Shell, argument: str) -> Iterator[Part]:
    """Start the program, and stop at its first instruction.

    Usage: starti
    """
    stop = Stop(_started(shell))
    _leave_inlined_at_start(shell)
    yield from reported(shell, stop)
    if shell.last_stop is not None:
        shell.last_stop = evolve(shell.last_stop, halt=None, record={})


@command("continue", topic="running", aliases=("c", "fg"))
def continue_(shell: Shell, argument: str) -> Iterator[Part]:
    """Continue up to the next breakpoint.

    Usage: continue [COUNT]

    With COUNT, ignores the breakpoint that stopped the program COUNT - 1 times.
    """
    require_started(shell)
    text = "Continuing."
    if argument:
        items = _breakpoints_hit(shell)
        count = whole_number(shell.session, shell.values, argument)
        if not items:
            yield heading("Not stopped at any breakpoint; argument ignored.")
        elif count > 1:
            for item in items:
                item.ignored = count - 1
            text = f"{'.  '.join(map(ignore_text, items))}.  Continuing."
    yield heading(text)
    leave(shell)
    with resuming(shell, is_step=False):
        stop = resumed(shell)
    yield from reported(shell, stop)


def _breakpoints_hit(shell: Shell) -> list[Breakpoint]:
    """Return those that stopped the wave in focus; others at its address did not."""
    stop, listed = shell.last_stop, list(shell.breakpoints.values())
    if stop is None or stop.wave != shell.session.wave:
        return []
    return [item for item in stop.items if item in listed]


def _stepped(
    shell: Shell,
    argument: str,
    last: Callable[[Shell], Stop],
    *,
    earlier: Callable[[Shell], Stop] | None = None,
    is_line: bool = False,
) -> Iterator[Part]:
    """Perform a number of steps, fewer if the wave in focus ends; report the last one.

    `earlier`: performs those before the last one, if they need not be shown.
    """
    earlier = earlier or last
    require_started(shell)
    count = whole_number(shell.session, shell.values, argument) if argument else 1
    shell.session = _frame_of_stop(shell)
    yield from _without_lines(shell) if is_line else ()
    before: FrameIdentity | None = None
    stop, wave = stepped_here(shell), shell.session.wave
    with resuming(shell, is_step=True):
        for number in range(count):
            if number == count - 1:
                before = identity_of(shell.session)
                stop = last(shell)
            else:
                stop = earlier(shell)
            if shell.session.wave != wave:
                _leave_inlined_at_start(shell)
            if not stop.is_step or shell.session.wave != wave:
                break
    yield from reported(shell, stop, before)


def _leave_inlined_at_start(shell: Shell) -> None:
    """Focus on the kernel where a wave is at its first instruction, before calls that are inlined
    there."""
    if is_at_body(shell.session, ()):
        shell.session = before_inlined(shell.session)


def _frame_of_stop(shell: Shell) -> Session:
    """Return the session in the frame in which steps begin, whatever is selected: frame 0."""
    top = shell.session.top or shell.session
    is_new = shell.last_stop is None and is_at_body(top, ())
    return before_inlined(top) if is_new else innermost(top)


@command("stepi", topic="running", aliases=("si",))
def stepi(shell: Shell, argument: str) -> Iterator[Part]:
    """Execute one instruction.

    Usage: stepi [COUNT]
    """
    yield from _stepped(shell, argument, followed_instruction, earlier=instruction)


@command("nexti", topic="running", aliases=("ni",))
def nexti(shell: Shell, argument: str) -> Iterator[Part]:
    """Execute one instruction, and step over calls.

    Usage: nexti [COUNT]
    """
    yield from _stepped(shell, argument, followed_next_instruction, earlier=next_instruction)


@command("step", topic="running", aliases=("s",))
def step(shell: Shell, argument: str) -> Iterator[Part]:
    """Step until another line begins.

    Usage: step [COUNT]

    Enters called functions, and stops after the prologue. If the lane in focus is inactive,
    continues up to the next line that it executes; lines that only other lanes execute are stepped
    over.
    """
    yield from _stepped(shell, argument, lambda shell: line(shell, over_calls=False), is_line=True)


@command("next", topic="running", aliases=("n",))
def next_(shell: Shell, argument: str) -> Iterator[Part]:
    """Step until another line of this function begins.

    Usage: next [COUNT]

    Steps over called functions, including inlined ones.
    """
    yield from _stepped(shell, argument, lambda shell: line(shell, over_calls=True), is_line=True)


def _without_lines(shell: Shell) -> Iterator[Part]:
    """Say where a step by lines goes if the function has none, as GDB does."""
    session = shell.session.top or shell.session
    if session.pc is None or source_position(session) is not None:
        return
    from dwarfgpu.dwarf.scope.symbol_at_address import symbol_covering  # most code has lines

    symbol = symbol_covering(session.code_objects, session.pc)
    if symbol is not None and not _has_lines(symbol.code_object, session.pc - symbol.offset):
        yield heading(f"Single stepping until exit from function {symbol.name},")
        yield heading("which has no line number information.")


def _has_lines(code_object: CodeObject, entry: int) -> bool:
    """Return whether a function has lines, which compilers leave out for parts of it (line 0)."""
    from dwarfgpu.dwarf.line.line_lookup import LineLookup  # as the symbols

    try:
        return LineLookup(code_object.scopes).line_of(entry) is not None
    except DwarfGpuError:
        return False  # its lines cannot be read


def _until(shell: Shell, argument: str, *, in_callees: bool) -> Iterator[Part]:
    """Run up to a location, or the return of the function in focus.

    Without `in_callees`, the location counts only in the frame in focus, as in GDB: not in a
    deeper call of the same function.
    """
    require_started(shell)
    locations = located(shell, argument)
    addresses = {location.pc for location in locations}
    bodies = {location.pc for location in locations if location.is_body}
    frame, point = identity_of(shell.session), return_point_of(shell.session)
    if point is not None:
        note_uncertain_return(shell, point)
    elif (reason := why_caller_is_unknown(shell.session)) is not None:
        shell.console.note(f"the caller, where it would stop too, is unknown: {reason}")
    caller = frozenset[int]() if point is None else frozenset({point.pc})

    def is_enough(now: Session) -> bool:
        if point is not None and point.is_reached(now):
            return True
        return now.pc in addresses and (in_callees or frame.may_be(identity_of(now)))

    leave(shell)
    with resuming(shell, is_step=False):
        stop = resumed(shell, caller | addresses, is_enough)
    if stop.halt.reason == "location-reached" and shell.session.pc in bodies:
        shell.session = before_inlined(shell.session)
    yield from reported(shell, stop)


@command("until", topic="running", aliases=("u",), complete=completion.LINESPECS)
def until(shell: Shell, argument: str) -> Iterator[Part]:
    """Continue until a later line, or until a location.

    Usage: until [LINE | FILE:LINE | FUNCTION | *ADDRESS]

    Without a location, works as "next", but does not stop at a line before the current one, so that
    loops are completed. With a location, stops there in the frame in focus, not in a function that
    it calls, or when the function in focus returns.
    """
    if argument:
        yield from _until(shell, argument, in_callees=False)
        return
    require_started(shell)
    here = shell.session.top or shell.session
    start = here.pc or 0
    subprogram = here.frame.subprogram
    ranges = () if subprogram is None else subprogram.ranges
    begin = next((span.begin for span in ranges if span.begin <= start < span.end), 0)
    frame = identity_of(here)

    def is_later(session: Session) -> bool:
        """Return whether this is later in the function, or outside of its frame: its caller may be
        at a lower address, and the same function."""
        return session.pc is not None and (
            not begin <= session.pc <= start
            or source_position(session) is None
            or not frame.may_be(identity_of(session))
        )

    yield from _stepped(shell, "", lambda shell: line(shell, over_calls=True, is_enough=is_later))


@command("advance", topic="running", complete=completion.LINESPECS)
def advance(shell: Shell, argument: str) -> Iterator[Part]:
    """Continue until a location, or until the function returns.

    Usage: advance LINE | FILE:LINE | FUNCTION | *ADDRESS
    """
    require_started(shell)
    if not argument:
        raise UsageError("Argument required (a location).")
    yield from _until(shell, argument, in_callees=True)


@command("kill", topic="running", aliases=("k",), repeats=False)
def kill(shell: Shell, argument: str) -> Iterator[Part]:
    """End the program.

    Usage: kill

    Memory can still be read afterwards, and "run" starts the program again.
    """
    if shell.is_of_core and not can_run(shell):
        if shell.confirms("Kill the program being debugged?"):
            raise UsageError("You can't do that without a process to debug.")
        return
    require_started(shell)
    machine = killer(shell)
    if shell.confirms("Kill the program being debugged?"):
        focus_on_stop(shell, machine.kill())
        yield Output("[Inferior 1 killed]", {})


@command("signal", topic="running", repeats=False)
def signal(shell: Shell, argument: str) -> Iterator[Part]:
    """Continue without the signal that stopped the program.

    Usage: signal 0

    Only signal 0 is possible: waves of a GPU receive no signals.
    """
    require_started(shell)
    if not argument:
        raise UsageError("Argument required (signal number).")
    if argument != "0":
        raise UsageError(f'"signal {argument}" is not supported: waves of a GPU receive none.')
    yield heading("Continuing with no signal.")
    with resuming(shell, is_step=False):
        stop = resumed(shell)
    yield from reported(shell, stop)


@command("detach", topic="running", repeats=False)
def detach(shell: Shell, argument: str) -> Iterator[Part]:
    """Close the core file.

    Usage: detach

    A program that runs is not a process, from which GDB detaches: "kill" ends it.
    """
    if can_run(shell):
        raise UsageError('"detach" is not supported: there is no process; "kill" ends the program.')
    if not shell.is_of_core:
        raise UsageError(NOT_RUN)
    yield from core_file.run(shell, "")


def _without(name: str, about: str, reason: str, *, is_of_frame: bool = False) -> Command:
    """Define a command of GDB that is not possible, and the reason; it may need a frame."""

    def refused(shell: Shell, argument: str) -> Iterator[Part]:
        if is_of_frame and shell.session.pc is None:
            raise UsageError("No selected frame.")
        if not can_run(shell):
            raise UsageError(NO_PROCESS if is_of_frame else why_not_running(shell))
        yield from ()
        raise UsageError(f'"{name}" is not supported: {reason}.')

    text = f"{about}\n\nUsage: {name}\n\nNot supported: {reason}."
    return Command(name, text, refused, "running", repeats=False)


_SAVED: Final = (
    "call frame information does not give all registers of the caller; "
    '"finish" runs up to the return'
)


RUNNING: Final = (
    advance,
    continue_,
    finish,
    jump,
    next_,
    nexti,
    run,
    start,
    starti,
    step,
    stepi,
    until,
    kill,
    signal,
    _without("attach", "Attach to a running process.", "dwarfgpu cannot debug a running process"),
    detach,
    _without("return", "Make a function return.", _SAVED, is_of_frame=True),
)
