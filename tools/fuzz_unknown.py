"""Execute random instructions with one source unknown, with several fills:
`python -m tools.fuzz_unknown [--seeds N] [gfx90a …]`.

Of a register, all bytes are unknown, then some of them. What is known afterwards, and why a
wave stops, must not depend on the fill: else the simulator would invent it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dwarfgpu.isa.binding import effects, uses
from dwarfgpu.isa.decode import decoder
from dwarfgpu.isa.instruction import Encoding, Instruction
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program, why_not_simulated
from dwarfgpu.machine.simulated.storage.global_memory import Allocation
from dwarfgpu.machine.simulated.storage.scalar_slots import M0, TTMP, XNACK_MASK
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.unknown.unknown_contents import UnknownContents
from tools.fuzz_instructions import instruction_of, machine_of

FILLS: Final = (0, 0xFFFFFFFF, 0x3F800001, 0x7FC0DEAD)
_BANKS: Final = ("v", "a", "s", "vcc", "scc", "m0", "ttmp", "xnack_mask")
_FIRST: Final = {"s": 0, "xnack_mask": XNACK_MASK, "ttmp": TTMP, "m0": M0}
_WORD: Final = 0xFFFFFFFF
_WHOLE: Final = (1 << 64) - 1
_WHOLE_DWORD: Final = 0b1111
_PARTS: Final = (*(0b0011, 0b1100) * 3, 0b0001, 0b0010, 0b0100, 0b1000, 0b0111, 0b1110)
"""Bytes of a dword that are unknown: halves most often."""


class Unknown(NamedTuple):
    """What is unknown before an instruction."""

    register: Register | None
    """None: all memory."""
    selected: int
    """The mask of the bytes of each dword."""

    @property
    def bits(self) -> int:
        """The mask of the bits of each dword."""
        return sum(0xFF << 8 * byte for byte in range(4) if self.selected >> byte & 1)

    @property
    def name(self) -> str:
        if self.register is None:
            return "memory"
        return f"{self.register.name} {self.selected:04b}"


def sources(rng: Random, instruction: Instruction) -> Iterator[Unknown]:
    """What is unknown, one after the other: the sources, and vector registers that are written."""
    instruction_uses = uses(instruction)
    reads, writes = effects(instruction, instruction_uses)
    vectors = (register for register in writes if register.bank in "va")
    for register in dict.fromkeys((*reads, *vectors)):
        if register.bank in _BANKS:
            yield Unknown(register, _WHOLE_DWORD)
        if register.bank in _BANKS and register.bank != "scc":
            yield Unknown(register, rng.choice(_PARTS))
    yield Unknown(None, _WHOLE_DWORD)


def left(code: bytes, seed: int, instruction: Instruction, unknown: Unknown, fill: int) -> object:
    """What a wave knows after an instruction with an unknown source, or why it stopped."""
    target = instruction.encoding.format.target
    machine = machine_of(code, seed, target.processor, target.wave_size)
    machine.program = Program(
        machine.global_memory, target.processor, target.wave_size, tracks_writes=True
    )
    machine.waves = machine.waves[:1]
    [wave] = machine.waves
    wave.written = [wave.all_lanes] * len(wave.written)
    memories = [wave.lds, *machine.global_memory.allocations[1:]]
    for allocation in memories:
        allocation.written = np.full(allocation.end - allocation.start, 0xFF, np.uint8)
    wave.scratch_written = np.full(wave.scratch.shape, _WORD, np.uint32)
    _forget(wave, memories, unknown, fill)
    machine.global_memory.is_partial = True
    machine.observe(UnknownContents(machine))
    machine.executor = "precise"
    stopped = machine.run(1)
    return (stopped.reason, stopped.text) if stopped else _known(machine, memories)


def _forget(
    wave: SimulatedWave, memories: Sequence[Allocation], unknown: Unknown, fill: int
) -> None:
    """Make a register unknown, or all memory."""
    register = unknown.register
    if register is None:
        for allocation in memories:
            assert allocation.written is not None
            allocation.data[:], allocation.written[:] = fill & 0xFF, 0
        assert wave.scratch_written is not None
        wave.scratch[:], wave.scratch_written[:] = fill, 0
        return
    bank, numbers = register.bank, range(register.first, register.first + register.size)
    if bank == "scc":
        wave.scc = Undefined(fill & 1)
    elif bank == "vcc":
        mask = sum(unknown.bits << 32 * number for number in numbers)
        wave.vcc = Undefined(wave.vcc & ~mask | (fill | fill << 32) & mask, _WHOLE & ~mask)
    for number in numbers if bank in _FIRST else ():
        index, bits = number + _FIRST[bank], unknown.bits
        wave.s[index] = Undefined(wave.s[index] & ~bits | fill & bits, _WORD & ~bits)
    for number in numbers if bank in "va" else ():
        row = number + (wave.vgprs if bank == "a" else 0)
        wave.forget_bytes(row, unknown.selected, wave.all_lanes)
        lanes = (wave.v if bank == "v" else wave.av)[number]
        for byte in range(4):
            if unknown.selected >> byte & 1:
                lanes.view(np.uint8)[byte::4] = fill >> 8 * byte & 0xFF


def _known(machine: RunningMachine, memories: Sequence[Allocation]) -> dict[str, Any]:
    [wave] = machine.waves
    out: dict[str, Any] = {"pc": wave.pc, "exec": wave.exec, "mode": int(wave.mode)}
    for name, number, mask in (("vcc", wave.vcc, _WHOLE), ("scc", wave.scc, 1)):
        known = known_bits(number) & mask
        out[name] = known, number & known
    for index, number in enumerate(wave.s):
        known = known_bits(number) & _WORD
        out[f"s{index}"] = known, number & known
    for bank, rows, first in (("v", wave.vectors, 0), ("a", wave.accumulators, wave.vgprs)):
        data = rows.copy()
        for number in range(256):
            if wave.written[first + number] != wave.all_lanes:
                known_in_lanes = wave.known_bits(first + number)
                data[number] &= known_in_lanes
                out[f"{bank}{number}"] = known_in_lanes.tolist()
        out[bank] = data.tobytes()
    for allocation in memories:
        marks = allocation.written
        assert marks is not None
        out[allocation.name] = marks.tobytes(), allocation.data[marks == 0xFF].tobytes()
    words = wave.scratch_written
    assert words is not None
    out["scratch"] = words.tobytes(), (wave.scratch & words).tobytes()
    return out


def findings(
    target: str, wave_size: int, seed: int, encodings: Sequence[Encoding] | None = None
) -> Iterator[str]:
    """What depends on the fill, one line each."""
    machine = decoder(target, wave_size)
    for encoding in machine.encodings if encodings is None else encodings:
        try:
            rng = Random(f"{target}{encoding.mnemonic}{seed}")
            code, instruction = instruction_of(rng, machine, encoding)
        except ValueError:
            continue
        if why_not_simulated(instruction):
            continue
        for unknown in sources(rng, instruction):
            first, *others = (left(code, seed, instruction, unknown, fill) for fill in FILLS)
            if any(other != first for other in others):
                text = f"{code.hex()} {instruction.mnemonic}"
                yield f"{target} wave{wave_size} {text}: {unknown.name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "targets",
        nargs="*",
        default=["gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200"],
    )
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    count = 0
    for target in arguments.targets:
        for size in (64,) if target.startswith("gfx9") else (32, 64):
            for seed in range(arguments.seeds):
                for line in findings(target, size, seed):
                    print(line, flush=True)
                    count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
