"""Law: watchpoints stop waves that execute blocks where they stop those that execute instructions
one at a time."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from dwarfgpu.machine.run_control import Watch, WatchKind, WatchScope
from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.execution.watchpoints import WatchedRange, Watching, Watchpoints
from tests.cli.command import FIXTURES
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_executors import state
from tests.machine.simulated.test_kernels import begun

NAMES = ("vadd", "histogram", "reduce", "stack_array", "atomics", "generic_pointer")
BUILDS = ("gfx942.O2", "gfx90a.O0", "gfx1100.O2")
MAX_STOPS = 6


def scratch_of(machine: RunningMachine, wave: Any) -> int:
    """Where the private memory of a wave is in global memory."""
    for allocation in machine.global_memory.allocations:
        offset = (
            wave.scratch.__array_interface__["data"][0]
            - (allocation.data.__array_interface__["data"][0])
        )
        if wave.scratch.size and 0 <= offset < len(allocation.data):
            return allocation.start + int(offset)
    return 0


def ranges(machine: RunningMachine, lots: Random) -> list[WatchedRange]:
    """Some dwords of buffers, of LDS, and of private memory."""
    out = []
    for item in machine.global_memory.allocations:
        if item.name.startswith("buffer") or item.name == "scratch":
            for _ in range(2):
                at = item.start + 4 * lots.randrange(min(item.end - item.start, 1 << 12) // 4)
                out.append(WatchedRange(None, at, at + 4))
    for wave in machine.waves[:1]:
        for at in range(0, min(wave.lds.end, 64), 40):
            out.append(WatchedRange(wave.wave.workgroup, at, at + 4))
    return out


def stops(
    machine: RunningMachine, watched: list[WatchedRange], kind: WatchKind, scope: Any
) -> list[Any]:
    """What stops a machine, and where, with a watchpoint for each range."""

    def contents(part: WatchedRange) -> bytes:
        if part.workgroup is None:
            return machine.global_memory.read(part.begin, part.end - part.begin)
        wave = next(wave for wave in machine.waves if wave.wave.workgroup == part.workgroup)
        return wave.lds.data[part.begin : part.end].tobytes()

    watching = [
        Watching(Watch(n, kind, (), scope), partial(contents, part), bytes, (part,), None, [])
        for n, part in enumerate(watched)
    ]
    machine.observe(Watchpoints(watching, lambda wave: scratch_of(machine, wave)))
    out: list[Any] = []
    while (stopped := machine.run()) is not None and len(out) < MAX_STOPS:
        wave = stopped.wave
        out.append((stopped.watchpoints, stopped.text, wave.wave.id, wave.pc, wave.instructions))
    machine.observe()
    assert machine.run() is None
    return out


@pytest.mark.parametrize("kind", get_args(WatchKind))
@pytest.mark.parametrize("built", BUILDS)
def test_blocks_stop_where_instructions_do(built: str, kind: WatchKind, tmp_path: Path) -> None:
    """Each kernel with each kind and in each build, though not in all combinations."""
    seen = 0
    turn = BUILDS.index(built) + get_args(WatchKind).index(kind)
    for name in NAMES[turn % 2 :: 2]:
        kernel = KERNELS[name]
        results = []
        for executor in ("precise", "block"):
            machine, _ = begun(FIXTURES / "run" / f"{kernel.file}.{built}.v5.co", kernel, tmp_path)
            machine.executor = executor
            result = stops(machine, ranges(machine, Random(name + built)), kind, None)
            results.append((result, state(machine)))
        assert results[0] == results[1], name
        seen += len(results[0][0])
    assert seen > MAX_STOPS


@pytest.mark.parametrize("scoped", [False, True])
def test_only_accesses_of_what_is_watched_are_executed_alone(
    scoped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And all instructions of the wave in which an object's scope ends."""
    alone: list[int] = []
    step = RunningMachine.execute_next

    def counted(machine: RunningMachine, wave: SimulatedWave) -> Any:
        alone.append(wave.wave.id)
        return step(machine, wave)

    monkeypatch.setattr(RunningMachine, "execute_next", counted)
    kernel = KERNELS["vadd"]
    machine, _ = begun(FIXTURES / "run" / f"{kernel.file}.gfx942.O2.v5.co", kernel, tmp_path)
    last = machine.waves[-1]
    buffers = [item for item in machine.global_memory.allocations if item.name.startswith("buffer")]
    watched = [WatchedRange(None, buffers[0].start, buffers[0].start + 4)]
    scope = WatchScope(last.wave.id, ((last.pc, last.pc + 4096),), ()) if scoped else None
    result = stops(machine, watched, "access", scope)
    assert [numbers for numbers, text, *_ in result if text == "watchpoint"] == [(0,)]
    assert alone.count(machine.waves[0].wave.id) == 1
    assert alone.count(last.wave.id) == (last.instructions if scoped else 0)
