"""The frames of GDB's selected thread according to call frame information.

Frames are numbered as GDB numbers them, inlined functions included; `set backtrace past-main` and
`limit` apply.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice

import gdb

from dwarfgpu.base.printable import one_line
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.gdb.frame_levels import inline_depth
from dwarfgpu.gdb.gdb_session import Debugger, GdbSession
from dwarfgpu.gdb.machine.gdb_target import selected_wave, symbol_text
from dwarfgpu.gdb.machine.interruptions import older_frame
from dwarfgpu.gdb.print_options import print_options
from dwarfgpu.service.frame.frame_answer import frame_record, frame_text
from dwarfgpu.session.stack_frames import StackFrame, functions_at, stack_frames
from dwarfgpu.view.frame_style import FrameStyle


def frames(debugger: Debugger) -> Iterator[StackFrame]:
    """Yield the frames from the newest outwards; `UsageError` with GDB's wording if there are
    none."""
    require_stack()
    newest = gdb.newest_frame()
    top = debugger.session(newest).at_level(0)
    hidden = max(len(functions_at(top)) - 1 - inline_depth(newest), 0)
    yield from islice(stack_frames(top, hidden), gdb.parameter("backtrace limit"))


def aligned(debugger: Debugger) -> Iterator[tuple[gdb.Frame | None, StackFrame | None]]:
    """Yield GDB's and dwarfgpu's frames in pairs, with GDB's numbers.

    Each finds some tail-call frames that the other does not: these have no partner, and no number
    of GDB's if they are dwarfgpu's. The frames end where GDB ends them, as at the main program,
    which is not `main` in Fortran and Ada; at `main` if GDB has not found it.
    """
    require_stack()
    past_main = gdb.parameter("backtrace past-main")
    gdb_frame, number = gdb.newest_frame(), -1
    for own_frame in frames(debugger):
        while gdb_frame is not None and is_left(gdb_frame):
            if own_frame.is_tail_call and own_frame.pc == gdb_frame.pc():
                break
            yield gdb_frame, None
            gdb_frame = gdb_frame.older()
        if own_frame.is_tail_call and (gdb_frame is None or not is_left(gdb_frame)):
            yield None, own_frame
            continue
        number = number + 1 if gdb_frame is None else gdb_frame.level()
        yield gdb_frame, evolve(own_frame, number=number)
        is_main = gdb_frame is None and own_frame.function == "main" and not own_frame.is_inlined
        if not past_main and (is_main or _ends_by_choice(gdb_frame)):
            return
        gdb_frame = None if gdb_frame is None else gdb_frame.older()
    while gdb_frame is not None:
        yield gdb_frame, None
        gdb_frame = gdb_frame.older()


def _ends_by_choice(frame: gdb.Frame | None) -> bool:
    """Return whether GDB shows no caller of a frame although it could find one."""
    if frame is None or older_frame(frame) is not None:
        return False
    return bool(frame.unwind_stop_reason() == gdb.FRAME_UNWIND_NO_REASON)


def is_left(frame: gdb.Frame) -> bool:
    """Return whether GDB's frame is of a function that tail-called, or is inlined in one."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return bool(frame.type() == gdb.TAILCALL_FRAME)


def require_stack() -> None:
    """Raise `UsageError` with GDB's wording if no program has stopped."""
    if selected_wave() is None:
        raise UsageError("No stack.")


def lines(debugger: Debugger, count: int | None = None) -> Iterator[str]:
    """Return the lines of `dwarfgpu bt`: the `count` innermost frames, the outermost ones if it is
    negative, or all."""
    last: StackFrame | None = None
    notes: dict[str, None] = {}
    frames = (
        own_frame
        for gdb_frame, own_frame in aligned(debugger)
        if own_frame is not None and not (gdb_frame is None and own_frame.is_tail_call)
    )
    style = frame_style()
    shown_frames = frames if count is None or count >= 0 else deque(frames, maxlen=-count)
    for shown, frame in enumerate(shown_frames):
        if shown == count:
            yield "(More stack frames follow...)"
            return
        record = frame_record(frame, with_arguments=True, style=style)
        yield one_line(frame_text(frame, record, style))
        session = frame.session
        if isinstance(session, GdbSession) and not session.code_objects:
            notes |= dict.fromkeys(session.notes)
        last = frame
    yield from (one_line(f"note: {note}") for note in notes)
    if last is None:
        return
    stack = last.session.call_stack
    is_last = stack is not None and stack.frame(last.session.level + 1) is None
    if stack is not None and is_last and not stack.end.is_outermost:
        yield one_line(str(stack.end))


def frame_style() -> FrameStyle:
    """Return the style of frame lines according to GDB's settings."""
    return FrameStyle(
        _arguments(),
        entry_values=str(gdb.parameter("print entry-values")),
        is_past_main=bool(gdb.parameter("backtrace past-main")),
        options=print_options(),
        symbolize=symbol_text,
    )


def _arguments() -> str:
    """Return the word of `set print frame-arguments`; "presence" unless it is all or scalars."""
    manner = str(gdb.parameter("print frame-arguments"))
    return manner if manner in ("all", "scalars") else "presence"
