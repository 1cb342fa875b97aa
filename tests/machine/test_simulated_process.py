"""Waves of several processors in one process: whose turn it is, and what a stop changes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.arch.amdgpu import GLOBAL
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.machine.core.load import load_core
from dwarfgpu.machine.simulated.debugger import simulated_process
from dwarfgpu.machine.simulated.debugger.simulated_process import SimulatedProcess
from dwarfgpu.machine.simulated.debugger.simulated_target import SimulatedTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.run.resumable_core import resumable_core
from tests.cli.command import FIXTURES
from tests.machine.two_gpus import Running, core_of

BUILT = ("gfx942.O0", "gfx1100.O0")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Two GPUs and an address: the first GPU writes there, the second one reads it."""
    files = [FIXTURES / f"run/integers.{built}.v5.co" for built in BUILT]
    data, buffers = core_of(
        [
            Running(files[0], "vadd", ("range:128", "range:128", "zeros:512")),
            Running(files[1], "vadd", ("range:128", "same:out", "zeros:512")),
        ]
    )
    path = tmp_path_factory.mktemp("core") / "two.core"
    path.write_bytes(data)
    return path, buffers[1]["out"]


def opened(path: Path, seed: int) -> SimulatedProcess:
    core = load_core(path)
    code = [CodeObject.of(file.file, file.load_address) for file in core.files]
    target = resumable_core(core, code, seed)
    assert isinstance(target, SimulatedProcess)
    return target


def left(target: SimulatedProcess, address: int) -> bytes:
    where = Memory(target.machines[0].architecture.address_space(GLOBAL))
    return target.read_memory(where, address, 512)


def result(
    path: Path, address: int, seed: int, stops: frozenset[int] = frozenset()
) -> tuple[bytes, int]:
    """What the second GPU leaves, and how often a wave stopped."""
    target, count = opened(path, seed), 0
    while (halt := target.resume(stops)).reason != "exited":
        assert halt.reason == "breakpoint-hit"
        count += 1
    return left(target, address), count


def test_the_order_is_a_function_of_the_seed(
    core: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With turns of few instructions the second GPU reads what the first one has stored so far."""
    monkeypatch.setattr(simulated_process, "TURN", 40)
    path, address = core
    results = {seed: result(path, address, seed)[0] for seed in range(4)}
    assert len(set(results.values())) > 1
    assert {seed: result(path, address, seed)[0] for seed in range(4)} == results


@pytest.mark.parametrize("seed", [0, 5])
def test_a_stop_does_not_change_the_schedule(
    seed: int, core: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulated_process, "TURN", 40)
    path, address = core
    expected, _ = result(path, address, seed)
    machines = opened(path, 0).machines
    pcs = [wave["pc"].data for machine in machines for wave in machine.waves.values()]
    entries = {int.from_bytes(pc, "little") for pc in pcs}
    stops = frozenset(entry + offset for entry in entries for offset in range(0, 1024, 4))
    again, count = result(path, address, seed, stops)
    assert again == expected and count > 500


def test_a_wave_of_the_other_processor_is_in_focus_when_the_last_of_one_ends(
    core: tuple[Path, int],
) -> None:
    target = opened(core[0], 0)
    first, second = (list(machine.waves) for machine in target.machines)
    for wave in first:
        with target.locked_to(wave):
            halt = target.resume(frozenset())
    assert halt.reason == "end-stepping-range" and halt.wave == second[0]
    assert list(target.waves) == second and all(map(target.has_ended, first))
    assert set(target.model.waves) == set(second)
    assert target.resume(frozenset()).reason == "exited"


def test_wrong_arguments(core: tuple[Path, int]) -> None:
    """They are named, and nothing has run."""
    process: Any = opened(core[0], 0)
    machine = process.machines[0]
    wave = next(iter(machine.waves))
    v1, none = machine.architecture.by_name["v1"], frozenset[int]()
    memory = Memory(machine.architecture.address_space(GLOBAL))

    def running(during: Callable[[], AbstractContextManager[None]]) -> None:
        with during():
            machine.resume(none)

    machine.step_instruction(wave)
    for call, message in (
        (lambda: machine.step_instruction(99), "wave 99 does not exist"),
        (lambda: machine.leave(99), "wave 99 does not exist"),
        (lambda: machine.step_range(wave, "a", "b", none, over_calls=False), "begin: expected int"),
        (lambda: machine.resume(5), "addresses: expected frozenset of int, not 5"),
        (lambda: machine.resume(["main"]), "addresses: expected frozenset of int, not an object"),
        (lambda: machine.run_on(none, "x"), "most: expected int or None, not 'x'"),
        (lambda: machine.watch([5]), r"watches\[0\]: expected Watch, not 5"),
        (lambda: machine.read_register(wave, "v1"), "register: expected RegisterInfo, not 'v1'"),
        (lambda: machine.set_register(wave, v1, [1, 2, 3, 4]), "data: expected bytes, not an"),
        (lambda: machine.set_register(wave, v1, b"abcd", 0, bytes(4)), "cannot be unknown"),
        (lambda: machine.forget_register(wave, v1, 0, 1 << 40), "byte 1099511627775 is outside"),
        (lambda: machine.forget_register(wave, v1, 0, -4), "bytes 0 to -4 of register v1"),
        (lambda: machine.architecture_of([]), "wave: expected int, not an object of list"),
        (lambda: machine.instructions_of([]), "wave: expected int, not an object of list"),
        (lambda: machine.instructions_of(99), "wave 99 does not exist"),
        (lambda: machine.instruction_of([]), "wave: expected int, not an object of list"),
        (lambda: machine.architecture_of_all(5), "waves: expected Sequence of int, not 5"),
        (lambda: machine.attach(5), "machine: expected RunningMachine, not 5"),
        (lambda: machine.attach(process.machines[0]._running, 5), "failed: expected .*, not 5"),
        (lambda: machine.observe(5), "observers: expected Observer, not 5"),
        (lambda: machine.halt_of(None), "stopped: expected Stopped, not None"),
        (lambda: machine.resume_call(wave, 5), "addresses: expected frozenset of int, not 5"),
        (lambda: machine.global_address(memory, 1.5, 4), "address: expected int, not 1.5"),
        (lambda: machine.read_memory(memory, 0, float("nan")), "size_bytes: expected int, not nan"),
        (lambda: machine.forget_memory(memory, 1.5, 4), "address: expected int, not 1.5"),
        (lambda: machine.set_memory(memory, 0, b"a"), "cannot access memory at address 0"),
        (lambda: running(lambda: machine.locked_to(99)), "wave 99 does not exist"),
        (lambda: running(lambda: machine.reporting(5)), "progress: expected a function or None"),
        (lambda: SimulatedTarget(machine).resume(none), "The program is not being run: start it"),
        (lambda: machine.model.used_lanes([]), "wave: expected int, not an object of list"),
        (lambda: machine.model.target_id(1.5), "wave: expected an integer, not 1.5"),
        (lambda: machine.model.lane_target_ids(wave, "x"), "lanes: expected an integer, not 'x'"),
        (lambda: process.read_register([], v1), "wave: expected int, not an object of list"),
        (lambda: process.read_memory(5, 0, 4), "where: expected Memory, not 5"),
        (lambda: process.watch([5]), r"watches\[0\]: expected Watch, not 5"),
        (lambda: process.used_lanes([]), "wave: expected int, not an object of list"),
    ):
        with pytest.raises(DwarfGpuError, match=message):
            call()
    assert machine.instructions == 1


def test_wrong_arguments_of_a_core(core: tuple[Path, int]) -> None:
    """They are named, and nothing is overridden."""
    gpu: Any = load_core(core[0]).target
    wave = next(iter(gpu.waves))
    assert gpu.architecture_of_all(range(10**12)) is None
    v1 = gpu.architecture_of(wave).by_name["v1"]
    memory = Memory(gpu.architecture_of(wave).address_space(GLOBAL))
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: gpu.wave([]), "wave: number: expected int, not an object of list"),
        (lambda: gpu.architecture_of([]), "expected int, not an object of list"),
        (lambda: gpu.architecture_of_all(5), "waves: expected Sequence of int, not 5"),
        (lambda: gpu.apertures_of({}), "wave: expected int, not an object of dict"),
        (lambda: gpu.used_lanes([]), "wave: expected int, not an object of list"),
        (lambda: gpu.lane_target_ids(wave, 5), "lanes: expected Iterable of int, not 5"),
        (lambda: gpu.is_given(wave, 5), "name: expected str, not 5"),
        (lambda: gpu.share_global_memory(5), "host: expected StateTarget, not 5"),
        (lambda: gpu.read_register(wave, "v1"), "register: expected RegisterInfo, not 'v1'"),
        (lambda: gpu.read_register(wave, v1, 0, 1.5), "size_bytes: expected int or None, not 1.5"),
        (lambda: gpu.write_register(wave, v1, 5), "data: expected bytes, not 5"),
        (lambda: gpu.read_memory(None, 0, 4), "where: expected Memory, not None"),
        (lambda: gpu.read_memory(memory, 1.5, 4), "address: expected int, not 1.5"),
        (lambda: gpu.read_memory(memory, 0, -4), "size_bytes: expected at least 0, not -4"),
        (lambda: gpu.known_memory(memory, 0, -4), "size_bytes: expected at least 0, not -4"),
        (lambda: gpu.known_memory(memory, 0, float("nan")), "size_bytes: expected int, not nan"),
        (lambda: gpu.write_memory(memory, 0, [1]), "data: expected bytes, not an object of list"),
    ]
    for call, message in calls:
        with pytest.raises(UsageError, match=message):
            call()
    assert not gpu.has_given_memory and not gpu.is_given(wave, "v1")
