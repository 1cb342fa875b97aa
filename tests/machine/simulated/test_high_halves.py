"""16-bit operands of GFX11 in high halves, as compilers after LLVM 19 name them."""

from __future__ import annotations

import pytest

from tests.machine.simulated import vectors

V5, V3, V9 = 0x4200_4000, 0x4500_4200, 0x3C00_4400
"""3.0 and 2.0, 5.0 and 3.0, 1.0 and 4.0: the high half first."""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("85d7127e", 0x4200),  # v_cvt_u32_u16_e32 v9, v5.h
        ("85071264", 0x3C00_4600),  # v_add_f16_e32 v9.l, v5.h, v3.l
        ("05071265", 0x4500_4400),  # v_add_f16_e32 v9.h, v5.l, v3.l
        ("0507126d", 0x4700_4400),  # v_fmac_f16_e32 v9.h, v5.l, v3.l
        ("8507136c", 0x3C00_4CC0),  # v_fmac_f16_e32 v9.l, v5.h, v3.h
        ("0515127f", 0x5002_4400),  # v_cvt_f16_f32_e32 v9.h, v5 of 32.0625
    ],
)
def test_sources_and_destinations(code: str, expected: int) -> None:
    machine = vectors.machine(bytes.fromhex(code), 32, "gfx1100", 32)
    [wave] = machine.waves
    wave.v[5][:], wave.v[3][:], wave.v[9][:] = V5, V3, V9
    assert machine.run(most=1) is None
    assert {int(number) for number in wave.v[9]} == {expected}


@pytest.mark.parametrize("target", ["gfx1100", "gfx1200"])
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("09009cd505010102", 0x3C00_4000),  # v_mov_b16_e64 v9.l, v5.l
        ("09089cd505010102", 0x3C00_4200),  # v_mov_b16_e64 v9.l, v5.h
        ("09489cd505010102", 0x4200_4400),  # v_mov_b16_e64 v9.h, v5.h
        ("09409cd5ff00000034120000", 0x1234_4400),  # v_mov_b16_e64 v9.h, 0x1234
        ("8539127f", 0x4200_4400),  # v_mov_b16_e32 v9.h, v5.h
        ("09489cd5e90000000588c6fa", 0x4200_4400),  # v_mov_b16_e64_dpp v9.h, v5.h dpp8:[0,1,…,7]
    ],
)
def test_moves(target: str, code: str, expected: int) -> None:
    machine = vectors.machine(bytes.fromhex(code), 32, target, 32)
    [wave] = machine.waves
    wave.v[5][:], wave.v[9][:] = V5, V9
    assert machine.run(most=1) is None
    assert {int(number) for number in wave.v[9]} == {expected}


def test_a_comparison_of_halves() -> None:
    """v_cmp_lt_f16_e32 vcc_lo, v5.h, v3.h"""
    machine = vectors.machine(bytes.fromhex("8507037c"), 32, "gfx1100", 32)
    [wave] = machine.waves
    wave.v[5][:], wave.v[3][:] = 0x4200_4000, 0x4500_3C00
    assert machine.run(most=1) is None
    assert wave.vcc == (1 << 32) - 1
