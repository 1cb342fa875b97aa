"""Law: whose turn it is is a function of seed and state: what is left behind is the same, however
waves were stepped and stopped on the way.

`DWARFGPU_SCHEDULE_RUNS` is the number of stepped runs of each program; 2 without it.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.execution import interpreter, schedule
from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine
from dwarfgpu.machine.simulated.execution.observers import ObservedStop, Observer
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory
from tests.machine.simulated import programs
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_executors import TARGETS, state
from tests.machine.simulated.test_kernels import RUN, begun

RUNS = int(os.environ.get("DWARFGPU_SCHEDULE_RUNS", "2"))


class Passive:
    """An observer that changes nothing."""

    def before(self, wave: WaveMemory, step: Step) -> None: ...

    def access(self, wave: WaveMemory, access: Access) -> None: ...

    def after(self, wave: WaveMemory, step: Step) -> ObservedStop | None:
        return None


def racing_code(seed: int, target: str, wave_size: int) -> bytes:
    """A random program; before and after it each wave writes words of all waves."""
    code = decoder(target, wave_size)
    first, last = (programs.access(target, wave_size, "store", n, 128 * n) for n in (2, 4))
    middle = programs.program(seed, target, wave_size, count=20)
    end = programs.encoded(code, "s_endpgm")
    assert middle.endswith(end)
    read = programs.access(target, wave_size, "load", 4, 256)
    return first + middle.removesuffix(end) + read + last + end


def racing(seed: int, target: str, wave_size: int) -> RunningMachine:
    """Waves that read and write the same words without order."""
    code = racing_code(seed, target, wave_size)
    machine = programs.machine_of(code, seed, target, wave_size)
    for wave in machine.waves:
        for register in (programs.ADDRESS, programs.LDS_ADDRESS):
            wave.v[register][:] = machine.waves[0].v[register]
    for waves in machine.groups().values():
        for wave in waves:
            wave.group = waves
    machine.schedule.seed = seed
    return machine


def step_about(machine: RunningMachine, rng: random.Random, code_bytes: int) -> None:
    """Some stops and steps, of any waves."""
    observers: tuple[Observer, ...] = ()
    for _ in range(rng.randrange(5, 30)):
        running = [wave for wave in machine.waves if not wave.is_ended]
        if not running:
            return
        places = range(programs.CODE, programs.CODE + code_bytes, 4)
        breakpoints = frozenset(rng.sample(places, 3))
        match rng.randrange(4):
            case 0:
                assert machine.run(most=machine.instructions + rng.randrange(1, 60)) is None
            case 1:
                stopped = machine.run(breakpoints=breakpoints)
                if stopped is not None:
                    stopped.wave.reported_pc = stopped.wave.pc
            case 2:
                wave = rng.choice(running)
                for _ in range(rng.randrange(1, 40)):
                    if wave.is_ended:
                        break
                    stopped = machine.step(wave, breakpoints)
                    if stopped is not None:
                        assert stopped.is_inserted
                        stopped.wave.reported_pc = stopped.wave.pc
            case _:
                observers = () if observers else (Passive(),)
                machine.observe(*observers)


@pytest.mark.parametrize(("target", "wave_size"), TARGETS)
def test_steps_change_nothing(target: str, wave_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "QUANTUM", 16)
    has_mattered = False
    for seed in range(3):
        whole = racing(seed, target, wave_size)
        assert whole.run() is None
        expected = state(whole)
        other = racing(seed, target, wave_size)
        other.schedule.seed += 100
        assert other.run() is None
        has_mattered |= state(other)["memory"] != expected["memory"]
        code_bytes = whole.global_memory.allocations[0].end - programs.CODE
        executors: tuple[Executor, ...] = ("precise", "block", "lockstep")
        for number in range(RUNS):
            rng = random.Random(1000 * seed + number)
            machine = racing(seed, target, wave_size)
            machine.executor = rng.choice(executors)
            step_about(machine, rng, code_bytes)
            assert machine.run() is None
            result = state(machine)
            assert [name for name in expected if result[name] != expected[name]] == [], (
                seed,
                number,
            )
    assert has_mattered  # else the order of waves is no matter, and this shows nothing


def test_a_call_that_is_passed_over_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each wave in turn passes over what it calls; a recursive function calls itself."""
    monkeypatch.setattr(schedule, "QUANTUM", 50)
    kernel = KERNELS["recursion"]
    path = RUN / f"{kernel.file}.gfx942.O0.v5.co"
    whole, _ = begun(path, kernel, tmp_path)
    assert whole.run() is None
    machine, _ = begun(path, kernel, tmp_path)
    machine.executor = "block"
    calls = 0
    while any(not wave.is_ended for wave in machine.waves):
        wave = max((w for w in machine.waves if not w.is_ended), key=lambda w: w.wave.id)
        is_call, before = machine.is_at_call(wave), (wave.pc, wave.s[interpreter.STACK_POINTER])
        assert machine.step(wave) is None
        if is_call:
            calls += 1
            assert machine.run_until_return(wave, before, frozenset()) is None
            assert wave.s[interpreter.STACK_POINTER] == before[1]
            assert wave.pc == machine.program.step_at(before[0]).next_pc
    assert 0 < calls < 10
    assert state(machine) == state(whole)
