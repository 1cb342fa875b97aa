"""Lists of DWARF 5 in a contribution with a table of them, and its padding."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import Malformed
from dwarfgpu.expr.context import LocList
from tests.dwarf.builder import debug_info, file_of
from tests.dwarf.test_location_lists import ADDRESSES, ROOT, X, address, table, uleb


def read_list(
    section: str, name: int, data: bytes, offset: int, more: Mapping[str, bytes] | None = None
) -> int:
    """Return how many entries the list at an offset of a section has, that of an attribute."""
    lists = offset.to_bytes(4, "little")
    entries = b"\x01" + address(0x1000) + b"\x08\0\0\0" + lists * 2
    sections = {section: data, **ADDRESSES, **(more or {})}
    (unit,) = debug_info(file_of(entries, [ROOT], sections)).units
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
    message = f"zeros replaced a part of the list, which ends at {end:#x}"
    with pytest.raises(Malformed, match=message):
        read_list(section, name, data, 20)


@pytest.mark.parametrize(
    ("section", "name"), [(".debug_loclists", dw.AT_LOCATION), (".debug_rnglists", dw.AT_RANGES)]
)
@pytest.mark.parametrize("linker", ["zig 0.17.1", "Linker: LLD 19.1.7"])
@pytest.mark.parametrize("lists", [b"\4\1\2", b""])
def test_room_behind_the_lists(section: str, name: int, lists: bytes, linker: str) -> None:
    """Zig's linker fills it with zeros."""
    if lists and name == dw.AT_LOCATION:
        lists += b"\1" + X
    data = table((1).to_bytes(4, "little") + b"\4\0\0\0" + lists + bytes(101))
    more = {".comment": f"\0{linker}\0".encode()}
    if linker.startswith("zig"):
        assert read_list(section, name, data, 16, more) == bool(lists)
        return
    with pytest.raises(Malformed, match="zeros|overwritten"):
        read_list(section, name, data, 16, more)
