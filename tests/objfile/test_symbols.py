"""Symbols by name and by address are those that a search of the whole table finds."""

from __future__ import annotations

from collections.abc import Collection
from struct import Struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwarfgpu.objfile import symbol_addresses, symbol_names
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.string_table import StringTable
from dwarfgpu.objfile.symbol_entries import UNKNOWN_SECTION, SymbolEntries
from dwarfgpu.objfile.symbol_names import SymbolNames
from dwarfgpu.objfile.symbols import Symbol, SymbolTable
from tests.dwarf.builder import FIXTURES
from tests.work import calls_of

FILES = (
    "index/symbols.gcc", "x86_64/demo.gcc.O2.v5", "hip/call.gfx942.O2.v5.co",
    "objects/placed.gcc.o", "aarch64_be/fields.clang.O0.v5",
)  # fmt: skip


def has_index(table: SymbolTable, index: str) -> bool:
    """Whether the symbols of a table were sorted."""
    return index in vars(table._by_address)


def places(file: ObjectFile) -> list[Symbol]:
    return [
        symbol
        for symbol in file.symbols
        if symbol.section and symbol.name and symbol.kind in ("function", "object")
    ]


@pytest.mark.parametrize("name", FILES)
def test_the_last_symbol_before_an_address(name: str) -> None:
    file = open_object(FIXTURES / name)
    known = places(file)
    assert known
    for expected in known:
        for address in (expected.address, expected.address + 1, expected.address - 1):
            symbol_before = file.symbol_before(address)
            before = [symbol for symbol in known if symbol.address <= address]
            if not before:
                assert symbol_before is None
                continue
            last = max(before, key=lambda symbol: (symbol.address, symbol.size_bytes > 0))
            assert symbol_before is not None
            assert (symbol_before.address, symbol_before.size_bytes > 0) == (
                last.address,
                last.size_bytes > 0,
            )
            assert symbol_before in known


@pytest.mark.parametrize("name", FILES)
def test_the_first_addresses_are_looked_for_in_the_unsorted_table(name: str) -> None:
    addresses = {symbol.address + more for symbol in open_object(FIXTURES / name).symbols
                 for more in (-1, 0, 1)}  # fmt: skip
    sorted_file = open_object(FIXTURES / name)
    for _ in range(symbol_addresses._MAX_SCANS):
        sorted_file.symbol_before(0)
    for number, address in enumerate(sorted(addresses)):
        if number % symbol_addresses._MAX_SCANS == 0:
            file = open_object(FIXTURES / name)
        assert file.symbol_before(address) == sorted_file.symbol_before(address)


NESTED = [(0x10, 0x40), (0x11, 1), (0x12, 0), (0x20, 8), (0x22, 2), (0x24, 1), (0x28, 0), (0x60, 4)]
"""Addresses and sizes of functions: behind two inside another one, GDB finds none of them."""


@pytest.mark.parametrize("scans", [0, symbol_addresses._MAX_SCANS])
def test_the_innermost_symbol_that_covers_an_address(
    monkeypatch: pytest.MonkeyPatch, scans: int
) -> None:
    """Whether the symbols are sorted or not."""
    monkeypatch.setattr(symbol_addresses, "_MAX_SCANS", scans)
    form = Struct("<IBBHQQ")
    data = b"".join(form.pack(1, 0x12, 0, 1, *span) for span in reversed(NESTED))
    for address in range(0x0F, 0x68):
        table = SymbolTable(SymbolEntries(data, StringTable(b"\0f\0", "names"), form, 64, ()))
        covering = [span for span in NESTED if span[0] <= address < span[0] + span[1]]
        symbol = table.covering(address)
        found = None if symbol is None else (symbol.address, symbol.size_bytes)
        assert found == (max(covering) if covering else None)
        assert has_index(table, "_sized") == (not scans)


@pytest.mark.parametrize("few", [1, 2, 1_000])
@pytest.mark.parametrize("names", ["fgh", "hgf", "ffgghh", "hhggff", "hfhg", "ghhfh", "fhhh", "ff"])
def test_many_symbols_of_one_address_are_chosen_between_by_name(
    monkeypatch: pytest.MonkeyPatch, names: str, few: int
) -> None:
    """As a few are, whether local or not, also where a name is twice in the table of strings."""
    form, strings = Struct("<IBBHQQ"), b"\0f\0g\0h\0h\0"
    places = {"f": [1], "g": [3], "h": [5, 7]}
    for infos in ([0x12], [2], [0x12, 2], [2, 0x12, 0x12]):
        rows = [
            form.pack(places[name][number % len(places[name])], infos[number % len(infos)],
                      0, 1, 0x10, 4 + number % 2)
            for number, name in enumerate(names)
        ]  # fmt: skip
        found = []
        for most in (1_000, few):
            monkeypatch.setattr(symbol_addresses, "_FEW", most)
            names_of = StringTable(strings, "names")
            table = SymbolTable(SymbolEntries(b"".join(rows), names_of, form, 64, ()))
            found.append((table.before(0x11), table.covering(0x11)))
        assert found[0] == found[1]
        assert None not in found[0]


def test_many_symbols_of_one_address_cost_few_calls() -> None:
    def calls(count: int) -> int:
        table = table_of([(1, 0x10), (3, 0x10)] * count)
        return calls_of(lambda: table.before(0x11))

    assert calls(2_000) < calls(200) + 5 * 2 * 1_800


def test_symbols_without_names_are_passed_over() -> None:
    """Up to a number of them; then the table is sorted, as for many look-ups."""
    form = Struct("<IBBHQQ")
    rows = [(1, 0x12, 0x10), *((0, 0x12, 0x20 + number) for number in range(20))]
    data = b"".join(form.pack(name, info, 0, 1, address, 0) for name, info, address in rows)
    for address, is_sorted in ((0x10, False), (0x25, False), (0x30, True), (0xF, False)):
        table = SymbolTable(SymbolEntries(data, StringTable(b"\0f\0", "names"), form, 64, ()))
        before = table.before(address)
        assert (before is None) == (address == 0xF)
        assert has_index(table, "_by_address") == is_sorted
    table = SymbolTable(SymbolEntries(data, StringTable(b"\0f\0", "names"), form, 64, ()))
    for _ in range(symbol_addresses._MAX_SCANS):
        table.before(0x10)
        assert not has_index(table, "_by_address")
    table.before(0x10)
    assert has_index(table, "_by_address")


@pytest.mark.parametrize("name", FILES)
def test_symbols_by_name_and_by_how_it_begins(name: str) -> None:
    file = open_object(FIXTURES / name)
    known = places(file)
    for expected in {symbol.name for symbol in known}:
        assert file.symbols_named(expected) == tuple(e for e in known if e.name == expected)
        assert set(file.symbols_named("", expected[:3])) == {
            symbol for symbol in known if symbol.name.startswith(expected[:3])
        }


def table_of(rows: list[tuple[int, int]], order: str = "<") -> SymbolTable:
    """Symbols with a name's offset and a value each, all functions; the names are `f` and `g`."""
    form = Struct(f"{order}IBBHQQ")
    data = b"".join(form.pack(name, 0x12, 0, 1, value, 0) for name, value in rows)
    return SymbolTable(SymbolEntries(data, StringTable(b"\0f\0g\0", "names"), form, 64, ()))


@pytest.mark.parametrize("order", ["<", ">"])
def test_the_bytes_of_a_name_in_other_fields_are_not_a_name(order: str) -> None:
    """1 is the offset of a name, and a value; 0x100 has its bytes from the second one on."""
    rows = [(3, 1), (1, 0x0100), (0x100, 1 << 32), (1, 3), (3, 0x01000000)]
    for repeats in (1, symbol_names._MAX_MISSES):  # then all names are compared
        table = table_of(rows * repeats, order)
        for name, offset in (("f", 1), ("g", 3)):
            same = table.named(name, ())
            values = [value for name_at, value in rows * repeats if name_at == offset]
            assert [symbol.address for symbol in same] == values
            assert {symbol.name for symbol in same} == {name}


def test_a_name_reads_the_fields_of_its_symbols_alone() -> None:
    def calls(count: int) -> int:
        table = table_of([(1, 0x10), *((3, 0x1000 + number) for number in range(count))])
        return calls_of(lambda: table.named("f", ()))

    assert calls(2_000) == calls(20)


def test_the_value_of_a_thread_local_symbol_is_no_address() -> None:
    """It is an offset in the thread-local storage (System V ABI, "Symbol Values")."""
    form = Struct("<IBBHQQ")
    rows = ((1, 0x12, 0x10, 0x40), (3, 0x16, 0x20, 8))  # a function, a thread-local object
    data = b"".join(form.pack(name, info, 0, 1, value, size) for name, info, value, size in rows)
    table = SymbolTable(SymbolEntries(data, StringTable(b"\0f\0t\0", "names"), form, 64, ()))
    found = [table.before(0x21) for _ in range(symbol_addresses._MAX_SCANS + 1)]
    assert [symbol and symbol.name for symbol in found] == ["f"] * len(found)


def test_a_file_without_functions_and_objects() -> None:
    file = open_object(FIXTURES / "split/gcc5/a.dwo")
    assert file.symbols and file.symbol_before(1 << 40) is None and not file.symbols_named("a")


def test_names_are_printable_as_those_of_entries_are() -> None:
    names = StringTable("\0f\x1b\u202e".encode() + b"\xff\0plain\0", "a file")
    assert names.at(1) == r"f\x1b\u202e\xff"
    assert names.at(8) == "plain"


def test_of_several_symbols_the_one_whose_name_is_last() -> None:
    names = b"\0own_twice\0untyped\0__clone3\0"
    form = Struct("<IBBHQQ")
    rows = [(5, 0x12), (1, 0x02), (19, 0x12), (11, 0x10)]  # twice, own_twice, __clone3, untyped
    data = b"".join(form.pack(name, info, 0, 1, 0x40, 8) for name, info in rows)
    data += form.pack(11, 0x12, 0, 1, 0x40, 0)  # without a size
    table = SymbolTable(SymbolEntries(data, StringTable(names, "names"), form, 64, ()))
    before = table.before(0x41)
    assert before is not None and before.name == "twice"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(1, 0x12, 8), (3, 0x02, 8)], "f"),
        ([(1, 0x22, 8), (3, 0x02, 8)], "f"),  # a weak one
        ([(1, 0x12, 8), (3, 0x12, 8)], "f.localalias"),
        ([(1, 0x02, 8), (3, 0x02, 8)], "f.localalias"),
        ([(1, 0x11, 8), (3, 0x01, 8)], "f.localalias"),  # objects
        ([(1, 0x12, 9), (3, 0x02, 8)], "f.localalias"),  # not all of it
        ([(3, 0x12, 8), (1, 0x02, 8)], "f.localalias"),
    ],
)
def test_a_local_alias_gives_way_to_its_function(
    rows: list[tuple[int, int, int]], expected: str
) -> None:
    """As GDB's lookup_minimal_symbol_by_pc_section."""
    form = Struct("<IBBHQQ")
    data = b"".join(form.pack(name, info, 0, 1, 0x40, size) for name, info, size in rows)
    names = StringTable(b"\0f\0f.localalias\0", "names")
    unsorted = SymbolTable(SymbolEntries(data, names, form, 64, ())).before(0x41)
    table = SymbolTable(SymbolEntries(data, names, form, 64, ()))
    table._by_address._remaining = 0
    assert unsorted == table.before(0x41)
    assert unsorted is not None and unsorted.name == expected


def test_a_name_is_searched_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one without symbols; with and without untyped ones the answers differ."""
    form = Struct("<IBBHQQ")
    data = b"".join(form.pack(1, info, 0, 1, 0x40 * info, 8) for info in (0x12, 0x10))
    table = SymbolTable(SymbolEntries(data, StringTable(b"\0f\0", "names"), form, 64, ()))
    searches = 0
    search = SymbolNames.beginning

    def counted(self: SymbolNames, texts: Collection[str]) -> list[int]:
        nonlocal searches
        searches += 1
        return search(self, texts)

    monkeypatch.setattr(SymbolNames, "beginning", counted)
    for _ in range(3):
        assert [symbol.kind for symbol in table.named("f", ())] == ["function"]
        assert len(table.named("f", (), with_untyped=True)) == 2
        assert table.named("g", ()) == () and len(table.named("", ("f",))) == 1
    assert searches == 4


@pytest.mark.parametrize("spellings", [("{}\0", "{}@"), ("_Z3{}", "_Z4{}"), ("{}a", "{}b")])
def test_the_common_end_of_long_names_is_read_once(spellings: tuple[str, str]) -> None:
    form = Struct("<IBBHQQ")
    names = SymbolNames(SymbolEntries(b"", StringTable(b"\0a\0", "names"), form, 64, ()))

    def work(length: int) -> int:
        texts = [spelling.format("v" * length).encode() for spelling in spellings]
        return calls_of(lambda: names.beginning(texts))

    assert work(100_000) == work(10)


def test_strings_without_the_end_of_all_spellings_are_searched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form = Struct("<IBBHQQ")
    strings = b"\0_ZN1a1fEv\0f\0"
    data = b"".join(form.pack(name, 0x12, 0, 1, 0x40, 8) for name in (1, 11))
    table = SymbolTable(SymbolEntries(data, StringTable(strings, "names"), form, 64, ()))
    searched: list[bytes] = []
    offsets_of = symbol_names._offsets_of

    def counted(text: bytes, data: bytes) -> object:
        searched.append(text)
        return offsets_of(text, data)

    monkeypatch.setattr(symbol_names, "_offsets_of", counted)
    assert table.named("nosuch", ("_Z6nosuch", "_ZL6nosuch")) == ()
    assert searched == []
    assert [symbol.name for symbol in table.named("f", ("_Z1f",))] == ["f"]
    assert [symbol.name for symbol in table.named("a::f", ("_ZN1a1f",))] == ["_ZN1a1fEv"]
    assert [symbol.name for symbol in table.named("b::a", ("_ZN1a",))] == ["_ZN1a1fEv"]
    assert searched == [b"f\0", b"_Z1f", b"a::f\0", b"_ZN1a1f", b"b::a\0", b"_ZN1a"]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("bits", [32, 64])
def test_only_symbols_of_the_name_are_read(
    order: str, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In files of both byte orders and sizes: of the others the name or value alone is read."""
    form = Struct(order + ("IBBHQQ" if bits == 64 else "IIIBBH"))
    strings = b"\0f\0g\0"

    def row(name: int, address: int) -> bytes:
        wide = (name, 0x12, 0, 1, address, 8)
        return form.pack(*(wide if bits == 64 else (name, address, 8, 0x12, 0, 1)))

    data = b"".join(row(3 if number == 200 else 1, 0x1000 + 16 * number) for number in range(300))
    table = SymbolTable(SymbolEntries(data, StringTable(strings, "names"), form, bits, ()))
    numbers: list[int] = []
    fields_of = SymbolEntries.fields

    def counted(self: SymbolEntries, number: int) -> object:
        numbers.append(number)
        return fields_of(self, number)

    monkeypatch.setattr(SymbolEntries, "fields", counted)
    [symbol] = table.named("g", ())
    assert (symbol.name, symbol.address, symbol.size_bytes) == ("g", 0x1000 + 16 * 200, 8)
    assert numbers == [200]
    before = table.before(0x1000 + 16 * 7 + 3)
    assert before is not None and before.address == 0x1000 + 16 * 7
    assert set(numbers) == {7, 200}


@given(st.lists(st.text("abZ_1", min_size=1, max_size=4), max_size=8), st.data())
def test_a_text_that_no_name_contains_hides_no_other(names: list[str], data: st.DataObject) -> None:
    """The text that was absent last answers for the texts that contain it, and for no others."""
    form = Struct("<IBBHQQ")
    strings, rows = b"\0", b""
    for number, name in enumerate(names):
        rows += form.pack(len(strings), 0x12, 0, 1, number, 8)
        strings += name.encode() + b"\0"
    table = SymbolTable(SymbolEntries(rows, StringTable(strings, "names"), form, 64, ()))
    for text in data.draw(st.lists(st.text("abZ_1", min_size=1, max_size=3), max_size=6)):
        named = [symbol.name for symbol in table.named(text, (f"_Z{text}",))]
        assert named == [name for name in names if name == text or name.startswith(f"_Z{text}")]
        mangled = [symbol.name for symbol in table.mangled_with(text)]
        assert mangled == [name for name in names if name.startswith("_Z") and text in name[2:]]


def test_strings_without_a_text_are_searched_once() -> None:
    class Strings(bytes):
        searches = 0

        def __contains__(self, text: object) -> bool:
            Strings.searches += 1
            return super().__contains__(text)  # type: ignore[operator]

    names = StringTable(Strings(b"\0crash\0"), "names")
    table = SymbolTable(SymbolEntries(b"", names, Struct("<IBBHQQ"), 64, ()))
    assert table.named("nosuch", ()) == table.mangled_with("6nosuch") == ()
    assert Strings.searches == 1
    assert table.mangled_with("suc") == ()
    assert Strings.searches == 2


def test_a_string_that_contains_a_text_often_is_searched_once() -> None:
    class Strings(bytes):
        searches = 0

        def rfind(self, *arguments: object) -> int:
            Strings.searches += 1
            return super().rfind(*arguments)  # type: ignore[arg-type]

    form, names = Struct("<IBBHQQ"), b"\0_Z" + 1000 * b"1x" + b"\0_Zy1x\0"
    rows = b"".join(form.pack(name, 0x12, 0, 1, 0, 8) for name in (1, names.index(b"_Zy")))
    table = SymbolTable(SymbolEntries(rows, StringTable(Strings(names), "names"), form, 64, ()))
    assert [len(symbol.name) for symbol in table.mangled_with("1x")] == [2002, 5]
    assert Strings.searches <= 4


@pytest.mark.parametrize(
    ("section", "is_in_one"),
    [(0, False), (1, True), (0xFEFF, True), (0xFFF1, True), (-15, False), (UNKNOWN_SECTION, True)],
)
def test_a_section_whose_number_does_not_fit_into_the_field_is_one(
    section: int, is_in_one: bool
) -> None:
    assert Symbol("f", 0x1000, 4, "function", section, False).is_in_section is is_in_one


def test_sections_whose_number_is_elsewhere() -> None:
    """In a relocatable file of so many sections, SHT_SYMTAB_SHNDX has the number; one that it lacks
    makes an offset of the value that is no address."""
    form, strings = Struct("<IBBHQQ"), StringTable(b"\0low\0high\0absolute\0", "names")
    rows = b"".join(
        form.pack(name, 0x12, 0, section, 4, 8)
        for name, section in ((1, 7), (5, 0xFFFF), (10, 0xFFF1))
    )
    bases = [0x1000 * number for number in range(70_000)]
    table = SymbolTable(SymbolEntries(rows, strings, form, 64, bases))
    low, high, absolute = table.symbols
    assert [symbol.section for symbol in table.symbols] == [7, UNKNOWN_SECTION, -15]
    assert (low.address, absolute.address, absolute.is_absolute) == (0x7004, 4, True)
    nearest = table.before(0x7006), table.before(0xFFFF006), table.before(6)
    assert [symbol and symbol.name for symbol in nearest] == ["low", "low", "absolute"]

    table = SymbolTable(SymbolEntries(rows, strings, form, 64, bases, [0, 0xFFF1]))
    low, high, absolute = table.symbols
    assert (high.section, high.address, high.is_absolute) == (0xFFF1, 0xFFF1004, False)
    assert (low.address, absolute.is_absolute) == (0x7004, True)
    assert table.named("high", ()) == (high,)
    assert table.before(0xFFF1006) == high


ENDS = b"\0a\0a.kd\0b.kdx\0.kd\0c\xff.kd\0c\xff\0" + b"l" * 20_000 + b".kd\0cut.kd"
"""The names of kernels, of their descriptors, and such as only look like them."""


@pytest.mark.parametrize("order", ["<", ">"])
def test_symbols_by_how_their_names_end(order: str) -> None:
    """A name may be the end of another; a long one is cut, and one without an end is none."""
    form, long = Struct(f"{order}IBBHQQ"), ENDS.index(b"ll")
    offsets = (*range(long + 1), len(ENDS) - 12, len(ENDS) - 3, len(ENDS) + 9)
    data = b"".join(form.pack(offset, 0x12, 0, 1, 0, 0) for offset in offsets)
    table = SymbolTable(SymbolEntries(data, StringTable(ENDS, "names"), form, 64, ()))
    expected = [symbol for symbol in table if symbol.name.endswith(".kd")]
    assert {symbol.name for symbol in expected} >= {"a.kd", ".kd", r"c\xff.kd"}
    for _ in range(2):
        assert list(table.ending(".kd")) == expected
    assert list(table.ending(".nosuch")) == []


@pytest.mark.parametrize("names", [{"a"}, {"kd", "c"}, {r"c\xff", "a"}, {""}, {"nosuch"}, set()])
def test_symbols_that_have_one_of_some_names(names: set[str]) -> None:
    """Also names with escapes, which a file has otherwise, and none."""
    form = Struct("<IBBHQQ")
    data = b"".join(form.pack(name, 0x12, 0, 1, 0, 0) for name in range(ENDS.index(b"ll")))
    table = SymbolTable(SymbolEntries(data, StringTable(ENDS, "names"), form, 64, ()))
    assert list(table.called(names)) == [symbol for symbol in table if symbol.name in names]


@pytest.mark.parametrize("name", FILES)
def test_labels_are_the_named_symbols_of_sections(name: str) -> None:
    file = open_object(FIXTURES / name)
    assert list(file.labels()) == [
        (symbol.address, number, symbol.kind == "function")
        for number, symbol in enumerate(file.symbols)
        if symbol.name and symbol.is_in_section and not symbol.is_mark
    ]


@pytest.mark.parametrize(
    ("name", "is_hidden", "is_old"),
    [
        ("f", False, False),
        ("f", True, True),
        ("f@V1", False, True),
        ("f@@V2", False, False),
    ],
)
def test_versions_that_are_not_the_default(name: str, is_hidden: bool, is_old: bool) -> None:
    """A table that is too short has no version for the last symbols."""
    form, strings = Struct("<IBBHQQ"), StringTable(b"\0" + name.encode() + b"\0", "names")
    data = form.pack(1, 0x12, 0, 1, 0, 0) * 2
    versions = [0x8002 if is_hidden else 2]
    table = SymbolTable(SymbolEntries(data, strings, form, 64, (), versions=versions))
    assert [symbol.is_old_version for symbol in table] == [is_old, "@V1" in name]
    assert list(table.named(name, ())) == list(table)
