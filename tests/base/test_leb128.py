"""LEB128 numbers of any length: exact, in work and memory in proportion to their bytes."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from dwarfgpu.base.bits import signed
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.leb128 import decode, encode_sleb, encode_uleb
from dwarfgpu.errors import Malformed
from tests.work import calls_of

LENGTHS = (1, 2, 9, 10, 11, 15, 16, 17, 18, 24, 63, 64, 65, 1000)


def expected(data: bytes) -> int:
    return sum((byte & 0x7F) << 7 * index for index, byte in enumerate(data))


@pytest.mark.parametrize("length", LENGTHS)
def test_a_number_of_any_length(length: int) -> None:
    chance = random.Random(length)
    for _ in range(20):
        last = chance.randrange(0x80)
        data = bytes(0x80 | chance.randrange(0x80) for _ in range(length - 1)) + bytes((last,))
        number = expected(data)
        assert decode(data) == number
        reader = Reader(data + b"\xff")
        assert (reader.uleb(), reader.position) == (number, length)
        reader = Reader(b"\x80" + data, position=1)
        assert (reader.sleb(), reader.position) == (signed(number, 7 * length), length + 1)
        assert Reader(encode_uleb(number)).uleb() == number
        assert Reader(encode_sleb(-number)).sleb() == -number


@pytest.mark.parametrize("length", LENGTHS)
def test_a_number_that_is_cut_short(length: int) -> None:
    reader = Reader(b"\0" + b"\x81" * length + b"\0", position=1, end=length + 1)
    with pytest.raises(Malformed, match="LEB128 number at offset 0x1 is cut short"):
        reader.uleb()


def test_a_number_of_megabytes_takes_little_work_and_memory() -> None:
    data = b"\x81" * 2_000_000 + b"\1"
    Reader(data).uleb()  # what is done once
    assert calls_of(lambda: Reader(data).uleb()) < 100
    tracemalloc.start()
    try:
        number = Reader(data).uleb()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert number.bit_length() == 7 * 2_000_000 + 1
    assert peak < 12 * len(data)
