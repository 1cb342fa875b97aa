"""Long LEB128 numbers."""

from __future__ import annotations

import pytest

from dwarfgpu.base.byte_reader import Reader

LONG = 1 << 18


@pytest.mark.parametrize(
    ("data", "unsigned", "signed"),
    [
        (b"\x81" + b"\x80" * LONG + b"\x00", 1, 1),
        (b"\xc1" + b"\x80" * LONG + b"\x00", 65, 65),
        (b"\x80" * LONG + b"\x00", 0, 0),
        (b"\xfe" + b"\xff" * LONG + b"\x7f", (1 << 7 * LONG + 14) - 2, -2),
    ],
    ids=["1", "65", "0", "-2"],
)
def test_a_padded_number(data: bytes, unsigned: int, signed: int) -> None:
    for read, number in ((Reader.uleb, unsigned), (Reader.sleb, signed)):
        reader = Reader(data, "little")
        assert read(reader) == number
        assert reader.position == len(data)
