"""`.gdb_index` (GDB manual, "Index Section Format"): what is read, and that it is only a hint."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from struct import pack

import pytest

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index import gdb_index
from dwarfgpu.dwarf.index.gdb_index import name_hash, read_gdb_index
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported
from tests.dwarf.builder import FIXTURES, Shape, abbreviations, debug_info, elf, fixture, unit
from tests.work import at_most

FILES = "index/gdb.gcc", "index/lld.clang"


@frozen
class Name:
    """A name and the numbers of its vector: unit, kind and whether it is static."""

    text: bytes
    owners: tuple[int, ...]


def owner(unit: int, kind: int = 2, *, is_static: bool = False) -> int:
    return unit | kind << 28 | is_static << 31


def section(
    units: Sequence[tuple[int, int]] = ((0, 0x20), (0x20, 0x20)),
    type_units: Sequence[tuple[int, int, int]] = (),
    addresses: Sequence[tuple[int, int, int]] = (),
    names: Sequence[Name] = (),
    slot_count: int = 8,
    version: int = 8,
) -> bytes:
    """A section whose areas are in the order of the manual."""
    slots = [(0, 0)] * slot_count
    vectors = b""
    places: list[int] = []
    for name in names:
        places.append(len(vectors))
        vectors += pack(f"<{1 + len(name.owners)}I", len(name.owners), *name.owners)
    texts = b""
    for name, place in zip(names, places, strict=True):
        last = slot_count - 1
        slot = name_hash(name.text) & last
        while slots[slot] != (0, 0):
            slot = slot + (name_hash(name.text) * 17 & last | 1) & last
        slots[slot] = len(vectors) + len(texts), place
        texts += name.text + b"\0"
    areas = [
        b"".join(pack("<QQ", *unit) for unit in units),
        b"".join(pack("<QQQ", *type_unit) for type_unit in type_units),
        b"".join(pack("<QQI", *address) for address in addresses),
        b"".join(pack("<II", *slot) for slot in slots),
        *([pack("<II", 0, 0)] if version >= 9 else []),
        vectors + texts,
    ]
    position, starts = 4 + 4 * len(areas), []
    for area in areas:
        starts.append(position)
        position += len(area)
    return pack(f"<{1 + len(starts)}I", version, *starts) + b"".join(areas)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"", 0),
        (b"a", 0xFFFFFFF0),  # 97 - 113
        (b"ab", (-16 * 67 + 98 - 113) & 0xFFFFFFFF),
        (b"AB", (-16 * 67 + 98 - 113) & 0xFFFFFFFF),  # the case is folded
        (b"\xc4", 0xC4 - 113),  # of ASCII only
    ],
)
def test_hash(name: bytes, expected: int) -> None:
    assert name_hash(name) == expected


@pytest.mark.parametrize("version", [7, 8, 9])
def test_areas_of_every_version(version: int) -> None:
    table = read_gdb_index(
        section(
            type_units=((0x40, 0x1D, 0xABCDEF),),
            addresses=((0x1000, 0x1010, 1),),
            names=(
                Name(b"x", (owner(0, 2), owner(1, 2, is_static=True))),
                Name(b"ns::f", (owner(1, 3),)),
                Name(b"T", (owner(2, 1),)),
                Name(b"odd", (owner(0, 0), owner(0, 4), owner(0, 6))),
            ),
            version=version,
        )
    )
    assert table.version == version
    assert table.units == (0, 0x20) and table.type_units == (0xABCDEF,)
    assert list(table.addresses) == [(Range(0x1000, 0x1010), 1)]

    def found(name: bytes) -> list[tuple[int, str, bool]]:
        return [(owner.unit, owner.kind, owner.is_static) for owner in table.owners(name)]

    assert found(b"x") == [(0, "variable", False), (1, "variable", True)]
    assert found(b"ns::f") == [(1, "function", False)]
    assert found(b"T") == [(2, "type", False)]
    assert [kind for _, kind, _ in found(b"odd")] == ["unknown", "other", "unknown"]
    assert found(b"X") == []  # the same hash, another name
    assert found(b"f") == []


def test_a_full_table_ends() -> None:
    names = [Name(bytes((number,)), (0,)) for number in range(1, 9)]
    table = read_gdb_index(section(names=names))
    assert [len(list(table.owners(name.text))) for name in names] == [1] * 8
    assert not list(table.owners(b"none"))


def test_an_empty_index() -> None:
    table = read_gdb_index(section(units=(), slot_count=0))
    assert not list(table.owners(b"x")) and not list(table.names())


GOOD = section(names=(Name(b"x", (0,)),))


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (pack("<I", 6) + GOOD[4:], Unsupported, "version 6"),
        (pack("<I", 10) + GOOD[4:], Unsupported, "version 10"),
        (GOOD[:20], Malformed, "header of 24 bytes is cut short"),
        (section(version=9)[:24], Malformed, "header of 28 bytes is cut short"),
        (GOOD[:4] + pack("<I", 23) + GOOD[8:], Malformed, "do not follow each other"),
        (GOOD[:20] + pack("<I", len(GOOD) + 1) + GOOD[24:], Malformed, "do not follow each other"),
        (GOOD[:8] + pack("<I", 25) + GOOD[12:], Malformed, "is not a multiple of its entries"),
        (section(slot_count=3), Malformed, "is not a multiple of its entries"),
    ],
)
def test_unusable(data: bytes, kind: type[DwarfGpuError], message: str) -> None:
    with pytest.raises(kind, match=message):
        read_gdb_index(data)
    info = debug_info(elf({".gdb_index": data}))
    assert info.gdb_index.table is None
    assert str(info.gdb_index.problem).startswith("made.co: .gdb_index")
    assert not list(info.gdb_index.units_named("x")) and not list(info.gdb_index.units_at(0))


def test_owners_outside_the_pool() -> None:
    data = bytearray(section(names=(Name(b"x", (0,)),)))
    at = data.index(pack("<II", 1, 0) + b"x\0")
    data[at : at + 4] = pack("<I", 1 << 30)
    with pytest.raises(Malformed, match="outside the constant pool"):
        list(read_gdb_index(bytes(data)).owners(b"x"))


def three_units(**areas: object) -> DebugInfo:
    """Three units of one entry each, and an index."""
    shapes = abbreviations(Shape(dw.TAG_COMPILE_UNIT))
    one = unit(b"\x01")
    places = [(number * len(one), len(one)) for number in range(3)]
    index = section(units=places, **areas)  # type: ignore[arg-type]
    return debug_info(elf({".debug_info": 3 * one, ".debug_abbrev": shapes, ".gdb_index": index}))


def test_units_of_a_name_and_of_an_address() -> None:
    info = three_units(
        names=(Name(b"x", (owner(2), owner(0), owner(2), owner(3), owner(1 << 23))),),
        addresses=((0x10, 0x20, 1), (0x18, 0x28, 2), (0x18, 0x28, 2), (0x18, 0x28, 77)),
    )
    assert [info.units.index(unit) for unit in info.gdb_index.units_named("x")] == [2, 0]
    assert [info.units.index(unit) for unit in info.gdb_index.units_at(0x1F)] == [2, 1]
    assert not list(info.gdb_index.units_at(0x28))


def test_very_many_addresses_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are found by it all the same."""
    monkeypatch.setattr(gdb_index, "MAX_RANGES", 2)
    rows = [(0x1000, 0x1100, 0), (0x2000, 0x2100, 1)]
    names = [Name(b"x", (owner(1),))]
    assert next(three_units(addresses=rows).gdb_index.units_at(0x1000)).offset == 0
    info = three_units(addresses=[*rows, (0x3000, 0x3100, 2)], names=names)
    index = info.gdb_index
    assert not list(index.units_at(0x1000))
    assert list(index.units_named("x")) == [info.units[1]]
    assert index.table is not None
    with pytest.raises(LimitExceeded, match="3 ranges of addresses: more than 2 are not read"):
        list(index.table.addresses)


def test_a_unit_that_is_not_there() -> None:
    index = section(units=((1, 5), (999, 5)), names=(Name(b"x", (0, 1)),))
    info = debug_info(
        elf(
            {
                ".debug_info": unit(b"\x01"),
                ".debug_abbrev": abbreviations(Shape(dw.TAG_COMPILE_UNIT)),
                ".gdb_index": index,
            }
        )
    )
    assert not list(info.gdb_index.units_named("x"))


def test_a_long_chain_of_slots_is_given_up() -> None:
    names = [Name(b"%d" % number, (0,)) for number in range(1 << 15)]
    table = read_gdb_index(section(names=names, slot_count=1 << 15))
    with at_most(35_000):
        assert not list(table.owners(b"none"))


@pytest.mark.parametrize("name", FILES)
def test_every_name_is_found(name: str) -> None:
    table = fixture(name).gdb_index.table
    assert table is not None
    names = list(table.names())
    assert len(names) == 21
    assert all(tuple(table.owners(text)) == owners for text, owners in names)


READELF_NAME = re.compile(r"\[ *\d+\] (.+?):((?:\s+\d+ \[\w+, [\w ]+\])+)")
READELF_OWNER = re.compile(r"(\d+) \[(\w+), ([\w ]+)\]")


@pytest.mark.parametrize("name", FILES)
def test_like_readelf(name: str, tool: Callable[[str], str]) -> None:
    text = subprocess.run(
        [tool("readelf"), "--debug-dump=gdb_index", str(FIXTURES / name)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    table = fixture(name).gdb_index.table
    assert table is not None
    assert f"Version {table.version}" in text
    units = re.findall(r"^\[ *\d+\] (?:0x)?([0-9a-f]+) - ", text, re.MULTILINE)
    assert [int(unit, 16) for unit in units] == [*table.units]
    rows = re.findall(r"^([0-9a-f]{16}) ([0-9a-f]{16}) (\d+)$", text, re.MULTILINE)
    assert [(Range(int(a, 16), int(b, 16)), int(c)) for a, b, c in rows] == [*table.addresses]
    theirs = {
        item: [(int(a), c, b == "static") for a, b, c in READELF_OWNER.findall(owners)]
        for item, owners in READELF_NAME.findall(text)
    }
    assert theirs == {
        item.decode(): [(one.unit, one.kind, one.is_static) for one in owners]
        for item, owners in table.names()
    }
