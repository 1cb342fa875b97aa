"""What MODE changes: denormal numbers, and rounding that is not simulated."""

from __future__ import annotations

import numpy as np
import pytest

from dwarfgpu.machine.simulated.faults import StopReason, WaveStop
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
def test_denormal_numbers_are_flushed_where_mode_says_so(
    denormals: int, a: float, b: float, result: float
) -> None:
    assert product(PRODUCT, denormals << 4, a, b) == result


def test_other_rounding_is_not_simulated() -> None:
    machine = vectors.machine(PRODUCT, 1)
    with pytest.raises(WaveStop, match="not simulated: FP_ROUND") as stopped:
        machine.waves[0].set_mode(0xF3)
    assert stopped.value.reason is StopReason.NOT_SIMULATED
