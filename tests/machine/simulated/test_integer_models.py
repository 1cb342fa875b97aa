"""Integer instructions of lanes against models of one lane, in Python's integers.

The models are written from the descriptions in AMD's ISA documents, not from the expressions
of the declarations. Operands are the edges of each type with each other, and random ones.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from tests.machine.simulated.models import MASK, Model, require, s

EDGES = {
    16: (0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF),
    32: (
        *(0, 1, 7, 31, 32, 33, 63, 0x80, 0xFFFF, 0x10000, 0x7FFFFF, 0x800000, 0xFFFFFF),
        *(0x7FFFFFFF, 0x80000000, 0x80000001, 0xFF0080FF, 0xFFFFFFFF),
    ),
    64: (0, 1, 1 << 31, MASK[32], 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, MASK[64]),
}


def operands(*widths: int, seed: int = 1) -> list[tuple[int, ...]]:
    """Edges with each other, some of them where they are many, and random numbers."""
    rng = Random(seed)
    whole = list(product(*(EDGES[bits] for bits in widths)))
    some = whole if len(whole) < 400 else rng.sample(whole, 400)
    return [*some, *(tuple(rng.getrandbits(bits) for bits in widths) for _ in range(100))]


def limited(number: int, bits: int, *, is_signed: bool) -> int:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return max(low, min(high, number))


def parts(number: int, bits: int, count: int) -> list[int]:
    return [number >> bits * n & (1 << bits) - 1 for n in range(count)]


def chosen_byte(a: int, b: int, selector: int) -> int:
    data = (a << 32 | b).to_bytes(8, "little")
    if selector < 8:
        return data[selector]
    if selector < 12:
        return 255 if data[2 * (selector - 8) + 1] & 0x80 else 0
    return 0 if selector == 12 else 255


def field_of(a: int, first: int, width: int, *, is_signed: bool) -> int:
    a, first, width = s(a, 32) if is_signed else a, first & 31, width & 31
    if not width:
        return 0
    taken = a >> first & (1 << width) - 1
    return s(taken, width) if is_signed else taken


def permuted(a: int, b: int, c: int) -> int:
    return sum(chosen_byte(a, b, c >> 8 * n & 255) << 8 * n for n in range(4))


def difference(a: int, b: int, bits: int, *, is_masked: bool = False) -> int:
    pairs = zip(parts(a, bits, 32 // bits), parts(b, bits, 32 // bits), strict=True)
    return sum(abs(x - y) for x, y in pairs if y or not is_masked)


def lerp(a: int, b: int, c: int) -> int:
    rows = zip(parts(a, 8, 4), parts(b, 8, 4), parts(c, 8, 4), strict=True)
    return sum((x + y + (z & 1) >> 1) << 8 * n for n, (x, y, z) in enumerate(rows))


def middle(*numbers: int) -> int:
    return sorted(numbers)[1]


def leading(a: int) -> int:
    return 32 - a.bit_length() if a else -1


INTEGERS: list[tuple[str, int, tuple[int, ...], Model]] = [
    ("v_lshlrev_b32", 32, (32, 32), lambda a, b: b << a % 32),
    ("v_lshrrev_b32", 32, (32, 32), lambda a, b: b >> a % 32),
    ("v_ashrrev_i32", 32, (32, 32), lambda a, b: s(b, 32) >> a % 32),
    ("v_lshlrev_b64", 64, (32, 64), lambda a, b: b << a % 64),
    ("v_lshrrev_b64", 64, (32, 64), lambda a, b: b >> a % 64),
    ("v_ashrrev_i64", 64, (32, 64), lambda a, b: s(b, 64) >> a % 64),
    ("v_lshlrev_b16", 16, (16, 16), lambda a, b: b << a % 16),
    ("v_ashrrev_i16", 16, (16, 16), lambda a, b: s(b, 16) >> a % 16),
    ("v_lshl_add_u32", 32, (32, 32, 32), lambda a, b, c: (a << b % 32) + c),
    ("v_add_lshl_u32", 32, (32, 32, 32), lambda a, b, c: (a + b & MASK[32]) << c % 32),
    ("v_lshl_or_b32", 32, (32, 32, 32), lambda a, b, c: a << b % 32 | c),
    ("v_xad_u32", 32, (32, 32, 32), lambda a, b, c: (a ^ b) + c),
    ("v_bfe_u32", 32, (32, 32, 32), lambda a, b, c: field_of(a, b, c, is_signed=False)),
    ("v_bfe_i32", 32, (32, 32, 32), lambda a, b, c: field_of(a, b, c, is_signed=True)),
    ("v_bfi_b32", 32, (32, 32, 32), lambda a, b, c: a & b | ~a & c),
    ("v_bfm_b32", 32, (32, 32), lambda a, b: ((1 << a % 32) - 1) << b % 32),
    ("v_bfrev_b32", 32, (32,), lambda a: int(f"{a:032b}"[::-1], 2)),
    ("v_bcnt_u32_b32", 32, (32, 32), lambda a, b: a.bit_count() + b),
    ("v_ffbh_u32", 32, (32,), leading),
    ("v_ffbl_b32", 32, (32,), lambda a: (a & -a).bit_length() - 1),
    ("v_ffbh_i32", 32, (32,), lambda a: leading(a ^ MASK[32] if a >> 31 else a)),
    ("v_alignbit_b32", 32, (32, 32, 32), lambda a, b, c: (a << 32 | b) >> c % 32),
    ("v_alignbyte_b32", 32, (32, 32, 32), lambda a, b, c: (a << 32 | b) >> 8 * (c % 4)),
    ("v_perm_b32", 32, (32, 32, 32), permuted),
    ("v_sad_u8", 32, (32, 32, 32), lambda a, b, c: difference(a, b, 8) + c),
    ("v_sad_hi_u8", 32, (32, 32, 32), lambda a, b, c: (difference(a, b, 8) << 16) + c),
    ("v_sad_u16", 32, (32, 32, 32), lambda a, b, c: difference(a, b, 16) + c),
    ("v_sad_u32", 32, (32, 32, 32), lambda a, b, c: difference(a, b, 32) + c),
    ("v_msad_u8", 32, (32, 32, 32), lambda a, b, c: difference(a, b, 8, is_masked=True) + c),
    ("v_lerp_u8", 32, (32, 32, 32), lerp),
    ("v_mul_hi_u32", 32, (32, 32), lambda a, b: a * b >> 32),
    ("v_mul_hi_i32", 32, (32, 32), lambda a, b: s(a, 32) * s(b, 32) >> 32),
    ("v_mul_lo_u32", 32, (32, 32), lambda a, b: a * b),
    ("v_mul_u32_u24", 32, (32, 32), lambda a, b: (a & MASK[24]) * (b & MASK[24])),
    ("v_mul_i32_i24", 32, (32, 32), lambda a, b: s(a, 24) * s(b, 24)),
    ("v_mul_hi_u32_u24", 32, (32, 32), lambda a, b: (a & MASK[24]) * (b & MASK[24]) >> 32),
    ("v_mul_hi_i32_i24", 32, (32, 32), lambda a, b: s(a, 24) * s(b, 24) >> 32),
    ("v_mad_u32_u24", 32, (32, 32, 32), lambda a, b, c: (a & MASK[24]) * (b & MASK[24]) + c),
    ("v_mad_i32_i24", 32, (32, 32, 32), lambda a, b, c: s(a, 24) * s(b, 24) + c),
    ("v_mad_u64_u32", 64, (32, 32, 64), lambda a, b, c: a * b + c),
    ("v_mad_i64_i32", 64, (32, 32, 64), lambda a, b, c: s(a, 32) * s(b, 32) + c),
    ("v_mad_u32_u16", 32, (16, 16, 32), lambda a, b, c: a * b + c),
    ("v_mad_i32_i16", 32, (16, 16, 32), lambda a, b, c: s(a, 16) * s(b, 16) + c),
    ("v_mad_u16", 16, (16, 16, 16), lambda a, b, c: a * b + c),
    ("v_min3_i32", 32, (32, 32, 32), lambda a, b, c: min(s(a, 32), s(b, 32), s(c, 32))),
    ("v_max3_u32", 32, (32, 32, 32), max),
    ("v_med3_i32", 32, (32, 32, 32), lambda *n: middle(*(s(a, 32) for a in n))),
    ("v_med3_u32", 32, (32, 32, 32), middle),
    ("v_med3_i16", 16, (16, 16, 16), lambda *n: middle(*(s(a, 16) for a in n))),
    ("v_med3_u16", 16, (16, 16, 16), middle),
    ("v_max3_i16", 16, (16, 16, 16), lambda *n: max(s(a, 16) for a in n)),
    ("v_minmax_i32", 32, (32, 32, 32), lambda a, b, c: max(min(s(a, 32), s(b, 32)), s(c, 32))),
    ("v_maxmin_u32", 32, (32, 32, 32), lambda a, b, c: min(max(a, b), c)),
    ("v_cvt_pk_u16_u32", 32, (32, 32),
     lambda a, b: limited(a, 16, is_signed=False) | limited(b, 16, is_signed=False) << 16),
    ("v_cvt_pk_i16_i32", 32, (32, 32),
     lambda a, b: limited(s(a, 32), 16, is_signed=True) & MASK[16]
     | limited(s(b, 32), 16, is_signed=True) << 16),
    ("v_sat_pk_u8_i16", 16, (32,),
     lambda a: limited(s(a, 16), 8, is_signed=False)
     | limited(s(a >> 16, 16), 8, is_signed=False) << 8),
]  # fmt: skip


def case_id(parameter: object) -> str:
    """Not the text of a function: it differs by process, and xdist compares the names of tests."""
    return "" if callable(parameter) else str(parameter)


@pytest.mark.parametrize(("name", "bits", "widths", "model"), INTEGERS, ids=case_id)
def test_integers(name: str, bits: int, widths: tuple[int, ...], model: Model) -> None:
    require(name, bits, model, operands(*widths))


def dot(bits: int, *, is_signed: bool) -> Model:
    def sum_of_products(a: int, b: int, c: int) -> int:
        pairs = zip(parts(a, bits, 32 // bits), parts(b, bits, 32 // bits), strict=True)
        if is_signed:
            return sum(s(x, bits) * s(y, bits) for x, y in pairs) + s(c, 32)
        return sum(x * y for x, y in pairs) + c

    return sum_of_products


SATURATED: list[tuple[str, int, tuple[int, ...], bool, Model]] = [
    ("v_add_nc_u32", 32, (32, 32), False, lambda a, b: a + b),
    ("v_add_u32", 32, (32, 32), False, lambda a, b: a + b),
    ("v_sub_u32", 32, (32, 32), False, lambda a, b: a - b),
    ("v_subrev_nc_u32", 32, (32, 32), False, lambda a, b: b - a),
    ("v_add_i32", 32, (32, 32), True, lambda a, b: s(a, 32) + s(b, 32)),
    ("v_sub_nc_i32", 32, (32, 32), True, lambda a, b: s(a, 32) - s(b, 32)),
    ("v_add_i16", 16, (16, 16), True, lambda a, b: s(a, 16) + s(b, 16)),
    ("v_add_nc_i16", 16, (16, 16), True, lambda a, b: s(a, 16) + s(b, 16)),
    ("v_sub_nc_u16", 16, (16, 16), False, lambda a, b: a - b),
    ("v_mad_u16", 16, (16, 16, 16), False, lambda a, b, c: a * b + c),
    ("v_mad_i16", 16, (16, 16, 16), True, lambda a, b, c: s(a, 16) * s(b, 16) + s(c, 16)),
    ("v_mad_u32_u24", 32, (32, 32, 32), False,
     lambda a, b, c: (a & MASK[24]) * (b & MASK[24]) + c),
    ("v_mad_i32_i24", 32, (32, 32, 32), True, lambda a, b, c: s(a, 24) * s(b, 24) + s(c, 32)),
    ("v_mad_i32_i16", 32, (16, 16, 32), True, lambda a, b, c: s(a, 16) * s(b, 16) + s(c, 32)),
    ("v_sad_u8", 32, (32, 32, 32), False, lambda a, b, c: difference(a, b, 8) + c),
    ("v_sad_hi_u8", 32, (32, 32, 32), False, lambda a, b, c: (difference(a, b, 8) << 16) + c),
    ("v_sad_u32", 32, (32, 32, 32), False, lambda a, b, c: difference(a, b, 32) + c),
    ("v_msad_u8", 32, (32, 32, 32), False,
     lambda a, b, c: difference(a, b, 8, is_masked=True) + c),
    ("v_dot2_i32_i16", 32, (32, 32, 32), True, dot(16, is_signed=True)),
    ("v_dot2_u32_u16", 32, (32, 32, 32), False, dot(16, is_signed=False)),
    ("v_dot4_i32_i8", 32, (32, 32, 32), True, dot(8, is_signed=True)),
    ("v_dot4_u32_u8", 32, (32, 32, 32), False, dot(8, is_signed=False)),
    ("v_dot8_i32_i4", 32, (32, 32, 32), True, dot(4, is_signed=True)),
    ("v_dot8_u32_u4", 32, (32, 32, 32), False, dot(4, is_signed=False)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "bits", "widths", "is_signed", "model"), SATURATED, ids=case_id)
@pytest.mark.parametrize("clamp", [0, 1])
def test_sums_with_clamp(
    name: str, bits: int, widths: tuple[int, ...], is_signed: bool, model: Model, clamp: int
) -> None:
    def cut(*numbers: int) -> int:
        exact = model(*numbers)
        return limited(exact, bits, is_signed=is_signed) if clamp else exact

    # op_sel_hi: the second elements are of the upper halves.
    high = {f"src{n}_modifiers": 8 for n in range(2)} if name.startswith("v_dot2") else {}
    require(name, bits, cut, operands(*widths), clamp=clamp, **high)


PAIRS: list[tuple[str, bool, Model]] = [
    ("v_pk_add_u16", False, lambda a, b: a + b),
    ("v_pk_sub_u16", False, lambda a, b: a - b),
    ("v_pk_add_i16", True, lambda a, b: s(a, 16) + s(b, 16)),
    ("v_pk_sub_i16", True, lambda a, b: s(a, 16) - s(b, 16)),
    ("v_pk_mad_u16", False, lambda a, b, c: a * b + c),
    ("v_pk_mad_i16", True, lambda a, b, c: s(a, 16) * s(b, 16) + s(c, 16)),
    ("v_pk_min_i16", True, lambda a, b: min(s(a, 16), s(b, 16))),
    ("v_pk_max_u16", False, max),
    ("v_pk_lshlrev_b16", False, lambda a, b: b << a % 16 & MASK[16]),
    ("v_pk_ashrrev_i16", True, lambda a, b: s(b, 16) >> a % 16),
]


@pytest.mark.parametrize(("name", "is_signed", "model"), PAIRS, ids=case_id)
@pytest.mark.parametrize("clamp", [0, 1])
def test_packed_integers(name: str, is_signed: bool, model: Model, clamp: int) -> None:
    if clamp and "shl" in name:
        pytest.skip("shifts do not overflow")
    count = model.__code__.co_argcount if hasattr(model, "__code__") else 2

    def both(*numbers: int) -> int:
        halves = zip(*(parts(number, 16, 2) for number in numbers), strict=True)
        exact = [model(*pair) for pair in halves]
        if clamp:
            exact = [limited(number, 16, is_signed=is_signed) for number in exact]
        return exact[0] & MASK[16] | (exact[1] & MASK[16]) << 16

    # op_sel_hi: the second elements are of the upper halves.
    high = {f"src{n}_modifiers": 8 for n in range(count)}
    require(name, 32, both, operands(*[32] * count), clamp=clamp, **high)
