"""Every encoding of every processor with random operands, executed by all executors.

    python -m tools.fuzz_instructions --rounds 10 [--seed N] [--targets gfx90a,gfx1100:64]

An instruction either executes, or a wave stops before it for a reason that has a name: memory, an
address, a trap, "not simulated". The executors agree, and `why_not_simulated` has said so of what
the bits alone decide. Anything else is printed, with the seed and the bytes that show it again.
Without `--targets`, those of `TARGETS`: processors whose tables differ.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final, get_args

import numpy as np

from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.instruction import Encoding, Instruction
from dwarfgpu.isa.operands import OperandKind
from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine, Stopped
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program, why_not_simulated
from dwarfgpu.machine.simulated.storage.global_memory import Allocation, GlobalMemory
from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemories
from dwarfgpu.machine.topology import StopReason, Wave

TARGETS: Final = (
    *(("gfx803", 64), ("gfx900", 64), ("gfx906", 64), ("gfx908", 64), ("gfx90a", 64)),
    *(
        ("gfx942", 64),
        ("gfx950", 64),
        ("gfx1010", 32),
        ("gfx1011", 64),
        ("gfx1030", 32),
        ("gfx1030", 64),
    ),
    *(("gfx1100", 32), ("gfx1100", 64), ("gfx1150", 32), ("gfx1200", 32), ("gfx1200", 64)),
)
_CODE, _MEMORY, _WAVES = 0x10000, 0x20000, 4
_OWN_BYTES: Final = 4096
"""Of global memory for each wave."""
_ADDRESS, _LDS_ADDRESS, BASE = 14, 12, 40
"""VGPRs and SGPRs that have the addresses of memory."""
_MOST: Final = 40
"""Instructions: a branch may be to itself."""
_TRIES: Final = 60
_CONTENTS: Final = (
    "by an index", ", which M0 gives", "a scalar access to", "a counter of LDS by M0",
    "inactive lanes", "elements of a swizzled buffer", "is unknown to dwarfgpu",
)  # fmt: skip
"""In the texts of stops that depend on what registers have."""
_END: Final = {**dict.fromkeys((8, 9, 10), 0xBF810000), **dict.fromkeys((11, 12), 0xBFB00000)}


def instruction_of(rng: Random, machine: Decoder, encoding: Encoding) -> tuple[bytes, Instruction]:
    """Random bytes that are decoded as this encoding, most with operands that it takes.

    `ValueError` where none are found.
    """
    form = encoding.format
    for _ in range(_TRIES):
        is_valid = rng.random() < 0.8
        word = encoding.value
        for name, kind, field in zip(form.names, form.kinds, form.fields, strict=True):
            width = max((mask.bit_length() + first for _, mask, first in field.runs), default=0)
            placed = 0
            for _ in range(_TRIES):
                number = _number(rng, name, width)
                placed = sum((number >> first & mask) << bit for bit, mask, first in field.runs)
                if _is_suitable(kind, field.of(placed), is_valid=is_valid):
                    break
            word |= placed
        code = word.to_bytes(form.size, "little") + rng.randbytes(16)
        instruction = machine.decode(code)
        if instruction is not None and instruction.encoding is encoding:
            return code[: instruction.size], instruction
    raise ValueError(f"{encoding.mnemonic}: no bytes found")


def _number(rng: Random, name: str, width: int) -> int:
    """A field; addresses are often those of memory."""
    number = rng.getrandbits(width) if width else 0
    if rng.random() < 0.4:
        return number
    if "modifiers" in name:
        return 0
    if name.startswith("offset"):
        return number & 0x1C
    addresses = {"vaddr": _ADDRESS, "addr": _LDS_ADDRESS, "sbase": BASE, "srsrc": BASE}
    return addresses.get(name, number)


def _is_suitable(kind: OperandKind, field: int, *, is_valid: bool) -> bool:
    value = kind.value(field)
    return value is not None and (not is_valid or kind.takes(value))


def machine_of(code: bytes, seed: int, target: str, wave_size: int) -> RunningMachine:
    """Four waves of two workgroups before some code, with random registers and memory.

    By the seed, one wave or all waves may have no active lane.
    """
    numbers = np.random.default_rng(seed)
    global_memory = GlobalMemory()
    generation = decoder(target, wave_size).target.generation
    end = _END[generation].to_bytes(4, "little")
    global_memory.add("code", _CODE, code + end, is_writable=False)
    memory = global_memory.add("memory", _MEMORY, bytes(_WAVES * _OWN_BYTES))
    memory.data[:] = numbers.integers(0, 256, memory.data.shape, np.uint8)
    running = RunningMachine(global_memory, Program(global_memory, target, wave_size), wave_size)
    local = [Allocation(f"LDS {group}", 0, bytes(4096), True) for group in range(2)]
    for number in range(_WAVES):
        scratch = np.zeros((64, wave_size), np.uint32)
        wave = SimulatedWave(
            Wave(number + 1, number // 2 + 1, number),
            wave_size,
            256,
            256,
            global_memory,
            memories=WaveMemories(local[number // 2], 1 << 48, 2 << 48, scratch),
            pc=_CODE,
            generation=generation,
        )
        wave.set_mode(0x3F0)
        mask = int(numbers.integers(1, 1 << 63)) | 1
        wave.set_exec(0 if seed % 16 in (number, _WAVES) else mask)
        wave.s[:] = [int(item) for item in numbers.integers(0, 1 << 32, len(wave.s))]
        for rows in (wave.vectors, wave.accumulators):
            rows[:] = numbers.integers(0, 1 << 32, rows.shape, np.uint32)
        base = _MEMORY + number * _OWN_BYTES
        wave.s[BASE : BASE + 4] = base, 0, _OWN_BYTES, 0x30027FAC
        wave.v[_ADDRESS][:] = base + 16 * wave.lane
        wave.v[_ADDRESS + 1][:] = 0
        wave.v[_LDS_ADDRESS][:] = 16 * wave.lane
        running.waves.append(wave)
    return running


def left(machine: RunningMachine, stopped: Stopped | None) -> dict[str, Any]:
    """Why a machine stopped, and all that a program can see of it."""
    out: dict[str, Any] = {"instructions": machine.instructions}
    if stopped is not None:
        out["stop"] = stopped.wave.wave.id, stopped.reason, stopped.text, stopped.lanes
    for allocation in machine.global_memory.allocations:
        out[allocation.name] = allocation.data.tobytes()
    for wave in machine.waves:
        names = ("pc", "s", "vcc", "exec", "scc", "mode", "is_ended", "is_waiting", "is_halted")
        values = [getattr(wave, name) for name in names]
        memories = wave.vectors, wave.accumulators, wave.lds.data, wave.scratch
        arrays = [memory.tobytes() for memory in memories]
        out[f"wave {wave.wave.id}"] = values, arrays
    return out


def finding(code: bytes, instruction: Instruction, seed: int) -> str | None:
    """What is wrong with how an instruction executes; None where nothing is."""
    target = instruction.encoding.format.target
    expected: dict[str, Any] | None = None
    for executor in get_args(Executor):
        if executor == "lockstep" and expected and expected["instructions"] >= _MOST:
            continue  # it has no limit
        machine = machine_of(code, seed, target.processor, target.wave_size)
        machine.executor = executor
        try:
            stopped = machine.run(None if executor == "lockstep" else _MOST)
        except (ArithmeticError, LookupError, AssertionError, TypeError, ValueError, NameError,
                AttributeError, RuntimeError) as error:  # fmt: skip
            [*_, last] = traceback.extract_tb(error.__traceback__)
            return f"{executor}: {type(error).__name__}: {error} ({last.name}, line {last.lineno})"
        after = left(machine, stopped)
        if expected is None:
            expected = after
            if stopped is not None and (text := _unannounced(stopped, instruction)):
                return text
        elif after != expected:
            names = [name for name in expected if after.get(name) != expected[name]]
            return f"{executor}: other {', '.join(names) or 'stop'}"
    return None


def _unannounced(stopped: Stopped, instruction: Instruction) -> str | None:
    """A stop that its instruction should have foretold."""
    if stopped.reason is not StopReason.NOT_SIMULATED or why_not_simulated(instruction):
        return None
    is_of_contents = any(part in stopped.text for part in _CONTENTS)
    return None if is_of_contents else f"not announced: {stopped.text}"


def findings(
    target: str, wave_size: int, seed: int, encodings: Sequence[Encoding] | None = None
) -> Iterator[str]:
    """Lines about what is wrong, of all encodings of a processor or of some, one time each."""
    machine = decoder(target, wave_size)
    rng = Random(seed)
    for encoding in machine.encodings if encodings is None else encodings:
        code, instruction = instruction_of(rng, machine, encoding)
        problem = finding(code, instruction, rng.getrandbits(30))
        if problem is not None:
            text = instruction.text.strip()
            yield f"{target} wave{wave_size} seed {seed}: {code.hex()} {text}: {problem}"


def targets_of(text: str | None) -> Sequence[tuple[str, int]]:
    """Return the processors and wave sizes that `--targets` names."""
    if not text:
        return TARGETS
    names = [item.partition(":") for item in text.split(",")]
    return [
        (name, int(size) if size else decoder(name).target.wave_size) for name, _, size in names
    ]


def run(description: str, find: Callable[[str, int, int], Iterator[str]]) -> int:
    """Print what is found of processors, wave sizes and seeds that the command line names; the exit
    status, 1 if there was anything."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=1, help="times that each encoding is tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", help="processors, separated by commas; gfx1100:64 of wave64")
    arguments = parser.parse_args()
    count = 0
    for seed in range(arguments.seed, arguments.seed + arguments.rounds):
        for target, wave_size in targets_of(arguments.targets):
            for line in find(target, wave_size, seed):
                count += 1
                print(line, flush=True)
            print(f"{target} wave{wave_size} seed {seed}: done", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(run(__doc__.partition("\n")[0], findings))
