"""Lists of DWARF 5 in a contribution with a table of them, and its padding."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import Malformed
from dwarfgpu.expr.context import LocList
from tests.dwarf.builder import debug_info, file_of
from tests.dwarf.test_location_lists import ADDRESSES, ROOT, X, address, table, uleb


def read_list(section: str, name: int, data: bytes, offset: int) -> int:
    """Return how many entries the list at an offset of a section has, that of an attribute."""
    lists = offset.to_bytes(4, "little")
    entries = b"\x01" + address(0x1000) + b"\x08\0\0\0" + lists * 2
    (unit,) = debug_info(file_of(entries, [ROOT], {section: data, **ADDRESSES})).units
    attribute = unit.root.attribute(name)
    assert attribute is not None
    if name == dw.AT_RANGES:
        return len(unit.lists.ranges_of(attribute))
    location = unit.lists.locations_of(attribute)
    assert isinstance(location, LocList)
    return len(location.entries)


@pytest.mark.parametrize(
    ("section", "name", "begin"),
    [
        (".debug_loclists", dw.AT_LOCATION, 7),
        (".debug_loclists", dw.AT_LOCATION, 1),
        (".debug_rnglists", dw.AT_RANGES, 4),
    ],
)
@pytest.mark.parametrize("count", [0, 8])
def test_a_part_of_a_list_of_a_table(section: str, name: int, begin: int, count: int) -> None:
    """Zeros end a list; the table gives its end (DWARF 5 7.28, 7.29)."""
    entry = b"\4" + uleb(0x10, 0x20) + (b"\2\x30\x9f" if name == dw.AT_LOCATION else b"")
    lists = bytearray(4 * entry + b"\0")
    lists[begin : begin + count] = bytes(count)
    offsets = (8).to_bytes(4, "little") + (8 + len(lists)).to_bytes(4, "little")
    data = table((2).to_bytes(4, "little") + offsets + bytes(lists) + entry + b"\0")
    if not count:
        assert read_list(section, name, data, 20) == 4
        return
    end = 20 + len(lists)
    message = f"zeros replaced a part of the list, which reaches to {end:#x}"
    with pytest.raises(Malformed, match=message):
        read_list(section, name, data, 20)


@pytest.mark.parametrize(
    ("section", "name"), [(".debug_loclists", dw.AT_LOCATION), (".debug_rnglists", dw.AT_RANGES)]
)
@pytest.mark.parametrize(
    ("lists", "count", "message"),
    [
        (b"\4\1\2", 1, None),
        (b"\4\1\2", 1 + 100, None),  # padding
        (b"", 1 + 100, None),
        (b"", 1 + 100 + 1, "the list is overwritten with zeros"),
        (b"\4\1\2", 1 + 9 + 1, "zeros replaced a part of the list, which reaches to 0x{:x}"),
    ],
)
def test_the_padding_of_a_contribution(
    section: str, name: int, lists: bytes, count: int, message: str | None
) -> None:
    """Zig's linker leaves room behind the lists of a unit: nothing gives the size of the last."""
    if lists and name == dw.AT_LOCATION:
        lists += b"\1" + X
    data = table((1).to_bytes(4, "little") + b"\4\0\0\0" + lists + bytes(count))
    if message is not None:  # something else follows
        data = data[:-1] + b"\xff"
    if message is None:
        assert read_list(section, name, data, 16) == bool(lists)
        return
    with pytest.raises(Malformed, match=message.format(len(data))):
        read_list(section, name, data, 16)
