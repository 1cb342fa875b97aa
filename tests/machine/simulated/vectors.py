"""Programs with the state that they leave, as `shared/isa/README.md` describes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from dwarfgpu.arch.processors import processor as processor_named
from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine, Stopped
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program
from dwarfgpu.machine.simulated.storage.global_memory import Allocation, GlobalMemory
from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemories
from dwarfgpu.machine.simulated.storage.wave_registers import mask_of
from dwarfgpu.machine.topology import Wave

PATH = Path(__file__).resolve().parents[4] / "shared/isa/gfx11-vectors.jsonl"
_CODE, _POINTER, _BUFFER = 0x10000, 0x20000, 0x30000
_MODE = 0x3C0
"""Of kernel descriptors by default: f32 without denormals."""
_END = bytes.fromhex("0000b0bf")


def read() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]


def machine(
    code: bytes,
    lanes: int,
    processor: str = "gfx1100",
    size: int = 32,
    *,
    tracks_writes: bool = False,
) -> RunningMachine:
    """One wave that executes a piece of code, then ends."""
    global_memory = GlobalMemory()
    global_memory.add("code", _CODE, code + _END, is_writable=False)
    global_memory.add("pointer", _POINTER, _BUFFER.to_bytes(8, "little"))
    global_memory.add("buffer", _BUFFER, bytes(4096))
    program = Program(global_memory, processor, size, tracks_writes=tracks_writes)
    running = RunningMachine(global_memory, program, size)
    lds = Allocation("LDS", 0, bytes(1 << 16), True)
    scratch = np.zeros((1024, size), np.uint32)
    wave = SimulatedWave(
        Wave(1, 1, 0),
        size,
        256,
        256,
        global_memory,
        memories=WaveMemories(lds, 1 << 48, 2 << 48, scratch),
        pc=_CODE,
        generation=processor_named(processor).generation,
    )
    wave.set_mode(0x3F0)
    wave.set_exec((1 << lanes) - 1)
    wave.v[255][:] = np.arange(size)
    wave.s[80] = _POINTER
    running.waves = [wave]
    return running


def execute(record: dict[str, Any]) -> tuple[SimulatedWave, Stopped | None]:
    running = machine(bytes.fromhex(record["code"]), record["lanes"])
    running.waves[0].set_mode(_MODE)
    stopped = running.run(most=100_000)
    return running.waves[0], stopped


def differences(record: dict[str, Any], wave: SimulatedWave) -> list[str]:
    """What of the state is other than the record says."""
    lanes = record["lanes"]
    result = {f"v{n}": wave.v[n][:lanes].tolist() for n in range(16)}
    expected = {f"v{n}": record["v"][n] for n in range(16)}
    result |= {f"s{n}": wave.s[n] for n in range(16)}
    expected |= {f"s{n}": record["s"][n] for n in range(16)}
    for name in ("vcc", "scc", "exec"):
        result[name], expected[name] = getattr(wave, name), record[name]
    return [
        f"{name}: {result[name]}, not {expected[name]}"
        for name in result
        if result[name] != expected[name]
    ]


def known_lanes(wave: SimulatedWave, row: int) -> list[int]:
    """For each byte of a vector register, the lanes where all of it is known."""
    data = wave.known_bits(row).view(np.uint8)
    return [mask_of(data[byte::4] == 0xFF) for byte in range(4)]
