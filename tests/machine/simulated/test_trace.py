"""A trace has every change of a register: replayed from the start, it gives the end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.execution.trace import RegisterChange, Trace, TraceEntry
from dwarfgpu.machine.simulated.storage.scalar_slots import M0, PAIRS, TTMP
from tests.cli.command import FIXTURES
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_kernels import begun
from tests.machine.simulated.vectors import machine as machine_of

_SCALAR = re.compile(r"(s|ttmp)\[?(\d+)(?::(\d+))?\]?")
_NAMED = {
    "m0": M0,
    **{f"{name}{end}": first + (end == "_hi") for name, first in PAIRS.items()
       for end in ("", "_lo", "_hi")},
}  # fmt: skip


def replayed(change: RegisterChange, scalars: list[int], vectors: np.ndarray, vgprs: int) -> None:
    if change.lanes is not None:
        row = int(change.name[1:]) + (vgprs if change.name[0] == "a" else 0)
        vectors[row, list(change.lanes)] = change.values
        return
    match = _SCALAR.fullmatch(change.name)
    if match is not None or change.name in _NAMED:
        first = _NAMED[change.name] if match is None else int(match[2]) + TTMP * (match[1] != "s")
        for at in range(change.size_bytes // 4):
            scalars[first + at] = change.values[0] >> 32 * at & 0xFFFFFFFF


def all_vectors(wave: SimulatedWave) -> Any:
    return np.concatenate([wave.vectors, wave.accumulators])


@pytest.mark.parametrize("built", ["gfx90a.O0", "gfx942.O2", "gfx1100.O2", "gfx1200.O0"])
@pytest.mark.parametrize("name", ["vadd", "nest", "reduce", "longs"])
def test_changes_lead_from_the_start_to_the_end(name: str, built: str, tmp_path: Path) -> None:
    kernel = KERNELS[name]
    machine, _ = begun(FIXTURES / "run" / f"{kernel.file}.{built}.v5.co", kernel, tmp_path)
    entries: list[TraceEntry] = []
    machine.observe(Trace(entries.append))
    starts = [(list(wave.s), all_vectors(wave)) for wave in machine.waves]
    assert machine.run() is None
    assert len(entries) == machine.instructions
    for wave, (scalars, vectors) in zip(machine.waves, starts, strict=True):
        last = {"exec": wave.exec, "scc": wave.scc, "vcc": wave.vcc_of_lanes}
        seen = dict(last)
        for entry in entries:
            for change in entry.registers if entry.wave == wave.wave.id else ():
                replayed(change, scalars, vectors, wave.vgprs)
                seen[change.name] = change.values[0]
        assert scalars == list(wave.s)
        assert (vectors == all_vectors(wave)).all()
        assert {key: seen[key] for key in last} == last


def test_only_a_chosen_wave_is_traced(tmp_path: Path) -> None:
    kernel = KERNELS["vadd"]
    path = FIXTURES / "run" / f"{kernel.file}.gfx942.O2.v5.co"
    machine, _ = begun(path, kernel, tmp_path)
    entries: list[TraceEntry] = []
    machine.observe(Trace(entries.append, wave=2))
    machine.run()
    assert {entry.wave for entry in entries} == {2}
    spaces = {(a.space, a.is_read, a.size_bytes) for e in entries for a in e.accesses}
    assert spaces >= {("global", True, 4), ("global", False, 4)}


@pytest.mark.parametrize(
    ("processor", "code", "name", "value", "size_bytes"),
    [
        ("gfx1030", "0403eabe", "vcc", 0x1234, 4),  # s_mov_b32 vcc_lo, s4
        ("gfx1030", "0403ebbe", "vcc_hi", 0x1234, 4),  # s_mov_b32 vcc_hi, s4
        ("gfx900", "0400eabe", "vcc", 0x1234, 8),  # s_mov_b32 vcc_lo, s4
        ("gfx900", "0401eabe", "vcc", 0x567800001234, 8),  # s_mov_b64 vcc, s[4:5]
        ("gfx900", "0400e7be", "flat_scratch_hi", 0x1234, 4),  # s_mov_b32 flat_scratch_hi, s4
        ("gfx900", "0401e6be", "flat_scratch", 0x567800001234, 8),  # s_mov_b64 flat_scratch, s[4:5]
        ("gfx900", "0400e9be", "xnack_mask_hi", 0x1234, 4),  # s_mov_b32 xnack_mask_hi, s4
    ],
)
def test_registers_have_the_names_and_sizes_of_the_prompt(
    processor: str, code: str, name: str, value: int, size_bytes: int
) -> None:
    """In wave32, VCC has 32 bits, and `vcc_hi` is a register of its own."""
    size = 64 if processor == "gfx900" else 32
    machine = machine_of(bytes.fromhex(f"{code}000081bf"), 4, processor, size)
    [wave] = machine.waves
    wave.s[4:6], wave.vcc = [0x1234, 0x5678], 0
    entries: list[TraceEntry] = []
    machine.observe(Trace(entries.append))
    assert machine.run() is None
    [change] = entries[0].registers
    assert (change.name, change.values, change.size_bytes) == (name, (value,), size_bytes)
