"""Which units a look-up by name or location reads: those of which an index, a symbol or their bytes
tell that they have it, and each once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random
from struct import pack_into
from typing import Any

import pytest

import dwarfgpu.dwarf.unit as unit_module
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.debug_names import NameIndex
from dwarfgpu.dwarf.index.gdb_index import GdbIndex
from dwarfgpu.dwarf.index.units_by_name import likely_units
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHT_SYMTAB
from dwarfgpu.session.session import Session
from tests.dwarf.builder import fixture, read_fixture
from tests.work import at_most, calls_of
from tools.bombs import addresses
from tools.bombs.model import Files

INDEXED = "index/gdb.gcc", "index/lld.clang", "index/symbols.gcc"
EVERY = (*INDEXED, "without")


def opened(name: str) -> DebugInfo:
    """A fixture, or one without an index of names."""
    if name != "without":
        return fixture(name)
    data = bytearray(read_fixture("index/symbols.gcc"))
    file = ObjectFile(name, bytes(data))
    table = int.from_bytes(data[40:48], "little")
    for section in file.sections:
        if section.type == SHT_SYMTAB:
            pack_into("<I", data, table + 64 * section.index + 4, 0)
        elif section.name == ".debug_aranges":
            pack_into("<Q", data, table + 64 * section.index + 32, 0)
    return DebugInfo.of(ObjectFile(name, bytes(data)))


def session(info: DebugInfo) -> Session:
    """Without a machine."""
    assert info.architecture is not None
    code_object = CodeObject(info.object, info, Scopes(info), 0)
    return Session(info.architecture, (code_object,))


def read(info: DebugInfo) -> list[str]:
    """The units whose entries were read."""
    return [unit.name for unit in info.units if "tree" in vars(unit)]


@pytest.mark.parametrize("file", INDEXED)
@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("x", ["a.cpp"]),  # b.cpp declares it
        ("y", ["b.cpp"]),  # one letter, and no unit before it is read
        ("corner", ["a.cpp"]),
        ("::y", ["b.cpp"]),
    ],
)
def test_units_read_for_a_global(file: str, name: str, units: list[str]) -> None:
    info = opened(file)
    variable = global_named(info, name)
    assert variable is not None and variable.unit.name == units[0]
    assert read(info) == units


@pytest.mark.parametrize("file", INDEXED)
@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("x", ["a.cpp"]),
        ("y", ["b.cpp"]),  # one letter, and no unit before it is read
        ("corner", ["a.cpp"]),
        ("::y", ["b.cpp"]),
        ("outer::inner", ["b.cpp"]),
        ("second", ["b.cpp"]),
    ],
)
def test_units_read_for_a_meaning(file: str, name: str, units: list[str]) -> None:
    info = opened(file)
    (result,) = NameLookup((info,)).of(name)
    assert result.unit.name == units[0]
    assert read(info) == units


@pytest.mark.parametrize("file", INDEXED)
@pytest.mark.parametrize(
    ("name", "units"),
    [("outer::inner", ["b.cpp"]), ("outer::(anonymous namespace)::hidden", ["a.cpp"])],
)
def test_units_read_for_a_qualified_name(file: str, name: str, units: list[str]) -> None:
    info = opened(file)
    variable = global_named(info, name)
    assert variable is not None and read(info) == units


@pytest.mark.parametrize("file", EVERY)
@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("x", "a.cpp"),
        ("y", "b.cpp"),
        ("counter", "a.cpp"),  # the first of two
        ("limit", "a.cpp"),  # no symbol, and in no index of entries with an address
        ("depth", "a.cpp"),  # in an index as outer::depth
        ("inner", "b.cpp"),
        ("outer::depth", "a.cpp"),
        ("hidden", "a.cpp"),
    ],
)
def test_the_same_with_every_index_and_with_none(file: str, name: str, unit: str) -> None:
    variable = global_named(opened(file), name)
    assert variable is not None and variable.unit.name == unit


@pytest.mark.parametrize("file", EVERY)
@pytest.mark.parametrize("name", ["nothing", "value", "local", "i", "outer::x", ""])
def test_a_name_that_is_not_global_is_found_in_no_unit(file: str, name: str) -> None:
    assert global_named(opened(file), name) is None


@pytest.mark.parametrize("file", EVERY)
def test_functions_types_and_enumerators(file: str) -> None:
    info = opened(file)
    names = Names(session(info))
    (second,), (red,) = names.meaning("second"), names.meaning("red")
    assert second.unit.name == "b.cpp" and names.is_type("Point")
    assert isinstance(red, Die) and names.enumerator(red)[1] == 0


@pytest.mark.parametrize("file", INDEXED)
def test_units_read_for_a_function(file: str) -> None:
    info = opened(file)
    assert Names(session(info)).meaning("second")
    assert read(info) == ["b.cpp"]


@pytest.mark.parametrize("file", INDEXED)
@pytest.mark.parametrize(("symbol", "unit"), [("_start", "a.cpp"), ("_Z6secondi", "b.cpp")])
def test_units_read_for_a_location(file: str, symbol: str, unit: str) -> None:
    info = opened(file)
    (result,) = info.object.symbols_named(symbol)
    subprogram = Scopes(info).subprogram_at(result.address)
    assert subprogram is not None and subprogram.unit.name == unit
    assert read(info) == [unit]
    # not even the own entries of others: the address area or .debug_aranges suffices
    assert [unit.name for unit in info.units if "root" in vars(unit)] == [unit]


@pytest.mark.parametrize("file", EVERY)
@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("x", ["a.cpp"]),  # b.cpp declares it
        ("y", ["b.cpp"]),  # a.cpp has a member of that name
        ("counter", ["a.cpp", "b.cpp"]),
        ("i", ["a.cpp", "b.cpp"]),
        ("outer::inner", ["b.cpp"]),
        ("value", []),
        ("value<int>", []),
        ("nosuch<x>", []),
    ],
)
def test_units_read_by_where(file: str, name: str, units: list[str]) -> None:
    info = opened(file)
    result = [
        variable.unit
        for variable in find_variables(Scopes(info), Wanted((name,)))
        if variable.groups
    ]
    assert [unit.name for unit in result if unit is not None] == units
    if file != "index/lld.clang":  # names by index: their bytes do not show them
        assert read(info) == units


def test_nothing_is_parsed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look-up that reads every unit, then each of its entries, parses each unit once."""
    parsed: list[int] = []
    read_tree = unit_module.read_tree

    def counting(data: bytes, position: int, *rest: object) -> object:
        parsed.append(position)
        return read_tree(data, position, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(unit_module, "read_tree", counting)
    info = opened("index/symbols.gcc")
    scopes = Scopes(info)
    for name in ("counter", "limit", "inner", "nothing", "value", "x", "y"):
        global_named(scopes.info, name)
    for symbol in ("_start", "_Z6secondi", "_Z5firsti"):
        (result,) = info.object.symbols_named(symbol)
        scopes.variables_at(result.address)
    assert sorted(parsed) == [unit.header.entries_at for unit in info.units]


@pytest.mark.parametrize("name", ["y", "corner"])
@pytest.mark.parametrize("kind", [GdbIndex, NameIndex])
def test_the_unit_of_a_symbol_comes_before_those_of_an_index(
    kind: type[GdbIndex | NameIndex], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Indexes also name units that only declare a variable; in files of Debian they come first."""
    info = opened("index/symbols.gcc")
    monkeypatch.setattr(kind, "units_named", lambda self, name: iter(info.units))
    units = list(likely_units(info, name))
    assert units[0].name == {"y": "b.cpp", "corner": "a.cpp"}[name]
    assert units[0] in info.units and len(units) == len(info.units) > 1


def test_units_of_an_address_are_found_one_by_one() -> None:
    """A search that ends at the first unit does not pay for those after it."""

    class Counted(bytes):
        searches = 0

        def find(self, *arguments: Any) -> int:
            Counted.searches += 1
            return super().find(*arguments)

    info = opened("index/symbols.gcc")
    info.sections._data[".debug_info"] = Counted(info.section(".debug_info"))
    units = likely_units(info, "x")  # of the first one
    next(units)
    assert Counted.searches == 1
    list(units)
    assert Counted.searches > 1


@pytest.mark.parametrize("kind", [GdbIndex, NameIndex])
def test_hints_of_a_hostile_index_are_few(
    kind: type[GdbIndex | NameIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that names a unit over and over costs no more than one that names many."""
    info = opened("index/symbols.gcc")
    asked = 0

    def endless(self: object, name: str) -> object:
        nonlocal asked
        while True:
            asked += 1
            yield info.units[0]

    monkeypatch.setattr(kind, "units_named", endless)
    assert global_named(info, "nothing") is None
    assert asked == 64


@pytest.mark.parametrize(
    ("name", "count"),
    [("x", 1), ("_Z6secondi", 1), ("second", 0), ("", 0), ("a.cpp", 0), ("_ZL7counter", 2)],
)
def test_symbols_by_name(name: str, count: int) -> None:
    file = opened("index/symbols.gcc").object
    symbols = file.symbols_named(name)
    assert len(symbols) == count
    assert (
        symbols
        == tuple(symbol for symbol in file.symbols if symbol.name == name and symbol.section)[
            :count
        ]
    )


@pytest.mark.parametrize(
    ("file", "section", "size_bytes"),
    [("index/gdb.gcc", ".debug_aranges", 96), ("index/lld.clang", ".gdb_index", 120)],
)
def test_an_index_that_gives_a_unit_too_much_is_not_believed(
    file: str, section: str, size_bytes: int
) -> None:
    """A range up to the middle of all addresses contains the variables of every unit: the unit
    behind it is not that of a static variable of two. The first bytes have units and addresses."""
    original = read_fixture(file)
    start = ObjectFile(file, original).sections_by_name[section].offset
    for at in range(start, start + size_bytes):
        for bit in (0x80, 0x04):
            data = bytearray(original)
            data[at] ^= bit
            info = DebugInfo.of(ObjectFile(file, bytes(data)))
            variable = global_named(info, "counter")
            assert variable is not None and variable.unit.name == "a.cpp", at - start
            (meaning,) = NameLookup((info,)).of("counter")
            assert meaning.unit.name == "a.cpp", at - start


@pytest.mark.parametrize("file", ["index/gdb.gcc", "index/lld.clang", "index/symbols.gcc"])
def test_damaged_indexes_and_symbols(file: str) -> None:
    """Whatever they contain, names are found or a DwarfGpuError is raised."""
    random = Random(20261120)
    original = read_fixture(file)
    damaged = [
        section
        for section in ObjectFile(file, original).sections
        if section.name in (".gdb_index", ".symtab", ".strtab", ".debug_aranges")
    ]
    for _ in range(60):
        data = bytearray(original)
        for _ in range(random.choice((1, 4, 16))):
            section = random.choice(damaged)
            at = section.offset + random.randrange(section.size_bytes)
            data[at] = random.choice((0, 1, 0x7F, 0xFF, random.randrange(256)))
        info = DebugInfo.of(ObjectFile(file, bytes(data)))
        with at_most(400_000):
            for name, unit in (("x", "a.cpp"), ("y", "b.cpp"), ("outer::inner", "b.cpp")):
                variable = global_named(info, name)
                assert variable is not None and variable.unit.name == unit
            with suppress(DwarfGpuError):
                Scopes(info).variables_at(0x2000B4)


def test_addresses_that_no_unit_refers_to() -> None:
    """A symbol's address may be in a `.debug_addr` that no unit has a part in."""
    info = opened("index/symbols.gcc")
    (symbol,) = info.object.symbols_named("y")
    info.sections._data[".debug_addr"] = bytes(8) + symbol.address.to_bytes(8, "little")
    assert [unit.name for unit in likely_units(info, "y")][:1] == ["b.cpp"]


@pytest.mark.parametrize(
    "make", [addresses.behind_units, addresses.behind_addresses, addresses.across_addresses]
)
def test_the_bytes_of_an_address_that_no_unit_has(make: Callable[[int], Files]) -> None:
    """However many there are, no unit is looked for at each of them."""
    work = [calls_of(partial(_likely, make(count))) for count in (800, 800, 80_000)]
    assert work[2] <= work[1] + 100, work


def test_units_of_many_addresses_are_not_looked_for() -> None:
    """For each address all units would be."""
    work = [
        calls_of(partial(_likely, addresses.addresses_of_symbols(count)))
        for count in (10, 10, 100, 1_000)
    ]
    assert work[3] - work[2] <= 30 * 900, work


def _likely(files: Files) -> list[CompilationUnit]:
    return [*likely_units(DebugInfo.of(ObjectFile("bomb", files["bomb"])), "x")]
