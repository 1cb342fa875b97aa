"""Which bits of its sources may influence each byte of the result of a vector operation.

Law: a bit that is not named does not influence the byte, whatever the other bits are. A sum or
product of integers has in each byte what the bits up to it make; carries go up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from dwarfgpu.isa.modifiers import OP_SELECT, OP_SELECT_HIGH
from dwarfgpu.machine.simulated.semantics.vector_bytes import COUNTS

_FULL: Final = 0xFFFFFFFF
_LOW: Final = 0xFFFF
_HIGH: Final = 0xFFFF0000
_LOW_24: Final = 0xFFFFFF

Influences: TypeAlias = list[tuple[int, ...]]
"""For each byte of the result, the mask of the bits of each source."""

_SAME_BYTES: Final = frozenset(
    {
        *("v_and_b32", "v_and_or_b32", "v_bfi_b32", "v_or_b32", "v_xor_b32", "v_xnor_b32"),
        *("v_or3_b32", "v_xor3_b32", "v_bitop3_b32", "v_not_b32", "v_mov_b32", "v_cndmask_b32"),
    }
)
"""Each byte of the result depends on that byte of the sources; of `v_cndmask_b32`, in each lane on
one of the first two sources."""
_SUMS: Final[Mapping[str, tuple[int, ...]]] = {
    **dict.fromkeys(("v_add_u32", "v_sub_u32", "v_subrev_u32", "v_mul_lo_u32"), (_FULL, _FULL)),
    **dict.fromkeys(("v_add_i32", "v_sub_i32"), (_FULL, _FULL)),
    **dict.fromkeys(("v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32"), (_FULL, _FULL)),
    **dict.fromkeys(("v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32"), (_FULL, _FULL)),
    **dict.fromkeys(("v_add3_u32", "v_xad_u32"), (_FULL, _FULL, _FULL)),
    **dict.fromkeys(("v_mul_u32_u24", "v_mul_i32_i24"), (_LOW_24, _LOW_24)),
    **dict.fromkeys(("v_mad_u32_u24", "v_mad_i32_i24"), (_LOW_24, _LOW_24, _FULL)),
    **dict.fromkeys(("v_mad_u64_u32", "v_mad_i64_i32"), (_FULL, _FULL, _FULL << 32 | _FULL)),
}
"""Sums and products, with the bits of their sources. The rest of a number of 64 bits is its
sign or zeros."""
_HALF_SUMS: Final = frozenset(
    {
        *(f"v_{name}_u16" for name in ("add", "sub", "subrev", "mul_lo", "mad", "mad_legacy")),
        *(f"v_{name}_i16" for name in ("add", "sub", "mad", "mad_legacy")),
    }
)
_HALF_SHIFTS: Final = frozenset({"v_lshlrev_b16", "v_lshrrev_b16", "v_ashrrev_i16"})
_LONG: Final = frozenset({"v_mad_u64_u32", "v_mad_i64_i32", "v_lshl_add_u64"})
_PAIRS_OF_DWORDS: Final = frozenset({"v_pk_add_f32", "v_pk_mul_f32", "v_pk_fma_f32"})
_PAIRS_OF_HALVES: Final = frozenset(
    {
        *(f"v_pk_{name}_f16" for name in ("add", "mul", "fma", "min", "max")),
        *("v_pk_minimum_f16", "v_pk_maximum_f16"),
        *(f"v_pk_{name}_{type}" for name in ("add", "sub", "mad") for type in ("u16", "i16")),
        *(f"v_pk_{name}_{type}" for name in ("min", "max") for type in ("u16", "i16")),
        "v_pk_mul_lo_u16",
    }
)
_SHIFTED_HALVES: Final = frozenset({"v_pk_lshlrev_b16", "v_pk_lshrrev_b16", "v_pk_ashrrev_i16"})
_JOINED: Final = frozenset(
    {
        *("v_cvt_pkrtz_f16_f32", "v_cvt_pk_f16_f32", "v_cvt_pk_bf16_f32"),
        *("v_cvt_pknorm_i16_f32", "v_cvt_pknorm_u16_f32", "v_cvt_pk_i16_f32", "v_cvt_pk_u16_f32"),
        *("v_cvt_pk_i16_i32", "v_cvt_pk_u16_u32"),
    }
)
"""The low half of the result is made of the first source, the high one of the second."""


def has_influences(name: str) -> bool:
    """Return whether `influences` has an operation."""
    return influences(name, [None] * 3, [0] * 3) is not None


def are_sums(name: str) -> bool:
    """Return whether the result is a sum or a product, which may be out of range."""
    return name in _SUMS or name in _HALF_SUMS


def are_of_halves(name: str) -> bool:
    """Return whether the result is a sum, a product or a shift of 16 bits."""
    return name in _HALF_SUMS or name in _HALF_SHIFTS


def number_bits(name: str, source: int, modifiers: Sequence[int]) -> int:
    """Return the bits of a source that `influences` needs where all lanes share it."""
    bits = COUNTS.get(name, {}).get(source, _FULL)
    return bits << _skipped(modifiers[source]) if name in _HALF_SHIFTS else bits


def are_same_bytes(name: str) -> bool:
    """Return whether each byte of the result depends on that byte of the sources."""
    return name in _SAME_BYTES


def influences(
    name: str, numbers: Sequence[int | None], modifiers: Sequence[int]
) -> Influences | None:
    """Return the bits of the sources that may influence each byte of the first result; None for an
    operation that is not one of these.

    `numbers`: sources that are the same in all lanes, None for others. Of the other results, all
    bits may depend on all of these. `modifiers`: of the sources; of operations of halves, of the
    result, too, where `OP_SELECT` is the high half.
    """
    if name in _SAME_BYTES:
        kept = _kept(name, numbers)
        return [tuple(_byte(number) & mask for mask in kept) for number in range(4)]
    if name in _SUMS:
        count = 8 if name in _LONG else 4
        return [tuple(_up_to(number) & mask for mask in _SUMS[name]) for number in range(count)]
    if are_of_halves(name):
        return _of_halves(name, numbers, modifiers)
    if name == "v_pk_mov_b32":
        first, second = (_FULL << 32 if item & OP_SELECT else _FULL for item in modifiers[:2])
        return [*[(first, 0)] * 4, *[(0, second)] * 4]
    if name in _PAIRS_OF_DWORDS:
        low, high = _selected(modifiers, _FULL, _FULL << 32)
        return [low] * 4 + [high] * 4
    if name in _PAIRS_OF_HALVES or name in _SHIFTED_HALVES:
        low, high = _selected(modifiers, _LOW, _HIGH)
        if name in _SHIFTED_HALVES:
            low, high = ((pair[0] & 0xF000F, pair[1]) for pair in (low, high))
        return [low] * 2 + [high] * 2
    if name in _JOINED:
        return [*[(_FULL, 0)] * 2, *[(0, _FULL)] * 2]
    if name == "v_pack_b32_f16":
        first, second = (_HIGH if item & OP_SELECT else _LOW for item in modifiers[:2])
        return [*[(first, 0)] * 2, *[(0, second)] * 2]
    if name == "v_perm_b32":
        selectors = numbers[2]
        return [
            (_FULL, _FULL, _byte(byte)) if selectors is None else _permuted(selectors, byte)
            for byte in range(4)
        ]
    counts = COUNTS.get(name)
    if counts is None:
        return None
    known = {
        source: None if (number := numbers[source]) is None else number & bits
        for source, bits in counts.items()
    }
    rows = _counted(name, list(known.values()))
    out = []
    for row in rows:
        values = iter(row)
        total = len(row) + len(counts)
        out.append(tuple(counts[n] if n in counts else next(values) for n in range(total)))
    return out


def _of_halves(name: str, numbers: Sequence[int | None], modifiers: Sequence[int]) -> Influences:
    """Return the influences of an operation of one half of each source; the other half of the
    result is zero, or stays."""
    *sources, result = modifiers
    skipped = [_skipped(item) for item in sources]
    if name in _HALF_SUMS:
        rows = [(_up_to(number),) * len(skipped) for number in range(2)]
    else:
        bits = COUNTS[name][0]
        number = numbers[0]
        count = None if number is None else number >> skipped[0] & bits
        rows = [(bits, mask) for (mask,) in _counted(name, [count])]
    moved = [tuple(mask << skip for mask, skip in zip(row, skipped, strict=True)) for row in rows]
    rest = [(0,) * len(skipped)] * 2
    return [*rest, *moved] if result & OP_SELECT else [*moved, *rest]


def _skipped(modifiers: int) -> int:
    """Return the bits below the half that is selected."""
    return 16 if modifiers & OP_SELECT else 0


def _counted(name: str, counts: Sequence[int | None]) -> Influences:
    """Return the influences of the sources that are no numbers of bits or bytes."""
    width = int(name[-2:])
    count = counts[0]
    match name:
        case "v_bfm_b32":
            return [()] * 4
        case "v_lshl_add_u32" | "v_lshl_add_u64":
            return [(_up_to(n, count or 0), _up_to(n)) for n in range(width // 8)]
        case "v_add_lshl_u32":
            return [(_up_to(n, count or 0),) * 2 for n in range(4)]
        case "v_alignbit_b32" | "v_alignbyte_b32":
            if count is None:
                return [(_FULL, _FULL)] * 4
            skipped = count * (8 if name == "v_alignbyte_b32" else 1)
            pairs = _of_bits(lambda bit: bit + skipped, 32)
            return [(pair >> 32, pair & _FULL) for pair in pairs]
        case "v_lshlrev_b16" | "v_lshlrev_b32" | "v_lshlrev_b64" | "v_lshl_or_b32":
            if count is None:
                shifted = [_up_to(n) for n in range(width // 8)]
            else:
                left: int = count
                shifted = _of_bits(lambda bit: bit - left if bit >= left else None, width)
            if name == "v_lshl_or_b32":
                return [(mask, _byte(n)) for n, mask in enumerate(shifted)]
            return [(mask,) for mask in shifted]
        case "v_bfe_u32" | "v_bfe_i32":
            return [(mask,) for mask in _field(counts[0], counts[1], is_signed="_i" in name)]
    if count is None:
        return [((1 << width) - 1 & ~(_up_to(n) >> 8),) for n in range(width // 8)]
    right: int = count
    last = width - 1 if "_ashr" in name else None
    shifted = _of_bits(lambda bit: bit + right if bit + right < width else last, width)
    return [(mask,) for mask in shifted]


def _field(first: int | None, width: int | None, *, is_signed: bool) -> list[int]:
    """Return the bits that each byte of a bit field depends on."""
    if first is None or width is None:
        return [_FULL] * 4

    def bit_of(bit: int) -> int | None:
        if bit >= width and not (is_signed and width):
            return None
        source = first + min(bit, width - 1)
        return source if source < 32 else 31 if is_signed else None

    return _of_bits(bit_of, 32)


def _of_bits(bit_of: Callable[[int], int | None], width: int) -> list[int]:
    """Return for each byte of the result the bits that it is a copy of; `bit_of`: None for a
    constant."""
    out = [0] * (width // 8)
    for number in range(width):
        bit = bit_of(number)
        if bit is not None:
            out[number >> 3] |= 1 << bit
    return out


def _byte(number: int) -> int:
    return 0xFF << 8 * number


def _up_to(number: int, shift: int = 0) -> int:
    """Return the bits that get to a byte or below it by a shift to the left."""
    return (1 << 8 * number + 8) - 1 >> shift


def _selected(modifiers: Sequence[int], low: int, high: int) -> tuple[tuple[int, ...], ...]:
    """Return the parts of packed sources that the low and the high part of the result are of."""
    return tuple(
        tuple(high if item & select else low for item in modifiers)
        for select in (OP_SELECT, OP_SELECT_HIGH)
    )


def _kept(name: str, numbers: Sequence[int | None]) -> list[int]:
    """Return the bits of sources that matter to an operation bit by bit."""
    match name, numbers:
        case "v_and_b32", [first, second, *_]:
            return [_anded(second), _anded(first)]
        case "v_and_or_b32", [first, second, _]:
            return [_anded(second), _anded(first), _FULL]
        case "v_bfi_b32", [mask, _, _]:
            return [_FULL, _anded(mask), _anded(None if mask is None else ~mask)]
        case "v_cndmask_b32", _:
            return [_FULL, _FULL]
    return [_FULL] * len(numbers)


def _anded(mask: int | None) -> int:
    """Return the bits of the other source of an AND that matter."""
    return _FULL if mask is None else mask & _FULL


def _permuted(selectors: int, number: int) -> tuple[int, int, int]:
    """Return the bits of the first two sources that a byte of `v_perm_b32` is: byte 0 to 3 of the
    second, 4 to 7 of the first; from 8 the sign of a half; from 12 a constant."""
    selector = selectors >> 8 * number & 0xFF
    bits = 0
    if selector < 12:
        bits = _byte(selector) if selector < 8 else 1 << 16 * (selector - 8) + 15
    return bits >> 32, bits & _FULL, _byte(number)
