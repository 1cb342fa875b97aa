"""Values that override those of a core file, and helpers shared by reading and writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dwarfgpu.errors import OutOfRange
from dwarfgpu.machine.target import RegisterId


def end_of_read(register: RegisterId, offset_bytes: int, size_bytes: int | None) -> int:
    """Return where a read of a register ends, in bytes; `OutOfRange` for one beyond it."""
    register_bytes = (register.size_bits + 7) // 8
    end = register_bytes if size_bytes is None else offset_bytes + size_bytes
    if not 0 <= offset_bytes <= end <= register_bytes:
        raise OutOfRange(f"bytes {offset_bytes} to {end} of register {register}")
    return end


def require_inside(register: RegisterId, offset_bytes: int, size_bytes: int) -> None:
    """Raise `OutOfRange` for a write beyond a register."""
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
