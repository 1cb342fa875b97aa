"""`info frame`: the debugging information about the frame in focus (A.3.3.5, A.3.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dwarfgpu.dwarf.calls.call_values import passed_location, passed_value
from dwarfgpu.errors import DwarfGpuError, MissingContext, Unsupported, UsageError
from dwarfgpu.model.location import Location
from dwarfgpu.service.frame.cpu_frame_info import FramesFrom, tail_call_lines, thread_frame_info
from dwarfgpu.service.frame.focus import frame_pc, lane_numbers, wave_pc
from dwarfgpu.service.frame.frame_answer import frame_record
from dwarfgpu.service.gdb_error_text import error_text
from dwarfgpu.service.output import Output, heading
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import (
    StackFrame,
    frame_of,
    frame_position,
    function_in_focus,
    selected_number,
)
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.location_text import entry_text, location_text


def frame_info(
    session: Session, style: FrameStyle, frames_from: FramesFrom, *, is_selected: bool = True
) -> Iterator[Output]:
    """Describe the frame in focus; `UsageError` with GDB's wording if there is none.

    `frames_from`: the frames of the stack, from a number on. `is_selected`: whether it is the
    caller's frame in focus.
    """
    if session.pc is None:
        raise UsageError("No stack.")
    if not session.architecture.is_simt:
        stack_frame = frame_of(session, selected_number(session))
        yield _record(stack_frame)
        yield from thread_frame_info(stack_frame, style, frames_from, is_selected=is_selected)
        return
    frame, pc = session.frame, session.pc
    name = function_in_focus(session) or "??"
    if not session.is_absent:
        stack_frame = frame_of(session, selected_number(session))
        yield _record(stack_frame)
    yield heading(f"Stack level {selected_number(session)}{_at(frame)}:")
    position = frame_position(session, pc)
    line = "" if position is None else f" ({position.file}:{position.line})"
    physical = session.physical_frame
    wave = wave_pc(session)
    pc_text = f"{_shown_pc(session) or wave:#x}"
    yield Output(f" pc = {pc_text} in {name}{line}", {"pc": {"addr": pc_text}})
    if not session.is_absent:
        yield from _inlined(session)
    if physical is not None and physical.is_tail_call:
        yield heading(" tail call frame: the machine has no trace of it")
    if not session.is_absent:
        yield from tail_call_lines(stack_frame)
    if physical is not None and physical.is_guess:
        yield heading(" found by the calling convention alone (heuristic)")
    yield from _lanes(session)
    lane = session.lane
    if session.is_absent:
        yield Output(f" lane {lane} is not in this frame", {"lane-addr": None})
        return
    if lane is not None:
        yield from _address_line(
            "lane-addr", f" lane {lane} at {{}}", lambda: _address_text(session)
        )
        if wave is not None and _shown_pc(session) not in (None, wave):
            yield from _address_line(
                "wave-addr", " the wave at {}", lambda: _address_text(session.focused(None))
            )
    yield from _address_line(
        "iterations", " concurrent iterations {}", lambda: _iterations(session)
    )
    if frame.subprogram is not None and frame.subprogram.frame_base is not None:
        yield from _address_line(
            "frame-base", " frame base {}", lambda: location_text(frame.frame_base())
        )
    yield from _address_line(
        "return-address", " return address at {}", lambda: _optional(frame.return_address())
    )
    yield from _address_line(
        "static-link", " static link to the frame at {}", lambda: _optional(frame.static_link())
    )
    yield from _address_line("call", " {}", lambda: _call(session))


def _inlined(session: Session) -> Iterator[Output]:
    """Yield into which frame it is inlined, where it is."""
    if session.inline_level + 1 < len(session.functions()):
        outer = selected_number(session) + 1
        yield Output(f" inlined into frame {outer}", {"inlined-into": outer})


def _record(frame: StackFrame) -> Output:
    return Output("", {"frame": frame_record(frame, with_arguments=True)})


def _at(frame: SubprogramFrame) -> str:
    """Return the canonical frame address, where it is known: without it the rest still is."""
    try:
        return f", frame at {location_text(frame.cfa())}"
    except (MissingContext, Unsupported):
        return ""


def _address_line(key: str, form: str, ask: Callable[[], str | None]) -> Iterator[Output]:
    """Yield a line with the result, or why it is unknown; none if it is None."""
    try:
        text = ask()
    except DwarfGpuError as error:
        text = f"<error: {error_text(error)}>"
    if text is not None:
        yield Output(form.format(text), {key: text})


def _optional(location: Location | None) -> str | None:
    return None if location is None else location_text(location)


def _lanes(session: Session) -> Iterator[Output]:
    """Yield the active lanes of the frame: in an outer one, those that made the call."""
    if not session.architecture.is_simt:
        return
    mask, unknown = session.active_lanes()
    shown = unknown or "unknown" if mask is None else f"{mask:#x}"
    data: JsonObject = {"active-lanes": shown, "lane-count": len(lane_numbers(session))}
    when = ", at the call" if session.level else ""
    yield Output(f" active lanes {shown} of {len(lane_numbers(session))}{when}", data)


def _shown_pc(session: Session) -> int | None:
    """Return where the lane in focus continues; None if it is not in the frame, or unknown."""
    try:
        return frame_pc(session)
    except DwarfGpuError:
        return None


def _address_text(session: Session) -> str:
    return f"{frame_pc(session):#x}"


def _iterations(session: Session) -> str | None:
    count = session.frame.iteration_count()
    return None if count in (None, 1) else str(count)


def _entered(session: Session) -> str:
    """Return the function of the frame inside: a jump may have led there from the one called."""
    inside = session.at_level(session.level - 1).functions() if session.level else ()
    return f", now in {inside[-1]}" if inside else ""


def _call(session: Session) -> str | None:
    call = session.frame.call_site()
    if call is None:
        return None
    context = session.frame.at_call(call)
    callee = call.callee
    if callee is not None and callee.name:
        words = [f"call of {callee.name}"]
    else:  # LLVM describes all calls of GPU code so: their targets are in registers
        words = [f"call through a pointer{_entered(session)}"]
    for parameter in call.parameters():
        if parameter.location is not None and parameter.value is not None:
            location = location_text(passed_location(parameter.location, context))
            words.append(f"{location} = {entry_text(passed_value(parameter.value, context))}")
    return ", ".join(words)
