"""Where the lane in focus stands, in words."""

from __future__ import annotations

from dwarfgpu.backtrace import place_of
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.session import Session


def lane_position(session: Session) -> str | None:
    """`lane 17 is inactive; positioned at 0x160c (x.cl:12)`.

    None for a lane that is active, and where nothing tells: then the answer says why.
    """
    lane = session.lane
    if lane is None or session.is_active(lane) is not False:
        return None
    try:
        pc = session.frame.lane_location(lane).pc
    except DwarfGpuError:
        return None
    if pc is None:
        return None
    place = place_of(session, pc)
    where = f"{pc:#x}" if place is None else f"{pc:#x} ({place.file}:{place.line})"
    return f"lane {lane} is inactive; positioned at {where}"
