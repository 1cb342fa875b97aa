"""The frames of the prompt: as GDB's, they end at `main` (`set backtrace past-main` ...)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dwarfgpu.errors import UsageError
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import NumberedLevel, StackFrame, frames_in, numbered_levels

if TYPE_CHECKING:
    from dwarfgpu.cfi.unwind import CfiFrame


def levels_of(
    shell: Shell, session: Session | None = None, settings: Settings | None = None
) -> Iterator[NumberedLevel]:
    """Yield the frames of the machine within the limits of the settings.

    `set backtrace limit` may exclude some functions of the last one.
    """
    settings = settings or shell.settings
    top = (session or shell.session).at_level(0)
    limit = settings.limit("backtrace limit")
    ends: dict[tuple[int, bool], bool] = {}
    for level in numbered_levels(top):
        yield level
        if limit is not None and level.end >= limit:
            return
        key = level.physical.location, level.physical.is_tail_call
        if key not in ends:
            ends[key] = _is_end(top, level.physical, settings)
        if ends[key]:
            return


def frames_of(
    shell: Shell,
    session: Session | None = None,
    settings: Settings | None = None,
    start: int = 0,
) -> Iterator[StackFrame]:
    """Yield the frames from the innermost outwards within the limits of the settings; by default
    those of the focus. Frames before the number `start` are skipped."""
    top = (session or shell.session).at_level(0)
    limit = (settings or shell.settings).limit("backtrace limit")
    for level in levels_of(shell, session, settings):
        if level.end > start:
            frames = frames_in(top, level, start)
            yield from (frame for frame in frames if limit is None or frame.number < limit)


def numbers_of(shell: Shell, settings: Settings | None = None) -> Iterator[int]:
    """Yield the numbers of the frames in which the lane in focus was active on entry."""
    if shell.session.lane is None:
        limit = (settings or shell.settings).limit("backtrace limit")
        for level in levels_of(shell, settings=settings):
            yield from range(level.first, level.end if limit is None else min(limit, level.end))
    else:
        frames = frames_of(shell, settings=settings)
        yield from (frame.number for frame in frames if frame.has_lane)


def is_bounded(shell: Shell, settings: Settings | None = None) -> bool:
    """Return whether the settings leave out frames that the stack has."""
    last_levels = deque(levels_of(shell, settings=settings), maxlen=1)
    stack = shell.session.call_stack
    if not last_levels or stack is None:
        return False
    last = last_levels[0]
    limit = (settings or shell.settings).limit("backtrace limit")
    return stack.frame(last.physical.level + 1) is not None or limit == last.end


def _is_end(top: Session, physical: CfiFrame, settings: Settings) -> bool:
    """Return whether the frames end here: at `main`, or at a function that the system calls."""
    if physical.is_signal_frame or physical.is_tail_call or top.architecture.is_simt:
        return False  # waves begin with a kernel
    from dwarfgpu.session.main_function import entry_in_file, is_main  # the demo has none

    session = top.at_level(physical.level)
    if not settings.flag("backtrace past-main") and is_main(session):
        return True
    if settings.flag("backtrace past-entry"):
        return False
    own = entry_in_file(session)
    return own is not None and own == _entry(session)


def frame_numbered(shell: Shell, number: int, text: str) -> StackFrame:
    """Return the frame with a number, written as `text`; `UsageError` with GDB's wording if the
    lane has none."""
    frame = next(frames_of(shell, start=max(number, 0)), None)
    if frame is not None and frame.number == number and frame.has_lane:
        return frame
    raise UsageError(f"No frame at level {text}.")


def _entry(session: Session) -> int | None:
    """Return where the program begins; None in a library, as the vDSO of i386, whose entry point is
    a function that makes system calls."""
    program = session.program
    is_program = program is not None and session.code_object is program
    return program.file.entry or None if program is not None and is_program else None
