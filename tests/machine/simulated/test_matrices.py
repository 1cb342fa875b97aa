"""Products of matrices over lanes: elements where AMD's layouts have them, and A @ B + C."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.semantics.compiled_instructions import why_not_simulated
from dwarfgpu.machine.simulated.semantics.matrices import mfma, tile, untiled, wmma
from dwarfgpu.machine.simulated.semantics.small_floats import small_floats
from tests.machine.simulated import programs, vectors

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
    outcome = mfma(left, right, before, rows, depth)
    expected = a @ b + c
    assert (outcome == np.array([expected[place] for place in places])).all()


def test_mfma_of_sixteen_blocks() -> None:
    """4x4x4, f16: a block for each four lanes, which have a row of A and a column of B."""
    a, b, c = small(4, 16, 4, 4), small(5, 16, 4, 4), small(6, 16, 4, 4)
    left, right = np.zeros((4, 64), "f2"), np.zeros((4, 64), "f2")
    before, zeros = np.zeros((4, 64), "f4"), np.zeros((4, 64), "f4")
    for lane in range(64):
        block, at = divmod(lane, 4)
        left[:, lane], right[:, lane] = a[block, at], b[block, :, at]
        before[:, lane] = c[block, :, at]
        zeros[:, lane] = (a[block] @ b[block] + c[block])[:, at]
    assert (mfma(left, right, before, 4, 4, 16) == zeros).all()


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
    expected = a @ b + c
    result = wmma(left, right, before, 16, generation)
    assert (result == np.array([expected[row, lane % 16] for row in rows])).all()


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
    one, other = tile(registers, "fp8_fnuz")[1:3, 0]
    assert (one, other) == (1.0, -1.0)
    assert np.isnan(tile(registers, "fp8_fnuz")[3, 0])
    assert tile(registers, "fp8_fnuz")[0, 0] == 2.0**-10


# Whole instructions: matrices put where the AMD Matrix Instruction Calculator says that they are.

Place = Callable[[int, int], tuple[int, int, int]]
"""GPR, first bit and lane of an element by its row and column."""


@frozen
class Layout:
    """One instruction with the places of its matrices, in v0, v8 and (results, C) v20 or v40."""

    processor: str
    code: str
    rows: int
    depth: int
    bits: int
    """Of an element of A and B."""
    a: Place
    """Of the dense matrix; of a sparse one, the place of each group of four."""
    b: Place
    d: Place
    encode: Callable[[float], int] = int
    decode_result: str = "f4"
    wave: int = 32
    index: Place | None = None
    result: int = 40

    def run(self, a: Array, b: Array, c: Array, picks: Array | None = None) -> Array:
        end = "" if self.processor[:5] in ("gfx11", "gfx12") else "000081bf"
        machine = vectors.machine(
            bytes.fromhex(self.code + end), self.wave, self.processor, self.wave
        )
        [wave] = machine.waves
        for i, row in enumerate(a):
            if picks is None:
                for k, number in enumerate(row):
                    self._put(wave, 0, self.a(i, k), number)
            else:
                self._put_sparse(wave, i, row, picks[i])
        for k, row in enumerate(b):
            for j, number in enumerate(row):
                self._put(wave, 8, self.b(k, j), number)
        for i, row in enumerate(c):
            for j, number in enumerate(row):
                gpr, first, lane = self.d(i, j)
                raw = int(np.array([number], self.decode_result).view(f"u{self.item}")[0])
                for dword in range(max(self.item // 4, 1)):
                    wave.v[20 + gpr + dword][lane] |= (raw >> 32 * dword & 0xFFFFFFFF) << first
        stopped = machine.run()
        assert stopped is None, stopped
        out = np.zeros_like(c)
        for i, j in np.ndindex(out.shape):
            gpr, first, lane = self.d(i, j)
            raw = sum(
                int(wave.v[self.result + gpr + dword][lane]) << 32 * dword
                for dword in range(max(self.item // 4, 1))
            )
            raw = raw >> first & (1 << 8 * self.item) - 1
            out[i, j] = np.array([raw], f"u{self.item}").view(self.decode_result)[0]
        return out

    @property
    def item(self) -> int:
        return int(self.decode_result[1:])

    def _put(self, wave: Any, base: int, place: tuple[int, int, int], number: float) -> None:
        gpr, first, lane = place
        raw = self.encode(number) & (1 << self.bits) - 1
        for dword in range(max(self.bits // 32, 1)):
            wave.v[base + gpr + dword][lane] |= (raw >> 32 * dword & 0xFFFFFFFF) << first

    def _put_sparse(self, wave: Any, i: int, row: Array, picks: Array) -> None:
        """Of each four elements two, and where they were."""
        assert self.index is not None
        for group in range(self.depth // 4):
            gpr, first, lane = self.a(i, 4 * group)
            for n in range(2):
                pick = int(picks[group][n])
                at = (gpr + (first + n * self.bits) // 32, (first + n * self.bits) % 32, lane)
                self._put(wave, 0, at, row[4 * group + pick])
                at_gpr, at_first, at_lane = self.index(i, 4 * group)
                wave.v[16 + at_gpr][at_lane] |= pick << at_first + 2 * n


def half(value: float) -> int:
    return int(np.float16(value).view("u2"))


def single(value: float) -> int:
    return int(np.float32(value).view("u4"))


def double(value: float) -> int:
    return int(np.float64(value).view("u8"))


def code_of(name: str) -> Callable[[float], int]:
    numbers = small_floats(name).tolist()
    return numbers.index


def product(layout: Layout, seed: int = 1, least: int = -8, most: int = 8) -> tuple[Array, ...]:
    a, b = small(seed, layout.rows, layout.depth), small(seed + 1, layout.depth, layout.rows)
    return (
        a.clip(least, most - 1),
        b.clip(least, most - 1),
        small(seed + 2, layout.rows, layout.rows),
    )


D16: Place = lambda i, j: (i % 4, 0, 16 * (i // 4) + j)  # noqa: E731
D16_W32: Place = lambda i, j: (i % 8, 0, 16 * (i // 8) + j)  # noqa: E731
D16_W64: Place = lambda i, j: (i % 4, 0, 32 * (i // 4 % 2) + 16 * (i // 8) + j)  # noqa: E731
DENSE = {
    "xf32": Layout(
        "gfx942", "2800bed300115204", 16, 8, 32,
        lambda i, k: (k % 2, 0, 16 * (k // 2) + i), lambda k, j: (k % 2, 0, 16 * (k // 2) + j),
        D16, single, wave=64,
    ),
    "wmma gfx12 wave64": Layout(
        "gfx1200", "284040cc0011521c", 16, 16, 16,
        lambda i, k: (k // 2 % 2, 16 * (k % 2), 32 * (k // 8) + 16 * (k // 4 % 2) + i),
        lambda k, j: (k // 2 % 2, 16 * (k % 2), 32 * (k // 8) + 16 * (k // 4 % 2) + j),
        D16_W64, half, wave=64,
    ),
    "wmma gfx12 wave32": Layout(
        "gfx1200", "284040cc0011521c", 16, 16, 16,
        lambda i, k: (2 * (k // 8) + k // 2 % 2, 16 * (k % 2), 16 * (k // 4 % 2) + i),
        lambda k, j: (2 * (k // 8) + k // 2 % 2, 16 * (k % 2), 16 * (k // 4 % 2) + j),
        D16_W32, half,
    ),
    "wmma gfx11 f16, high halves": Layout(
        "gfx1100", "286042cc0011521c", 16, 16, 16,
        lambda i, k: (k // 2, 16 * (k % 2), i), lambda k, j: (k // 2, 16 * (k % 2), j),
        lambda i, j: (i // 2, 16, 16 * i % 32 + j), half, "f2",
    ),
    "wmma gfx11 iu8": Layout(
        "gfx1100", "284044cc0011527c", 16, 16, 8,
        lambda i, k: (k // 4, 8 * (k % 4), i), lambda k, j: (k // 4, 8 * (k % 4), j),
        lambda i, j: (i // 2, 0, 16 * i % 32 + j), int, "i4",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DENSE)
def test_dense_products(name: str) -> None:
    layout = DENSE[name]
    a, b, c = product(layout)
    assert (layout.run(a, b, c) == a @ b + c).all()


def test_the_high_half_keeps_the_low_one() -> None:
    layout = DENSE["wmma gfx11 f16, high halves"]
    a, b, c = product(layout)
    low = evolve(layout, d=lambda i, j: (i // 2, 0, 16 * i % 32 + j))
    assert (low.run(a, b, c * 0) == 0).all()


def test_numbers_of_8_bits_of_gfx12() -> None:
    """A has e4m3, B e5m2."""
    place: Place = lambda row, k: (k // 4 % 2, 8 * (k % 4), 16 * (k // 8) + row)  # noqa: E731
    layout = Layout(
        "gfx1200", "284047cc0011521c", 16, 16, 8, place, lambda k, j: place(j, k), D16_W32
    )
    a, b, c = product(layout, least=-4, most=5)
    fp8, bf8 = code_of("fp8"), code_of("bf8")
    codes_a, codes_b = (
        np.vectorize(code)(matrix).astype(float) for code, matrix in ((fp8, a), (bf8, b))
    )
    assert (layout.run(codes_a, codes_b, c) == a @ b + c).all()


def test_broadcast_of_blocks_and_of_lanes() -> None:
    """4x4x4 of 16 blocks: A of block 4 * (n // 4) + 1 for block n (cbsz:2 abid:1), B rotated by 16
    lanes, so by four blocks (blgp:3)."""
    a, b, c = small(11, 16, 4, 4), small(12, 16, 4, 4), small(13, 16, 4, 4)
    machine = vectors.machine(bytes.fromhex("280acad300115264" + "000081bf"), 64, "gfx90a", 64)
    [wave] = machine.waves
    for block, i, k in np.ndindex(16, 4, 4):
        wave.v[k // 2][4 * block + i] |= half(a[block, i, k]) << 16 * (k % 2)
        wave.v[8 + k // 2][4 * block + i] |= half(b[block, k, i]) << 16 * (k % 2)
        wave.f[20 + i][4 * block + k] = c[block, i, k]
    assert machine.run() is None
    for block, i, j in np.ndindex(16, 4, 4):
        expected = a[block // 4 * 4 + 1] @ b[(block + 4) % 16] + c[block]
        assert wave.f[40 + i][4 * block + j] == expected[i, j]


def test_doubles_with_signs() -> None:
    """v_mfma_f64_4x4x4_4b_f64 with neg:[1,0,1]: four blocks, an element in each lane."""
    a, b, c = small(14, 4, 4, 4), small(15, 4, 4, 4), small(16, 4, 4, 4)
    machine = vectors.machine(bytes.fromhex("2800efd3001152a4" + "000081bf"), 64, "gfx942", 64)
    [wave] = machine.waves
    for block, i, k in np.ndindex(4, 4, 4):
        for base, number in ((0, a[block, i, k]), (8, b[block, k, i])):
            for dword in range(2):
                lane = 4 * block + 16 * k + i
                wave.v[base + dword][lane] = double(number) >> 32 * dword & 0xFFFFFFFF
        for dword in range(2):
            lane = 16 * i + 4 * block + k
            wave.v[20 + dword][lane] = double(c[block, i, k]) >> 32 * dword & 0xFFFFFFFF
    assert machine.run() is None
    for block, i, j in np.ndindex(4, 4, 4):
        lane = 16 * i + 4 * block + j
        raw = int(wave.v[40][lane]) | int(wave.v[41][lane]) << 32
        expected = (-a[block] @ b[block] - c[block])[i, j]
        assert np.array([raw], "u8").view("f8")[0] == expected


def test_signs_of_wmma() -> None:
    """neg_lo and neg_hi of A: even and odd k; of C: another sign, and none."""
    layout = DENSE["wmma gfx12 wave32"]
    a, b, c = product(layout)
    signs = np.where(np.arange(16) % 2 == 0, -1, -1)
    output = evolve(layout, code="284140cc0011523c").run(a, b, c)
    assert (output == (a * signs) @ b + c).all()
    wave64 = evolve(DENSE["wmma gfx12 wave64"], code="284440cc0011529c")
    assert (wave64.run(a, b, c) == a @ b - np.abs(c)).all()


def test_integers_saturate_with_clamp() -> None:
    """v_wmma_i32_16x16x16_iu8 of GFX12: A signed, B unsigned."""
    place: Place = lambda row, k: (k // 4 % 2, 8 * (k % 4), 16 * (k // 8) + row)  # noqa: E731
    layout = Layout(
        "gfx1200", "28c044cc0011523c", 16, 16, 8, place, lambda k, j: place(j, k), D16_W32,
        int, "i4",
    )  # fmt: skip
    a, b, c = product(layout)
    c = c * 0 + (1 << 31) - 100
    expected = a @ (b.astype(int) & 255) + c
    assert (expected > (1 << 31) - 1).any()
    assert (layout.run(a, b, c) == expected.clip(-(1 << 31), (1 << 31) - 1)).all()


def _sparse(rows: int, bits: int, shift: int, code: str, **more: Any) -> Layout:
    """SMFMAC: lanes have groups of four in turn; `bits` of an element, `shift` of the index."""
    per_lane = {16: 2, 8: 4}[bits]
    group: Place = lambda i, k: (  # noqa: E731
        k // 4 % per_lane * 2 * bits // 32, k // 4 % per_lane * 2 * bits % 32,
        rows * (k // 4 // per_lane) + i,
    )  # fmt: skip
    whole = 4 * per_lane
    dense: Place = lambda k, j: (  # noqa: E731
        k % whole * bits // 32,
        k % whole * bits % 32,
        rows * (k // whole) + j,
    )
    index: Place = lambda i, k: (0, shift + 4 * (k // 4 % per_lane), group(i, k)[2])  # noqa: E731
    d: Place = D16 if rows == 16 else lambda i, j: (4 * (i // 8) + i % 4, 0, 32 * (i // 4) % 64 + j)
    return Layout(
        "gfx942", code, rows, whole * 64 // rows, bits, group, dense, d, wave=64, index=index,
        result=20, **more,
    )  # fmt: skip


def _swmmac(wave: int, bits: int, groups: int, shift: int, code: str, **more: Any) -> Layout:
    """SWMMAC of 16-bit elements in wave32: groups 0, 1, 4, 5 in the lower half of the lanes."""

    def split(k: int) -> tuple[int, int]:
        """The group within a lane, and which 16 lanes."""
        if wave == 32 and bits == 16:
            return 2 * (k // 16) + k // 4 % 2, k // 8 % 2
        return k // 4 % groups, k // 4 // groups

    def group(i: int, k: int) -> tuple[int, int, int]:
        number, part = split(k)
        return number * 2 * bits // 32, number * 2 * bits % 32, 16 * part + i

    def dense(k: int, j: int) -> tuple[int, int, int]:
        number, part = split(k)
        at = (4 * number + k % 4) * bits
        return at // 32, at % 32, 16 * part + j

    def index(i: int, k: int) -> tuple[int, int, int]:
        return 0, shift + 4 * split(k)[0], group(i, k)[2]

    d = D16_W32 if wave == 32 else D16_W64
    return Layout(
        "gfx1200", code, 16, groups * 4 * wave // 16, bits, group, dense, d, wave=wave,
        index=index, result=20, **more,
    )  # fmt: skip


SPARSE = {
    "smfmac f16 abid:3": _sparse(16, 16, 24, "1418e2d300114204", encode=half),
    "smfmac i8 abid:1": _sparse(32, 8, 16, "1408ecd300114204", decode_result="i4"),
    "swmmac f16 wave32 index_key:1": _swmmac(32, 16, 4, 16, "144850cc0011421c", encode=half),
    "swmmac f16 wave64 index_key:3": _swmmac(64, 16, 2, 24, "145850cc0011421c", encode=half),
    "swmmac iu4 32": _swmmac(32, 4, 4, 0, "144055cc0011423c", decode_result="i4"),
    "swmmac iu4 64": _swmmac(32, 4, 8, 0, "144056cc0011427c", decode_result="i4"),
}


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_products(name: str) -> None:
    """Two of four elements of a row of A are not zero; the index says which. iu4 of 32: B is
    unsigned."""
    layout = SPARSE[name]
    a, b, c = product(layout)
    rng = random.Random(name)
    picks = np.array(
        [
            [sorted(rng.sample(range(4), 2)) for _ in range(layout.depth // 4)]
            for _ in range(layout.rows)
        ]
    )
    sparse = np.zeros_like(a)
    for i, group, n in np.ndindex(layout.rows, layout.depth // 4, 2):
        at = 4 * group + picks[i, group, n]
        sparse[i, at] = a[i, at]
    right = b.astype(int) & 15 if name == "swmmac iu4 32" else b
    assert (layout.run(a, b, c, picks) == sparse @ right + c).all()


def test_a_sparse_product_whose_layout_is_not_known_is_announced() -> None:
    """v_swmmac_i32_16x16x32_iu4 in wave64: lanes have as much of one matrix as of the other."""
    code = bytes.fromhex("98c855cc671d621e")
    instruction = decoder("gfx1200", 64).decode(code)
    assert instruction is not None
    text = why_not_simulated(instruction)
    stopped = vectors.machine(code, 64, "gfx1200", 64).run()
    assert text and stopped is not None and stopped.text.startswith(text)


@pytest.mark.parametrize("target", ["gfx1100", "gfx1200"])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_a_constant_0_as_the_matrix_that_is_added(target: str, kind: str) -> None:
    """It leaves what registers with zeros leave; other constants of 16 bits are not guessed."""
    name = f"v_wmma_{kind}_16x16x16_{kind}"
    left = []
    for added in (256 + 40, 128):
        code = programs.encoded(decoder(target), name, vdst=32, src0=256, src1=256 + 8, src2=added)
        machine = vectors.machine(code, 32, target)
        [wave] = machine.waves
        numbers = np.random.default_rng(1).integers(0x3C00, 0x3E00, (16, 64), np.uint16)
        wave.vectors[:16] = numbers.view(np.uint32)
        assert machine.run(most=1) is None
        left.append(wave.vectors[32:40].copy())
    assert left[0].any() and (left[0] == left[1]).all()
    code = programs.encoded(decoder(target), name, vdst=32, src0=256, src1=256 + 8, src2=242)
    stopped = vectors.machine(code, 32, target).run(most=1)
    assert stopped is not None and "with a constant that is not 0" in stopped.text


@pytest.mark.parametrize(("target", "size"), [("gfx1100", 32), ("gfx1100", 64), ("gfx1200", 32)])
@pytest.mark.parametrize(("code", "value"), [(242, 1.0), (247, -4.0), (248, 0.15915494), (0, 0)])
def test_constants_of_single_precision(target: str, size: int, code: int, value: float) -> None:
    """They are added to each element of a product that is 0."""
    if not code:
        code = 128
    machine = decoder(target, size)
    instruction = programs.encoded(
        machine, "v_wmma_f32_16x16x16_f16", vdst=32, src0=256, src1=256 + 8, src2=code
    )
    running = vectors.machine(instruction, size, target, size)
    assert running.run(most=1) is None
    assert (running.waves[0].f[32] == np.float32(value)).all()


def test_the_same_registers_as_both_matrices() -> None:
    """blgp is about the second one alone, also where it is the first one."""
    left = []
    for second in (4, 8):
        code = programs.encoded(
            decoder("gfx90a"), "v_mfma_f32_4x4x1f32",
            vdst=32, src0=256 + 4, src1=256 + second, src2=128, blgp=3,
        )  # fmt: skip
        machine = vectors.machine(code, 64, "gfx90a", 64)
        [wave] = machine.waves
        wave.f[4][:] = wave.f[8][:] = np.arange(64)
        assert machine.run(most=1) is None
        left.append(wave.accumulators.copy())
    assert (left[0] == left[1]).all() and left[0].any()
