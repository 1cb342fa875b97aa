"""Values that override those of a core file, and helpers shared by reading and writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dwarfgpu.base.arguments import plain_integer
from dwarfgpu.errors import OutOfRange
from dwarfgpu.machine.target import RegisterId


def range_of_read(
    register: RegisterId, offset_bytes: int, size_bytes: int | None
) -> tuple[int, int]:
    """Return where a read of a register begins and ends, in bytes; `OutOfRange` beyond it."""
    if type(offset_bytes) is not int:
        offset_bytes = plain_integer(offset_bytes)
    if size_bytes is not None and type(size_bytes) is not int:
        size_bytes = plain_integer(size_bytes)
    register_bytes = (register.size_bits + 7) // 8
    end = register_bytes if size_bytes is None else offset_bytes + size_bytes
    if not 0 <= offset_bytes <= end <= register_bytes:
        raise OutOfRange(f"bytes {offset_bytes} to {end} of register {register}")
    return offset_bytes, end


def require_inside(register: RegisterId, offset_bytes: int, size_bytes: int) -> None:
    """Raise `OutOfRange` for a write beyond a register."""
    if type(offset_bytes) is not int:
        offset_bytes = plain_integer(offset_bytes)
    if not 0 <= offset_bytes <= (register.size_bits + 7) // 8 - size_bytes:
        raise OutOfRange(f"bytes {offset_bytes} to {offset_bytes + size_bytes} of {register}")


def overridden(
    overrides: Sequence[tuple[int, bytes]], size_bytes: int, read: Callable[[int, int], bytes]
) -> bytes:
    """Return memory with given bytes in it: offsets in order, and bytes.

    `read` returns what is not given, from an offset on.
    """
    parts: list[bytes] = []
    end = 0
    for offset, data in [*overrides, (size_bytes, b"")]:
        parts += [read(end, offset - end), data]
        end = offset + len(data)
    return b"".join(parts)
