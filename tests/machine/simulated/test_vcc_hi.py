"""VCC_HI of wave32 is a register of its own, for the mask of a comparison too (RDNA3 ISA, 3.4)."""

from __future__ import annotations

import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined
from dwarfgpu.machine.simulated.storage.unknown_contents import UnknownContents
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


@pytest.mark.parametrize("size", [32, 64])
@pytest.mark.parametrize(("ssrc", "name"), [(106, "vcc_lo"), (107, "vcc_hi")])
def test_each_half_is_known_by_itself(ssrc: int, name: str, size: int) -> None:
    """An instruction needs the half that it reads, whatever is known of the other."""
    code = programs.encoded(decoder("gfx1100"), "s_not_b32", sdst=4, src0=ssrc)
    half = 0xFFFFFFFF << 32 * (ssrc - 106)
    for known, text in ((half, None), (~half, f"s_not_b32 needs {name}, which is not known")):
        machine = vectors.machine(code, size, "gfx1100", size)
        machine.observe(UnknownContents(machine))
        machine.waves[0].vcc = Undefined(0x1234_5678_1234_5678, known & (1 << 64) - 1)
        stopped = machine.run(most=1)
        assert (stopped and stopped.text) == text
        assert text is not None or machine.waves[0].s[4] == 0x1234_5678 ^ 0xFFFFFFFF
