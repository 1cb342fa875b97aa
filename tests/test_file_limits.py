"""Limits of one file: what a small file may make of itself, before the error that names it."""

from __future__ import annotations

import json
import struct
import tracemalloc
import zlib
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.cli.main import main
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index.aranges import read_aranges
from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile import elf_notes
from dwarfgpu.objfile.compression import inflate
from dwarfgpu.objfile.container import open_container
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_notes import MAX_NOTES, readable_notes
from dwarfgpu.objfile.elf_structures import Section
from dwarfgpu.objfile.relocate import relocated_data
from tests.check.made import frame_file
from tests.cli.command import run, run_json
from tests.dwarf.builder import Content, Shape, abbreviations, elf, unit
from tests.machine.cores import Load, core, mapped_files, status
from tests.work import at_most
from tools.bombs.containers import kernel_arguments
from tools.bombs.machines import code_object_list
from tools.bombs.objects import metadata_sections, unreadable_notes

SHAPES = abbreviations(Shape(dw.TAG_COMPILE_UNIT, (), True), Shape(dw.TAG_LEXICAL_BLOCK))


def packed(data: bytes) -> Content:
    return Content(struct.pack("<IIQQ", 1, 0, len(data), 1) + zlib.compress(data, 9), flags=0x800)


def bundle(size_bytes: int) -> bytes:
    """A compressed offload bundle of zeros."""
    data = zlib.compress(bytes(size_bytes))
    return b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(data), size_bytes, 0) + data


def test_a_bomb_is_refused_by_the_size_in_its_header() -> None:
    info = packed(unit(b"\1" + b"\2" * 8_000_000))
    file = ObjectFile("made", elf({".debug_abbrev": SHAPES, ".debug_info": info}))
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match=r"\.debug_info of made .*--max-inflated-ratio"):
            file.section_data(".debug_info")
        assert tracemalloc.get_traced_memory()[1] < 1 << 18
    finally:
        tracemalloc.stop()


def test_a_raised_ratio_reads_it() -> None:
    data = elf({".debug_info": packed(bytes(2_000_000))})
    with pytest.raises(LimitExceeded):
        ObjectFile("made", data).section_data(".debug_info")
    limits = FileLimits(inflated_ratio=2000)
    assert len(ObjectFile("made", data, limits).section_data(".debug_info")) == 2_000_000


def test_parts_of_a_file_are_counted_together() -> None:
    part = packed(bytes(600))
    data = elf({".debug_info": part, ".debug_str": part})
    file = ObjectFile("made", data, FileLimits(inflated_bytes=1000))
    assert len(file.section_data(".debug_info")) == 600
    assert len(file.section_data(".debug_info")) == 600  # the same bytes count once
    with pytest.raises(LimitExceeded, match=r"\.debug_str .*600: .*1000 \(--max-inflated-bytes\)"):
        file.section_data(".debug_str")


def sparse(path: Path, data: bytes, section: str, size_bytes: int) -> None:
    """Write a file with one section moved to its end, with zeros behind its bytes."""
    moved = ObjectFile("made", data).sections_by_name[section]
    (table,) = struct.unpack_from("<Q", data, 40)
    out = bytearray(data)
    struct.pack_into("<QQ", out, table + 64 * moved.index + 24, len(out), size_bytes)
    body = data[moved.offset : moved.offset + moved.size_bytes]
    with path.open("wb") as file:
        file.write(out + body)
        file.truncate(len(out) + size_bytes)


SECTIONS = {
    ".debug_info": unit(b"\1\0"),
    ".debug_abbrev": SHAPES,
    ".debug_str": b"\0",
    ".debug_loclists": b"\0",
}


@pytest.mark.parametrize("section", SECTIONS)
def test_a_sparse_section_is_refused_before_it_is_read(tmp_path: Path, section: str) -> None:
    path = tmp_path / "made"
    sparse(path, elf(SECTIONS, machine=62), section, 1 << 30)
    file = open_object(path)
    message = rf"{section} of .*made has 1073741824 bytes to read: .*\(--max-section-bytes\)"
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match=message):
            file.section_data(section)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_symbol_table_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "made"
    sparse(path, elf({".symtab": Content(bytes(24), type=2)}, machine=62), ".symtab", 380_000_000)
    file = open_object(path)
    message = r"\.symtab of .*made has 15833333 symbols: more than 2097152 \(--max-symbols\)"
    tracemalloc.start()
    try:
        for question in (
            lambda: file.symbols,
            lambda: file.symbol_before(0),
            lambda: file.symbols_named("f"),
        ):
            with pytest.raises(LimitExceeded, match=message):
                question()
        assert tracemalloc.get_traced_memory()[1] < 1 << 18
    finally:
        tracemalloc.stop()


def test_relocations_are_refused_before_they_are_decompressed() -> None:
    rows = packed(struct.pack("<QQq", 0, 0, 0) * 200_000)
    table = Content(rows.data, 4, flags=rows.flags, link=2)
    contents = {
        ".debug_info": bytes(64),
        ".symtab": Content(bytes(24), 2),
        ".rela.debug_info": table,
    }
    data = bytearray(elf(contents, machine=62, type=1))
    (headers,) = struct.unpack_from("<Q", data, 40)
    struct.pack_into("<I", data, headers + 64 * 3 + 44, 1)  # sh_info
    file = ObjectFile("made", bytes(data), FileLimits(relocations=199_999))
    message = r"\.rela\.debug_info of made .* 200000: more than 199999 \(--max-relocations\)"
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match=message):
            relocated_data(file, ".debug_info")
        assert tracemalloc.get_traced_memory()[1] < 1 << 18
    finally:
        tracemalloc.stop()


def test_symbols_of_a_large_table_are_not_kept() -> None:
    count = 100_000
    rows = b"".join(struct.pack("<IBBHQQ", 1, 18, 0, 1, number, 1) for number in range(count))
    names = Content(b"\0f\0", type=3)
    file = ObjectFile("made", elf({".symtab": Content(rows, type=2, link=2), ".strtab": names}))
    symbols = file.symbols
    tracemalloc.start()
    try:
        assert sum(symbol.address for symbol in symbols) == count * (count - 1) // 2
        assert tracemalloc.get_traced_memory()[1] < 1 << 18
    finally:
        tracemalloc.stop()
    assert (len(symbols), symbols[7].address, symbols[-1].address) == (count, 7, count - 1)
    assert [symbol.address for symbol in symbols[2:8:3]] == [2, 5]
    with pytest.raises(IndexError):
        symbols[count]
    limits = FileLimits(symbols=count - 1)
    file = ObjectFile("made", elf({".symtab": Content(rows, type=2, link=2)}), limits)
    with pytest.raises(LimitExceeded, match="--max-symbols"):
        file.symbols  # noqa: B018


def test_a_large_section_is_in_memory_once(tmp_path: Path) -> None:
    """Names are searched for in the memory that the units use, not in a copy."""
    path = tmp_path / "made"
    body = unit(b"\1" + b"\2" * (1 << 20) + b"\0")
    path.write_bytes(elf({**SECTIONS, ".debug_info": body}, machine=62))
    info = DebugInfo.of(open_object(path))
    for texts in ((b"nosuch\0",), tuple(b"nosuch%d\0" % number for number in range(20))):
        assert info.strings.units(*texts) == ()
    assert info.sections.buffer(".debug_info") is not None
    assert ".debug_info" not in info.sections._data


def test_a_unit_of_a_gigabyte_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "made"
    info = struct.pack("<I", (1 << 30) - 4) + unit(b"\1\0")[4:]
    sparse(path, elf({**SECTIONS, ".debug_info": info}, machine=62), ".debug_info", 1 << 30)
    info_of_file = DebugInfo.of(open_object(path))
    with pytest.raises(LimitExceeded, match=r"\.debug_info of .*made has .*--max-section-bytes"):
        list(info_of_file.units[0].root.children())


def test_read_and_decompressed_parts_are_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "made"
    sections = {".debug_info": packed(bytes(1 << 20)), ".debug_str": bytes(1 << 20) + b"\0"}
    path.write_bytes(elf(sections))
    for names in (".debug_info", ".debug_str"), (".debug_str", ".debug_info"):
        file = open_object(path, FileLimits(section_bytes=2 << 20))
        assert file.section_data(names[0])
        assert file.section_data(names[0])  # the same bytes count once
        with pytest.raises(LimitExceeded, match=rf"{names[1]} of .*other parts .*--max-section"):
            file.section_data(names[1])


def test_units_that_are_read_by_ranges_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "made"
    one = unit(b"\1" + b"\2" * (1 << 20))
    path.write_bytes(elf({".debug_info": one * 3, ".debug_abbrev": SHAPES}))
    info = DebugInfo.of(open_object(path, FileLimits(section_bytes=(2 << 20) + (1 << 16))))
    assert [sum(1 for _ in unit.root.children()) for unit in info.units[:2]] == [1 << 20] * 2
    with pytest.raises(LimitExceeded, match=r"\.debug_info of .*--max-section-bytes"):
        list(info.units[2].root.children())


def test_aranges_of_zeros_and_notes_without_contents_end() -> None:
    problems = read_aranges(bytes(1 << 16), "little")[1]
    assert "the others are not read" in str(problems[-1])
    note = bytes(8) + b"\1\0\0\0"
    content = Content(note * (MAX_NOTES + 1), type=7)
    read, problem = readable_notes(ObjectFile("made", elf({".note": content})))
    assert len(read) == MAX_NOTES
    assert str(problem) == f"made: .note: there are more than {MAX_NOTES - 1} notes"


def test_sections_of_notes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 34 MB may have half a million, of the same bytes: 1.4 GB for `info`."""
    monkeypatch.setattr(elf_notes, "_MOST_AREAS", 100)
    readable = ObjectFile("made", metadata_sections(300)["bomb"])
    read, problem = readable_notes(readable)
    assert len(read) == 100
    assert str(problem) == "made: more than 100 sections of notes"
    unreadable = ObjectFile("made", unreadable_notes(300)["bomb"])
    reads: list[Section] = []

    def data_of(file: ObjectFile, section: Section) -> bytes:
        reads.append(section)
        return file.file_bytes(section.offset, section.size_bytes, section.name)

    monkeypatch.setattr(ObjectFile, "data_of", data_of)
    assert "the name of a note" in str(readable_notes(unreadable)[1])
    assert len(reads) == 100


@pytest.mark.parametrize(
    ("limits", "option"),
    [
        (FileLimits(), "--max-inflated-ratio"),
        (FileLimits(inflated_bytes=1 << 20, inflated_ratio=2000), "--max-inflated-bytes"),
    ],
)
def test_bundles(tmp_path: Path, limits: FileLimits, option: str) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(bundle(4 << 20))
    with pytest.raises(LimitExceeded, match=rf"bomb\+0x0 has 4194304 .*{option}"):
        open_container(path, limits)


def test_bundles_are_counted_together(tmp_path: Path) -> None:
    inner = b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8)
    data = zlib.compress(inner)
    one = b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(data), len(inner), 0) + data
    path = tmp_path / "bundles"
    path.write_bytes(one * 4)
    open_container(path, FileLimits(inflated_bytes=4 * len(inner)))
    with pytest.raises(LimitExceeded, match=f"other parts of the file {3 * len(inner)}"):
        open_container(path, FileLimits(inflated_bytes=4 * len(inner) - 1))


def test_entries_are_counted_over_the_units() -> None:
    one = unit(b"\1" + b"\2" * 9 + b"\0")
    data = elf({".debug_abbrev": SHAPES, ".debug_info": one * 3})
    info = DebugInfo.of(ObjectFile("made", data, FileLimits(dies=25)))
    first, second, third = info.units
    assert len(first.tree.offsets) == len(second.tree.offsets) == 10
    for _ in range(2):
        with pytest.raises(LimitExceeded, match=r"made: \.debug_info unit 0x.*--max-dies"):
            third.tree  # noqa: B018
    assert len(first.tree.offsets) == 10  # known, and read no more


def test_a_failed_attempt_spends_the_budget() -> None:
    one = unit(b"\1" + b"\2" * 20_000)
    data = elf({".debug_abbrev": SHAPES, ".debug_info": one})
    (bomb,) = DebugInfo.of(ObjectFile("made", data, FileLimits(dies=10_000))).units
    with pytest.raises(LimitExceeded):
        bomb.tree  # noqa: B018
    with at_most(500), pytest.raises(LimitExceeded):
        bomb.tree  # noqa: B018


def test_units_are_counted() -> None:
    data = elf({".debug_abbrev": SHAPES, ".debug_info": unit(b"\1") * 30})
    info = DebugInfo.of(ObjectFile("made", data, FileLimits(units=20)))
    assert len(info.units) == 20
    assert "--max-units" in str(info.problems[-1])


def test_call_frame_instructions_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "made"
    path.write_bytes(frame_file(b"\0" * 30))  # DW_CFA_nop
    assert main(["frames", str(path), "--max-cfa-instructions", "20"]) == 1
    out = capsys.readouterr().out
    assert "more than 20 call frame instructions (--max-cfa-instructions)" in out
    assert main(["frames", str(path), "--max-cfa-instructions", "100"]) == 0


def test_variables_of_one_name_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "made"
    variable = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),))
    shapes = abbreviations(Shape(dw.TAG_COMPILE_UNIT, (), True), variable)
    one = unit(b"\1" + b"\2x\0" * 10 + b"\2y\0\0")
    path.write_bytes(elf({".debug_abbrev": shapes, ".debug_info": one * 3}))
    for names, most, shown in ((["x"], 12, 12), (["x"], 30, 30), (["y"], 3, 3)):
        status = main(["where", str(path), *names, "--max-namesakes", str(most)])
        out = capsys.readouterr().out
        assert out.count("global ") == shown
        assert (status, "--max-namesakes" in out) == ((1, True) if most == 12 else (0, False))
    assert main(["where", str(path), "--all", "--max-namesakes", "1"]) == 0


@pytest.mark.parametrize("command", ["where --all", "info", "check", "frames", "eval x --file"])
def test_options(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    path = tmp_path / "made"
    path.write_bytes(elf({".eh_frame": packed(bytes(64)), ".debug_info": packed(bytes(64))}))
    words = [*command.split(), str(path)]
    main([*words, "--max-inflated-bytes", "10"])
    captured = capsys.readouterr()
    assert "(--max-inflated-bytes)" in captured.out + captured.err
    main([*words, "--max-inflated-bytes", "many"])
    assert "--max-inflated-bytes: expected an integer" in capsys.readouterr().err


def test_a_check_that_a_limit_cut_short_is_not_clean(tmp_path: Path) -> None:
    """Exit status 2: mistakes may be in what was not checked."""
    path, other = tmp_path / "made", tmp_path / "other"
    data = elf({".debug_abbrev": SHAPES, ".debug_info": unit(b"\1" + b"\2" * 20 + b"\0")})
    path.write_bytes(data)
    other.write_bytes(data)
    whole, cut = (run_json("check", path, "--max-dies", most) for most in (21, 20))
    assert (whole.status, whole.json["incomplete"]) == (0, False)
    assert (cut.status, cut.json["incomplete"]) == (2, True)
    [why] = cut.json["not_checked"]
    assert why.endswith("of .debug_info on are not read (--max-dies)")
    done = run("check", path, "--max-dies", 20)
    assert (done.status, done.lines[-1]) == (2, "0 errors, 0 warnings; not checked to the end")
    done = run("check", path, other, "--max-dies", 20)
    assert done.status == 2
    assert done.lines[-1].endswith("0 notes; 2 not checked to the end")
    log = json.loads(run("check", path, "--max-dies", 20, "--sarif").out)
    [invocation] = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False


@pytest.mark.parametrize(
    "words",
    [("eval", "x", "--file"), ("debug", "--batch", "-ex", "print x", "-ex", "where x", "--file")],
)
def test_an_unknown_name_may_be_in_units_that_are_not_read(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = tmp_path / "made"
    path.write_bytes(elf({".debug_abbrev": SHAPES, ".debug_info": unit(b"\1") * 30}))
    assert "Not searched" not in run(*words, path, "--max-units", 30).err
    done = run(*words, path, "--max-units", 20)
    for line in done.err.splitlines():
        assert 'No symbol "x"' in line and " Not searched: " in line
        assert line.endswith("(--max-units)")
    assert done.err.count("Not searched") == max(words.count("-ex"), 1)
    where = run("where", path, "x", "--max-units", 20)
    assert (where.status, where.out.endswith("(--max-units)\n")) == (1, True)


@pytest.mark.parametrize("size_bytes", [8 << 20, 0])
def test_unpacking_takes_no_more_memory_than_what_is_unpacked(size_bytes: int) -> None:
    """No second copy of it, and nothing beyond what the header says."""
    data = zlib.compress(Random(1).randbytes(1 << 16) * 128)
    tracemalloc.start()
    try:
        if size_bytes:
            assert len(inflate(data, size_bytes, "made")) == size_bytes
        else:
            with pytest.raises(Malformed, match="does not decompress to 4096 bytes"):
                inflate(data, 4096, "made")
        assert tracemalloc.get_traced_memory()[1] < 1.25 * size_bytes + (1 << 18)
    finally:
        tracemalloc.stop()


def test_mapped_files_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "core"
    rows = [(0x1000 * at, 0x1000 * at + 0x1000, 0, f"/{at}") for at in range(1, 31)]
    path.write_bytes(core([status(1, bytes(27 * 8)), mapped_files(*rows)]))
    for option, is_cut in ((29, True), (30, False)):
        done = run("info", path, "--max-mapped-files", option)
        problem = "NT_FILE has 30 entries, at most 29 are read (--max-mapped-files)"
        assert (problem in done.out + done.err) == is_cut


def test_code_objects_of_a_gpu_core_are_counted(tmp_path: Path) -> None:
    """Those after the limit are left out, and a note says so."""
    path = tmp_path / "core"
    path.write_bytes(code_object_list(30, b"file:///none")["bomb"])
    for option, is_cut in ((29, True), (30, False)):
        done = run("info", path, "--max-code-objects", option)
        problem = "more than 29 code objects are listed: those after them are not read"
        assert (f"{problem} (--max-code-objects)" in done.out + done.err) == is_cut
        assert (done.out + done.err).count("file:///none is not used") == option
    done = run("info", path, "--code-object", "file:///x=x", "--max-code-objects", 29)
    assert f"the core lists no such code object; {problem}" in done.err


def test_program_headers_are_counted(tmp_path: Path) -> None:
    """Where there are more than fit the ELF header, too (PN_XNUM)."""
    path = tmp_path / "core"
    data = bytearray(core([status(1, bytes(27 * 8))], [Load(0x1000 * at, b"") for at in range(29)]))
    path.write_bytes(data)
    for option, is_cut in ((29, True), (30, False)):
        done = run("info", path, "--max-segments", option)
        problem = f"{path}: 30 program headers: more than 29 (--max-segments)"
        assert (problem in done.err) == is_cut
    section = bytearray(64)
    struct.pack_into("<I", section, 44, 70_000)
    struct.pack_into("<Q", data, 40, len(data))
    struct.pack_into("<HHHHH", data, 54, 56, 0xFFFF, 64, 1, 0)
    path.write_bytes(data + section + bytes(56 * 70_000))
    done = run("info", path, "--max-segments", 69_999)
    assert f"{path}: 70000 program headers: more than 69999 (--max-segments)" in done.err


def test_section_headers_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "made"
    path.write_bytes(elf({".data": b"x"}))
    count = len(open_object(path).sections)
    for option, is_cut in ((count - 1, True), (count, False)):
        done = run("info", path, "--max-sections", option)
        problem = f"{path}: {count} section headers: more than {count - 1} (--max-sections)"
        assert (problem in done.out + done.err) == is_cut


def test_values_of_the_metadata_are_counted(tmp_path: Path) -> None:
    """An array or a map with too many of them is refused before its first one is read."""
    path = tmp_path / "made"
    path.write_bytes(kernel_arguments(1_000)["bomb"])  # three pairs each, and those of the kernel
    for option, is_cut in ((7_008, True), (7_009, False)):
        done = run("info", path, "--max-metadata-values", option)
        problem = "metadata has more than 7008 values (--max-metadata-values)"
        assert (problem in done.out) == is_cut
    with at_most(5_000):
        done = run("info", path, "--max-metadata-values", 700)
    assert "metadata has 38050 bytes: more than 22400, 32 for each of 700 values" in done.out
