"""Instructions that write or read a part of the dword of a lane: the rest stays unknown."""

from __future__ import annotations

import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics.vector_bytes import bytes_that_matter, moved_bytes
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.storage.unknown_contents import UnknownContents
from tests.machine.simulated import programs, vectors

LOW, HIGH, WHOLE = 0b0011, 0b1100, 0b1111
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
    lanes = wave.known_lanes(number)
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
        ("gfx1100", "v_pk_add_f16", {"src0": V, "src1": V + 1, "src0_modifiers": 8}, HIGH, "v0.h"),
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
        ("gfx906", "v_mul_u32_u24_e32", {"src0": V, "src1": 1}, 0b0100, "byte 2 of v0"),
        ("gfx906", "v_add_u32_sdwa", {"src0": 0, "src1": 1, "src0_sel": 5, "src1_sel": 6}, LOW,
         None),
        ("gfx906", "v_add_u32_sdwa", {"src0": 0, "src1": 1, "src0_sel": 3, "src1_sel": 6}, HIGH,
         "byte 3 of v0"),
        ("gfx1100", "v_lshlrev_b32_e32", {"src0": 128 + 16, "src1": 0}, HIGH, None),
        ("gfx1100", "v_lshlrev_b32_e32", {"src0": 128 + 8, "src1": 0}, 0b1100, "byte 2 of v0"),
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
    assert wave.known_lanes(2) == [1 << 5, 1 << 5, wave.all_lanes ^ 1 << 5, wave.all_lanes ^ 1 << 5]


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


def test_nothing_known_is_no_operand() -> None:
    code = encoded("gfx1100", "v_or_b32_e32", vdst=2, src0=V + 1, src1=0)
    _, text = after("gfx1100", {0: HIGH, 1: LOW}, code)
    assert text == "v_or_b32_e32 needs v1.h of lane 0, which is not known"
    _, text = after("gfx1100", {0: 0}, code)
    assert text == "v_or_b32_e32 needs v0 of lane 0, which is not known"


def test_a_mask_that_is_not_known() -> None:
    machine = vectors.machine(
        encoded("gfx1100", "v_and_b32_e32", vdst=2, src0=4, src1=0), 32, tracks_writes=True
    )
    machine.observe(UnknownContents(machine))
    machine.waves[0].s[4] = Undefined(0xFF)
    stopped = machine.run(most=1)
    assert stopped is not None
    assert stopped.text == "v_and_b32_e32 needs s4, which is not known"


NUMBERS = [0, 7, 8, 16, 31, 0xFFFF, 0x7FFF0000, 0x05040100, 0x0C070B09]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("v_lshlrev_b32_e32", {"src0": 4, "src1": 0}),
        ("v_lshrrev_b32_e32", {"src0": 4, "src1": 0}),
        ("v_ashrrev_i32_e32", {"src0": 4, "src1": 0}),
        ("v_lshl_or_b32", {"src0": V, "src1": 4, "src2": V + 1}),
        ("v_lshl_add_u32", {"src0": V, "src1": 4, "src2": V + 1}),
        ("v_bfe_u32", {"src0": V, "src1": 4, "src2": 128 + 12}),
        ("v_bfe_i32", {"src0": V, "src1": 128 + 8, "src2": 4}),
        ("v_alignbit_b32", {"src0": V, "src1": V + 1, "src2": 4}),
        ("v_alignbit_b32", {"src0": V + 1, "src1": V, "src2": 4}),
        ("v_alignbyte_b32", {"src0": V, "src1": V + 1, "src2": 4}),
        ("v_alignbyte_b32", {"src0": V + 1, "src1": V, "src2": 4}),
        ("v_perm_b32", {"src0": V, "src1": V + 1, "src2": 4}),
        ("v_perm_b32", {"src0": V + 1, "src1": V, "src2": 4}),
        ("v_and_b32_e32", {"src0": 4, "src1": 0}),
        ("v_and_or_b32", {"src0": V, "src1": 4, "src2": 128}),
        ("v_bfi_b32", {"src0": 4, "src1": V, "src2": V + 1}),
        ("v_bfi_b32", {"src0": 4, "src1": V + 1, "src2": V}),
    ],
)
def test_bytes_that_the_result_depends_on(name: str, others: dict[str, int], number: int) -> None:
    """Another bit of v0 in each lane changes the result, or does not."""
    code = encoded("gfx1100", name, vdst=2, **others)
    results = []
    for bits in (0, 1):
        for before in (0, 0xFFFFFFFF):
            machine = vectors.machine(code, 32)
            [wave] = machine.waves
            wave.s[4], wave.v[1][:] = number, 0
            wave.v[0][:] = before ^ bits << wave.lane
            assert machine.run(most=1) is None or wave.is_ended
            results.append(wave.v[2].copy())
    changed = (results[0] != results[2]) | (results[1] != results[3])
    depends = sum(1 << byte for byte in range(4) if changed[8 * byte : 8 * byte + 8].any())
    index = list(others.values()).index(0 if others.get("src1") == 0 else V)
    values = [number if field == 4 else field - 128 if 128 <= field < V else None
              for field in others.values()]  # fmt: skip
    mnemonic = name.removesuffix("_e32")
    masks = moved_bytes(mnemonic, values) or bytes_that_matter(mnemonic, values)
    assert masks is not None and masks[index] == depends
