"""VCC_HI of wave32 is a register of its own, for the mask of a comparison too (RDNA3 ISA, 3.4)."""

from __future__ import annotations

import pytest

from dwarfgpu.isa.decode import decoder
from tests.machine.simulated import programs, vectors


@pytest.mark.parametrize(("sdst", "vcc"), [(106, 0x1_0000_0F0F), (107, 0xF0F_0000_0002)])
def test_a_comparison_writes_the_half_that_it_names(sdst: int, vcc: int) -> None:
    code = programs.encoded(decoder("gfx1100"), "v_cmp_eq_u32_e64", sdst=sdst, src0=256, src1=257)
    machine = vectors.machine(code, 32, "gfx1100", 32)
    wave = machine.waves[0]
    wave.v[0][:] = 5
    wave.v[1][:] = [5 if 0xF0F >> lane & 1 else 6 for lane in range(32)]
    wave.vcc = 0x1_0000_0002
    assert machine.run(most=1) is None
    assert machine.waves[0].vcc == vcc
