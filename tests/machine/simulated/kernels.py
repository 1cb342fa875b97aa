"""The kernels of fixtures/run and what each leaves in memory, as plain Python and NumPy."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from dwarfgpu.base.records import frozen

COUNT = 128
"""Work-items, in two workgroups."""

Array = np.ndarray[Any, Any]
Reference = Callable[[Array, Array, Array], None]
"""Of the inputs and the output, which it changes."""


@frozen
class Kernel:
    """One kernel, how it is called, and what it does."""

    name: str
    file: str
    types: tuple[str, str, str]
    """Of the two inputs and of the output."""
    per_item: int
    """Numbers of an input for each work-item."""
    reference: Reference
    is_close: bool
    """Only nearly the same: transcendental functions."""
    count_out: int
    scratch_bytes: int | None
    """Of a lane, for a stack whose depth the compiler does not know."""

    def inputs(self) -> tuple[Array, Array, Array]:
        """Both inputs and the output before, the same each time."""
        rng = random.Random(self.name)
        a, b = (given(rng, type, COUNT * self.per_item) for type in self.types[:2])
        return a, b, np.zeros(self.count_out * self.per_item, self.types[2])

    def wanted(self) -> Array:
        a, b, out = self.inputs()
        with np.errstate(all="ignore"):
            self.reference(a, b, out)
        return out


def given(rng: random.Random, type: str, count: int) -> Array:
    """Numbers of a type, small and large ones and those of the edges."""
    kind = np.dtype("u2" if type == "bf16" else type)
    if type == "bf16":
        values = [rng.uniform(-100, 100) for _ in range(count)]
        return (np.array(values, "f4").view("u4") >> 16).astype("u2")
    if kind.kind == "f":
        edges = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 100.0]
        return np.array(
            [
                rng.choice(edges) if rng.random() < 0.2 else rng.uniform(-50, 50)
                for _ in range(count)
            ],
            kind,
        )
    info = np.iinfo(kind)
    edges_int = [0, 1, info.max, info.min, 2, 7]
    out = []
    for _ in range(count):
        chance = rng.random()
        if chance < 0.15:
            out.append(rng.choice(edges_int))
        elif chance < 0.5:
            out.append(rng.randrange(max(info.min, -100), 100))
        else:
            out.append(rng.randrange(info.min, info.max + 1))
    return np.array(out, kind)


KERNELS: dict[str, Kernel] = {}


def kernel(
    file: str,
    a: str = "i4",
    b: str | None = None,
    out: str | None = None,
    *,
    per_item: int = 1,
    is_close: bool = False,
    count_out: int = COUNT,
    scratch_bytes: int | None = None,
) -> Callable[[Reference], Reference]:
    def add(reference: Reference) -> Reference:
        name = reference.__name__
        types = (a, b or a, out or a)
        KERNELS[name] = Kernel(
            name, file, types, per_item, reference, is_close, count_out, scratch_bytes
        )
        return reference

    return add


def wrap(value: int, bits: int = 32) -> int:
    """A signed integer of so many bits."""
    sign = 1 << bits - 1
    return (value & (1 << bits) - 1 ^ sign) - sign


def reference(function: Callable[..., int], bits: int = 32, *, is_signed: bool = True) -> Reference:
    """A reference for kernels in which items have nothing to do with each other: of t, a, b."""

    def reference(a: Array, b: Array, out: Array) -> None:
        for t in range(COUNT):
            value = function(t, int(a[t]), int(b[t]))
            out[t] = wrap(value, bits) if is_signed else value & (1 << bits) - 1

    return reference


def truncated(a: int, b: int) -> int:
    """a / b of C."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


T = np.arange(COUNT)


@kernel("integers")
def vadd(a: Array, b: Array, out: Array) -> None:
    out[:] = a + b


@kernel("integers", "u1", "i1")
def bytes(a: Array, b: Array, out: Array) -> None:
    reference(lambda t, x, y: (x * y >> 3) + max(x, y), 8, is_signed=False)(a, b, out)


@kernel("integers", "u2", "i2")
def shorts(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        z = x * y & 0xFFFF
        return (z << 3 | z >> 13) ^ (y >> 2)

    reference(one, 16, is_signed=False)(a, b, out)


@kernel("integers", "u8", "i8")
def longs(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        first = x * 0x9E3779B97F4A7C15 & (1 << 64) - 1 ^ x >> 29
        return first + (y >> (t & 63)) + (x << (t & 31) if y < 0 else 1)

    reference(one, 64, is_signed=False)(a, b, out)


@kernel("integers")
def divide(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        d = y or 7
        quotient = truncated(x, d)
        unsigned = (x & 0xFFFFFFFF) // (d & 0xFFFFFFFF)
        return quotient + (x - quotient * d) * 3 + unsigned

    reference(one)(a, b, out)


@kernel("integers", "i8")
def divide_long(a: Array, b: Array, out: Array) -> None:
    mask = (1 << 64) - 1

    def one(t: int, x: int, y: int) -> int:
        d = y or 7
        return truncated(x, d) + (x & mask) % (d & mask)

    reference(one, 64)(a, b, out)


@kernel("integers", "u4")
def bits(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        r = x.bit_count() + (32 - x.bit_length()) * 100
        r += ((y & -y).bit_length() - 1 if y else 32) * 10000
        r = (r ^ int(f"{y:032b}"[::-1], 2)) & 0xFFFFFFFF
        r += (x << 32 | y) >> (t & 31) & 0xFFFFFFFF
        both = x << 32 | y
        r ^= sum((both >> 8 * n & 255) << 8 * at for at, n in enumerate((4, 7, 1, 6)))
        width = t & 15
        field = y >> 3 & (1 << width) - 1 if width else 0
        signed = wrap(field, width) if width else 0
        return r + (x >> (t & 31) & 31) + signed

    reference(one, is_signed=False)(a, b, out)


@kernel("integers")
def nest(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        if x > y:
            if x & 1:
                r = wrap(x - y)
                r = r * 5 if y < 0 else r + 11
            else:
                r = y - x
            return wrap(r) ^ 0x55
        if x == y:
            return -1
        return x * y + (1 if t & 4 else 0)

    reference(one)(a, b, out)


@kernel("integers")
def collatz(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        x = (x & 1023) + 1
        steps = 0
        while x != 1:
            x = 3 * x + 1 if x & 1 else x >> 1
            steps += 1
            if steps > wrap(int(b[t % 8]) + 100):
                break
        return steps

    reference(one)(a, b, out)


@kernel("integers")
def choose(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        cases = {0: y + 1, 1: y * 3, 2: y ^ 0xFF, 3: y >> 2, 4: y >> 2, 6: 42}
        return cases.get(x & 7, x - y)

    reference(one)(a, b, out)


@kernel("integers", scratch_bytes=4096)
def through_pointer(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        return (2 * y, y * y, y - 1)[(x & 0x7FFFFFFF) % 3] + t

    reference(one)(a, b, out)


@kernel("integers", scratch_bytes=4096)
def recursion(a: Array, b: Array, out: Array) -> None:
    fibonacci = (0, 1, 1, 2, 3, 5, 8, 13)
    reference(lambda t, x, y: fibonacci[x & 7] + y)(a, b, out)


@kernel("integers")
def stack_array(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        table = [wrap(int(a[t + i & 127]) * i) for i in range(16)]
        for i in range(16):
            at = i * 5 + t & 15
            table[at] = wrap(table[at] + table[y + i & 15])
        r = 0
        for value in table:
            r = wrap(r * 31 + value)
        return r

    reference(one)(a, b, out)


@kernel("integers")
def reduce(a: Array, b: Array, out: Array) -> None:
    for first in (0, 64):
        part = slice(first, first + 64)
        out[part] = wrap(int((a[part].astype("i8") + b[part]).sum()))


@kernel("integers")
def scan(a: Array, b: Array, out: Array) -> None:
    for first in (0, 64):
        part = slice(first, first + 64)
        out[part] = np.cumsum(a[part], dtype="i4") - b[part]


@kernel("integers")
def transpose(a: Array, b: Array, out: Array) -> None:
    for first in (0, 64):
        part = slice(first, first + 64)
        out[part] = a[part].reshape(8, 8).T.reshape(64) + b[part]


@kernel("integers")
def sort(a: Array, b: Array, out: Array) -> None:
    for first in (0, 64):
        part = slice(first, first + 64)
        out[part] = np.sort(a[part]) + b[part]


@kernel("integers")
def histogram(a: Array, b: Array, out: Array) -> None:
    out[:16] = np.bincount(a & 15, minlength=16) + 2 * np.bincount(b & 15, minlength=16)


@kernel("integers", count_out=256)
def atomics(a: Array, b: Array, out: Array) -> None:
    total = int(a.astype("i8").sum())
    out[0], out[1] = wrap(total), wrap(-total)
    for x in map(int, a):
        out[2] &= x | 0xFF
        out[3] |= x
        out[4] ^= x
        out[5] = max(int(out[5]), x)
        out[6] = min(int(out[6]), x)
    for t in range(16):
        out[7 + t] = b[t] | 1
    out[23], out[24] = 16, 127
    out[32 : 32 + COUNT] = 1


@kernel("integers", "i8")
def atomics_long(a: Array, b: Array, out: Array) -> None:
    for x, y in zip(map(int, a), map(int, b), strict=True):
        out[0] = wrap(int(out[0]) + x, 64)
        out[1] = max(int(out[1]), x)
        out[3] ^= y


@kernel("integers")
def lanes(a: Array, b: Array, out: Array) -> None:
    """Of groups of 32 lanes, which are waves or halves of them."""
    for t in range(COUNT):
        wave, row, lane = t & ~31, t & ~15, t & 31
        r = int(a[wave | (t * 7 + 3 & 31)]) ^ int(b[wave | lane ^ 1])
        r += int(a[t & ~3 | 3 - (t & 3)])
        r += int(a[t - 1]) if t > row else int(b[t])
        r += 2 * (t >> 6) if a[t] > 0 else 0
        out[t] = wrap(r)


@kernel("integers")
def strings(a: Array, b: Array, out: Array) -> None:
    words = ("wave", "lane", "a workgroup", "")

    def one(t: int, x: int, y: int) -> int:
        w, v = words[x & 3], words[y & 3]
        r = 0
        while r < len(w) and r < len(v) and w[r] == v[r]:
            r += 1
        return r * 100 + len(w)

    reference(one)(a, b, out)


@kernel("integers")
def structs(a: Array, b: Array, out: Array) -> None:
    def swapped(p: tuple[int, int, int], n: int) -> tuple[int, int, int]:
        return wrap(p[1] + n), wrap(p[0], 16), p[2] + n & 255

    def one(t: int, x: int, y: int) -> int:
        p = swapped(swapped((x, wrap(y, 16), t & 255), 3), x & 15)
        return p[0] + 7 * p[1] + 1000 * p[2]

    reference(one)(a, b, out)


@kernel("integers")
def globals(a: Array, b: Array, out: Array) -> None:
    weights = (3, 1, 4, 1, 5, 9, 2, 6)
    reference(lambda t, x, y: weights[x & 7] * y + 5)(a, b, out)


@kernel("integers", "u4")
def sha_like(a: Array, b: Array, out: Array) -> None:
    def right(x: int, n: int) -> int:
        return (x >> n | x << 32 - n) & 0xFFFFFFFF

    def one(t: int, h: int, k: int) -> int:
        for i in range(24):
            s = right(h, 6) ^ right(h, 11) ^ right(h, 25)
            mixed = (h & k) ^ (~h & 0xDEADBEEF)
            h = (s + k + 0x428A2F98 * i + mixed) & 0xFFFFFFFF
            k = (k << 13 | k >> 19) & 0xFFFFFFFF
        return h

    reference(one, is_signed=False)(a, b, out)


@kernel("integers", "u8")
def random_numbers(a: Array, b: Array, out: Array) -> None:
    mask = (1 << 64) - 1

    def one(t: int, s: int, y: int) -> int:
        s |= 1
        for _ in range(10):
            s ^= s >> 12
            s ^= s << 25 & mask
            s ^= s >> 27
        return s * 2685821657736338717 + y

    reference(one, 64, is_signed=False)(a, b, out)


@kernel("integers")
def pointer_chase(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        at = t
        for _ in range(10):
            at = int(a[at]) & 127
        return at + int(b[at])

    reference(one)(a, b, out)


@kernel("integers")
def generic_pointer(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        lane = t & 63
        here = [1, 2, 3, 4]
        here[x & 3] += 10
        if x & 4:
            return here[lane & 3]
        return int(b[t - lane + 63 - lane]) if x & 8 else y

    reference(one)(a, b, out)


@kernel("integers")
def matmul(a: Array, b: Array, out: Array) -> None:
    product = a[:64].reshape(8, 8) @ b[:64].reshape(8, 8)
    out[:64] = out[64:] = product.reshape(64)


@kernel("integers")
def register_index(a: Array, b: Array, out: Array) -> None:
    def one(t: int, x: int, y: int) -> int:
        r = [wrap(x + i * y) for i in range(16)]
        r[y & 15] = t
        return r[x & 15] + r[(t >> 6) + 3]

    reference(one)(a, b, out)


@kernel("floats", "f4")
def saxpy(a: Array, b: Array, out: Array) -> None:
    out[:] = np.float32(2.5) * a + b


@kernel("floats", "f4")
def divide32(a: Array, b: Array, out: Array) -> None:
    out[:] = a / b


@kernel("floats", "f8")
def divide64(a: Array, b: Array, out: Array) -> None:
    out[:] = a / b


@kernel("floats", "f4")
def roots(a: Array, b: Array, out: Array) -> None:
    out[:] = np.sqrt(np.abs(a)) + np.abs(b)


@kernel("floats", "f8")
def roots64(a: Array, b: Array, out: Array) -> None:
    out[:] = np.sqrt(np.abs(a)) - b


@kernel("floats", "f4")
def rounding(a: Array, b: Array, out: Array) -> None:
    out[:] = np.floor(a) + 2 * np.ceil(b) - 4 * np.trunc(a) + 8 * np.rint(b)


@kernel("floats", "f4")
def extremes(a: Array, b: Array, out: Array) -> None:
    least = np.minimum(b, np.float32(1.5))
    out[:] = np.minimum(a, b) + 3 * np.maximum(a, least)


@kernel("floats", "f4")
def fused(a: Array, b: Array, out: Array) -> None:
    x = a
    for _ in range(8):  # exact in double precision: 24 and 2 bits, numbers of alike size
        x = (x.astype("f8") * 0.75 + b).astype("f4")
    out[:] = x


@kernel("floats", "f8")
def fused64(a: Array, b: Array, out: Array) -> None:
    from fractions import Fraction

    for t in range(COUNT):
        x = float(a[t])
        for _ in range(8):
            x = float(Fraction(x) * Fraction(0.75) + Fraction(float(b[t])))
        out[t] = x


@kernel("floats", "f2")
def halfs(a: Array, b: Array, out: Array) -> None:
    x = a * b + np.float16(0.5)
    out[:] = np.where(x > b, x - a, a + b)


@kernel("floats", "f2", per_item=2)
def half_pairs(a: Array, b: Array, out: Array) -> None:
    out[:] = a * b + b.reshape(-1, 2)[:, ::-1].reshape(-1)


@kernel("floats", "f4", per_item=2)
def float_pairs(a: Array, b: Array, out: Array) -> None:
    out[:] = a * b - b.reshape(-1, 2)[:, ::-1].reshape(-1) * np.float32(0.5)


@kernel("floats", "f4", per_item=4)
def vectors(a: Array, b: Array, out: Array) -> None:
    out[:] = a.reshape(-1, 4)[:, ::-1].reshape(-1) * b + a


@kernel("floats", "f4", "f4", "i4")
def convert(a: Array, b: Array, out: Array) -> None:
    for t in range(COUNT):
        x, y = float(a[t]), float(b[t])
        half = float(np.float16(y))
        out[t] = int(x) + int(abs(y)) * 3 + int(x * 1000) + int(half * 16) + (int(x) & 255)


@kernel("floats", "i4", "i4", "f4")
def from_integers(a: Array, b: Array, out: Array) -> None:
    unsigned = b.view("u4")
    half = (a.astype("f8") * 0.5).astype("f4")
    out[:] = a.astype("f4") + unsigned.astype("f4") + half + (unsigned & 255).astype("f4")


@kernel("floats", "i8", "i8", "f8")
def from_longs(a: Array, b: Array, out: Array) -> None:
    out[:] = a.astype("f8") + b.view("u8").astype("f8") + a.astype("f4")


@kernel("floats", "bf16", "bf16", "f4")
def bfloats(a: Array, b: Array, out: Array) -> None:
    x, y = ((part.astype("u4") << 16).view("f4") for part in (a, b))
    out[:] = x * y


@kernel("floats", "f4", "f4", "i4")
def compare(a: Array, b: Array, out: Array) -> None:
    tests = (a < b, a <= b, a == b, a != b, ~(a < b), a > b, a != a, np.isinf(a))
    out[:] = sum(test.astype("i4") << n for n, test in enumerate(tests))


@kernel("floats", "f4")
def exponents(a: Array, b: Array, out: Array) -> None:
    mantissa, power = np.frexp(a)
    out[:] = np.ldexp(b, (power / 8).astype("i4")) + mantissa


@kernel("floats", "f4", is_close=True)
def transcendental(a: Array, b: Array, out: Array) -> None:
    out[:] = 1 / a + 1 / np.sqrt(np.abs(b)) + np.exp2(a * np.float32(0.125))
    out[:] += np.log2(np.abs(b))
    out[:] += np.sin(2 * np.pi * a * 0.01) + np.cos(2 * np.pi * b * 0.01)


@kernel("floats", "f4", "f4", "i4")
def mandelbrot(a: Array, b: Array, out: Array) -> None:
    kind = np.float32
    for t in range(COUNT):
        x = y = kind(0)
        n = 0
        while n < 40 and x * x + y * y < 4:
            x, y = x * x - y * y + a[t], kind(2) * x * y + b[t]
            n += 1
        out[t] = n


@kernel("floats", "f4")
def matmul_float(a: Array, b: Array, out: Array) -> None:
    left, right = a[:64].reshape(8, 8), b[:64].reshape(8, 8)
    total = np.zeros((8, 8), "f4")
    for i in range(8):
        total = total + left[:, i : i + 1] * right[i : i + 1]
    out[:64] = out[64:] = total.reshape(64)


@kernel("floats", "f4")
def convolution(a: Array, b: Array, out: Array) -> None:
    padded = np.concatenate([np.zeros(2, "f4"), a, np.zeros(2, "f4")])
    total = np.zeros(COUNT, "f4")
    for i in range(5):
        inside = (T + i - 2 >= 0) & (T + i - 2 < COUNT)
        total = np.where(inside, total + padded[i : i + COUNT] * b[i], total)
    out[:] = total


@kernel("floats", "i4", "f4", "f4")
def sparse(a: Array, b: Array, out: Array) -> None:
    for t in range(COUNT):
        total = np.float32(0)
        for i in range(int(a[t]) & 63, 64, 5):
            total = total + b[i] * np.float32(i & 7)
        out[t] = total


@kernel("floats", "f4", is_close=True)
def atomic_sum(a: Array, b: Array, out: Array) -> None:
    for block in range(2):
        total = np.float32(0)
        for value in a[64 * block : 64 * block + 64]:
            total = total + value
        out[block] = total + b[64 * block]
