"""An observer that records what each instruction of a running machine changes.

Law: every register whose bits differ after an instruction is in its entry, whatever wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from dwarfgpu.base.records import frozen
from dwarfgpu.isa.binding import effects
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.storage.scalar_slots import M0, PAIRS, TTMP
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes

if TYPE_CHECKING:
    from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
    from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory

_SPECIAL = ("vcc", "vcc_hi", "exec", "scc", "mode")
_FIRST_SLOTS = {"s": 0, **PAIRS}
_NAMES = {
    M0: "m0",
    **{TTMP + number: f"ttmp{number}" for number in range(16)},
    **{
        first + high: f"{name}_{half}"
        for name, first in PAIRS.items()
        for high, half in enumerate(("lo", "hi"))
    },
}


@frozen(eq=False)
class RegisterChange:
    """A register that an instruction has changed."""

    name: str
    """As assembler text has it; of a vector register one dword: `v4`."""
    lanes: tuple[int, ...] | None
    """Those whose dword has changed; None of a scalar register."""
    values: tuple[int, ...]
    """New contents: of each of these lanes, or of the scalar register."""
    size_bytes: int


@frozen(eq=False)
class MemoryAccess:
    """What an instruction has read or written in one memory."""

    space: str
    """`global`, `local` or `private`."""
    is_read: bool
    is_written: bool
    size_bytes: int
    """At each address."""
    lanes: tuple[int, ...] | None
    """The lanes of the addresses; None for a scalar access."""
    addresses: tuple[int, ...]


@frozen(eq=False)
class TraceEntry:
    """An instruction that was executed."""

    wave: int
    pc: int
    text: str
    registers: tuple[RegisterChange, ...]
    accesses: tuple[MemoryAccess, ...]


@frozen(eq=False)
class _Before:
    scalars: list[int]
    special: tuple[int, ...]
    vectors: Lanes


class Trace:
    """An observer that hands on an entry for each instruction."""

    def __init__(self, emit: Callable[[TraceEntry], None], wave: int | None = None) -> None:
        """`wave`: the only one that is traced."""
        self._emit = emit
        self._wave = wave
        self._before: _Before | None = None
        self._accesses: list[MemoryAccess] = []

    def before(self, wave: WaveMemory, step: Step) -> None:
        if self._wave in (None, wave.wave.id):
            self._accesses.clear()
            self._before = _Before(list(wave.s), _special(wave), _vectors(wave))

    def access(self, wave: WaveMemory, access: Access) -> None:
        lanes = None if access.lanes is None else tuple(map(int, access.lanes))
        addresses = tuple(map(int, access.addresses))
        self._accesses.append(
            MemoryAccess(
                access.space,
                access.is_read,
                access.is_written,
                access.size_bytes,
                lanes,
                addresses,
            )
        )

    def after(self, wave: WaveMemory, step: Step) -> None:
        before, self._before = self._before, None
        if before is None:
            return
        instruction = step.instruction
        registers = tuple(_changes(wave, before, effects(instruction).writes))
        text = instruction.text.strip()
        self._emit(
            TraceEntry(wave.wave.id, instruction.address, text, registers, tuple(self._accesses))
        )


def _vectors(wave: WaveMemory) -> Lanes:
    """Return all VGPRs, then all AGPRs."""
    return np.concatenate([wave.vectors, wave.accumulators])


def _special(wave: WaveMemory) -> tuple[int, ...]:
    """Return what those of `_SPECIAL` contain; VCC of 32 lanes is `vcc_lo`, and `vcc_hi` another
    register."""
    vcc, vcc_hi = (wave.vcc_of_lanes, wave.vcc >> 32) if wave.lane_count == 32 else (wave.vcc, 0)
    return int(vcc), int(vcc_hi), int(wave.exec), int(wave.scc), int(wave.mode)


def _changes(
    wave: WaveMemory, before: _Before, written: tuple[Register, ...]
) -> Iterator[RegisterChange]:
    scalars = {n for n, value in enumerate(wave.s) if value != before.scalars[n]}
    for register in written:  # registers of several dwords as the instruction has them
        first = _FIRST_SLOTS.get(register.bank, -1) + register.first
        numbers = range(first, first + register.size)
        if register.bank in _FIRST_SLOTS and not scalars.isdisjoint(numbers):
            value = sum(int(wave.s[n]) << 32 * index for index, n in enumerate(numbers))
            yield RegisterChange(register.name, None, (value,), 4 * register.size)
            scalars -= set(numbers)
    for number in sorted(scalars):
        name = _NAMES.get(number, f"s{number}")
        yield RegisterChange(name, None, (int(wave.s[number]),), 4)
    sizes = {"vcc": wave.lane_count // 8, "exec": wave.lane_count // 8}
    for name, old, new in zip(_SPECIAL, before.special, _special(wave), strict=True):
        if old != new:
            yield RegisterChange(name, None, (new,), sizes.get(name, 4))
    vectors = _vectors(wave)
    differs = vectors != before.vectors
    for row in np.flatnonzero(differs.any(axis=1)).tolist():
        name = f"v{row}" if row < wave.vgprs else f"a{row - wave.vgprs}"
        lanes = np.flatnonzero(differs[row])
        values = tuple(vectors[row][lanes].tolist())
        yield RegisterChange(name, tuple(lanes.tolist()), values, 4)
