"""Corner cases of integers, conversions and floating point, as AMD's ISA documents define them."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.storage.wave_registers import mask_of
from tests.machine.simulated import programs, vectors

BOTH = ("gfx942", "gfx1100")
I32_MIN, I32_MAX, U32_MAX = -(1 << 31), (1 << 31) - 1, (1 << 32) - 1


def result(target: str, mnemonic: str, kinds: str, *sources: Any) -> Any:
    """The result of a VOP3 instruction whose sources are in v0, v2, v4, as `kinds` say: the types
    of the result and of each source."""
    size = 64 if target.startswith("gfx9") else 32
    to, *types = kinds.split()
    fields = {f"src{n}": 256 + 2 * n for n in range(len(sources))}
    code = programs.encoded(decoder(target, size), mnemonic, vdst=8, **fields)
    end = bytes.fromhex("000081bf") if size == 64 else b""
    machine = vectors.machine(code + end, 4, target, size)
    [wave] = machine.waves
    for number, (value, kind) in enumerate(zip(sources, types, strict=True)):
        raw = int(np.array([value], kind).view(f"u{kind[1:]}")[0])
        wave.v[2 * number][:], wave.v[2 * number + 1][:] = raw & U32_MAX, raw >> 32
    stopped = machine.run(most=1)
    assert stopped is None, stopped
    raw = int(wave.v[8][1]) | int(wave.v[9][1]) << 32
    width = int(to[1:])
    return np.array([raw & (1 << 8 * width) - 1], f"u{width}").view(to)[0]


def same(found: Any, wanted: Any) -> bool:
    """Equal, with the sign of zeros; any NaN is one."""
    if wanted != wanted:
        return bool(found != found)
    return bool(
        found == wanted and np.signbit(found) == np.signbit(np.asarray(wanted, found.dtype))
    )


CONVERSIONS = [
    # "Float to integer": toward zero, out of range is the nearest limit, NaN is 0.
    ("v_cvt_i32_f32_e64", "i4 f4", (-2.9,), -2),
    ("v_cvt_i32_f32_e64", "i4 f4", (nan,), 0),
    ("v_cvt_i32_f32_e64", "i4 f4", (inf,), I32_MAX),
    ("v_cvt_i32_f32_e64", "i4 f4", (-3e9,), I32_MIN),
    ("v_cvt_u32_f32_e64", "u4 f4", (-1.0,), 0),
    ("v_cvt_u32_f32_e64", "u4 f4", (5e9,), U32_MAX),
    ("v_cvt_u32_f32_e64", "u4 f4", (nan,), 0),
    ("v_cvt_u32_f32_e64", "u4 f4", (-0.5,), 0),
    ("v_cvt_i32_f64_e64", "i4 f8", (2147483647.9,), I32_MAX),
    ("v_cvt_i32_f64_e64", "i4 f8", (-1e300,), I32_MIN),
    ("v_cvt_u32_f64_e64", "u4 f8", (nan,), 0),
    ("v_cvt_u16_f16_e64", "u2 f2", (-5.0,), 0),
    ("v_cvt_i16_f16_e64", "i2 f2", (inf,), 32767),
    ("v_cvt_f32_u32_e64", "f4 u4", (U32_MAX,), 4294967296.0),
    ("v_cvt_f32_i32_e64", "f4 i4", (I32_MIN,), -2147483648.0),
    ("v_cvt_f32_i32_e64", "f4 i4", ((1 << 24) + 1,), 16777216.0),
    ("v_cvt_f16_f32_e64", "f2 f4", (65519.0,), 65504.0),
    ("v_cvt_f16_f32_e64", "f2 f4", (65520.0,), inf),
    ("v_cvt_f16_f32_e64", "f2 f4", (2.0**-25,), 0.0),
    ("v_cvt_f16_f32_e64", "f2 f4", (-0.0,), -0.0),
    ("v_cvt_f32_f64_e64", "f4 f8", (1e39,), inf),
    ("v_cvt_f32_f64_e64", "f4 f8", (nan,), nan),
]
INTEGERS = [
    # A shift uses the lowest bits of its amount: 4, 5 or 6.
    ("v_lshlrev_b32_e64", "u4 u4 u4", (33, 1), 2),
    ("v_lshrrev_b32_e64", "u4 u4 u4", (32, 7), 7),
    ("v_ashrrev_i32_e64", "i4 u4 i4", (63, -8), -1),
    ("v_lshlrev_b64", "u8 u4 u8", (65, 1), 2),
    ("v_ashrrev_i64", "i8 u4 i8", (127, -8), -1),
    ("v_lshrrev_b64", "u8 u4 u8", (64, 9), 9),
    ("v_lshl_or_b32", "u4 u4 u4 u4", (1, 36, 1), 17),
    ("v_lshl_add_u32", "u4 u4 u4 u4", (3, 34, 5), 17),
    # A field of no bits is 0, one past the highest bit is cut off.
    ("v_bfe_u32", "u4 u4 u4 u4", (U32_MAX, 4, 0), 0),
    ("v_bfe_u32", "u4 u4 u4 u4", (U32_MAX, 28, 8), 15),
    ("v_bfe_i32", "i4 i4 u4 u4", (0x80, 7, 1), -1),
    ("v_bfe_i32", "i4 i4 u4 u4", (-1, 4, 0), 0),
    ("v_bfe_i32", "i4 i4 u4 u4", (0x70000000, 28, 8), 7),
    ("v_bfm_b32", "u4 u4 u4", (32, 4), 0),
    # No bit is found: -1.
    ("v_ffbh_u32_e64", "i4 u4", (0,), -1),
    ("v_ffbl_b32_e64", "i4 u4", (0,), -1),
    ("v_ffbh_i32_e64", "i4 i4", (-1,), -1),
    ("v_ffbh_i32_e64", "i4 i4", (0,), -1),
    ("v_ffbh_i32_e64", "i4 i4", (-2,), 31),
    ("v_ffbh_u32_e64", "i4 u4", (1,), 31),
    # Products and sums wrap; those of 24 bits ignore the upper 8.
    ("v_mul_lo_u32", "u4 u4 u4", (U32_MAX, U32_MAX), 1),
    ("v_mul_hi_i32", "i4 i4 i4", (I32_MIN, I32_MIN), 1 << 30),
    ("v_mul_hi_u32", "u4 u4 u4", (U32_MAX, U32_MAX), U32_MAX - 1),
    ("v_mul_u32_u24_e64", "u4 u4 u4", (0xFF000003, 5), 15),
    ("v_mul_i32_i24_e64", "i4 i4 i4", (0x00FFFFFF, 5), -5),
    ("v_alignbit_b32", "u4 u4 u4 u4", (1, 0x80000000, 63), 3),
    ("v_alignbyte_b32", "u4 u4 u4 u4", (1, 0, 7), 1 << 8),
    ("v_sad_u32", "u4 u4 u4 u4", (1, U32_MAX, 2), 0),
    ("v_med3_i32", "i4 i4 i4 i4", (I32_MAX, I32_MIN, 0), 0),
    ("v_perm_b32", "u4 u4 u4 u4", (0x80000000, 0x00007F80, 0x0D0C0B08), 0xFF00FF00),
]
FLOATS = [
    # The other number of a quiet NaN; -0 is before +0.
    ("v_min_f32_e64", "f4 f4 f4", (nan, 2.0), 2.0),
    ("v_max_f32_e64", "f4 f4 f4", (2.0, nan), 2.0),
    ("v_min_f32_e64", "f4 f4 f4", (0.0, -0.0), -0.0),
    ("v_max_f32_e64", "f4 f4 f4", (-0.0, 0.0), 0.0),
    ("v_med3_f32", "f4 f4 f4 f4", (nan, 3.0, 2.0), 2.0),
    ("v_med3_f32", "f4 f4 f4 f4", (1.0, 3.0, 2.0), 2.0),
    # Fractions are below 1, of infinities NaN; halves go to even.
    ("v_fract_f32_e64", "f4 f4", (-1e-30,), float(np.nextafter(np.float32(1), np.float32(0)))),
    ("v_fract_f32_e64", "f4 f4", (2.75,), 0.75),
    ("v_rndne_f32_e64", "f4 f4", (2.5,), 2.0),
    ("v_rndne_f64_e64", "f8 f8", (-0.5,), -0.0),
    ("v_trunc_f32_e64", "f4 f4", (-0.9,), -0.0),
    ("v_frexp_mant_f32_e64", "f4 f4", (-inf,), -inf),
    ("v_frexp_exp_i32_f32_e64", "i4 f4", (inf,), 0),
    ("v_frexp_exp_i32_f32_e64", "i4 f4", (8.0,), 4),
    ("v_frexp_exp_i32_f64_e64", "i4 f8", (0.0,), 0),
    ("v_frexp_mant_f64_e64", "f8 f8", (2.0**-1074,), 0.5),
    ("v_frexp_exp_i32_f64_e64", "i4 f8", (2.0**-1074,), -1073),
    ("v_ldexp_f64", "f8 f8 i4", (1.0, -1074), 2.0**-1074),
    ("v_ldexp_f64", "f8 f8 i4", (1.0, 2000), inf),
    # fma rounds once; a product that overflows on its own does not.
    ("v_fma_f32", "f4 f4 f4 f4", (1 + 2.0**-12, 1 + 2.0**-12, -1.0), 2.0**-11 + 2.0**-24),
    ("v_fma_f64", "f8 f8 f8 f8", (1e200, 1e200, -inf), -inf),
    ("v_fma_f32", "f4 f4 f4 f4", (inf, 0.0, 1.0), nan),
    ("v_fma_f16", "f2 f2 f2 f2", (1 + 2.0**-10, 1 + 2.0**-10, -1.0), 2.0**-9 + 2.0**-20),
    ("v_rcp_f32_e64", "f4 f4", (-0.0,), -inf),
    ("v_rsq_f32_e64", "f4 f4", (0.0,), inf),
    ("v_sqrt_f32_e64", "f4 f4", (-1.0,), nan),
    ("v_sqrt_f32_e64", "f4 f4", (-0.0,), -0.0),
    ("v_log_f32_e64", "f4 f4", (0.0,), -inf),
    ("v_log_f32_e64", "f4 f4", (-1.0,), nan),
    ("v_exp_f32_e64", "f4 f4", (-inf,), 0.0),
    ("v_exp_f32_e64", "f4 f4", (0.5,), float(np.float32(2**0.5))),
    ("v_sin_f32_e64", "f4 f4", (0.25,), 1.0),
    ("v_cos_f32_e64", "f4 f4", (0.5,), -1.0),
]


@pytest.mark.parametrize("target", BOTH)
@pytest.mark.parametrize(("name", "kinds", "sources", "wanted"), CONVERSIONS + INTEGERS + FLOATS)
def test_of_every_generation(
    target: str, name: str, kinds: str, sources: tuple[Any, ...], wanted: Any
) -> None:
    outcome = result(
        target, RENAMED.get(name, name) if target == "gfx1100" else name, kinds, *sources
    )
    assert same(outcome, wanted), outcome


RENAMED = {
    "v_ffbh_u32_e64": "v_clz_i32_u32_e64", "v_ffbl_b32_e64": "v_ctz_i32_b32_e64",
    "v_ffbh_i32_e64": "v_cls_i32_e64",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kinds", "sources", "wanted"),
    [
        ("v_minimum_f32", "f4 f4 f4", (nan, 2.0), nan),
        ("v_maximum_f32", "f4 f4 f4", (2.0, 3.0), 3.0),
        ("v_minimum_f64", "f8 f8 f8", (0.0, -0.0), -0.0),
        ("v_maximum_f64", "f8 f8 f8", (0.0, nan), nan),
        ("v_minimum3_f32", "f4 f4 f4 f4", (3.0, 1.0, 2.0), 1.0),
        ("v_maximumminimum_f32", "f4 f4 f4 f4", (3.0, 1.0, 2.0), 2.0),
        ("v_minimummaximum_f32", "f4 f4 f4 f4", (3.0, 1.0, 2.0), 2.0),
        ("v_minimummaximum_f32", "f4 f4 f4 f4", (3.0, nan, 2.0), nan),
    ],
)
def test_minimum_and_maximum_of_ieee_754_2019(
    name: str, kinds: str, sources: tuple[Any, ...], wanted: Any
) -> None:
    assert same(result("gfx1200", name, kinds, *sources), wanted)


def test_each_lane_has_a_selector_of_its_own() -> None:
    """v_permlane16_var_b32, v_permlanex16_var_b32: in its row of 16, or in the other one."""
    for name, other in (("v_permlane16_var_b32", 0), ("v_permlanex16_var_b32", 16)):
        code = programs.encoded(decoder("gfx1200", 32), name, vdst=8, src0=256, src1=258)
        machine = vectors.machine(code, 32, "gfx1200")
        [wave] = machine.waves
        lane = np.arange(32)
        wave.v[0][:], wave.v[2][:] = 100 + lane, 15 - lane % 16 + 32 * lane
        assert machine.run() is None
        assert (wave.v[8] == 100 + (lane & ~15 ^ other | 15 - lane % 16)).all()


@pytest.mark.parametrize(
    ("fi", "bound_ctrl", "other"), [(0, 0, 7), (0, 1, 0), (1, 0, None), (1, 1, None)]
)
def test_permutations_of_lanes_that_do_not_execute(
    fi: int, bound_ctrl: int, other: int | None
) -> None:
    """op_sel is FI and BOUND_CTRL: such lanes are read, or give zero, or the result stays."""
    for target, name, row in (
        ("gfx1100", "v_permlane16_b32", 0),
        ("gfx1030", "v_permlanex16_b32", 16),
        ("gfx1200", "v_permlane16_var_b32", 0),
        ("gfx1200", "v_permlanex16_var_b32", 16),
    ):
        selectors = {"src1": 258} if "var" in name else {"src1": 4, "src2": 5}
        fields = selectors | {"src0_modifiers": 4 * fi, "src1_modifiers": 4 * bound_ctrl}
        code = programs.encoded(decoder(target, 32), name, vdst=8, src0=256, **fields)
        machine = vectors.machine(code, 32, target)
        [wave] = machine.waves
        lane = np.arange(32)
        wave.v[0][:], wave.v[2][:], wave.v[8][:] = 100 + lane, 15 - lane % 16, 7
        wave.s[4], wave.s[5] = 0x89ABCDEF, 0x01234567
        active = lane % 3 != 1
        wave.set_exec(mask_of(active))
        machine.run(most=1)
        source = lane & ~15 ^ row | 15 - lane % 16
        value = 100 + source if other is None else np.where(active[source], 100 + source, other)
        assert (wave.v[8] == np.where(active, value, 7)).all()


def test_atomic_sums_of_pairs() -> None:
    """global_atomic_pk_add_f16 v8, v[0:1], v2, off sc0 and the bf16 of LDS."""
    machine = vectors.machine(bytes.fromhex("008039dd00027f08" + "000081bf"), 3, "gfx942", 64)
    [wave] = machine.waves
    wave.v[0][:], wave.v[2][:] = 0x30000, 0x40003C00
    assert machine.run() is None
    memory = machine.global_memory.read(0x30000, 4)
    assert np.frombuffer(memory, "f2").tolist() == [3, 6]
    assert wave.v[8][:3].tolist() == [0, 0x40003C00, 0x44004000]
    machine = vectors.machine(bytes.fromhex("000070d900020008" + "000081bf"), 2, "gfx942", 64)
    [wave] = machine.waves
    wave.v[0][:], wave.v[2][:] = 16, 0xC0003F80
    assert machine.run() is None
    assert np.frombuffer(wave.lds.data[16:20].tobytes(), "u2").tolist() == [0x4000, 0xC080]


def test_a_counter_that_wraps() -> None:
    """ds_wrap_rtn_b32 v8, v0, v2, v4: down by the first number, or else up by the second."""
    machine = vectors.machine(bytes.fromhex("000068d800020408" + "000081bf"), 4, "gfx900", 64)
    [wave] = machine.waves
    wave.v[2][:], wave.v[4][:] = 5, 7
    assert machine.run() is None
    assert wave.v[8][:4].tolist() == [0, 7, 2, 9]


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("0480a8dc00007f00", [1, 2, 3, 4]),  # global_load_lds_dword v[0:1], off offset:4
        ("081051e002000203", [5, 6, 7, 8]),  # buffer_load_dword v2, s[8:11], s3 offen offset:8 lds
        ("001041e002000203", [3, 4, 5, 6]),  # buffer_load_ubyte v2, s[8:11], s3 offen lds
    ],
)
def test_loads_to_lds(code: str, wanted: list[int]) -> None:
    """Lane n writes dword n behind M0 and the offset; lane 4 is not active."""
    machine = vectors.machine(bytes.fromhex(code + "000081bf"), 4, "gfx942", 64)
    [wave] = machine.waves
    memory = machine.global_memory.at(0x30000)
    assert memory is not None
    memory.data[:64] = np.arange(16, dtype="u4").view("u1")
    lane = np.arange(64)
    wave.v[0][:], wave.v[2][:] = 0x30000 + 4 * lane, 4 * lane
    wave.s[8:12], wave.s[3] = [0x30000, 0, 4096, 0], 12
    wave.s[124] = 0x50100
    stopped = machine.run()
    assert stopped is None, stopped
    offset = {"0480": 4, "0810": 8}.get(code[:4], 0)
    values = np.frombuffer(wave.lds.data[0x100 : 0x100 + offset + 20].tobytes(), "u4")
    assert values[offset // 4 :].tolist() == [*wanted, 0]
