"""Instructions that gfx950 has and gfx942 has not, against models in Python and NumPy."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.storage.global_memory import Allocation
from tests.machine.simulated import programs, vectors
from tests.machine.simulated.models import require_on

TARGET = "gfx950"
BUFFER = 0x30000


def before(mnemonic: str, /, **fields: int) -> Any:
    """A machine before an instruction."""
    code = programs.encoded(decoder(TARGET), mnemonic, **fields)
    return vectors.machine(code, 64, TARGET, 64)


def done(machine: Any) -> SimulatedWave:
    assert machine.run(most=1) is None
    wave: SimulatedWave = machine.waves[0]
    return wave


def test_bits_chosen_by_a_table() -> None:
    rng = Random(1)
    cases = [tuple(rng.getrandbits(32) for _ in range(3)) for _ in range(64)]
    for table in (0, 1, 0x6C, 0x80, 0xE8, 0x96, 0xFF, *(rng.getrandbits(8) for _ in range(8))):

        def model(a: int, b: int, c: int, table: int = table) -> int:
            index = [(a >> n & 1) << 2 | (b >> n & 1) << 1 | c >> n & 1 for n in range(32)]
            return sum((table >> number & 1) << n for n, number in enumerate(index))

        require_on([TARGET], "v_bitop3_b32", 32, model, cases, bitop3=table)


@pytest.mark.parametrize("selected", [0, 0b1011, 0b0100])
def test_bits_of_halves_chosen_by_a_table(selected: int) -> None:
    """op_sel says which halves are read and written; the other half stays."""
    names = ("src0_modifiers", "src1_modifiers", "src2_modifiers")
    fields = {name: (selected >> n & 1) << 2 for n, name in enumerate(names)}
    fields["src0_modifiers"] |= selected & 8
    machine = before(
        "v_bitop3_b16", vdst=8, src0=256, src1=256 + 1, src2=256 + 2, bitop3=0xCA, **fields
    )
    [wave] = machine.waves
    numbers = 0x00FF1234, 0x5A5A0F0F, 0x3333C0DE
    for register, number in enumerate(numbers):
        wave.v[register][:] = number
    wave.v[8][:] = 0xABCDEF01
    a, b, c = (number >> 16 * (selected >> n & 1) & 0xFFFF for n, number in enumerate(numbers))
    result = a & b | ~a & c & 0xFFFF  # 0xCA: where a has a bit that of b, else that of c
    expected = result << 16 | 0xEF01 if selected & 8 else 0xABCD0000 | result
    assert done(machine).v[8].tolist() == [expected] * 64


def test_pairs_of_bf16() -> None:
    """To nearest even, and a NaN stays one."""
    machine = before("v_cvt_pk_bf16_f32", vdst=8, src0=256, src1=256 + 1)
    [wave] = machine.waves
    wave.v[0][:4] = 0x3F808000, 0x3F818000, 0x7F7FFFFF, 0x7F800001
    wave.v[1][:4] = 0x3F808001, 0xBF7FFFFF, 0x00000001, 0xFF800000
    assert done(machine).v[8][:4].tolist() == [0x3F813F80, 0xBF803F82, 0x00007F80, 0xFF807FC0]


def test_pairs_of_f16() -> None:
    """To nearest even, into denormals too; what is too large is infinite."""
    machine = before("v_cvt_pk_f16_f32", vdst=8, src0=256, src1=256 + 1)
    [wave] = machine.waves
    numbers = (
        np.array([1.0, -2.5, 65520.0, 1 + 2**-11], np.float32),
        np.array([0.5, 6e-8, -1e9, 1 + 3 * 2**-11], np.float32),
    )
    wave.v[0][:4], wave.v[1][:4] = (number.view(np.uint32) for number in numbers)
    assert done(machine).v[8][:4].tolist() == [0x38003C00, 0x0001C100, 0xFC007C00, 0x3C023C00]


@pytest.mark.parametrize("rows", [16, 32])
def test_exchanged_rows(rows: int) -> None:
    machine = before(f"v_permlane{rows}_swap_b32", vdst=1, src0=256 + 2)
    [wave] = machine.waves
    first, second = list(range(64)), list(range(100, 164))
    wave.v[1][:], wave.v[2][:] = first, second
    for start in range(0, 64, 2 * rows):
        for lane in range(start, start + rows):
            first[lane + rows], second[lane] = second[lane], first[lane + rows]
    wave = done(machine)
    assert wave.v[1].tolist() == first and wave.v[2].tolist() == second


def test_an_exchange_with_inactive_lanes_is_not_guessed() -> None:
    machine = before("v_permlane32_swap_b32", vdst=1, src0=256 + 2)
    machine.waves[0].set_exec(3)
    stopped = machine.run()
    assert stopped is not None and "with inactive lanes" in stopped.text


@pytest.mark.parametrize("bits", [16, 8])
def test_transposed_loads(bits: int) -> None:
    """16 lanes load rows of 16 elements, and each gets a column."""
    machine = before(f"ds_read_b64_tr_b{bits}", vdst=8, addr=1, offset=64)
    [wave] = machine.waves
    count = 64 // bits
    table = np.random.default_rng(1).integers(0, 1 << bits, (4, count, 16), f"u{bits // 8}")
    wave.lds.write(64, table.tobytes())
    wave.v[1][:] = 8 * wave.lane
    wave = done(machine)
    view = np.stack([wave.v[8], wave.v[9]], 1).copy().view(table.dtype)
    assert (view.reshape(4, 16, count) == table.transpose(0, 2, 1)).all()


MATRICES = {
    "v_mfma_f32_16x16x32_f16": (16, 32, "f2", "f4"),
    "v_mfma_f32_16x16x32_bf16": (16, 32, "bf16", "f4"),
    "v_mfma_i32_16x16x64_i8": (16, 64, "i1", "i4"),
    "v_mfma_f32_32x32x16_f16": (32, 16, "f2", "f4"),
    "v_mfma_f32_32x32x16_bf16": (32, 16, "bf16", "f4"),
    "v_mfma_i32_32x32x32_i8": (32, 32, "i1", "i4"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_products(name: str) -> None:
    """Lanes have 16 bytes of a row of one and of a column of the other matrix."""
    rows, depth, kind, result = MATRICES[name]
    rng = np.random.default_rng(2)
    a, b = rng.integers(-8, 8, (rows, depth)), rng.integers(-8, 8, (depth, rows))
    c = rng.integers(-99, 99, (rows, rows))
    encoding = next(
        item
        for item in decoder(TARGET).encodings
        if item.mnemonic == name and item.format.kinds[0].registers is not None
        and item.format.kinds[0].registers.vectors  # no AGPRs
    )  # fmt: skip
    fields = {"vdst": 32, "src0": 256, "src1": 256 + 4, "src2": 256 + 8}
    code = programs.placed(encoding, fields).to_bytes(8, "little")
    machine = vectors.machine(code, 64, TARGET, 64)
    [wave] = machine.waves
    elements = depth * rows // 64
    for lane in range(64):
        first = lane // rows * elements
        for register, part in ((0, a[lane % rows]), (4, b[:, lane % rows])):
            numbers = part[first : first + elements]
            if kind == "bf16":
                raw = (numbers.astype("f4").view("u4") >> 16).astype("u2").view("u4")
            else:
                raw = numbers.astype(kind).view("u4")
            for n, dword in enumerate(raw):
                wave.v[register + n][lane] = dword
        for n in range(rows * rows // 64):
            value = np.array([c[_row(rows, n, lane), lane % rows]], result)
            wave.v[8 + n][lane] = value.view("u4")[0]
    wave = done(machine)
    expected = a @ b + c
    for n in range(rows * rows // 64):
        view = wave.v[32 + n].view(result)
        assert view.tolist() == [expected[_row(rows, n, lane), lane % rows] for lane in range(64)]


def _row(rows: int, number: int, lane: int) -> int:
    """The row of a result in a register of a lane."""
    return number // 4 * 8 * (rows // 32) + lane // rows * 4 + number % 4


FORMATS = ((8, 4, 7), (8, 5, 15), (6, 2, 1), (6, 3, 3), (4, 2, 1))
"""Bits, those of the exponent, and its bias: e4m3, e5m2, e2m3, e3m2, e2m1."""


def _number(code: int, form: int) -> float:
    bits, exponent_bits, bias = FORMATS[form]
    fraction_bits = bits - 1 - exponent_bits
    exponent = code >> fraction_bits & (1 << exponent_bits) - 1
    fraction = (code & (1 << fraction_bits) - 1) / (1 << fraction_bits)
    value = (1 + fraction) * 2.0**exponent if exponent else fraction * 2.0
    return (-1 if code >> bits - 1 else 1) * value * 2.0**-bias


def _position(k: int, form: int, depth: int) -> tuple[int, int]:
    """The group of lanes that has an element of a row, and where in these lanes it is.

    Triton, whose products are tested on GPUs, lays its operands out like that.
    """
    if FORMATS[form][0] != 8:
        return k // 32, k % 32
    return k % (depth // 2) // 16, k // (depth // 2) * 16 + k % 16


def _fill(wave: SimulatedWave, first: int, codes: Any, form: int) -> None:
    """Put rows of codes where a product has them."""
    rows, depth = codes.shape
    lanes = [0] * 64
    for row in range(rows):
        for k in range(depth):
            group, element = _position(k, form, depth)
            lanes[group * rows + row] |= int(codes[row, k]) << FORMATS[form][0] * element
    for lane, bits in enumerate(lanes):
        for n in range(FORMATS[form][0]):
            wave.v[first + n][lane] = bits >> 32 * n & 0xFFFFFFFF


def _product_of(
    rows: int, depth: int, first: int, second: int, scales: tuple[int, int] | None, rng: Any
) -> tuple[Any, Any]:
    """A machine before a product of two formats, and the expected result; `scales` are the bytes
    of the scales that the instruction names."""
    shape = f"{rows}x{rows}x{depth}_f8f6f4"
    name = f"v_mfma_f32_{shape}" if scales is None else f"v_mfma_scale_f32_{shape}"
    encoding = next(
        item
        for item in decoder(TARGET).encodings
        if item.mnemonic == name and item.format.kinds[0].decoder == "vgpr"
    )
    fields = {"vdst": 32, "src0": 256 | first << 10, "src1": 256 + 8 | second << 10}
    fields["src2"] = 256 + 16
    if scales is not None:
        fields |= {"scale_src0": 256 + 48, "scale_src1": 256 + 49}
        fields |= {f"scale_src{n}_modifiers": byte << 2 for n, byte in enumerate(scales)}
    word = programs.placed(encoding, fields)
    machine = vectors.machine(word.to_bytes(encoding.format.size, "little"), 64, TARGET, 64)
    [wave] = machine.waves
    numbers = []
    for number, form in enumerate((first, second)):
        bits, _, _ = FORMATS[form]
        codes = rng.integers(0, 1 << bits, (rows, depth))
        if bits == 8:  # no NaN, no infinity, and sums that are exact
            codes = codes & 0x83 | rng.integers(0x38, 0x40, (rows, depth))
        _fill(wave, 8 * number, codes, form)
        matrix = np.array([[_number(int(code), form) for code in row] for row in codes])
        if scales is not None:
            raw = rng.integers(120, 134, (rows, depth // 32, 4))
            for lane in range(64):
                parts = raw[lane % rows, lane // rows]
                wave.v[48 + number][lane] = sum(int(part) << 8 * n for n, part in enumerate(parts))
            exponents = raw[:, :, scales[number]].astype(float) - 127
            matrix = matrix * 2.0 ** np.repeat(exponents, 32, 1)
        numbers.append(matrix)
    c = rng.integers(-99, 99, (rows, rows)).astype("f4")
    for n in range(rows * rows // 64):
        for lane in range(64):
            wave.v[16 + n][lane] = c[_row(rows, n, lane), lane % rows].view("u4")
    return machine, numbers[0] @ numbers[1].T + c


@pytest.mark.parametrize(("rows", "depth"), [(16, 128), (32, 64)])
@pytest.mark.parametrize("first", range(5))
@pytest.mark.parametrize("second", range(5))
@pytest.mark.parametrize("scales", [None, (0, 0), (2, 1), (3, 3)])
def test_products_of_small_floats(
    rows: int, depth: int, first: int, second: int, scales: tuple[int, int] | None
) -> None:
    """All pairs of formats, and each 32 elements with a scale of their own."""
    rng = np.random.default_rng(3)
    machine, expected = _product_of(rows, depth, first, second, scales, rng)
    stopped = machine.run(most=1)
    sizes = {FORMATS[first][0], FORMATS[second][0]}
    if 6 in sizes and (len(sizes) > 1 or scales is not None):
        assert stopped is not None and f"cbsz:{first} blgp:{second}" in stopped.text
        return
    assert stopped is None
    [wave] = machine.waves
    for n in range(rows * rows // 64):
        results = wave.v[32 + n].view("f4").tolist()
        wanted = [expected[_row(rows, n, lane), lane % rows] for lane in range(64)]
        assert results == pytest.approx(wanted, rel=1e-6, abs=1e-6)


def test_a_scale_that_is_not_a_number() -> None:
    rng = np.random.default_rng(3)
    machine, _ = _product_of(16, 128, 4, 4, (0, 0), rng)
    [wave] = machine.waves
    wave.v[48][5] = 0xFF
    assert machine.run(most=1) is None
    for n in range(4):
        rows = [_row(16, n, lane) for lane in range(64)]
        assert np.isnan(wave.v[32 + n].view("f4")).tolist() == [row == 5 for row in rows]


SCALES = (0x3F800000, 0xC0490FDB, 0x00000001, 0x42FFFFFF, 0x7F800000, 0x3F000000, 0x3D800000)
"""Of f32 only the exponent counts: 1, -3.14, 2**-127, 127.9, infinity (which is NaN), 1/2, 1/16."""


def _factor(scale: int) -> float:
    exponent = scale >> 23 & 255
    return float("nan") if exponent == 255 else 2.0 ** (exponent - 127)


def _special(code: int, form: int) -> float:
    """The number of a code, also infinities and NaN."""
    if form == 0 and code & 0x7F == 0x7F or form == 1 and code & 0x7F > 0x7C:
        return float("nan")
    if form == 1 and code & 0x7F == 0x7C:
        return float("-inf") if code >> 7 else float("inf")
    return _number(code, form)


def _bits_of(number: float, kind: str) -> int:
    """A number in a format of GPUs, rounded to nearest."""
    if kind == "bf16":
        bits = int(np.float32(number).view("u4"))
        return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF
    return int(np.array(number, kind).view(f"u{kind[-1]}"))


@pytest.mark.parametrize("form", [0, 1, 4])
@pytest.mark.parametrize("kind", ["f4", "f2", "bf16"])
def test_small_floats_with_a_scale(form: int, kind: str) -> None:
    source = {0: "fp8", 1: "bf8", 4: "fp4"}[form]
    name = f"v_cvt_scalef32_pk_{ {'f4': 'f32', 'f2': 'f16'}.get(kind, kind) }_{source}"
    rng = Random(4)
    bits = FORMATS[form][0]
    for part in range(2 if form != 4 else 4):
        fields = {"src0_modifiers": (part & 1) << 2, "src1_modifiers": (part >> 1) << 2}
        machine = before(name, vdst=8, src0=256, src1=256 + 1, **fields)
        [wave] = machine.waves
        dwords = [rng.getrandbits(32) for _ in range(64)]
        scales = [SCALES[lane % len(SCALES)] for lane in range(64)]
        wave.v[0][:], wave.v[1][:] = dwords, scales
        wave = done(machine)
        for lane, (dword, scale) in enumerate(zip(dwords, scales, strict=True)):
            pair = dword >> 2 * bits * part
            codes = [pair & (1 << bits) - 1, pair >> bits & (1 << bits) - 1]
            wanted = [_special(code, form) * _factor(scale) for code in codes]
            if kind == "f4":
                results = [int(wave.v[8 + n][lane]) for n in range(2)]
            else:
                results = [int(wave.v[8][lane]) >> 16 * n & 0xFFFF for n in range(2)]
            for result, number in zip(results, wanted, strict=True):
                if number != number:
                    value = _number_of(result, kind)
                    assert value != value
                else:
                    with np.errstate(over="ignore"):
                        assert result == _bits_of(number, kind), (lane, number)


def _number_of(bits: int, kind: str) -> float:
    if kind == "bf16":
        return float(np.uint32(bits << 16).view("f4"))
    return float(np.array(bits, f"u{kind[-1]}").view(kind))


def _code_of(number: float, form: int, saturates: bool) -> int | None:
    """The code of a number, the nearest one, an even one of two; None for any NaN."""
    if number != number:
        return None
    sign = 0x80 if np.signbit(number) else 0
    finite = [code for code in range(128) if np.isfinite(_special(code, form))]
    size = abs(number)
    if size in (_special(code, form) for code in finite):
        return sign | next(code for code in finite if _special(code, form) == size)
    top = _special(finite[-1], form)
    step = top - _special(finite[-2], form)
    if size > top + step / 2 or size == top + step / 2 and finite[-1] % 2:
        if saturates and size != float("inf"):
            return sign | finite[-1]
        return sign | 0x7C if form else None
    return sign | min(finite, key=lambda code: (abs(_special(code, form) - size), code % 2))


@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("saturates", [False, True])
def test_numbers_as_small_floats_with_a_scale(form: int, kind: str, saturates: bool) -> None:
    """The number is divided by the scale; MODE.FP16_OVFL makes one that is too large the largest,
    as Triton sets it. The other half of the register stays."""
    name = f"v_cvt_scalef32_pk_{('fp8', 'bf8')[form]}_{kind}"
    rng = Random(5)
    exact = [_special(code, form) for code in range(127)]
    inputs = [number for number in exact if np.isfinite(number)]
    inputs += [(a + b) / 2 for a, b in pairwise(inputs)]
    inputs += [rng.uniform(-500, 500) for _ in range(40)] + [1e4, -6e4, 464.0, 465.0, float("nan")]
    inputs += [] if saturates and not form else [float("inf")]
    inputs = [number * rng.choice((1, -1)) for number in inputs]
    rng.shuffle(inputs)
    for start in range(0, len(inputs) - 1, 2):
        pair, scale, high = inputs[start : start + 2], rng.choice(SCALES), rng.getrandbits(1)
        fields = {"src0_modifiers": high << 3, "vdst": 8, "src0": 256, "src1": 256 + 1}
        if kind == "f32":
            fields["src2"] = 256 + 2
        machine = before(name, **fields)
        [wave] = machine.waves
        wave.set_mode(0xF0 | saturates << 23)
        wave.v[8][:] = 0x12345678
        with np.errstate(over="ignore"):
            if kind == "f32":
                codes = [_bits_of(number, "f4") for number in pair]
                pair = [_number_of(code, "f4") for code in codes]
                wave.v[0][:], wave.v[1][:], wave.v[2][:] = *codes, scale
            else:
                form_of_source = {"f16": "f2"}.get(kind, kind)
                codes = [_bits_of(number, form_of_source) for number in pair]
                pair = [_number_of(code, form_of_source) for code in codes]
                wave.v[0][:], wave.v[1][:] = codes[0] | codes[1] << 16, scale
        if saturates and not form and any(np.isinf(number) for number in pair):
            continue
        result = int(done(machine).v[8][0])
        assert result >> 16 * (1 - high) & 0xFFFF == (0x1234, 0x5678)[high]
        half = result >> 16 * high
        for number, byte in zip(pair, (half & 0xFF, half >> 8 & 0xFF), strict=True):
            wanted = _code_of(number / _factor(scale), form, saturates)
            if wanted is None:
                assert _special(byte, form) != _special(byte, form)
            else:
                assert byte == wanted, (number, scale)


def test_infinity_without_a_code_is_not_guessed() -> None:
    for name in ("v_cvt_scalef32_pk_fp8_f32", "v_cvt_pk_fp8_f32"):
        sources = {"src0": 256, "src1": 256 + 1}
        sources |= {"src2": 242} if "scale" in name else {}
        machine = before(name, vdst=8, **sources)
        [wave] = machine.waves
        wave.set_mode(0xF0 | 1 << 23)
        wave.v[0][3] = 0x7F800000
        stopped = machine.run(most=1)
        assert stopped is not None and "infinity as fp8 while MODE.FP16_OVFL is set" in stopped.text
        wave.v[0][3] = 0xFF7FFFFF
        assert machine.run(most=1) is None and wave.v[8][3] == 0xFE


def test_extremes_of_three_pairs() -> None:
    """-0 is less than +0, and a NaN is the result."""
    numbers = np.array([[1, -2], [3, -4], [2, np.nan], [0.0, 5], [-0.0, 6], [7, 5]], "f2")
    for name, low, high in (
        ("v_pk_minimum3_f16", (1.0, None), (-0.0, 5.0)),
        ("v_pk_maximum3_f16", (3.0, None), (7.0, 6.0)),
    ):
        for first, wanted in ((0, low), (3, high)):
            machine = before(
                name, vdst=8, src0=256, src1=256 + 1, src2=256 + 2,
                src0_modifiers=8, src1_modifiers=8, src2_modifiers=8,
            )  # fmt: skip
            [wave] = machine.waves
            for n in range(3):
                wave.v[n][:] = numbers[first + n].view("u4")[0]
            results = done(machine).v[8][:1].view("f2")
            for result, number in zip(results, wanted, strict=True):
                if number is None:
                    assert np.isnan(result)
                else:
                    assert result == number and np.signbit(result) == np.signbit(number)


@pytest.mark.parametrize(
    ("code", "m0", "count", "first"),
    [
        # global_load_lds_dwordx4 v[2:3], off offset:4
        ("0480f4dd02007f00", 0xFFF40103, 4, 0x100 + 4),
        # global_load_lds_dwordx3 v2, s[4:5] offset:4
        ("0480f8dd02000400", 0x100, 3, 0x100 + 4),
        # buffer_load_dwordx4 v2, s[8:11], s3 offen offset:8 lds
        ("08105de002000203", 0x104, 4, 0x104 + 8),
        # buffer_load_dwordx3 v2, s[8:11], s3 offen offset:8 lds
        ("081059e002000203", 0x12104, 3, 0x12104 + 8),
    ],
)
def test_loads_of_several_dwords_to_lds(code: str, m0: int, count: int, first: int) -> None:
    """Lane n writes 16 bytes from M0 and the offset on, or the first 12 of them. Of M0
    `global_load_lds` takes the bits 2 to 17, buffers the first 18."""
    machine = vectors.machine(bytes.fromhex(code), 64, TARGET, 64)
    [wave] = machine.waves
    wave.lds = Allocation("LDS", 0, b"\xee" * 0x20000, True)
    data = np.arange(1, 1025, dtype="u4")
    wave.global_memory.write(BUFFER, data.tobytes())
    is_global = code[6] == "d"
    wave.v[2][:], wave.v[3][:] = 16 * wave.lane + (BUFFER if code[-4] == "7" else 0), 0
    wave.s[4:6], wave.s[8:12] = [BUFFER, 0], [BUFFER, 0, 4096, 0]
    wave.s[3], wave.s[124] = 4, m0
    wave.set_exec(0xF)
    wave = done(machine)
    skipped = 1 if is_global else 3  # the offsets are those of the source, too
    for lane in range(5):
        wanted = [4 * lane + n + 1 + skipped for n in range(count)] + [0xEEEEEEEE] * (4 - count)
        stored = wave.lds.data[first + 16 * lane :][:16].view("u4").tolist()
        assert stored == (wanted if lane < 4 else [0xEEEEEEEE] * 4)
