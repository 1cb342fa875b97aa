"""Single instructions on one wave, encoded by the tables."""

from __future__ import annotations

import numpy as np
import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from tests.machine.simulated import programs, vectors


def executed(target: str, wave_size: int, mnemonic: str, /, **fields: int) -> SimulatedWave:
    """The wave after an instruction; v0 to v3 are multiples of the lane, s0 to s3 numbers."""
    code = programs.encoded(decoder(target, wave_size), mnemonic, **fields)
    machine = vectors.machine(code, wave_size, target, wave_size)
    [wave] = machine.waves
    for number in range(4):
        wave.v[number][:] = np.arange(wave_size) * (number + 1)
    wave.s[:4] = [0x3FC00000, 0x40000000, 3, 4]
    assert machine.run(most=1) is None
    return wave


def test_a_comparison_that_is_never_true() -> None:
    for name in ("v_cmp_f_f32_e32", "v_cmp_f_u32_e32"):
        wave = executed("gfx1100", 32, name, src0=256 + 1, src1=2)
        assert wave.vcc == 0, name


def test_bytes_chosen_from_scalars_by_a_vector() -> None:
    wave = executed("gfx1100", 32, "v_perm_b32", vdst=5, src0=2, src1=3, src2=256)
    assert wave.v[5][:8].tolist() == [0x04040404, 0x04040400, 0x04040400, 0x04040400,
                                      0x04040403, 0x04040400, 0x04040400, 0x04040400]  # fmt: skip


def test_conversions_of_scalar_floats() -> None:
    wave = executed("gfx1200", 32, "s_cvt_u32_f32", sdst=8, src0=1)
    assert wave.s[8] == 2 and type(wave.s[8]) is int
    assert executed("gfx1200", 32, "s_cvt_f32_u32", sdst=8, src0=2).s[8] == 0x40400000
    assert executed("gfx1200", 32, "s_cvt_hi_f32_f16", sdst=8, src0=0).s[8] == 0x3FF80000
    # The f16 0x3fc0 is 1.9375.


def test_a_new_nan_of_a_sum_of_products() -> None:
    """Infinity times 0 in lane 1; in lane 2 the NaN of a source is not a new one."""
    code = programs.encoded(
        decoder("gfx942", 64), "v_dot2_f32_f16", vdst=5, src0=256 + 1, src1=256 + 2, src2=256 + 3
    )
    machine = vectors.machine(code, 64, "gfx942", 64)
    [wave] = machine.waves
    wave.v[1][1:3] = 0x7C00, 0x7E00
    assert machine.run(most=1) is None
    assert wave.v[5][0] == 0 and wave.v[5][1] == 0xFFC00000
    assert np.isnan(wave.f[5][2]) and wave.v[5][2] != 0xFFC00000


@pytest.mark.parametrize(
    ("mnemonic", "fields", "nan"),
    [
        ("v_fmac_f32_e32", {}, 0xFFD31243),
        ("v_fmaak_f32", {"imm": 0x7FC12345}, 0x7FC12345),
        ("v_dot2acc_f32_f16", {}, 0xFFD31243),
    ],
)
def test_a_nan_that_is_added_stays(mnemonic: str, fields: dict[str, int], nan: int) -> None:
    """Of the destination or the constant, also where another lane makes a new NaN (docs/run.md)."""
    machine = decoder("gfx1100", 32)
    code = programs.encoded(machine, mnemonic, vdst=5, src0=256 + 1, src1=2, **fields)
    running = vectors.machine(code, 32, "gfx1100", 32)
    [wave] = running.waves
    infinity = 0x7C00 if "f16" in mnemonic else 0x7F800000
    wave.v[1][0], wave.v[5][:] = infinity, 0xFFD31243
    if not fields:
        wave.v[5][0] = 0
    assert running.run(most=1) is None
    assert wave.v[5][1:].tolist() == [nan] * 31
    assert wave.v[5][0] == (nan if fields else 0xFFC00000)


@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),
    [
        (0x3FF0000000000000, 0x3FF0000000000000, 0x7FF0000000000001, 0x7FF8000000000001),
        (0, 0x7FF8000000000005, 0x3FF0000000000000, 0x7FF8000000000005),
        (0x7FF8000000000005, 0, 0x3FF0000000000000, 0x7FF8000000000005),
        (0, 0x7FF0000000000000, 0xFFF0000000000001, 0xFFF8000000000001),
        (0, 0x7FF0000000000000, 0x3FF0000000000000, 0xFFF8000000000000),
    ],
)
@pytest.mark.parametrize("direction", range(4))
def test_the_nan_of_double_precision(a: int, b: int, c: int, expected: int, direction: int) -> None:
    """That of a source, quiet; a new one only where none is one (docs/run.md)."""
    machine = decoder("gfx942", 64)
    fused = {"vdst": 8, "src0": 256, "src1": 256 + 2, "src2": 256 + 4}
    code = programs.encoded(machine, "v_fma_f64", **fused)
    code += programs.encoded(machine, "v_fmac_f64_e32", vdst=4, src0=256, src1=2)
    running = vectors.machine(code, 64, "gfx942", 64)
    [wave] = running.waves
    wave.set_mode(0x3F0 | direction << 2)
    for number, source in zip((0, 2, 4), (a, b, c), strict=True):
        wave.v[number][:], wave.v[number + 1][:] = source & 0xFFFFFFFF, source >> 32
    assert running.run(most=2) is None
    for number in (8, 4):
        assert int(wave.v[number][0]) | int(wave.v[number + 1][0]) << 32 == expected


def test_the_constant_of_a_dual_instruction_is_the_factor() -> None:
    """VOPD: v_dual_fmamk_f32 is S0 * K + S1 in both halves."""
    machine = decoder("gfx1100", 32)
    encoding = next(
        item
        for item in machine.encodings
        if item.mnemonic == "v_dual_fmamk_f32" and item.format.second_mnemonic == "v_dual_fmamk_f32"
    )
    values = {"vdstX": 6, "src0X": 256 + 1, "imm": 0x40400000, "vsrc1X": 2, "vdstY": 7}
    word = programs.placed(encoding, {**values, "src0Y": 256 + 1, "vsrc1Y": 3})
    running = vectors.machine(word.to_bytes(encoding.format.size, "little"), 32, "gfx1100", 32)
    [wave] = running.waves
    for number in (1, 2, 3):
        wave.f[number][:] = np.arange(32) * number
    assert running.run(most=1) is None
    assert wave.f[6].tolist() == [lane * 3.0 + 2 * lane for lane in range(32)]
    assert wave.f[7].tolist() == [lane * 3.0 + 3 * lane for lane in range(32)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("020110ca01010201", (2.0, 1.0)),  # v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1
        ("030510c901010201", (5.0, 1.0)),  # v_dual_add_f32 v1, v3, v2 :: v_dual_mov_b32 v2, v1
        ("010108ca03050002", (5.0, 1.0)),  # v_dual_mov_b32 v2, v1 :: v_dual_add_f32 v1, v3, v2
    ],
)
def test_both_halves_of_a_dual_instruction_read_first(
    code: str, expected: tuple[float, float]
) -> None:
    machine = vectors.machine(bytes.fromhex(code), 32, "gfx1100", 32)
    [wave] = machine.waves
    for number in (1, 2, 3):
        wave.f[number][:] = number
    assert machine.run(most=1) is None
    assert (wave.f[1][31], wave.f[2][31]) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("4640b3d33c890218", (60, 68)),  # v_pk_mov_b32 v[70:71], v[60:61], v[68:69]
        ("4648b3d33c890218", (61, 68)),  # the same with op_sel:[1,0]
        ("4650b3d33c890218", (60, 69)),  # [0,1], as compilers copy a pair
        ("4658b3d33c890218", (61, 69)),  # [1,1]
    ],
)
def test_a_packed_move_selects_both_by_op_sel(code: str, expected: tuple[int, int]) -> None:
    machine = vectors.machine(bytes.fromhex(code), 64, "gfx942", 64)
    [wave] = machine.waves
    for number in (60, 61, 68, 69):
        wave.v[number][:] = number
    assert machine.run(most=1) is None
    assert (int(wave.v[70][63]), int(wave.v[71][63])) == expected


@pytest.mark.parametrize(
    ("target", "code", "expected"),
    [
        # v_pk_ashrrev_i16 v5, 4, v1: the high half of the constant 4 is 0
        ("gfx906", "054086d384020218", 0x8765_0123),
        # v_pk_lshlrev_b16 v5, 4, v1 op_sel_hi:[0,1]: both counts are the low half
        ("gfx906", "054084d384020210", 0x7650_2340),
        # v_pk_lshrrev_b16 v5, 0x10003, v1
        ("gfx1030", "054005ccff02021803000100", 0x43B2_0246),
        # v_lerp_u8 v5, v1, 0, 1: byte 0 alone is rounded up
        ("gfx906", "0500cdd101010502", 0x4332_091A),
        # v_lerp_u8 v5, v1, 0, 0x1000100: bytes 1 and 3 are rounded up
        ("gfx1030", "05004dd50101fd0300010001", 0x4432_091A),
    ],
)
def test_constants_whose_parts_differ(target: str, code: str, expected: int) -> None:
    """Each element reads its own part of the 32 bits of a constant (`getInlineEncodingV216` of
    LLVM: integers are sign-extended to 32 bits)."""
    wave_size = 32 if target == "gfx1030" else 64
    machine = vectors.machine(bytes.fromhex(code), wave_size, target, wave_size)
    [wave] = machine.waves
    wave.v[1][:] = 0x8765_1234
    assert machine.run(most=1) is None
    assert {int(number) for number in wave.v[5]} == {expected}


@pytest.mark.parametrize(
    ("target", "mnemonic", "high"),
    [
        ("gfx803", "v_mad_u16", 0),
        ("gfx803", "v_mad_i16", 0),
        ("gfx803", "v_mad_f16", 0),
        ("gfx803", "v_fma_f16", 0),
        ("gfx803", "v_div_fixup_f16", 0),
        ("gfx906", "v_mad_legacy_u16", 0),
        ("gfx906", "v_mad_u16", 0xABCD_0000),
        ("gfx906", "v_fma_f16", 0xABCD_0000),
        ("gfx1030", "v_mad_u16", 0xABCD_0000),
    ],
)
def test_the_high_half_of_a_half_result(target: str, mnemonic: str, high: int) -> None:
    """Zero on GFX8; GFX9 added operations that keep it (`zeroesHigh16BitsOfDest` of LLVM)."""
    wave_size = 32 if target == "gfx1030" else 64
    code = programs.encoded(
        decoder(target, wave_size), mnemonic, vdst=5, src0=256, src1=257, src2=258
    )
    machine = vectors.machine(code, wave_size, target, wave_size)
    [wave] = machine.waves
    wave.v[5][:] = 0xABCD_1234
    assert machine.run(most=1) is None
    assert {int(number) & 0xFFFF_0000 for number in wave.v[5]} == {high}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        # v_ashrrev_i64 v[4:5], 4, 0x80000001
        ("04003ed784fe010001000080", 0xFFFFFFFF_F8000000),
        # v_lshlrev_b64 v[4:5], 4, 0x80000001
        ("04003cd784fe010001000080", 0x8_00000010),
        # v_mad_i64_i32 v[4:5], null, v1, v1, 0x80000001
        ("047cffd60103fe0301000080", 0xFFFFFFFF_80000005),
        # v_mad_u64_u32 v[4:5], null, v1, v1, 0x80000001
        ("047cfed60103fe0301000080", 0x80000005),
        # s_ashr_i64 s[4:5], 0x80000001, 4 and v_mov_b32 of both halves
        ("ff848486010000800402087e05020a7e", 0xFFFFFFFF_F8000000),
    ],
)
def test_literals_of_64_bit_operands(code: str, expected: int) -> None:
    """Signed operands extend the 32 bits by the sign, others by zeros ("We can use sign extended
    64-bit literals, but only for signed operands", LLVM pull request 70274)."""
    machine = vectors.machine(bytes.fromhex(code), 32, "gfx1100", 32)
    [wave] = machine.waves
    wave.v[1][:] = 2
    assert machine.run() is None
    assert int(wave.v[5][0]) << 32 | int(wave.v[4][0]) == expected


@pytest.mark.parametrize(
    ("mnemonic", "operands", "expected"),
    [
        ("v_floor_f32_sdwa", {}, 0xBF800000),
        ("v_cvt_f32_f16_sdwa", {}, 0xB73F0000),
        ("v_cndmask_b32_sdwa", {"src1": 1}, 0x800000BF),
        ("v_mov_b32_sdwa", {}, 0xFFFFFFBF),
        ("v_cvt_f32_u32_sdwa", {}, 0x4F800000),
    ],
)
def test_a_byte_with_its_sign_changed_or_extended(
    mnemonic: str, operands: dict[str, int], expected: int
) -> None:
    """SDWA: a source has `neg` where its operand is a float, `sext` where it is an integer."""
    fields = {"vdst": 5, "src0": 1, "src0_modifiers": 1, "src0_sel": 1, "dst_sel": 6, **operands}
    code = programs.encoded(decoder("gfx942", 64), mnemonic, **fields)
    machine = vectors.machine(code, 64, "gfx942", 64)
    [wave] = machine.waves
    wave.v[1][:] = 0x2BF40
    assert machine.run(most=1) is None
    assert hex(wave.v[5][0]) == hex(expected)


@pytest.mark.parametrize(
    ("processor", "size", "expected"), [("gfx942", 64, 0xFF00), ("gfx1030", 32, 0xABCDFF00)]
)
def test_two_bytes_in_one_half(processor: str, size: int, expected: int) -> None:
    """v_sat_pk_u8_i16: the other half is as for each result of 16 bits."""
    mnemonic = "v_sat_pk_u8_i16_e32"
    code = programs.encoded(decoder(processor, size), mnemonic, vdst=5, src0=257)
    machine = vectors.machine(code, size, processor, size)
    [wave] = machine.waves
    wave.v[1][:], wave.v[5][:] = 0x3F808000, 0xABCD0012
    assert machine.run(most=1) is None
    assert hex(wave.v[5][0]) == hex(expected)


@pytest.mark.parametrize(
    ("mnemonic", "select", "unused", "expected"),
    [
        ("v_cvt_pkrtz_f16_f32_sdwa", 6, 2, 0xC0003C00),  # of 1.0 and -2.0
        ("v_cvt_pkrtz_f16_f32_sdwa", 5, 0, 0x3C000000),
        ("v_cvt_pkrtz_f16_f32_sdwa", 4, 2, 0xABCD3C00),
        ("v_cvt_pkrtz_f16_f32_sdwa", 1, 2, 0xABCD0012),
        ("v_sat_pk_u8_i16_sdwa", 6, 0, 0x0000FF00),  # of 0 and 0x3F80
        ("v_sat_pk_u8_i16_sdwa", 5, 2, 0xFF000012),
        ("v_sat_pk_u8_i16_sdwa", 5, 1, 0xFF000000),
    ],
)
@pytest.mark.parametrize("active", [0xFFFFFFFF, 0x5])
def test_a_packed_result_of_sdwa_is_one_dword(
    mnemonic: str, select: int, unused: int, expected: int, active: int
) -> None:
    """The destination takes the low byte or half of it; in inactive lanes it is as before."""
    fields = {"vdst": 5, "src0": 1, "src0_sel": 6, "dst_sel": select, "dst_unused": unused}
    if "pkrtz" in mnemonic:
        fields |= {"src1": 2, "src1_sel": 6}
    code = programs.encoded(decoder("gfx1030", 32), mnemonic, **fields)
    machine = vectors.machine(code, 32, "gfx1030", 32)
    [wave] = machine.waves
    wave.set_exec(active)
    wave.f[1][:], wave.f[2][:], wave.v[5][:] = 1.0, -2.0, 0xABCD0012
    assert machine.run(most=1) is None
    assert {hex(value) for value in wave.v[5][wave.active_lanes]} == {hex(expected)}
    assert active & 2 or hex(wave.v[5][1]) == "0xabcd0012"


@pytest.mark.parametrize(
    ("mnemonic", "offset", "expected"),
    [
        ("s_buffer_load_u8", 3, 0xF4),
        ("s_buffer_load_i8", 3, 0xFFFFFFF4),
        ("s_buffer_load_u16", 2, 0xF4F3),
        ("s_buffer_load_i16", 6, 0xFFFFF8F7),
        ("s_buffer_load_b32", 3, 0xF4F3F2F1),
    ],
)
def test_a_scalar_load_of_a_part_of_a_dword(mnemonic: str, offset: int, expected: int) -> None:
    """RDNA4 ISA, "Scalar Memory": addresses of dwords lose their two lowest bits, others do not."""
    code = programs.encoded(
        decoder("gfx1200", 32), mnemonic, sdst=8, sbase=4, soffset=124, offset=offset
    )
    machine = vectors.machine(code, 32, "gfx1200", 32)
    machine.global_memory.add("numbers", 0x70000, bytes(range(0xF1, 0xF9)))
    [wave] = machine.waves
    wave.s[4:8] = [0x70000, 0, 8, 0]
    assert machine.run(most=1) is None
    assert hex(wave.s[8]) == hex(expected)


@pytest.mark.parametrize(
    ("target", "size", "expected"),
    [
        ("gfx90a", 64, (40, 40)),
        ("gfx1030", 64, (8, 40)),
        ("gfx1100", 64, (8, 40)),
        ("gfx1200", 64, (40, 40)),
        ("gfx1100", 32, (8, 8)),
    ],
)
def test_lanes_that_another_lane_reaches(target: str, size: int, expected: tuple[int, int]) -> None:
    """Lane 40 by its address: RDNA1 to RDNA3 have "MOD 32 regardless of wave size"."""
    for name in ("ds_bpermute_b32", "ds_permute_b32"):
        code = programs.encoded(decoder(target, size), name, vdst=5, addr=1, data0=2)
        machine = vectors.machine(code, size, target, size)
        [wave] = machine.waves
        wave.v[1][:] = 4 * 40 if name == "ds_bpermute_b32" else 4 * (wave.lane + 1)
        wave.v[2][:] = wave.lane
        assert machine.run(most=1) is None
        if name == "ds_bpermute_b32":
            assert (wave.v[5][0], wave.v[5][-1]) == expected
        else:
            last = size - 1 if size == 32 or expected[0] == 40 else 31
            assert wave.v[5][0] == last and wave.v[5][1] == 0


@pytest.mark.parametrize("name", ["v_fmac_f32_e32", "v_fma_mixlo_f16", "v_mov_b32_e32"])
def test_an_indexed_destination_that_is_read_is_not_simulated(name: str) -> None:
    """It was written at the index and read without it; no document says where it is read."""
    machine = decoder("gfx906", 64)
    on = programs.encoded(machine, "s_set_gpr_idx_on", src0=128 + 3, src1=8)  # VDST_REL
    encoding = next(item for item in machine.encodings if item.mnemonic == name)
    operands = {"vdst": 8, "src0": 257, "src1": 258 if encoding.format.size == 8 else 2}
    values = {field: operands[field] for field in operands if field in encoding.format.index}
    code = on + programs.placed(encoding, values).to_bytes(encoding.format.size, "little")
    stopped = vectors.machine(code, 64, "gfx906", 64).run(most=2)
    if name.startswith("v_mov"):
        assert stopped is None
    else:
        assert stopped is not None and "with an index at" in stopped.text


@pytest.mark.parametrize(("select", "unused"), [(6, 0), (6, 2), (1, 2), (5, 0), (4, 1)])
def test_a_part_of_an_indexed_destination_is_not_simulated(select: int, unused: int) -> None:
    """No document says whether SDWA keeps the rest of the register at the index."""
    machine = decoder("gfx906", 64)
    code = programs.encoded(machine, "s_set_gpr_idx_on", src0=128 + 3, src1=8)  # VDST_REL
    code += programs.encoded(machine, "v_mov_b32_sdwa", vdst=4, src0=1, src0_sel=6,
                             dst_sel=select, dst_unused=unused)  # fmt: skip
    running = vectors.machine(code, 64, "gfx906", 64)
    [wave] = running.waves
    wave.v[1][:], wave.v[7][:] = 5, 6
    stopped = running.run(most=2)
    if select == 6:
        assert stopped is None and wave.v[7][0] == 5
    else:
        assert stopped is not None and "v_mov_b32_sdwa with an index at" in stopped.text


@pytest.mark.parametrize("relative", range(8))
def test_which_index_is_that_of_an_added_register(relative: int) -> None:
    """v_madmk_f32 v8, v1, 3.0, v2: no document says whether VSRC1_REL (2) or VSRC2_REL (4) moves
    v2, which is in the field VSRC1 and the third source."""
    machine = decoder("gfx900", 64)
    code = programs.encoded(machine, "s_set_gpr_idx_on", src0=128 + 3, src1=relative)
    code += programs.encoded(machine, "v_madmk_f32", vdst=8, src0=256 + 1, imm=0x40400000, src1=2)
    running = vectors.machine(code, 64, "gfx900", 64)
    [wave] = running.waves
    for number in range(8):
        wave.f[number][:] = number
    stopped = running.run(most=2)
    if relative >> 1 in (1, 2):
        assert stopped is not None and "v_madmk_f32 with an index at" in stopped.text
        return
    assert stopped is None
    assert wave.f[8][5] == 3 * (4 if relative & 1 else 1) + (5 if relative & 2 else 2)


@pytest.mark.parametrize(
    ("target", "code", "expected"),
    [
        # v_pk_fmac_f16 v5, 1.0, v2: of GFX10 the high half of the constant is 0
        ("gfx1030", "f2040a78", 0x0000_4000),
        ("gfx1100", "f2040a78", 0x4200_4000),
        ("gfx1200", "f2040a78", 0x4200_4000),
        # v_dot2_f16_f16 v5, 1.0, v2, 0
        ("gfx1100", "050066d6f2040202", 0x4500),
        # v_dot2_f16_f16 v5, 1.0, v2, 1.0 op_sel:[0,0,1,0]
        ("gfx1100", "052066d6f204ca03", 0x4600),
    ],
)
def test_constants_that_are_in_both_halves(target: str, code: str, expected: int) -> None:
    """GFX11 replicates inline constants (RDNA3.5 ISA, 7.2.1 for v_dot2_f16_f16; LLVM's issue 94116
    for v_pk_fmac_f16, where GFX10.3 has 0)."""
    machine = vectors.machine(bytes.fromhex(code), 32, target, 32)
    [wave] = machine.waves
    wave.v[2][:] = 0x4200_4000  # 3, 2
    assert machine.run(most=1) is None
    assert (wave.v[5] == expected).all(), hex(wave.v[5][0])


@pytest.mark.parametrize("code", ["f2040a04", "f60a10cb03010002", "81040a78", "c1040a78"])
def test_a_packed_constant_that_no_document_defines(code: str) -> None:
    """v_dot2acc_f32_f16 v5, 1.0, v2, alone and as half of a dual instruction; v_pk_fmac_f16 with
    the integers 1 and -1."""
    machine = vectors.machine(bytes.fromhex(code), 32, "gfx1100", 32)
    stopped = machine.run(most=1)
    assert stopped is not None and stopped.text.startswith("not simulated: a constant as a source")
