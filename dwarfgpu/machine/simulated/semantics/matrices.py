"""Matrix products over the lanes of a wave: which lanes hold which elements, and the product.

"Matrix Core" and "WMMA" of AMD's ISA documents, and the layouts of the AMD Matrix Instruction
Calculator. Sums are computed in double precision and rounded once; hardware may round between.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.semantics.lane_functions import Lanes, bf16, fma
from dwarfgpu.machine.simulated.semantics.lane_moves import TYPES
from dwarfgpu.machine.simulated.semantics.small_floats import small_float, xf32
from dwarfgpu.machine.simulated.wave_fault import not_simulated


def tile(registers: tuple[Lanes, ...], kind: str) -> Lanes:
    """Return registers as elements of a type, lowest bits first: an array of elements and lanes.

    bf16, xf32 and numbers of 8, 6 and 4 bits are of single precision then.
    """
    rows = np.stack(registers)
    if kind == "bf16":
        halves = np.stack([rows << 16, rows & 0xFFFF0000], 1)
        return halves.reshape(-1, rows.shape[1]).view(np.float32)
    if kind.startswith(("fp8", "bf8")):
        parts = [rows >> 8 * n & 255 for n in range(4)]
        return small_float(np.stack(parts, 1).reshape(-1, rows.shape[1]), kind)
    if kind in ("fp6", "bf6", "fp4"):
        return small_float(_packed_codes(rows, int(kind[-1])), kind)
    if kind == "xf32":
        return xf32(rows.view(np.float32))
    if kind == "b4":
        parts = [rows >> 4 * n & 15 for n in range(8)]
        return np.stack(parts, 1).reshape(-1, rows.shape[1]).astype(np.uint8)
    if kind == "f64":
        wide = rows[1::2].astype(np.uint64) << np.uint64(32) | rows[::2]
        result: Lanes = wide.view(np.float64)
        return result
    if kind not in _KINDS:
        raise not_simulated(f"a matrix of {kind}")
    size = np.dtype(_KINDS[kind]).itemsize
    parts = [rows >> 8 * size * n for n in range(4 // size)]
    narrow = np.stack(parts, 1).reshape(-1, rows.shape[1])
    return narrow.astype(f"u{size}").view(_KINDS[kind])


def _packed_codes(rows: Lanes, bits: int) -> Lanes:
    """Return the codes that follow each other in registers, over their borders."""
    out = []
    for start in range(0, 32 * len(rows), bits):
        number, shift = divmod(start, 32)
        code = rows[number] >> shift
        if shift + bits > 32:
            code = code | rows[number + 1] << 32 - shift
        out.append(code & (1 << bits) - 1)
    return np.stack(out)


def joined_groups(elements: Lanes, rows: int) -> Lanes:
    """Return a matrix of 8-bit numbers in the layout of those with 4: 32 elements of a row or
    column in one lane.

    Its lanes have 16 elements of each half of the row, one after the other.
    """
    groups = elements.shape[1] // rows
    parts: Lanes = elements.reshape(2, 16, groups, rows).transpose(0, 2, 1, 3)
    return parts.reshape(groups, 32, rows).transpose(1, 0, 2).reshape(32, -1)


def scaled_tile(elements: Lanes, scales: Lanes, byte: int) -> Lanes:
    """Return the 32 elements that follow each other in a lane times the power of two in a byte of
    its scale: the exponent of a single precision number; 255 is NaN."""
    exponents = (scales >> 8 * byte & 255).astype(np.int32)
    factors = np.where(exponents == 255, np.nan, np.ldexp(1.0, exponents - 127))
    result: Lanes = elements.astype(np.float64) * factors
    return result


_KINDS: Final[dict[str, Any]] = {**TYPES, "b8": np.uint8}


def untiled(elements: Lanes, kind: str, count: int) -> list[Lanes]:
    """Return the registers of elements."""
    if kind == "f64":
        bits = elements.astype(np.float64).view(np.uint64)
        return [row for number in bits for row in (number, number >> np.uint64(32))]
    if kind == "bf16":
        raw = bf16(elements.astype(np.float32)).astype(np.uint32)
    else:
        raw = elements.astype(_KINDS[kind])
        raw = raw.view(f"u{raw.itemsize}").astype(np.uint32)
    if len(raw) == count:
        return list(raw)
    return [raw[2 * n] | raw[2 * n + 1] << 16 for n in range(count)]


def grouped_lanes(elements: Lanes, pattern: int) -> Lanes:
    """Apply the modifier blgp: a group of 32 (1, 2) or 16 lanes (4 to 7) for all others, or all
    lanes rotated by 16 (3)."""
    lane = np.arange(elements.shape[-1])
    if pattern == 3:
        source = (lane + 16) % len(lane)
    elif pattern < 3:
        source = lane % 32 + 32 * (pattern - 1)
    else:
        source = lane % 16 + 16 * (pattern - 4)
    result: Lanes = elements[:, source]
    return result


def one_block(elements: Lanes, rows: int, size: int, number: int) -> Lanes:
    """Apply the modifiers cbsz and abid: of each 2**size blocks, the lanes of one are used for
    all."""
    lane = np.arange(elements.shape[-1])
    block = (lane // rows >> size << size) + number
    result: Lanes = elements[:, block * rows + lane % rows]
    return result


def negated_elements(elements: Lanes, signs: int) -> Lanes:
    """Negate even elements (1), odd ones (2), or all of those that are not pairs."""
    out = elements.copy()
    for number in range(2):
        if signs >> number & 1:
            out[number::2] = -out[number::2]
    return out


def mfma(a: Lanes, b: Lanes, c: Lanes, rows: int, depth: int, blocks: int = 1) -> Lanes:
    """Return a * b + c of one or several pairs of matrices, `rows` by `depth` and `depth` by
    `rows`.

    A lane has elements of one row of a and of one column of b, and of c and the result some rows of
    one column.
    """
    left, right = _operand(a, rows, depth, blocks), _operand(b, rows, depth, blocks)
    block, row, column = _element_indices(rows, blocks, len(c), c.dtype == np.float64)
    accumulator = np.zeros((blocks, rows, rows), c.dtype)
    accumulator[block, row, column] = c
    return _product(left, right.transpose(0, 2, 1), accumulator)[block, row, column]


def _operand(elements: Lanes, rows: int, depth: int, blocks: int) -> Lanes:
    """Return a matrix for each block, rows by depth, of what the lanes have."""
    count, lanes = elements.shape
    out = np.zeros((blocks, rows, depth), elements.dtype)
    lane = np.arange(lanes)
    if rows == 4 and elements.dtype == np.float64:
        out[lane // rows % blocks, lane % rows, lane // (rows * blocks)] = elements[0]
    elif blocks == 1:
        first = lane // rows * count
        for n in range(count):
            out[0, lane % rows, first + n] = elements[n]
    else:
        for n in range(count):
            out[lane // rows, lane % rows, n] = elements[n]
    return out


@cache
def _element_indices(
    rows: int, blocks: int, count: int, is_double: bool
) -> tuple[Lanes, Lanes, Lanes]:
    """Block, row and column of each element of a result, by element and lane."""
    number, lane = np.arange(count)[:, None], np.arange(64)[None]
    if is_double and rows == 4:
        return lane // 4 % 4 + number * 0, lane // 16 + number * 0, lane % 4 + number * 0
    if is_double:
        return number * 0 + lane * 0, 4 * number + lane // 16, number * 0 + lane % 16
    if rows == 4:
        return lane // 4 + number * 0, number + lane * 0, lane % 4 + number * 0
    block_size = count // blocks
    block, part = number // block_size, number % block_size
    row = 8 * (part // 4) + 4 * (lane // 32) + part % 4 if rows == 32 else 4 * (lane // 16) + part
    return block + lane * 0, row, lane % rows + number * 0


def _product(left: Lanes, right: Lanes, accumulator: Lanes, saturates: int = 0) -> Lanes:
    """Return left @ right + whole for each block."""
    if accumulator.dtype == np.float64:
        for n in range(left.shape[2]):
            accumulator = fma(left[:, :, n, None], right[:, None, n, :], accumulator)
        return accumulator
    if accumulator.dtype.kind == "i":
        wide = left.astype(np.int64) @ right.astype(np.int64) + accumulator
        if saturates:
            wide = np.clip(wide, -(1 << 31), (1 << 31) - 1)
        return wide.astype(np.int32)
    return (left.astype(np.float64) @ right.astype(np.float64) + accumulator).astype(
        accumulator.dtype
    )


def smfmac(a: Lanes, b: Lanes, index: Lanes, d: Lanes, rows: int, depth: int, key: int) -> Lanes:
    """Return a * b + d, where two of four elements of each row of a are not zero; the index gives
    their positions."""
    return mfma(_dense(a, index, key, len(b)), _as_dense(b), d, rows, depth)


def swmmac(
    a: Lanes,
    b: Lanes,
    index: Lanes,
    d: Lanes,
    depth: int,
    key: int,
    signs: int = 3,
    saturates: int = 0,
    bits: int = 8,
) -> Lanes:
    """Return `smfmac` for 16 rows and columns (GFX12); signs and the rest are those of `wmma`."""
    left = _dense(_integers(a, signs & 1, bits), index, key, len(b))
    return wmma(left, _as_dense(_integers(b, signs & 2, bits)), d, depth, 12, saturates=saturates)


def _as_dense(elements: Lanes) -> Lanes:
    return elements.astype(np.float64 if elements.dtype.kind == "f" else np.int16)


def _dense(elements: Lanes, index: Lanes, key: int, count: int) -> Lanes:
    """Return elements at their positions among zeros: of each pair, four bits of the index say
    where among four they are. `key` is the number of the set of such bits in the index."""
    lanes = elements.shape[1]
    out = np.zeros((count, lanes), _as_dense(elements[:0]).dtype)
    shift = 2 * len(elements) * key
    for number, row in enumerate(elements):
        position = index >> shift + 2 * number & 3
        out[number // 2 * 4 + position.astype(np.intp), np.arange(lanes)] += row
    return out


def wmma(
    a: Lanes,
    b: Lanes,
    c: Lanes,
    depth: int,
    generation: int,
    signs: int = 3,
    saturates: int = 0,
    bits: int = 8,
) -> Lanes:
    """Return a * b + c of matrices of 16 rows and columns; `signs`: 1 and 2 mark a and b as signed
    integers."""
    lanes = c.shape[1]
    left = _row_of_lanes(_integers(a, signs & 1, bits), depth, generation)
    right = _row_of_lanes(_integers(b, signs & 2, bits), depth, generation)
    number, lane = np.arange(len(c))[:, None], np.arange(lanes)[None]
    row = lanes // 16 * number + lane // 16
    if generation >= 12:
        row = 8 * (lane // 16 % 2) + len(c) * (lane // 32) + number
    column = lane % 16 + number * 0
    accumulator = np.zeros((1, 16, 16), c.dtype)
    accumulator[0, row, column] = c
    product: Lanes = _product(left[None], right.T[None], accumulator, saturates)[0, row, column]
    return product


def _integers(elements: Lanes, is_signed: int, bits: int) -> Lanes:
    """Return `uint8` elements as integers of `bits` bits; other elements unchanged."""
    if elements.dtype != np.uint8:
        return elements
    sign = 1 << bits - 1 if is_signed else 0
    return (elements.astype(np.int16) ^ sign) - sign


def _row_of_lanes(elements: Lanes, depth: int, generation: int) -> Lanes:
    """Return 16 by depth: on GFX11 a lane has a whole row, and lanes 16 apart the same; on GFX12
    half."""
    count, lanes = elements.shape
    out = np.zeros((16, depth), elements.dtype)
    for lane in range(lanes if generation >= 12 else 16):
        first = lane // 16 * count if generation >= 12 else 0
        if first >= depth:
            break  # iu4 in wave64: the first lanes have all
        out[lane % 16, first : first + count] = elements[:, lane]
    return out


def halves_of(a: Lanes, is_high: int) -> Lanes:
    """Return one of the two elements in each register: results of 16 bits on GFX11."""
    return a[is_high::2]


MATRICES: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (
        *(tile, untiled, mfma, smfmac, wmma, swmmac, halves_of),
        *(joined_groups, scaled_tile),
        *(grouped_lanes, one_block, negated_elements),
    )
}
