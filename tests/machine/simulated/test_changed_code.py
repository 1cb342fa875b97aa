"""Code that waves or debuggers change: "S_ICACHE_INV" of AMD's ISA documents."""

from __future__ import annotations

import tracemalloc
from typing import get_args

import numpy as np
import pytest

from dwarfgpu.machine.simulated.execution import lockstep
from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics import compiled_blocks, compiled_instructions
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program
from dwarfgpu.machine.simulated.storage.decoded_code import DecodedCode
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.topology import StopReason, Wave

_CODE, _BUFFER = 0x10000, 0x20000
_WAVES = 4
_EXECUTORS = get_args(Executor)
_POINTERS = (
    0x7E040202,  # v_mov_b32 v2, s2
    0x7E060203,  # v_mov_b32 v3, s3
)
_FIVE, _SIX = 0x7E000285, 0x7E000286  # v_mov_b32 v0, 5 and 6
_RETURN = 0xBE801D08  # s_setpc_b64 s[8:9]
_STORE_TWO = (0xDC748000, 0x007F0402)  # global_store_dwordx2 v[2:3], v[4:5], off
_STORE = (0xDC708000, 0x007F0402)  # global_store_dword v[2:3], v4, off
_WAIT = 0xBF8C0F70  # s_waitcnt vmcnt(0)
_NOP = 0xBF800000  # s_nop 0
_INVALIDATE = 0xBF930000  # s_icache_inv
_CALL = 0xBE881E02  # s_swappc_b64 s[8:9], s[2:3]
_TO_V6, _TO_V7 = 0x7E0C0300, 0x7E0E0300  # v_mov_b32 v6, v0; v_mov_b32 v7, v0
_END = 0xBF810000


def _to_v4(value: int) -> tuple[int, int]:
    return 0x7E0802FF, value


def _machine(*words: int, executor: Executor, pointer: int = _BUFFER) -> RunningMachine:
    """Four waves that execute words of code, with a pointer in s[2:3]; all memory is writable."""
    code = b"".join(word.to_bytes(4, "little") for word in words)
    global_memory = GlobalMemory()
    global_memory.add("code", _CODE, code, is_writable=pointer != _BUFFER)
    global_memory.add("buffer", _BUFFER, bytes(256))
    program = Program(global_memory, "gfx942", 64)
    machine = RunningMachine(global_memory, program, 64, executor=executor)
    for number in range(_WAVES):
        wave = SimulatedWave(Wave(number + 1, number + 1, 0), 64, 8, 0, global_memory, pc=_CODE)
        wave.set_mode(0xF0)
        wave.set_exec((1 << 64) - 1)
        wave.s[2:4] = pointer, 0
        machine.waves.append(wave)
    return machine


def _two_calls(between: int) -> list[int]:
    """Code that stores a function, calls it, stores another one at its address, and calls that."""
    return [
        *_POINTERS, *_to_v4(_FIVE), 0x7E0A02FF, _RETURN, *_STORE_TWO, _WAIT, _INVALIDATE,
        _CALL, _TO_V6, *_to_v4(_SIX), *_STORE, _WAIT, between, _CALL, _TO_V7, _END,
    ]  # fmt: skip


@pytest.mark.parametrize("executor", _EXECUTORS)
def test_a_function_that_waves_write_twice(executor: Executor) -> None:
    machine = _machine(*_two_calls(_INVALIDATE), executor=executor)
    assert machine.run() is None
    for wave in machine.waves:
        assert (set(wave.v[6]), set(wave.v[7])) == ({5}, {6})
    assert machine.instructions == 20 * _WAVES


@pytest.mark.parametrize("executor", _EXECUTORS)
def test_without_invalidation_a_gpu_may_execute_the_old_code(executor: Executor) -> None:
    machine = _machine(*_two_calls(_NOP), executor=executor)
    stopped = machine.run()
    assert stopped is not None and stopped.reason is StopReason.NOT_SIMULATED
    assert stopped.text == (
        "the code at 0x20000 has changed since it was fetched, without s_icache_inv: a GPU "
        "executes the old or the new code"
    )
    assert stopped.wave.pc == _BUFFER and set(stopped.wave.v[6]) == {5}
    machine.global_memory.code.replaced(_BUFFER, 4)  # as a debugger that writes it
    assert machine.step(stopped.wave) is None and set(stopped.wave.v[0]) == {6}


@pytest.mark.parametrize("executor", _EXECUTORS)
def test_code_that_was_not_fetched_since_the_invalidation(executor: Executor) -> None:
    words = _two_calls(_NOP)
    words.insert(words.index(_TO_V6), _INVALIDATE)
    machine = _machine(*words, executor=executor)
    assert machine.run() is None
    assert [set(wave.v[7]) for wave in machine.waves] == [{6}] * _WAVES


@pytest.mark.parametrize("executor", _EXECUTORS)
def test_the_same_code_stored_again_is_no_change(executor: Executor) -> None:
    words = _two_calls(_NOP)
    words[words.index(_SIX)] = _FIVE
    machine = _machine(*words, executor=executor)
    assert machine.run() is None
    assert [set(wave.v[7]) for wave in machine.waves] == [{5}] * _WAVES


@pytest.mark.parametrize("executor", _EXECUTORS)
@pytest.mark.parametrize("between", [(), (_WAIT, _INVALIDATE)])
def test_code_just_behind_the_store(executor: Executor, between: tuple[int, ...]) -> None:
    """It was not executed before, and is the new code for all executors."""
    before = [*_POINTERS, *_to_v4(_SIX), *_STORE, *between]
    target = _CODE + 4 * len(before)
    machine = _machine(*before, _FIVE, _END, executor=executor, pointer=target)
    assert machine.run() is None
    assert [set(wave.v[0]) for wave in machine.waves] == [{6}] * _WAVES
    assert machine.instructions == (6 + len(between)) * _WAVES


@pytest.mark.parametrize("executor", _EXECUTORS)
def test_waves_of_code_in_writable_memory_that_does_not_change(executor: Executor) -> None:
    words = [*_POINTERS, *_to_v4(_SIX), *_STORE, _FIVE, _END, 0]
    machine = _machine(*words, executor=executor, pointer=_CODE + 4 * (len(words) - 1))
    assert machine.run() is None
    assert [set(wave.v[0]) for wave in machine.waves] == [{5}] * _WAVES


@pytest.mark.parametrize("executor", _EXECUTORS)
def test_code_that_a_debugger_changes(executor: Executor) -> None:
    machine = _machine(_FIVE, _END, executor=executor, pointer=_CODE)
    [first, *_] = machine.waves
    assert machine.step(first) is None and set(first.v[0]) == {5}
    machine.global_memory.write(_CODE, _SIX.to_bytes(4, "little"))
    first.pc = _CODE
    assert machine.run() is None
    assert [set(wave.v[0]) for wave in machine.waves] == [{6}] * _WAVES


@pytest.mark.parametrize("executor", _EXECUTORS)
def test_a_program_forgets_code_beyond_a_maximum(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store into forgotten code is noticed as well."""
    for module in (compiled_instructions, compiled_blocks, lockstep):
        monkeypatch.setattr(module, "MAX_KEPT", 300)
    words = [*_POINTERS, *_to_v4(_SIX), *[_NOP] * 1000, *_STORE, _WAIT, _CALL, _END]
    machine = _machine(*words, executor=executor, pointer=_CODE + 4 * 100)
    stopped = machine.run()
    assert stopped is not None and stopped.text.startswith(
        "the code at 0x10190 has changed since it was fetched"
    )
    assert stopped.wave.instructions == 1006
    assert len(machine.program.steps_of(stopped.wave.step_mode)) <= 300


def test_memory_for_code_that_was_fetched() -> None:
    size = 1 << 17
    decoded, contents = DecodedCode(), np.zeros(size, np.uint8)
    tracemalloc.start()
    try:
        for pc in range(_CODE, _CODE + size, 4):
            decoded.add(pc, 4, contents, _CODE)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * size
