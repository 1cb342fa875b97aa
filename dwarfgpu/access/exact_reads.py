"""Read registers and memory of a target, whose answer must be exactly the bytes asked for.

Law: a user's `Target` may return anything; what is not that many bytes is an error that names the
class, never a value.
"""

from __future__ import annotations

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.storage import Memory


def exact_bytes(target: Target, data: object, size_bytes: int) -> bytes:
    """Return what a target returned as bytes; `UsageError` unless it is as long as was asked."""
    if type(data) is bytes and len(data) == size_bytes:
        return data
    what = f"an object of {type(data).__name__}"
    if isinstance(data, bytes | bytearray | memoryview):
        returned = bytes(data)
        if len(returned) == size_bytes:
            return returned
        what = counted(len(returned), "byte")
    raise UsageError(
        f"{type(target).__name__} returned {what} for {counted(size_bytes, 'byte')}: a target "
        "returns exactly the bytes asked for, or raises Unavailable"
    )


def register_bytes(
    target: Target,
    wave: WaveId,
    register: RegisterInfo,
    offset_bytes: int = 0,
    size_bytes: int | None = None,
) -> bytes:
    """Return bytes of a register, all of them by default; errors as of `Target.read_register` and
    of `exact_bytes`."""
    expected = -(-register.size_bits // 8) - offset_bytes if size_bytes is None else size_bytes
    data = target.read_register(wave, register, offset_bytes, size_bytes)
    return exact_bytes(target, data, expected)


def memory_bytes(target: Target, where: Memory, address: int, size_bytes: int) -> bytes:
    """Return bytes of memory; errors as of `Target.read_memory` and of `exact_bytes`."""
    return exact_bytes(target, target.read_memory(where, address, size_bytes), size_bytes)
