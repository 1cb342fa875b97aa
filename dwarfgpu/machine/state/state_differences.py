"""Compare two states: the registers of their waves, lane by lane, and memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import frozen
from dwarfgpu.machine.sparse_memory import SparseMemory
from dwarfgpu.machine.state.register_bytes import RegisterBytes
from dwarfgpu.machine.state.state_target import StateTarget

_MAX_BYTES: Final = 16
"""Maximum number of bytes of memory in one difference."""
_CHUNK: Final = 1 << 16
"""Bytes of memory that are compared at once."""
_UNKNOWN: Final = "<unavailable>"


@frozen
class Difference:
    """One register lane or memory range that differs."""

    location_text: str
    before: str
    after: str


def differences(before: StateTarget, after: StateTarget) -> Iterator[Difference]:
    """Return the differences of registers by wave, then of memory; contents that only one state has
    are `<unavailable>` in the other."""
    for wave in sorted({*before.waves, *after.waves}):
        yield from _registers(before, after, wave)
    yield from _memories(before, after)


def _registers(before: StateTarget, after: StateTarget, wave: int) -> Iterator[Difference]:
    arch = after.architecture
    contents = [state.waves.get(wave, {}) for state in (before, after)]
    names = {name for registers in contents for name in registers}
    for register in (*arch.registers.values(), *arch.other_registers):
        if register.name not in names:
            continue
        stored = [registers.get(register.name) for registers in contents]
        if _are_equal(*stored):
            continue
        lanes = register.type.vector_size or 1
        element_bytes = register.size_bits // lanes // 8
        for lane in range(lanes):
            first = lane * element_bytes
            text_before, text_after = (
                _register_text(item, first, element_bytes, arch.endian) for item in stored
            )
            if text_before != text_after:
                name = f"${register.name}[{lane}]" if lanes > 1 else f"${register.name}"
                yield Difference(f"wave {wave} {name}", text_before, text_after)


def _are_equal(first: RegisterBytes | None, second: RegisterBytes | None) -> bool:
    if first is None or second is None:
        return first is second
    return (first.data, first.known) == (second.data, second.known)


def _register_text(
    stored: RegisterBytes | None, first: int, size_bytes: int, endian: Endian
) -> str:
    last = first + size_bytes
    if stored is None or not any(stored.known[first:last]):
        return _UNKNOWN
    if stored.known.count(0xFF, first, last) != size_bytes:
        return " ".join(stored.words()[first:last])
    return f"{int.from_bytes(stored.data[first:last], endian):#x}"


def _memories(before: StateTarget, after: StateTarget) -> Iterator[Difference]:
    memories_before = {(name, owner): memory for name, owner, memory in before.memories()}
    memories_after = {(name, owner): memory for name, owner, memory in after.memories()}
    for name, owner in sorted(
        {*memories_before, *memories_after}, key=lambda key: (key[0], key[1] or 0)
    ):
        memory_before = memories_before.get((name, owner))
        memory_after = memories_after.get((name, owner))
        owned = "" if owner is None else f" of {owner}"
        for chunk in sorted(_chunks(memory_before) | _chunks(memory_after)):
            if _known_parts(memory_before, chunk, _CHUNK) == _known_parts(
                memory_after, chunk, _CHUNK
            ):
                continue
            for start in range(chunk, chunk + _CHUNK, _MAX_BYTES):
                texts = _text(memory_before, start), _text(memory_after, start)
                if texts[0] != texts[1]:
                    location_text = f"{name}#{start:#x}" if name else f"{start:#x}"
                    yield Difference(location_text + owned, *texts)


def _chunks(memory: SparseMemory | None) -> set[int]:
    """Return where chunks with known memory begin."""
    return {
        start
        for address, data in ([] if memory is None else memory.runs())
        for start in range(address - address % _CHUNK, address + len(data), _CHUNK)
    }


def _known_parts(
    memory: SparseMemory | None, start: int, size_bytes: int
) -> list[tuple[int, bytes]]:
    return [] if memory is None else memory.known(start, size_bytes)


def _text(memory: SparseMemory | None, start: int) -> str:
    cells: list[int | None] = [None] * _MAX_BYTES
    for offset, data in _known_parts(memory, start, _MAX_BYTES):
        cells[offset : offset + len(data)] = data
    return " ".join("??" if byte is None else f"{byte:02x}" for byte in cells)
