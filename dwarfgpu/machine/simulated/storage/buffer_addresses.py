"""Compute the addresses at which lanes access a buffer, from its resource descriptor."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np

from dwarfgpu.base.records import frozen
from dwarfgpu.isa.addressing import BufferResource
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes

BUFFER_BASE: Final = (1 << 48) - 1
"""The bits of a buffer resource that have the address."""
_ADD_LANE: Final = 119
"""The number of the bit ADD_TID_ENABLE of a buffer resource."""


@frozen(eq=False)
class Elements:
    """The elements of a swizzled buffer ("Swizzled Buffer Addressing"): what does not fit into one
    element continues in the next of the same index, not in the next index."""

    first: Any
    """Where the accesses begin in an element: an integer, or one for each lane."""
    size_bytes: int
    step_bytes: int
    """From an element to the next of the same index."""

    def are_left(self, size_bytes: int) -> bool:
        """Return whether an access of this size leaves the element in which it begins."""
        leaves = self.first + size_bytes > self.size_bytes
        return leaves if type(leaves) is bool else bool(leaves.any())

    def distance(self, number: int) -> Lanes:
        """Return the distance in bytes from the first byte of the access to another one."""
        element, inner = np.divmod(self.first + number, self.size_bytes)
        return np.asarray(element * self.step_bytes + inner - self.first).astype(np.uint64)


@frozen(eq=False)
class Range:
    """Which lanes access memory at all: where they do in a buffer, and for how many waves."""

    buffer: BufferResource
    index: Lanes
    offset: Lanes
    scalar: int
    has_index: bool
    waves: int = 1

    def lanes(self, first: int, size_bytes: int) -> Lanes | None:
        """Return the lanes whose bytes from the first one on are in the range; None for all."""
        valid = self.buffer.is_in_range(
            self.index, self.offset + first, self.scalar, size_bytes, has_index=self.has_index
        )
        out = np.broadcast_to(valid, self.index.shape)
        return None if out.all() else np.tile(out, self.waves)


BufferAddress: TypeAlias = tuple[Lanes, Range | None, Elements | None]
"""Global addresses of a buffer resource, which of them are in its range (None for all), and its
elements if it is swizzled."""


def in_both(on: Lanes | None, valid: Lanes | None) -> Lanes | None:
    """Return the lanes in both masks; None is a mask of all lanes."""
    if on is None or valid is None:
        return valid if on is None else on
    out: Lanes = on & valid
    return out


def buffer_addresses(
    resource: int,
    index: Lanes,
    offset: Lanes,
    scalar: int,
    lane: Lanes,
    *,
    generation: int,
    has_index: bool,
) -> BufferAddress:
    buffer = BufferResource.of(resource, generation)
    if buffer.adds_lane:
        index = index + lane
    where = buffer.address(index, offset, scalar)
    checked = None if buffer.is_unbounded else Range(buffer, index, offset, scalar, has_index)
    elements = None
    if buffer.is_swizzled:
        size = buffer.element_bytes
        elements = Elements(offset % size, size, size * buffer.index_stride)
    return where.astype(np.uint64), checked, elements


@lru_cache(maxsize=1 << 12)
def same_offset(
    resource: int, index: int, offset: int, scalar: int, lane_count: int, generation: int
) -> BufferAddress:
    """Return addresses in which only the number of the lane differs, as read-only arrays.

    Compiled code has such accesses to private memory in most instructions of -O0.
    """
    where, checked, elements = buffer_addresses(
        resource,
        np.full(lane_count, index, np.int64),
        np.full(lane_count, offset, np.int64),
        scalar,
        np.arange(lane_count),
        generation=generation,
        has_index=False,
    )
    if elements is not None:
        elements = Elements(offset % elements.size_bytes, elements.size_bytes, elements.step_bytes)
    return where, checked, elements


def adds_lane(resource: int) -> bool:
    """Return whether each lane has its own element of a buffer, as of private memory."""
    return bool(resource >> _ADD_LANE & 1)
