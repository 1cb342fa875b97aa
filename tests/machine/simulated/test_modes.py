"""What MODE changes: denormal numbers, rounding that is not simulated; and stops from outside."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest

from dwarfgpu.machine.topology import StopReason
from tests.machine.simulated import vectors

PRODUCT = bytes.fromhex("00030410")
"""v_mul_f32_e32 v2, v0, v1"""


def product(code: bytes, mode: int, a: float, b: float) -> float:
    machine = vectors.machine(code, 1)
    [wave] = machine.waves
    wave.set_mode(mode)
    wave.f[0][0], wave.f[1][0] = a, b
    assert machine.run() is None
    return float(wave.f[2][0])


@pytest.mark.parametrize(
    ("denormals", "a", "b", "result"),
    [
        (0xF, 1e-20, 1e-20, float(np.float32(1e-20) * np.float32(1e-20))),
        (0xC, 1e-20, 1e-20, 0.0),  # a denormal result
        (0xC, 1e-40, 1e20, 0.0),  # a denormal source
        (0xD, 1e-40, 1e20, float(np.float32(1e-40) * np.float32(1e20))),
        (0xE, 1e-40, 1e20, 0.0),
        (0xE, 1e-20, 1e-20, float(np.float32(1e-20) * np.float32(1e-20))),
    ],
)
def test_mode_decides_whether_denormal_numbers_are_flushed(
    denormals: int, a: float, b: float, result: float
) -> None:
    assert product(PRODUCT, denormals << 4, a, b) == result


def test_an_endless_loop_is_interrupted_between_instructions() -> None:
    """s_branch -1 of GFX11, and a signal that has come before."""
    machine = vectors.machine(bytes.fromhex("ffffa0bf"), 1)
    machine.interrupt()
    stopped = machine.run()
    assert stopped is not None
    assert (stopped.reason, stopped.wave.pc) == (StopReason.INTERRUPTED, 0x10000)


def test_control_c_interrupts_and_is_then_as_before() -> None:
    machine = vectors.machine(bytes.fromhex("ffffa0bf"), 1)
    before = signal.getsignal(signal.SIGINT)
    take_turn = machine._run_wave

    def run_wave(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return take_turn(*arguments)

    machine._run_wave = run_wave  # type: ignore[method-assign]
    stopped = machine.run()
    assert stopped is not None and stopped.reason is StopReason.INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is before
