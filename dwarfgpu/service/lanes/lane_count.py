"""The limits for the lanes of one command: those of the machine, and those of the wave."""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import InconsistentContext, LimitExceeded

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
