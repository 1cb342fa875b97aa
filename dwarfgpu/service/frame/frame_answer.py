"""A call frame as GDB shows it: one line, and the facts by the names of GDB's machine interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.service.answer import listed
from dwarfgpu.service.frame.argument_words import words_of, words_of_arguments
from dwarfgpu.service.frame.focus import unread_arguments
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, stack_frames
from dwarfgpu.view import frame_line
from dwarfgpu.view.frame_line import arguments_of
from dwarfgpu.view.frame_style import DEFAULT_STYLE, FrameStyle
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.location_text import location_text

if TYPE_CHECKING:
    from dwarfgpu.session.unreadable_frames import UnreadableFrames


def frame_record(
    frame: StackFrame, *, with_arguments: bool, style: FrameStyle = DEFAULT_STYLE
) -> JsonObject:
    """Return a frame with the keys of GDB's machine interface if it has them."""
    session = frame.session
    position, code_object = frame.position, session.code_object
    arguments: list[Plain] | None = None
    unread: JsonObject = {}
    if with_arguments and style.arguments != "presence":
        try:
            variables = listed(session, "argument", arguments_of(frame))
        except DwarfGpuError as error:
            variables, unread = [], {"args_error": unread_arguments(error)}
        arguments = [words.record() for words in words_of_arguments(session, variables, style)]
    return {
        "level": frame.number,
        "addr": f"{frame.pc:#x}",
        "func": frame.function,
        "args": arguments,
        **unread,
        "file": None if position is None else position.file,
        "fullname": None if position is None else position.path,
        "line": None if position is None else position.line,
        "from": None if code_object is None else str(code_object.file.path),
        "cfa": _cfa(session),
        "physical_level": session.level,
        "is_inlined": frame.is_inlined,
        "is_signal_frame": frame.is_signal_frame,
        "called_by_tail_call": frame.called_by_tail_call,
        "is_signed": frame.is_signed,
        "is_tail_call": frame.is_tail_call,
        "tail_calls": frame.tail_calls,
        "is_heuristic": frame.is_heuristic,
    }


def _cfa(session: Session) -> str | None:
    try:
        return location_text(session.frame.cfa())
    except DwarfGpuError:
        return None


def frame_text(frame: StackFrame, record: JsonObject, style: FrameStyle = DEFAULT_STYLE) -> str:
    """Return `#1  0x… in f (a=1) at file:line`; without the address at the beginning of a line, as
    in GDB."""
    shown, unread = record["args"], record.get("args_error")
    arguments = unread if isinstance(unread, str) else _presence(frame) if shown is None else ""
    if isinstance(shown, list) and shown:
        arguments = ", ".join(words_of(cast(JsonObject, argument)).text for argument in shown)
    return frame_line.frame_text(frame, arguments, style)


def _presence(frame: StackFrame) -> str:
    """Return `...` for a function that has arguments."""
    try:
        return "..." if arguments_of(frame) else ""
    except DwarfGpuError as error:
        return unread_arguments(error)


def innermost_frame(
    session: Session,
    style: FrameStyle = DEFAULT_STYLE,
    unreadable: UnreadableFrames | None = None,
) -> tuple[str, JsonObject]:
    """Return the innermost frame of a wave or a thread, as `info threads` has it: without its
    number, and as data. What cannot be read of it is added to `unreadable`."""
    frame = next(stack_frames(session))
    if unreadable is not None:
        unreadable.add(frame)
    record = frame_record(frame, with_arguments=True, style=style)
    return frame_text(frame, record, style).partition(" ")[2].lstrip(), record
