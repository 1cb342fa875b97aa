"""Strings up to a NUL, in memory that may end anywhere."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from dwarfgpu.access.read_string import StringRead, string_at


def memory(data: bytes, reads: list[int]) -> Callable[[int, int], bytes | None]:
    def read(address: int, size_bytes: int) -> bytes | None:
        reads.append(size_bytes)
        is_known = address >= 0 and address + size_bytes <= len(data)
        return data[address : address + size_bytes] if is_known else None

    return read


def one_by_one(data: bytes, address: int, width: int, most: int) -> StringRead:
    out = b""
    while len(out) < most * width:
        unit = data[address + len(out) :][:width]
        if len(unit) < width:
            return StringRead(out, is_ended=False, is_readable=False)
        out += unit
        if not any(unit):
            return StringRead(out, is_ended=True, is_readable=True)
    return StringRead(out, is_ended=False, is_readable=True)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_all_that_can_be_read(width: int) -> None:
    rng = Random(width)
    for _ in range(2_000):
        data = bytes(rng.choices((0, 1, 2), (1, 200, 200), k=rng.randrange(300)))
        address, most = rng.randrange(100), rng.randrange(200)
        reads: list[int] = []
        expected = one_by_one(data, address, width, most)
        assert string_at(memory(data, reads), address, width, most) == expected


def test_memory_that_ends_within_a_string_takes_few_reads() -> None:
    """Blocks are halved, instead of each character being tried alone and with those after it."""
    for size_bytes in range(130):
        reads: list[int] = []
        result = string_at(memory(b"x" * size_bytes, reads), 0, 1, 1_000)
        assert result == (b"x" * size_bytes, False, False)
        assert len(reads) <= 2 + 2 * 7
