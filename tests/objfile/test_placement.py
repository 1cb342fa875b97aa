"""Relocatable objects: where sections are placed, and what their data is there."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from struct import pack, pack_into

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_text
from dwarfgpu.errors import Malformed, Unavailable, Unsupported
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHT_NOBITS
from dwarfgpu.objfile.object_data import ObjectData, placed_sections
from dwarfgpu.objfile.relocate import relocated_data
from dwarfgpu.objfile.section_placement import are_placed, placed
from tests.dwarf.builder import FIXTURES, Content, elf, read_fixture

CUBIN = "nvidia/combine.sm_90.cubin"
OBJECTS = "objects/placed.gcc.o", "objects/placed.clang.o", "objects/placed.aarch64.o"
ALLOC, WRITE, TLS = 2, 1, 0x400


def header(
    flags: int = ALLOC, size_bytes: int = 4, alignment: int = 1, address: int = 0
) -> list[int]:
    return [0, 1, flags, address, 0, size_bytes, 0, 0, alignment, 0]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], []),
        ([header(), header()], [0, 4]),
        ([header(size_bytes=5), header(alignment=8)], [0, 8]),
        ([header(), header(flags=0, size_bytes=99), header()], [0, 0, 4]),
        ([header(size_bytes=0), header(), header(size_bytes=0), header()], [0, 0, 4, 4]),
        ([header(), header(alignment=0)], [0, 4]),  # 0 is not an alignment (System V ABI)
        ([header(), header(alignment=3)], [0, 6]),
        ([header(), header(alignment=1 << 63)], [0, 4]),  # absurd ones are not kept
        ([header(size_bytes=1 << 63), header(size_bytes=1 << 63)], [0, 1 << 63]),
        ([header(size_bytes=1 << 63), header(size_bytes=(1 << 63) + 1)], [0, 1 << 63]),  # no room
        (
            [header(address=0x1000), header(), header(), header(address=0x2000)],
            [0x1000, 0, 4, 0x2000],
        ),
        ([header(), header(address=0x10), header(size_bytes=0x20)], [0, 0x10, 0x14]),
        ([header(address=8), header(), header(alignment=8)], [8, 0, 16]),
    ],
)
def test_places(headers: list[list[int]], expected: list[int]) -> None:
    assert placed(headers, 1 << 64, 1 << 64) == expected


@pytest.mark.parametrize("size_bytes", [0x5000, (1 << 64) - 1])
@pytest.mark.parametrize("address", [0, 2])
def test_a_section_that_does_not_fit_is_behind_all_others(size_bytes: int, address: int) -> None:
    """Those that can be read had its addresses, or all were at 0."""
    large = header(size_bytes=size_bytes, address=address)
    assert placed([header(), large, header()], 1 << 64, 100) == [0, 8, 4]
    large[1] = SHT_NOBITS
    if size_bytes > 0x5000:
        assert placed([header(), large, header()], 1 << 64, 100) == [0, 8, 4]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([header(), header()], False),
        ([header(address=0x100), header()], True),
        ([header(address=0x100), header(), header()], False),  # a damaged header
        ([header(address=0x100), header(), header(size_bytes=0), header(flags=0)], True),
        ([header(flags=0, address=0x100), header()], False),  # of debug information
    ],
)
def test_which_headers_have_addresses(headers: list[list[int]], expected: bool) -> None:
    assert are_placed(headers) == expected


def opened(name: str, load_address: int = 0) -> CodeObject:
    return CodeObject.open(FIXTURES / name, load_address)


@pytest.mark.parametrize("name", OBJECTS)
def test_sections_do_not_overlap(name: str) -> None:
    sections = placed_sections(opened(name).file)
    ends = [section.address + section.size_bytes for section in sections]
    assert len(sections) > 10
    assert all(end <= after.address for end, after in zip(ends, sections[1:], strict=False))


def test_a_linked_file_is_at_its_own_addresses() -> None:
    file = opened("index/symbols.gcc").file
    assert not placed_sections(file)
    (result,) = file.symbols_named("x")
    assert file.sections[result.section].covers(result.address)
    assert file.sections_by_name[".text"].address == 0x2000B0


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("load_address", [0, 0x40000])
def test_functions_lines_and_symbols(name: str, load_address: int) -> None:
    code = opened(name, load_address)
    for function, symbol, line in (
        ("add", "_Z3addii", 30),
        ("use", "_Z3usei", 35),
        ("tripled", "_Z7tripledi", 24),
        ("twice<int>", "_Z5twiceIiET_S0_", 19),
    ):
        (result,) = code.file.symbols_named(symbol)
        pc = result.address + load_address
        subprogram = code.scopes.subprogram_at(pc)
        assert subprogram is not None and subprogram.name == function
        assert subprogram.ranges[0].begin == pc
        row = LineLookup(code.scopes).line_of(pc)
        assert row is not None and row.line == line
        text = symbol_text([code], pc + 4)
        assert text is not None and text.endswith("+4") and function in text
        assert code.info.call_frames.row_at(pc) is not None


def data(code: CodeObject, address: int, size_bytes: int) -> bytes:
    (segment,) = (e for e in code.loaded_segments() if 0 <= address - e.address < e.size_bytes)
    return segment.read(address - segment.address, size_bytes)


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("load_address", [0, 0x40000])
def test_initial_data_is_relocated(name: str, load_address: int) -> None:
    code = opened(name, load_address)

    def of(symbol: str) -> int:
        return code.file.symbols_named(symbol)[0].address + load_address

    assert data(code, of("corner"), 8) == pack("<II", 5, 6)
    assert data(code, of("zero"), 4) == bytes(4)
    assert data(code, of("place"), 8) == pack("<Q", of("corner"))
    assert data(code, of("inside"), 8) == pack("<Q", of("corner") + 4)
    assert data(code, of("inside") + 1, 2) == pack("<Q", of("corner") + 4)[1:3]
    assert data(code, of("callback"), 8) == pack("<Q", of("_Z7tripledi"))
    text = int.from_bytes(data(code, of("greeting"), 8), "little")
    assert data(code, text, 6) == b"hello\0"
    with pytest.raises(Unavailable, match=r"is not linked, and does not define elsewhere, on"):
        data(code, of("outside") + 7, 1)


def made(
    relocations: bytes, symbols: list[tuple[int, int, int]], section: bytes = bytes(16)
) -> ObjectFile:
    """An object with one section of data; symbols are section, value and type."""
    table = bytes(24) + b"".join(
        pack("<IBBHQQ", 1, kind, 0, index, value, 0) for index, value, kind in symbols
    )
    raw = bytearray(
        elf(
            {
                ".data": Content(section, 1, ALLOC | WRITE),
                ".more": Content(bytes(8), 1, ALLOC),
                ".tdata": Content(bytes(8), 1, ALLOC | TLS),
                ".bss": Content(b"", SHT_NOBITS, ALLOC | WRITE),
                ".rela.data": Content(relocations, 4, 0, 0, 6, 24),
                ".symtab": Content(table, 2, 0, 0, 7, 24),
                ".strtab": Content(b"\0name\0", 3),
            },
            machine=62,
            type=1,
        )
    )
    table_at = int.from_bytes(raw[40:48], "little")
    pack_into("<I", raw, table_at + 64 * 5 + 44, 1)  # sh_info: the section it is for
    return ObjectFile("made.o", bytes(raw))


def entry(offset: int, symbol: int, kind: int, addend: int = 0) -> bytes:
    return pack("<QQq", offset, symbol << 32 | kind, addend)


@pytest.mark.parametrize(
    ("symbol", "value"),
    [
        ((2, 3, 1), 19),  # in .more, which is behind the 16 bytes of .data
        ((1, 3, 1), 3),
        ((3, 3, 6), 3),  # thread-local: an offset
        ((0xFFF1, 0x77, 0), 0x77),  # SHN_ABS
    ],
)
def test_values_of_symbols(symbol: tuple[int, int, int], value: int) -> None:
    file = made(entry(8, 1, 1, 1), [symbol])
    data = ObjectData(file, 0)
    assert data.read(file.sections[1], 8, 8) == pack("<Q", value + 1)
    assert data.read(file.sections[1], 0, 8) == bytes(8)


@pytest.mark.parametrize("section", [0, 0xFF00, 0xFFF2])  # SHN_AMDGPU_LDS, SHN_COMMON
def test_symbols_of_other_files(section: int) -> None:
    file = made(entry(8, 1, 1), [(section, 8, 1)])
    data = ObjectData(file, 0)
    for offset, size_bytes in ((8, 1), (15, 1), (0, 9), (0, 16)):
        with pytest.raises(Unavailable, match=r"does not define name, on which \.data\+0x8"):
            data.read(file.sections[1], offset, size_bytes)
    assert data.read(file.sections[1], 0, 8) == bytes(8)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (0xFFFF, r"SHT_SYMTAB_SHNDX does not have the section of name, on which \.data\+0x8"),
        (77, r"name, on which \.data\+0x8 depends, is in section 77 of "),
    ],
)
def test_symbols_whose_section_the_file_does_not_say(section: int, message: str) -> None:
    """No address is made up for them, in debug sections either."""
    file = made(entry(8, 1, 1), [(section, 8, 1)])
    data = ObjectData(file, 0)
    for offset, size_bytes in ((8, 1), (15, 1), (0, 9), (0, 16)):
        with pytest.raises(Malformed, match=message):
            data.read(file.sections[1], offset, size_bytes)
    assert data.read(file.sections[1], 0, 8) == bytes(8)
    with pytest.raises(Malformed, match=message):
        relocated_data(file, ".data")


def test_an_unknown_relocation_costs_its_bytes_only() -> None:
    file = made(entry(4, 1, 77), [(1, 0, 1)])
    data = ObjectData(file, 0)
    with pytest.raises(Unsupported, match=r"made\.o: \S+: relocation type 77 of X86_64 is"):
        data.read(file.sections[1], 11, 1)
    assert data.read(file.sections[1], 0, 4) == bytes(4)
    assert data.read(file.sections[1], 12, 4) == bytes(4)


@pytest.mark.parametrize(
    ("relocation", "message"),
    [
        (entry(9, 1, 1), r"\.rela\.data relocates \.data\+0x9"),
        (entry(0, 2, 1), "names symbol 2 of 2"),
    ],
)
def test_broken_relocations(relocation: bytes, message: str) -> None:
    file = made(relocation, [(1, 0, 1)])
    with pytest.raises(Malformed, match=message):
        ObjectData(file, 0).read(file.sections[1], 0, 1)


@pytest.mark.parametrize("name", [".debug_info", ".debug_line"])
def test_a_table_of_relocations_that_names_another_section(name: str) -> None:
    """Functions were without names, and their addresses were 0."""
    data = bytearray(read_fixture(OBJECTS[0]))
    file = ObjectFile("made.o", bytes(data))
    [table] = file.sections_named(f".rela{name}")
    headers = int.from_bytes(data[0x28:0x30], "little")
    pack_into("<I", data, headers + 64 * table.index + 44, 1)  # sh_info
    damaged = ObjectFile("made.o", bytes(data))
    message = rf"made\.o: \.rela\{name} relocates section 1, {damaged.sections[1].name}$"
    with pytest.raises(Malformed, match=message):
        relocated_data(damaged, name)
    other = ".debug_info" if name == ".debug_line" else ".debug_line"
    assert relocated_data(damaged, other) == relocated_data(file, other)


def test_relocations_that_are_0() -> None:
    """Names were those at the beginning of .debug_str, and functions were not found."""
    data = bytearray(read_fixture(OBJECTS[0]))
    file = ObjectFile("made.o", bytes(data))
    [table] = file.sections_named(".rela.debug_info")
    begin = table.offset + 5 * 24
    data[begin : begin + 3 * 24] = bytes(3 * 24)
    message = r"made\.o: \.rela\.debug_info has 3 of \d+ relocations that are 0$"
    with pytest.raises(Malformed, match=message):
        relocated_data(ObjectFile("made.o", bytes(data)), ".debug_info")


@pytest.mark.parametrize("section", ["", ".debug_info", ".text.combine"])
def test_a_cubin_with_an_address_in_one_header(section: str) -> None:
    """All of its functions were at 0, as those of a file that is placed."""
    data = bytearray(read_fixture(CUBIN))
    file = ObjectFile("", bytes(data))
    header_at = (
        int.from_bytes(data[0x28:0x30], "little") + 64 * file.sections_by_name[section].index
    )
    pack_into("<Q", data, header_at + 16, 0x100)
    damaged = ObjectFile("", bytes(data))
    assert damaged.is_relocatable
    assert [one.address for one in damaged.sections] == [one.address for one in file.sections]


def test_an_address_of_another_file_is_nowhere() -> None:
    """In debug information it is in no section, and each symbol has one of its own."""
    file = made(entry(0, 1, 1) + entry(8, 2, 1, 4), [(0, 0, 1), (0, 0, 1)])
    (first, second) = (
        int.from_bytes(relocated_data(file, ".data")[at : at + 8], "little") for at in (0, 8)
    )
    assert min(first, second) >= 0x1000 and second - first == 16 + 4


GDB_FUNCTION = re.compile(r"Line (\d+) of .* starts at address (0x[0-9a-f]+) <(\w+)>")


@pytest.mark.parametrize("name", OBJECTS[:2])
def test_places_lines_and_data_like_gdb(name: str, tool: Callable[[str], str]) -> None:
    path, code = FIXTURES / name, opened(name)
    names = ["counter", "corner", "place", "zero", "greeting", "callback"]
    commands = [f"print/x (long)&{name}" for name in names]
    commands += [f"info line {text}" for text in ("add", "use", "tripled", "'twice<int>'")]
    commands += ["print corner", "print counter"]
    options = [part for command in commands for part in ("-ex", command)]
    done = subprocess.run(
        [tool("gdb"), "-nx", "-batch", *options, str(path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    addresses = [int(line.split()[-1], 16) for line in lines[: len(names)]]
    assert addresses == [code.file.symbols_named(name)[0].address for name in names]
    result = [GDB_FUNCTION.match(line) for line in lines[len(names) : len(names) + 4]]
    for item in result:
        assert item is not None
        line, address, symbol = int(item[1]), int(item[2], 16), item[3]
        row = LineLookup(code.scopes).line_of(address)
        assert row is not None and row.line == line
        assert code.file.symbols_named(symbol)[0].address == address
    assert lines[-2:] == ["$7 = {x = 5, y = 6}", "$8 = 41"]
