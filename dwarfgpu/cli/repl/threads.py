"""Commands about the threads of a core file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from dwarfgpu.backtrace import stack_frames
from dwarfgpu.cli.repl.command import Candidate, command
from dwarfgpu.cli.repl.frames import frame_line
from dwarfgpu.cli.repl.listing import source_line
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.stack_lines import frame_record, frame_text
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.session import Session
from dwarfgpu.target import WaveId


def _numbers(shell: Shell, word: str) -> Iterable[Candidate]:
    return (Candidate(str(each), f"LWP {thread.lwp}") for each, thread in shell.threads.items())


@command("thread", topic="stack", aliases=("t",), complete=_numbers)
def thread(shell: Shell, argument: str) -> Iterator[str]:
    """Show the thread in focus, or look at another one.

    Usage: thread [NUMBER]

    "info threads" lists them. NUMBER is GDB's; then the innermost frame is in focus.
    """
    if not shell.threads:
        raise UsageError("No thread selected")
    if not argument:
        wave = shell.session.wave
        yield f"[Current thread is {wave} (LWP {shell.threads[wave].lwp})]"
        return
    if not (argument.isascii() and argument.isdecimal()) or len(argument) > 9:
        raise UsageError(f"Invalid thread ID: {argument}")
    if int(argument) not in shell.threads:
        raise UsageError(f"Unknown thread {argument}.")
    wave = int(argument)
    shell.session = _of_thread(shell.session, wave)
    yield f"[Switching to thread {wave} (LWP {shell.threads[wave].lwp})]"
    yield f"#0  {frame_line(shell.session)}"
    yield from source_line(shell.session)


@command("info threads", topic="stack")
def info_threads(shell: Shell, argument: str) -> Iterator[str]:
    """List the threads of a core file, and where they are.

    Usage: info threads
    """
    if not shell.threads:
        raise UsageError("No threads.")
    yield "  Id   Target Id         Frame"
    for wave, each in shell.threads.items():
        mark = "*" if wave == shell.session.wave else " "
        yield f"{mark} {wave:<4} {f'LWP {each.lwp}':<17} {_innermost(shell.session, wave)}"


def _of_thread(session: Session, wave: WaveId) -> Session:
    """The session that looks at the innermost frame of a thread."""
    target = session.target
    counter = session.architecture.program_counter
    assert target is not None and counter is not None
    pc = target.read_register(wave, session.architecture.register(counter))
    top = session.top or session
    return evolve(top, wave=wave, pc=int.from_bytes(pc, session.architecture.endian))


def _innermost(session: Session, wave: WaveId) -> str:
    try:
        frame = next(stack_frames(_of_thread(session, wave)))
        text = frame_text(frame, frame_record(frame, with_arguments=True))
    except DwarfGpuError as error:
        return f"<error: {error}>"
    return text.partition(" ")[2].lstrip()
