"""The bottom bar: target, function, wave, lane, execution mask and program location.

Law: one line for every width; the least important parts are dropped first, and this code cannot
fail.
"""

from __future__ import annotations

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.frame.focus import wave_pc
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import frame_position, function_in_focus

_SEPARATOR = "  "


@frozen
class Field:
    """A part of the bar."""

    text: str
    weight: int
    """Priority; the lowest are dropped if the width is insufficient."""


def fields(session: Session, *, has_threads: bool = True) -> list[Field]:
    """Return the parts, in display order; `has_threads`: whether there are waves or threads, which
    a program that has ended has no more."""
    out = [Field(_target(session), 1)]
    if session.pc is not None:
        function = function_in_focus(session)
        if function is not None:
            out.append(Field(function, 3))
        position = frame_position(session, session.pc)
        if position is not None:
            out.append(Field(f"{position.file.rpartition('/')[2]}:{position.line}", 5))
    unit = "wave" if session.architecture.is_simt else "thread"
    if has_threads or session.pc is not None:
        out.append(Field(f"{unit} {session.wave}", 4))
    if session.lane is not None:
        out.append(Field(f"lane {session.lane}{_lane_marks(session, session.lane)}", 7))
    mask = _mask(session)
    if mask is not None:
        out.append(Field(f"exec {mask:#x}", 6))
    pc = wave_pc(session)
    if pc is not None:
        out.append(Field(f"pc {pc:#x}", 2))
    return out


def bar_text(shell: Shell, columns: int) -> str:
    """Return the bar for a terminal of that width."""
    try:
        shown = fields(shell.session, has_threads=bool(shell.machine.threads))
    except DwarfGpuError as error:
        shown = [Field(str(error), 0)]
    while len(shown) > 1 and len(_joined(shown)) > columns:
        lightest = min(shown, key=lambda field: field.weight)
        shown = [field for field in shown if field is not lightest]
    return _joined(shown)[:columns]


def _lane_marks(session: Session, lane: int) -> str:
    """Return ` (inactive at 0x160c)`: the state of the lane in focus."""
    [state] = session.lane_states([lane])
    if state.is_absent:
        return " (unused)" if session.is_unused else " (not in this frame)"
    marks = ["inactive"] if state.is_active is False else []
    if state.location is not None and state.location.pc != session.pc:
        marks.append(f"at {state.location.pc:#x}")
    return f" ({' '.join(marks)})" if marks else ""


def _joined(shown: list[Field]) -> str:
    return " " + _SEPARATOR.join(field.text for field in shown)


def _target(session: Session) -> str:
    names = ", ".join(code_object.name for code_object in session.code_objects)
    return f"{names} ({session.architecture.name})" if names else session.architecture.name


def _mask(session: Session) -> int | None:
    register = session.architecture.register_named("exec")
    if session.target is None or register is None:
        return None
    try:
        data = session.target.read_register(session.wave, register)
    except Unavailable:
        return None
    return int.from_bytes(data, session.architecture.endian)
