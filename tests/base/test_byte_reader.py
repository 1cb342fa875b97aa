"""Long LEB128 numbers."""

from __future__ import annotations

import pytest

from dwarfgpu.base.byte_reader import MAX_LEB_BYTES, Reader
from dwarfgpu.errors import Malformed

LONG = MAX_LEB_BYTES * 4


@pytest.mark.parametrize(
    ("data", "unsigned", "signed"),
    [
        (b"\x81" + b"\x80" * LONG + b"\x00", 1, 1),
        (b"\xc1" + b"\x80" * LONG + b"\x00", 65, 65),
        (b"\x80" * LONG + b"\x00", 0, 0),
        (b"\xfe" + b"\xff" * LONG + b"\x7f", None, -2),
        (b"\x81" * LONG + b"\x01", None, None),
    ],
)
def test_padding_is_no_part_of_a_number(
    data: bytes, unsigned: int | None, signed: int | None
) -> None:
    """A number of megabytes takes eighty times its size of memory."""
    for read, number in ((Reader.uleb, unsigned), (Reader.sleb, signed)):
        reader = Reader(data, "little")
        if number is None:
            with pytest.raises(Malformed, match=f"offset 0x0 has more than {MAX_LEB_BYTES} bytes"):
                read(reader)
            continue
        assert read(reader) == number
        assert reader.position == len(data)
