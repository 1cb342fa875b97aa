"""A trace has every change of a register: replayed from the start, it gives the end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.execution.trace import RegisterChange, Trace, TraceEntry
from tests.cli.command import FIXTURES
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_kernels import begun

_SCALAR = re.compile(r"(s|ttmp)\[?(\d+)(?::(\d+))?\]?")


def replayed(change: RegisterChange, scalars: list[int], vectors: np.ndarray, vgprs: int) -> None:
    if change.lanes is not None:
        row = int(change.name[1:]) + (vgprs if change.name[0] == "a" else 0)
        vectors[row, list(change.lanes)] = change.values
        return
    match = _SCALAR.fullmatch(change.name)
    if match is not None or change.name == "m0":
        first = 124 if match is None else int(match[2]) + (108 if match[1] == "ttmp" else 0)
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
        last = {"exec": wave.exec, "scc": wave.scc}
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
