"""ELF headers, sections and symbols, well made and not."""

from __future__ import annotations

import os
import random
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.printable import name_text
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, UsageError
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_structures import Section
from dwarfgpu.objfile.file_architecture import architecture_of, processor_name
from dwarfgpu.objfile.file_bytes import FileBytes, map_file
from dwarfgpu.objfile.kernel_symbols import kernels, wave_size
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES, X86_64, Content, elf, read_fixture

BINARIES = sorted(
    path.relative_to(FIXTURES).as_posix()
    for path in FIXTURES.glob("*/*")
    if path.suffix == ".co" or path.suffix in (".v4", ".v5")
)


@pytest.mark.parametrize("name", BINARIES)
def test_headers_as_pyelftools_reads_them(name: str) -> None:
    ours = open_object(FIXTURES / name)
    theirs = ELFFile(BytesIO(read_fixture(name)))
    assert [
        (s.name, s.type, s.address, s.offset, s.size_bytes, s.flags) for s in ours.sections[1:]
    ] == [
        (s.name, _number(s["sh_type"]), s["sh_addr"], s["sh_offset"], s["sh_size"], s["sh_flags"])
        for s in list(theirs.iter_sections())[1:]
    ]
    assert [(s.address, s.offset, s.memory_bytes) for s in ours.segments] == [
        (s["p_vaddr"], s["p_offset"], s["p_memsz"]) for s in theirs.iter_segments()
    ]
    table = theirs.get_section_by_name(".symtab") or theirs.get_section_by_name(".dynsym")
    assert [(s.name, s.address, s.size_bytes) for s in ours.symbols] == [
        (s.name, s["st_value"], s["st_size"]) for s in table.iter_symbols()
    ]


def _number(section_type: str | int) -> int:
    known = {
        "SHT_PROGBITS": 1, "SHT_SYMTAB": 2, "SHT_STRTAB": 3, "SHT_RELA": 4, "SHT_HASH": 5,
        "SHT_DYNAMIC": 6, "SHT_NOTE": 7, "SHT_NOBITS": 8, "SHT_DYNSYM": 11,
        "SHT_INIT_ARRAY": 14, "SHT_FINI_ARRAY": 15, "SHT_GNU_HASH": 0x6FFFFFF6,
        "SHT_GNU_verneed": 0x6FFFFFFE, "SHT_GNU_versym": 0x6FFFFFFF,
    }  # fmt: skip
    return section_type if isinstance(section_type, int) else known[section_type]


@pytest.mark.parametrize(
    ("name", "processor", "lanes", "kernel"),
    [
        ("hip/nest.gfx90a.O2.v5.co", "gfx90a", 64, "nest"),
        ("hip/nest.gfx942.O0.v5.co", "gfx942", 64, "nest"),
        ("hip/nest.gfx1100.O0.v5.co", "gfx1100", 32, "nest"),
        ("asm/wave32.gfx1100.v5.co", "gfx1100", 32, "k"),
    ],
)
def test_machine_of_code_objects(name: str, processor: str, lanes: int, kernel: str) -> None:
    file = open_object(FIXTURES / name)
    assert (processor_name(file), wave_size(file)) == (processor, lanes)
    assert architecture_of(file).lane_count == lanes
    result = next(item for item in kernels(file) if item.name == kernel)
    assert result.entry in [s.address for s in file.symbols if s.name == kernel]
    assert file.is_code(result.entry)


def test_machine_of_a_host_program() -> None:
    file = open_object(FIXTURES / "x86_64/demo.gcc.O0.v5")
    assert architecture_of(file).name == "x86_64"
    assert (kernels(file), wave_size(file)) == ((), None)


def test_unknown_machine() -> None:
    with pytest.raises(Unsupported, match="machine 999"):
        architecture_of(ObjectFile("made", elf({}, machine=999)))
    with pytest.raises(Unsupported, match="0xfe"):
        architecture_of(ObjectFile("made", elf({}, flags=0xFE)))


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("endian", ["little", "big"])
def test_classes_and_byte_orders(bits: int, endian: Endian) -> None:
    symbol = struct.pack("<IBBHQQ" if bits == 64 else "<IIIBBH", *range(6))
    sections = {
        ".data": Content(b"abcd", flags=2, address=0x1000),
        ".symtab": Content(symbol, 2, link=3),
        ".strtab": Content(b"\0name\0", 3),
    }
    file = ObjectFile("made", elf(sections, bits=bits, endian=endian))  # type: ignore[arg-type]
    assert (file.address_bytes * 8, file.endian) == (bits, endian)
    assert file.section_data(".data") == b"abcd"
    assert file.memory_bytes(0x1001, 2) == b"bc"
    assert file.memory_bytes(0x1003, 2) is None
    assert [symbol.name for symbol in file.symbols] == [""]
    assert file.section_data(".absent") == b""


def _compressed(kind: int, data: bytes, claimed: int, endian: Endian = "little") -> Content:
    header = struct.pack("<IIQQ", kind, 0, claimed, 1)
    return Content(header + data, flags=0x800)


@pytest.mark.parametrize("name", [".debug_info", ".zdebug_info"])
def test_zlib(name: str) -> None:
    packed = zlib.compress(b"x" * 1000)
    content = (
        _compressed(1, packed, 1000)
        if name == ".debug_info"
        else Content(b"ZLIB" + (1000).to_bytes(8, "big") + packed)
    )
    file = ObjectFile("made", elf({name: content}))
    assert file.has_section(".debug_info")
    assert file.section_data(".debug_info") == b"x" * 1000


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (_compressed(9, b"", 1), Unsupported, "compression type 9"),
        (_compressed(1, b"not zlib", 5), Malformed, "cannot be decompressed"),
        (_compressed(1, zlib.compress(b"abc"), 4), Malformed, "does not decompress to 4"),
        (_compressed(1, zlib.compress(b"abc"), 2), Malformed, "does not decompress to 2"),
        (
            _compressed(1, zlib.compress(b"abc")[:-4], 3),
            Malformed,
            "is cut short: its compressed data have no end",
        ),
        (
            _compressed(1, zlib.compress(b"abc")[:-1], 3),
            Malformed,
            "is cut short: its compressed data have no end",
        ),
        (_compressed(1, b"", 1 << 60), Malformed, "declares"),
        (_compressed(1, bytes(1 << 15), 1 << 25), LimitExceeded, "33554432 bytes when decompress"),
        (_compressed(2, b"", 1 << 25), LimitExceeded, "33554432 bytes when decompressed"),
        (Content(b"abc", flags=0x800), Malformed, "cut short"),
    ],
)
def test_compression_that_cannot_be_read(
    content: Content, error: type[DwarfGpuError], message: str
) -> None:
    with pytest.raises(error, match=message):
        ObjectFile("made", elf({".debug_info": content})).section_data(".debug_info")


def test_zstandard_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    file = ObjectFile("made", elf({".debug_info": _compressed(2, b"", 1)}))
    with pytest.raises(Unsupported, match="with Zstandard, which needs the package zst"):
        file.section_data(".debug_info")


def test_files_that_are_none(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    text = tmp_path / "text"
    text.write_text("#!/bin/sh\n")
    for path, message in (
        (empty, "is empty"),
        (text, "is not an ELF file"),
        (tmp_path, "cannot be read"),
        (tmp_path / "absent", "cannot be read: No such file"),
    ):
        with pytest.raises(UsageError, match=message):
            open_object(path)


def test_a_file_of_the_kernel_is_not_called_empty() -> None:
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("no /proc")
    with pytest.raises(UsageError, match="cannot be read: it is a file of the kernel"):
        open_object(path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="is not a regular file"):
        open_object(pipe)


@pytest.mark.parametrize("size_bytes", [100, 3 << 20])
def test_a_file_that_shrinks(tmp_path: Path, size_bytes: int) -> None:
    """A small file is read at once; of a large one, what is gone is an error."""
    path = tmp_path / "made.co"
    path.write_bytes(elf({".debug_info": bytes(size_bytes)}))
    file = open_object(path)
    os.truncate(path, 64)
    if size_bytes == 100:
        assert file.section_data(".debug_info") == bytes(100)
        return
    with pytest.raises(Malformed, match="became shorter while it was read"):
        file.section_data(".debug_info")


def test_a_file_that_is_changed_while_it_is_open(tmp_path: Path) -> None:
    """Its sections would be read from two files."""
    path = tmp_path / "large"
    path.write_bytes(bytes(2 << 20))
    data = map_file(path)
    assert data[:4] == bytes(4)
    before = path.stat().st_mtime_ns
    with path.open("r+b") as file:
        file.write(b"other")
    os.utime(path, ns=(before, before + 1))  # whatever the clock of the file system counts
    with pytest.raises(Malformed, match="large was changed while it was open: open it again$"):
        data[:4]
    assert map_file(path)[:5] == b"other"


def test_long_names_that_symbols_share() -> None:
    symbol = struct.pack("<IBBHQQ", 0, 2, 0, 1, 0x1000, 4)
    names = Content(b"A" * 500_000 + b"\0", type=3)
    table = Content(symbol * 20_000, type=2, link=1, entry_bytes=24)
    symbols = ObjectFile("made", elf({".strtab": names, ".symtab": table})).symbols
    assert symbols[0].name == name_text(b"A" * 500_000)
    assert symbols[0].name is symbols[-1].name


def test_long_names_that_overlap() -> None:
    rows = [struct.pack("<IBBHQQ", at, 2, 0, 1, 0x1000, 4) for at in range(1_000)]
    names = Content(b"A" * 20_000 + b"\0", type=3)
    table = Content(b"".join(rows), type=2, link=1, entry_bytes=24)
    with pytest.raises(LimitExceeded, match="names of a string table overlap"):
        ObjectFile("made", elf({".strtab": names, ".symtab": table})).symbols  # noqa: B018


def test_every_truncation_of_the_headers() -> None:
    data = elf({".debug_info": b"abc"}, machine=X86_64)
    for size in range(4, len(data)):
        with pytest.raises(Malformed):
            ObjectFile("made", data[:size]).section_data(".debug_info")


SECTIONS_AT, SECTION_COUNT = slice(0x28, 0x30), slice(0x3C, 0x3E)
"""e_shoff and e_shnum of a file of 64 bits."""


@pytest.mark.parametrize(
    ("field", "why"),
    [(SECTION_COUNT, "e_shoff is 0x4298, but e_shnum is 0"),
     (SECTIONS_AT, "e_shnum is 26, but e_shoff is 0")],
)  # fmt: skip
def test_half_of_what_locates_the_section_headers(field: slice, why: str, tmp_path: Path) -> None:
    data = bytearray(read_fixture("core/crash.x86_64.O2"))
    data[field] = bytes(field.stop - field.start)
    (path := tmp_path / "crash.x86_64.O2").write_bytes(data)
    message = f"{path}: the section headers are not found: {why}"
    with pytest.raises(Malformed, match=re.escape(message)):
        open_object(path).sections  # noqa: B018
    done = run("info", path)
    assert (done.status, done.err) == (2, f"dwarfgpu: {message}\n")
    core = FIXTURES / "core/crash.x86_64.O2.core"
    done = run("bt", "--core", core, "--sysroot", tmp_path)
    assert done.err.count(f"crash.x86_64.O2 is not used: {message}") == 1


def test_files_without_section_headers_and_with_many_are_sound() -> None:
    """A count that does not fit its field is in section 0."""
    data = bytearray(read_fixture("core/crash.x86_64.O2"))
    sections = ObjectFile("f", bytes(data)).sections
    header = int.from_bytes(data[SECTIONS_AT], "little")
    data[SECTION_COUNT] = bytes(2)
    struct.pack_into("<Q", data, header + 32, len(sections))
    assert ObjectFile("f", bytes(data)).sections[1:] == sections[1:]
    data[SECTIONS_AT] = bytes(8)
    assert ObjectFile("f", bytes(data)).sections == ()


def test_mutated_headers_give_only_our_errors() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    original = read_fixture("hip/nest.gfx942.O2.v5.co")
    headers = [*range(64), *range(len(original) - 0x600, len(original))]
    for _ in range(400):
        data = bytearray(original)
        for _ in range(source.randint(1, 6)):
            data[source.choice(headers)] = source.choice((0, 1, 0x7F, 0xFF, source.randrange(256)))
        try:
            file = ObjectFile("mutated", bytes(data))
            for section in file.sections:
                file.data_of(section)
            assert file.symbols is not None and file.segments is not None
            architecture_of(file)
        except DwarfGpuError:
            pass


def test_sections_of_an_address_are_found_without_a_look_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file of 60,000 sections and 20,000 functions took `disas` more than 30 s."""
    count = 500
    contents = {
        f".text.{number}": Content(bytes([number & 0xFF] * 8), flags=6, address=0x1000 + 4 * number)
        for number in range(count)
    }
    file = ObjectFile("made", elf(contents, X86_64))
    looks = 0
    covers = Section.covers

    def counted(section: Section, address: int) -> bool:
        nonlocal looks
        looks += 1
        return covers(section, address)

    monkeypatch.setattr(Section, "covers", counted)
    for number in range(1, count):
        address = 0x1000 + 4 * number
        assert [item.name for item in file.sections_at(address)] == [
            f".text.{number - 1}",
            f".text.{number}",
        ]
        # The first section in the file's order that has all of the bytes decides.
        assert file.memory_bytes(address, 4) == bytes([number - 1 & 0xFF] * 4)
        assert file.memory_bytes(address, 8) == bytes([number & 0xFF] * 8)
        assert file.memory_bytes(address, 9) is None
        assert file.is_code(address)
    assert not file.is_code(0xFFF)
    assert not file.is_code(0x1000 + 4 * count + 4)
    assert looks <= 2 * count


def test_where_a_file_that_loads_nothing_has_code() -> None:
    """Its debug sections alone do not say; linkers write address 0 for code that they drop."""
    file = ObjectFile("made", elf({".debug_info": Content(b"abc")}, X86_64))
    assert file.is_code(0x1129) and not file.is_code(0)
    data_only = {".debug_info": Content(b"abc"), ".data": Content(b"abcd", flags=2, address=0x1000)}
    assert not ObjectFile("made", elf(data_only, X86_64)).is_code(0x1000)


def test_lines_of_debug_sections_alone(tool: Callable[[str], str], tmp_path: Path) -> None:
    whole, alone = FIXTURES / "x86_64/demo.clang.O0.v5", tmp_path / "alone"
    subprocess.run(
        [tool("objcopy"), "-j", ".debug*", whole, alone], check=True, capture_output=True
    )
    answers = [run("debug", path, "--batch", "-ex", "info line main") for path in (whole, alone)]
    assert answers[0].out == answers[1].out and answers[0].out.startswith("Line ")


def test_headers_of_many_sections_are_read_in_pieces() -> None:
    names = [f".s{number}" for number in range(3_000)]
    whole = elf(dict.fromkeys(names, b"x"), X86_64)
    reads: list[tuple[int, int]] = []

    class Counted:
        def read(self, start: int, size_bytes: int) -> bytes:
            reads.append((start, size_bytes))
            return whole[start : start + size_bytes]

    file = ObjectFile("many", FileBytes.of(Counted(), len(whole)))
    assert [section.name for section in file.sections] == ["", *names, ".shstrtab"]
    assert file.sections == ObjectFile("many", whole).sections
    assert len(reads) < 30
