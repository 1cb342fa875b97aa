"""Read strings of unknown length from memory that may end anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

_BLOCK_BYTES: Final = 64
"""Bytes of a string to read at once: mapped or known memory rarely ends within such a block."""


class StringRead(NamedTuple):
    """Characters in memory."""

    data: bytes
    is_ended: bool
    """Whether the last character is the NUL."""
    is_readable: bool
    """Whether the characters after them were read, or not asked for."""


def string_at(
    read: Callable[[int, int], bytes | None], address: int, width: int, most: int
) -> StringRead:
    """Return the characters of `width` bytes from an address up to a NUL, `most` of them, or the
    first that cannot be read. `read`: memory by address and size; None if it is unreadable."""
    data, block = bytearray(), _BLOCK_BYTES
    while len(data) < most * width:
        start = address + len(data)
        room = min(block - start % block, most * width - len(data)) // width * width or width
        units = read(start, room)
        if not units and room > width:  # it ends within them
            block //= 2
            continue
        if not units:
            return StringRead(bytes(data), is_ended=False, is_readable=False)
        end = _end_of_string(units, width)
        data += units[:end]
        if end is not None:
            return StringRead(bytes(data), is_ended=True, is_readable=True)
    return StringRead(bytes(data), is_ended=False, is_readable=True)


def _end_of_string(units: bytes, width: int) -> int | None:
    """Return the position after the first NUL; None if there is none."""
    if width == 1:
        return units.find(b"\0") + 1 or None
    ends = (end + width for end in range(0, len(units), width) if not any(units[end : end + width]))
    return next(ends, None)
