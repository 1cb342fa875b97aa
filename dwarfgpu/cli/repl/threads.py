"""Commands about the waves of a state, and the threads of a core file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import evolve

from dwarfgpu.backtrace import stack_frames
from dwarfgpu.cli.repl.command import Candidate, Part, command
from dwarfgpu.cli.repl.frames import frame_line
from dwarfgpu.cli.repl.lanes import first_lane, target_id, used_lanes
from dwarfgpu.cli.repl.listing import source_line
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.stack_lines import frame_record, frame_text
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.session import Session
from dwarfgpu.target import WaveId

_APPLY_ALL = re.compile(r"apply\s+all\s+(\S.*)")


def _numbers(shell: Shell, word: str) -> Iterable[Candidate]:
    return (Candidate(str(each), name) for each, name in shell.threads.items())


@command("thread", topic="stack", aliases=("t",), complete=_numbers)
def thread(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the wave or thread in focus, or look at another one.

    Usage: thread [NUMBER | apply all COMMAND]

    "info threads" lists them. The innermost frame is then in focus, and the first active lane.
    "apply all" runs a command for each, the last one first, and then looks where it looked before.
    """
    if not shell.threads:
        raise UsageError("No thread selected")
    if not argument:
        yield f"[Current thread is {_who(shell)}]"
        return
    if argument.startswith("apply "):
        yield from _applied(shell, argument)
        return
    if not (argument.isascii() and argument.isdecimal()) or len(argument) > 9:
        raise UsageError(f"Invalid thread ID: {argument}")
    if int(argument) not in shell.threads:
        raise UsageError(f"Unknown thread {argument}.")
    _focus(shell, int(argument))
    yield f"[Switching to thread {_who(shell)}]"
    if shell.session.pc is not None:
        yield f"#0  {frame_line(shell.session)}"
        yield from source_line(shell.session)


def _focus(shell: Shell, wave: WaveId) -> None:
    session = _of_thread(shell.session, wave)
    shell.session = session.focused(first_lane(session))


def _applied(shell: Shell, argument: str) -> Iterator[Part]:
    match = _APPLY_ALL.fullmatch(argument)
    if match is None:
        raise UsageError("Please specify a command after 'thread apply all'.")
    looked_at = shell.session
    try:
        for wave in sorted(shell.threads, reverse=True):
            _focus(shell, wave)
            yield ""
            yield f"Thread {_who(shell)}:"
            yield from shell.run(match[1])
    finally:
        shell.session = looked_at


@command("info threads", topic="stack")
def info_threads(shell: Shell, argument: str) -> Iterator[str]:
    """List the waves of a state, the threads of a core file.

    Usage: info threads

    Shown is where each one is, and of waves the lanes: the active ones, and those that have a
    work-item.
    """
    if not shell.threads:
        raise UsageError("No threads.")
    width = max(17, *(len(name) for name in shell.threads.values()))
    has_lanes = shell.session.architecture.is_simt
    title = " Lanes" if has_lanes else ""
    yield f"  Id   {'Target Id':<{width}}{title} Frame"
    for wave, name in shell.threads.items():
        mark = "*" if wave == shell.session.wave else " "
        lanes = f" {_lanes(shell.session, wave):<5}" if has_lanes else ""
        yield f"{mark} {wave:<4} {name:<{width}}{lanes} {_innermost(shell.session, wave)}"


def _who(shell: Shell) -> str:
    """`3, lane 0 (AMDGPU Lane 1:1:1:3/0 (1,0,0)[0,0,0])`, `2 (LWP 4711)`."""
    session = shell.session
    if session.architecture.is_simt and session.lane is not None:
        return f"{session.wave}, lane {session.lane} ({target_id(session)})"
    return f"{session.wave} ({shell.threads[session.wave]})"


def _lanes(session: Session, wave: WaveId) -> str:
    """`62/64`: the lanes of the execution mask, and those that have a work-item."""
    looking = _of_thread(session, wave)
    mask, _ = looking.active_lanes()
    return f"{'?' if mask is None else mask.bit_count()}/{used_lanes(looking)}"


def _of_thread(session: Session, wave: WaveId) -> Session:
    """The session that looks at the innermost frame of a thread."""
    target = session.target
    counter = session.architecture.program_counter
    assert target is not None and counter is not None
    top = session.top or session
    try:
        pc = target.read_register(wave, session.architecture.register(counter))
    except Unavailable:
        return evolve(top, wave=wave, pc=None)
    return evolve(top, wave=wave, pc=int.from_bytes(pc, session.architecture.endian))


def _innermost(session: Session, wave: WaveId) -> str:
    looking = _of_thread(session, wave)
    if looking.pc is None:
        return "<no program location>"
    try:
        looking = looking.focused(first_lane(looking))
        frame = next(stack_frames(looking))
        text = frame_text(frame, frame_record(frame, with_arguments=True))
    except DwarfGpuError as error:
        return f"<error: {error}>"
    return text.partition(" ")[2].lstrip()
