"""The frames of the prompt: as GDB's, they end at `main` (`set backtrace past-main` ...)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.backtrace import StackFrame, stack_frames
from dwarfgpu.session.session import Session


def frames_of(
    shell: Shell, session: Session | None = None, settings: Settings | None = None
) -> Iterator[StackFrame]:
    """The frames from the innermost outwards, as far as the settings let them go; those of the
    focus unless a session is given."""
    settings = settings or shell.settings
    found = stack_frames((session or shell.session).at_level(0))
    for each in islice(found, settings.limit("backtrace limit")):
        yield each
        if ends_at(each, settings):
            return


def ends_at(frame: StackFrame, settings: Settings) -> bool:
    """Whether frames outside of one are not looked at: it is `main`, or what the system calls."""
    limit = settings.limit("backtrace limit")
    if limit is not None and frame.number + 1 >= limit:
        return True
    if frame.is_inlined or frame.is_signal_frame or frame.is_tail_call:
        return False
    starts = () if settings.flag("backtrace past-main") else _starts_of_main(frame)
    own = _start(frame)
    return own is not None and (
        own in starts or (not settings.flag("backtrace past-entry") and own == _entry(frame))
    )


def frame_numbered(shell: Shell, number: int) -> StackFrame:
    """The frame of a number; `UsageError` in GDB's words where the lane has none."""
    for each in frames_of(shell):
        if each.number == number and each.has_lane:
            return each
        if each.number >= number:
            break
    raise UsageError(f"No frame at level {number}.")


def _start(frame: StackFrame) -> int | None:
    """Where the code of a frame's function begins in its file, by the symbols."""
    session = frame.session
    try:
        code_object = session.code_object
        if code_object is None or session.pc is None:
            return None
        symbol = code_object.file.symbol_before(session.pc - code_object.load_address)
    except DwarfGpuError:
        return None
    return None if symbol is None else symbol.address


def _starts_of_main(frame: StackFrame) -> tuple[int, ...]:
    code_object = frame.session.code_object
    if code_object is None:
        return ()
    found = code_object.file.symbols_named("main")
    return tuple(each.address for each in found if each.kind == "function")


def _entry(frame: StackFrame) -> int | None:
    code_object = frame.session.code_object
    return None if code_object is None else code_object.file.entry or None
