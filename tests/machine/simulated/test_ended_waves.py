"""The registers of waves that have ended, where nothing can show them, and of waves that have not
begun."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from dwarfgpu.errors import LimitExceeded
from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.topology import StopReason, Wave
from dwarfgpu.options.opened_launch import prepare_run
from dwarfgpu.service.run.run_kernel import run_kernel
from tests.cli.command import FIXTURES
from tools.gen_gpu_core import Options

_CODE, _BUFFER, _WAVES = 0x10000, 0x20000, 130
_WAVE_BYTES = 4 * 8 * 64
_STORE = (
    0x68000000,  # v_add_u32 v0, s0, v0
    0x24020082,  # v_lshlrev_b32 v1, 2, v0
    0xDC708000, 0x00020001,  # global_store_dword v1, v0, s[2:3]
)  # fmt: skip
_END = 0xBF810000
_LOOP = (
    0xB0040BB8,  # s_movk_i32 s4, 3000
    0x80848104,  # s_sub_u32 s4, s4, 1
    0xBF078004,  # s_cmp_lg_u32 s4, 0
    0xBF85FFFD,  # s_cbranch_scc1, to the second one
)


def _machine(*words: int, executor: Executor, most: int | None = None) -> RunningMachine:
    """Waves whose v0 has the numbers of their lanes, s0 64 times their own, and s[2:3] a buffer."""
    code = b"".join(word.to_bytes(4, "little") for word in words)
    global_memory = GlobalMemory()
    global_memory.add("code", _CODE, code, is_writable=False)
    global_memory.add("buffer", _BUFFER, bytes(4 * 64 * _WAVES))
    machine = RunningMachine(
        global_memory,
        Program(global_memory, "gfx942", 64),
        64,
        executor=executor,
        keeps_ended=False,
        most_register_bytes=most,
    )
    for number in range(_WAVES):
        wave = SimulatedWave(Wave(number + 1, number + 1, 0), 64, 8, 0, global_memory, pc=_CODE)
        wave.set_mode(0xF0)
        wave.set_exec((1 << 64) - 1)
        wave.s[0], wave.s[2:4] = 64 * number, (_BUFFER, 0)
        wave.given_vectors = {0: range(64)}
        machine.waves.append(wave)
    return machine


def _stored(machine: RunningMachine) -> list[int]:
    allocation = machine.global_memory.at(_BUFFER)
    assert allocation is not None
    stored: list[int] = allocation.data.view(np.uint32).tolist()
    return stored


@pytest.mark.parametrize("executor", get_args(Executor))
def test_waves_that_have_ended_have_no_registers(executor: Executor) -> None:
    machine = _machine(*_STORE, _END, executor=executor)
    assert not any(wave.has_registers for wave in machine.waves)
    assert machine.run() is None
    assert not any(wave.has_registers or wave.s for wave in machine.waves)
    assert _stored(machine) == list(range(64 * _WAVES))


def test_waves_that_cannot_run_together_begin_again_with_what_they_were_given() -> None:
    """Others have ended, in groups before that of the wave that traps."""
    trap = (
        *(0xBF07FF00, 64 * 129),  # s_cmp_lg_u32 s0, 64 * 129
        0xBF850001,  # s_cbranch_scc1, over the next one
        0xBF920002,  # s_trap 2
    )
    machine = _machine(*_STORE, *trap, _END, executor="lockstep")
    stopped = machine.run()
    assert stopped is not None and stopped.reason is StopReason.ASSERT_TRAP
    assert [wave.has_registers for wave in machine.waves] == [False] * 129 + [True]
    assert _stored(machine) == list(range(64 * _WAVES))
    assert stopped.wave.v[0].tolist() == list(range(64 * 129, 64 * 130))


def test_registers_of_waves_that_run_at_the_same_time_are_bounded() -> None:
    machine = _machine(*_LOOP, *_STORE, _END, executor="block", most=100 * _WAVE_BYTES)
    with pytest.raises(LimitExceeded) as error:
        machine.run()
    assert error.value.message == (
        "101 waves that have begun and not ended, each with 2048 bytes of vector registers: at "
        "most 204800 bytes are kept (--max-state-bytes)"
    )


@pytest.mark.parametrize("executor", ["block", "lockstep"])
def test_waves_that_end_before_others_begin_are_not_bounded(executor: Executor) -> None:
    machine = _machine(*_STORE, _END, executor=executor, most=_WAVE_BYTES)
    assert machine.run() is None
    assert _stored(machine) == list(range(64 * _WAVES))


@pytest.mark.parametrize("breakpoints", [frozenset(), frozenset({8})])
def test_a_run_keeps_no_registers_of_waves_that_have_ended(breakpoints: frozenset[int]) -> None:
    options = Options(
        file=str(FIXTURES / "run/integers.gfx942.O2.v5.co"), kernel="vadd", grid="512",
        workgroup="64", arg=["a=range:512", "b=range:512", "out=zeros:2048"],
    )  # fmt: skip
    prepared = prepare_run(options)
    result = run_kernel(prepared.code_object, prepared.launched, breakpoints=breakpoints)
    assert result.stop is None and len(result.machine.waves) == 8
    assert not any(wave.has_registers or wave.written for wave in result.machine.waves)
    assert result.outputs["out"].data == np.arange(0, 1024, 2, np.int32).tobytes()
