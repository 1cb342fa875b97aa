"""Products of matrices over the lanes of a wave: where lanes have the elements, and the product.

"Matrix Core" and "WMMA" of AMD's ISA documents, and the layouts of the AMD Matrix Instruction
Calculator. Sums are computed in double precision and rounded once; hardware may round between.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.exact_floats import fma64
from dwarfgpu.machine.simulated.faults import not_simulated
from dwarfgpu.machine.simulated.lane_functions import Lanes, bf16
from dwarfgpu.machine.simulated.lane_moves import TYPES


def tile(registers: tuple[Lanes, ...], kind: str) -> Lanes:
    """Registers as elements of a type, lowest bits first: an array of elements and lanes.

    bf16 and fp8 are numbers of single precision then.
    """
    rows = np.stack(registers)
    if kind == "bf16":
        halves = np.stack([rows << 16, rows & 0xFFFF0000], 1)
        return halves.reshape(-1, rows.shape[1]).view(np.float32)
    if kind in ("fp8", "bf8"):
        parts = [rows >> 8 * n & 255 for n in range(4)]
        return _small_floats(kind)[np.stack(parts, 1).reshape(-1, rows.shape[1])]
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


_KINDS: Final[dict[str, Any]] = {**TYPES, "b8": np.uint8}


def untiled(elements: Lanes, kind: str, count: int) -> list[Lanes]:
    """The registers of elements."""
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


@cache
def _small_floats(kind: str) -> Lanes:
    """The numbers of 8 bits of MI300: one zero, no infinities (e4m3 and e5m2 "fnuz")."""
    exponent_bits = 4 if kind == "fp8" else 5
    fraction_bits = 7 - exponent_bits
    bias = 1 << exponent_bits - 1
    out = np.zeros(256, np.float32)
    for number in range(256):
        exponent = number >> fraction_bits & (1 << exponent_bits) - 1
        fraction = number & (1 << fraction_bits) - 1
        if exponent:
            value = (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)
        else:
            value = fraction / (1 << fraction_bits) * 2.0 ** (1 - bias)
        out[number] = -value if number & 0x80 else value
    out[0x80] = np.nan
    return out


def mfma(a: Lanes, b: Lanes, c: Lanes, rows: int, depth: int, blocks: int = 1) -> Lanes:
    """a * b + c of one or several pairs of matrices, `rows` by `depth` and `depth` by `rows`.

    A lane has elements of one row of a and of one column of b, and of c and the result some rows of
    one column.
    """
    left, right = _operand(a, rows, depth, blocks), _operand(b, rows, depth, blocks)
    block, row, column = _places(rows, blocks, len(c), c.dtype == np.float64)
    whole = np.zeros((blocks, rows, rows), c.dtype)
    whole[block, row, column] = c
    return _product(left, right.transpose(0, 2, 1), whole)[block, row, column]


def _operand(elements: Lanes, rows: int, depth: int, blocks: int) -> Lanes:
    """A matrix for each block, rows by depth, of what the lanes have."""
    count, lanes = elements.shape
    out = np.zeros((blocks, rows, depth), elements.dtype)
    lane = np.arange(lanes)
    if blocks == 1:
        first = lane // rows * count
        for n in range(count):
            out[0, lane % rows, first + n] = elements[n]
    else:
        for n in range(count):
            out[lane // rows, lane % rows, n] = elements[n]
    return out


@cache
def _places(rows: int, blocks: int, count: int, is_double: bool) -> tuple[Lanes, Lanes, Lanes]:
    """Block, row and column of each element of a result, by element and lane."""
    number, lane = np.arange(count)[:, None], np.arange(64)[None]
    if is_double:
        return number * 0 + lane * 0, 4 * number + lane // 16, number * 0 + lane % 16
    if rows == 4:
        return lane // 4 + number * 0, number + lane * 0, lane % 4 + number * 0
    block_size = count // blocks
    block, part = number // block_size, number % block_size
    row = 8 * (part // 4) + 4 * (lane // 32) + part % 4 if rows == 32 else 4 * (lane // 16) + part
    return block + lane * 0, row, lane % rows + number * 0


def _product(left: Lanes, right: Lanes, whole: Lanes) -> Lanes:
    """left @ right + whole for each block."""
    if whole.dtype == np.float64:
        for n in range(left.shape[2]):
            whole = fma64(left[:, :, n, None], right[:, None, n, :], whole)
        return whole
    if whole.dtype.kind == "i":
        wide = left.astype(np.int64) @ right.astype(np.int64) + whole
        return wide.astype(np.int32)
    return (left.astype(np.float64) @ right.astype(np.float64) + whole).astype(whole.dtype)


def wmma(a: Lanes, b: Lanes, c: Lanes, depth: int, generation: int, signs: int = 3) -> Lanes:
    """a * b + c of matrices of 16 rows and columns; `signs`: 1 and 2 for signed integers."""
    lanes = c.shape[1]
    if generation >= 12 and lanes == 64:
        raise not_simulated("WMMA of wave64 on GFX12")
    left = _row_of_lanes(_integers(a, signs & 1, depth), depth, generation)
    right = _row_of_lanes(_integers(b, signs & 2, depth), depth, generation)
    number, lane = np.arange(len(c))[:, None], np.arange(lanes)[None]
    row = lanes // 16 * number + lane // 16
    if generation >= 12:
        row = 8 * (lane // 16) + number
    column = lane % 16 + number * 0
    whole = np.zeros((1, 16, 16), c.dtype)
    whole[0, row, column] = c
    product: Lanes = _product(left[None], right.T[None], whole)[0, row, column]
    return product


def _integers(elements: Lanes, is_signed: int, depth: int) -> Lanes:
    if elements.dtype != np.uint8:
        return elements
    if not is_signed:
        return elements.astype(np.int16)
    is_byte = elements.max(initial=0) > 15 or elements.shape[0] * 2 <= depth
    bits = 8 if is_byte else 4
    sign = 1 << bits - 1
    return (elements.astype(np.int16) ^ sign) - sign


def _row_of_lanes(elements: Lanes, depth: int, generation: int) -> Lanes:
    """16 by depth: on GFX11 a lane has a whole row, and lanes 16 apart the same; on GFX12 half."""
    count, lanes = elements.shape
    out = np.zeros((16, depth), elements.dtype)
    for lane in range(lanes if generation >= 12 else 16):
        first = lane // 16 * count if generation >= 12 else 0
        out[lane % 16, first : first + count] = elements[:, lane]
    return out


def low_halves(a: Lanes) -> Lanes:
    """Return the first of the two elements in each register: results of 16 bits on GFX11."""
    return a[::2]


MATRICES: Final[dict[str, Any]] = {
    function.__name__: function for function in (tile, untiled, mfma, wmma, low_halves)
}
