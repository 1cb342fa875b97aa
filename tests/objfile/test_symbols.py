"""Symbols by name and by address are those that a search of the whole table finds."""

from __future__ import annotations

from struct import Struct

import pytest

from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.symbols import StringTable, Symbol, SymbolTable
from tests.dwarf.builder import FIXTURES

FILES = (
    "index/symbols.gcc", "x86_64/demo.gcc.O2.v5", "hip/call.gfx942.O2.v5.co",
    "objects/placed.gcc.o", "aarch64_be/fields.clang.O0.v5",
)  # fmt: skip


def places(file: ObjectFile) -> list[Symbol]:
    return [each for each in file.symbols if each.section and each.name and each.kind != "other"]


@pytest.mark.parametrize("name", FILES)
def test_the_last_symbol_before_an_address(name: str) -> None:
    file = open_object(FIXTURES / name)
    known = places(file)
    assert known
    for wanted in known:
        for address in (wanted.address, wanted.address + 1, wanted.address - 1):
            found = file.symbol_before(address)
            before = [each for each in known if each.address <= address]
            if not before:
                assert found is None
                continue
            last = max(before, key=lambda each: (each.address, each.size_bytes > 0))
            assert found is not None
            assert (found.address, found.size_bytes > 0) == (last.address, last.size_bytes > 0)
            assert found in known


@pytest.mark.parametrize("name", FILES)
def test_symbols_by_name_and_by_how_it_begins(name: str) -> None:
    file = open_object(FIXTURES / name)
    known = places(file)
    for wanted in {each.name for each in known}:
        assert file.symbols_named(wanted) == tuple(e for e in known if e.name == wanted)
        assert set(file.symbols_named("", wanted[:3])) == {
            each for each in known if each.name.startswith(wanted[:3])
        }


def test_a_file_without_functions_and_objects() -> None:
    file = open_object(FIXTURES / "split/gcc5/a.dwo")
    assert file.symbols and file.symbol_before(1 << 40) is None and not file.symbols_named("a")


def test_names_are_printable_as_those_of_entries_are() -> None:
    names = StringTable("\0f\x1b\u202e".encode() + b"\xff\0plain\0", "a file")
    assert names.at(1) == r"f\x1b\u202e\\xff"
    assert names.at(8) == "plain"


def test_of_several_symbols_the_one_whose_name_is_last() -> None:
    names = b"\0own_twice\0untyped\0__clone3\0"
    form = Struct("<IBBHQQ")
    rows = [(5, 0x12), (1, 0x02), (19, 0x12), (11, 0x10)]  # twice, own_twice, __clone3, untyped
    data = b"".join(form.pack(name, info, 0, 1, 0x40, 8) for name, info in rows)
    data += form.pack(11, 0x12, 0, 1, 0x40, 0)  # without a size
    table = SymbolTable(data, StringTable(names, "names"), form, 64, ())
    found = table.before(0x41)
    assert found is not None and found.name == "twice"
