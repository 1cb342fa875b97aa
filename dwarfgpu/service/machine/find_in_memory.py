"""Find a pattern of bytes in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.object_access import ObjectAccess

_CHUNK: Final = 1 << 16


def matches(
    objects: ObjectAccess,
    space: AddressSpace,
    start: int,
    length: int,
    pattern: bytes,
    warn: Callable[[str], None],
) -> Iterator[int]:
    """Yield the addresses of a pattern in that many bytes; unreadable memory ends the search with a
    warning."""
    buffer, base, position = b"", start, start
    end = start + length
    while position < end:
        count = min(_CHUNK, end - position)
        data = _read(objects, space, position, count)
        buffer += data
        offset = buffer.find(pattern)
        while offset >= 0:
            yield base + offset
            offset = buffer.find(pattern, offset + 1)
        if len(data) < count:
            where = objects.address_text(space, position + len(data))
            unread = f"{count - len(data)} bytes of target memory at {where}"
            warn(f"Unable to access {unread}, halting search.")
            return
        position += count
        rest = min(len(pattern) - 1, len(buffer))
        base, buffer = base + len(buffer) - rest, buffer[len(buffer) - rest :]


def _read(objects: ObjectAccess, space: AddressSpace, address: int, count: int) -> bytes:
    """Return the bytes up to the first that cannot be read."""
    access = objects.context.access
    try:
        return access.read_bytes(objects.at(space, address), count)
    except DwarfGpuError:
        good, bad = 0, count
        while bad - good > 1:
            middle = (good + bad) // 2
            try:
                access.read_bytes(objects.at(space, address), middle)
                good = middle
            except DwarfGpuError:
                bad = middle
        return access.read_bytes(objects.at(space, address), good) if good else b""
