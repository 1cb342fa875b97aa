"""Minima and maxima of GFX12 are minimumNumber and maximumNumber of IEEE 754-2019: of a number and
any NaN, also a signalling one, the number; GFX11 with MODE.IEEE has those of IEEE 754-2008."""

from __future__ import annotations

import pytest

from dwarfgpu.isa.decode import decoder
from tests.machine.simulated import vectors
from tests.machine.simulated.programs import encoded

ONE, TWO, SIGNALLING, QUIET = 0x3F800000, 0x40000000, 0x7F800001, 0x7FC00000
HALF_ONE, HALF_SIGNALLING = 0x3C00, 0x7C01
_VGPR = 256
_RESULT = 8


def result(processor: str, mnemonic: str, *values: int) -> int:
    """What an instruction makes of v0 and so on."""
    fields = {f"src{n}": _VGPR + n for n in range(len(values))}
    if mnemonic.endswith("_e32"):
        fields["src1"] = 1
    code = encoded(decoder(processor, 32), mnemonic, vdst=_RESULT, **fields)
    machine = vectors.machine(code, 1, processor)
    [wave] = machine.waves
    for number, value in enumerate(values):
        wave.v[number][:] = value
    assert machine.run() is None
    return int(wave.v[_RESULT][0])


@pytest.mark.parametrize(
    ("mnemonic", "values", "number"),
    [
        ("v_max_num_f32_e32", (SIGNALLING, ONE), ONE),
        ("v_max_num_f32_e32", (ONE, SIGNALLING), ONE),
        ("v_min_num_f32_e32", (ONE, SIGNALLING), ONE),
        ("v_min_num_f32_e32", (QUIET, ONE), ONE),
        ("v_min_num_f32_e32", (ONE, TWO), ONE),
        ("v_max_num_f32_e32", (ONE, TWO), TWO),
        ("v_max_num_f16_e32", (HALF_SIGNALLING, HALF_ONE), HALF_ONE),
        ("v_max3_num_f32", (SIGNALLING, ONE, TWO), TWO),
        ("v_min3_num_f32", (TWO, ONE, SIGNALLING), ONE),
        ("v_minmax_num_f32", (SIGNALLING, TWO, ONE), TWO),
        ("v_med3_num_f32", (SIGNALLING, TWO, ONE), ONE),
        ("v_med3_num_f32", (0x40400000, TWO, ONE), TWO),
    ],
)
def test_of_a_nan_and_a_number_the_number(
    mnemonic: str, values: tuple[int, ...], number: int
) -> None:
    assert result("gfx1200", mnemonic, *values) == number


def test_of_two_nan_a_quiet_one() -> None:
    assert result("gfx1200", "v_max_num_f32_e32", SIGNALLING, QUIET) == SIGNALLING | QUIET
    assert result("gfx1200", "v_min_num_f32_e32", QUIET, SIGNALLING) == QUIET


def test_a_signalling_nan_is_quieted_before_gfx12() -> None:
    assert result("gfx1100", "v_max_f32_e32", SIGNALLING, ONE) == SIGNALLING | QUIET
    assert result("gfx1100", "v_max_f32_e32", QUIET, ONE) == ONE
