"""The limits for the lanes of one command: those of the machine, and those of the wave."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.errors import InconsistentContext, LimitExceeded, UsageError

MAX_LANES: Final = 1024
"""Lanes that one command answers for; no machine has more in a wave."""


def checked_lanes(count: int) -> int:
    """Return a valid lane count; `InconsistentContext` for none, `LimitExceeded` for more than any
    machine has."""
    if count < 1:
        raise InconsistentContext(f"lane count {count}: must be greater than 0")
    if count > MAX_LANES:
        raise LimitExceeded(f"{count} lanes: at most {MAX_LANES} are evaluated together")
    return count


def no_such_lane(typed: str, lane_count: int) -> str:
    """Return the message about a lane that a wave does not have."""
    return f"{typed}: the wave has {lane_count} lanes, from 0"


def check_lanes(count: int | None, lane: int | None, arch: Architecture) -> None:
    """Check that a lane exists in the wave (A.2.5.1), whose size a state, a code object or an
    architecture that is named defines."""
    if arch.is_simt and count is not None and count > arch.lane_count:
        raise InconsistentContext(
            f"lane count {count} and the wave of {arch.lane_count} lanes disagree: --lanes N has "
            f"at most {arch.lane_count}"
        )
    if arch.is_simt and lane is not None and lane >= arch.lane_count:
        raise UsageError(no_such_lane(f"--lane {lane}", arch.lane_count))
