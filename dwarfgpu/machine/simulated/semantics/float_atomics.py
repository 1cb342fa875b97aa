"""Updates of floating point numbers in memory: they have rules of their own.

They round to nearest whatever MODE says, compare numbers with denormals as zeros where MODE
flushes them, and leave in memory one of the operands unchanged; a signalling NaN is quieted
whatever MODE.IEEE is (RDNA3.5 ISA, chapter 13; the instructions of the RDNA4 ISA).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.machine.simulated.semantics.lane_functions import (
    Lanes,
    canonical,
    flushed,
    is_signalling,
    quieted,
)

SOURCES: Final = 1
RESULTS: Final = 2
"""Bits of what the functions take: denormal numbers that are zeros."""


def flushes_of(memory: str, is_sum: bool, bits: int, denormals: int, target: IsaTarget) -> int:
    """Return what an update of numbers of 32 or 64 bits flushes, with FP_DENORM of MODE.

    Caches have one control of sources and results, and none for sums: those of 32 bits are without
    denormals where LLVM has no feature `memory-atomic-fadd-f32-denormal-support`. The CDNA2 ISA
    says of gfx90a that they have denormals.
    """
    fields = denormals & 3 if bits == 32 else denormals >> 2
    if memory == "lds":
        return ~fields & (SOURCES | RESULTS)
    if not is_sum:
        return 0 if fields & SOURCES else SOURCES
    has_none = bits == 32 and (target.processor == "gfx908" or target.generation in (10, 11))
    return SOURCES | RESULTS if has_none else 0


def atomic_sum(m: Lanes, a: Lanes, flushes: int) -> Lanes:
    """Return the sum of numbers in memory and data."""
    if flushes & SOURCES:
        m, a = flushed(m), flushed(a)
    total = canonical(m + a, m, a)
    return flushed(total) if flushes & RESULTS else total


def atomic_min(m: Lanes, a: Lanes, flushes: int, generation: int) -> Lanes:
    """Return the smaller of numbers in memory and data, -0 before +0; the other one of a NaN."""
    left, right = _compared(m, a, flushes)
    is_less = (right < left) | (right == left) & np.signbit(right) & ~np.signbit(left)
    return _selected(m, a, is_less, generation)


def atomic_max(m: Lanes, a: Lanes, flushes: int, generation: int) -> Lanes:
    """Return the greater of numbers in memory and data, +0 after -0; the other one of a NaN."""
    left, right = _compared(m, a, flushes)
    is_greater = (right > left) | (right == left) & np.signbit(left) & ~np.signbit(right)
    return _selected(m, a, is_greater, generation)


def atomic_exchange(m: Lanes, expected: Lanes, a: Lanes, flushes: int) -> Lanes:
    """Return the data where memory has what is expected; the memory elsewhere."""
    if not flushes & SOURCES:
        return np.where(m == expected, a, m)
    return np.where(flushed(m) == flushed(expected), flushed(a), m)


def _compared(m: Lanes, a: Lanes, flushes: int) -> tuple[Lanes, Lanes]:
    return (flushed(m), flushed(a)) if flushes & SOURCES else (m, a)


def _selected(m: Lanes, a: Lanes, is_data: Lanes, generation: int) -> Lanes:
    """Return data or memory, by the rules of NaN."""
    out = np.where(m != m, a, np.where((a == a) & is_data, a, m))
    if generation >= 12:
        return np.where((m != m) & (a != a), quieted(a), out)
    out = np.where((m != m) & (a != a), m, out)
    out = np.where(is_signalling(a), quieted(a), out)
    return np.where(is_signalling(m), quieted(m), out)


FLOAT_ATOMICS: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (atomic_sum, atomic_min, atomic_max, atomic_exchange)
}
"""Keyed by the names that expressions use."""
