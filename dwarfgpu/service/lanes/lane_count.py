"""The limit for the lanes of one command."""

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
