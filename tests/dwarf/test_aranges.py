"""`.debug_aranges`: what is read, what is left out, and that lookups only take it as a hint."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.cli.main import main
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import unit_header
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index import aranges
from dwarfgpu.dwarf.index.aranges import ArangeSet, read_aranges
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.unit_header import read_headers
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import open_object
from tests.dwarf.builder import FIXTURES, Content, Shape, abbreviations, debug_info, elf, unit
from tests.tool_output import printed_about

BINARIES = sorted(
    path.relative_to(FIXTURES).as_posix()
    for path in FIXTURES.glob("*/*")
    if path.suffix in (".co", ".v4", ".v5")
)
LARGE = Path("/usr/bin/python3.11d")
DUMP = "llvm-dwarfdump-19"


def one_set(
    unit_offset: int,
    *pairs: tuple[int, int],
    address_size: int = 8,
    offset_size: int = 4,
    endian: Endian = "little",
    version: int = 2,
    segment_size: int = 0,
    before: int = 0,
) -> bytes:
    """A set that stands at offset `before` of its section."""
    header = version.to_bytes(2, endian) + unit_offset.to_bytes(offset_size, endian)
    header += bytes((address_size, segment_size))
    length_size = 4 if offset_size == 4 else 12
    padding = bytes(-(length_size + len(header)) % (2 * address_size))
    body = b"".join(n.to_bytes(address_size, endian) for pair in pairs for n in pair)
    rest = header + padding + body
    if offset_size == 8:
        return b"\xff\xff\xff\xff" + len(rest).to_bytes(8, endian) + rest
    return len(rest).to_bytes(4, endian) + rest


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("offset_size", [4, 8])
@pytest.mark.parametrize("address_size", [1, 2, 4, 8])
def test_sets_of_every_format(address_size: int, offset_size: int, endian: Endian) -> None:
    first = one_set(
        7, (0x10, 0x20), (0, 0), (0x40, 1), (0, 0),
        address_size=address_size, offset_size=offset_size, endian=endian,
    )  # fmt: skip
    second = one_set(9, (2, 3), address_size=address_size, offset_size=offset_size, endian=endian)
    sets, problems = read_aranges(first + second, endian)
    assert not problems
    assert [
        (address_set.unit_offset, address_set.address_size, address_set.spans)
        for address_set in sets
    ] == [
        # zeros in the middle are dropped code, not the end
        (7, address_size, (Range(0x10, 0x30), Range(0x40, 0x41))),
        # the pair of zeros at the end is missing
        (9, address_size, (Range(2, 5),)),
    ]
    assert [address_set.offset for address_set in sets] == [0, len(first)]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (one_set(0, version=3), "version 3"),
        (one_set(0, segment_size=4), "segment selectors of 4 bytes"),
        (b"\x08\0\0\0\x02\0\0\0\0\0\x03\0", "address size 3"),
        (b"\x03\0\0\0\x02\0\0", "4 bytes needed"),
    ],
)
def test_a_bad_set_costs_itself_only(bad: bytes, message: str) -> None:
    sets, problems = read_aranges(bad + one_set(5, (1, 1)), "little")
    assert len(sets) == 1 and sets[0].unit_offset == 5
    assert [message in str(problem) for problem in problems] == [True]


@pytest.mark.parametrize("address_size", [4, 8])
def test_ranges_of_all_sets_are_bounded(address_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aranges, "MAX_RANGES", 100)
    fits, large = (
        one_set(unit, *[(1, 1)] * count, address_size=address_size)
        for unit, count in ((5, 60), (7, 101))
    )
    sets, problems = read_aranges(large + fits * 2 + one_set(9, (1, 1)), "little")
    assert [one.unit_offset for one in sets] == [5, 9]
    assert [str(problem) for problem in problems] == [
        f".debug_aranges set {offset:#x}: it and those before it have more than 100 ranges"
        for offset in (0, len(large) + len(fits))
    ]


def two_units(aranges: bytes) -> DebugInfo:
    """Units at 0 and 0x21: [0x1000, 0x1100) and [0x2000, 0x2100)."""
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, 0x06)))
    units = b"".join(
        unit(b"\x01" + low.to_bytes(8, "little") + b"\0\x01\0\0") for low in (0x1000, 0x2000)
    )
    return debug_info(
        elf(
            {
                ".debug_info": units,
                ".debug_abbrev": abbreviations(shape),
                ".debug_aranges": aranges,
            }
        ),
        0x10_0000,
    )


SECOND = len(two_units(b"").section(".debug_info")) // 2


def test_a_unit_is_found_without_the_others() -> None:
    info = two_units(one_set(0, (0x1000, 0x100)) + one_set(SECOND, (0x2000, 0x100)))
    result = Scopes(info).unit_at(0x10_2050)
    assert result is info.units[1]
    assert "root" in vars(info.units[1]) and "root" not in vars(info.units[0])


@pytest.mark.parametrize(
    ("aranges", "problems"),
    [
        (b"", 0),
        (one_set(0, (0x2000, 0x100)), 0),  # wrong
        (one_set(3, (0x2000, 0x100)), 1),  # no unit starts there
        (one_set(SECOND, (0x2000, 0x100), address_size=4), 1),  # A.2.5.1
        (b"\xff\xff\xff\x7f", 1),
    ],
)
def test_a_wrong_hint_is_not_believed(aranges: bytes, problems: int) -> None:
    info = two_units(aranges)
    assert Scopes(info).unit_at(0x10_2050) is info.units[1]
    assert Scopes(info).unit_at(0x10_3000) is None
    assert len(info.aranges.problems) == problems
    assert all("made.co: .debug_aranges" in str(problem) for problem in info.aranges.problems)


HEADER = re.compile(
    r"^Address Range Header: length.*cu_offset = 0x(\w+), addr_size = 0x(\w+)", re.M
)
PAIR = re.compile(r"^\[0x(\w+), 0x(\w+)\)", re.M)


def compare(path: Path, dump: str) -> None:
    text = printed_about(path, dump, "--debug-aranges")
    starts = list(HEADER.finditer(text))
    expected = []
    for start, after in zip_longest(starts, starts[1:]):
        body = text[start.end() : after.start() if after else len(text)]
        pairs = [(int(a, 16), int(b, 16)) for a, b in PAIR.findall(body)]
        expected.append((int(start[1], 16), int(start[2], 16), [p for p in pairs if p[0] < p[1]]))
    index = DebugInfo.of(open_object(path)).aranges
    assert not index.problems
    assert [
        (
            address_set.unit_offset,
            address_set.address_size,
            [tuple(span) for span in address_set.spans],
        )
        for address_set in index.sets
    ] == expected


@pytest.mark.parametrize("name", BINARIES)
def test_sets_as_llvm_dwarfdump_prints_them(name: str, tool: Callable[[str], str]) -> None:
    compare(FIXTURES / name, tool(DUMP))


def test_sets_of_a_large_program(tool: Callable[[str], str]) -> None:
    if not LARGE.exists():
        pytest.skip(f"{LARGE} is not installed")
    compare(LARGE, tool(DUMP))


def test_hostile_sections() -> None:
    """Only problems come of mutated bytes, and lookups find what they found without."""
    rng = Random(3)
    good = one_set(0, (0x1000, 0x100)) + one_set(SECOND, (0x2000, 0x100))
    for _ in range(500):
        data = bytearray(good[: rng.randrange(len(good) + 1)])
        for _ in range(rng.randrange(1, 4)):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
        info = two_units(bytes(data))
        assert Scopes(info).unit_at(0x10_2050) is info.units[1]
        assert all(str(problem) for problem in info.aranges.problems)


@pytest.mark.parametrize("endian", ["little", "big"])
def test_usual_sets_and_headers_are_read_as_all_are(
    endian: Endian, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where they are damaged: the ways that read most of them at once are only faster."""
    random = Random(7)
    sets = b"".join(
        one_set(0x40 * index, (0x1000 * index, 16), (0, 0), endian=endian) for index in range(6)
    )
    header = (5).to_bytes(2, endian) + b"\1\10" + bytes(4)
    units = b"".join(
        (len(header) + index).to_bytes(4, endian) + header + bytes(index) for index in range(6)
    )
    made = []
    for data in (sets, units):
        for _ in range(400):
            changed = bytearray(data)
            for _ in range(random.randrange(3)):
                changed[random.randrange(len(data))] = random.choice((0, 1, 4, 5, 8, 255))
            end = random.choice((len(data), random.randrange(len(data))))
            made.append(bytes(changed[:end]))

    def read() -> list[str]:
        return [
            f"{read_aranges(data, endian)} {read_headers(data, endian)}".replace(" at 0x", "")
            for data in made
        ]

    usual = read()
    monkeypatch.setattr(unit_header, "_usual_header", lambda *arguments: None)
    monkeypatch.setattr(aranges, "_usual_set", lambda *arguments: None)
    assert read() == usual


def test_the_section_is_read_once_where_no_unit_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    # A list of instructions asks for each of them.
    header = struct.pack("<IIQQ", 1, 0, 0x42, 1)  # ELFCOMPRESS_ZLIB, without a stream of zlib
    ranges = one_set(0, (0x1000, 0x100))
    damaged = Content(header + b"no stream", flags=0x800)
    scopes = Scopes(debug_info(elf({".debug_info": damaged, ".debug_aranges": ranges})))
    reads = counted_reads(monkeypatch)
    for pc in (0x1000, 0x1001, 0x3000):
        with pytest.raises(DwarfGpuError, match=r"\.debug_info of .* cannot be decompressed"):
            scopes.unit_at(pc)
    assert reads == [len(ranges)]


def test_check_reads_the_section_once(
    monkeypatch: pytest.MonkeyPatch, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reads = counted_reads(monkeypatch)
    main(["check", str(repository / "fixtures/x86_64/demo.gcc.O0.v5")])
    assert len(reads) == 1, capsys.readouterr()


def counted_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The size of the section, for each time that it is read from now on."""
    reads: list[int] = []

    def counted(
        data: bytes, endian: Endian, *, has_patch_space: bool
    ) -> tuple[list[ArangeSet], list[DwarfGpuError]]:
        reads.append(len(data))
        return read_aranges(data, endian, has_patch_space=has_patch_space)

    monkeypatch.setattr(aranges, "read_aranges", counted)
    return reads
