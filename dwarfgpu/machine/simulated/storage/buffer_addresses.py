"""Compute the addresses at which lanes access a buffer, from its resource descriptor."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from dwarfgpu.isa.addressing import BufferResource
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes

BUFFER_BASE: Final = (1 << 48) - 1
"""The bits of a buffer resource that have the address."""
_ADD_LANE: Final = 119
"""The number of the bit ADD_TID_ENABLE of a buffer resource."""
BufferAddress: TypeAlias = tuple[Lanes, Lanes | None]
"""Global addresses of a buffer resource, and which of them are in its range; None for all."""


def in_both(on: Lanes | None, valid: Lanes | None) -> Lanes | None:
    """Return the lanes in both masks; None is a mask of all lanes."""
    if on is None or valid is None:
        return valid if on is None else on
    out: Lanes = on & valid
    return out


def buffer_addresses(
    resource: int, index: Lanes, offset: Lanes, scalar: int, lane: Lanes
) -> BufferAddress:
    buffer = BufferResource.of(resource)
    if buffer.adds_lane:
        index = index + lane
    where = buffer.address(index, offset, scalar)
    valid = np.broadcast_to(buffer.is_in_range(index, offset, scalar), where.shape)
    return where.astype(np.uint64), valid


@lru_cache(maxsize=1 << 12)
def same_offset(
    resource: int, index: int, offset: int, scalar: int, lane_count: int
) -> BufferAddress:
    """Return addresses in which only the number of the lane differs, as read-only arrays.

    Compiled code has such accesses to private memory in most instructions of -O0.
    """
    where, valid = buffer_addresses(
        resource,
        np.full(lane_count, index, np.int64),
        np.full(lane_count, offset, np.int64),
        scalar,
        np.arange(lane_count),
    )
    return where, None if valid is None or valid.all() else valid


def adds_lane(resource: int) -> bool:
    """Return whether each lane has its own element of a buffer, as of private memory."""
    return bool(resource >> _ADD_LANE & 1)
