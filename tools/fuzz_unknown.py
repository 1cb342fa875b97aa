"""Execute random instructions with one source unknown, with several fills:
`python -m tools.fuzz_unknown [--seeds N] [gfx90a …]`.

What is known afterwards, and why a wave stops, must not depend on the fill: else the simulator
would invent it. A register that an instruction writes in part is left out (decision 0021).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

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
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.storage.unknown_contents import UnknownContents
from tools.fuzz_instructions import instruction_of, machine_of

FILLS: Final = (0, 0xFFFFFFFF, 0x3F800001, 0x7FC0DEAD)
_BANKS: Final = ("v", "a", "s", "vcc", "scc", "m0")
_M0: Final = 124
_WORD: Final = 0xFFFFFFFF
_WHOLE: Final = (1 << 64) - 1


def sources(instruction: Instruction) -> Iterator[Register | None]:
    """The registers that are unknown, one after the other; None: all memory is."""
    instruction_uses = uses(instruction)
    reads, _ = effects(instruction, instruction_uses)
    in_part = {
        operand.value
        for use in instruction_uses
        for operand in use.sources
        if operand.declared.name == "d"
    }
    for register in reads:
        if register.bank in _BANKS and not (register.bank in "va" and register in in_part):
            yield register
    yield None


def left(
    code: bytes, seed: int, instruction: Instruction, unknown: Register | None, fill: int
) -> object:
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
    wave: SimulatedWave, memories: Sequence[Allocation], unknown: Register | None, fill: int
) -> None:
    """Make a register unknown, or all memory."""
    if unknown is None:
        for allocation in memories:
            assert allocation.written is not None
            allocation.data[:], allocation.written[:] = fill & 0xFF, 0
        assert wave.scratch_written is not None
        wave.scratch[:], wave.scratch_written[:] = fill, 0
        return
    bank, numbers = unknown.bank, range(unknown.first, unknown.first + unknown.size)
    if bank == "scc":
        wave.scc = Undefined(fill & 1)
    elif bank == "m0":
        wave.s[_M0] = Undefined(fill)
    elif bank == "vcc":
        mask = sum(_WORD << 32 * number for number in numbers)
        wave.vcc = Undefined(wave.vcc & ~mask | (fill | fill << 32) & mask, _WHOLE & ~mask)
    for number in numbers if bank == "s" else ():
        wave.s[number] = Undefined(fill)
    for number in numbers if bank in "va" else ():
        wave.written[number + (wave.vgprs if bank == "a" else 0)] = 0
        (wave.v if bank == "v" else wave.av)[number][:] = fill


def _known(machine: RunningMachine, memories: Sequence[Allocation]) -> dict[str, Any]:
    [wave] = machine.waves
    out: dict[str, Any] = {"pc": wave.pc, "exec": wave.exec, "mode": int(wave.mode)}
    for name, number, mask in (("vcc", wave.vcc, _WHOLE), ("scc", wave.scc, 1)):
        known = known_bits(number) & mask
        out[name] = known, number & known
    for index, number in enumerate(wave.s):
        known = known_bits(number) & _WORD
        out[f"s{index}"] = known, number & known
    for bank, rows, first in (("v", wave.v, 0), ("a", wave.av, wave.vgprs)):
        for number in range(256):
            lanes = wave.written[first + number]
            on = [lane for lane in range(wave.lane_count) if lanes >> lane & 1]
            out[f"{bank}{number}"] = lanes, np.asarray(rows[number])[on].tobytes()
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
        for unknown in sources(instruction):
            first, *others = (left(code, seed, instruction, unknown, fill) for fill in FILLS)
            if any(other != first for other in others):
                name = "memory" if unknown is None else unknown.name
                yield f"{target} wave{wave_size} {code.hex()} {instruction.mnemonic}: {name}"


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
