"""A call frame in one line, as GDB shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dwarfgpu.base.printable import one_line
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Array, Dynamic, Struct, Type, is_set, strip_reference
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.dynamic_relocations import is_program
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, has_signed_pc
from dwarfgpu.view.frame_style import DEFAULT_STYLE, FrameStyle, frame_number

if TYPE_CHECKING:
    from dwarfgpu.cfi.unwind import CfiFrame


def frame_words(
    pc: int,
    digits: int,
    call: str,
    position: FramePosition | None,
    origin: str | None,
    mark: str = "",
    style: FrameStyle = DEFAULT_STYLE,
) -> str:
    """Return a frame by its source line, else by its file; without the address where a line begins.

    The mark is that of the address.
    """
    is_start = position is not None and position.is_start and not style.is_always_addressed
    is_addressed = style.has_address and not is_start
    where = f"{pc:#0{digits + 2}x}{mark} in " if is_addressed else ""
    if not style.has_position:
        return f"{where}{call}"
    if position is not None:
        return f"{where}{call} at {position.file}:{position.line}"
    return f"{where}{call}" + ("" if origin is None else f" from {one_line(origin)}")


def origin_of(code_object: CodeObject | None) -> str | None:
    """Return the library of a frame without a source line; None for the program itself, and for
    what the system adds to a process, as in GDB."""
    if code_object is None or code_object.name.startswith("["):
        return None
    try:
        return None if is_program(code_object.file) else str(code_object.file.path)
    except DwarfGpuError:  # its dynamic section cannot be read
        return str(code_object.file.path)


def arguments_of(frame: StackFrame) -> list[Variable]:
    """Return the arguments of the frame's function; the errors of
    `Session.local_variables`."""
    session = frame.session
    if not frame.is_described:
        return []
    level = session.inline_level
    return [variable for variable in session.parameters() if variable.inline_level == level]


def is_aggregate(type_: Type | None) -> bool:
    """Return whether an argument of the type is `...` in a frame's line: a structure, array or set,
    also by reference."""
    bare = strip_reference(type_)
    form = bare.form if isinstance(bare, Dynamic) else bare
    return isinstance(form, Struct | Array) or is_set(form)


def frame_line(
    session: Session,
    pc: int,
    position: FramePosition | None,
    call: str,
    style: FrameStyle = DEFAULT_STYLE,
    marks: Sequence[str] = (),
) -> str:
    """Return `0x… in f (a=1) at file:line  [heuristic]`: the frame of a session that continues at a
    program location; `call`: its function with the arguments."""
    origin = origin_of(session.code_object) if position is None else None
    digits, physical = session.architecture.address_bits // 4, session.physical_frame
    words = frame_words(pc, digits, call, position, origin, address_mark(physical), style)
    return words + marked(physical, *marks)


def frame_text(frame: StackFrame, arguments: str, style: FrameStyle = DEFAULT_STYLE) -> str:
    """Return `#1  0x… in f (a=1) at file:line`, with the given arguments."""
    if frame.is_signal_frame:
        return f"{frame_number(frame.number)}<signal handler called>"
    session = frame.session
    call = f"{frame.function or '??'} ({arguments})"
    marks = ["called by a tail call"] if frame.tail_calls else []
    if frame.is_tail_call:
        marks += [f"inlined in {function}" for function in session.functions()[1:]]
    line = frame_line(session, frame.pc, frame.position, call, style, marks)
    return f"{frame_number(frame.number)}{line}"


def marked(frame: CfiFrame | None, *more: str) -> str:
    """Return `  [tail call]`: how the frame was found."""
    marks = ["tail call"] if frame is not None and frame.is_tail_call else []
    marks += more
    marks += ["heuristic"] if frame is not None and frame.is_guess else []
    return f"  [{', '.join(marks)}]" if marks else ""


def address_mark(frame: CfiFrame | None) -> str:
    """Return ` [PAC]`, as GDB marks a return address that is signed in its place."""
    return " [PAC]" if frame is not None and has_signed_pc(frame) else ""
