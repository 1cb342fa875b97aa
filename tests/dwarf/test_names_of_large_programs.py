"""How many units of a large program are read for a name. Units are counted, not seconds."""

from __future__ import annotations

import gc
import inspect
import re
import shutil
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from struct import pack

import pytest

from dwarfgpu.base.suggest import KnownNames, did_you_mean
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import unit as unit_module
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index import string_index
from dwarfgpu.dwarf.index.units_by_name import (
    is_in_no_unit,
    mentioning_units,
    units_with_spellings,
)
from dwarfgpu.dwarf.names.typed_names import UnitNames, typed_names
from dwarfgpu.dwarf.scope import functions_by_name, symbol_list, unit_search
from dwarfgpu.dwarf.scope.functions_by_name import function_symbols, functions_named
from dwarfgpu.dwarf.scope.global_names import first_names
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.dwarf.scope.listed_symbol import Kind
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.scope.required_word import required_words
from dwarfgpu.dwarf.scope.searched_names import SearchedNames
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.units_on_demand import reporting_units
from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.symbols import Symbol
from dwarfgpu.repl.files import symbol_index
from dwarfgpu.repl.files.symbol_index import MAX_NAMES, SymbolIndex
from tests.dwarf.builder import FIXTURES, Content, Shape, abbreviations, elf, unit
from tests.work import calls_of
from tools.bombs.entries import methods

FILES = sorted(
    path for path in FIXTURES.glob("*/*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"
)[::9]
UNITS = 300
NAME, LOW, HIGH = (dw.AT_NAME, dw.FORM_STRP), (dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, 0x0B)
CODE = 0x4010000
"""No bytes of it are those of an offset of a string."""
C, CPLUSPLUS = 0x1D, 0x21


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Where the units start whose entries were read."""
    starts: list[int] = []
    original = unit_module.read_tree

    def counted(data: bytes, position: int, *rest: object) -> object:
        starts.append(position)
        return original(data, position, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(unit_module, "read_tree", counted)
    yield starts


def program(tmp_path: Path, language: int = C, *, has_malloc: bool = False) -> CodeObject:
    """Many units, each with a function, a variable, and a type of its own; `has_malloc`: all
    declare two functions; the last unit defines one of them."""
    strings = bytearray(256)  # the numbers below are in too many bytes

    def string(text: str) -> bytes:
        at = len(strings)
        strings.extend(text.encode() + b"\0")
        return pack("<I", at)

    shapes = (
        Shape(0x11, (NAME, (dw.AT_LANGUAGE, 0x0B)), has_children=True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT), NAME, LOW, HIGH)),
        Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, 0x0B))),
        Shape(
            dw.TAG_SUBPROGRAM,
            ((dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT), NAME, (dw.AT_DECLARATION, 0x19)),
        ),
    )
    info = b""
    malloc, calloc = string("malloc"), string("calloc")
    for index in range(UNITS):
        name = "main" if index == 7 else f"some_main_{index}"
        if language == CPLUSPLUS and index in (9, 11):
            name = "twice<int>" if index == 9 else "twice<long>"
        word = "colour_table" if index == 5 else f"shape_{index}"
        body = b"\1" + string(f"unit_{index}.c") + bytes((language,))
        body += b"\2" + string(name) + pack("<QB", CODE + 16 * index, 16)
        body += b"\3" + string(f"number_{index}x") + b"\x09\x03" + pack("<Q", 0x9000 + 8 * index)
        body += b"\4" + string(word) + b"\4"
        if has_malloc:
            body += b"\5" + malloc + b"\5" + calloc
            if index == UNITS - 1:
                body += b"\2" + calloc + pack("<QB", CODE, 8)
        info += unit(body + b"\0")
    if language == CPLUSPLUS:
        string("_Z1fv")
    path = tmp_path / "large"
    text = Content(bytes(16 * UNITS), 1, flags=6, address=CODE)
    path.write_bytes(elf({
        ".text": text, ".debug_info": info, ".debug_abbrev": abbreviations(*shapes),
        ".debug_str": bytes(strings),
    }, machine=62))  # fmt: skip
    return CodeObject.open(path)


def test_a_function(tmp_path: Path, read: list[int]) -> None:
    file = program(tmp_path)
    assert [function.entry for function in functions_named(file, "main")] == [CODE + 16 * 7]
    assert len(read) == 1
    assert functions_named(file, "nothing") == ()
    assert len(read) == 1


def test_what_a_name_denotes_is_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the file is open; another file, or the same one opened again, has an answer of its
    own."""
    searched: list[str] = []
    units_with_functions = functions_by_name.units_with_functions

    def counted(info: DebugInfo, name: str) -> Iterator[CompilationUnit]:
        searched.append(name)
        return units_with_functions(info, name)

    monkeypatch.setattr(functions_by_name, "units_with_functions", counted)
    file = program(tmp_path)
    [function] = functions_named(file, "main")
    assert functions_named(file, "main") == (function,)
    assert functions_named(file, "nothing") == functions_named(file, "nothing") == ()
    assert searched == ["main", "nothing"]
    path = Path(file.file.path)
    path.write_bytes(path.read_bytes().replace(b"main\0", b"niam\0"))
    assert functions_named(CodeObject.open(path), "main") == ()
    assert functions_named(file, "main") == (function,)
    kept = weakref.ref(file)
    del file, function
    gc.collect()
    assert kept() is None  # a name keeps no file


def test_templates_without_arguments(tmp_path: Path, read: list[int]) -> None:
    functions = functions_named(program(tmp_path, CPLUSPLUS), "twice")
    assert [symbol.entry for symbol in functions] == [CODE + 16 * 9, CODE + 16 * 11]
    assert len(read) == 2


def test_names_with_several_spellings(tmp_path: Path, read: list[int]) -> None:
    """All spellings begin alike: only units with a name that begins so are read."""
    file = program(tmp_path, CPLUSPLUS)
    lookup = NameLookup((file.info,))
    for name in ("map<int, int>", "~map", "operator()", "operator int&", "Box<int>::size"):
        assert functions_named(file, name) == ()
    for name in ("map<int, int>", "operator()"):
        assert lookup.of(name) == ()
    assert read == []
    assert [function.entry for function in functions_named(file, "twice< int >")] == [CODE + 16 * 9]
    assert len(read) == 2  # twice<long>, too


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("x<x<", "x<" * 4_900),
        ("x<int, long>", f"x<{'int, ' * 1_900}long>"),
        ("x::x<int>", f"{'x::' * 3_000}x<int>"),
        ("x<int>::x", f"{'x<int>::' * 1_200}x"),
        ("x::x<int>(int)", f"x::x<int>({'int, ' * 1_900}int)"),
    ],
)
def test_a_long_name_is_parsed_once(tmp_path: Path, read: list[int], short: str, long: str) -> None:
    """Not once more for each unit that is read."""
    file = program(tmp_path, CPLUSPLUS)
    assert functions_named(file, "x<>") == ()
    assert len(read) == UNITS  # all have variables with names that end so
    of_short = calls_of(lambda: functions_named(file, short))
    of_long = calls_of(lambda: functions_named(file, long))
    assert of_long < of_short + 20 * len(long)


def info_of(path: Path) -> DebugInfo:
    try:
        return CodeObject.open(path).info
    except UsageError:
        pytest.skip("not opened alone")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_spellings_are_in_the_units_that_may_have_them(path: Path) -> None:
    info = info_of(path)
    for of in info.units:
        for name in named_entries(of.full).by_name:
            if "<" in name or name.startswith(("operator", "~")):
                units = {one.full for one in units_with_spellings(info, name)}
                assert of.full in units, name


def test_a_declaration_that_no_unit_completes(tmp_path: Path, read: list[int]) -> None:
    """As `malloc` of a C library, which many units declare and an alias defines."""
    file = program(tmp_path, has_malloc=True)
    (meaning,) = NameLookup((file.info,)).of("malloc")
    assert isinstance(meaning, Die) and meaning.flag(dw.AT_DECLARATION)
    assert len(read) == 1
    (defined,) = NameLookup((file.info,)).of("calloc")
    assert isinstance(defined, Die) and not defined.flag(dw.AT_DECLARATION)
    assert len(read) == 2


@pytest.mark.parametrize("name", ["\ud800", "a::\ud800", "\udcff"])
def test_a_name_that_is_no_text_means_nothing(tmp_path: Path, name: str) -> None:
    """A program may ask for any string."""
    file = program(tmp_path)
    assert global_named(file.info, name) is None
    assert functions_named(file, name) == () == file.file.symbols_named(name)


def test_a_name_that_means_nothing(tmp_path: Path, read: list[int]) -> None:
    file = program(tmp_path)
    assert NameLookup((file.info,)).of("nosuchname") == ()
    assert global_named(file.info, "nosuchname") is None
    assert read == []
    known = [name for name, _ in first_names([file], ("variable",), "number_42y")]
    assert did_you_mean("number_42y", known) == ' Did you mean "number_42x"?'
    assert 0 < len(read) <= 64  # those with near numbers


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_names_in_no_unit_are_absent(path: Path) -> None:
    """So that no hint is followed for them: every name of an entry is in a unit."""
    info = info_of(path)
    mentioning_units(info, "no such identifier")
    assert not is_in_no_unit(info, "no such identifier")
    dies = (unit.die(index) for unit in info.units for index in range(len(unit.tree.offsets)))
    names = {die.name for die in dies if die.name}
    for name in sorted(names):
        mentioning_units(info, name)
        assert not is_in_no_unit(info, name)


def test_no_hint_is_followed_for_a_name_in_no_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[str] = []
    likely_units = unit_search.likely_units

    def counted(info: DebugInfo, name: str) -> Iterator[CompilationUnit]:
        followed.append(name)
        return likely_units(info, name)

    monkeypatch.setattr(unit_search, "likely_units", counted)
    file = program(tmp_path, has_malloc=True)
    assert is_in_no_unit(file.info, "nosuch")  # a small file is searched at once
    monkeypatch.setattr(string_index, "_MIN_INDEXED_BYTES", 0)
    assert not is_in_no_unit(file.info, "nosuchname")  # the file was not searched
    assert NameLookup((file.info,)).of("nosuchname") == ()
    assert is_in_no_unit(file.info, "nosuchname") and "nosuchname" in followed
    followed.clear()
    for _ in range(2):
        assert NameLookup((file.info,)).of("nosuchname") == ()
        assert followed == []
        assert NameLookup((file.info,)).of("malloc")
        assert set(followed) == {"malloc"}
        followed.clear()


def test_symbols_of_a_name_are_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each file; another one, or the same one opened again, has an answer of its own."""
    searched: list[str] = []
    symbols_named = ObjectFile.symbols_named

    def counted(
        self: ObjectFile, name: str, *beginnings: str, with_untyped: bool = False
    ) -> tuple[Symbol, ...]:
        searched.append(name)
        return symbols_named(self, name, *beginnings, with_untyped=with_untyped)

    monkeypatch.setattr(ObjectFile, "symbols_named", counted)
    path = shutil.copyfile(FIXTURES / "core/shapes.x86_64.O0", tmp_path / "shapes")
    file = CodeObject.open(path)
    [symbol] = function_symbols(file, "crash")
    assert function_symbols(file, "crash") == (symbol,)
    assert function_symbols(file, "nosuch") == function_symbols(file, "nosuch") == ()
    assert searched == ["crash", "nosuch"]
    data = path.read_bytes()
    path.write_bytes(data.replace(b"_Z5crashPN3geo5ShapeEi\0", b"_Z5hsarcPN3geo5ShapeEi\0"))
    assert function_symbols(CodeObject.open(path), "crash") == ()
    assert function_symbols(file, "crash") == (symbol,)


def test_the_first_names_of_a_small_file_are_read_once(tmp_path: Path) -> None:
    path = shutil.copyfile(FIXTURES / "hip/nest.gfx942.O2.v5.co", tmp_path / "nest.co")
    file = CodeObject.open(path)

    def names(of: CodeObject) -> list[str]:
        return [name for name, _ in first_names([of], ("function",), "nezt")]

    before = calls_of(partial(names, file))
    first = names(file)
    assert "nest" in first
    assert calls_of(partial(names, file)) < before / 4
    path.write_bytes(path.read_bytes().replace(b"nest\0", b"tsen\0"))
    assert "tsen" in names(CodeObject.open(path)) and names(file) == first
    kept = weakref.ref(file)
    del file
    gc.collect()
    assert kept() is None


def test_names_are_compared_with_a_misspelt_one_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file's answer is kept, the empty one too; another file, or the same one read again, has an
    answer of its own."""
    compared: list[str] = []

    folded: list[int] = []

    class Counted(KnownNames):
        def __init__(self, names: Iterable[str]) -> None:
            folded.append(1)
            super().__init__(names)

        def similar(self, name: str) -> list[tuple[int, str]]:
            compared.append(name)
            return super().similar(name)

    monkeypatch.setattr(string_index, "KnownNames", Counted)

    def suggested(file: CodeObject, name: str) -> str:
        return did_you_mean(name, (one for one, _ in first_names([file], ("variable",), name)))

    file = program(tmp_path)
    for _ in range(3):
        assert suggested(file, "number_42y") == ' Did you mean "number_42x"?'
        assert suggested(file, "nosuchname") == ""
    assert compared == ["number_42y", "nosuchname"]
    assert folded == [1]  # all strings of the file, once for all names
    path = Path(file.file.path)
    path.write_bytes(path.read_bytes().replace(b"number_42x\0", b"nosuchnama\0"))
    reloaded = CodeObject.open(path)
    assert suggested(reloaded, "nosuchname") == ' Did you mean "nosuchnama"?'
    assert suggested(file, "nosuchname") == ""


@pytest.mark.parametrize(
    ("kind", "pattern", "names"),
    [
        ("types", "colour", ["colour_table"]),
        ("types", "^colour_t.*e$", ["colour_table"]),
        ("types", "nothing", []),
        ("variables", "r_42x", ["number_42x"]),
        ("functions", "e_main_42$", ["some_main_42"]),
    ],
)
def test_lists(tmp_path: Path, read: list[int], kind: Kind, pattern: str, names: list[str]) -> None:
    file = program(tmp_path)
    expected = re.compile(pattern)
    assert [
        listed_symbol.name for listed_symbol in listed_symbols(file.info, kind, expected)
    ] == names
    assert len(read) <= 2
    every = (listed_symbol.name for listed_symbol in listed_symbols(file.info, kind))
    assert [name for name in every if expected.search(name)] == names


@pytest.mark.parametrize("kind", ["types", "variables", "functions"])
def test_entries_of_c_are_listed_without_objects(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = program(tmp_path)
    expected = list(listed_symbols(file.info, kind))
    assert len(expected) == UNITS and {symbol.file for symbol in expected} >= {"unit_5.c"}
    monkeypatch.setattr(symbol_list, "_listed", None)
    assert list(listed_symbols(file.info, kind)) == expected


def test_a_word_of_many_strings(tmp_path: Path, read: list[int]) -> None:
    file = program(tmp_path)
    result = listed_symbols(file.info, "functions", re.compile("ain_1"))
    assert {symbol.name for symbol in result} == {
        f"some_main_{n}" for n in range(UNITS) if f"{n}"[0] == "1"
    }
    assert 100 < len(read) < UNITS


def test_functions_where_mangled_names_are(tmp_path: Path, read: list[int]) -> None:
    file = program(tmp_path, CPLUSPLUS)
    result = listed_symbols(file.info, "functions", re.compile("twice<l"))
    assert [symbol.name.partition("(")[0] for symbol in result] == ["twice<long>"]
    assert len(read) == 2


@pytest.mark.parametrize(
    ("word", "most"), [("some_main_42", 1), ("colour", 1), ("nothing", 0), ("ome_main_4", 0)]
)
def test_typed_names(tmp_path: Path, read: list[int], word: str, most: int) -> None:
    file = program(tmp_path)
    units = list(typed_names(file, word))
    assert len(read) == most
    names = {name for unit in units for name, _ in unit.names if name.startswith(word)}
    assert bool(names) is bool(most)


def test_entries_with_other_names_are_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str | None] = []
    original = CompilationUnit.die

    def counted(unit: CompilationUnit, index: int) -> Die:
        die = original(unit, index)
        made.append(die.name)
        return die

    monkeypatch.setattr(CompilationUnit, "die", counted)
    units = list(typed_names(program(tmp_path), "some_main_42"))
    assert ("some_main_42", "function") in {pair for unit in units for pair in unit.names}
    assert made == []


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("color", "color"), ("^co.*lor_table$", "lor_table"), ("colou?r", "color colour"),
        ("qq", "qq"), ("ab", ""), ("color*", "colo"), ("a|color", ""), ("(color)?", ""),
        ("colo\\{2\\}r", "colo"), ("x[abc]color", "xacolor xbcolor xccolor"),
        ("\\bcolor\\b", "color"), ("12345", ""), ("", ""), ("a", ""), ("colo{0}r", "colr"),
        ("red|green", "green red"), ("(get|set)_.*color", "color"), ("get[A-Z]x", "get"),
        ("[gs]et_color", "get_color set_color"), ("(red|qqq)+lo", "qqq red"), ("red|int", ""),
        ("(?:^|::)color(?:<.*)?$", "color"), ("color::table", "color"),
        ("gr[ae]y|blue", "blue gray grey"), ("color{3}", "colorrr"), ("[^a]color", "color"),
        ("(color", ""),
    ],
)  # fmt: skip
def test_words_that_must_be_there(pattern: str, words: str) -> None:
    assert " ".join(required_words(pattern)) == words


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_list_by_a_word_has_all_that_match(path: Path) -> None:
    try:
        info = CodeObject.open(path).info
    except UsageError:
        pytest.skip("not opened alone")
    kinds: tuple[Kind, ...] = ("functions", "variables", "types")
    for kind in kinds:
        every = [
            (listed_symbol.name, listed_symbol.die) for listed_symbol in listed_symbols(info, kind)
        ]
        words = {word for name, _ in every for word in re.findall(r"[A-Za-z_]\w{3,}", name)}
        for word in sorted(words)[:5]:
            expected = re.compile(word[1:])
            result = [
                (listed_symbol.name, listed_symbol.die)
                for listed_symbol in listed_symbols(info, kind, expected)
            ]
            assert result == [(name, die) for name, die in every if expected.search(name)]


def test_functions_without_the_word_are_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In C++ the word would be in the linkage name, which a declaration may have."""
    made: list[int] = []
    original = CompilationUnit.die

    def counted(unit: CompilationUnit, index: int) -> Die:
        made.append(index)
        return original(unit, index)

    monkeypatch.setattr(CompilationUnit, "die", counted)
    costs = []
    for word in ("nosuch", "nosu|qqq[^a]", "n[^a]o|ch"):  # the last does not show its words
        info = CodeObject.open(FIXTURES / "nvidia/kinds.sm_80.cubin").info
        searched = SearchedNames(info)
        names = re.compile(word)
        assert not list(listed_symbols(info, "functions", names, info.units, searched=searched))
        costs.append(searched.most - searched.left)
    assert costs[0] == costs[1] < costs[2], costs
    (tmp_path / "program").write_bytes(methods(300)["bomb"])
    info = CodeObject.open(tmp_path / "program").info
    made.clear()
    listed = list(listed_symbols(info, "functions", re.compile("m299"), info.units))
    assert [item.name for item in listed] == ["ns::C::m299()"]
    assert len(made) < 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_names_typed_so_far_are_all_there(path: Path) -> None:
    try:
        file = CodeObject.open(path)
    except UsageError:
        pytest.skip("not opened alone")

    def starting(index: SymbolIndex, word: str) -> list[tuple[str, str]]:
        return [*index.starting_with(word), *index.functions(word)]

    every, some = SymbolIndex(), SymbolIndex()
    every.take(typed_names(file))
    names = [name for typed_name in typed_names(file) for name, _ in typed_name.names]
    words = sorted({word[:3] for name in names for word in re.findall(r"[A-Za-z_]\w*", name)})
    for word in words[:: max(1, len(words) // 8)]:
        some.require((file,), f"print {word}")
        assert starting(some, word) == starting(every, word)


@pytest.mark.parametrize(
    ("kinds", "most"), [(None, 128), (("function",), 256), (("struct",), 256), (("union",), 300)]
)
def test_names_are_read_until_there_are_enough(
    tmp_path: Path, read: list[int], kinds: tuple[str, ...] | None, most: int
) -> None:
    index = SymbolIndex()
    index.require((program(tmp_path),), "print ")
    names = [name for name, _ in index.starting_with("", kinds)]
    assert len(names) == (0 if kinds == ("union",) else MAX_NAMES)
    assert len(read) <= most


def test_functions_are_read_until_there_are_enough(tmp_path: Path, read: list[int]) -> None:
    index = SymbolIndex()
    index.require((program(tmp_path),), "break ")
    assert len(list(index.functions(""))) == MAX_NAMES and len(read) <= 256
    assert len(list(index.files("unit_"))) == UNITS and len(read) <= 256


def test_files_without_the_name_are_offered(tmp_path: Path, read: list[int]) -> None:
    """A source file need not have a function that begins as its name does; once for all words."""
    file, index = program(tmp_path), SymbolIndex()
    for word in ("unit_7", "unit_29", "unit_7.", "nothing", "some_main_42"):
        index.require((file,), f"break {word}")
        expected = {f"unit_{n}.c" for n in range(UNITS) if f"unit_{n}.c".startswith(word)}
        assert {*index.files(word)} == expected
    assert len(read) < UNITS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_function_is_found_as_if_every_unit_were_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        file = CodeObject.open(path)
    except UsageError:
        pytest.skip("not opened alone")
    names = {
        listed_symbol.name.partition("(")[0]
        for listed_symbol in listed_symbols(file.info, "functions")
    }
    names |= {name.rpartition("::")[2].partition("<")[0] for name in names}
    names = {name for name in sorted(names)[:40] if name}
    result = {name: functions_named(file, name) for name in names}
    monkeypatch.setattr(functions_by_name, "units_with_functions", lambda info, name: info.units)
    anew: Callable[[CodeObject, str], object] = inspect.unwrap(functions_named)
    assert result == {name: anew(file, name) for name in names}


def test_progress_is_reported_where_every_unit_is_read(tmp_path: Path) -> None:
    info: DebugInfo = program(tmp_path).info
    calls: list[tuple[str, int, int]] = []
    with reporting_units(lambda *call: calls.append(call)):
        list(listed_symbols(info, "types"))
        assert calls == [(info.path, done, UNITS) for done in range(UNITS)]
        calls.clear()
        list(listed_symbols(info, "types", re.compile("nothing")))
    list(listed_symbols(program(tmp_path).info, "types"))
    assert calls == []


def test_names_for_completion_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the same word and files; another word, another file and one read again are others, and so
    is what Ctrl-C has ended."""
    asked: list[str] = []

    def counted(
        file: CodeObject,
        word: str = "",
        most: int | None = None,
        is_match: Callable[[str], bool] | None = None,
    ) -> Iterator[UnitNames]:
        asked.append(word)
        for names_of_unit in typed_names(file, word, most, is_match):
            if len(asked) == 4:
                raise KeyboardInterrupt
            yield names_of_unit

    monkeypatch.setattr(symbol_index, "typed_names", counted)
    file, index = program(tmp_path), SymbolIndex()

    def names(*files: CodeObject, word: str) -> list[str]:
        index.require(files, word)
        return [name for name, _ in index.functions(word)]

    for _ in range(3):
        assert names(file, word="some_main_42") == ["some_main_42"]
    assert names(file, word="mai") == names(file, word="mai") == ["main"]
    assert names(program(tmp_path), word="mai") == ["main"]
    assert asked == ["some_main_42", "mai", "mai"]
    with pytest.raises(KeyboardInterrupt):
        names(file, word="shape_1")
    assert names(file, word="shape_1") == []
    assert asked[3:] == ["shape_1", "shape_1"]


def test_files_are_offered_after_a_reading_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of all units, not only of the units that were read until then."""

    def failing(*of: object) -> Iterator[UnitNames]:
        yield next(typed_names(file))
        raise LimitExceeded("too many")

    monkeypatch.setattr(symbol_index, "typed_names", failing)
    file, index = program(tmp_path), SymbolIndex()
    index.require((file,), "break ")
    with pytest.raises(LimitExceeded):
        list(index.functions(""))
    assert len(list(index.files("unit_"))) == UNITS


def test_too_many_names_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read again for what is typed, and not collected again."""
    monkeypatch.setattr(symbol_index, "_MOST_KEPT", 100)
    index, files = SymbolIndex(), (program(tmp_path),)
    for _ in range(2):
        index.collect(files)
        index.require(files, "break ")  # waits for the collection
        assert index.are_too_many(files)
        index.require(files, "break some_main_42")
        assert [name for name, _ in index.functions("some_main_42")] == ["some_main_42"]
    assert len(index._taken) < 100


def test_of_many_methods_the_first_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only of those that match what is typed: what other functions there are leaves out none."""
    monkeypatch.setattr(symbol_index, "MAX_NAMES", 2)
    (tmp_path / "program").write_bytes(methods(300)["bomb"])
    files = (CodeObject.open(tmp_path / "program"),)
    for typed, read_names in (
        ("ns::", 80),
        ("C::m", 80),
        ("ns::C::m299", 1),
        ("m29", 11),
        ("nosuch::", 300),
    ):
        index = SymbolIndex()
        index.require(files, f"break {typed}")
        names = [name for name, _ in index.functions(typed)]
        assert len(names) == min(2, read_names) * (typed != "nosuch::")
        units = index._taken
        names = [name for unit in units for name, _ in unit.names if name.startswith("ns::C::m")]
        assert sum(name.endswith("()") for name in names) == read_names


def test_of_many_names_the_first_are_offered(tmp_path: Path) -> None:
    file = program(tmp_path)
    for word in ("", "s", "some_main_1"):
        for every, first in zip(typed_names(file, word), typed_names(file, word, 3), strict=True):
            kinds = {kind for name, kind in every.names if name.isidentifier()}
            for kind in kinds:
                expected = {name for name, of in every.names if of == kind and name.isidentifier()}
                result = [name for name, of in first.names if of == kind and name.isidentifier()]
                assert result == sorted(expected)[:3]
            others = [pair for pair in every.names if not pair[0].isidentifier()]
            assert [pair for pair in first.names if not pair[0].isidentifier()] == others
