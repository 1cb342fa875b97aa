"""The index cache changes how many units are read, and no answer."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from struct import pack

import pytest

from dwarfgpu.base.index_cache import INDEX_CACHE, NO_CACHE
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.regexp import Regexp
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import unit as unit_module
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index import cached_names as cached_names_module
from dwarfgpu.dwarf.index import string_index
from dwarfgpu.dwarf.index.collect_names import collected
from dwarfgpu.dwarf.index.name_filter import mentions
from dwarfgpu.dwarf.index.unit_names import UnitNames
from dwarfgpu.dwarf.names.typed_names import typed_names
from dwarfgpu.dwarf.scope.functions_by_name import functions_named
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.dwarf.scope.listed_symbol import Kind
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.repl.files.symbol_index import SymbolIndex
from tests.dwarf.builder import FIXTURES, Content, Shape, abbreviations, elf, unit
from tests.dwarf.test_name_filter import FILES, names, variables

UNITS = 200
KEPT = FileLimits(index_cache=True)


def with_names(info: DebugInfo, monkeypatch: pytest.MonkeyPatch) -> UnitNames:
    """Make the names of a file as if the cache had them."""
    content = b"".join(collected(info.units))
    cached = UnitNames(memoryview(content), len(info.units))
    monkeypatch.setattr(info.strings, "_names", cached)
    return cached


@pytest.mark.parametrize("path", FILES[::4], ids=lambda path: path.name)
def test_no_unit_with_a_name_is_left_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = DebugInfo.of(open_object(path))
    cached = with_names(info, monkeypatch)
    for number, named_unit in enumerate(info.units):
        try:
            named, data = set(names(named_unit)), set(variables(named_unit))
        except DwarfGpuError:
            assert number in cached.anywhere
            continue
        for name in named:
            assert "\\" in name or mentions(info, name)(named_unit)
        for name in data:
            assert "\\" in name or mentions(info, name, DATA)(named_unit)


def answers(file: CodeObject) -> Iterator[object]:
    """What several questions about a file give."""
    kinds: tuple[Kind, ...] = ("functions", "variables", "types")
    words: set[str] = set()
    for kind in kinds:
        every = [listed_symbol.name for listed_symbol in listed_symbols(file.info, kind)]
        words |= {word for name in every[:60] for word in re.findall(r"[A-Za-z_]\w+", name)}
    words |= {"nothing", "main", "i"}
    for word in sorted(words)[:: max(1, len(words) // 12)]:
        for kind in kinds:
            regexp = Regexp(word[1:])
            yield [
                (listed_symbol.name, listed_symbol.die)
                for listed_symbol in listed_symbols(file.info, kind, regexp)
            ]
        yield functions_named(file, word)
        index = SymbolIndex()
        index.take(typed_names(file, word))
        yield [*index.starting_with(word), *index.functions(word)]
        try:
            yield [
                meaning if not hasattr(meaning, "die") else meaning.die
                for meaning in NameLookup((file.info,)).of(word)
            ]
        except DwarfGpuError as error:
            yield str(error)
        variable = None
        try:
            variable = global_named(file.info, word)
        except DwarfGpuError as error:
            yield str(error)
        yield None if variable is None else variable.die


@pytest.mark.parametrize("path", FILES[::9], ids=lambda path: path.name)
def test_answers_are_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        file = CodeObject.open(path)
    except UsageError:
        pytest.skip("not opened alone")
    plain = [shown(answer) for answer in answers(file)]
    file = CodeObject.open(path)
    with_names(file.info, monkeypatch)
    assert [shown(answer) for answer in answers(file)] == plain


def shown(answer: object) -> str:
    """An answer without the identity of its objects."""
    if isinstance(answer, set | frozenset):
        return str(sorted(map(shown, answer)))
    if isinstance(answer, list | tuple):
        return str([shown(part) for part in answer])
    offset = getattr(answer, "offset", None)
    if offset is not None:
        return f"entry {offset:#x}"
    if hasattr(answer, "die"):
        return f"{getattr(answer, 'name', '')} {shown(answer.die)}"
    return str(answer)


NAME, LOW, HIGH = (dw.AT_NAME, dw.FORM_STRP), (dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, 0x0B)
ID = pack("<3I4s", 4, 8, 3, b"GNU\0")


def large_file(
    path: Path, *, first: str = "function_0", id: bytes | None = b"12345678", padding: int = 0
) -> Path:
    """Many units with a function each, and a declaration that is in all of them; `padding`: bytes
    of a constant in each."""
    strings = bytearray(4)

    def string(text: str) -> bytes:
        at = len(strings)
        strings.extend(text.encode() + b"\0")
        return pack("<I", at)

    shapes = (
        Shape(0x11, (NAME,), has_children=True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT), NAME, LOW, HIGH)),
        Shape(
            dw.TAG_SUBPROGRAM,
            ((dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT), NAME, (dw.AT_DECLARATION, 0x19)),
        ),
        Shape(dw.TAG_CONSTANT, ((dw.AT_CONST_VALUE, dw.FORM_BLOCK4),)),
    )
    info, shared = b"", string("shared")
    for index in range(UNITS):
        name = string(first if index == 0 else f"function_{index}")
        body = b"\1" + string(f"unit_{index}.c")
        body += b"\2" + name + pack("<QB", 0x1000 + 16 * index, 16) + b"\3" + shared
        body += b"\4" + pack("<I", padding) + bytes(padding)
        info += unit(body + b"\0")
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(16 * UNITS), 1, flags=6, address=0x1000), ".debug_info": info,
        ".debug_abbrev": abbreviations(*shapes), ".debug_str": bytes(strings),
    }  # fmt: skip
    if id is not None:
        sections[".note.gnu.build-id"] = Content(ID + id, 7)
    path.write_bytes(elf(sections, machine=62))
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the cache is for every file, however small."""
    monkeypatch.setattr(string_index, "_MIN_INDEXED_BYTES", 0)
    monkeypatch.setattr(cached_names_module, "MIN_BYTES", 0)
    made = tmp_path / "caches" / "dwarfgpu" / "index"
    monkeypatch.setattr(INDEX_CACHE, "folder", made)
    yield made
    INDEX_CACHE.later.clear()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where the units start whose entries were read."""
    starts: list[int] = []
    original = unit_module.read_tree  # type: ignore[attr-defined]

    def counted(data: bytes, position: int, *rest: object) -> object:
        starts.append(position)
        return original(data, position, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(unit_module, "read_tree", counted)
    return starts


def process(path: Path, name: str) -> list[int]:
    """What one process does that looks for a function: where its code begins."""
    INDEX_CACHE.later.clear()
    file = CodeObject.open(path, limits=KEPT)
    entries = [function.entry for function in functions_named(file, name)]
    INDEX_CACHE.finish(lambda path, done, total: None)
    return entries


def test_the_second_process_indexes_and_the_third_uses_it(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = large_file(tmp_path / "large")
    sizes = []
    for _ in range(3):
        assert process(path, "function_7") == [0x1000 + 16 * 7]
        (entry,) = folder.iterdir()
        sizes.append(entry.stat().st_size)
    assert entry.name == b"12345678".hex() + ".index"
    assert sizes[0] < 1_500 < 4_000 < sizes[1] == sizes[2]
    strings = CodeObject.open(path, limits=KEPT).info.strings
    monkeypatch.setattr(strings, "_holding", None)  # nothing is searched
    assert strings.units(b"nothing\0") == ()


def test_units_that_are_read_with_an_index(tmp_path: Path, folder: Path, read: list[int]) -> None:
    path = large_file(tmp_path / "large")
    for _ in range(2):
        process(path, "function_7")
    read.clear()
    assert process(path, "function_7") == [0x1000 + 16 * 7]
    assert len(read) == 1
    assert process(path, "shared") == [] and process(path, "nothing") == []
    assert len(read) == 1


def test_another_file_with_the_same_build_id(tmp_path: Path, folder: Path) -> None:
    first = large_file(tmp_path / "first", first="alpha_one")
    for _ in range(3):
        assert process(first, "alpha_one") == [0x1000]
    second = large_file(tmp_path / "second", first="gamma_two")
    for _ in range(3):
        assert process(second, "gamma_two") == [0x1000] and process(second, "alpha_one") == []
        assert process(first, "alpha_one") == [0x1000]


def test_a_file_that_is_changed_in_place(tmp_path: Path, folder: Path) -> None:
    path = large_file(tmp_path / "large", first="alpha_one")
    for _ in range(3):
        assert process(path, "gamma_two") == []
    path.write_bytes(path.read_bytes().replace(b"alpha_one", b"gamma_two"))
    assert process(path, "gamma_two") == [0x1000]


def test_a_file_without_a_build_id(tmp_path: Path, folder: Path) -> None:
    path = large_file(tmp_path / "large", id=None)
    for _ in range(3):
        assert process(path, "function_7") == [0x1000 + 16 * 7]
    assert not folder.exists()


def test_a_file_whose_units_cannot_be_read(tmp_path: Path, folder: Path) -> None:
    # Its index is collected after the answer, which said so.
    damaged = Content(pack("<IIQQ", 1, 0, 0x42, 1) + b"no stream of zlib", flags=0x800)
    sections = {".debug_info": damaged, ".note.gnu.build-id": Content(ID + b"12345678", 7)}
    path = tmp_path / "damaged"
    path.write_bytes(elf(sections, machine=62))
    for _ in range(3):
        with suppress(DwarfGpuError):
            process(path, "function_7")
        INDEX_CACHE.finish(lambda path, done, total: None)
    (entry,) = folder.iterdir()
    assert entry.stat().st_size < 1_500


def test_a_small_file(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_names_module, "MIN_BYTES", 1 << 20)
    process(large_file(tmp_path / "large"), "function_7")
    assert not folder.exists()


def test_an_index_that_was_not_written_by_dwarfgpu(tmp_path: Path, folder: Path) -> None:
    """With the right checksum: numbers of units and names that do not exist."""
    path = large_file(tmp_path / "large")
    for _ in range(2):
        process(path, "function_7")
    INDEX_CACHE.later.clear()
    info = CodeObject.open(path).info
    content = bytearray(b"".join(collected(info.units)))
    strings = info.strings
    for at in range(20, 20 + 4 * (2 * 402 + UNITS), 36):
        changed = bytearray(content)
        changed[at : at + 4] = pack("<I", 0xFFFFFFF0)
        strings.__dict__["_names"] = UnitNames(memoryview(bytes(changed)), UNITS)
        assert strings.units(b"function_%d\0" % at, b"shared\0") is not None
        assert strings.units_containing(b"unct") is not None


@pytest.mark.parametrize("size", [0, 3, 19, 20, 21])
def test_an_index_without_its_arrays(size: int) -> None:
    content = b"".join(collected(()))
    with pytest.raises(ValueError, match="index"):
        UnitNames(memoryview((content + bytes(2))[:size] if size != 20 else content), 1)


def test_what_is_collected_has_not_changed() -> None:
    """Raise `VERSION` of cached_names.py with the digest: older entries are then not used."""
    digest = sha256()
    for path in sorted(FIXTURES.glob("x86_64/[ms]*.O0.v5")):
        digest.update(b"".join(collected(DebugInfo.of(open_object(path)).units)))
    assert (cached_names_module.VERSION, digest.hexdigest()[:16]) == (3, "806c2fcec6bfa9e6")


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = large_file(tmp_path / "large", padding=6_000)
    monkeypatch.delenv(NO_CACHE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    folder = tmp_path / "caches" / "dwarfgpu" / "index"

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "dwarfgpu", "where", str(path), "nothing", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False).stderr

    plain = run("--no-cache")
    assert "nothing" in plain and not folder.exists()
    for size in (range(1, 1_500), range(4_000, 100_000), range(4_000, 100_000)):
        assert run() == plain
        (entry,) = folder.iterdir()
        assert entry.stat().st_size in size
    used = entry.stat().st_mtime_ns
    monkeypatch.setenv(NO_CACHE, "1")
    assert run() == plain
    assert entry.stat().st_mtime_ns == used
