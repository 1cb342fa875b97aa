"""`convert_TYPE` and `as_TYPE` of OpenCL C 3.0 (6.4.3, 6.4.4), against a model of their own."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.errors import DwarfGpuError, EvaluationError
from dwarfgpu.language import evaluate
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session
from tests.language.sessions import FIXTURES, text

INTEGERS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I",
            "long": "q", "ulong": "Q"}  # fmt: skip
FLOATS = {"half": np.float16, "float": np.float32, "double": np.float64}
PLAIN = {"half": "H", "float": "I", "double": "Q"}
SIZES = {name: struct.calcsize(letter) for name, letter in (INTEGERS | PLAIN).items()}
MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")


@cache
def session() -> Session:
    arch = architecture("gfx942")
    kernels = CodeObject.open(FIXTURES / "opencl/kernels.gfx942.O0.v5.co")
    target = StateTarget(arch)
    target.add_wave(0)
    pc = next(symbol.address for symbol in kernels.file.symbols if symbol.name == "data")
    return Session(arch, (kernels,), target, lane=0, pc=pc)


def bits_of(expression: str) -> Bits:
    bits = evaluate(expression, session()).bits
    assert bits is not None
    return bits


def bounds(name: str) -> tuple[int, int]:
    size = 8 * SIZES[name]
    return (0, (1 << size) - 1) if name[0] == "u" else (-1 << size - 1, (1 << size - 1) - 1)


def floating(name: str, exact: Fraction, mode: str) -> int:
    """The bits of a number that is not 0, rounded: it is between two neighbours."""
    kind = FLOATS[name]
    with np.errstate(over="ignore"):
        near = kind(float(exact))
        around = [np.nextafter(near, kind(-np.inf)), near, np.nextafter(near, kind(np.inf))]
    limit = Fraction(float(np.finfo(kind).max))
    beyond = 2 * limit - Fraction(float(np.nextafter(np.finfo(kind).max, kind(0))))

    def place(number: np.floating) -> Fraction:
        return Fraction(float(number)) if np.isfinite(number) else beyond * int(np.sign(number))

    lower = max((one for one in around if place(one) <= exact), key=place, default=kind(-np.inf))
    upper = min((one for one in around if place(one) >= exact), key=place, default=kind(np.inf))
    if exact > beyond:
        lower, upper = np.finfo(kind).max, kind(np.inf)
    elif exact < -beyond:
        lower, upper = kind(-np.inf), np.finfo(kind).min
    code = {one: int(kind(one).view(f"u{SIZES[name]}")) for one in (lower, upper)}
    if mode in ("", "_rte"):
        down, up = exact - place(lower), place(upper) - exact
        if abs(exact) > beyond:
            chosen = upper if exact > 0 else lower
        elif down == up:
            chosen = lower if code[lower] % 2 == 0 else upper
        else:
            chosen = lower if down < up else upper
    elif mode == "_rtz":
        chosen = lower if exact > 0 else upper
    else:
        chosen = upper if mode == "_rtp" else lower
    result = code[chosen]
    return result | (1 << 8 * SIZES[name] - 1 if not result and exact < 0 else 0)


def integral(name: str, exact: Fraction, mode: str, *, is_float: bool, clamps: bool) -> int | None:
    least, most = bounds(name)
    down, rest = divmod(exact.numerator, exact.denominator)
    part = Fraction(rest, exact.denominator)
    match mode:
        case "_rte":
            up = part > Fraction(1, 2) or (part == Fraction(1, 2) and down % 2)
        case "_rtp":
            up = part > 0
        case "_rtn":
            up = False
        case _:
            up = part > 0 and exact < 0
    number = down + up
    if clamps:
        number = min(max(number, least), most)
    if is_float and not least <= number <= most:
        return None
    return number % (1 << 8 * SIZES[name])


def exact_of(name: str, code: int) -> Fraction | None:
    if name in FLOATS:
        number = float(np.array(code, f"u{SIZES[name]}").view(FLOATS[name]))
        return Fraction(number) if math.isfinite(number) else None
    return Fraction(code - (code > bounds(name)[1]) * (1 << 8 * SIZES[name]))


def codes(name: str, chance: random.Random) -> list[int]:
    size = 8 * SIZES[name]
    chosen = [0, 1, (1 << size - 1) - 1, 1 << size - 1, (1 << size) - 1, chance.getrandbits(size)]
    if name in FLOATS:
        numbers = (1.5, -0.5, 127.5, 255.5, -128.5, 65504, -1e4)
        with np.errstate(over="ignore"):
            chosen += [int(FLOATS[name](one).view(f"u{SIZES[name]}")) for one in numbers]
    else:
        chosen += [chance.getrandbits(chance.randint(1, size)) for _ in range(2)]
    return chosen


@pytest.mark.parametrize("source", SIZES)
@pytest.mark.parametrize("to", SIZES)
def test_conversions(source: str, to: str) -> None:
    seed = list(SIZES).index(source) * 16 + list(SIZES).index(to)
    chance = random.Random(seed)
    unsigned = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[SIZES[source]]
    for code in codes(source, chance):
        for mode in MODES:
            for saturated in ("", "_sat") if to in INTEGERS else ("",):
                call = f"convert_{to}{saturated}{mode}(as_{source}(({unsigned}){code}ul))"
                exact = exact_of(source, code)
                expected: int | None
                if exact is None:
                    continue  # below
                if to in INTEGERS:
                    expected = integral(
                        to, exact, mode, is_float=source in FLOATS, clamps=bool(saturated)
                    )
                elif exact:
                    expected = floating(to, exact, mode)
                else:
                    is_negative = source in FLOATS and code
                    expected = 1 << 8 * SIZES[to] - 1 if is_negative else 0
                if expected is None:
                    with pytest.raises(EvaluationError, match="does not hold it"):
                        bits_of(call)
                else:
                    assert bits_of(call).value == expected, (call, seed)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("convert_int_sat(as_float(0x7fc00000))", "0"),
        ("convert_int_sat(as_float(0x7f800000))", "2147483647"),
        ("convert_char_sat(as_float(0xff800000))", "-128 '\\200'"),
        ("convert_uchar_sat_rte(as_float(0xff800000))", "0 '\\000'"),
        ("convert_half_rtz(as_float(0x7f800000))", "inf"),
        ("convert_float_rtp(as_double(0xfff0000000000000))", "-inf"),
        ("as_uint(convert_float(as_float(0x7fa00001)))", "2141192193"),  # the same type: no effect
        ("convert_int4_rte((float4)(0.5f, 1.5f, 2.5f, -3.5f))", "{0, 2, 2, -4}"),
        ("convert_uchar2_sat((int2)(-1, 300)) == (uchar2)(0, 255)", "{-1, -1}"),
        ("convert_float3((int3)(1, 2, 3))", "{1, 2, 3}"),
        ("sizeof(convert_uchar3((int3)(1, 2, 3)))", "4"),
        ("as_int4((float4)(1, 2, 0, -1))", "{1065353216, 1073741824, 0, -1082130432}"),
        ("as_float3((int4)(1065353216, 0, 1073741824, 7))", "{1, 0, 2}"),
        ("as_uint3((float3)(1, 2, 0)).y", "1073741824"),
        ("as_float(0x3f800000)", "1"),
        ("as_uchar(-1)", "as_uchar takes 1 byte, not 4"),
        ("as_double4((float4)1)", "as_double4 takes 32 bytes, not 16"),
        ("convert_int((int2)(1, 2))", "convert_int takes a number"),
        ("convert_int4(1)", "convert_int4 takes a vector of 4 elements"),
        ("convert_float_sat(1)", "convert_float_sat: only conversions to integers have _sat"),
        ("convert_int(1, 2)", "convert_int takes one argument"),
        ("convert_int(&as_int)", 'No symbol "as_int" in current context.'),
        ("convert_int((global int *)8)", "convert_int takes a number or a vector of numbers"),
        ("convert_int((bool)7)", "1"),
        ("convert_float_rtz((bool)0)", "0"),
        ("convert_uchar_sat((bool)1)", "1 '\\001'"),
        ("convert_int2((bool)1)", "convert_int2 takes a vector of 2 elements"),
        ("as_char((bool)1)", "as_char takes a number or a vector of numbers"),
        ("convert_bool(1)", 'No symbol "convert_bool" in current context.'),
        ("convert_size_t(1)", 'No symbol "convert_size_t" in current context.'),
        ("convert_int_rtx(1)", 'No symbol "convert_int_rtx" in current context.'),
    ],
)
def test_values(expression: str, value: str) -> None:
    try:
        shown = text(session(), expression)
    except DwarfGpuError as error:
        shown = error.message
    assert shown == value


def test_what_is_beyond_the_elements_is_undefined() -> None:
    """A vector of three has no fourth element (6.4.4), though as much memory as one of four."""
    fourth = ((1 << 32) - 1) << 96
    for expression in ("as_float3((int4)1)", "as_float4((int3)1)", "as_float4(as_int3((int4)1))"):
        bits = bits_of(expression)
        assert bits.size_bits == 128 and bits.undefined == fourth
    assert bits_of("as_short2(0x20001)").value == 0x20001
    value = evaluate("as_short2(0x20001)", session())
    assert [note for note in value.notes if "leaves the result to the implementation" in note]
    assert size_bits(value.type) == 32


def test_code_of_other_languages_has_none() -> None:
    from tests.language.sessions import demo

    with pytest.raises(DwarfGpuError, match='No symbol "as_float" in current context'):
        evaluate("as_float(1)", demo())
