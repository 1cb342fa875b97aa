"""Moves between lanes, between parts of registers, and between types, for use in statements.

"Data Parallel Processing (DPP)", "Sub-Dword Addressing (SDWA)" and the descriptions of
`v_readlane_b32`, `ds_bpermute_b32`, `ds_swizzle_b32` in AMD's ISA documents.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.semantics.lane_functions import Lanes, bf16
from dwarfgpu.machine.simulated.storage.wave_registers import RunningWave
from dwarfgpu.machine.simulated.wave_fault import not_simulated

TYPES: Final[dict[str, Any]] = {
    **{f"u{bits}": getattr(np, f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"i{bits}": getattr(np, f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": getattr(np, f"float{bits}") for bits in (16, 32, 64)},
}


def pair(low: Lanes, high: Lanes) -> Lanes:
    """Return 64 bits of two dwords; at least one differs by lane."""
    out = np.empty(2 * max(low.size, high.size), np.uint32)
    out[::2] = low
    out[1::2] = high
    return out.view(np.uint64)


def high_dwords(a: Lanes) -> Lanes:
    """Return the upper halves of numbers of 64 bits."""
    return a.view(np.uint32)[1::2] if a.ndim and a.flags.c_contiguous else a >> np.uint64(32)


@lru_cache(maxsize=1 << 12)
def constant(kind: Any, number: int) -> Lanes:
    """Return a number as a read-only array without axes: NumPy adds it to lanes in half the time of
    a scalar."""
    out = np.array(number, kind)
    out.flags.writeable = False
    return out


def scalar32(number: int) -> Lanes:
    """Return a scalar register for all lanes."""
    return constant(np.uint32, number)


def scalar64(number: int) -> Lanes:
    return constant(np.uint64, number)


def broadcast(a: Any, wave: RunningWave) -> Lanes:
    """Return the same value in every lane."""
    array = np.asarray(a)
    if array.ndim and array.shape[-1] == wave.lane_count:
        return array
    return np.full(wave.lane_count, a)


def filled(a: Any, count: int, wave: RunningWave) -> Lanes:
    """Return the same value in that many elements of every lane."""
    return np.full((count, wave.lane_count), a)


def one(number: int) -> Lanes:
    """Return a scalar register as an array."""
    return np.array([number], np.uint32)


def stacked(parts: tuple[Any, ...], wave: RunningWave, kind: Any) -> Lanes:
    """Return dwords, or pairs of them, as elements of a type: an array of elements and lanes."""
    return np.stack([broadcast(part, wave) for part in parts]).view(kind)


def two_halves(a: Any, low: int, high: int, wave: RunningWave, kind: str) -> Lanes:
    """Return two 16-bit elements, each of them the lower or the upper half of a register."""
    number = broadcast(a, wave)
    out = np.stack([number >> 16 * low, number >> 16 * high])
    if kind == "bf16":
        return (out << 16).view(np.float32)
    return out.astype(np.uint16).view(TYPES[kind])


def small_elements(a: Any, bits: int, is_signed: bool, wave: RunningWave) -> Lanes:
    """Return the elements of 4 or 8 bits in a dword, lowest first, as 32-bit numbers."""
    number = broadcast(a, wave)
    shifts = np.arange(0, 32, bits, dtype=np.uint32)[:, None]
    if is_signed:
        return (number << 32 - bits - shifts).view(np.int32) >> 32 - bits
    return number >> shifts & (1 << bits) - 1


def negated(pairs: Lanes, signs: int) -> Lanes:
    """Return two elements, the first (1) or the second (2) with its sign changed."""
    out = pairs.copy()
    for number in range(2):
        if signs >> number & 1:
            out[number] = -out[number]
    return out


def signed_if(a: Lanes, bits: int, is_signed: int) -> Lanes:
    """Return small elements as signed numbers, if they are signed."""
    number = a.astype(np.int32)
    return number << 32 - bits >> 32 - bits if is_signed else number


def raw_bits(a: Any, kind: str) -> Lanes:
    """Return the bits of numbers as unsigned integers of the size of a type."""
    if kind == "bf16":
        return bf16(np.asarray(a, np.float32))
    array = np.asarray(a).astype(TYPES[kind], copy=False)
    return array.view(TYPES[f"u{8 * array.itemsize}"])


def joined_halves(a: Lanes, kind: str) -> Lanes:
    """Return two 16-bit elements as one dword."""
    bits = raw_bits(a, kind).astype(np.uint32)
    result: Lanes = bits[0] | bits[1] << 16
    return result


def low_half(a: Lanes) -> Lanes:
    return (a & 0xFFFF).astype(np.uint16)


def high_half(a: Lanes) -> Lanes:
    return (a >> 16).astype(np.uint16)


def wide(a: Any) -> Any:
    """Return integers of 64 bits, in which sums and products of smaller ones do not wrap."""
    return a.astype(np.int64)


def saturated(a: Lanes, kind: str) -> Lanes:
    """Cut to the range of a type."""
    limits = np.iinfo(TYPES[kind])
    if a.dtype.kind == "f":
        truncated = np.trunc(a.astype(np.float64))
        a = np.where(truncated == truncated, truncated, 0.0)
    return np.clip(a, limits.min, limits.max).astype(TYPES[kind])


def normalised(a: Lanes, kind: str) -> Lanes:
    """Return numbers up to 1 as the integers of a type; NaN is 0."""
    limits = np.iinfo(TYPES[kind])
    number = np.where(a == a, a, 0).astype(np.float64)
    return np.rint(np.clip(number, -1 if limits.min else 0, 1) * limits.max).astype(TYPES[kind])


def put(row: Lanes, on: Lanes | None, values: Any) -> None:
    """Write a register, or the lanes of it that are on."""
    if on is None:
        row[:] = values
        return
    if values.dtype != row.dtype:
        values = values.astype(row.dtype)
    np.putmask(row, on, values)


def copied(a: Lanes) -> Lanes:
    return np.array(a)


# SDWA.


def selected(a: Any, select: int, is_signed: bool) -> Any:
    """Return a byte (0 to 3) or a half (4, 5) of a dword."""
    bits, first = (8, 8 * select) if select < 4 else (16, 16 * (select - 4))
    out = a >> first & (1 << bits) - 1
    if is_signed:
        sign = 1 << bits - 1
        out = (out ^ np.uint32(sign)) - np.uint32(sign)
    return out


def placed(old: Lanes, bits: Lanes, select: int, unused: int) -> Lanes:
    """Return a dword with a result in one part; the rest is zero (0), the sign (1), or unchanged
    (2)."""
    number: Lanes = bits.astype(np.uint32)
    if select == 6:
        return number
    width, first = (8, 8 * select) if select < 4 else (16, 16 * (select - 4))
    mask = (1 << width) - 1
    number = (number & mask) << first
    if unused == 2:
        return old & ~np.uint32(mask << first) | number
    if unused == 1:
        above = ~np.uint32((1 << first + width) - 1) if first + width < 32 else np.uint32(0)
        is_negative = number >> first + width - 1 & 1 != 0
        return np.where(is_negative, number | above, number)
    return number


# DPP.


@cache
def dpp_sources(control: int, lane_count: int) -> tuple[Lanes, Lanes]:
    """Return the lane that each lane reads with a `dpp_ctrl`, and which lanes read one."""
    lane = np.arange(lane_count)
    row, low = lane & ~15, lane & 15
    valid = np.ones(lane_count, bool)
    amount = control & 15
    if control < 0x100:
        source = lane & ~3 | control >> 2 * (lane & 3) & 3
    elif 0x101 <= control <= 0x10F:
        source, valid = lane + amount, low + amount < 16
    elif 0x111 <= control <= 0x11F:
        source, valid = lane - amount, low >= amount
    elif 0x121 <= control <= 0x12F:
        source = row | low - amount & 15
    elif control == 0x130:
        source, valid = lane + 1, lane + 1 < lane_count
    elif control == 0x134:
        source = (lane + 1) % lane_count
    elif control == 0x138:
        source, valid = lane - 1, lane > 0
    elif control == 0x13C:
        source = (lane - 1) % lane_count
    elif control == 0x140:
        source = row | 15 - low
    elif control == 0x141:
        source = lane & ~7 | 7 - (lane & 7)
    elif control == 0x142:
        source, valid = row - 1, lane >= 16
    elif control == 0x143:
        source, valid = np.full(lane_count, 31), lane >= 32
    elif 0x150 <= control <= 0x15F:
        source = row | amount
    elif 0x160 <= control <= 0x16F:
        source = row | low ^ amount
    else:
        raise not_simulated(f"dpp_ctrl {control:#x}")
    return np.where(valid, source, 0), valid


def moved(a: Any, control: int, fetches_inactive: bool, wave: RunningWave) -> Lanes:
    """Return a register as DPP moves it; zero where no lane is read."""
    source, valid = dpp_sources(control, wave.lane_count)
    if not fetches_inactive:
        valid = valid & wave.active_lanes[source]
    return np.where(valid, broadcast(a, wave)[source], np.uint32(0))


def reached_by(
    control: int, rows: int, banks: int, is_zero: bool, fetches_inactive: bool, wave: RunningWave
) -> Lanes:
    """Return the lanes that a DPP instruction writes."""
    lane = np.arange(wave.lane_count)
    out = (rows >> (lane >> 4) & 1 != 0) & (banks >> (lane >> 2 & 3) & 1 != 0)
    if not is_zero:
        source, valid = dpp_sources(control, wave.lane_count)
        out = out & valid
        if not fetches_inactive:
            out = out & wave.active_lanes[source]
    result: Lanes = out & wave.active_lanes
    return result


def moved8(a: Any, selectors: int, fetches_inactive: bool, wave: RunningWave) -> Lanes:
    """Return a register as DPP8 moves it: each lane reads one of its group of eight."""
    lane = np.arange(wave.lane_count)
    source = lane & ~7 | selectors >> 3 * (lane & 7) & 7
    out = broadcast(a, wave)[source]
    return out if fetches_inactive else np.where(wave.active_lanes[source], out, np.uint32(0))


# Lanes by number.


def first_of(a: Lanes, active: Lanes) -> int:
    """Return the value of the first active lane, or of lane 0 if none is active."""
    return int(a[int(np.argmax(active))])


def of_quad(a: Lanes, number: int) -> Lanes:
    """Return the value of one lane of each group of four."""
    result: Lanes = a[np.arange(a.shape[-1]) & ~3 | number] if a.ndim else a
    return result


def lane_of(a: Lanes, number: Any) -> int:
    """Return the value of one lane."""
    return int(a[_first(number) & len(a) - 1])


def with_lane(a: Lanes, number: Any, value: Any) -> Lanes:
    """Return a register with another value in one lane."""
    out = a.copy()
    out[_first(number) & len(a) - 1] = _first(value)
    return out


def _first(number: Any) -> int:
    """Return a number that all lanes have."""
    array = np.asarray(number)
    return int(array.item(0))


def other_half(a: Lanes, old: Lanes) -> Lanes:
    """Return the lanes of a wave64 with its halves exchanged; those of a wave32 unchanged."""
    return old if len(a) == 32 else np.roll(a, 32)


def exchanged_rows(d: Lanes, a: Lanes, rows: int, active: Lanes, which: int) -> Lanes:
    """Exchange every second group of `rows` lanes of `d` with the preceding group of `a`, and
    return the new `d` (`which` 0) or `a` (1). `WaveStop` for inactive lanes, which no document
    defines."""
    if not active.all():
        raise not_simulated("an exchange of rows with inactive lanes")
    is_upper = np.arange(len(a)) // rows % 2 == 1
    if which:
        return np.where(is_upper, a, np.roll(d, -rows))
    return np.where(is_upper, np.roll(a, rows), d)


def transposed(m: Lanes, bits: int, active: Lanes) -> Lanes:
    """Return 8 bytes loaded by each of 16 lanes as a matrix with rows of 16 elements: a column for
    each lane. `WaveStop` if some of the 16 are inactive.

    Compilers rely on it for the operands of products of matrices; no text of AMD has it.
    """
    groups = active.reshape(-1, 16)
    if (groups.any(1) != groups.all(1)).any():
        raise not_simulated("a transposed load with inactive lanes")
    count = 64 // bits
    elements = np.ascontiguousarray(m.astype(np.uint32).T).view(f"u{bits // 8}")
    rows = elements.reshape(-1, count, 16)  # groups of lanes, rows, columns
    columns = np.ascontiguousarray(rows.transpose(0, 2, 1)).reshape(-1, count)
    result: Lanes = np.ascontiguousarray(columns.view(np.uint32).T)
    return result


def permuted_rows(
    a: Lanes, low: Any, high: Any, row_offset: int, old: Lanes, active: Lanes, fetch: int
) -> Lanes:
    """Return a value for each lane of a row of 16: that of the lane that four bits of a selector
    name, in its row (0) or in the neighbouring one (16). `fetch`: as of `_fetched`."""
    lane = np.arange(len(a))
    selector = int(np.asarray(high).reshape(-1)[0]) << 32 | int(np.asarray(low).reshape(-1)[0])
    numbers = np.array([selector >> 4 * n & 15 for n in range(16)])
    return _fetched(a, (lane & ~15 ^ row_offset) | numbers[lane & 15], old, active, fetch)


def permuted_by_lane(
    a: Lanes, selectors: Any, row_offset: int, old: Lanes, active: Lanes, fetch: int
) -> Lanes:
    """Return the same with a selector of its own in each lane."""
    lane = np.arange(len(a))
    numbers = (broadcast_to_lanes(selectors, len(a)) & 15).astype(np.intp)
    return _fetched(a, lane & ~15 ^ row_offset | numbers, old, active, fetch)


def _fetched(a: Lanes, source: Lanes, old: Lanes, active: Lanes, fetch: int) -> Lanes:
    """Return the values of other lanes. Those that do not execute are read if bit 0 of `fetch` is
    set (FI); else they give zero (bit 1, BOUND_CTRL), or leave what the reader has: so LLVM's
    AMDGPUInstCombineIntrinsic.cpp treats `llvm.amdgcn.permlane16`."""
    if fetch & 1:
        values: Lanes = a[source]
        return values
    return np.where(active[source], a[source], np.zeros_like(old) if fetch & 2 else old)


def broadcast_to_lanes(a: Any, count: int) -> Lanes:
    return np.broadcast_to(np.asarray(a), (count,))


def inserted(a: Lanes, value: Lanes, first: int, width: int) -> Lanes:
    """Return numbers with some bits replaced."""
    mask = np.uint32((1 << width) - 1 << first)
    result: Lanes = a & ~mask | value.astype(np.uint32) << first & mask
    return result


def packed_sum(a: Lanes, b: Lanes, kind: str) -> Lanes:
    """Return sums of two 16-bit numbers each."""
    halves = []
    for first in (0, 16):
        left, right = (np.asarray(number) >> first & 0xFFFF for number in (a, b))
        if kind == "bf16":
            floats = [(number.astype(np.uint32) << 16).view(np.float32) for number in (left, right)]
        else:
            floats = [number.astype(np.uint16).view(np.float16) for number in (left, right)]
        halves.append(raw_bits(floats[0] + floats[1], kind).astype(np.uint32))
    result: Lanes = halves[0] | halves[1] << 16
    return result


def read_lanes(a: Lanes, address: Lanes, active: Lanes, generation: int) -> Lanes:
    """Read, for each lane, the lane that a byte address names; 0 from an inactive one."""
    source = addressed_lanes(address, len(active), len(active), generation)
    a = np.broadcast_to(a, active.shape)
    return np.where(active[source], a[source], np.uint32(0))


def write_lanes(a: Lanes, address: Lanes, active: Lanes, generation: int) -> Lanes:
    """Write, from each active lane, the lane that a byte address names; the last one wins."""
    out = np.zeros_like(a)
    target = addressed_lanes(address, len(active), len(active), generation)
    out[target[active]] = a[active]
    return out


def addressed_lanes(address: Lanes, count: int, wave_size: int, generation: int) -> Lanes:
    """Return the lanes, of `count` in waves, that byte addresses name in the wave of each lane.

    GFX10 and GFX11 execute a wave64 as two halves, and a lane reaches those of its own half ("MOD
    32 regardless of wave size", RDNA3 ISA).
    """
    reach = 32 if generation in (10, 11) else wave_size
    lane = np.arange(count)
    result: Lanes = lane & ~(reach - 1) | (address >> 2 & reach - 1).astype(np.intp)
    return result


def swizzled(a: Lanes, pattern: int, active: Lanes) -> Lanes:
    """Return lanes permuted within groups of 32 (by a mask for each group, or FFT) or of 4
    (QUAD_PERM)."""
    lane = np.arange(len(a))
    if pattern >= 0xE000:
        mask = pattern & 31
        reversed_lane = np.array([int(f"{number & 31:05b}"[::-1], 2) for number in lane])
        source = lane & 32 | reversed_lane >> mask.bit_count() | lane & mask
    elif pattern & 0x8000:
        source = lane & ~3 | pattern >> 2 * (lane & 3) & 3
    else:
        low = lane & 31
        source = lane & ~31 | (low & pattern | pattern >> 5 & 31) ^ pattern >> 10 & 31
    return np.where(active[source], a[source], np.uint32(0))


def require_swizzle(pattern: int) -> None:
    """Raise `WaveStop` for an offset of `ds_swizzle_b32` that `swizzled` does not support."""
    if pattern & 0x8000 and pattern & 0x7F00 and pattern < 0xE000:
        raise not_simulated(f"ds_swizzle_b32 offset:{pattern:#x}")


def two_addresses(base: Any, first: int, second: int) -> Lanes:
    """Return the addresses of an LDS instruction with two offsets."""
    return np.stack([base + np.uint32(first), base + np.uint32(second)])


MOVES: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (
        *(
            pair,
            high_dwords,
            constant,
            scalar32,
            scalar64,
            broadcast,
            filled,
            one,
            stacked,
            two_halves,
            small_elements,
            negated,
            signed_if,
            raw_bits,
        ),
        *(joined_halves, low_half, high_half, wide, saturated, normalised, copied, selected),
        *(
            placed,
            moved,
            reached_by,
            moved8,
            first_of,
            of_quad,
            lane_of,
            with_lane,
            other_half,
            exchanged_rows,
            transposed,
            permuted_rows,
            permuted_by_lane,
            inserted,
            packed_sum,
            read_lanes,
        ),
        *(write_lanes, swizzled, two_addresses, put),
    )
}
"""Keyed by the names that generated statements use."""
