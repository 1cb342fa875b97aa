"""Instructions that write or read a part of the dword of a lane: the rest stays unknown."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from dwarfgpu.isa.binding import operations_of
from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.unknown.unknown_contents import UnknownContents
from tests.machine.simulated import programs, vectors

LOW, HIGH, WHOLE = 0b0011, 0b1100, 0b1111
ODD = 0x96E1A5C3
"""What v1, v10 and v11 have; other VGPRs have 0, and what is known of them is 0."""
V = 256
"""What is added to the number of a VGPR in a field of sources."""


def after(
    target: str, known: dict[int, int], *instructions: bytes
) -> tuple[SimulatedWave, str | None]:
    """Return a wave after some instructions, and why it stopped. `known`: the bytes of some VGPRs
    that are known, in all lanes."""
    size = 64 if target.startswith("gfx9") else 32
    machine = vectors.machine(b"".join(instructions), size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    for number in (1, 10, 11):
        wave.v[number][:] = ODD
    wave.v[12][:] = 4 * wave.lane
    for number, selected in known.items():
        wave.forget_bytes(number, ~selected & WHOLE, wave.all_lanes)
    stopped = machine.run(most=len(instructions))
    return wave, None if stopped is None else stopped.text


def encoded(target: str, mnemonic: str, /, **operands: int) -> bytes:
    size = 64 if target.startswith("gfx9") else 32
    return programs.encoded(decoder(target, size), mnemonic, **operands)


def known_bytes(wave: SimulatedWave, number: int) -> int:
    """Return the bytes of a VGPR that are known in all lanes; the others are in none."""
    lanes = vectors.known_lanes(wave, number)
    assert set(lanes) <= {0, wave.all_lanes}
    return sum(1 << byte for byte in range(4) if lanes[byte])


@pytest.mark.parametrize(
    ("target", "mnemonic", "operands", "written"),
    [
        ("gfx1100", "v_add_f16_e32", {"vdst": 2, "src0": V, "src1": 1}, LOW),
        ("gfx1100", "v_add_f16_e32", {"vdst": 128 + 2, "src0": V, "src1": 1}, HIGH),
        ("gfx1100", "v_add_nc_u16", {"vdst": 2, "src0": V, "src1": V + 1}, LOW),
        ("gfx1030", "v_add_f16_e32", {"vdst": 2, "src0": V, "src1": 1}, LOW),
        ("gfx906", "v_add_f16_e32", {"vdst": 2, "src0": V, "src1": 1}, WHOLE),
        ("gfx906", "v_fma_f16", {"vdst": 2, "src0": V, "src1": V + 1, "src2": V}, LOW),
        ("gfx906", "v_fma_mixlo_f16", {"vdst": 2, "src0": V, "src1": V + 1, "src2": V}, LOW),
        ("gfx906", "v_fma_mixhi_f16", {"vdst": 2, "src0": V, "src1": V + 1, "src2": V}, HIGH),
        ("gfx906", "ds_read_u16_d16", {"vdst": 2, "addr": 12}, LOW),
        ("gfx1100", "ds_load_u8_d16_hi", {"vdst": 2, "addr": 12}, HIGH),
        ("gfx1100", "ds_load_b32", {"vdst": 2, "addr": 12}, WHOLE),
        ("gfx942", "v_cvt_pk_fp8_f32", {"vdst": 2, "src0": V, "src1": V + 1}, LOW),
        ("gfx906", "v_mov_b32_sdwa", {"vdst": 2, "src0": 0, "dst_unused": 2, "dst_sel": 1}, 2),
        ("gfx906", "v_mov_b32_sdwa", {"vdst": 2, "src0": 0, "dst_unused": 2, "dst_sel": 5}, HIGH),
        ("gfx906", "v_mov_b32_sdwa", {"vdst": 2, "src0": 0, "dst_unused": 0, "dst_sel": 5}, WHOLE),
    ],
)
def test_what_an_instruction_writes(
    target: str, mnemonic: str, operands: dict[str, int], written: int
) -> None:
    code = encoded(target, mnemonic, **operands)
    wave, text = after(target, {2: 0}, code)
    assert (text, known_bytes(wave, 2)) == (None, written)
    wave, text = after(target, {2: WHOLE ^ written}, code)
    assert (text, known_bytes(wave, 2)) == (None, WHOLE)


@pytest.mark.parametrize(
    ("target", "mnemonic", "operands", "lacking", "needs"),
    [
        ("gfx1100", "v_add_f16_e32", {"src0": V, "src1": 1}, HIGH, None),
        ("gfx1100", "v_add_f16_e32", {"src0": V, "src1": 1}, LOW, "v0.l"),
        ("gfx1100", "v_add_f16_e32", {"src0": V + 128, "src1": 1}, LOW, None),
        ("gfx1100", "v_add_f16_e32", {"src0": V + 128, "src1": 1}, HIGH, "v0.h"),
        ("gfx1100", "v_add_f16_e32", {"src0": V, "src1": 1}, WHOLE, "v0"),
        ("gfx1100", "v_cvt_f32_f16_e32", {"src0": V}, HIGH, None),
        ("gfx1100", "v_add_f32_e32", {"src0": V, "src1": 1}, HIGH, "v0.h"),
        ("gfx1100", "v_pk_add_f16", {"src0": V, "src1": V + 1}, HIGH, None),
        ("gfx1100", "v_pk_add_f16", {"src0": V, "src1": V + 1, "src0_modifiers": 12}, HIGH, "v0.h"),
        ("gfx1100", "v_fma_mix_f32", {"src0": V, "src1": V + 1, "src2": V + 1}, HIGH, "v0.h"),
        (
            "gfx1100",
            "v_fma_mix_f32",
            {"src0": V, "src1": V + 1, "src2": V + 1, "src0_modifiers": 8},
            HIGH,
            None,
        ),
        ("gfx1100", "v_fmac_f16_e32", {"vdst": 0, "src0": V + 1, "src1": 1}, HIGH, None),
        ("gfx1100", "v_fmac_f16_e32", {"vdst": 0, "src0": V + 1, "src1": 1}, LOW, "v0.l"),
        ("gfx1100", "v_fma_mixlo_f16", {"vdst": 0, "src0": V, "src1": V + 1, "src2": V + 1}, LOW,
         "v0.l"),
        ("gfx906", "v_mul_u32_u24_e32", {"src0": V, "src1": 1}, 0b1000, None),
        ("gfx906", "v_mul_u32_u24_e32", {"src0": V, "src1": 1}, 0b0001, "byte 0 of v0"),
        ("gfx906", "v_mul_hi_u32_u24_e32", {"src0": V, "src1": 1}, 0b0100, None),
        ("gfx906", "v_add_u32_sdwa", {"src0": 0, "src1": 1, "src0_sel": 5, "src1_sel": 6}, LOW,
         None),
        ("gfx906", "v_add_u32_sdwa", {"src0": 0, "src1": 1, "src0_sel": 3, "src1_sel": 6}, HIGH,
         "byte 3 of v0"),
        ("gfx1100", "v_lshlrev_b32_e32", {"src0": 128 + 16, "src1": 0}, HIGH, None),
        ("gfx1100", "v_lshlrev_b32_e32", {"src0": 128 + 8, "src1": 0}, 0b0111, None),
        ("gfx1100", "v_add_f32_e32", {"src0": V, "src1": 1}, 0b0111, "bytes 0, 1, 2 of v0"),
        ("gfx1100", "v_lshrrev_b32_e32", {"src0": 128 + 16, "src1": 0}, LOW, None),
        ("gfx1100", "v_bfe_u32", {"src0": V, "src1": 128, "src2": 128 + 16}, HIGH, None),
        ("gfx1100", "v_perm_b32", {"src0": V, "src1": V + 1, "src2": 4}, LOW, None),
        ("gfx1100", "v_cvt_f32_ubyte1_e32", {"src0": V}, 0b1101, None),
        ("gfx1100", "ds_store_b16", {"addr": 12, "data0": 0}, WHOLE, None),
    ],
)  # fmt: skip
def test_what_an_instruction_reads(
    target: str, mnemonic: str, operands: dict[str, int], lacking: int, needs: str | None
) -> None:
    if "vdst" not in operands and "addr" not in operands:
        operands = operands | {"vdst": 2}
    _, text = after(target, {0: WHOLE ^ lacking}, encoded(target, mnemonic, **operands))
    wanted = needs and f"{mnemonic} needs {needs} of lane 0, which is not known"
    assert text == wanted


def moved(target: str, known: int, *instructions: bytes) -> int:
    """Return the bytes of v2 that are known afterwards, as those of v0 are before."""
    wave, text = after(target, {0: known, 2: 0}, *instructions)
    assert text is None
    return known_bytes(wave, 2)


@pytest.mark.parametrize("known", [LOW, HIGH, 0b0010, 0b0111, 0])
def test_copies_of_a_part(known: int) -> None:
    """Compilers save and restore registers whole."""
    move = encoded("gfx1100", "v_mov_b32_e32", vdst=2, src0=V)
    assert moved("gfx1100", known, move) == known
    store, load = (
        encoded("gfx1100", name, addr=12, offset=4, **data)
        for name, data in (("ds_store_b32", {"data0": 0}), ("ds_load_b32", {"vdst": 2}))
    )
    assert moved("gfx1100", known, store, load) == known
    both = encoded("gfx1100", "ds_store_2addr_b32", addr=12, data0=1, data1=0, offset0=0, offset1=9)
    other = encoded("gfx1100", "ds_load_2addr_b32", addr=12, vdst=1, offset0=0, offset1=9)
    assert moved("gfx1100", known, both, other) == known
    short = encoded("gfx1100", "ds_load_u16_d16_hi", addr=12, offset=4, vdst=2)
    assert moved("gfx1100", known, store, short) == known << 2 & HIGH
    stored = encoded("gfx1100", "ds_store_b16_d16_hi", addr=12, offset=4, data0=0)
    assert moved("gfx1100", known, store, stored, load) == (known & HIGH | known >> 2)
    away = encoded("gfx908", "v_accvgpr_write_b32", vdst=1, src0=V)
    back = encoded("gfx908", "v_accvgpr_read_b32", vdst=2, src0=V + 1)
    assert moved("gfx908", known, away, back) == known


def test_a_half_is_copied_to_another() -> None:
    copy = encoded("gfx1100", "v_mov_b16_e32", vdst=128 + 2, src0=V)
    assert moved("gfx1100", LOW, copy) == HIGH
    assert moved("gfx1100", HIGH, copy) == 0


def test_a_part_of_a_lane_as_a_scalar() -> None:
    read = encoded("gfx1100", "v_readlane_b32", vdst=4, src0=V, src1=128 + 3)
    write = encoded("gfx1100", "v_writelane_b32", vdst=2, src0=4, src1=128 + 5)
    wave, text = after("gfx1100", {0: LOW, 2: HIGH}, read, write)
    assert text is None and known_bits(wave.s[4]) & 0xFFFFFFFF == 0xFFFF
    assert vectors.known_lanes(wave, 2) == [
        1 << 5,
        1 << 5,
        wave.all_lanes ^ 1 << 5,
        wave.all_lanes ^ 1 << 5,
    ]


@pytest.mark.parametrize("known", [0x00F0_000F, 1, 0x8000_0000, 0])
def test_a_mask_that_is_kept_in_a_lane(known: int) -> None:
    """Code without optimization keeps masks of lanes in a register: bits of lanes that no
    instruction wrote are unknown."""
    code = encoded("gfx1100", "v_writelane_b32", vdst=2, src0=4, src1=128 + 5)
    code += encoded("gfx1100", "ds_store_b32", addr=12, data0=2)
    code += encoded("gfx1100", "ds_load_b32", addr=12, vdst=3)
    code += encoded("gfx1100", "v_mov_b32_e32", vdst=2, src0=V + 3)
    code += encoded("gfx1100", "v_readlane_b32", vdst=6, src0=V + 2, src1=128 + 5)
    machine = vectors.machine(code, 32, "gfx1100", 32, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.v[12][:] = 4 * wave.lane
    wave.s[4] = Undefined(0x55667788, known)
    assert machine.run(most=5) is None
    assert known_bits(wave.s[6]) & 0xFFFFFFFF == known
    assert wave.s[6] & known == 0x55667788 & known


@pytest.mark.parametrize(
    ("mnemonic", "operands", "known", "result"),
    [
        ("v_xor_b32_e32", {"src0": 128 + 5, "src1": 0}, LOW, LOW),
        ("v_and_b32_e32", {"src0": 128 + 5, "src1": 0}, LOW, WHOLE),
        ("v_and_b32_e32", {"src0": 4, "src1": 0}, LOW, WHOLE),
        ("v_and_b32_e32", {"src0": 5, "src1": 0}, LOW, LOW),
        ("v_and_b32_e32", {"src0": V + 1, "src1": 0}, HIGH, HIGH),
        ("v_or_b32_e32", {"src0": V + 1, "src1": 0}, HIGH, HIGH),
        ("v_not_b32_e32", {"src0": V}, 0b0100, 0b0100),
        ("v_bfi_b32", {"src0": 4, "src1": V, "src2": V + 1}, LOW, WHOLE),
        ("v_bfi_b32", {"src0": 4, "src1": V + 1, "src2": V}, LOW, LOW),
        ("v_cndmask_b32_e32", {"src0": V + 1, "src1": 0}, LOW, WHOLE),
        ("v_cndmask_b32_e32", {"src0": V, "src1": 1}, LOW, LOW),
    ],
)
def test_operations_bit_by_bit(
    mnemonic: str, operands: dict[str, int], known: int, result: int
) -> None:
    """Each byte of the result is known where it depends on known ones; one of them must be."""
    setting = encoded("gfx1100", "s_movk_i32", sdst=4, simm16=0x7FF0)
    everything = encoded("gfx1100", "s_mov_b32", sdst=5, src0=193)
    code = encoded("gfx1100", mnemonic, vdst=2, **operands)
    assert moved("gfx1100", known, setting, everything, code) == result


def test_bits_made_of_unknown_ones_are_unknown() -> None:
    """clang joins bytes that are never read, and masks of lanes that do not execute."""
    join = encoded("gfx1100", "v_xor_b32_e32", vdst=2, src0=V + 1, src1=0)
    for known in ({0: HIGH, 1: LOW, 2: WHOLE}, {0: 0, 2: WHOLE}):
        wave, text = after("gfx1100", known, join)
        assert text is None and known_bytes(wave, 2) == 0
    product = encoded("gfx1100", "v_mul_lo_u32", vdst=2, src0=V + 1, src1=V)
    _, text = after("gfx1100", {0: 0}, product)
    assert text == "v_mul_lo_u32 needs v0 of lane 0, which is not known"


def test_a_mask_that_is_not_known() -> None:
    machine = vectors.machine(
        encoded("gfx1100", "v_and_b32_e32", vdst=2, src0=4, src1=0)
        + encoded("gfx1100", "v_add_nc_u32_e32", vdst=2, src0=4, src1=0),
        32,
        tracks_writes=True,
    )
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.s[4], wave.v[0][:] = Undefined(0xFF), 0xFFFFFFFF
    assert machine.run(most=1) is None and known_bytes(wave, 2) == 0
    stopped = machine.run(most=2)
    assert stopped is not None
    assert stopped.text == "v_add_nc_u32_e32 needs s4, which is not known"


def test_a_swizzle_copies_what_is_unknown() -> None:
    """Also as a fast Fourier transform has it."""
    for offset in (0xE000, 0x8000, 0x041F):
        swizzle = encoded("gfx906", "ds_swizzle_b32", vdst=2, addr=1, offset=offset)
        wave, text = after("gfx906", {1: LOW, 2: WHOLE}, swizzle)
        assert text is None and known_bytes(wave, 2) == LOW, hex(offset)


NUMBERS = [0, 7, 8, 16, 31, 0xFFFF, 0x7FFF0000, 0x05040100, 0x0C070B09]


@pytest.mark.parametrize(
    ("target", "mnemonic", "operands", "known", "result"),
    [
        ("gfx942", "v_add_u32_e32", {"src0": V + 1, "src1": 0}, LOW, LOW),
        ("gfx942", "v_sub_u32_e32", {"src0": V + 1, "src1": 0}, 0b1001, 0b0001),
        ("gfx942", "v_mul_lo_u32", {"src0": V, "src1": V + 1}, 0b0111, 0b0111),
        ("gfx942", "v_mad_u32_u24", {"src0": V + 1, "src1": V, "src2": 128}, LOW, LOW),
        ("gfx942", "v_mad_u32_u24", {"src0": V + 1, "src1": V, "src2": 128}, 0b0111, WHOLE),
        ("gfx942", "v_add3_u32", {"src0": V + 1, "src1": V, "src2": 128}, LOW, LOW),
        ("gfx942", "v_lshl_add_u32", {"src0": V, "src1": 128 + 8, "src2": V + 1}, LOW, 0b0111),
        ("gfx942", "v_lshl_add_u32", {"src0": V + 1, "src1": 128 + 8, "src2": V}, LOW, LOW),
        ("gfx942", "v_add_lshl_u32", {"src0": V, "src1": V + 1, "src2": 128 + 16}, LOW, WHOLE),
        ("gfx942", "v_lshlrev_b32_e32", {"src0": 128 + 8, "src1": 0}, LOW, 0b0111),
        ("gfx942", "v_lshrrev_b32_e32", {"src0": 128 + 8, "src1": 0}, LOW, 0b1001),
        ("gfx942", "v_lshrrev_b32_e32", {"src0": 128 + 7, "src1": 0}, LOW, 0b0001),
        ("gfx942", "v_ashrrev_i32_e32", {"src0": 128 + 8, "src1": 0}, 0b1110, WHOLE),
        ("gfx942", "v_ashrrev_i32_e32", {"src0": 128 + 8, "src1": 0}, LOW, 0b0001),
        ("gfx942", "v_bfe_i32", {"src0": V, "src1": 128, "src2": 128 + 16}, LOW, WHOLE),
        ("gfx942", "v_bfe_i32", {"src0": V, "src1": 128, "src2": 128 + 17}, LOW, LOW),
        ("gfx942", "v_bfe_u32", {"src0": V, "src1": 128, "src2": 128 + 17}, LOW, 0b1011),
        ("gfx942", "v_perm_b32", {"src0": V, "src1": V + 1, "src2": V + 6}, WHOLE, WHOLE),
        ("gfx942", "v_alignbit_b32", {"src0": V, "src1": V + 1, "src2": 128 + 16}, LOW, WHOLE),
        ("gfx942", "v_alignbit_b32", {"src0": V, "src1": V + 1, "src2": 128 + 8}, 0b1110, 0b0111),
        ("gfx942", "v_pack_b32_f16", {"src0": V + 1, "src1": V}, HIGH, LOW),
        ("gfx942", "v_pack_b32_f16", {"src0": V + 1, "src1": V, "src1_modifiers": 4}, HIGH, WHOLE),
        ("gfx942", "v_cvt_pkrtz_f16_f32", {"src0": V, "src1": V + 1}, 0, HIGH),
        ("gfx942", "v_cvt_pkrtz_f16_f32", {"src0": V + 1, "src1": V}, 0b1110, LOW),
        ("gfx942", "v_pk_add_f16", {"src0": V, "src1": V + 1, "src0_modifiers": 8}, LOW, LOW),
        ("gfx942", "v_pk_add_f16", {"src0": V, "src1": V + 1, "src0_modifiers": 4}, LOW, HIGH),
        ("gfx942", "v_pk_add_f16", {"src0": V, "src1": V + 1}, LOW, WHOLE),
        ("gfx942", "v_pk_lshlrev_b16",
         {"src0": V, "src1": V + 1, "src0_modifiers": 8, "src1_modifiers": 8}, 0b0101, WHOLE),
        ("gfx950", "v_bitop3_b32", {"src0": V, "src1": V + 1, "src2": V + 1, "bitop3": 0x96},
         0b0100, 0b0100),
        ("gfx1100", "v_add_nc_u32_e32", {"src0": V + 1, "src1": 0}, LOW, LOW),
        ("gfx942", "v_add_u16_e32", {"src0": V, "src1": 1}, 0b0001, 0b1101),
        ("gfx942", "v_sub_u16_e32", {"src0": V + 1, "src1": 0}, 0b1101, 0b1101),
        ("gfx942", "v_subrev_u16_e32", {"src0": V + 1, "src1": 0}, 0b1101, 0b1101),
        ("gfx942", "v_mul_lo_u16_e32", {"src0": V + 1, "src1": 0}, LOW, WHOLE),
        ("gfx942", "v_add_i16", {"src0": V + 1, "src1": V}, 0b0001, 0b1101),
        ("gfx942", "v_mad_legacy_u16", {"src0": V + 1, "src1": V, "src2": V + 1}, 0b0001, 0b1101),
        ("gfx942", "v_mad_u16", {"src0": V + 1, "src1": V, "src2": V + 1}, 0b0001, 0b0001),
        ("gfx942", "v_mad_u16", {"src0": V + 1, "src1": V + 1, "src2": V}, 0b0001, 0b0001),
        ("gfx942", "v_mad_i16",
         {"src0": V + 1, "src1": V, "src2": V + 1, "src0_modifiers": 8}, 0b0001, 0b0100),
        ("gfx942", "v_mad_i16",
         {"src0": V + 1, "src1": V, "src2": V + 1, "src1_modifiers": 4}, 0b0100, 0b0001),
        ("gfx942", "v_mad_i16",
         {"src0": V, "src1": V + 1, "src2": V + 1, "src0_modifiers": 12}, 0b0101, 0b0100),
        ("gfx1100", "v_add_nc_u16", {"src0": V + 1, "src1": V}, 0b0001, 0b0001),
        ("gfx1100", "v_mul_lo_u16", {"src0": V + 1, "src1": V}, LOW, LOW),
        ("gfx1100", "v_sub_nc_i16", {"src0": V, "src1": V + 1}, 0b0001, 0b0001),
        ("gfx942", "v_lshlrev_b16_e32", {"src0": 128 + 8, "src1": 0}, 0b0001, WHOLE),
        ("gfx942", "v_lshlrev_b16_e32", {"src0": 128 + 4, "src1": 0}, 0b0001, 0b1101),
        ("gfx942", "v_lshrrev_b16_e32", {"src0": 128 + 8, "src1": 0}, 0b0010, WHOLE),
        ("gfx942", "v_lshrrev_b16_e32", {"src0": 128 + 1, "src1": 0}, 0b0010, 0b1110),
        ("gfx942", "v_ashrrev_i16_e32", {"src0": 128 + 8, "src1": 0}, 0b0010, WHOLE),
        ("gfx942", "v_lshlrev_b16_e32", {"src0": V + 1, "src1": 0}, 0b0001, 0b1101),
        ("gfx1030", "v_lshlrev_b16", {"src0": 128 + 8, "src1": V}, 0b0001, LOW),
        ("gfx1030", "v_lshlrev_b16", {"src0": 128 + 4, "src1": V}, 0b0001, 0b0001),
        ("gfx1100", "v_ashrrev_i16", {"src0": 128 + 7, "src1": V}, 0b0010, 0b0010),
    ],
)  # fmt: skip
def test_a_result_that_is_known_in_part(
    target: str, mnemonic: str, operands: dict[str, int], known: int, result: int
) -> None:
    """Carries go up, packed elements do not touch each other, shifts move bytes."""
    operands = {"vdst": 2, **operands}
    assert moved(target, known, encoded(target, mnemonic, **operands)) == result


@pytest.mark.parametrize("selects", range(8))
def test_sums_of_selected_halves(selects: int) -> None:
    """`op_sel` of VOP3, bits 11 to 14: of the sources, and of the result (RDNA3 ISA, 15.3.3)."""
    code = int.from_bytes(encoded("gfx1100", "v_add_nc_u16", vdst=2, src0=V, src1=V + 1), "little")
    code |= (selects & 3) << 11 | selects >> 2 << 14
    wave, text = after("gfx1100", {0: 0b0101}, code.to_bytes(8, "little"))
    assert (text, known_bytes(wave, 2)) == (None, 0b0111 if selects & 4 else 0b1101)
    wave, text = after("gfx1100", {0: HIGH if selects & 1 else LOW}, code.to_bytes(8, "little"))
    assert (text, known_bytes(wave, 2)) == (None, WHOLE)
    _, text = after("gfx1100", {0: LOW if selects & 1 else HIGH}, code.to_bytes(8, "little"))
    half = "v0.h" if selects & 1 else "v0.l"
    assert text == f"v_add_nc_u16 needs {half} of lane 0, which is not known"
    wave, text = after("gfx1100", {0: 0b0101}, (code | 1 << 15).to_bytes(8, "little"))  # clamp
    known = 0xE1 if selects & 2 else 0xC3  # the sum or 0xffff
    known = known << 16 | 0xFFFF if selects & 4 else known | 0xFFFF0000
    assert text is None and set(wave.known_bits(2).tolist()) == {known}


@pytest.mark.parametrize("selects", range(8))
def test_shifts_of_selected_halves(selects: int) -> None:
    """The number is one half of s4, 3 or 8: no byte of the result depends on the other one."""
    count = 8 if selects & 1 else 3
    setting = encoded("gfx1100", "s_mov_b32", sdst=4, src0=255) + 0x80003.to_bytes(4, "little")
    code = int.from_bytes(encoded("gfx1100", "v_lshlrev_b16", vdst=2, src0=4, src1=V), "little")
    code |= (selects & 3) << 11 | selects >> 2 << 14
    instructions = setting, code.to_bytes(8, "little")
    wave, text = after("gfx1100", {0: 0b0101, 2: 0}, *instructions)
    known = 0b11 if count == 8 else 0b01
    assert (text, known_bytes(wave, 2)) == (None, known << 2 if selects & 4 else known)
    wave, text = after("gfx1100", {0: 0b1010, 2: 0}, *instructions)
    zeros = (1 << count) - 1 | (0xF800 if count == 3 else 0)
    assert text is None
    assert set(wave.known_bits(2).tolist()) == {zeros << (16 if selects & 4 else 0)}


@pytest.mark.parametrize(
    ("target", "mnemonic", "operands", "known", "result"),
    [
        ("gfx942", "v_or_b32_sdwa", {"src0": 1, "src1": 0, "src1_sel": 0}, 0b0001, WHOLE),
        ("gfx942", "v_or_b32_sdwa", {"src0": 0, "src1": 1, "src1_sel": 0}, 0b0001, 0b0001),
        ("gfx1030", "v_or_b32_sdwa", {"src0": 256, "src1": 0, "src1_sel": 1}, 0b0010, WHOLE),
        ("gfx942", "v_mul_lo_u16_sdwa", {"src0": 1, "src1": 0, "dst_sel": 1}, 0b0001, WHOLE),
        ("gfx942", "v_add_u16_sdwa", {"src0": 0, "src1": 1, "dst_sel": 1}, 0b0001, WHOLE),
        ("gfx942", "v_add_u16_sdwa", {"src0": 0, "src1": 1, "dst_sel": 5}, 0b0001, 0b0111),
        ("gfx942", "v_add_u16_sdwa", {"src0": 0, "src1": 1, "dst_sel": 4, "dst_unused": 1},
         0b0001, 0b0001),
        ("gfx942", "v_add_u16_sdwa", {"src0": 0, "src1": 1, "dst_sel": 5, "dst_unused": 2},
         0b0001, 0b0100),
        ("gfx942", "v_add_u16_sdwa", {"src0": 0, "src1": 1, "src0_sel": 5}, 0b0100, 0b1101),
        ("gfx942", "v_add_u32_sdwa", {"src0": 0, "src1": 1, "src0_sel": 4}, 0b0001, 0b1001),
        ("gfx942", "v_and_b32_sdwa", {"src0": 256, "src1": 0, "src0_sel": 0}, 0b0001, WHOLE),
        ("gfx942", "v_xor_b32_sdwa", {"src0": 1, "src1": 0, "src1_sel": 4}, 0b0001, 0b1101),
        ("gfx942", "v_xor_b32_sdwa",
         {"src0": 1, "src1": 0, "src1_sel": 4, "src1_modifiers": 1}, 0b0001, 0b0001),
        ("gfx942", "v_lshlrev_b16_sdwa", {"src0": 256, "src1": 0, "src0_sel": 1}, 0b0001, WHOLE),
        ("gfx942", "v_mov_b32_sdwa", {"src0": 0, "src0_sel": 1, "dst_sel": 2}, 0b1101, 0b1011),
        ("gfx942", "v_mov_b32_sdwa", {"src0": 0, "src0_sel": 1, "dst_sel": 2}, 0b0010, WHOLE),
        ("gfx942", "v_mov_b32_sdwa", {"src0": 0, "dst_sel": 2, "dst_unused": 2}, 0b0001, 0b0100),
    ],
)  # fmt: skip
def test_selected_bytes(
    target: str, mnemonic: str, operands: dict[str, int], known: int, result: int
) -> None:
    """SDWA: what is known of the selected part of v0 decides; s0 is 0xf0f00800."""
    setting = encoded(target, "s_mov_b32", sdst=0, src0=255) + 0xF0F00800.to_bytes(4, "little")
    selections = dict.fromkeys(("src0_sel", "src1_sel", "dst_sel"), 6)
    if "mov" in mnemonic:
        del selections["src1_sel"]
    code = encoded(target, mnemonic, vdst=2, **{**selections, **operands})
    assert moved(target, known, setting, code) == result


def test_nothing_known_of_a_selected_part() -> None:
    operands = {"vdst": 2, "src0": 1, "src1": 0, "src0_sel": 6, "src1_sel": 5}
    for unused in range(3):
        code = encoded("gfx942", "v_add_u32_sdwa", **operands, dst_sel=0, dst_unused=unused)
        _, text = after("gfx942", {0: 0b1011}, code)
        assert text == "v_add_u32_sdwa needs byte 2 of v0 of lane 0, which is not known"


@pytest.mark.parametrize(
    ("selected", "result"), [(6, 0x40003C00), (4, 0x3C00), (5, 0x3C000000), (1, 0)]
)
def test_a_pair_of_halves_is_placed(selected: int, result: int) -> None:
    """1 and 2 as f16 are 0x3c00 and 0x4000 (IEEE 754), in the lanes that execute."""
    code = encoded(
        "gfx1030", "v_cvt_pkrtz_f16_f32_sdwa",
        vdst=2, src0=0, src1=1, src0_sel=6, src1_sel=6, dst_sel=selected,
    )  # fmt: skip
    for lanes in (0xFFFFFFFF, 0xFF):
        machine = vectors.machine(code, 32, "gfx1030", 32)
        [wave] = machine.waves
        wave.set_exec(lanes)
        for number, value in enumerate((0x3F800000, 0x40000000, 7)):
            wave.v[number][:] = value
        assert machine.run(most=1) is None or wave.is_ended
        wanted = [result if lanes >> lane & 1 else 7 for lane in range(32)]
        assert wave.v[2].tolist() == wanted


def test_a_carry_of_selected_parts() -> None:
    """It depends on the bytes of the sum that are placed nowhere, too."""
    code = encoded(
        "gfx942", "v_add_co_u32_sdwa", vdst=2, src0=1, src1=0, src0_sel=6, src1_sel=6, dst_sel=0
    )
    wave, text = after("gfx942", {0: 0b0111}, code)
    assert (text, known_bytes(wave, 2)) == (None, WHOLE)
    assert not known_bits(wave.vcc) & wave.all_lanes


SELECTED = [
    ("gfx942", "v_or_b32_sdwa"),
    ("gfx942", "v_and_b32_sdwa"),
    ("gfx942", "v_add_u32_sdwa"),
    ("gfx942", "v_sub_u16_sdwa"),
    ("gfx942", "v_mul_i32_i24_sdwa"),
    ("gfx942", "v_ashrrev_i16_sdwa"),
    ("gfx942", "v_lshlrev_b32_sdwa"),
    ("gfx942", "v_cndmask_b32_sdwa"),
    ("gfx1030", "v_subrev_nc_u32_sdwa"),
    ("gfx1030", "v_cvt_pkrtz_f16_f32_sdwa"),
]


@pytest.mark.parametrize(("target", "mnemonic"), SELECTED)
def test_no_unknown_bit_changes_what_is_known_by_selections(target: str, mnemonic: str) -> None:
    """With all selections, and some `sext` and rests: bits that are known are the same with other
    unknown bytes."""
    rng = Random(mnemonic)
    size = 64 if target == "gfx942" else 32
    for first, selected in product(range(7), range(7)):
        second, unused = rng.randrange(7), rng.randrange(3)
        fields = {"vdst": 2, "src0": rng.choice((0, 0, 256 + 4)), "src1": 1, "src0_sel": first}
        fields |= {"src1_sel": second, "dst_sel": selected, "dst_unused": unused}
        fields |= {f"src{n}_modifiers": rng.randrange(2) for n in (0, 1)}
        code = encoded(target, mnemonic, **fields)
        known = [rng.randrange(16) for _ in range(2)]
        contents = [[rng.getrandbits(32) for _ in range(size)] for _ in range(3)]
        outcomes = []
        for fill in (0, 0xFFFFFFFF, rng.getrandbits(32)):
            machine = vectors.machine(code, size, target, size, tracks_writes=True)
            machine.observe(UnknownContents(machine))
            [wave] = machine.waves
            scalar = sum(0xFF << 8 * byte for byte in range(4) if known[0] >> byte & 1)
            wave.s[4] = Undefined(contents[0][0] & scalar | fill & ~scalar, scalar)
            for number in range(3):
                wave.v[number][:] = contents[number]
            for number, selected_bytes in enumerate(known):
                mask = np.uint32(sum(0xFF << 8 * b for b in range(4) if selected_bytes >> b & 1))
                wave.v[number][:] = wave.v[number] & mask | np.uint32(fill) & ~mask
                wave.forget_bytes(number, ~selected_bytes & WHOLE, wave.all_lanes)
            stopped = machine.run(most=1)
            bits = wave.known_bits(2)
            outcomes.append((stopped and stopped.text, bits.tolist(), (wave.v[2] & bits).tolist()))
        assert outcomes[0] == outcomes[1] == outcomes[2], (first, second, selected, unused)


@pytest.mark.parametrize(
    ("mnemonic", "operands", "bits"),
    [
        ("v_add_u32_e32", {"src0": V + 1, "src1": 0}, 0),
        ("v_mul_lo_u32", {"src0": V, "src1": V + 1}, 0),
        ("v_lshl_add_u32", {"src0": V + 1, "src1": 128 + 8, "src2": V}, 0),
        ("v_lshl_or_b32", {"src0": V, "src1": 128 + 24, "src2": 128}, 0xFFFFFF),
        ("v_lshlrev_b32_e32", {"src0": 128 + 24, "src1": 0}, 0xFFFFFF),
        ("v_bfe_u32", {"src0": V, "src1": 128, "src2": 128 + 8}, 0xFFFFFF00),
    ],
)
def test_a_result_of_which_nothing_is_known(
    mnemonic: str, operands: dict[str, int], bits: int
) -> None:
    """Zeros that are shifted in, or above a bit field, are known of it."""
    code = encoded("gfx942", mnemonic, vdst=2, **operands)
    wave, text = after("gfx942", {0: 0}, code)
    if bits:
        assert text is None and set(wave.known_bits(2).tolist()) == {bits}
        return
    assert text == f"{mnemonic} needs v0 of lane 0, which is not known"


@pytest.mark.parametrize(
    ("second", "operands", "known", "result"),
    [
        ("v_dual_and_b32", {"src0Y": V, "vsrc1Y": 1}, LOW, LOW),
        ("v_dual_and_b32", {"src0Y": 128 + 5, "vsrc1Y": 0}, LOW, WHOLE),
        ("v_dual_lshlrev_b32", {"src0Y": V, "vsrc1Y": 1}, 0b0001, WHOLE),
        ("v_dual_lshlrev_b32", {"src0Y": 128 + 8, "vsrc1Y": 0}, LOW, 0b0111),
        ("v_dual_add_nc_u32", {"src0Y": V, "vsrc1Y": 1}, LOW, LOW),
    ],
)
def test_halves_of_a_dual_instruction(
    second: str, operands: dict[str, int], known: int, result: int
) -> None:
    """The first copies v0 to v2, as v_mov_b32 does, the second makes v5."""
    encoding = next(
        item
        for item in decoder("gfx1100", 32).encodings
        if (item.mnemonic, item.format.second_mnemonic) == ("v_dual_mov_b32", second)
    )
    fields = {"vdstX": 2, "src0X": V, "vdstY": 4, **operands}
    code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
    wave, text = after("gfx1100", {0: known, 2: 0, 5: 0}, code)
    assert (text, known_bytes(wave, 2), known_bytes(wave, 5)) == (None, known, result)


LONG = {"vdst": 2, "sdst": 8, "src0": V + 10, "src1": V + 11, "src2": V}


@pytest.mark.parametrize(
    ("target", "mnemonic"),
    [
        (target, name)
        for target in ("gfx942", "gfx1100", "gfx1200")
        for name in ("u64_u32", "i64_i32")
    ],
)
def test_the_low_dword_of_a_long_sum(target: str, mnemonic: str) -> None:
    """Compilers multiply and add 32 bits by it: of v[0:1], v1 was not written. The high dword and
    the carry depend on it."""
    name = f"v_mad_co_{mnemonic}" if target == "gfx1200" else f"v_mad_{mnemonic}"
    wave, text = after(target, {1: 0}, encoded(target, name, **LONG))
    assert (text, known_bytes(wave, 2), known_bytes(wave, 3)) == (None, WHOLE, 0)
    assert not known_bits(wave.s[8]) & 0xFFFFFFFF
    wave, text = after(target, {1: LOW}, encoded(target, name, **LONG))
    assert (text, known_bytes(wave, 2), known_bytes(wave, 3)) == (None, WHOLE, LOW)
    for number in (10, 11, 0):
        wave, text = after(target, {number: LOW}, encoded(target, name, **LONG))
        high = 0b1110 if number == 0 else 0  # the carry into it gets no further than its low byte
        assert (text, known_bytes(wave, 2), known_bytes(wave, 3)) == (None, LOW, high)
        wave, text = after(target, {number: 0}, encoded(target, name, **LONG))
        if number == 0:
            assert (text, known_bytes(wave, 2), known_bytes(wave, 3)) == (None, 0, high)
            continue
        assert text == f"{name} needs v{number} of lane 0, which is not known"


def test_what_is_out_of_range_sets_all_bits() -> None:
    """0xa5c3 and two unknown bytes above, or 0xffffffff."""
    code = encoded("gfx942", "v_add_u32_e64", vdst=2, src0=V, src1=V + 1, clamp=1)
    wave, text = after("gfx942", {0: LOW}, code)
    assert text is None and set(wave.known_bits(2).tolist()) == {0xA5C3}


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_lanes_of_a_carry(target: str) -> None:
    size = 64 if target == "gfx942" else 32
    code = encoded(target, "v_mad_u64_u32", **{**LONG, "sdst": 106})
    machine = vectors.machine(code, size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.forget_bytes(1, WHOLE, 0b110)
    wave.set_exec(0b11)
    assert machine.run(most=1) is None
    assert known_bits(wave.vcc) & wave.all_lanes == wave.all_lanes & ~0b10
    assert vectors.known_lanes(wave, 3) == [wave.all_lanes & ~0b10] * 4
    code = encoded(target, "v_mad_u64_u32", **{**LONG, "sdst": 126})
    _, text = after(target, {1: 0}, code)
    assert text == "v_mad_u64_u32 needs v1 of lane 0, which is not known"


@pytest.mark.parametrize(
    ("mnemonic", "high", "known", "result"),
    [
        ("v_pk_add_f32", 8, {1: 0}, (WHOLE, 0)),
        ("v_pk_mul_f32", 8, {0: LOW}, (0, WHOLE)),
        ("v_pk_add_f32", 0, {1: 0}, (WHOLE, WHOLE)),
        ("v_pk_mul_f32", 12, {0: 0}, (WHOLE, WHOLE)),
        ("v_lshl_add_u64", None, {1: 0}, (WHOLE, 0)),
        ("v_lshlrev_b64", None, {1: 0}, (WHOLE, 0)),
        ("v_lshrrev_b64", None, {1: LOW}, (WHOLE, 0b0001)),
    ],
)
def test_pairs_of_dwords(
    mnemonic: str, high: int | None, known: dict[int, int], result: tuple[int, int]
) -> None:
    """`op_sel` and `op_sel_hi` choose a dword; shifts by 1."""
    operands = {"vdst": 2, "src0": V, "src1": V + 10, "src1_modifiers": 8}
    if mnemonic == "v_lshl_add_u64":
        operands = {"vdst": 2, "src0": V, "src1": 128 + 1, "src2": V + 10}
    elif high is None:
        operands = {"vdst": 2, "src0": 128 + 1, "src1": V}
    else:
        operands["src0_modifiers"] = high
    wave, text = after("gfx942", known, encoded("gfx942", mnemonic, **operands))
    assert (text, known_bytes(wave, 2), known_bytes(wave, 3)) == (None, *result)


COUNTED = [
    ("gfx942", "v_lshlrev_b32_e32", {"src0": V, "src1": 1}, 31),
    ("gfx942", "v_lshrrev_b32_e32", {"src0": V, "src1": 1}, 31),
    ("gfx942", "v_ashrrev_i32_e32", {"src0": V, "src1": 1}, 31),
    ("gfx942", "v_lshlrev_b64", {"src0": V, "src1": V + 10}, 63),
    ("gfx942", "v_lshrrev_b64", {"src0": V, "src1": V + 10}, 63),
    ("gfx942", "v_ashrrev_i64", {"src0": V, "src1": V + 10}, 63),
    ("gfx942", "v_lshlrev_b16_e32", {"src0": V, "src1": 1}, 15),
    ("gfx1100", "v_lshlrev_b16", {"src0": V, "src1": V + 1}, 15),
    ("gfx1100", "v_lshrrev_b16", {"src0": V, "src1": V + 1}, 15),
    ("gfx1100", "v_ashrrev_i16", {"src0": V, "src1": V + 1}, 15),
    ("gfx942", "v_lshl_add_u32", {"src0": V + 1, "src1": V, "src2": V + 1}, 31),
    ("gfx942", "v_lshl_or_b32", {"src0": V + 1, "src1": V, "src2": V + 1}, 31),
    ("gfx942", "v_add_lshl_u32", {"src0": V + 1, "src1": V + 1, "src2": V}, 31),
    ("gfx942", "v_lshl_add_u64", {"src0": V + 10, "src1": V, "src2": V + 10}, 7),
    ("gfx942", "v_bfe_u32", {"src0": V + 1, "src1": V, "src2": 128 + 8}, 31),
    ("gfx942", "v_bfe_i32", {"src0": V + 1, "src1": 128, "src2": V}, 31),
    ("gfx942", "v_bfm_b32", {"src0": V + 1, "src1": V}, 31),
    ("gfx942", "v_alignbit_b32", {"src0": V + 1, "src1": V + 1, "src2": V}, 31),
    ("gfx942", "v_alignbyte_b32", {"src0": V + 1, "src1": V + 1, "src2": V}, 3),
    ("gfx942", "v_lshlrev_b32_sdwa",
     {"src0": 0, "src1": 1, "src0_sel": 6, "src1_sel": 6, "dst_sel": 6}, 31),
    ("gfx942", "v_lshlrev_b32_dpp",
     {"src0": 0, "src1": 1, "dpp_ctrl": 0xE4, "row_mask": 15, "bank_mask": 15}, 31),
]  # fmt: skip
"""Shifts by v0, with the bits of it that they read (CDNA3 and RDNA3 ISA)."""


@pytest.mark.parametrize(("target", "mnemonic", "operands", "bits"), COUNTED)
def test_the_low_bits_of_a_count(
    target: str, mnemonic: str, operands: dict[str, int], bits: int
) -> None:
    code = encoded(target, mnemonic, vdst=2, **operands)
    wave, text = after(target, {0: 0b0001}, code)
    assert (text, known_bytes(wave, 2)) == (None, WHOLE)
    wave, text = after(target, {0: 0b1110}, code)
    assert text == f"{mnemonic} needs byte 0 of v0 of lane 0, which is not known" or (
        text is None and known_bytes(wave, 2) != WHOLE
    )
    if "sdwa" in mnemonic or "dpp" in mnemonic or "16" in mnemonic:
        return
    code = encoded(target, mnemonic, vdst=2, **{
        name: 4 if value == V else value for name, value in operands.items()
    })  # fmt: skip
    size = 64 if target.startswith("gfx9") else 32
    for known, needs in ((bits, None), (bits >> 1, "s4"), (bits & ~1, "s4")):
        machine = vectors.machine(code, size, target, size, tracks_writes=True)
        machine.observe(UnknownContents(machine))
        [wave] = machine.waves
        wave.s[4] = Undefined(0xFDFDFDFD, known)
        wave.v[1][:] = wave.v[10][:] = wave.v[11][:] = ODD
        stopped = machine.run(most=1)
        if needs is None or stopped is None:
            assert stopped is None
            is_known = known_bytes(wave, 2) == known_bytes(wave, 3) == WHOLE
            assert is_known == (needs is None)
            continue
        assert stopped.text == f"{mnemonic} needs {needs}, which is not known"


def operations_of_integers() -> list[tuple[str, str]]:
    """Return one encoding of each vector operation whose sources and results are integers."""
    out = {}
    for target in ("gfx1200", "gfx942"):
        for encoding in decoder(target, 32 if target == "gfx1200" else 64).encodings:
            names = encoding.format.names
            if "src0" not in names or {"dpp_ctrl", "dpp8", "src0_sel", "vdstX"} & {*names}:
                continue
            [operation] = operations_of(encoding)
            declared = (*operation.sources, *operation.results)
            is_of_lanes = "lanes" in operation.flags or not operation.name.startswith("v_")
            has_floats = any("f" in one.type or "[" in one.type for one in declared)
            if operation.expression and not is_of_lanes and not has_floats:
                out[operation.name] = target, encoding.mnemonic
    return [*out.values()]


@pytest.mark.parametrize(("target", "mnemonic"), operations_of_integers())
def test_no_unknown_bit_changes_a_known_one(target: str, mnemonic: str) -> None:
    """Of random sources a few bits are unknown, others in each lane: all cases are executed."""
    rng, size = Random(mnemonic), 64 if target == "gfx942" else 32
    encoding = next(one for one in decoder(target, size).encodings if one.mnemonic == mnemonic)
    sources = {"src0": V + 4, "src1": V + 8, "src2": V + 12, "vdst": 16, "sdst": 20}
    fields = {name: sources[name] for name in encoding.format.names if name in sources}
    for name in fields.keys() & {"src1", "src2"}:
        kind = encoding.format.kinds[encoding.format.index[name]]
        if kind.decoder.startswith("vgpr"):
            fields[name] &= 0xFF
    if mnemonic == "v_cndmask_b16":
        fields["src2"] = 106  # vcc
    if "bitop3" in encoding.format.names:
        fields["bitop3"] = rng.getrandbits(8)
    for name in ("src0_modifiers", "src1_modifiers", "src2_modifiers"):
        if name in encoding.format.names and "_pk_" in mnemonic:
            fields[name] = rng.choice((0, 4, 8, 12))
    code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
    choices = (0, 0xFFFFFFFF, 1, 31, 0x05040100, 0x80000000)
    numbers = np.array(
        [
            [rng.choice((*choices, *[rng.getrandbits(32)] * 4)) for _ in range(size)]
            for _ in "0" * 20
        ],
        np.uint32,
    ).reshape(20, size)
    unknown = np.zeros_like(numbers)
    cases = [numbers.copy() for _ in range(8)]
    for lane in range(size):
        for part in range(3):
            row, bit = rng.choice((4, 5, 8, 9, 12, 13, 16)), np.uint32(1 << rng.randrange(32))
            unknown[row, lane] |= bit
            for number, case in enumerate(cases):
                case[row, lane] ^= bit if number >> part & 1 else 0

    def executed(case: np.ndarray[Any, Any], *, is_observed: bool) -> tuple[SimulatedWave, Any]:
        machine = vectors.machine(code, size, target, size, tracks_writes=True)
        [wave] = machine.waves
        for row in range(20):
            wave.v[row][:] = case[row]
            if is_observed:
                wave.set_known_bits(row, ~unknown[row])
        if is_observed:
            machine.observe(UnknownContents(machine))
        wave.vcc = wave.s[20] = 0
        stopped = machine.run(most=1)
        return wave, stopped and stopped.text

    observed, text = executed(cases[0], is_observed=True)
    assert executed(cases[-1], is_observed=True)[1] == text
    if text is not None:
        assert "which is not known" in text
        return
    results = [executed(case, is_observed=False)[0] for case in cases]
    for row in range(4, 20):
        changed = np.bitwise_or.reduce([one.v[row] ^ results[0].v[row] for one in results])
        assert not (changed & observed.known_bits(row)).any()
    for name in ("vcc", "exec"):
        bits = known_bits(getattr(observed, name)) & observed.all_lanes
        assert len({getattr(one, name) & bits for one in results}) == 1
    assert len({one.s[20] & known_bits(observed.s[20]) for one in results}) == 1
