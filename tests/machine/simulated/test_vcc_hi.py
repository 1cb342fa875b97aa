"""VCC_HI of wave32 is a register of its own, for the mask of a comparison too (RDNA3 ISA, 3.4)."""

from __future__ import annotations

from typing import Any

import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.unknown.unknown_contents import UnknownContents
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
    code = programs.encoded(decoder("gfx1100"), "s_abs_i32", sdst=4, src0=ssrc)
    half = 0xFFFFFFFF << 32 * (ssrc - 106)
    for known, text in ((half, None), (~half, f"s_abs_i32 needs {name}, which is not known")):
        machine = vectors.machine(code, size, "gfx1100", size)
        machine.observe(UnknownContents(machine))
        machine.waves[0].vcc = Undefined(0x1234_5678_1234_5678, known & (1 << 64) - 1)
        stopped = machine.run(most=1)
        assert (stopped and stopped.text) == text
        assert text is not None or machine.waves[0].s[4] == 0x1234_5678


LOW, HIGH = 0xFFFFFFFF, 0xFFFFFFFF << 32
M0 = 125


@pytest.mark.parametrize(
    ("mnemonic", "operands", "vcc", "known"),
    [
        ("s_mov_b32", {"sdst": 106, "src0": 4}, -1, HIGH),
        ("s_mov_b32", {"sdst": 107, "src0": 4}, -1, LOW),
        ("s_mov_b64", {"sdst": 106, "src0": 4}, -1, 0),
        ("s_mov_b32", {"sdst": 107, "src0": 8}, 0, HIGH),
        ("v_cmp_eq_u32_e64", {"sdst": 106, "src0": 256, "src1": 257}, 0, LOW),
        ("v_cmp_eq_u32_e64", {"sdst": 107, "src0": 256, "src1": 257}, 0, HIGH),
    ],
)
def test_what_is_known_of_vcc_afterwards(
    mnemonic: str, operands: dict[str, int], vcc: int, known: int
) -> None:
    """Copies of what is unknown are unknown, and so is the half that is not written."""
    wave, text = after(mnemonic, operands, vcc)
    assert text is None
    assert known_bits(wave.vcc) & (LOW | HIGH) == known


def test_an_unknown_m0_stays_unknown() -> None:
    wave, text = after("s_mov_b32", {"sdst": M0, "src0": 4}, -1)
    assert text is None and known_bits(wave.s[124]) == 0


@pytest.mark.parametrize("mnemonic", ["s_mov_b32", "s_mov_b64"])
def test_exec_is_never_unknown(mnemonic: str) -> None:
    _, text = after(mnemonic, {"sdst": 126, "src0": 4}, -1)
    assert text == f"{mnemonic} needs s4, which is not known"


def after(mnemonic: str, operands: dict[str, int], known_vcc: int) -> tuple[Any, str | None]:
    """Return a wave after an instruction, with s4 and s5 unknown; why it stopped."""
    size = 64 if mnemonic.endswith("b64") else 32
    code = programs.encoded(decoder("gfx1100"), mnemonic, **operands)
    machine = vectors.machine(code, size, "gfx1100", size)
    machine.observe(UnknownContents(machine))
    wave = machine.waves[0]
    wave.s[4] = wave.s[5] = Undefined(0xFDFDFDFD)
    if not known_vcc:
        wave.vcc = Undefined(0xFDFD_FDFD_FDFD_FDFD)
    stopped = machine.run(most=1)
    return machine.waves[0], None if stopped is None else stopped.text
