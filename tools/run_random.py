#!/usr/bin/env python3
"""Run random generators of a library on simulated wavefronts, and compare their numbers with the
published recurrences: `tools/run_random.py [FILE] [--target GPU]...`, by default of Debian's
librocrand1.

MRG32k3a is of P. L'Ecuyer (Operations Research 47, 1999), XORWOW of G. Marsaglia (Journal of
Statistical Software 8, 2003). Each work-item has a subsequence of its own: the library jumps there
with tables, the model here with powers of the matrix of one step.

Prints a table as `tools/run_library.py` does; 1 for a difference.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from tools.run_library import Array, Case, report

LIBRARY: Final = "/usr/lib/x86_64-linux-gnu/librocrand.so.1"
TARGETS: Final = (
    "gfx803", "gfx900:xnack-", "gfx906:xnack-", "gfx908:xnack-", "gfx90a:xnack-", "gfx1030",
)  # fmt: skip
SEED: Final = 987654321
"""Below 2**32: the library reduces the products of larger ones only in part."""
ENGINES: Final = 256
OFFSET: Final = 77
"""Numbers that each engine omits."""
ROUNDS: Final = 8
SUBSTREAM: Final = 1 << 76
"""The distance between subsequences of MRG32k3a, as L'Ecuyer has it."""
SUBSEQUENCE: Final = 1 << 67
"""That of XORWOW."""
M1: Final = (1 << 32) - 209
M2: Final = (1 << 32) - 22853
STEP_1: Final = ((0, 1, 0), (0, 0, 1), (M1 - 810728, 1403580, 0))
STEP_2: Final = ((0, 1, 0), (0, 0, 1), (M2 - 1370589, 0, 527612))
WHOLE_RANGE: Final = ((1 << 32) - 1) / (M1 - 1)
WEYL: Final = 362437
DWORD: Final = (1 << 32) - 1
Matrix: TypeAlias = tuple[tuple[int, ...], ...]
State: TypeAlias = tuple[int, ...]


def product(left: Matrix, right: Matrix, modulus: int) -> Matrix:
    columns = tuple(zip(*right, strict=True))
    return tuple(
        tuple(sum(a * b for a, b in zip(row, column, strict=True)) % modulus for column in columns)
        for row in left
    )


def jumped(step: Matrix, state: State, count: int, modulus: int) -> State:
    """The state after that many steps."""
    column: Matrix = tuple((item,) for item in state)
    while count:
        if count & 1:
            column = product(step, column, modulus)
        step = product(step, step, modulus)
        count >>= 1
    return tuple(item for (item,) in column)


def mrg_engine(number: int) -> State:
    x, y = SEED & DWORD ^ 0x55555555, SEED >> 32 ^ 0xAAAAAAAA
    first = tuple(factor * SEED % M1 for factor in (x, y, x))
    second = tuple(factor * SEED % M2 for factor in (y, x, y))
    count = number * SUBSTREAM + OFFSET
    return jumped(STEP_1, first, count, M1) + jumped(STEP_2, second, count, M2)


def mrg_next(state: State) -> tuple[State, int]:
    first = jumped(STEP_1, state[:3], 1, M1)
    second = jumped(STEP_2, state[3:], 1, M2)
    return first + second, (first[2] - second[2]) % M1 or M1


def xorwow_step(state: State) -> State:
    *x, weyl = state
    t = x[0] ^ x[0] >> 2
    last = (x[4] ^ x[4] << 4 ^ t ^ t << 1) & DWORD
    return (*x[1:], last, (weyl + WEYL) & DWORD)


def xorwow_next(state: State) -> tuple[State, int]:
    state = xorwow_step(state)
    return state, (state[4] + state[5]) & DWORD


def powers_of_xorwow(count: int) -> list[Array]:
    """The matrices of 1, 2, 4, ... steps over bits; the Weyl sequence is apart."""
    step = np.zeros((160, 160), np.uint8)
    for bit in range(160):
        ones = tuple(1 << bit % 32 if bit // 32 == index else 0 for index in range(5))
        after = xorwow_step((*ones, 0))
        step[:, bit] = [after[row // 32] >> row % 32 & 1 for row in range(160)]
    out = [step]
    while len(out) < count:
        out.append(out[-1].astype(np.uint16) @ out[-1] % 2)
    return out


def xorwow_engines() -> Iterator[State]:
    low, high = SEED & DWORD ^ 0x2C7F967F, SEED >> 32 ^ 0xA03697CB
    a, b = 1228688033 * low & DWORD, 2073658381 * high & DWORD
    x = [123456789 + a, 362436069 ^ a, 521288629 + b, 88675123 ^ b, 5783321 + a]
    weyl = 6615241 + a + b
    bits = np.array([x[row // 32] >> row % 32 & 1 for row in range(160)], np.uint8)
    powers = powers_of_xorwow(67 + ENGINES.bit_length())
    for number in range(ENGINES):
        count, at = number * SUBSEQUENCE + OFFSET, bits
        for power in powers:
            at = power.astype(np.uint16) @ at % 2 if count & 1 else at
            count >>= 1
        words = [sum(int(at[32 * k + n]) << n for n in range(32)) for k in range(5)]
        yield (*words, weyl + OFFSET * WEYL & DWORD)


def outputs(states: list[State], follow: Callable[[State], tuple[State, int]]) -> Array:
    """The numbers in the order in which the kernels store them: one of each engine in turn."""
    numbers: list[int] = []
    for _ in range(ROUNDS):
        after = [follow(state) for state in states]
        states = [state for state, _ in after]
        numbers += [number for _, number in after]
    return np.array(numbers, np.uint32)


def cases() -> Iterator[Case]:
    mrg = [mrg_engine(number) for number in range(ENGINES)]
    numbers = outputs(mrg, mrg_next)
    whole = (numbers - 1.0) * WHOLE_RANGE
    yield from cases_of("mrg32k3a", "mrg_", mrg, whole, numbers / (M1 + 1))
    xorwow = list(xorwow_engines())
    numbers = outputs(xorwow, xorwow_next)
    stored = [(state[5], *state[:5]) for state in xorwow]
    yield from cases_of("xorwow", "", stored, numbers, (numbers + 1.0) * 2.0**-32)


def cases_of(
    engine: str, prefix: str, states: list[State], whole: Array, real: Array
) -> Iterator[Case]:
    """One of making the engines, one of numbers of 32 bits, one of real numbers up to 1."""
    stored = np.array(states, np.uint32).ravel()
    pointer = f"rocrand_device::{engine}_engine*"
    yield Case(
        f"init_engines_kernel({pointer}, unsigned int, unsigned long long, unsigned long long)",
        ENGINES, ENGINES, (np.zeros_like(stored), 0, SEED, OFFSET), {0: stored},
    )  # fmt: skip
    for item, expected, tolerance in (
        ("unsigned int", whole.astype(np.uint32), 0.0),
        ("float", real.astype(np.float32), 2.0**-22),
    ):
        distribution = f"{prefix}uniform_distribution<{item}>"
        yield Case(
            f"generate_kernel<{item}, {distribution} >({pointer}, unsigned int, {item}*, "
            f"unsigned long, {distribution})",
            ENGINES, ENGINES,
            (stored, 0, np.zeros_like(expected), expected.size, b"\0"),
            {2: expected}, tolerance,
        )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default=LIBRARY)
    parser.add_argument("--target", action="append", default=[])
    options = parser.parse_args()
    if not Path(options.file).exists():
        print(f"{options.file} is not installed")
        return 0
    return report(options.file, options.target or TARGETS, list(cases()))


if __name__ == "__main__":
    sys.exit(main())
