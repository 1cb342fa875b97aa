"""Numbers that are looked for in the bytes of units: all of them, and in few passes."""

from __future__ import annotations

from random import Random
from typing import Literal

import pytest

from dwarfgpu.dwarf.index import string_index

Endian = Literal["little", "big"]
SIZES = (4, 8)


def blocks_of(numbers: set[int]) -> dict[int, set[int]]:
    blocks: dict[int, set[int]] = {}
    for number in numbers:
        blocks.setdefault(number >> 8, set()).add(number & 0xFF)
    return blocks


def positions(data: bytes, blocks: dict[int, set[int]], size: int, endian: Endian) -> set[int]:
    """Where the finders find one."""
    out: set[int] = set()
    for find in string_index._finders(blocks, size, endian):
        at = find(data, 0)
        while at >= 0:
            out.add(at)
            at = find(data, at + 1)
    return out


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 3, 9, 60])
def test_every_position_of_every_number(size: int, endian: Endian, count: int) -> None:
    """Also those that begin within another one, or within bytes that are nearly one."""
    rng = Random(count * size)
    for _ in range(40):
        # Few values of a byte, special ones of patterns among them: nearly all overlap.
        values = rng.sample([0, 1, 2, *b"]^-\\[\n.", 0xFF], 3)
        numbers = {
            int.from_bytes(bytes([0, *rng.choices(values, k=3)]), "big") for _ in range(count)
        }
        data = bytes(rng.choices([0, *values], k=400)) + b"".join(
            number.to_bytes(size, endian) for number in numbers
        )
        expected = {
            at
            for at in range(len(data) - size + 1)
            if int.from_bytes(data[at : at + size], endian) in numbers
        }
        assert positions(data, blocks_of(numbers), size, endian) == expected


@pytest.mark.parametrize(("count", "passes"), [(1, 1), (4, 4), (5, 1), (200, 1)])
def test_many_numbers_take_one_pass(count: int, passes: int) -> None:
    blocks = blocks_of({number << 8 | 7 for number in range(1, count + 1)})
    assert len(list(string_index._finders(blocks, 4, "little"))) == passes
