"""Our reading of the fixtures against that of pyelftools and llvm-dwarfdump."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO

import pytest
from elftools.elf.elffile import ELFFile

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.expr.context import LocList
from tests.dwarf.builder import FIXTURES, fixture, read_fixture
from tests.tool_output import printed_about

BINARIES = sorted(
    path.relative_to(FIXTURES).as_posix()
    for path in FIXTURES.glob("*/*")
    if path.suffix in (".co", ".v4", ".v5")
)
LISTED = (dw.AT_LOCATION, dw.AT_FRAME_BASE)
DUMP = "llvm-dwarfdump-19"


def entries(info: DebugInfo) -> list[Die]:
    return [unit.die(index) for unit in info.units for index in range(len(unit.tree.offsets))]


def plain(attribute: Attribute) -> int | bytes:
    """The value as pyelftools keeps it raw."""
    raw = attribute.raw
    return raw if not (attribute.kind == "flag" and attribute.form == dw.FORM_FLAG) else int(raw)


def theirs_plain(form: str, raw: object) -> object:
    if isinstance(raw, list):  # a block, as numbers
        return bytes(raw)
    if form == "DW_FORM_flag_present":
        return 1
    return raw


@pytest.mark.parametrize("name", BINARIES)
def test_entries_as_pyelftools_reads_them(name: str) -> None:
    info = fixture(name)
    dwarf = ELFFile(BytesIO(read_fixture(name))).get_dwarf_info(relocate_dwarf_sections=False)
    theirs = {die.offset: die for unit in dwarf.iter_CUs() for die in unit.iter_DIEs() if die.tag}
    ours = entries(info)
    assert [die.offset for die in ours] == sorted(theirs)
    for die in ours:
        other = theirs[die.offset]
        assert die.abbreviation.has_children == other.has_children
        parent, theirs_parent = die.parent(), other.get_parent()
        assert (parent and parent.offset) == (theirs_parent and theirs_parent.offset)
        assert [child.offset for child in die.children()] == [
            child.offset for child in other.iter_children()
        ]
        assert [plain(attribute) for _, attribute in die.attributes()] == [
            theirs_plain(value.form, value.raw_value) for value in other.attributes.values()
        ]
        if "DW_AT_name" in other.attributes:
            assert die.string(dw.AT_NAME) == other.attributes["DW_AT_name"].value.decode()


ENTRY = re.compile(r"^0x([0-9a-f]{8}): +(DW_TAG_\w+)", re.M)
BOUNDS = re.compile(r"\[0x([0-9a-f]+), 0x([0-9a-f]+)\)")


@pytest.mark.parametrize("load_address", [0, 0x7000_0000_0000])
@pytest.mark.parametrize("name", BINARIES)
def test_lists_as_llvm_dwarfdump_prints_them(
    name: str, load_address: int, tool: Callable[[str], str]
) -> None:
    text = printed_about(FIXTURES / name, tool(DUMP), "--debug-info")
    starts = list(ENTRY.finditer(text))
    info = fixture(name, load_address)
    assert [int(start[1], 16) for start in starts] == [die.offset for die in entries(info)]
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        body = text[start.end() : following.start() if following else len(text)]
        expected = [
            (begin, end)
            for begin, end in ((int(a, 16), int(b, 16)) for a, b in BOUNDS.findall(body))
            if begin != end
        ]
        assert bounds_of(info.die_at(int(start[1], 16))) == [
            (begin + load_address, end + load_address) for begin, end in expected
        ]


def bounds_of(die: Die) -> list[tuple[int, int]]:
    """The bounds of every list of an entry, as loaded, in the order of its attributes."""
    out: list[tuple[int, int]] = []
    for number, attribute in die.attributes():
        if number == dw.AT_RANGES:
            spans = die.unit.lists.ranges_of(attribute)
            out += [(die.unit.relocate(a), die.unit.relocate(b)) for a, b in spans]
        elif number in LISTED and attribute.kind in ("loclistx", "sec_offset"):
            located = die.unit.location_of(die, number)
            assert isinstance(located, LocList)
            out += [
                (entry.begin, entry.end)
                for entry in located.entries
                if entry.begin is not None and entry.end is not None
            ]
    return out
