"""Memory on which a result depends, so that it can be reused while that is unchanged.

Law: no event reports all writes (other processes, other threads), so that memory is always read
again.
"""

from __future__ import annotations

from typing import Final

import gdb

_MOST: Final = 64
"""Reads that are repeated to see whether anything has changed."""


class Reads:
    """The reads of ordinary memory on the way to a result."""

    def __init__(self) -> None:
        self._reads: list[tuple[int, bytes]] = []
        self._can_repeat = True

    def add(self, address: int, data: bytes) -> None:
        """Add a range of memory that was read."""
        self._reads.append((address, data))

    def join(self, reads: Reads) -> None:
        """Add the reads that led to something that is used again."""
        self._reads += reads._reads
        self._can_repeat = self._can_repeat and reads._can_repeat

    def fail(self) -> None:
        """Note a read that cannot be repeated: memory of a lane, or memory that could not be
        read."""
        self._can_repeat = False

    def are_same(self) -> bool:
        """Return whether all of it is still readable, and unchanged."""
        if not self._can_repeat or len(self._reads) > _MOST:
            return False
        read = gdb.selected_inferior().read_memory
        try:
            return all(bytes(read(address, len(data))) == data for address, data in self._reads)
        except (gdb.error, OverflowError):
            return False
