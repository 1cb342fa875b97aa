"""Package indexes (DWARF 5 7.3.5; version 2 of GNU Fission)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.split import dwp_units
from dwarfgpu.dwarf.split.dwp import Contribution, PackageIndex, PackageSections, read_index
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, Unsupported
from dwarfgpu.objfile.elf import ObjectFile, open_object
from tests.cli.command import run
from tests.dwarf.builder import Shape, abbreviations, elf, unit
from tests.dwarf.programs import IN_SPLIT_FILES, SPLIT
from tests.work import at_most

NAME = ".debug_cu_index"
Row = Mapping[int, tuple[int, int]]
"""DW_SECT code to offset and size of the contribution."""


def index_bytes(
    rows: Mapping[int, Row],
    version: int = 5,
    slots: int | None = None,
    columns: tuple[int, ...] = (1, 3),
    endian: Endian = "little",
) -> bytes:
    """An index of the rows, by signature."""

    def word(value: int) -> bytes:
        return value.to_bytes(4, endian)

    count = slots if slots is not None else 1 << (3 * len(rows) // 2).bit_length()
    signatures, numbers = [0] * count, [0] * count
    for number, signature in enumerate(rows, 1):
        slot = signature & count - 1
        while numbers[slot]:
            slot = slot + (signature >> 32 & count - 1 | 1) & count - 1
        signatures[slot], numbers[slot] = signature, number
    head = word(2) if version == 2 else version.to_bytes(2, endian) + b"\0\0"
    out = head + word(len(columns)) + word(len(rows)) + word(count)
    out += b"".join(signature.to_bytes(8, endian) for signature in signatures)
    out += b"".join(map(word, numbers)) + b"".join(map(word, columns))
    for part in (0, 1):
        out += b"".join(
            word(row.get(column, (0, 0))[part]) for row in rows.values() for column in columns
        )
    return out


def index_of(data: bytes, endian: Endian = "little") -> PackageIndex:
    index = read_index(NAME, data, endian)
    assert index is not None
    return index


ROWS: dict[int, Row] = {
    0x1111_0000_0000_0001: {1: (0, 0x20), 3: (0, 0x10)},
    0x2222_0003_0000_0001: {1: (0x20, 0x30), 3: (0x10, 0x18)},  # the same slot: 7.3.5.3's step
    0x3333_0003_0000_0001: {1: (0x50, 0x40), 3: (0x10, 0x18)},
    0: {1: (0x90, 8)},  # a signature of 0 is one too: the row shows that the slot is used
}


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("version", [2, 5])
def test_rows(version: int, endian: Endian) -> None:
    index = index_of(index_bytes(ROWS, version, endian=endian), endian)
    assert (index.version, index.row_count, index.columns) == (version, 4, (1, 3))
    for number, (signature, row) in enumerate(ROWS.items(), 1):
        assert index.row_of(signature) == number
        expected = {1: ".debug_info", 3: ".debug_abbrev"}
        assert index.contributions(number) == {
            expected[code]: Contribution(*part) for code, part in row.items()
        }
    assert list(index.signatures()) == list(ROWS)
    assert index.row_of(0x4444_0003_0000_0001) is None


@pytest.mark.parametrize(
    ("version", "code", "name"),
    [
        (2, 2, ".debug_types"), (2, 4, ".debug_line"), (2, 5, ".debug_loc"),
        (2, 6, ".debug_str_offsets"), (2, 7, ".debug_macinfo"), (2, 8, ".debug_macro"),
        (5, 4, ".debug_line"), (5, 5, ".debug_loclists"), (5, 6, ".debug_str_offsets"),
        (5, 7, ".debug_macro"), (5, 8, ".debug_rnglists"), (5, 2, None), (5, 9, None), (2, 9, None),
    ],
)  # fmt: skip
def test_section_codes(version: int, code: int, name: str | None) -> None:
    """Table 7.1, and that of version 2; what is not in them is left out."""
    index = index_of(index_bytes({7: {code: (1, 2)}}, version, columns=(code,)))
    assert index.contributions(1) == ({} if name is None else {name: Contribution(1, 2)})


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (bytes(16), Malformed, "version 0 of .* is damaged"),
        (b"\3\0\0\0" + bytes(12), Unsupported, "version 3"),
        (b"\6\0\0\0" + bytes(12), Unsupported, "version 6"),
        (b"\5\0\0\0" + bytes(8), Malformed, "needed"),
        (b"\5\0\0\0" + bytes(4) + b"\1\0\0\0" + b"\1\0\0\0", Malformed, "1 slot for 1 unit$"),
        (b"\5\0\0\0" + bytes(4) + b"\1\0\0\0" + b"\3\0\0\0", Malformed, "3 slots for 1 unit$"),
        (b"\5\0\0\0" + bytes(8) + b"\0\0\0\x80", Malformed, "needed"),
        (b"\5\0\0\0" + b"\xff" * 4 + bytes(8), Malformed, "do not fit"),
        (b"\5\0\0\0\1\0\0\0" + b"\xff\xff\xff\0" + b"\0\0\0\x01", Malformed, "needed"),
        (index_bytes(ROWS)[:-1], Malformed, "do not fit"),
        (index_bytes(ROWS, columns=(1, 1)), Malformed, "in two columns"),
    ],
)
def test_indexes_that_cannot_be_used(data: bytes, error: type[DwarfGpuError], message: str) -> None:
    with pytest.raises(error, match=message):
        read_index(NAME, data, "little")


def test_an_empty_index() -> None:
    assert read_index(NAME, b"", "little") is None
    index = index_of(index_bytes({}, slots=0))
    assert index.row_of(0) is None and list(index.signatures()) == []


def test_a_slot_without_a_row() -> None:
    data = bytearray(index_bytes({1: {1: (0, 1)}}))
    data[16 + 8 * 2 + 4] = 9
    with pytest.raises(Malformed, match="names row 9 of 1"):
        index_of(bytes(data)).row_of(1)


def test_a_full_table_ends_a_search() -> None:
    """Every slot is used, none has the signature."""
    slots = 1 << 20
    head = b"\5\0\0\0" + bytes(4) + b"\1\0\0\0" + slots.to_bytes(4, "little")
    index = index_of(head + bytes(8 * slots) + b"\1\0\0\0" * slots)
    for signature in range(1, 20):
        with at_most(10_000_000), pytest.raises(LimitExceeded, match="slots of one hash"):
            index.row_of(signature)


@pytest.mark.parametrize("endian", ["little", "big"])
def test_millions_of_slots_are_read_at_once(endian: Endian) -> None:
    """A table may have one unit in slots that fill a file of any size."""
    index = index_of(index_bytes({7: {1: (0, 1)}}, slots=1 << 18, endian=endian), endian)
    with at_most(1_000):
        assert list(index.signatures()) == [7]
        assert index.fault() is None


def package(rows: Mapping[int, Row]) -> PackageSections:
    sections = {
        NAME: index_bytes(rows),
        ".debug_info.dwo": bytes(range(200)),
        ".debug_abbrev.dwo": bytes(100),
        ".debug_str.dwo": b"all",
    }
    return PackageSections(ObjectFile("made.dwp", elf(sections)))


def test_the_sections_of_a_row() -> None:
    made = package({7: {1: (16, 4)}})
    row = made.row(NAME, 7)
    assert row is not None
    assert row.read(".debug_info") == bytes((16, 17, 18, 19)) and row.start(".debug_info") == 16
    assert row.read(".debug_str") == b"all"
    assert row.read(".debug_abbrev") == b"" and row.start(".debug_abbrev") == 0
    assert made.row(NAME, 8) is None
    assert made.row(".debug_tu_index", 7) is None


def test_contributions_outside_their_section() -> None:
    row = package({7: {1: (199, 2)}}).row(NAME, 7)
    assert row is not None
    with pytest.raises(IllFormed, match=r"\[0xc7,0xc9\) is outside its 0xc8 bytes"):
        row.read(".debug_info")


def test_contributions_that_overlap() -> None:
    """Rows may have the same one; what others have next to it is theirs alone (7.3.5.3)."""
    parts = {1: (0, 50), 2: (0, 50), 3: (50, 20), 4: (60, 40), 5: (65, 5), 6: (100, 50)}
    made = package({n: {1: part, 3: (0, 100)} for n, part in parts.items()})
    rows = {n: made.row(NAME, n) for n in parts}
    assert all(row is not None and len(row.read(".debug_abbrev")) == 100 for row in rows.values())
    for n, row in rows.items():
        assert row is not None
        if n in (3, 4, 5):
            with pytest.raises(IllFormed, match=r"contribution to \.debug_info\.dwo at .* overlap"):
                row.read(".debug_info")
        else:
            assert len(row.read(".debug_info")) == parts[n][1]


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
@pytest.mark.parametrize("section", [NAME, ".debug_tu_index"])
def test_indexes_as_llvm_dwarfdump_prints_them(
    kind: str, section: str, tool: Callable[[str], str]
) -> None:
    path = SPLIT / kind / "prog.dwp"
    option = "--" + section[1:].replace("_", "-")
    text = subprocess.run(
        [tool("llvm-dwarfdump-19"), option, path], check=True, capture_output=True, text=True
    ).stdout
    rows = re.findall(r"^ +\d+ (0x[0-9a-f]{16}) (.*)$", text, re.M)
    theirs = {
        int(signature, 16): sorted(
            (int(begin, 16), int(end, 16))
            for begin, end in re.findall(r"\[(0x[0-9a-f]+), (0x[0-9a-f]+)\)", spans)
            if begin != end
        )
        for signature, spans in rows
    }
    index = PackageSections(ObjectFile("prog.dwp", path.read_bytes())).index(section)
    assert index is not None and theirs
    ours = {}
    for signature in index.signatures():
        number = index.row_of(signature)
        assert number is not None
        parts = index.contributions(number).values()
        ours[signature] = sorted((part.offset, part.offset + part.size_bytes) for part in parts)
    assert ours == theirs


def info_of(rows: Mapping[int, Row], limits: FileLimits = DEFAULT_FILE_LIMITS) -> DebugInfo:
    """A package whose rows all have the same unit."""
    sections = {
        NAME: index_bytes(rows, columns=(1, 3, 4)),
        ".debug_info.dwo": unit(b"\x01"),
        ".debug_abbrev.dwo": abbreviations(Shape(dw.TAG_COMPILE_UNIT, ())),
        ".debug_line.dwo": bytes(100) if any(4 in row for row in rows.values()) else b"",
    }
    return DebugInfo.of(ObjectFile("made.dwp", elf(sections), limits))


AT, NO_UNIT = "made.dwp: .debug_cu_index", "has no unit of that ID"
UNIT_BYTES = len(unit(b"\x01"))


def test_rows_of_the_same_contributions_are_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their unit is read and listed once."""
    made: list[str] = []

    def counted(*arguments: Any, path: str, **others: Any) -> Sections:
        made.append(path)
        return Sections(*arguments, path=path, **others)

    monkeypatch.setattr(dwp_units, "Sections", counted)
    info = info_of({n: {1: (0, UNIT_BYTES), 3: (0, 7)} for n in range(1, 301)})
    assert len(info.units) == 1
    assert list(map(str, info.problems)) == [f"{AT}: the row of 0x0000000000000001 {NO_UNIT}"]
    assert made == ["made.dwp[0x0000000000000001]"]


def test_rows_of_more_units_than_the_limit() -> None:
    rows = {n: {1: (0, UNIT_BYTES), 3: (0, 7), 4: (n, 1)} for n in range(1, 51)}
    info = info_of(rows, FileLimits(units=80))  # each counts as four
    assert len(info.units) == 20
    problem, _ = info.problems
    assert str(problem) == (
        "made.dwp: .debug_cu_index: 20 units and 0 that cannot be used are before other rows "
        "(--max-units)"
    )
    assert len(info_of(rows).units) == 50


def test_skeletons_open_as_many_rows(tmp_path: Path) -> None:
    """The entries of other skeletons are beyond a limit, not in files that are looked for."""
    count, allowed = 25, 20
    split = [unit(n.to_bytes(8, "little") + b"\1", kind=dw.UT_SPLIT_COMPILE) for n in range(count)]
    size = len(split[0])
    rows = {n: {1: (n * size, size), 3: (0, 7)} for n in range(count)}
    sections = {
        ".debug_info.dwo": b"".join(split),
        ".debug_abbrev.dwo": abbreviations(Shape(dw.TAG_COMPILE_UNIT)),
        NAME: index_bytes(rows),
    }
    (tmp_path / "prog.dwp").write_bytes(elf(sections))
    shape = Shape(dw.TAG_SKELETON_UNIT, ((dw.AT_DWO_NAME, dw.FORM_STRING),))
    skeletons = b"".join(
        unit(n.to_bytes(8, "little") + b"\1a.dwo\0", kind=dw.UT_SKELETON) for n in range(count)
    )
    program = tmp_path / "prog"
    program.write_bytes(elf({".debug_info": skeletons, ".debug_abbrev": abbreviations(shape)}))
    limits = FileLimits(units=4 * allowed)  # each counts as four
    units = DebugInfo.of(ObjectFile(str(program), program.read_bytes(), limits)).units
    assert len(units) == count
    for skeleton in units[:allowed]:
        assert skeleton.full is not skeleton
    for skeleton in units[allowed:]:
        with pytest.raises(LimitExceeded) as caught:
            skeleton.full  # noqa: B018
        assert str(caught.value).endswith(
            f"{NAME}: {allowed} rows are read before this one (--max-units)"
        )


def test_a_damaged_index_is_reported_with_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row numbers are read after the header, and an error in them says where it is, too."""
    monkeypatch.setattr(PackageIndex, "_rows_of_slots", _no_such_row)
    (problem,) = info_of({1: {1: (0, UNIT_BYTES), 3: (0, 7)}}).problems
    assert str(problem) == "made.dwp: .debug_cu_index names row 3 of 2"


def _no_such_row(index: PackageIndex) -> int:
    raise Malformed(f"{index.section} names row 3 of 2")


def test_why_a_name_may_be_in_a_package_that_is_damaged(tmp_path: Path) -> None:
    """The index of its type units cannot be read: `info` and names that are not found say so."""
    for file in ("prog", "prog.dwp"):
        (tmp_path / file).write_bytes((SPLIT / "clang5" / file).read_bytes())
    package = open_object(tmp_path / "prog.dwp")
    section = next(one for one in package.sections if one.name == ".debug_tu_index")
    data = bytearray((tmp_path / "prog.dwp").read_bytes())
    slots = int.from_bytes(data[section.offset + 12 : section.offset + 16], "little")
    rows = section.offset + 16 + 8 * slots
    used = next(at for at in range(rows, rows + 4 * slots, 4) if data[at])
    data[used] = 99
    (tmp_path / "prog.dwp").write_bytes(data)
    info = DebugInfo.of(open_object(tmp_path / "prog"))
    assert all(unit.full is not unit for unit in info.units)
    assert [error.message for error in info.why_not_found] == [".debug_tu_index names row 99 of 3"]
    done = run("info", tmp_path / "prog")
    assert done.status == 1 and ".debug_tu_index names row 99 of 3" in done.lines[-1]


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        (24, 0, "version 0 of .debug_tu_index"),  # sh_offset, of zeros
        (4, 8, r"no row of the indexes has \[0x0,0xea\) of .debug_info.dwo"),  # NOBITS
        (32, 0, r"no row of the indexes has \[0x0,0xea\) of .debug_info.dwo"),  # sh_size
    ],
)
def test_what_lacks_types_of_a_damaged_package_says_so_once(
    tmp_path: Path, field: int, value: int, reason: str
) -> None:
    program = tmp_path / "prog"
    program.write_bytes((SPLIT / "clang5/prog").read_bytes())
    data = bytearray((SPLIT / "clang5/prog.dwp").read_bytes())
    sections = open_object(SPLIT / "clang5/prog.dwp").sections
    section = next(one for one in sections if one.name == ".debug_tu_index")
    at = int.from_bytes(data[40:48], "little") + 64 * section.index + field
    size_bytes = 4 if field == 4 else 8
    value = len(data) if field == 24 else value
    data[at : at + size_bytes] = value.to_bytes(size_bytes, "little")
    (tmp_path / "prog.dwp").write_bytes(data + bytes(section.size_bytes))
    for command in ("info types", "whatis corner"):
        done = run("debug", "--batch", "-ex", command, "-ex", command, program)
        assert len(re.findall(f"note: not all units can be read: .*{reason}", done.err)) == 1
    done = run("where", "--all", program)
    assert done.status == 1
    assert len(re.findall(f"problem: .*{reason}", done.out)) == 1
    done = run("where", "--all", "--json", program)
    assert len(re.findall(f'"message": .*{reason}', done.out)) == 1


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
def test_a_whole_package_has_no_note(kind: str) -> None:
    program = SPLIT / kind / "prog"
    done = run("debug", "--batch", "-ex", "info types", "-ex", "whatis corner", program)
    assert "not all units" not in done.err
    assert run("where", "--all", program).status == 0


def damaged(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


ID = 0x1111_0000_0000_0001
"""Its slot is 1 of 4."""
SLOTS_AT, NUMBERS_AT, COLUMNS_AT, OFFSETS_AT = 16, 16 + 8 * 4, 48 + 4 * 4, 64 + 4 * 2


@pytest.mark.parametrize(
    ("at", "new", "message"),
    [
        (0, b"", None),
        (NUMBERS_AT + 4, bytes(4), "no slot of .debug_cu_index names row 1 of 2"),
        (NUMBERS_AT + 8, b"\1", "2 slots of .debug_cu_index name row 1 of 2"),
        (COLUMNS_AT, bytes(4), "column 1 of .debug_cu_index has the code 0, of no section"),
        (OFFSETS_AT + 16, bytes(16),
         "no row of the indexes has a part of .debug_info.dwo, .debug_abbrev.dwo"),
        (OFFSETS_AT + 16, bytes(4), "no row of the indexes has [0x0,0x15) of .debug_info.dwo"),
        (SLOTS_AT + 8, b"\5", "the row of 0x1111000000000005 has no unit of that ID"),
        (SLOTS_AT + 8, b"\4", "the slot of the signature 0x1111000000000004 is not where its "
         "hash is"),
    ],
)  # fmt: skip
def test_an_index_that_lost_something_is_named(at: int, new: bytes, message: str | None) -> None:
    ids = (ID, ID + 1)
    split = [unit(id.to_bytes(8, "little") + b"\1", kind=dw.UT_SPLIT_COMPILE) for id in ids]
    size = len(split[0])
    index = index_bytes({id: {1: (n * size, size), 3: (0, 7)} for n, id in enumerate(ids)})
    sections = {
        ".debug_info.dwo": b"".join(split),
        ".debug_abbrev.dwo": abbreviations(Shape(dw.TAG_COMPILE_UNIT)),
        NAME: damaged(index, at, new),
    }
    problems = DebugInfo.of(ObjectFile("made.dwp", elf(sections))).problems
    assert [problem.message for problem in problems] == ([] if message is None else [message])
