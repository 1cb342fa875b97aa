"""Where waves and threads are: the innermost frame of each, and how many lanes are active.

`info threads`, `dwarfgpu waves` and the report on a core file show the same of a wave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.language.machine_variables import used_lanes
from dwarfgpu.machine.target import WaveId
from dwarfgpu.service.frame.frame_answer import innermost_frame
from dwarfgpu.session.session import Session
from dwarfgpu.view.frame_style import DEFAULT_STYLE, FrameStyle
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.session.unreadable_frames import UnreadableFrames


@frozen
class LaneCounts:
    """The lanes of a wave, as ROCgdb counts them."""

    active: int | None
    """The active lanes (A.3.3.5) that have a work-item; None if unknown."""
    used: int
    """The lanes that have a work-item."""

    @property
    def text(self) -> str:
        """`62/64`; `?/64` if the active lanes are unknown, `-` where there are no lanes."""
        if self.active is None and not self.used:
            return "-"
        return f"{'?' if self.active is None else self.active}/{self.used}"


def lane_counts(session: Session) -> LaneCounts:
    """Return how many lanes of the wave in focus are active, and how many have a work-item.

    The active lanes are those of DW_AT_LLVM_active_lane, else of the execution mask: code for
    whole waves sets bits of lanes that have no work-item, too.
    """
    mask, used = session.active_lanes()[0], used_lanes(session)
    return LaneCounts(None if mask is None else (mask & (1 << used) - 1).bit_count(), used)


def innermost_of(session: Session, wave: WaveId) -> Session:
    """Return the session in the innermost frame of a wave or thread."""
    looking = session.of_wave(wave, None)
    counter = looking.architecture.program_counter
    assert looking.target is not None and counter is not None
    try:
        pc = looking.target.read_register(wave, looking.architecture.register(counter))
    except Unavailable:
        return looking
    return evolve(looking, pc=int.from_bytes(pc, looking.architecture.endian))


def wave_frame(
    session: Session,
    style: FrameStyle = DEFAULT_STYLE,
    lane: int | None = None,
    unreadable: UnreadableFrames | None = None,
) -> tuple[str, JsonObject | None]:
    """Return the innermost frame of the wave in focus, for a lane, by default its first one, in
    words and as data.

    Without data if there is no program location, or the frame cannot be read. A function or a line
    that cannot be read is added to `unreadable`.
    """
    if session.pc is None:
        return "<no program location>", None
    try:
        return innermost_frame(
            session.focused(session.initial_lane() if lane is None else lane),
            style,
            unreadable=unreadable,
        )
    except DwarfGpuError as error:
        return f"<error: {error}>", None
