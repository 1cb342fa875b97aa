"""Law: executors leave the same state, at the end and at every stop.

`DWARFGPU_EXECUTOR_PROGRAMS` is the number of random programs for each target and mode; one
without it, another one for each. 100 of them and more take all compiled kernels.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.execution import interpreter, lockstep, schedule
from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine
from dwarfgpu.machine.simulated.execution.lockstep import run_together
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import machine_of_dispatch
from dwarfgpu.machine.simulated.semantics.compiled_blocks import Block, Blocks
from dwarfgpu.machine.topology import StopReason
from dwarfgpu.options.opened_launch import prepare_run
from tests.machine.simulated import programs
from tests.machine.simulated.kernels import COUNT, KERNELS
from tests.machine.simulated.test_kernels import BUILT, RUN, Arguments

PROGRAMS = int(os.environ.get("DWARFGPU_EXECUTOR_PROGRAMS", "1"))
OTHERS = [name for name in get_args(Executor) if name != "precise"]
TARGETS = [("gfx90a", 64), ("gfx942", 64), ("gfx1100", 32), ("gfx1100", 64), ("gfx1200", 32)]
Make = Callable[[], RunningMachine]


def state(machine: RunningMachine) -> dict[str, Any]:
    """All that a program can see, and where its waves are."""
    out: dict[str, Any] = {"instructions": machine.instructions}
    for allocation in machine.global_memory.allocations:
        out[allocation.name] = allocation.data.tobytes()
    for wave in machine.waves:
        number = wave.wave.id
        out[f"LDS of {number}"] = wave.lds.data.tobytes()
        out[f"scratch of {number}"] = wave.scratch.tobytes()
        for name in ("pc", "instructions", "s", "vcc", "exec", "scc", "mode", "step_mode",
                     "is_ended", "is_waiting", "is_halted"):  # fmt: skip
            out[f"{name} of {number}"] = getattr(wave, name)
        registers = np.concatenate((wave.vectors, wave.accumulators))
        for register in np.flatnonzero(registers.any(axis=1)):
            out[f"v{register} of {number}"] = registers[register].tobytes()
        active = None if wave.active is None else wave.active.tobytes()
        out[f"lanes of {number}"] = active
    return out


def left(make: Make, executor: Executor, stops: list[dict[str, Any]]) -> tuple[Any, dict[str, Any]]:
    """Why a machine stops and what it leaves, with stops on the way."""
    machine = make()
    machine.executor = executor
    reasons = []
    for stop in stops:
        stopped = machine.run(**stop)
        reasons.append(_reason(stopped))
        if stopped is not None:
            stopped.wave.reported_pc = stopped.wave.pc
        if reasons[-1] not in (None, "breakpoint"):
            break
    return reasons, state(machine)


def _reason(stopped: Any) -> Any:
    if stopped is None or stopped.is_inserted:
        return stopped and "breakpoint"
    return stopped.wave.wave.id, stopped.reason, stopped.text, stopped.lanes


def require_same(
    make: Make, stops: list[dict[str, Any]], expected: dict[str, Any] | None = None
) -> dict[str, Any]:
    """What all executors leave; `expected`: by one that has not stopped on the way."""
    if expected is None:
        wanted_reasons, expected = left(make, "precise", stops)
    else:
        wanted_reasons = [None] * len(stops)
    for executor in OTHERS:
        reasons, result = left(make, executor, stops)
        assert reasons == wanted_reasons, executor
        differing = [name for name in expected if result.get(name) != expected[name]]
        assert not differing and result.keys() == expected.keys(), (executor, differing)
    return expected


@pytest.mark.parametrize("number", range(len(TARGETS)))
def test_random_programs(number: int) -> None:
    target, wave_size = TARGETS[number]
    for seed in range(number, number + PROGRAMS):
        code = programs.program(seed, target, wave_size)

        def make(seed: int = seed, code: bytes = code) -> RunningMachine:
            return programs.machine_of(code, seed, target, wave_size)

        end = require_same(make, [{}])
        count = end["instructions"]
        assert count > 8
        require_same(make, [{"most": count // 7}, {"most": count // 3}, {}])
        places = range(programs.CODE, programs.CODE + len(code), 4)
        for address in list(places)[seed % 7 :: 7]:
            require_same(make, [{"breakpoints": frozenset({address})}] * 3)


@pytest.mark.parametrize("built", BUILT)
def test_compiled_kernels(built: str) -> None:
    """Each kernel for one target at one level."""
    for number, (name, kernel) in enumerate(KERNELS.items(), 1 + BUILT.index(built)):
        if number % len(BUILT) and PROGRAMS < 100:
            continue
        arrays = kernel.inputs()
        arguments = Arguments(
            file=str(RUN / f"{kernel.file}.{built}.v5.co"), kernel=name, grid=str(COUNT),
            workgroup="64", arg=[f"{n}=zeros:{array.nbytes}" for n, array in enumerate(arrays)],
            scratch=None if kernel.scratch_bytes is None else str(kernel.scratch_bytes),
        )  # fmt: skip
        prepared = prepare_run(arguments)

        def make(prepared: Any = prepared, arrays: Any = arrays) -> RunningMachine:
            machine = machine_of_dispatch(prepared.launched, prepared.code_object.loaded_segments())
            addresses = [address for address, _, _ in prepared.launched.kernarg.buffers]
            for address, array in zip(addresses, arrays, strict=True):
                machine.global_memory.write(address, np.ascontiguousarray(array).tobytes())
            return machine

        end = require_same(make, [{}])
        middle = end["instructions"] // 2
        require_same(make, [{"most": middle}, {"most": middle + 1}, {}], end)


@pytest.mark.parametrize(("target", "wave_size"), TARGETS)
@pytest.mark.parametrize("number", [0, 5])
def test_a_fault_inside_a_block(target: str, wave_size: int, number: int) -> None:
    """It stops before the instruction, with what was before it done and counted."""
    code = decoder(target, wave_size)
    parts = [
        programs.encoded(code, "s_mov_b32", sdst=3, src0=130),
        programs.access(target, wave_size, "load", 1),
        programs.encoded(code, "s_mov_b32", sdst=4, src0=131),
        programs.encoded(code, "s_endpgm"),
    ]

    def make() -> RunningMachine:
        machine = programs.machine_of(b"".join(parts), 1, target, wave_size)
        machine.waves[number].v[14][0] = 0x900
        return machine

    end = require_same(make, [{}])
    assert end[f"pc of {number + 1}"] == programs.CODE + len(parts[0])
    assert end[f"instructions of {number + 1}"] == 1
    assert end[f"s of {number + 1}"][3] == 2


@pytest.mark.parametrize(("target", "wave_size"), TARGETS)
def test_a_new_nan_inside_a_block(target: str, wave_size: int) -> None:
    """The block is left for the instruction that makes it, and a wave goes on behind."""
    code = decoder(target, wave_size)
    parts = [
        programs.encoded(code, "v_mov_b32_e32", vdst=1, src0=243),  # -1.0
        programs.encoded(code, "v_sqrt_f32_e32", vdst=2, src0=256 + 1),
        programs.encoded(code, "v_mov_b32_e32", vdst=4, src0=256 + 2),
        programs.encoded(code, "s_endpgm"),
    ]

    def make() -> RunningMachine:
        machine = programs.machine_of(b"".join(parts), 1, target, wave_size)
        for wave in machine.waves:
            wave.set_exec(-1)
        return machine

    end = require_same(make, [{}])
    data = np.full(wave_size, 0xFFC00000, np.uint32).tobytes()
    assert end["v4 of 1"] == end["v4 of 8"] == data


def test_stops_do_not_change_the_schedule() -> None:
    """Waves that race for one word leave the same, however often the machine stops."""
    code = decoder("gfx1100", 32)
    loop = [
        programs.access("gfx1100", 32, "load", 1),
        programs.encoded(code, "v_add_nc_u32_e32", vdst=1, src0=256 + 1, src1=2),
        programs.access("gfx1100", 32, "store", 1),
        programs.encoded(code, "s_sub_i32", sdst=20, src0=20, src1=129),
        programs.encoded(code, "s_cmp_lg_u32", src0=20, src1=128),
    ]
    back = sum(map(len, loop)) // 4 + 1
    loop += [
        programs.encoded(code, "s_cbranch_scc1", simm16=-back & 0xFFFF),
        programs.encoded(code, "s_endpgm"),
    ]

    def make() -> RunningMachine:
        machine = programs.machine_of(b"".join(loop), 1, "gfx1100", 32)
        machine.schedule.seed = 3
        machine.waves = machine.waves[:4]
        for wave in machine.waves:
            wave.s[20] = 800
            wave.v[14][:] = machine.waves[0].v[14]
        return machine

    at_once = require_same(make, [{}])
    quantum = schedule.QUANTUM
    counts = [*range(quantum - 2, quantum + 8), *range(2 * quantum - 1, 19000, 3501)]
    stops = [{"most": count} for count in counts]
    assert require_same(make, [*stops, {}]) == at_once


def together(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each dispatch that follows, whether its waves have run together."""
    out: list[bool] = []

    def recorded(*arguments: Any, **options: Any) -> bool:
        out.append(run_together(*arguments, **options))
        return out[-1]

    monkeypatch.setattr(interpreter, "run_together", recorded)
    return out


def test_waves_run_together_where_their_order_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = together(monkeypatch)
    for target, wave_size in TARGETS:
        machine = programs.machine_of(programs.program(1, target, wave_size), 1, target, wave_size)
        assert machine.run() is None
    assert results == [True] * len(TARGETS)


@pytest.mark.parametrize(("target", "wave_size"), TARGETS)
def test_waves_that_wait_for_another_one(
    target: str, wave_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the last load a word again and again until it is there: then the order matters."""
    code = decoder(target, wave_size)
    ready = programs.access(target, wave_size, "store", 2)
    spin = [
        programs.access(target, wave_size, "load", 1),
        programs.encoded(code, "v_readfirstlane_b32", vdst=5, src0=256 + 1),
        programs.encoded(code, "s_cmp_eq_u32", src0=5, src1=128),
    ]
    back = sum(map(len, spin)) // 4 + 1
    spin.append(programs.encoded(code, "s_cbranch_scc1", simm16=-back & 0xFFFF))
    end = programs.encoded(code, "s_endpgm")
    skipped = sum(map(len, spin)) // 4
    parts = [
        programs.encoded(code, "s_cmp_eq_u32", src0=20, src1=128),
        programs.encoded(code, "s_cbranch_scc1", simm16=skipped + 1),
        *spin, end, ready, end,
    ]  # fmt: skip

    def make() -> RunningMachine:
        machine = programs.machine_of(b"".join(parts), 1, target, wave_size)
        for number, wave in enumerate(machine.waves):
            wave.set_exec(1)
            wave.s[20] = number != programs.WAVES - 1
            wave.v[14][:] = machine.waves[0].v[14]
            wave.v[2][:] = 1
        machine.global_memory.write(int(machine.waves[0].v[14][0]), bytes(4))
        return machine

    results = together(monkeypatch)
    require_same(make, [{}])
    assert results == [False]


def test_waves_with_much_memory_do_not_run_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be copied, to be restored where their order turns out to matter."""
    results = together(monkeypatch)
    monkeypatch.setattr(lockstep, "MAX_BYTES", programs.OWN_BYTES)
    code = programs.program(1, "gfx942", 64)
    assert programs.machine_of(code, 1, "gfx942", 64).run() is None
    assert results == [False]


def test_an_interrupt_while_waves_run_together() -> None:
    machine = programs.machine_of(programs.program(1, "gfx942", 64), 1, "gfx942", 64)
    machine.interrupt()
    stopped = machine.run()
    assert stopped is not None and stopped.reason is StopReason.INTERRUPTED
    assert 0 < machine.instructions == sum(wave.instructions for wave in machine.waves)
    assert machine.run() is None
    whole = programs.machine_of(programs.program(1, "gfx942", 64), 1, "gfx942", 64)
    whole.run()
    assert state(machine) == state(whole)


@pytest.mark.parametrize("built", ["gfx942.O0", "gfx942.O2", "gfx1100.O0", "gfx1100.O2"])
def test_a_product_of_matrices_runs_together(built: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Barriers order the waves of a workgroup, which write and read the same LDS."""
    results = together(monkeypatch)
    numbers = np.random.default_rng(1)
    a, b = (numbers.integers(-8, 8, (64, 64)).astype(np.float32) for _ in range(2))
    arguments = Arguments(
        file=str(RUN / f"speed.{built}.v5.co"), kernel="matmul64", grid="4096", workgroup="256",
        arg=["a=zeros:16384", "b=zeros:16384", "out=zeros:16384"],
    )  # fmt: skip
    prepared = prepare_run(arguments)
    machine = machine_of_dispatch(prepared.launched, prepared.code_object.loaded_segments())
    addresses = [address for address, _, _ in prepared.launched.kernarg.buffers]
    for address, array in zip(addresses, (a, b), strict=False):
        machine.global_memory.write(address, array.tobytes())
    assert machine.run() is None and results == [True]
    out = np.frombuffer(machine.global_memory.read(addresses[2], 16384), np.float32)
    np.testing.assert_array_equal(out.reshape(64, 64), a @ b)


@pytest.mark.parametrize(
    ("first", "mode"), [(5, 0x3F7), (6, 0x0A4), (7, 0x8003C0), (8, 0x49F0)], ids=hex
)
def test_modes(first: int, mode: int) -> None:
    """Directed rounding; no IEEE, no DX10_CLAMP; FP16_OVFL; exceptions that stop waves."""
    for seed in range(first, first + PROGRAMS):
        code = programs.program(seed, "gfx1100", 32)

        def make(seed: int = seed, code: bytes = code) -> RunningMachine:
            machine = programs.machine_of(code, seed, "gfx1100", 32)
            for wave in machine.waves:
                wave.set_mode(mode)
            return machine

        require_same(make, [{}])


def test_stopping_after_each_number_of_instructions() -> None:
    code = programs.program(2, "gfx1100", 32)

    def make() -> RunningMachine:
        machine = programs.machine_of(code, 2, "gfx1100", 32)
        machine.waves = machine.waves[:2]
        return machine

    count = require_same(make, [{}])["instructions"]
    for number in range(1, min(count, 50)):
        assert require_same(make, [{"most": number}])["instructions"] == number


def test_a_stop_inside_a_block_compiles_no_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stepping would compile one at each instruction and execute only its first instruction."""
    code = programs.program(2, "gfx1100", 32)
    machine = programs.machine_of(code, 2, "gfx1100", 32)
    blocks: list[int] = []
    make = Blocks.make

    def counted(self: Blocks, pc: int, *more: Any) -> Block:
        block = make(self, pc, *more)
        blocks.append(len(block.steps))
        return block

    monkeypatch.setattr(Blocks, "make", counted)
    count = 20
    for number in range(1, count + 1):
        assert machine.run(most=number) is None
    assert machine.instructions == count
    assert set(blocks) <= {1}
