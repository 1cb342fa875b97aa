"""Entries of `.debug_frame` and `.eh_frame`, and the operations that their expressions may use."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.cfi.allowed_operations import FORBIDDEN, require_allowed
from dwarfgpu.cfi.entry import BrokenEntry, Cie, Fde
from dwarfgpu.cfi.frame_entries import SectionKind
from dwarfgpu.cfi.rule import RegisterCfa
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.errors import IllFormed, Malformed, Unsupported
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import Expression, decode
from dwarfgpu.expr.dialect.dialect import AMD, AMD_PROVISIONAL
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import read_fixture
from tests.work import at_most

ALL_ONES = b"\xff" * 4


def entry(identity: bytes, content: bytes, is_64bit: bool = False) -> bytes:
    length = len(identity) + len(content)
    head = ALL_ONES + length.to_bytes(8, "little") if is_64bit else length.to_bytes(4, "little")
    return head + identity + content


def cie(
    version: int = 4, augmentation: bytes = b"", extra: bytes = b"", code: str = "0c0708"
) -> bytes:
    sizes = b"\x08\0" if version == 4 else b""
    factors = encode_uleb(1) + encode_sleb(-8) + b"\x10"
    return bytes((version,)) + augmentation + b"\0" + sizes + factors + extra + bytes.fromhex(code)


def words(*values: int, size_bytes: int = 8) -> bytes:
    return b"".join(value.to_bytes(size_bytes, "little") for value in values)


def frame(data: bytes) -> FrameSection:
    return FrameSection(".debug_frame", data)


@pytest.mark.parametrize("version", [1, 3, 4])
@pytest.mark.parametrize("is_64bit", [False, True])
def test_versions_and_formats(version: int, is_64bit: bool) -> None:
    size = 8 if is_64bit else 4
    first = entry(b"\xff" * size, cie(version), is_64bit)
    section = frame(first + entry(bytes(size), words(0x1000, 0x20), is_64bit))
    common, fde = section.entries
    assert isinstance(common, Cie) and isinstance(fde, Fde)
    assert (common.version, common.is_64bit, common.return_register) == (version, is_64bit, 16)
    assert (fde.initial_location, fde.end, fde.cie) == (0x1000, 0x1020, common)
    assert [row.cfa for row in fde.table().rows] == [RegisterCfa(7, 8)]


@pytest.mark.parametrize(
    "text",
    [
        b"[llvm:v0.0]",
        b"[amd:v0.0:x=1]",
        b"[amdgpu:v0.0]",
        b"[llvm:v0.0][amd:v0.0:feature-a=on,feature-b=3]",
    ],
)
def test_vendor_augmentations_add_no_fields(text: bytes) -> None:
    common, fde = frame(
        entry(ALL_ONES, cie(augmentation=text)) + entry(bytes(4), words(0, 1))
    ).entries
    assert isinstance(common, Cie) and isinstance(fde, Fde)
    assert common.augmentation.is_known and len(fde.table().rows) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"abc",
        b"[abc:v0.0]",
        b"[llvm]",  # no version
        b"[llvmx:v0.0]",
        b"[amdxyz:v0.0:f=1]",
        b"[llvm:v0.1]",
        b"[llvm:v00.0]",
        b"[amd:v1.0]",
        b"[llvm:v0.0][llvm:v9.0]",
        b"[llvm:v0.0][abc:v0.0]",
        b"[llvm:v0.0]R",
        b"[llvm:v0.0",
    ],
)
def test_an_unknown_augmentation_leaves_the_range(text: bytes) -> None:
    section = frame(entry(ALL_ONES, cie(augmentation=text)) + entry(bytes(4), words(0x10, 4)))
    fde = section.find(0x12)
    assert fde is not None and (fde.initial_location, fde.end) == (0x10, 0x14)
    assert fde.program.instructions == () and fde.cie.return_register is None
    assert isinstance(fde.table().error, Unsupported)


@pytest.mark.parametrize("text", [b"z[llvm:v2.5]", b"z[abc:v1.0]", b"zQ", b"z[llvm:v0.0]R"])
def test_a_size_does_not_make_an_augmentation_known(text: bytes) -> None:
    """A.6.4.1: the unknown part may change what the data and the instructions of FDEs mean."""
    test_an_unknown_augmentation_leaves_the_range(text)


@pytest.mark.parametrize(
    "text", [b"z", b"zR", b"zRS", b"zRB", b"zPLR", b"zLRG", b"zR[llvm:v0.0]", b"z[amd:v0.0:S=1]"]
)
def test_known_augmentations_with_a_size(text: bytes) -> None:
    letters = text.partition(b"[")[0]
    values = {ord("R"): b"\0", ord("L"): b"\xff", ord("P"): b"\xff"}
    data = b"".join(values.get(letter, b"") for letter in letters)
    common = cie(1, text, encode_uleb(len(data)) + data)
    first = entry(bytes(4), common)
    second = entry(words(len(first) + 4, size_bytes=4), words(0x10, 4) + b"\0")
    known, fde = FrameSection(".eh_frame", first + second).entries
    assert isinstance(known, Cie) and isinstance(fde, Fde)
    assert known.augmentation.is_known and len(fde.table().rows) == 1
    assert known.augmentation.is_signal_frame == (b"S" in letters)


def test_an_unknown_augmentation_leaves_the_encoding_of_ranges() -> None:
    first = entry(bytes(4), cie(1, b"zRQ", b"\x02\x1b\0"))
    ranges = words(0x200, 0x10, size_bytes=4)
    second = entry(words(len(first) + 4, size_bytes=4), ranges)
    section = FrameSection(".eh_frame", first + second + bytes(4), section_address=0x10000)
    start = 0x10000 + len(first) + 8 + 0x200
    fde = section.find(start)
    assert fde is not None and (fde.initial_location, fde.end) == (start, start + 0x10)
    assert fde.program.instructions == () and fde.cie.return_register is None
    assert isinstance(fde.table().error, Unsupported)


def test_segment_selectors() -> None:
    common = bytearray(cie())
    common[3] = 2  # segment_selector_size
    section = frame(entry(ALL_ONES, bytes(common)) + entry(bytes(4), b"\x07\0" + words(0x10, 4)))
    assert [(fde.segment, fde.initial_location) for fde in section.fdes] == [(7, 0x10)]


def test_augmentation_data() -> None:
    extra = encode_uleb(7) + b"\x9b" + words(0x100, size_bytes=4) + b"\x1b\x1b"
    first = entry(bytes(4), cie(1, b"zPLRS", extra))
    pointers = words(0x200, 0x10, size_bytes=4) + b"\x04" + words(0x300, size_bytes=4)
    second = entry(words(len(first) + 4, size_bytes=4), pointers)
    section = FrameSection(".eh_frame", first + second + bytes(4), section_address=0x10000)
    common, fde = section.entries
    assert isinstance(common, Cie) and isinstance(fde, Fde)
    known = common.augmentation
    personality = 0x10000 + first.index(words(0x100, size_bytes=4)) + 0x100
    assert (known.is_signal_frame, known.fde_encoding) == (True, 0x1B)
    assert known.personality == personality
    assert fde.initial_location == 0x10000 + len(first) + 8 + 0x200
    assert (fde.address_range, fde.lsda) == (0x10, 0x10000 + len(first) + 17 + 0x300)


def test_a_broken_entry_costs_no_other() -> None:
    good = entry(ALL_ONES, cie())
    bad = entry(ALL_ONES, cie(version=9))
    data = good + bad + entry(words(len(good), size_bytes=4), words(0, 1))
    data += entry(words(3, size_bytes=4), words(0, 1)) + entry(bytes(4), words(8, 4))
    data += entry(bytes(4), words(8))
    entries = frame(data + b"\x99\x99\0\0").entries
    kinds = [type(entry) for entry in entries]
    assert kinds == [Cie, BrokenEntry, BrokenEntry, BrokenEntry, Fde, BrokenEntry, BrokenEntry]
    errors = [entry.error for entry in entries if isinstance(entry, BrokenEntry)]
    assert all(isinstance(error, Malformed) and error.context for error in errors)
    assert ["version 9" in str(error) for error in errors[:2]] == [True, True]
    assert "no CIE at offset 0x3" in str(errors[2])


CIE = entry(ALL_ONES, cie())
FDE = entry(bytes(4), words(0x1000, 0x20))
LONG_FDE = entry(bytes(8), words(0x1000, 0x20), is_64bit=True)
LONG = words(0x190, size_bytes=4) + bytes(4) + words(0x1000, 0x20)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (CIE + entry(bytes(4), words(0x1000, 0x20)), None),
        (CIE + LONG, "0x12: length 0x190 is more than the 0x14 left"),
        (CIE + entry(bytes(4), words(0x1000)), "0x12: 8 bytes needed at offset 0x22, 0 remain"),
        (CIE + entry(words(3, size_bytes=4), words(0x1000, 0x20)), "no CIE at offset 0x3"),
        (
            entry(ALL_ONES, cie(version=7)) + entry(bytes(4), words(0x1000, 0x20)),
            "offset 0x0: unknown version 7 of a CIE",
        ),
        (
            entry(ALL_ONES, cie().replace(b"\x08\0", b"\x04\0", 1)) + entry(bytes(4), words(9, 9)),
            "offset 0x0: addresses of 4 bytes, of 8 in the file",
        ),
    ],
)
def test_why_an_entry_may_not_be_found(data: bytes, reason: str | None) -> None:
    """An entry that has no range may be of any location."""
    section = frame(data)
    error = section.why_incomplete()
    assert reason is None if error is None else reason is not None and reason in str(error)
    listed = [entry.error for entry in section.entries if isinstance(entry, BrokenEntry)]
    assert error is None or "addresses of" in str(error) or str(error) in map(str, listed)


@pytest.mark.parametrize("kind", [".debug_frame", ".eh_frame"])
def test_an_empty_entry_of_64_bits_is_passed(kind: SectionKind) -> None:
    """Its length is zero, as that of padding, but zeros do not begin it."""
    empty = ALL_ONES + bytes(8)
    identity = ALL_ONES if kind == ".debug_frame" else bytes(4)
    with at_most(2000):
        section = FrameSection(kind, empty + entry(identity, cie(version=1)) + empty)
        entries = section.entries
    assert [type(entry) for entry in entries] == [BrokenEntry, Cie, BrokenEntry]


@pytest.mark.parametrize(
    ("kind", "count", "is_lost"),
    [(".debug_frame", 12, False), (".debug_frame", 16, True), (".eh_frame", 16, False)],
)
@pytest.mark.parametrize("is_last", [False, True])
def test_zeros_that_replaced_entries(
    kind: SectionKind, count: int, is_lost: bool, is_last: bool
) -> None:
    """An entry of length 0 ends `.eh_frame`; in `.debug_frame` there is none."""
    identity = ALL_ONES if kind == ".debug_frame" else bytes(4)
    first = entry(identity, cie(version=1))
    section = FrameSection(kind, first + bytes(count) + first * (not is_last))
    broken = [one for one in section.entries if isinstance(one, BrokenEntry)]
    assert len(section.entries) - len(broken) == 2 - is_last
    lost = f"offset {len(first):#x}: entries are overwritten with 16 bytes of zeros"
    assert [lost in str(one.error) for one in broken] == [True] * is_lost
    assert (section.why_incomplete() is not None) == is_lost


def test_frames_names_entries_that_zeros_replaced(tmp_path: Path) -> None:
    data = bytearray(read_fixture("hip/call.gfx942.O2.v5.co"))
    section = ObjectFile("", bytes(data)).sections_by_name[".debug_frame"]
    data[section.offset : section.offset + section.size_bytes] = bytes(section.size_bytes)
    path = tmp_path / "call.co"
    path.write_bytes(data)
    why = f"entries are overwritten with {section.size_bytes} bytes of zeros"
    assert why in run("frames", path).out
    done = run("frames", path, "--pc", "inner")
    [note] = done.notes
    assert note.startswith("an entry may be lost: ") and note.endswith(why)
    assert json.loads(run("frames", path, "--pc", "inner", "--json").out)["notes"] == [note]
    assert f"error: {why} [unreadable-cfi" in run("check", path).out


def test_augmentations_are_bounded() -> None:
    """Entries can claim to be anywhere, one inside the other."""
    [result] = frame(entry(ALL_ONES, cie(augmentation=b"[amd:" + b"x" * 2000 + b"]"))).entries
    assert isinstance(result, BrokenEntry) and "augmentation of 2006 bytes" in str(result.error)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        *((".eh_frame", code) for code in (0x00, 0x01, 0x03, 0x0C, 0x10, 0x12, 0x1A, 0x1B, 0x1C)),
        (".debug_frame", 0x00),
    ],
)
@pytest.mark.parametrize("lsda", ["", "L\x03", "L\x1b", "L\xff", "L\x01", "L\x23"])
def test_columns_have_the_numbers_of_the_fdes(kind: SectionKind, code: int, lsda: str) -> None:
    """Those of damaged entries too, which are read one by one."""
    is_eh, rng = kind == ".eh_frame", Random(code)
    letters = "z" + lsda[:1] + "R" * is_eh
    fields = lsda[1:].encode("latin-1") + bytes([code]) * is_eh
    augmentation = encode_uleb(len(fields)) + fields
    common = b"\1" + letters.encode() + b"\0\1\x78\x10" + augmentation + b"\x0c\7\x08"
    good = entry(bytes(4) if is_eh else ALL_ONES, common)
    for number in range(60):
        pointer = len(good) + 4 if is_eh else 0
        rest = rng.randbytes(16) + rng.choice([b"\0", b"\4", b"\x09", b"\x80\0"]) + bytes(9)
        good += (
            entry(words(pointer, size_bytes=4), rest, is_64bit=False) if number % 7 else good[:9]
        )
    for _ in range(20):
        data = bytearray(good)
        for _ in range(rng.randrange(4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        section = FrameSection(kind, bytes(data), section_address=0x4000_0000)
        columns = section.fde_columns
        rows = zip(
            columns.offsets, columns.entry_sizes, columns.cies, columns.starts, columns.sizes,
            columns.programs, strict=True,
        )  # fmt: skip
        assert [row for row in rows if row[-1]] == [
            (
                fde.offset, fde.size_bytes, fde.cie.offset, fde.initial_location,
                fde.address_range, fde.program_offset,
            )
            for fde in section.entries
            if isinstance(fde, Fde)
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "fdes", "reason"),
    [
        ([FDE, FDE], 2, None),
        ([FDE, FDE, FDE], 2, "0x42"),
        ([CIE, FDE, FDE], 0, "0x24"),
        ([bytes(16) + LONG_FDE, LONG_FDE], 1, "0x46"),
    ],
)
def test_only_so_many_entries_are_read(data: list[bytes], fdes: int, reason: str | None) -> None:
    section = FrameSection(".debug_frame", CIE + b"".join(data), most_entries=10)
    *_, last = section.each_entry()
    assert len(section.fdes) == fdes
    if reason is None:
        assert section.why_incomplete() is None and isinstance(last, Fde)
        return
    assert isinstance(last, BrokenEntry) and str(last.error) == (
        f".debug_frame entry at offset {reason}: more than 10 entries, each CIE counted as 8 "
        "(--max-frame-entries)"
    )
    assert section.why_incomplete() is not None


def test_an_fde_may_have_a_cie_behind_the_last_entry_that_is_read() -> None:
    fde = entry(words(2 * len(FDE), size_bytes=4), words(0x1000, 0x20))
    section = FrameSection(".debug_frame", fde + fde + CIE, most_entries=2)
    assert [one.cie.offset for one in section.fdes] == [2 * len(fde)] * 2


def test_only_so_many_ranges_are_read_one_by_one() -> None:
    """They take several times as long: of each CIE, the first is one, too."""
    lost = entry(words(3, size_bytes=4), words(0, 1))
    section = FrameSection(".debug_frame", lost * 3 + CIE + FDE, most_entries=16)
    assert not section.fdes
    end = section.fde_columns.end
    assert end is not None and end.offset == 3 * len(lost)
    assert "more than 2 entries whose range cannot be read" in str(end.error)
    assert "(--max-frame-entries)" in str(end.error)


def test_find_among_overlapping_entries() -> None:
    ranges = ((0x10, 0x100), (0x20, 0x10), (0x200, 0x10))
    fdes = b"".join(entry(bytes(4), words(*item)) for item in ranges)
    section = frame(entry(ALL_ONES, cie()) + fdes)
    expected = {0xF: None, 0x10: 0x10, 0x25: 0x20, 0x30: 0x10, 0x110: None, 0x20F: 0x200}
    result = {at: section.find(at) for at in expected}
    assert {at: fde and fde.initial_location for at, fde in result.items()} == expected


@pytest.mark.parametrize("count", [1, 31, 32, 33, 1024, 1025, 3000])
def test_find_the_last_of_entries_inside_one_another(count: int) -> None:
    """The one that starts last of those that have a location, as a search through all says."""
    rng = Random(count)
    starts = rng.choices(range(9_000), k=count)
    ranges = [(start, rng.choice((0, 1, 3, 40, 2_000))) for start in starts]
    ranges[rng.randrange(count)] = (0, 8_000)
    fdes = b"".join(entry(bytes(4), words(*item)) for item in ranges)
    section = frame(entry(ALL_ONES, cie()) + fdes)
    by_start = sorted(ranges, key=lambda item: item[0])
    for location in rng.choices(range(9_100), k=300):
        covering = [item for item in by_start if item[0] <= location < sum(item)]
        fde = section.find(location)
        answer = fde and (fde.initial_location, fde.end - fde.initial_location)
        assert answer == (covering[-1] if covering else None), location


@pytest.mark.parametrize("around", ["one", "nested"])
def test_an_entry_around_many_costs_a_search_little(around: str) -> None:
    """As for each frame of a deep stack in the code of the outermost one."""
    count, searches = 4_000, 100
    inner = [(16 * index, 8) for index in range(1, count)]
    if around == "nested":
        inner = [(index, 8 * count - 2 * index) for index in range(1, count)]
    fdes = b"".join(entry(bytes(4), words(*item)) for item in [(0, 1 << 20), *inner])
    section = frame(entry(ALL_ONES, cie()) + fdes)
    behind = 16 * count - 8
    section.find(behind)
    steps = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        steps += 1
        return trace

    sys.settrace(trace)
    try:
        fdes_of = [section.find(behind - 16 * index) for index in range(1, searches)]
    finally:
        sys.settrace(None)
    assert all(fde is not None and fde.initial_location == 0 for fde in fdes_of)
    assert steps < 1_000 * searches, steps


def expression(data: str) -> Expression:
    return decode(bytes.fromhex(data), AMD, UnitFormat())


def test_what_call_frame_expressions_may_use() -> None:
    require_allowed(expression("90409404362436e902"))  # the CFA of a function in flat scratch
    for data, name in (
        ("91 00", "fbreg"),
        ("30 9c", "call_frame_cfa"),
        ("f3 01 50", "GNU_entry_value"),
        ("e903", "LLVM_push_lane"),
    ):
        with pytest.raises(IllFormed, match="not allowed") as caught:
            require_allowed(expression(data))
        assert caught.value.site is not None and caught.value.site.operation == f"DW_OP_{name}"


def test_every_forbidden_operation_exists() -> None:
    known = {operation.name for operation in encodings(AMD_PROVISIONAL).by_code.values()}
    assert set(FORBIDDEN) <= known and len(FORBIDDEN) == 18


def test_initial_instructions_are_executed_once_for_all_entries() -> None:
    """Also where they cannot be."""
    data = entry(ALL_ONES, cie(code="0c0708" + "0e10" * 2_000 + "0b"))
    for start in range(100):
        data += entry(words(0, size_bytes=4), words(start, 1))
    fdes = frame(data).fdes
    with at_most(40_000):
        errors = [str(fde.table().error) for fde in fdes]
    assert len(errors) == 100
    assert set(errors) == {errors[0]}
    assert "no state was remembered" in errors[0]
