"""Products of matrices over lanes: elements where AMD's layouts have them, and A @ B + C."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dwarfgpu.machine.simulated.matrices import mfma, tile, untiled, wmma

Array = np.ndarray


def small(seed: int, *shape: int) -> Array:
    """Whole numbers, so that sums have no rounding."""
    rng = random.Random(seed)
    count = int(np.prod(shape))
    return np.array([rng.randrange(-8, 8) for _ in range(count)], np.float64).reshape(shape)


@pytest.mark.parametrize(
    ("rows", "depth", "kind", "result"),
    [
        (16, 4, "f4", "f4"), (32, 2, "f4", "f4"), (16, 16, "f2", "f4"), (32, 8, "f2", "f4"),
        (16, 32, "i1", "i4"), (32, 16, "i1", "i4"), (16, 4, "f8", "f8"),
    ],
)  # fmt: skip
def test_mfma_of_one_block(rows: int, depth: int, kind: str, result: str) -> None:
    """Lane l has row (column) l % rows, consecutive k from l // rows on; the result of 16 rows is
    in groups of four rows a lane, that of 32 in groups of four every eight, doubles every four."""
    a, b, c = small(1, rows, depth), small(2, depth, rows), small(3, rows, rows)
    count = depth * rows // 64
    lane = np.arange(64)
    left, right = (np.zeros((count, 64), kind) for _ in range(2))
    for element in range(count):
        k = lane // rows * count + element
        left[element], right[element] = a[lane % rows, k], b[k, lane % rows]
    places = []
    for element in range(rows * rows // 64):
        if kind == "f8":
            row = 4 * element + lane // 16
        elif rows == 16:
            row = 4 * (lane // 16) + element
        else:
            row = 8 * (element // 4) + 4 * (lane // 32) + element % 4
        places.append((row, lane % rows))
    before = np.array([c[place] for place in places], result)
    found = mfma(left, right, before, rows, depth)
    wanted = a @ b + c
    assert (found == np.array([wanted[place] for place in places])).all()


def test_mfma_of_sixteen_blocks() -> None:
    """4x4x4, f16: a block for each four lanes, which have a row of A and a column of B."""
    a, b, c = small(4, 16, 4, 4), small(5, 16, 4, 4), small(6, 16, 4, 4)
    left, right = np.zeros((4, 64), "f2"), np.zeros((4, 64), "f2")
    before, wanted = np.zeros((4, 64), "f4"), np.zeros((4, 64), "f4")
    for lane in range(64):
        block, at = divmod(lane, 4)
        left[:, lane], right[:, lane] = a[block, at], b[block, :, at]
        before[:, lane] = c[block, :, at]
        wanted[:, lane] = (a[block] @ b[block] + c[block])[:, at]
    assert (mfma(left, right, before, 4, 4, 16) == wanted).all()


@pytest.mark.parametrize("generation", [11, 12])
def test_wmma_of_wave32(generation: int) -> None:
    """On GFX11 a lane has all of a row, and its rows of the result alternate; on GFX12 lanes 16
    apart have half each."""
    a, b, c = small(7, 16, 16), small(8, 16, 16), small(9, 16, 16)
    count = 16 if generation == 11 else 8
    lane = np.arange(32)
    first = 0 * lane if generation == 11 else 8 * (lane // 16)
    left = np.array([a[lane % 16, first + n] for n in range(count)], "f2")
    right = np.array([b[first + n, lane % 16] for n in range(count)], "f2")
    rows = [2 * n + lane // 16 if generation == 11 else 8 * (lane // 16) + n for n in range(8)]
    before = np.array([c[row, lane % 16] for row in rows], "f4")
    wanted = a @ b + c
    found = wmma(left, right, before, 16, generation)
    assert (found == np.array([wanted[row, lane % 16] for row in rows])).all()


@pytest.mark.parametrize("kind", ["f16", "f32", "i8", "i32", "bf16"])
def test_registers_as_elements_and_back(kind: str) -> None:
    registers = tuple(
        np.array([n * 64 + lane << 16 | 0x4000 + lane for lane in range(64)], np.uint32)
        for n in range(2)
    )
    elements = tile(registers, kind)
    assert elements.shape == ({"f16": 4, "bf16": 4, "i8": 8}.get(kind, 2), 64)
    if kind in ("f16", "bf16", "f32", "i32"):
        assert (np.array(untiled(elements, kind, 2)) == np.array(registers)).all()


def test_numbers_of_8_bits() -> None:
    """MI300's: 0x40 is 1 as e4m3 with a bias of 8, 0x80 no number."""
    registers = (np.array([0x80C04001], np.uint32),)
    one, other = tile(registers, "fp8")[1:3, 0]
    assert (one, other) == (1.0, -1.0)
    assert np.isnan(tile(registers, "fp8")[3, 0])
    assert tile(registers, "fp8")[0, 0] == 2.0**-10
