"""Location lists that end before they have an entry for each pair of their views, as GCC writes
them: zeros replaced entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, Malformed
from dwarfgpu.expr.context import LocList
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import Shape, debug_info, file_of, read_fixture
from tests.dwarf.programs import copied

X = b"\x30"


def pair(begin: int, end: int) -> bytes:
    return begin.to_bytes(8, "little") + end.to_bytes(8, "little")


def entry(begin: int, end: int, version: int) -> bytes:
    if version >= 5:
        return bytes((4, begin, end, 1)) + X
    return pair(begin, end) + b"\1\0" + X


def located(views: bytes, lists: bytes, version: int, first: int = 0) -> int:
    """The number of entries of the list behind views, which begin at an offset."""
    form = dw.FORM_SEC_OFFSET if version >= 4 else dw.FORM_DATA4
    names = ((dw.AT_LOCATION, form), (dw.AT_GNU_LOCVIEWS, form))
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOW_PC, dw.FORM_ADDR), *names))
    offset = 0x10 + len(views)
    values = offset.to_bytes(4, "little") + (0x10 + first).to_bytes(4, "little")
    entries = b"\1" + (0x1000).to_bytes(8, "little") + values
    section = ".debug_loclists" if version >= 5 else ".debug_loc"
    data = file_of(entries, [shape], {section: bytes(0x10) + views + lists}, version)
    (unit,) = debug_info(data).units
    location = unit.location_of(unit.root, dw.AT_LOCATION)
    assert isinstance(location, LocList)
    return len(location.entries)


@pytest.mark.parametrize("version", [3, 4, 5])
def test_a_list_with_less_entries_than_pairs(version: int) -> None:
    first, second = entry(1, 2, version), entry(2, 3, version)
    end = bytes(1 if version >= 5 else 16)
    assert located(bytes(4), first + second + end, version) == 2
    assert located(b"\x81\1\0\0\x80\2", first + second + end, version) == 2
    for views in (bytes(4), b"\x81\1\0\0\x80\2"):
        with pytest.raises(Malformed, match="the list ends after 1 of 2 entries") as caught:
            located(views, first + end + second + end, version)
        assert f" list {0x10 + len(views):#x}: " in str(caught.value)


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize(
    ("views", "first"),
    [
        (bytes(2), 0),  # one pair
        (bytes(3), 0),  # no whole pair
        (b"\0\0\0\x80", 0),  # the last number has no end
        (bytes(4), 4),  # none
        (bytes(4), 5),  # behind the list
    ],
)
def test_bytes_that_are_no_certain_number_of_pairs(version: int, views: bytes, first: int) -> None:
    end = bytes(1 if version >= 5 else 16)
    assert located(views, entry(1, 2, version) + end + b"\xff", version, first) == 1


def test_entries_that_set_the_base_address_have_no_views() -> None:
    base = b"\6" + (0x2000).to_bytes(8, "little")
    assert located(bytes(4), base + entry(1, 2, 5) + base + entry(1, 2, 5) + b"\0", 5) == 2
    with pytest.raises(Malformed, match="ends after 1 of 2 entries"):
        located(bytes(4), base + entry(1, 2, 5) + base + b"\0", 5)


def test_zeros_for_addresses_of_code_that_a_linker_dropped() -> None:
    """Before DWARF 5 they end a list, whose entries are all there."""
    dropped = entry(0, 0, 4)
    assert located(bytes(4), dropped * 2 + bytes(16), 4) == 0
    base = pair(2**64 - 1, 0)
    assert located(bytes(4), base + dropped + base + dropped + bytes(16), 4) == 0
    # Of a function in two sections, a linker may keep one.
    assert located(bytes(4), dropped + entry(1, 2, 4) + bytes(16), 4) == 0
    for lists in (dropped, dropped + bytes(16), dropped + b"\1" * 16):
        with pytest.raises(Malformed, match="ends after 0 of 2 entries"):
            located(bytes(4), lists, 4)


def test_commands_name_a_list_that_was_cut(tmp_path: Path) -> None:
    data = bytearray(read_fixture("core/crash.x86_64.O2"))
    start = ObjectFile("", bytes(data)).sections_by_name[".debug_loclists"].offset + 0x100
    data[start : start + 16] = bytes(16)
    path = tmp_path / "crash"
    path.write_bytes(data)
    message = "the list ends after 2 of 6 entries: DW_AT_GNU_locviews has 6 pairs of views"
    assert message in run("where", path, "--pc", "down", "outer").out
    checked = run("check", path)
    assert f"error: {message} [unreadable-list" in checked.out
    assert checked.lines[-1] == "1 error, 0 warnings"


def outcomes(path: Path) -> Iterator[int | str]:
    """The number of entries of each location list of split units, or why it cannot be read."""
    for linked in CodeObject.open(path).info.units:
        unit = linked.full
        for index in range(len(unit.tree.offsets)):
            try:
                location = unit.location_of(unit.die(index), dw.AT_LOCATION)
            except DwarfGpuError as error:
                yield error.message
            else:
                if isinstance(location, LocList):
                    yield len(location.entries)


@pytest.mark.parametrize("kind", ["gcc4", "gcc5"])
def test_views_of_split_units(kind: str, tmp_path: Path) -> None:
    """In DWARF 5, GCC counts their offsets from the table of the lists, as those of the lists."""
    program = copied(kind, tmp_path)
    right = [*outcomes(program)]
    assert len(right) > 4 and all(isinstance(one, int) for one in right)
    package = tmp_path / "prog.dwp"
    original = package.read_bytes()
    name = ".debug_loc.dwo" if kind == "gcc4" else ".debug_loclists.dwo"
    lists = ObjectFile("", original).sections_by_name[name]
    named = 0
    for offset in range(lists.offset + 0x20, lists.offset + lists.size_bytes - 16, 24):
        package.write_bytes(original[:offset] + bytes(16) + original[offset + 16 :])
        named += any("DW_AT_GNU_locviews" in str(one) for one in outcomes(program))
    assert named >= 3


@pytest.mark.parametrize("offset", [0x30, 0x50, 0x80, 0xA0])
def test_zeros_in_lists_of_split_units_without_views(offset: int, tmp_path: Path) -> None:
    """Nothing is between the lists of GNU Fission: no producer writes eight empty ones."""
    program = copied("clang4", tmp_path)
    package = tmp_path / "prog.dwp"
    data = bytearray(package.read_bytes())
    start = ObjectFile("", bytes(data)).sections_by_name[".debug_loc.dwo"].offset + offset
    data[start : start + 16] = bytes(16)
    right = [*outcomes(program)]
    package.write_bytes(data)
    damaged = [*outcomes(program)]
    assert any(isinstance(one, str) for one in damaged)
    pairs = zip(right, damaged, strict=True)
    assert all(isinstance(new, str) or new == old for old, new in pairs)
