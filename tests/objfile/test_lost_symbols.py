"""Symbol tables that were overwritten, and where commands say so."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHF_ALLOC
from dwarfgpu.objfile.lost_symbols import damaged_symbols
from tests.check.made import findings, verdict_on
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES, read_fixture

NEST, CORE = "hip/nest.gfx942.O2.v5.co", "core/crash.x86_64.O2"
CUBIN = "nvidia/combine.sm_90.cubin"
PATTERNS = ("hip/*.co", "core/*.O[02]", "nvidia/*.cubin", "objects/*.o", "aarch64_be/*")
LOST = "symbols may be lost or have wrong names"
Fill = Callable[[int], bytes]


def text(size_bytes: int) -> bytes:
    return (b"overwritten by text " * size_bytes)[:size_bytes]


def ones(size_bytes: int) -> bytes:
    return b"\xff" * size_bytes


def overwritten(fixture: str, section: str, fill: Fill, begin: int = 0, end: int = 0) -> bytes:
    """A fixture in which a part of a section, to its end without `end`, was overwritten."""
    data = bytearray(read_fixture(fixture))
    found = ObjectFile("", bytes(data)).sections_by_name[section]
    size_bytes = (end or found.size_bytes) - begin
    at = found.offset + begin
    data[at : at + size_bytes] = fill(size_bytes)
    return bytes(data)


def without_link() -> bytes:
    """A fixture whose symbol table names no string table: sh_link is a field of its header."""
    data = bytearray(read_fixture(NEST))
    index = ObjectFile("", bytes(data)).sections_by_name[".symtab"].index
    at = int.from_bytes(data[40:48], "little") + 64 * index + 40
    data[at : at + 4] = bytes(4)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (overwritten(NEST, ".symtab", ones), "6 of 6 symbols with names outside of .strtab"),
        (overwritten(NEST, ".symtab", text), "6 of 6 symbols with names outside of .strtab"),
        (overwritten(NEST, ".symtab", bytes), "5 of 6 symbols that are 0"),
        (overwritten(CORE, ".symtab", bytes, 240), "11 of 21 symbols that are 0"),
        (without_link(), "no string table: section 0 is none"),
        (overwritten(NEST, ".strtab", bytes), "5 of 6 symbols whose names in .strtab are 0"),
        (overwritten(NEST, ".strtab", text), "a string table, .strtab, that does not begin and "),
        (overwritten(NEST, ".strtab", ones, 4), "a string table, .strtab, that does not begin and"),
    ],
    ids=["ones", "text", "zeros", "half", "link", "names", "text-names", "unended-names"],
)
def test_a_table_that_was_overwritten(data: bytes, fault: str) -> None:
    damage = damaged_symbols(ObjectFile("f", data))
    assert damage is not None and damage.message.startswith(f"f: .symtab has {fault}")
    [found] = [found for found in findings(verdict_on(data)) if found.rule == "lost-section"]
    assert found.severity == "error"


def test_a_section_that_the_file_does_not_have() -> None:
    data = overwritten(NEST, ".symtab", ones, 24 + 6, 24 + 7)
    damage = damaged_symbols(ObjectFile("f", data))
    assert damage is not None
    assert "1 of 6 symbols of sections that the file does not have" in damage.message


@pytest.mark.parametrize(
    ("fixture", "begin", "end", "fault"),
    [
        (NEST, 48, 64, "1 of 6 symbols that are local, behind the last local one (sh_info)"),
        (NEST, 48, 72, "1 of 6 symbols that are 0"),
        (NEST, 48, 96, "2 of 6 symbols that are 0"),
        (NEST, 48, 52, "1 of 6 symbols with a size and no name"),
        (NEST, 24, 28, None),  # `_DYNAMIC` has no size
        (CORE, 48, 64, "1 of 21 symbols with a size and no name"),
    ],
)
def test_a_few_symbols_that_were_overwritten(
    fixture: str, begin: int, end: int, fault: str | None
) -> None:
    """System V ABI: sh_info is one more than the index of the last local symbol."""
    data = overwritten(fixture, ".symtab", bytes, begin, end)
    damage = damaged_symbols(ObjectFile("f", data))
    assert fault is None if damage is None else fault is not None and fault in damage.message


@pytest.mark.parametrize(
    ("section", "is_damage"), [(".debug_str", False), (".text", True), (".symtab", False)]
)
def test_symbols_of_debug_sections_without_a_name(section: str, is_damage: bool) -> None:
    """mold gives each of them a zero byte of `.strtab`."""
    data = bytearray(overwritten(NEST, ".strtab", bytes))
    file = ObjectFile("", bytes(data))
    table, index = file.sections_by_name[".symtab"], file.sections_by_name[section].index
    for at in range(24, table.size_bytes, 24):
        struct.pack_into("<H", data, table.offset + at + 6, index)
    damage = damaged_symbols(ObjectFile("f", bytes(data)))
    assert (damage is not None and "names in .strtab are 0" in damage.message) is is_damage


@pytest.mark.parametrize(
    ("fixture", "kind", "is_damage"),
    [
        (CORE, 0x17, True),  # type 7
        (CORE, 0x32, True),  # binding 3
        (CORE, 0xFF, True),  # for processors, and the supplement of x86-64 defines none
        (CORE, 0xA1, False),  # STB_GNU_UNIQUE
        (CORE, 0x1A, False),  # STT_GNU_IFUNC
        (NEST, 0x1A, False),  # STT_AMDGPU_HSA_KERNEL
        (NEST, 0x1D, False),
        (NEST, 0x97, True),
    ],
)
def test_types_and_bindings_without_a_meaning(fixture: str, kind: int, is_damage: bool) -> None:
    """They are of no function: the name of one before it would be shown."""
    last = ObjectFile("", read_fixture(fixture)).sections_by_name[".symtab"].size_bytes - 24
    data = overwritten(fixture, ".symtab", lambda _: bytes([kind]), last + 4, last + 5)
    damage = damaged_symbols(ObjectFile("f", data))
    assert (damage is not None) is is_damage
    if damage is not None:
        assert "symbols of types or bindings without a meaning: symbols may" in damage.message


def test_without_sh_info_no_symbol_is_behind_the_last_local_one() -> None:
    """`perf inject --jit` leaves it 0."""
    data = bytearray(overwritten(NEST, ".symtab", bytes, 48, 64))
    index = ObjectFile("f", bytes(data)).sections_by_name[".symtab"].index
    struct.pack_into("<I", data, int.from_bytes(data[40:48], "little") + 64 * index + 44, 0)
    damage = damaged_symbols(ObjectFile("f", bytes(data)))
    assert damage is None or "sh_info" not in damage.message


def test_functions_at_0() -> None:
    """Their sections begin behind it; a value of 0 is right for symbols of other files."""
    table = ObjectFile("", read_fixture(CORE)).sections_by_name[".symtab"]
    symbols = read_fixture(CORE)[table.offset : table.offset + table.size_bytes]
    functions = [at for at in range(0, len(symbols), 24) if symbols[at + 4] & 15 == 2]
    data = overwritten(CORE, ".symtab", bytes, functions[0] + 8, functions[0] + 16)
    damage = damaged_symbols(ObjectFile("f", data))
    assert damage is not None
    expected = "1 of 21 symbols that are functions at 0, outside of their section"
    assert expected in damage.message


@pytest.mark.parametrize("fixture", [CORE, CUBIN])
def test_functions_behind_their_section(fixture: str) -> None:
    """The last function of each was lost, and its address was none."""
    data = read_fixture(fixture)
    table = ObjectFile("", data).sections_by_name[".symtab"]
    symbols = data[table.offset : table.offset + table.size_bytes]
    at = max(at for at in range(0, len(symbols), 24) if symbols[at + 4] & 15 == 2)
    damage = damaged_symbols(
        ObjectFile("f", overwritten(fixture, ".symtab", ones, at + 8, at + 24))
    )
    assert damage is not None
    assert "symbols that are functions behind their section" in damage.message


def test_sections_without_a_size_have_no_end() -> None:
    """`objcopy --extract-symbol` leaves them so, and all symbols."""
    data = bytearray(read_fixture(CORE))
    table = int.from_bytes(data[40:48], "little")
    for section in ObjectFile("", bytes(data)).sections:
        if section.flags & SHF_ALLOC:
            struct.pack_into("<Q", data, table + 64 * section.index + 32, 0)
    assert damaged_symbols(ObjectFile("f", bytes(data))) is None


def test_a_relocatable_file_says_so_in_every_answer(tmp_path: Path) -> None:
    """Its relocations are read from the symbols: a function was at the address of another one."""
    path = tmp_path / "a.cubin"
    path.write_bytes(overwritten(CUBIN, ".symtab", bytes, 8 * 24, 11 * 24))
    for command in (
        ("where", path, "--all"),
        ("frames", path),
        ("eval", path, "sizeof(int)"),
        ("debug", path, "--batch", "-ex", "info line twice", "-ex", "info line twice"),
    ):
        done = run(*command)
        assert (done.out + done.err).count("3 of 27 symbols that are 0") == 1, command


def test_info_and_disas_say_so(tmp_path: Path) -> None:
    (path := tmp_path / "f.co").write_bytes(overwritten(NEST, ".symtab", ones))
    done = run("info", path)
    fault = f".symtab has 6 of 6 symbols with names outside of .strtab: {LOST}"
    assert done.out.count(f"problem: Malformed: {path}: {fault}") == 1 and done.status == 1
    assert f"note: Malformed: {path}: {fault}" in run("disas", path).err
    (path := tmp_path / "crash").write_bytes(overwritten(CORE, ".strtab", bytes))
    assert (
        f"problem: Malformed: {path}: .symtab has 19 of 21 symbols whose" in run("info", path).out
    )


def test_the_prompt_says_so_once_symbols_are_asked_for(tmp_path: Path) -> None:
    (path := tmp_path / "crash").write_bytes(overwritten(CORE, ".symtab", ones))
    core = FIXTURES / "core/crash.x86_64.O2.core"
    note = "not all symbols can be read: Malformed"
    done = run("debug", path, core, "--batch", "-ex", "info symbol 0x7ffff7ffa03f", "-ex", "bt")
    assert done.err.count(note) == 1
    done = run("debug", path, core, "--batch", "-ex", "p nosuch", "-ex", "info symbol begin")
    assert "Not searched: Malformed" in done.err


@pytest.mark.parametrize("pattern", PATTERNS)
def test_tables_of_producers_are_sound(pattern: str) -> None:
    paths = sorted(FIXTURES.glob(pattern))
    assert paths
    for path in paths:
        data = path.read_bytes()
        if data[:4] == b"\x7fELF":
            assert damaged_symbols(ObjectFile(str(path), data)) is None
