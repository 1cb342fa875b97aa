"""Assumptions behind the arguments in a frame's line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, stack_frames
from dwarfgpu.view.frame_line import arguments_of
from dwarfgpu.view.frame_style import DEFAULT_STYLE, FrameStyle


def argument_notes(
    frames: Iterable[StackFrame], style: FrameStyle = DEFAULT_STYLE
) -> tuple[str, ...]:
    """Return what vector registers with arguments of frames are assumed to hold, each note once."""
    if style.arguments in ("presence", "none"):
        return ()
    return tuple(dict.fromkeys(note for frame in frames for note in _of_frame(frame)))


def innermost_argument_notes(
    session: Session, style: FrameStyle = DEFAULT_STYLE
) -> tuple[str, ...]:
    """Return the same of the innermost frame of a wave or a thread."""
    if session.vgpr_holds is None:
        return ()
    return argument_notes([next(stack_frames(session))], style)


def _of_frame(frame: StackFrame) -> Iterator[str]:
    session = frame.session
    if session.vgpr_holds is None:  # nothing is assumed in most sessions
        return
    try:
        arguments = arguments_of(frame)
    except DwarfGpuError:  # the line reports it
        return
    for argument in arguments:
        yield from session.register_notes_on(argument)
