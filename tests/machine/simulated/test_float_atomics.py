"""Atomic operations on floating point numbers, against the rules of chapter 13 of the RDNA3.5 ISA
(rounding, denormals, NaN) and the pseudo code of the RDNA4 ISA, for one number in memory and one
in a register."""

from __future__ import annotations

from itertools import product

import pytest

from dwarfgpu.isa.decode import decoder
from tests.machine.simulated import programs, vectors

ONE, TWO, INFINITY, MINUS = 0x3F800000, 0x40000000, 0x7F800000, 1 << 31
QUIET, OTHER, SIGNALLING = 0x7FC00001, 0xFFD31243, 0x7F800001
TINY, SMALL, NORMAL = 0x00000123, 0x00600000, 0x00900000
NUMBERS = [
    *(0, MINUS, ONE, MINUS | TWO, INFINITY, MINUS | INFINITY),
    *(TINY, MINUS | SMALL, SMALL, NORMAL, MINUS | NORMAL, QUIET, OTHER, SIGNALLING),
]
_QUIET_BIT = 1 << 22
_BUFFER = 0x30000


def is_nan(a: int) -> bool:
    return a & 0x7FFFFFFF > INFINITY


def is_signalling(a: int) -> bool:
    return is_nan(a) and not a & _QUIET_BIT


def flushed(a: int) -> int:
    return a if a & INFINITY else a & MINUS


def order(a: int) -> int:
    """-infinity, …, -0, +0, …, +infinity."""
    return -(a & ~MINUS) - 1 if a & MINUS else a


def of_extreme(m: int, a: int, flushes: bool, generation: int, sign: int) -> int:
    """The selection rules of minima (`sign` 1) and maxima (-1)."""
    if generation >= 12:
        if is_nan(a) and is_nan(m):
            return a | _QUIET_BIT
    elif is_signalling(m) or is_signalling(a):
        return (m if is_signalling(m) else a) | _QUIET_BIT
    if is_nan(m) or is_nan(a):
        return m if is_nan(a) else a
    left, right = (flushed(m), flushed(a)) if flushes else (m, a)
    return a if sign * order(right) < sign * order(left) else m


def of_exchange(m: int, expected: int, a: int, flushes: bool) -> int:
    """If memory has what is expected, the data; zeros are equal."""
    left, right = (flushed(m), flushed(expected)) if flushes else (m, expected)
    is_equal = not is_nan(left) and (left == right or not (left | right) & ~MINUS)
    return (flushed(a) if flushes else a) if is_equal else m


def after(target: str, mnemonic: str, mode: int, pairs: list[tuple[int, ...]]) -> list[int]:
    """What memory has afterwards: LDS, or 16 bytes of global memory for each lane."""
    machine = decoder(target)
    size = machine.target.wave_size
    if mnemonic.startswith("ds_"):
        fields = {"addr": 0, "data0": 2, "data1": 3}
        encoding = next(item for item in machine.encodings if item.mnemonic == mnemonic)
        fields = {name: field for name, field in fields.items() if name in encoding.format.index}
    else:
        fields = {"vaddr": 0, "vdata": 2}
    code = programs.encoded(machine, mnemonic, **fields)
    out = []
    for first in range(0, len(pairs), size):
        some = pairs[first : first + size]
        running = vectors.machine(code, size, target, size)
        [wave] = running.waves
        wave.set_mode(mode)
        base = 0 if mnemonic.startswith("ds_") else _BUFFER
        data = wave.lds.data if not base else running.global_memory.at(_BUFFER).data
        wave.v[0][:] = base + 16 * wave.lane
        for lane, (memory, *values) in enumerate(some):
            data[16 * lane : 16 * lane + 4] = list(memory.to_bytes(4, "little"))
            for number, value in enumerate(values):
                wave.v[2 + number][lane] = value
        stopped = running.run(most=1)
        assert stopped is None, stopped
        out += [
            int.from_bytes(bytes(data[16 * lane : 16 * lane + 4]), "little")
            for lane in range(len(some))
        ]
    return out


KEEPS, FLUSHES, NO_IEEE = 0x3F0, 0x3C0, 0x1F0
PAIRS = list(product(NUMBERS, repeat=2))
EXTREMES = [
    *(("gfx90a", "ds_min_f32", 1), ("gfx90a", "ds_max_f32", -1), ("gfx1030", "ds_max_f32", -1)),
    *(("gfx1100", "ds_min_f32", 1), ("gfx1200", "ds_min_num_f32", 1)),
    *(("gfx1030", "global_atomic_fmin", 1), ("gfx1100", "global_atomic_max_f32", -1)),
    *(("gfx1100", "flat_atomic_min_f32", 1), ("gfx1200", "global_atomic_max_num_f32", -1)),
]


@pytest.mark.parametrize("mode", [KEEPS, FLUSHES, NO_IEEE])
@pytest.mark.parametrize(("target", "mnemonic", "sign"), EXTREMES)
def test_minima_and_maxima(target: str, mnemonic: str, sign: int, mode: int) -> None:
    generation = decoder(target).target.generation
    for (m, a), result in zip(PAIRS, after(target, mnemonic, mode, PAIRS), strict=True):
        expected = of_extreme(m, a, mode == FLUSHES, generation, sign)
        assert result == expected, f"{m:#x} {a:#x}: {result:#x}, not {expected:#x}"


@pytest.mark.parametrize("mode", [KEEPS, FLUSHES])
@pytest.mark.parametrize(
    ("target", "mnemonic"),
    [
        *(("gfx90a", "ds_cmpst_f32"), ("gfx1100", "ds_cmpstore_f32")),
        *(("gfx1030", "global_atomic_fcmpswap"), ("gfx1100", "global_atomic_cmpswap_f32")),
    ],
)
def test_exchanges(target: str, mnemonic: str, mode: int) -> None:
    """`ds_cmpst` has what it expects in its first operand, the others in the second one."""
    cases = [(m, a, b) for m, a in PAIRS for b in (TWO, SMALL)]
    is_first = "cmpst_" in mnemonic
    registers = [(m, a, b) if is_first else (m, b, a) for m, a, b in cases]
    for (m, a, b), result in zip(cases, after(target, mnemonic, mode, registers), strict=True):
        expected = of_exchange(m, a, b, mode == FLUSHES)
        assert result == expected, f"{m:#x} {a:#x} {b:#x}: {result:#x}, not {expected:#x}"


SUMS = [
    *(("gfx90a", "ds_add_f32", KEEPS, False), ("gfx90a", "ds_add_f32", FLUSHES, True)),
    *(("gfx1100", "ds_add_f32", KEEPS, False), ("gfx1200", "ds_add_f32", FLUSHES, True)),
    *(("gfx908", "global_atomic_add_f32", KEEPS, True),),
    *(("gfx942", "global_atomic_add_f32", FLUSHES, False),),
    *(("gfx1100", "global_atomic_add_f32", KEEPS, True),),
    *(("gfx1100", "flat_atomic_add_f32", KEEPS, True),),
    *(("gfx1200", "global_atomic_add_f32", FLUSHES, False),),
]


@pytest.mark.parametrize(("target", "mnemonic", "mode", "flushes"), SUMS)
def test_sums_with_denormals(target: str, mnemonic: str, mode: int, flushes: bool) -> None:
    """In LDS as MODE says; in global memory gfx908 and GFX11 have none, the others have them."""
    tiny = [a for a in NUMBERS if not is_nan(a) and a & ~MINUS <= NORMAL]
    pairs = list(product(tiny, repeat=2))
    for (m, a), result in zip(pairs, after(target, mnemonic, mode, pairs), strict=True):
        left, right = (flushed(m), flushed(a)) if flushes else (m, a)
        total = (-1 if left & MINUS else 1) * (left & ~MINUS)  # all have the same exponent
        total += (-1 if right & MINUS else 1) * (right & ~MINUS)
        minus = MINUS if total < 0 or not total and left & right & MINUS else 0
        if abs(total) < 1 << 24:
            expected = abs(total) | minus
            expected = flushed(expected) if flushes else expected
            assert result == expected, f"{m:#x} {a:#x}: {result:#x}, not {expected:#x}"


def test_a_generic_address_adds_as_its_memory_does() -> None:
    """flat_atomic_add_f32 of GFX11: LDS has denormals where MODE has them."""
    code = programs.encoded(decoder("gfx1100"), "flat_atomic_add_f32", vaddr=0, vdata=2)
    running = vectors.machine(code, 32, "gfx1100", 32)
    [wave] = running.waves
    is_shared = wave.lane % 2 == 0
    wave.v[0][:] = 16 * wave.lane + (~is_shared) * _BUFFER
    wave.v[1][:] = is_shared * (wave.shared_base >> 32)
    wave.v[2][:] = SMALL
    assert running.run(most=1) is None
    buffer = running.global_memory.at(_BUFFER)
    assert buffer is not None
    for lane in range(32):
        data = wave.lds.data if lane % 2 == 0 else buffer.data
        number = int.from_bytes(bytes(data[16 * lane : 16 * lane + 4]), "little")
        assert number == (SMALL if lane % 2 == 0 else 0)


@pytest.mark.parametrize("mnemonic", ["ds_add_f32", "global_atomic_add_f32"])
def test_sums_with_nan(mnemonic: str) -> None:
    pairs = [(INFINITY, MINUS | INFINITY), (ONE, OTHER), (SIGNALLING, TWO), (INFINITY, QUIET)]
    expected = [0xFFC00000, OTHER, SIGNALLING | _QUIET_BIT, QUIET]
    assert after("gfx1100", mnemonic, KEEPS, pairs) == expected
