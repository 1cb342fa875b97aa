"""Registers of waves and elements of memory: where they are, whatever the alignment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.machine.simulated.debugger.debugger_registers import contents, write_contents
from dwarfgpu.machine.simulated.execution.interpreter import Executor
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program, function_text
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.simulated.storage.wave_registers import Bank, shared_registers
from dwarfgpu.machine.topology import Wave
from tests.cli.command import FIXTURES
from tests.machine.simulated import programs, vectors
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_kernels import begun

START = 0x1003
SIZE = 4096
KINDS = (np.uint8, np.uint16, np.float32, np.uint64)


def waves(count: int) -> list[SimulatedWave]:
    return [SimulatedWave(Wave(n + 1, 1, n), 64, 8, 4, GlobalMemory(), 0xFD) for n in range(count)]


@pytest.mark.parametrize("lanes", [1, 64, 300])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("step", [1, 4, 8, 13])
@pytest.mark.parametrize("start", [0x1000, START])
def test_elements_are_those_of_the_bytes(lanes: int, count: int, step: int, start: int) -> None:
    numbers = np.random.default_rng(lanes + step)
    contents = numbers.integers(0, 256, SIZE, np.uint8)
    for kind in KINDS:
        global_memory = GlobalMemory()
        memory = global_memory.add("memory", start, contents.tobytes())
        size = np.dtype(kind).itemsize * count
        at = step * numbers.permutation((SIZE - size) // step + 1)[:lanes]
        addresses = (start + at).astype(np.uint64)
        raw = [contents[first : first + size].tobytes() for first in at]
        values = global_memory.gather(addresses, kind, count, None)
        assert np.ascontiguousarray(values.T).tobytes() == b"".join(raw)
        expected = bytearray(SIZE)
        memory.data[:] = 0
        for first, data in zip(at, raw, strict=True):
            expected[first : first + size] = data
        global_memory.scatter(addresses, values, None)
        assert memory.data.tobytes() == expected, kind


@pytest.mark.parametrize("bank", get_args(Bank))
def test_registers_of_waves_in_one_array(bank: Bank) -> None:
    some = waves(5)
    assert (shared_registers(some[:4], bank) == 0xFDFDFDFD).all()
    for number, wave in enumerate(some):
        getattr(wave, bank)[:] = number
    for part in (some[:4], some[1:3], some[3:1:-1], some[2:], some):
        whole = shared_registers(part, bank)
        assert whole.shape == (8 if bank == "vectors" else 4, len(part), 64)
        for number, wave in enumerate(part):
            assert np.shares_memory(whole[:, number], getattr(wave, bank))
            rows = wave.v if bank == "vectors" else wave.av
            assert whole[1, number, 0] == some.index(wave) == rows[1][0]
    whole = shared_registers(some, bank)
    assert np.shares_memory(shared_registers(some[1:3], bank), whole)


@pytest.mark.parametrize("executor", get_args(Executor))
def test_registers_that_no_instruction_names_are_not_made(
    executor: Executor, tmp_path: Path
) -> None:
    kernel = KERNELS["vadd"]
    machine, _ = begun(FIXTURES / "run" / f"{kernel.file}.gfx942.O2.v5.co", kernel, tmp_path)
    machine.executor = executor
    assert machine.run() is None
    assert not any("accumulators" in vars(wave) for wave in machine.waves)


def test_an_instruction_is_decoded_once_for_all_machines() -> None:
    code = programs.program(1, "gfx942", 64)
    steps: list[Any] = []
    for _ in range(2):
        global_memory = GlobalMemory()
        global_memory.add("code", programs.CODE, code, is_writable=False)
        steps.append(Program(global_memory, "gfx942", 64).step_at(programs.CODE))
    assert steps[0] is steps[1]


def test_constants_of_a_function_are_made_with_it() -> None:
    lines = ["a = u32(0x1f)", "b = u32(0x3f800000).view(f32)", "c = u32(a) + u32(0x1f)"]
    head, prologue, *body = function_text(lines).splitlines()
    assert head == (
        "def execute(w, k0=constant(u32, 0x1f), k1=constant(u32, 0x3f800000).view(f32)):"
    )
    assert [line.strip() for line in body] == ["a = k0", "b = k1", "c = u32(a) + k0"]
    assert prologue.strip() == "s = w.s"


@pytest.mark.parametrize(
    ("processor", "wave_size"),
    [("gfx803", 64), ("gfx90a", 64), ("gfx1010", 32), ("gfx1030", 32), ("gfx1100", 64),
     ("gfx1200", 32)],
)  # fmt: skip
def test_no_scalar_register_is_part_of_another(processor: str, wave_size: int) -> None:
    """Not flat_scratch or xnack_mask of GFX10 either, whose SGPRs go on to s105."""
    [wave] = vectors.machine(b"", wave_size, processor, wave_size).waves
    name = r"s\d+|ttmp\d+|m0|vcc|vcc_hi|flat_scratch|xnack_mask"
    by_name = {one.name: one for one in architecture(processor, wave_size).by_name.values()}
    registers = [register for key, register in by_name.items() if re.fullmatch(name, key)]
    assert len(registers) > 110
    for number, register in enumerate(registers):
        data = (0x1000 + number).to_bytes(register.size_bits // 8, "little")
        write_contents(wave, register, 0, data)
    numbers = [int.from_bytes(contents(wave, register) or b"", "little") for register in registers]
    assert numbers == [*range(0x1000, 0x1000 + len(registers))]
