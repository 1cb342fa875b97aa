"""The position of the lane in focus, in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dwarfgpu.errors import DwarfGpuError, InconsistentContext, LimitExceeded
from dwarfgpu.session.focused_lane import UNUSED
from dwarfgpu.session.lane_states import UNKNOWN
from dwarfgpu.session.session import Session


def lane_position(session: Session) -> str | None:
    """Return `lane 17 is inactive; positioned at 0x160c (x.cl:12)`, or that it has no work-item.

    None for an active lane, and if its position is unknown: then the answer says why.
    """
    lane = session.lane
    if lane is None or session.is_active(lane) is not False:
        return None
    if session.is_unused:
        return f"lane {lane} {UNUSED}"
    try:
        location = session.frame.lane_location(lane)
    except DwarfGpuError:
        return None
    if location.error is not None:
        return f"lane {lane} is inactive; its location is unknown"
    if location.pc is None:
        return None
    from dwarfgpu.session.stack_frames import (
        shown_pc,
    )  # only inactive lanes are shown with a position

    physical = session.physical_frame
    where = _where(session, location.pc if physical is None else shown_pc(session, physical.pc))
    if location.was_active is None and location.note is None:
        where += ", no DW_AT_LLVM_lane_pc; using the wave's pc"
    return f"lane {lane} is inactive; positioned at {where}"


def lanes_by_pc(session: Session) -> dict[int, list[int]]:
    """Return the lanes of the frame that have a work-item, by program location; none where the
    architecture has none."""
    out: dict[int, list[int]] = {}
    if not session.architecture.is_simt:
        return out
    for state in session.lane_states(range(session.lane_count()[0])):
        pc = None if state.location is None else state.location.pc
        if pc is not None and not session.focused(state.lane).is_unused:
            out.setdefault(pc, []).append(state.lane)
    return out


def unlocated(session: Session) -> str | None:
    """Return that the position of the lane in focus is unknown; None if it is known."""
    lane = session.lane
    try:
        error = None if lane is None else session.frame.lane_location(lane).error
    except DwarfGpuError as ill_formed:
        error = ill_formed
    if error is None:
        return None
    is_limit = isinstance(error, LimitExceeded)  # an option raises it
    why = f" ({str(error).removeprefix(UNKNOWN)})" if is_limit else ""
    return f"the location of lane {lane} is unknown: using the wave's frame{why}"


@contextmanager
def telling_outer_frame(session: Session) -> Iterator[None]:
    """Make errors about a lane that is not in the frame in focus name the frame where it is."""
    try:
        yield
    except InconsistentContext as error:
        from dwarfgpu.session.stack_frames import outer_frame  # few errors are about another frame

        try:
            frame = outer_frame(session) if session.is_absent else None
        except LimitExceeded as limit:
            error.args = (f"{error.message}; its frame is unknown: {limit}",)
            raise error from None
        if frame is not None:
            where = _where(frame.session, frame.pc)
            error.args = (f"{error.message}; it is in frame {frame.number}, at {where}",)
        raise


def _where(session: Session, pc: int) -> str:
    from dwarfgpu.session.stack_frames import (
        frame_position,
    )  # line tables are for these two notes alone

    position = frame_position(session, pc)
    return f"{pc:#x}" if position is None else f"{pc:#x} ({position.file}:{position.line})"
