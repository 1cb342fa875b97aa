"""`.eh_frame_hdr` (Linux Standard Base Core, 10.6.2): what is found by it, what is not believed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.cfi.eh_frame_hdr import SearchTable, read_search_table
from dwarfgpu.cfi.frame_entries import FrameEntries
from dwarfgpu.cfi.search_differences import each_search_difference
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported
from dwarfgpu.objfile.elf_structures import PT_GNU_EH_FRAME, SHF_ALLOC, SHT_NOBITS
from tests.cfi.test_cfi_section import cie, entry, words
from tests.cli.command import run, run_json

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
PROGRAM = FIXTURES / "x86_64/demo.gcc.O2.v5"
HEADER, FRAMES = 0x900, 0x1000
CODE = (0x2000, 0x2040, 0x2100)
"""Where three functions of 0x20 bytes begin."""


def section_data(
    code: tuple[tuple[int, int], ...] = tuple((start, 0x20) for start in CODE),
) -> tuple[bytes, list[int]]:
    """A CIE and FDEs with absolute addresses, by default three, and their offsets."""
    data = entry(bytes(4), cie(1, b"zR", b"\x01\x00"))
    offsets = []
    for span in code:
        offsets.append(len(data))
        data += entry(words(len(data) + 4, size_bytes=4), words(*span) + b"\0")
    return data + bytes(4), offsets


DATA, OFFSETS = section_data()


def header(
    pairs: list[tuple[int, int]], head: str = "01 1b 03 3b", count: int | None = None
) -> bytes:
    """Pairs of a location and an offset in `.eh_frame`, relative to the header."""
    out = bytes.fromhex(head) + words((FRAMES - HEADER - 4) % 2**32, size_bytes=4)
    out += words(len(pairs) if count is None else count, size_bytes=4)
    for location, offset in pairs:
        out += words((location - HEADER) % 2**32, FRAMES + offset - HEADER, size_bytes=4)
    return out


GOOD = list(zip(CODE, OFFSETS, strict=True))


def section(pairs: list[tuple[int, int]]) -> FrameSection:
    table = read_search_table(header(pairs), HEADER)
    return FrameSection(".eh_frame", DATA, section_address=FRAMES, search=table)


def test_pairs() -> None:
    table = read_search_table(header(GOOD), HEADER)
    assert (table.address, table.frames_address, table.count) == (HEADER, FRAMES, 3)
    assert [table.pair(n) for n in range(3)] == [(at, FRAMES + n) for at, n in GOOD]


@pytest.mark.parametrize(
    ("location", "found"),
    [(0x1FFF, None), (0x2000, 0), (0x203F, 0), (0x2040, 1), (0x2FFF, 2)],
)
def test_the_last_pair_that_begins_before(location: int, found: int | None) -> None:
    table = read_search_table(header(GOOD), HEADER)
    assert table.find(location) == (None if found is None else table.pair(found))


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (b"", Malformed, "1 byte needed at offset 0x0"),
        (header(GOOD, "02 1b 03 3b"), Malformed, "unknown version 2 of .eh_frame_hdr"),
        (header(GOOD, "01 ff 03 3b"), Unsupported, "does not locate .eh_frame (0xff)"),
        (header(GOOD, "01 9b 03 3b"), Unsupported, "does not locate .eh_frame (0x9b)"),
        (header(GOOD, "01 1b 03 31"), Unsupported, "with pointer encoding 0x31"),
        (header(GOOD, "01 1b 03 bb"), Unsupported, "with pointer encoding 0xbb"),
        (header(GOOD, "01 1b 03 3f"), Unsupported, "with pointer encoding 0x3f"),
        (header(GOOD, count=4), Malformed, "4 pairs of .eh_frame_hdr do not fit the 24 bytes left"),
        (header(GOOD, count=2**32 - 1), Malformed, "4294967295 pairs"),
    ],
)
def test_headers_that_cannot_be_read(data: bytes, kind: type[DwarfGpuError], message: str) -> None:
    with pytest.raises(kind) as raised:
        read_search_table(data, HEADER)
    assert message in str(raised.value)


@pytest.mark.parametrize("head", ["01 1b ff 3b", "01 1b 03 ff"])
def test_a_header_without_a_table(head: str) -> None:
    table = read_search_table(header([], head), HEADER)
    assert (table.count, table.find(0x2000), table.frames_address) == (0, None, FRAMES)


def test_one_entry_is_read_for_one_location(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    whole = FrameEntries.entry
    monkeypatch.setattr(
        FrameEntries, "entry", lambda self, at: (read.append(at.offset), whole(self, at))[1]
    )
    searched = section(GOOD)
    fde = searched.find(0x2041)
    assert fde is not None and fde.initial_location == 0x2040
    assert read == [OFFSETS[1]] and "positions" not in searched._section.__dict__
    assert searched.find(0x2041) is fde
    plain = FrameSection(".eh_frame", DATA, section_address=FRAMES)
    assert plain.find(0x2041) is not None
    assert read == [OFFSETS[1], OFFSETS[1]], "without a table too, only one is read whole"


ENTRY = "the entry of .eh_frame_hdr for 0x2040"
WRONG = {
    "no FDE there": (
        [GOOD[0], (0x2040, OFFSETS[1] + 4), GOOD[2]],
        f"the entry of .eh_frame_hdr for 0x2040 points to offset {OFFSETS[1] + 4:#x} of "
        ".eh_frame, which is not an FDE",
    ),
    "a CIE": (
        [GOOD[0], (0x2040, 0), GOOD[2]],
        f"{ENTRY} points to offset 0x0 of .eh_frame, which is not an FDE",
    ),
    "outside": (
        [GOOD[0], (0x2040, 0x7000), GOOD[2]],
        f"{ENTRY} points to offset 0x7000 of .eh_frame, which is not an FDE",
    ),
    "before it": (
        [GOOD[0], (0x2040, -0x20), GOOD[2]],
        f"{ENTRY} points to offset -0x20 of .eh_frame, which is not an FDE",
    ),
    "another FDE": (
        [GOOD[0], (0x2040, OFFSETS[2]), GOOD[2]],
        f"the entry of .eh_frame_hdr for 0x2040 points to offset {OFFSETS[2]:#x} of "
        ".eh_frame, whose FDE begins at 0x2100",
    ),
}


@pytest.mark.parametrize(("pairs", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_table_is_reported_and_not_used(pairs: list[tuple[int, int]], message: str) -> None:
    searched = section(pairs)
    fde = searched.find(0x2041)
    assert fde is not None and fde.initial_location == 0x2040
    assert str(searched.search_error) == message
    assert message in list(each_search_difference(searched))


@pytest.mark.parametrize(
    ("pairs", "differences"),
    [
        (GOOD, []),
        ([GOOD[1], GOOD[0], GOOD[2]], [".eh_frame_hdr is not sorted: 0x2000 follows 0x2040"]),
        (GOOD[:2], [f".eh_frame_hdr has no entry for 0x2100 (FDE at offset {OFFSETS[2]:#x})"]),
    ],
)
def test_all_of_a_table(pairs: list[tuple[int, int]], differences: list[str]) -> None:
    searched = section(pairs)
    assert list(each_search_difference(searched)) == differences
    for location in CODE:
        fde = searched.find(location)
        assert fde is not None and fde.initial_location == location
    assert searched.find(0x2030) is None


@pytest.mark.parametrize(
    ("most", "reason"),
    [
        (2, ".eh_frame_hdr has more than 2 pairs: they are not compared (--max-frame-entries)"),
        (10, "more than 10 entries, each CIE counted as 8 (--max-frame-entries)"),
    ],
)
def test_a_table_is_not_compared_with_a_part_of_a_section(most: int, reason: str) -> None:
    """Pairs that lead beyond the first entries are not wrong."""
    table = read_search_table(header(GOOD), HEADER)
    searched = FrameSection(
        ".eh_frame", DATA, section_address=FRAMES, search=table, most_entries=most
    )
    with pytest.raises(LimitExceeded, match=re.escape(reason)):
        list(each_search_difference(searched))
    for location in CODE:  # the table still leads to each
        fde = searched.find(location)
        assert fde is not None and fde.initial_location == location


@pytest.mark.parametrize("encoding", [0x00, 0x03, 0x0B, 0x1B, 0x2B, 0x30, 0x33, 0x3B, 0x3C])
@pytest.mark.parametrize("endian", ["little", "big"])
def test_all_pairs_are_those_that_are_read_one_by_one(encoding: int, endian: Endian) -> None:
    data = bytes(range(7, 200)) * 2
    table = SearchTable(HEADER, FRAMES, 11, encoding, data, 3, 8, endian)
    try:
        each = [table.pair(index) for index in range(11)]
    except DwarfGpuError as error:
        with pytest.raises(type(error)):
            table.pairs()
        return
    assert [*zip(*table.pairs(), strict=True)] == each


@pytest.mark.parametrize(
    ("code", "listed", "difference"),
    [
        (((0x2000, 0), (0x2000, 0x20)), 1, None),  # no location is in an empty one
        (((0x2000, 0), (0x2000, 0x20)), 0,
         "the entry of .eh_frame_hdr for 0x2000 is that of the FDE at offset {0:#x}, which has no "
         "code, and the FDE at offset {1:#x}, which begins there too, has none"),
        (((0x2000, 0x10), (0x2000, 0x20)), 0,
         "the entry of .eh_frame_hdr for 0x2000 is that of the FDE at offset {0:#x} and the FDE at "
         "offset {1:#x}, which begins there too, has none"),
        (((0x2000, 0x10), (0x2010, 0x20)), 0,
         ".eh_frame_hdr has no entry for 0x2010 (FDE at offset {1:#x})"),
    ],
)  # fmt: skip
def test_fdes_that_begin_at_one_address(
    code: tuple[tuple[int, int], ...], listed: int, difference: str | None
) -> None:
    """lld gives only the first of them an entry, whatever it covers."""
    data, offsets = section_data(code)
    table = read_search_table(header([(code[listed][0], offsets[listed])]), HEADER)
    searched = FrameSection(".eh_frame", data, section_address=FRAMES, search=table)
    differences = [] if difference is None else [difference.format(*offsets)]
    assert list(each_search_difference(searched)) == differences
    fde = searched.find(code[1][0] + 0x18)
    assert fde is not None and fde.address_range == 0x20


def test_a_table_of_other_frames() -> None:
    """Neither readers without a table nor tools that look for `.eh_frame` find the entries."""
    data = bytearray(header(GOOD))
    data[4] ^= 8
    table = read_search_table(bytes(data), HEADER)
    searched = FrameSection(".eh_frame", DATA, section_address=FRAMES, search=table)
    difference = f".eh_frame_hdr is for .eh_frame at {FRAMES - 8:#x}, which is at {FRAMES:#x}"
    assert list(each_search_difference(searched)) == [difference]


def test_check_reports_a_table_of_other_frames(tmp_path: Path) -> None:
    data = bytearray(PROGRAM.read_bytes())
    search = CodeObject.open(PROGRAM).info.call_frames.sections[0].search
    assert search is not None
    data[data.index(search.data) + 4] ^= 8
    done = run("check", "--only", "search-table", changed(tmp_path / "demo", data))
    assert ".eh_frame_hdr is for .eh_frame at 0x2078, which is at 0x2070 [search-table" in done.out


@pytest.mark.parametrize(("field", "value"), [(4, SHT_NOBITS), (32, 0)], ids=["nobits", "empty"])
def test_check_reports_a_table_without_frames(tmp_path: Path, field: int, value: int) -> None:
    """sh_type and sh_size are fields of the header of `.eh_frame`."""
    data = bytearray(PROGRAM.read_bytes())
    index = CodeObject.open(PROGRAM).file.sections_by_name[".eh_frame"].index
    at = int.from_bytes(data[0x28:0x30], "little") + 64 * index + field
    data[at : at + 4] = value.to_bytes(4, "little")
    done = run("check", "--only", "search-table", changed(tmp_path / "demo", data))
    assert ".eh_frame_hdr has 9 pairs, and .eh_frame has no contents [search-table" in done.out


def test_check_of_a_debug_file_and_of_a_file_without_section_headers(tmp_path: Path) -> None:
    """Neither has an empty `.eh_frame` beside a table with entries."""
    data = bytearray(PROGRAM.read_bytes())
    table = int.from_bytes(data[0x28:0x30], "little")
    for section in CodeObject.open(PROGRAM).file.sections:
        if section.flags & SHF_ALLOC:
            at = table + 64 * section.index + 4
            data[at : at + 4] = SHT_NOBITS.to_bytes(4, "little")
    for contents in (data, without_sections()):
        done = run("check", "--only", "search-table", changed(tmp_path / "demo", contents))
        assert "search-table" not in done.out
        skipped = (
            "not checked: .*/demo: .eh_frame has no contents in a debug file: check its program"
        )
        assert len(re.findall(skipped, done.out)) == (contents is data)
        assert done.status == 0


@pytest.mark.parametrize("has_section", [False, True])
def test_a_segment_without_bytes(tmp_path: Path, has_section: bool) -> None:
    """objcopy -R leaves one for a section that it removes."""
    data = bytearray(PROGRAM.read_bytes())
    at = data.index(PT_GNU_EH_FRAME.to_bytes(4, "little"))
    data[at + 32 : at + 48] = bytes(16)  # p_filesz, p_memsz
    if not has_section:
        data = data.replace(b".eh_frame_hdr", b".removed_part")
    done = run("check", "--only", "search-table", changed(tmp_path / "demo", data))
    assert ("search-table" in done.out) is has_section
    assert (" is not used: " in run("frames", tmp_path / "demo").err) is has_section


def changed(path: Path, data: bytearray) -> Path:
    path.write_bytes(data)
    return path


def without_sections() -> bytearray:
    data = bytearray(PROGRAM.read_bytes())
    data[0x28:0x30] = bytes(8)  # e_shoff
    data[0x3C:0x40] = bytes(4)  # e_shnum, e_shstrndx
    return data


def test_a_file_without_section_headers(tmp_path: Path) -> None:
    """Only the program header PT_GNU_EH_FRAME locates the information."""
    program = changed(tmp_path / "stripped", without_sections())
    stripped, whole = run_json("frames", program).json, run_json("frames", PROGRAM).json
    assert stripped["sections"][0]["search_table"] == whole["sections"][0]["search_table"]
    bare = [
        [{**entry, "function": None} for entry in result["sections"][0]["entries"]]
        for result in (stripped, whole)
    ]
    assert bare[0] == bare[1] and len(bare[0]) > 9


def test_its_frames_are_unwound(tmp_path: Path) -> None:
    program = changed(tmp_path / "stripped", without_sections())
    state = json.loads((FIXTURES / "states/stack.gcc.O2.json").read_text())
    state["code_objects"][0]["path"] = program.name
    (tmp_path / "state.json").write_text(json.dumps(state))
    frames = run_json("bt", "--state", tmp_path / "state.json").json["frames"]
    whole = run_json("bt", "--state", FIXTURES / "states/stack.gcc.O2.json").json["frames"]
    assert [frame["addr"] for frame in frames] == [item["addr"] for item in whole]
    assert [frame["cfa"] for frame in frames] == [item["cfa"] for item in whole]


def test_frames_and_bt_report_a_wrong_table(tmp_path: Path) -> None:
    data = bytearray(PROGRAM.read_bytes())
    search = CodeObject.open(PROGRAM).info.call_frames.sections[0].search
    assert search is not None
    table = data.index(search.data)
    for index in range(search.count):
        data[table + 12 + 8 * index + 4] ^= 8  # the FDE of each pair
    program = changed(tmp_path / "demo", data)
    done = run("frames", program)
    assert done.status == 1
    assert done.lines[0].endswith("a table of 9 for .eh_frame at 0x2070")
    assert done.lines[1].startswith(
        "  disagrees: the entry of .eh_frame_hdr for 0x1020 points to offset "
    )
    state = json.loads((FIXTURES / "states/stack.gcc.O2.json").read_text())
    state["code_objects"][0]["path"] = program.name
    (tmp_path / "state.json").write_text(json.dumps(state))
    done = run("bt", "--state", tmp_path / "state.json")
    assert " in main (" in done.lines[2]
    assert "note: the search table of " in done.err and " is not used: " in done.err
    assert "search-table" in run("check", program).out


def test_every_table_of_random_bytes() -> None:
    """Whatever the pairs are, a location is found where the section describes it."""
    for at in range(12, 12 + 8 * 3):
        for bit in range(8):
            data = bytearray(header(GOOD))
            data[at] ^= 1 << bit
            table = read_search_table(bytes(data), HEADER)
            assert isinstance(table, SearchTable)
            searched = FrameSection(".eh_frame", DATA, section_address=FRAMES, search=table)
            for location in (0x2000, 0x2050, 0x2110, 0x2200):
                expected = max((c for c in CODE if c <= location < c + 0x20), default=None)
                fde = searched.find(location)
                assert (fde and fde.initial_location) == expected


def test_a_cie_that_cannot_be_read_is_one_finding(tmp_path: Path) -> None:
    """What the table says of its FDEs is not known to be wrong."""
    data, whole = bytearray(PROGRAM.read_bytes()), CodeObject.open(PROGRAM)
    fdes = whole.info.call_frames.sections[0].fdes
    start = next(fde.initial_location for fde in fdes if fde.cie.offset == 0)
    data[whole.file.sections_by_name[".eh_frame"].offset + 8] = 9
    program = changed(tmp_path / "demo", data)
    done = run("check", "--only", "unreadable-cfi,search-table", program)
    assert done.out.count("error: ") == 1 and "warning: " not in done.out
    assert "unknown version 9 of a CIE [unreadable-cfi" in done.out
    assert "entry (.eh_frame 0x0)" in done.out
    section = CodeObject.open(program).info.call_frames.sections[0]
    assert section.find(start) is None
    assert str(section.search_error).endswith(
        ".eh_frame entry at offset 0x0: unknown version 9 of a CIE"
    )
