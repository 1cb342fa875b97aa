"""Structural bombs in small sizes: every command answers, or refuses, in work that grows with them.

`python -m tools.bombs` tries them in full size, and writes docs/hostile-input.md.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.limits import Limits
from dwarfgpu.cfi.frame_entries import FrameEntries
from dwarfgpu.cli.main import main
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import read_abbreviations
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.string_index import StringIndex
from dwarfgpu.dwarf.line.file_table import SourceFile
from dwarfgpu.dwarf.line.header import LineHeader
from dwarfgpu.dwarf.line.line_table import LineTable, LineTables
from dwarfgpu.dwarf.line.rows import LineMatrix
from dwarfgpu.dwarf.location_lists import UnitLists
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import NamedEntries
from dwarfgpu.dwarf.scope.variable import Variable, declared_in
from dwarfgpu.dwarf.types.types import Array, Unspecified
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.service.symbol.symbol_description import symbols_at
from dwarfgpu.service.value.listed_values import ListedValues
from dwarfgpu.session.session import Session
from tests.dwarf.builder import Shape
from tests.work import calls_of
from tools.bombs import companions, containers, entries, languages, lookups, nesting, objects
from tools.bombs.catalogue import BOMBS
from tools.bombs.elf import HERE, NAME, PLACE, START, program, sized
from tools.bombs.entries import large_locals
from tools.bombs.measure import arguments_of
from tools.bombs.model import Bomb, write_files
from tools.bombs.nesting import declared_in_namespaces, named_in_namespaces
from tools.bombs.sections import fde, files_of_one_name, frames

_SCOPES = dw.TAG_SUBPROGRAM, dw.TAG_LEXICAL_BLOCK
BEGINNING = 500
"""Calls that every command makes, whatever the file is: five times as many are no growth."""
START_CALLS = 30_000
"""Of a command that asks for little."""
PARTS = (
    (entries, "OPERATIONS", 4_000),
    (entries, "LONGEST_CHAIN", 300),
    (companions, "SPLIT_UNITS", 2_000),
    (objects, "LISTED_VARIABLES", 20),
    (companions, "LOADED_FUNCTIONS", 2_000),
    (nesting, "CALL_DEPTH", 9),
)
"""How large the parts are whose number grows: less than in full size."""
_C_99 = 0x0C


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_the_work_grows_with_the_file(
    bomb: Bomb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for module, name, count in PARTS:
        monkeypatch.setattr(module, name, count)
    for _ in range(2):  # the first time includes what is done once
        work = [_calls(bomb, size) for size in (bomb.small, 4 * bomb.small)]
        grown = [
            (command, small, large)
            for command, small, large in zip(bomb.commands, *work, strict=True)
            if large - BEGINNING > 5 * (small - BEGINNING)
        ]
        if not grown:
            break
    assert not grown


@pytest.mark.parametrize("name", ["typedefs", "qualifiers", "subranges", "arrays"])
def test_long_chains_of_types_are_answered(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as in full size, with fewer variables: none is too deep for a command."""
    monkeypatch.chdir(tmp_path)
    bomb = next(bomb for bomb in BOMBS if bomb.name == f"used-{name}")
    write_files(bomb.make(10), Path())
    for command in bomb.commands:
        _run(command)()


def test_the_first_of_many_namesakes_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are found, and not read again for each of the questions of `ptype`."""
    monkeypatch.chdir(tmp_path)
    namesakes = next(bomb for bomb in BOMBS if bomb.name == "namesakes")
    write_files(namesakes.make(4_000), Path())
    calls_of(_run("debug bomb <<< print x"))
    result, described = (
        calls_of(_run(f"debug bomb <<< {command} x")) for command in ("print", "ptype")
    )
    assert described < result + 20 * 4_000 + START_CALLS, (result, described)


@pytest.mark.parametrize(("depth", "is_complete"), [(10, True), (60, False)])
def test_names_in_many_scopes_count_more(
    depth: int,
    is_complete: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each name counts as 24, and five more for each scope beyond ten."""
    monkeypatch.chdir(tmp_path)
    write_files(named_in_namespaces(depth), Path())
    most = str(24 * 3 * depth + 100)
    for command, advice in (("info variables x", not is_complete), ("list x", False)):
        main(["debug", "bomb", "--batch", "-ex", command, "--max-searched-names", most])
        said = "".join(capsys.readouterr())
        assert ("search is incomplete" not in said) == is_complete
        assert ("a word of three letters" in said) == advice


@pytest.mark.parametrize("command", ["list x", "info line x", "list f0.c:x"])
def test_namesakes_that_lines_are_shown_of_are_bounded(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(files_of_one_name(11), Path())
    for most, status in (("10", 1), ("11", 0)):
        arguments = ["debug", "bomb", "--batch", "-ex", command, "--max-namesakes", most]
        assert main(arguments) == status
        said = "".join(capsys.readouterr())
        assert ("more than 10 variables and types are named x" in said) == bool(status), said


@pytest.mark.parametrize(
    "command",
    ["eval --file bomb f", *(f"debug bomb <<< {command} f" for command in ("print", "ptype"))],
)
def test_functions_of_a_name_are_bounded(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also where they are only listed, as in the message that a name is overloaded."""
    monkeypatch.chdir(tmp_path)
    write_files(lookups.overloads(11), Path())
    for most, expected in (
        ("10", "more than 10 functions of a unit are named f"),
        ("11", "f(int)"),
    ):
        assert main([*arguments_of(command), "--max-namesakes", most]) != 0
        assert expected in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "command",
    [
        "eval --file bomb nosuch",
        "where bomb nosuch",
        "where bomb x --function nosuch",
        "debug bomb <<< print nosuch",
    ],
)
def test_an_unknown_name_is_compared_with_the_first_names(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is neither a table of all names, nor a search of all functions for a suggestion."""
    monkeypatch.chdir(tmp_path)
    for module in ("session.unknown_name", "service.where.coverages", "base.suggest"):
        monkeypatch.setattr(f"dwarfgpu.{module}.MOST_SUGGESTED", 50)
    monkeypatch.setattr("dwarfgpu.dwarf.scope.global_names._MOST", 50)
    work = []
    for count in (10, 100, 1_000):  # the first command imports modules
        Path("bomb").write_bytes(_functions(count))
        work.append(calls_of(_run(command)))
    assert work[2] < work[1] + 30 * 900, work


@pytest.mark.parametrize(
    ("command", "most_calls"),
    [
        ("debug bomb <<< info functions zz", 45),
        ("debug bomb <<< info variables zz", 45),
        ("debug bomb <<< info scope f5", 45),
        ("where bomb v5", 30),
    ],
)
def test_names_that_do_not_match_cost_few_calls(
    command: str, most_calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more than the name, or the address, of a function or variable is read."""
    monkeypatch.chdir(tmp_path)
    work = []
    for count in (10, 100, 1_000):  # the first command imports modules
        Path("bomb").write_bytes(_functions(count))
        work.append(calls_of(_run(command)))
    assert work[2] < work[1] + most_calls * 900, work


def _work_of(name: str, command: str) -> list[int]:
    """How many calls a command makes for a bomb of 10, 100 and 1,000 parts; the first imports
    modules."""
    made = next(bomb for bomb in BOMBS if bomb.name == name)
    work = []
    for count in (10, 100, 1_000):
        Path("bomb").write_bytes(made.make(count)["bomb"])
        work.append(calls_of(_run(command)))
    return work


@pytest.mark.parametrize(
    ("name", "command", "most_calls"),
    [
        ("deep-declarations", "debug bomb <<< print x", 800),
        ("deep-declarations", "debug bomb <<< list x", 2_000),
        ("deep-namesakes", "debug bomb <<< list x", 2_300),
        ("nested-functions", "eval --file bomb --pc 0x1000 n", 600),
    ],
)
def test_the_scopes_around_namesakes_are_read_once(
    name: str, command: str, most_calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is in up to a hundred, and no more of them are read than decide."""
    monkeypatch.chdir(tmp_path)
    work = _work_of(name, command)
    assert work[2] < work[1] + most_calls * 900, work


@pytest.mark.parametrize(("name", "most_calls"), [("same-variables", 90), ("empty-names", 36)])
def test_entries_of_name_indexes_cost_few_calls(
    name: str, most_calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is read once, and its unit is found once for all that have the same."""
    monkeypatch.chdir(tmp_path)
    work = _work_of(name, "check bomb")
    assert work[2] < work[1] + most_calls * 900, work


@pytest.mark.parametrize("name", [nesting.OF_TYPEDEFS, f"o.{nesting.OF_TYPEDEFS}"])
def test_base_classes_of_the_scopes_of_names_cost_few_calls(
    name: str, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each name was sought in each of them with 600 calls, whatever the file has of the name, and
    one name in any number of them."""
    monkeypatch.setattr("dwarfgpu.dwarf.scope.scope_members._MAX_CLASSES", 5_000)
    arguments = arguments_of(f"eval --file bomb {name}")
    work, printed = measured("scopes-of-bases", (4, 4, 20, 200), arguments)
    assert work[2] < work[1] + 300 * 198 * 16, work
    assert work[3] < work[1] + 300 * 2 * 5_000, work
    message = "the scopes of a name have more than 5000 base classes"
    assert [message in text for text in printed] == [False, False, False, True]


def test_mapped_files_cost_few_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the core file has of each is read once, and names in lists are for libraries."""
    monkeypatch.chdir(tmp_path)
    work = _work_of("missing-files", "info bomb")
    assert work[2] < work[1] + 105 * 900, work


def test_rows_of_a_package_share_tables_of_abbreviations(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of one contribution, as of a unit and its type units, read the table once."""
    tables = []
    monkeypatch.setattr(
        "dwarfgpu.dwarf.sections.read_abbreviations",
        lambda *of: tables.append(of) or read_abbreviations(*of),
    )
    work, _ = measured("package-rows", (10, 100, 1_000), ["check", "bomb"])
    assert len(tables) == 3
    assert work[2] < work[1] + 342 * 900, work


def test_the_range_of_an_fde_is_read_once(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also that of the first FDE of each CIE, which is read without a known layout."""
    ranges, range_of = [], FrameEntries.range_of
    monkeypatch.setattr(FrameEntries, "range_of", lambda *of: ranges.append(of) or range_of(*of))
    measured("different-cies", (100,), arguments_of("frames bomb --pc 0x9000"))
    assert len(ranges) == 100


def test_inlined_calls_are_gone_through_once_for_all_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a variable, and the function around it is that of the calls around the call."""
    monkeypatch.chdir(tmp_path)
    work = _work_of("inlined-locals", "debug --pc 0x1000 bomb <<< bt full")
    assert work[2] < work[1] + 2_000 * 900, work


@pytest.mark.parametrize("command", ["info functions f[0-9]", "info functions", "rbreak ^f"])
def test_functions_whose_names_lack_arguments_count_more(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The arguments are put together from entries, those of parameters too: 11 s passed."""
    monkeypatch.chdir(tmp_path)
    write_files(languages.instances(100), Path())
    most = str(96 * 10 + 40)
    main(["debug", "bomb", "--batch", "-ex", command, "--max-searched-names", most])
    assert "it ended after 10 names" in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("expression", "count", "shown"), [("z", 100, 0), ("f", 67, 1), ("", 50, 1)]
)
def test_symbols_that_match_count_more(
    expression: str,
    count: int,
    shown: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each counts as two, and as two more if it is listed; half of them are called `f`."""
    monkeypatch.chdir(tmp_path)
    write_files(containers.symbols_of_one_address(200), Path())
    command = f"info functions {expression}"
    main(["debug", "bomb", "--batch", "-ex", command, "--max-searched-names", "200"])
    said = "".join(capsys.readouterr())
    assert f"it ended after {count} names, in the symbol table, which count as 200 (" in said
    assert said.count("  f\n") == shown


@pytest.mark.parametrize(
    ("command", "most", "expected"),
    [
        ("break f", "100000", "(20 locations)"),
        ("break f(int)", "100000", "not defined"),
        ("break f", "8000", "symbols that may be of f count as more than 8000"),
        ("break A", "1000", "not defined"),  # it is a type of the parameters
    ],
)
def test_functions_with_parameters_too_long_to_be_written_have_a_name(
    command: str,
    most: str,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They are named in GDB, too; each counts as two."""
    monkeypatch.chdir(tmp_path)
    write_files(containers.doubled_symbols(20), Path())
    main(["debug", "bomb", "--batch", "-ex", command, "--max-searched-names", most])
    assert expected in "".join(capsys.readouterr())


@pytest.mark.parametrize("command", ["info variables x", "list x"])
def test_definitions_outside_of_many_scopes_count_more(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The scopes are those of the declaration, which itself counts as one in a few."""
    monkeypatch.chdir(tmp_path)
    write_files(declared_in_namespaces(40), Path())
    most = 10 * (24 + 5 * 90) + 100
    main(["debug", "bomb", "--batch", "-ex", command, "--max-searched-names", str(most)])
    assert "it ended after 10 names" in "".join(capsys.readouterr())


def test_blocks_of_fortran_are_searched_once_for_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And once more for a variable of the host, but not twice for each."""
    monkeypatch.chdir(tmp_path)
    work = []
    for language in (languages.FORTRAN_03, _C_99):
        for count in (50, 50, 500):  # the first command imports modules
            write_files(languages.blocks(language, count), Path())
            work.append(calls_of(_run("eval --file bomb --pc 0x1000 nosuch")))
    of_fortran, of_c = work[2] - work[1], work[5] - work[4]
    assert of_fortran < 2.9 * of_c, work


def test_code_of_no_unit_is_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The units are not gone through for each of its instructions."""
    monkeypatch.chdir(tmp_path)
    work = _work_of("old-range-lists", "disas bomb")
    assert work[2] < work[1] + 500 * 900, work


@pytest.mark.parametrize("command", ["frames bomb", "frames --json bomb"])
def test_inherited_rules_share_the_budget_of_the_listing(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing bounds how many FDEs change one of the rules of a CIE: those of all rows are
    bounded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dwarfgpu.service.file.listed_rules._OF_A_BYTE", 0)
    rules = b"".join(b"\5" + encode_uleb(2 * n + 200) + encode_uleb(n) for n in range(100))
    cie = sized(b"\xff" * 4 + b"\4\0\x08\0\1\x7c\x10" + b"\x0c\7\x08" + rules)
    pair = fde(b"\x41\x0e\x10", START, 16), fde(b"\x41\x80\1", START, 16)
    work, ends = [], []
    for count in (1, 50, 500):  # the first command imports modules
        Path("bomb").write_bytes(frames(*pair * count, common=cie)["bomb"])
        arguments = f"{command} --max-frame-rules 5000".split()
        work.append(calls_of(lambda given=arguments: main(given)))
        out = capsys.readouterr().out
        assert ("--max-frame-rules" in out) is ("more than 5000 register rules" in out)
        ends.append("--max-frame-rules" in out)
    assert ends == [False, True, True]
    assert work[2] < work[1] + 1_000 * 450, work


class Measured(Protocol):
    """Give how many calls a command makes for a bomb of these sizes, and what it prints."""

    def __call__(
        self, name: str, counts: tuple[int, ...], arguments: list[str]
    ) -> tuple[list[int], list[str]]: ...


@pytest.fixture
def measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Measured:
    """What runs a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def measure(
        name: str, counts: tuple[int, ...], arguments: list[str]
    ) -> tuple[list[int], list[str]]:
        made = next(bomb for bomb in BOMBS if bomb.name == name)
        work, printed = [], []
        for count in counts:
            write_files(made.make(count), Path())
            work.append(calls_of(lambda: main(arguments)))
            printed.append("".join(capsys.readouterr()))
        return work, printed

    return measure


@pytest.mark.parametrize(
    ("name", "command", "most_calls"),
    [
        ("cies", "check bomb", 3),
        ("cies", "frames bomb --pc 0x9000", 3),
        ("empty-entries", "check bomb", 3),
        ("lost-cies", "check bomb", 3),
        ("leb128-ranges", "check bomb", 3),
        ("fdes", "check bomb", 3),
        ("fdes", "frames bomb --pc 0x9000", 3),
    ],
)
def test_the_entries_of_call_frame_information_are_bounded(
    name: str, command: str, most_calls: int, measured: Measured
) -> None:
    """What is beyond is not read, and a command says so."""
    arguments = [*arguments_of(command), "--max-frame-entries", "4000"]
    work, printed = measured(name, (10, 4_100, 8_000), arguments)
    assert ["(--max-frame-entries)" in text for text in printed] == [False, True, True]
    if command.startswith("check"):
        assert all("not checked to the end" in text for text in printed[1:])
    assert work[2] < work[1] + most_calls * 3_900, work


@pytest.mark.parametrize(
    ("name", "sizes", "limit", "message"),
    [
        ("name-indexes", (10, 101, 400), ("--max-units", "100"), "more than 100 indexes"),
        ("listed-often", (1, 4, 40), ("--max-dies", "70"), "list units with more than 70 entries"),
        (
            "empty-names",
            (10, 110, 400),
            ("--max-searched-names", "200"),
            "with more than 1200 bytes of names: those from name 101 of index 0x0 on",
        ),
        (
            "same-variables",
            (10, 110, 400),
            ("--max-searched-names", "200"),
            "with more than 1200 bytes of names: those from name 1 of index 0x0 on",
        ),
    ],
)
def test_the_indexes_of_names_are_bounded(
    name: str,
    sizes: tuple[int, ...],
    limit: tuple[str, str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    measured: Measured,
) -> None:
    """However many there are, of units and of names that are counted each time."""
    monkeypatch.setattr(objects, "LISTED_VARIABLES", 20)
    work, printed = measured(name, sizes, ["check", "bomb", *limit])
    assert [message in text and limit[0] in text for text in printed] == [False, True, True]
    assert all("not checked to the end" in text for text in printed[1:])
    assert work[2] < work[1] + 80 * (sizes[2] - sizes[1]), work  # the headers are read


@pytest.mark.parametrize("name", ["empty-names", "same-names", "same-hashes", "same-variables"])
def test_a_search_by_an_index_of_names_is_bounded(name: str, measured: Measured) -> None:
    """Whether names have hashes or not; beyond the bound the units are searched without it."""
    arguments = ["eval", "--file", "bomb", "x", "--max-searched-names", "2000"]
    work, printed = measured(name, (8_000, 32_000), arguments)
    assert all("No symbol" in text for text in printed), printed
    assert work[1] < work[0] + 500, work


def test_the_names_of_all_indexes_share_a_budget(measured: Measured) -> None:
    """Each index of a few bytes may have a name of a megabyte."""
    work, printed = measured("long-index-name", (13, 200), ["check", "bomb"])
    assert all("--max-searched-names" in text for text in printed)
    assert work[1] < work[0] + 80 * 187, work


def test_an_evaluation_looks_once_for_the_frame_base(measured: Measured) -> None:
    """Each of 18,000 operations went through all inlined calls: 12 s for 3,000 of them."""
    arguments = ["eval", "--state", "state", "x"]
    work, printed = measured("inlined-bases", (5, 20, 320), arguments)
    assert all("--max-steps" in text for text in printed), printed
    assert work[2] < work[1] + 300 * 300, work


@pytest.mark.parametrize(
    "name", ["called-bases", "called-pieces", "values-of-values", "values-of-constants"]
)
def test_calls_of_expressions_count_more(name: str, measured: Measured) -> None:
    """A list of variables took up to 18 s for a million operations."""
    work = []
    for most in ("1000", "1000", "4000"):  # the first time includes what is done once
        made, printed = measured(
            name, (2,), ["eval", "--state", "state", "v0", "--max-steps", most]
        )
        assert "--max-steps" in printed[0]
        work += made
    assert work[2] < work[1] + 30 * 3_000, work


@pytest.mark.parametrize("command", ["bt", "lanes --lane 0-7"])
def test_functions_that_a_lane_never_entered_share_the_budget(
    command: str,
    measured: Measured,
) -> None:
    """Each of them is asked where the lane is, again for each of the frames in one another."""
    arguments = f"{command} --state state --max-command-steps 1000".split()
    work, printed = measured("lane-pcs", (10, 40, 160), arguments)
    if command == "bt":
        assert ["--max-command-steps" in text for text in printed] == [False, True, True]
    assert work[2] < 5 * work[1] + START_CALLS, work


def test_the_cases_of_a_suite_share_their_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The registers of both wave sizes are thousands of objects."""
    monkeypatch.chdir(tmp_path)
    work = _work_of("quick-cases", "conformance bomb")
    assert work[2] < work[1] + 600 * 900, work


@pytest.mark.parametrize("command", ["check", "info", "where --all"])
def test_the_files_of_an_archive_share_a_bound(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Twenty files have too much together; each may have a megabyte at any ratio."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dwarfgpu.objfile.collection.members._MOST_UNJUDGED", 20_000)
    made = next(bomb for bomb in BOMBS if bomb.name == "packed-members")
    Path("bomb").write_bytes(made.make(50_000)["bomb"])  # 50,000 bytes in each
    reasons = []
    for options in ("", "--max-inflated-ratio 200"):
        main(f"{command} bomb {options}".split())
        said = "".join(capsys.readouterr())
        reasons.append("and those after it are not read" in said)
    assert reasons == [True, False]


def test_scopes_in_one_another_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path to a namespace is that to the one around it, and its name."""
    monkeypatch.chdir(tmp_path)
    work = _work_of("namespaces", "debug bomb <<< ptype n::nosuch")
    assert work[2] < work[1] + 250 * 900, work


@pytest.mark.parametrize(
    ("name", "command", "most_calls"),
    [
        ("locals", "debug --pc 0x1000 bomb <<< print nosuch", 46),
        ("locals", "debug --pc 0x1000 bomb <<< print v5", 25),
        ("locals", "debug --pc 0x1000 bomb <<< bt", 25),
        ("locals", "debug --pc 0x1000 bomb <<< info locals zz", 40),
        ("locals", "where bomb v5", 18),
        ("variables", "eval --pc 0x1000 --file bomb nosuch", 20),
        ("variables", "debug --pc 0x1000 bomb <<< print nosuch; print nosuch", 20),
        ("variables", "debug --pc 0x1000 bomb <<< complete print v99", 40),
    ],
)
def test_variables_that_are_not_asked_for_cost_few_calls(
    name: str, command: str, most_calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No object is made for each, for another name, for a frame or for a suggestion: an unknown
    name is compared with the first of them."""
    monkeypatch.chdir(tmp_path)
    for most in ("by_pc._MANY_ENTRIES", "by_pc._MOST_OF_UNIT", "global_names._MOST"):
        monkeypatch.setattr(f"dwarfgpu.dwarf.scope.{most}", 50)
    work = _work_of(name, command)
    assert work[2] < work[1] + most_calls * 900, work


@pytest.mark.parametrize("name", ["inherited-by-all", "unnamed-in-all"])
def test_parts_of_an_object_that_are_set_are_bounded(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    measured: Measured,
) -> None:
    """Ten classes have 512 parts, and 16 have 32,768; those of the object that is assigned and
    those of the target count."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 1_200)
    arguments = arguments_of("debug bomb <<< print x=x")
    work, printed = measured(name, (60, 60, 130), arguments)
    message = "an expression takes more than 1200 elements and components one by one"
    reasons = [message in said for said in printed]
    assert reasons == [False, False, True]
    assert work[2] < 2 * work[1] + START_CALLS, work


def test_the_frames_that_an_expression_looks_at_are_bounded(
    monkeypatch: pytest.MonkeyPatch, measured: Measured
) -> None:
    """`$_caller_is` with 4,900 levels took 0.25 s, each time again."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 150)
    looks = '$_caller_is("f",99)'
    arguments = arguments_of(f"debug --state state bomb <<< print {looks}+{looks}")
    _, printed = measured("frames-of-a-row", (1_000, 5_000), arguments)
    message = "an expression takes more than 150 elements and components one by one"
    assert [message in said for said in printed] == [False, True]


def test_blocks_without_variables_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor are their ranges."""
    monkeypatch.chdir(tmp_path)
    work = _work_of("own-range-lists", "where --all bomb")
    assert work[2] < work[1] + 15 * 900, work


@pytest.mark.parametrize("is_covered", [False, True])
def test_lists_in_which_an_address_is_sought_are_bounded(
    is_covered: bool, measured: Measured
) -> None:
    """What is unread is an error, but for the address of a block before it."""
    address = START if is_covered else START + 1
    arguments = arguments_of(f"debug --pc {address:#x} --max-dies 1616 bomb <<< info locals")
    work, printed = measured("own-range-lists", (600, 600, 1_600), arguments)
    message = "have more than 101 lists of ranges to read (--max-dies)"
    assert ["No locals." in text for text in printed] == [is_covered] * 3, printed
    assert [message in text for text in printed] == [not is_covered] * 3, printed
    assert work[2] < work[1] + 20 * 1_000, work


@pytest.mark.parametrize(
    "command", ["info locals", "bt full", "info args", "info locals v", "info locals -t int"]
)
def test_too_many_variables_are_not_all_read(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for the error, nor for the arguments of a function without any."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dwarfgpu.dwarf.scope.by_pc._MANY_ENTRIES", 50)
    asked = f"debug --max-variables 9 --pc 0x1000 bomb <<< {command}"
    work = _work_of("locals", asked)
    assert work[2] < work[1] + 25 * 900, work


@pytest.mark.parametrize(
    "command",
    [
        "eval LIMIT --file bomb --pc 0x1000",
        "eval --json LIMIT --file bomb --pc 0x1000",
        "debug LIMIT --pc 0x1000 bomb <<< info locals",
        "debug LIMIT --pc 0x1000 bomb <<< bt full",
    ],
)
def test_the_values_of_a_list_share_a_limit(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It ends between two variables; the structures of the others are not read."""
    monkeypatch.chdir(tmp_path)
    made = next(bomb for bomb in BOMBS if bomb.name == "large-locals")
    given = arguments_of(command.replace("LIMIT", "--max-listed-characters 1000"))
    work, printed = [], []
    for side in (8, 60, 240):  # a value has 52, 530 and 2,270 characters
        Path("bomb").write_bytes(made.make(side * side)["bomb"])
        work.append(calls_of(lambda: main(given)))
        said = capsys.readouterr()
        printed.append(said.out + said.err)
    assert work[2] < 5 * work[1] + START_CALLS, work
    assert [("--max-listed-characters" in text) for text in printed] == [False, True, True]
    for text, last, rest in zip(printed[1:], ("v2", "v1"), (57, 238), strict=True):
        assert f"than 1000 characters: {last} and {rest} variables after it are not shown" in text
        assert text.count("m1 = 0") == int(last[1:])


@pytest.mark.parametrize("mebibytes", [1, 100])
def test_a_thousand_large_arrays_are_listed(mebibytes: int) -> None:
    """Each is read quickly, of the larger ones a part, and little of it is printed; the digits of
    their bytes in JSON are many more."""
    size = mebibytes << 20
    array: Any = SimpleNamespace(name="a", type=Array(Unspecified("byte", 1), (size,)))
    values, again = ListedValues(Limits()), ListedValues(Limits())
    for variable in values.shown([array] * 1_000):
        values.count(variable, f"'x' <repeats {size} times>")
    assert not values.unlisted
    for _ in again.shown([array] * 1_000):
        again.count_record({"bytes": "00" * min(size, 1 << 16), "data": None})
    assert len(again.unlisted) in range(1, 1_000)


def test_arrays_in_one_another_count_as_more_than_their_braces() -> None:
    """Each takes longer to show than a character."""
    kind: Any = Unspecified("byte", 1)
    arrays: list[Any] = [SimpleNamespace(name="a", type=kind)]
    for _ in range(30):
        kind = Array(kind, (1,))
        arrays.append(SimpleNamespace(name="a", type=kind))
    for array, listed in ((arrays[1], 201), (arrays[30], 2)):
        values = ListedValues(Limits(listed_characters=1_000))
        for variable in values.shown([array] * 1_000):
            values.count(variable, "{...}")
        assert len(values.unlisted) == 1_000 - listed


def test_short_values_of_many_lanes_are_all_listed() -> None:
    """As many as the user asks for; only what is longer than 256 characters is counted."""
    value: Any = SimpleNamespace(name="a", type=Unspecified("byte", 1))
    short, long_ = (ListedValues(Limits(listed_characters=1_000), is_of_one=False) for _ in "12")
    for _ in short.shown([value] * 1_000):
        short.count(value, "x" * 256)
        short.count_record({"data": [1] * 100})
    assert not short.unlisted
    for _ in long_.shown([value] * 1_000):
        long_.count(value, "x" * 257)
        long_.count_record({"data": [1] * 200})
    assert len(long_.unlisted) in range(980, 995)


def test_the_arguments_of_a_frame_share_the_limit_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In its line, where they are `...` unless all are wanted, and in their list."""
    monkeypatch.chdir(tmp_path)
    Path("bomb").write_bytes(large_locals(3_600, dw.TAG_FORMAL_PARAMETER)["bomb"])
    why = "v2 and 57 variables after it are not shown (--max-listed-characters)"
    command = "debug --max-listed-characters 1000 --pc 0x1000 bomb <<< "
    main(arguments_of(f"{command}frame"))
    assert "v58=..., v59=..." in capsys.readouterr().out
    for asked in ("set print frame-arguments all; frame", "info args"):
        main(arguments_of(command + asked))
        said = capsys.readouterr()
        assert why in said.out + said.err
        assert "v1" in said.out and "v3" not in said.out


def test_displays_that_are_shown_together_share_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that is disabled is not the one at which they end."""
    monkeypatch.chdir(tmp_path)
    Path("bomb").write_bytes(large_locals(3_600)["bomb"])
    shown = "display v0; display v1; display v2; display v3; display v4; disable display 3"
    limited = "debug --max-listed-characters 900 --pc 0x1000 bomb"
    assert main(arguments_of(f"{limited} <<< {shown}; echo all\\n; display")) == 0
    each, _, together = capsys.readouterr().out.partition("all\n")
    assert "<error" not in each
    v0, v1, v3 = together.splitlines()
    assert v0.startswith("1: v0 = {m0 = 0") and v1.startswith("2: v1 = {m0 = 0")
    why = "the displays have more than 900 characters: this one and those after it are not shown"
    assert v3.startswith("4: v3 = <error: ") and why in v3
    assert "--max-listed-characters" in v3


def test_the_data_of_a_list_in_json_share_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They may be longer than the texts, as those of equal elements are; each of the variables
    that are left out has the error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dwarfgpu.service.value.listed_values._CHARACTERS_OF_A_PART", 9)
    made = next(bomb for bomb in BOMBS if bomb.name == "large-locals")
    Path("bomb").write_bytes(made.make(64)["bomb"])
    limited = "--max-listed-characters 600 --file bomb --pc 0x1000"
    assert main(arguments_of(f"eval {limited}")) == 0
    assert capsys.readouterr().err == ""
    assert main(arguments_of(f"eval --json {limited}")) == 1
    variables = json.loads(capsys.readouterr().out)["variables"]
    errors = [variable.get("error", {}).get("message", "") for variable in variables]
    assert errors[0] == errors[1] == "" and errors[2] == errors[7]
    assert "v2 and 5 variables after it are not shown (--max-listed-characters)" in errors[2]


def test_a_pattern_finds_the_same_variables_of_a_large_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only those that match count for the limit."""
    monkeypatch.chdir(tmp_path)
    made = next(bomb for bomb in BOMBS if bomb.name == "locals")
    Path("bomb").write_bytes(made.make(200)["bomb"])
    command = "debug --max-variables 11 --pc 0x1000 bomb <<< info locals "
    listed = []
    for most in (10_000, 50):
        monkeypatch.setattr("dwarfgpu.dwarf.scope.by_pc._MANY_ENTRIES", most)
        for expression in ("v15", "^v2$", "9$", "-t int ^v10"):
            main([*arguments_of(command)[:-1], f"info locals {expression}"])
            listed.append(capsys.readouterr())
    assert [said.out for said in listed[:4]] == [said.out for said in listed[4:]]
    assert all("--max-variables" in listed[at].err for at in (2, 6))
    names = [line.split()[0] for line in listed[0].out.splitlines()]
    assert names == ["v15", *(f"v{number}" for number in range(150, 160))]
    assert listed[1].out.split()[0] == "v2"


@pytest.mark.parametrize(
    ("command", "most_calls"),
    [
        ("break nosuch", 25),
        ("list nosuch", 32),
        ("break m5", 27),
        ("ptype ns::C::m5", 50),
    ],
)
def test_methods_are_not_made_objects_for_a_name_that_is_in_no_entry(
    command: str, most_calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a definition refers to is a number: no more is asked than whether an entry is there.
    Neither `main` nor what completes it is looked for among all functions, if no line is meant."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dwarfgpu.dwarf.scope.global_names._MOST", 5)
    work = _work_of("methods", f"debug bomb <<< {command}")
    assert work[2] < work[1] + most_calls * 900, work


def test_methods_without_a_part_of_two_letters_are_not_demangled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mangled name shows that the name does not have it."""
    monkeypatch.chdir(tmp_path)
    work = _work_of("methods", "debug bomb <<< info functions zz")
    assert work[2] < work[1] + 60 * 900, work


@pytest.mark.parametrize(
    ("expression", "least"), [("[x-z]q", 0), ("m", 15), ("m[0-9]", 15), ("", 11)]
)
def test_names_that_a_list_is_made_of_are_bounded(
    expression: str,
    least: int,
    measured: Measured,
) -> None:
    """Those that were found until then are listed, and one line says that others are not."""
    command = f"debug --max-searched-names 300 bomb <<< info functions {expression}"
    work, printed = measured("methods", (10, 100, 1_000), arguments_of(command))
    ends = [text.count("the search is incomplete: it ended after ") for text in printed]
    assert ends == [0, 1, 1]
    assert "in unit 1 of 1 (u)" in printed[2] and "(--max-searched-names)" in printed[2]
    assert "a word of three letters in the expression makes it faster" in printed[2]
    assert printed[0].count("::m") == (10 if least else 0)
    assert least <= printed[2].count("::m") <= 20
    assert work[2] < work[1] + 22 * 900, work


@pytest.mark.parametrize("command", ["break f", "info line f", "print f", "disassemble f"])
def test_symbols_of_one_name_are_counted_before_they_are_read(
    command: str,
    measured: Measured,
) -> None:
    arguments = arguments_of(f"debug --max-namesakes 20 bomb <<< {command}")
    work, printed = measured("symbol-namesakes", (10, 100, 1_000), arguments)
    assert ["symbols have the name f: more than 20" in text for text in printed] == [
        False,
        True,
        True,
    ]
    assert work[2] < work[1] + 13 * 900, work


@pytest.mark.parametrize(
    ("command", "is_limited"),
    [
        ("where bomb f", False),  # which variables the function has is only a hint
        ("where bomb --function f zz", True),
        ("debug bomb <<< break f", True),
        ("debug bomb <<< print f", True),
    ],
)
def test_units_with_one_name_are_counted_before_they_are_read(
    command: str,
    is_limited: bool,
    monkeypatch: pytest.MonkeyPatch,
    measured: Measured,
) -> None:
    monkeypatch.setattr("dwarfgpu.service.where.coverages.MOST_SUGGESTED", 50)
    arguments = arguments_of(command)
    arguments.insert(1, "--max-namesakes=20")
    work, printed = measured("unreadable-ranges", (100, 1_000), arguments)
    assert all(("units may have the name f" in text) == is_limited for text in printed)
    assert work[1] < work[0] + 132 * 950, work


def test_units_are_counted_before_functions_are_sought_in_them(measured: Measured) -> None:
    """Where they are too many, none of them is read."""
    work = []
    for most in (50, 50, 500):  # the first command imports modules; units count as half a name
        arguments = arguments_of("debug bomb <<< break f")
        work += measured("unreadable-ranges", (2_000,), [*arguments, f"--max-namesakes={most}"])[0]
    assert work[2] < work[1] + 120 * 900, work


@pytest.mark.parametrize("expression", ["zz", "zz|qq", "q[xy]z", "[^a]zz.*x"])
def test_names_without_the_words_of_an_expression_hardly_count(
    expression: str,
    measured: Measured,
) -> None:
    command = f"debug --max-searched-names 2002 bomb <<< info functions {expression}"
    _, [printed] = measured("methods", (1_000,), arguments_of(command))
    assert "--max-searched-names" not in printed


def test_a_list_of_the_lines_of_a_variable_reads_no_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the variables nor the types are compared with the name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dwarfgpu.dwarf.scope.global_names._MOST", 5)
    work = _work_of("variables", "debug bomb <<< list v5")
    assert work[2] < work[1] + 22 * 900, work


def test_descriptions_of_locations_share_the_budget_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables may share a list: what one command describes of all of them is bounded."""
    monkeypatch.chdir(tmp_path)
    made = next(bomb for bomb in BOMBS if bomb.name == "shared-list")
    work = []
    for count in (10, 100, 400):  # lists of 40, 400 and 1,600 ranges
        Path("bomb").write_bytes(made.make(count)["bomb"])
        out = io.StringIO()
        command = arguments_of("debug --max-command-steps 500 bomb <<< info scope main")
        with contextlib.redirect_stdout(out):
            work.append(calls_of(lambda given=command: main(given)))
        assert ("more than 500 operations in one command" in out.getvalue()) is (count > 10)
    assert work[2] < 5 * work[1] + START_CALLS, work


def test_too_many_symbols_of_a_scope_are_not_all_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first ones are listed; each may have a location list of its own."""
    monkeypatch.chdir(tmp_path)
    asked = "debug --max-variables 9 bomb <<< info scope main"
    work = _work_of("own-location-lists", asked)
    assert work[2] < work[1] + 25 * 900, work
    main([*arguments_of(asked)[:-1], "info scope main"])
    said = capsys.readouterr()
    assert said.out.count("Symbol x") == 9
    assert "the scope has more than 9 symbols (--max-variables)" in said.err


def test_units_without_an_entry_of_their_own_are_checked_no_further(measured: Measured) -> None:
    """Each part of the check asked for the entry again, and made an error of its own."""
    work, _ = measured("damaged-units", (10, 100, 300), ["check", "bomb"])
    assert work[2] < work[1] + 80 * 200, work


def test_the_default_file_needs_one_main(measured: Measured) -> None:
    """All others of a program are not looked at for it."""
    arguments = arguments_of("debug bomb <<< list nosuch")
    work, _ = measured("unit-entries", (10, 100, 1_000), arguments)
    assert work[2] < work[1] + 60 * 900, work


@pytest.mark.parametrize(
    ("command", "most_calls"),
    [("debug bomb <<< list x", 1_300), ("debug bomb <<< print x", 1_400)],
)
def test_the_imports_of_units_are_read_once(
    command: str,
    most_calls: int,
    measured: Measured,
) -> None:
    """Each of these commands searches all units several times; each unit has 25 imports, of the
    same units as the others."""
    work, _ = measured("same-imports", (10, 20, 120), arguments_of(command))
    assert work[2] < work[1] + most_calls * 100, work


@pytest.mark.parametrize("command", ["print x", "list x", "info variables x"])
def test_the_imports_of_a_file_are_bounded(
    command: str,
    measured: Measured,
) -> None:
    arguments = [*arguments_of(f"debug bomb <<< {command}"), "--max-dies", "4000"]
    work, printed = measured("same-imports", (20, 40, 80), arguments)
    ends = ["the units import others more than 500 times" in text for text in printed]
    assert ends == [False, True, True]
    assert work[2] < work[1] + 600 * 40, work


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("linked-instances", "debug bomb <<< info types"),
        ("linked-instances", "debug bomb <<< info variables"),
        ("linked-instances", "debug bomb <<< info variables -t zzz"),
        ("linked-instances", "debug --pc 0x1000 bomb <<< info locals"),
        ("variable-instances", "debug bomb <<< info variables"),
        ("variable-instances", "debug bomb <<< print v"),
        ("variable-instances", "debug bomb <<< list v"),
    ],
)
def test_linkage_names_that_are_demangled_share_a_budget(
    name: str,
    command: str,
    measured: Measured,
) -> None:
    """Each of them takes 60,000 calls."""
    arguments = [*arguments_of(command), "--max-searched-names", "15000"]
    work, printed = measured(name, (1, 4, 12), arguments)
    assert ["(--max-searched-names)" in text for text in printed] == [False, True, True]
    assert work[2] < work[1] + 2_000 * 8, work
    if command.endswith(("info variables", "info locals")) and name == "linked-instances":
        assert printed[2].count(" v" if "info variables" in command else "p") >= 12


def test_the_characters_of_spelled_names_count(measured: Measured) -> None:
    """A name takes 1,000 calls and counts as 120; by its mangled form alone it counted as 32."""
    arguments = [*arguments_of("debug bomb <<< info functions q"), "--max-searched-names", "1000"]
    work, printed = measured("spelled-symbols", (8, 20, 100), arguments)
    assert ["(--max-searched-names)" in text for text in printed] == [False, True, True]
    assert work[2] < work[1] + 80 * 100, work


def test_variables_without_a_word_in_their_linkage_names_are_left_out(measured: Measured) -> None:
    arguments = arguments_of("debug bomb <<< info variables w0000011")
    arguments += ["--max-searched-names", "15000"]
    _, (printed,) = measured("variable-instances", (12,), arguments)
    assert printed.count("w0000011>") == 1 and "--max-searched-names" not in printed


@pytest.mark.parametrize(("option", "is_complete"), [("", True), ("-t int", False)])
def test_names_of_types_that_are_searched_count(
    option: str,
    is_complete: bool,
    measured: Measured,
) -> None:
    """A search for variables by their types spells the type of each."""
    arguments = [*arguments_of("debug bomb <<< X"), "--max-searched-names", "1000"]
    arguments[arguments.index("X")] = f"info variables {option}"
    _, (printed,) = measured("variables", (100,), arguments)
    assert ("--max-searched-names" not in printed) == is_complete


def test_a_linkage_name_is_demangled_once_for_a_variable(measured: Measured) -> None:
    """Each search for a name asks for it again; the message spells it as GDB does."""
    arguments = arguments_of("debug bomb <<< print v")
    work, _ = measured("variable-instances", (1, 2, 6), arguments)
    assert work[2] < work[1] + 4 * 160_000, work


def test_targets_in_other_files_count_for_the_check(measured: Measured) -> None:
    """Each takes as much memory as several entries."""
    arguments = ["check", "bomb", "--max-dies", "20000"]
    _, printed = measured("wrong-imports", (1_000, 12_000), arguments)
    assert ["not checked to the end" in text for text in printed] == [False, True]


def test_a_search_in_long_names_ends(monkeypatch: pytest.MonkeyPatch, measured: Measured) -> None:
    """Functions share the name of a class: their names have no bytes of their own in the file."""
    monkeypatch.setattr("dwarfgpu.dwarf.scope.symbol_list._MOST_CHARACTERS", 0)
    counts = (1, 50, 500)  # of 32,768 characters each, in a file of 64 KB
    arguments = arguments_of("debug bomb <<< info functions [x-z]q")
    work, printed = measured("long-parameters", counts, arguments)
    ends = ["long names take far more characters" in text for text in printed]
    assert ends == [False, True, True]
    assert work[2] < work[1] + START_CALLS, work


@pytest.mark.parametrize("command", ["where --all", "check"])
def test_long_expressions_share_the_budget_of_the_file(
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    measured: Measured,
) -> None:
    """Nothing bounds how many there are: what is analyzed of all of them is bounded."""
    monkeypatch.setattr(entries, "OPERATIONS", 4_000)
    arguments = f"{command} bomb --max-analyzed-bytes 4000".split()
    work, printed = measured("long-locations", (1, 2, 8), arguments)
    message = "more than 4000 bytes of long expressions to analyze"
    ends = [message in text and "--max-analyzed-bytes" in text for text in printed]
    assert ends == [False, True, True]
    assert work[2] < work[1] + START_CALLS, work


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("padded-numbers", 4 * 182),
        ("fixed-advances", 4 * 985),
        ("no-operands", 4 * 2_960),
        ("unended-rows", 4 * 496),
    ],
)
def test_the_line_programs_of_a_file_share_their_steps(
    name: str, count: int, measured: Measured
) -> None:
    """Each of four tables is short enough; an eighth of it, read twice, is too."""
    arguments = ["check", "bomb", "--max-line-rows", "750"]
    _, printed = measured(name, (count // 8, count), arguments)
    said = "more than 12000 steps to read (--max-line-rows)"
    assert [said in text for text in printed] == [False, True]


@pytest.mark.parametrize("command", ["break x.c:2", "info line x.c:2"])
def test_no_program_is_run_for_the_files_that_it_may_define(
    command: str, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the one that has the code of `main`, for the file that is listed first."""
    runs, run = Counter[int](), LineTables.run

    def counted(self: LineTables, header: LineHeader, *of: Any) -> LineMatrix:
        runs[header.offset] += 1
        return run(self, header, *of)

    monkeypatch.setattr(LineTables, "run", counted)
    arguments = arguments_of(f"debug --max-line-rows 750 bomb <<< {command}")
    _, [printed] = measured("inner-names", (4 * 400,), arguments)
    assert "No source file named x.c." in printed or "Make breakpoint pending" in printed
    assert list(runs) == [0] and runs[0] <= 2, runs


def test_errors_of_units_that_are_searched_hold_no_frames() -> None:
    """What these hold, for each of tens of thousands of units, takes ten times as much memory as
    the rest."""
    lookup = NameLookup(())
    with pytest.raises(LimitExceeded) as raised:
        raise LimitExceeded("its parts overlap")
    lookup.doubt(raised.value)
    [kept] = lookup.doubts
    assert kept == raised.value
    assert isinstance(kept, LimitExceeded) and kept.__traceback__ is None


def test_little_is_kept_of_units_with_unreadable_ranges(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be hundreds of thousands: nothing reads line tables that they do not have, and
    what holds their lists of ranges has no room for other lists."""
    monkeypatch.setattr("dwarfgpu.dwarf.scope.covered_code._MOST_UNREADABLE", 10)
    kept, read = list[UnitLists](), UnitLists.__init__

    def noted(self: UnitLists, *of: Any) -> None:
        read(self, *of)
        kept.append(self)

    monkeypatch.setattr(UnitLists, "__init__", noted)
    arguments = arguments_of("debug bomb <<< info line *0x1008")
    work, printed = measured("unreadable-ranges", (100, 100, 1_000), arguments)
    assert "offset 0xffffffff is outside" in printed[2] and len(kept) == 1_200
    assert all(vars(lists).keys() == {"_unit", "_read"} for lists in kept)
    assert all(vars(lists._read).keys() == {"ranges"} for lists in kept)
    assert work[2] < work[1] + 130 * 900, work


def test_files_of_one_path_are_sought_once_for_all_functions(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of the prologue of each is looked for in these files."""
    sought, files_named = Counter[str](), LineTable.files_named

    def counted(self: LineTable, path: str) -> tuple[SourceFile, ...]:
        sought[path] += 1
        return files_named(self, path)

    monkeypatch.setattr(LineTable, "files_named", counted)
    _, [printed] = measured("one-name", (400,), arguments_of("debug bomb <<< break f0.c:f"))
    assert "Breakpoint 1 at 0x1000" in printed and sought["/d/f0.c"] == 1, (printed, sought)


@pytest.mark.parametrize(("name", "calls"), [("origin-circles", 700), ("specifications", 1_500)])
def test_origins_that_lead_nowhere_are_followed_few_times(
    name: str, calls: int, measured: Measured
) -> None:
    """For each variable, and not again for its note and for its qualified name."""
    work, printed = measured(name, (10, 50, 500), ["where", "--all", "bomb"])
    variables = printed[2].count("<unreadable name>") - printed[1].count("<unreadable name>")
    assert variables >= 450
    assert work[2] < work[1] + variables * calls, (work, variables)


def test_symbols_of_a_scope_are_read_while_they_are_printed(tmp_path: Path) -> None:
    variables = next(bomb for bomb in BOMBS if bomb.name == "locals")
    work = []
    for count in (10, 100, 1_000):
        path = tmp_path / f"{count}"
        path.write_bytes(variables.make(count)["bomb"])
        program = CodeObject.open(path)
        session = Session(architecture("x86_64"), (program,))
        program.scopes.chain_at(START)
        work.append(calls_of(lambda asked=session: next(symbols_at(asked, START))))
    assert work[2] < work[1] + 100, work


def test_the_entries_are_searched_for_a_name_once_for_all_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search of their bytes for each block, each with a variable, grows with its square."""
    function, block = (Shape(tag, PLACE, has_children=True) for tag in _SCOPES)
    variable = Shape(dw.TAG_VARIABLE, (NAME,))
    entries = b"\2" + HERE + (b"\3" + HERE + b"\4v\0") * 200 + bytes(201)
    (tmp_path / "nested").write_bytes(program(entries, function, block, variable))
    searches, entries_with = 0, NamedEntries._in_which_begins

    def counted(self: NamedEntries, value: bytes) -> Iterator[int]:
        nonlocal searches
        searches += 1
        return entries_with(self, value)

    monkeypatch.setattr(NamedEntries, "_in_which_begins", counted)
    _run(f"eval {tmp_path}/nested --pc {START:#x} nosuch")()
    assert 0 < searches < 20


@pytest.mark.parametrize("name", ["blocks-of-ada", "blocks-of-fortran"])
def test_the_variables_of_blocks_are_read_once_for_several_names(
    name: str, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many blocks are around the code."""
    scopes = Counter[Die]()

    def counted(scope: Die, *of: Any) -> Iterator[Variable]:
        scopes[scope] += 1
        return declared_in(scope, *of)

    monkeypatch.setattr("dwarfgpu.dwarf.scope.by_pc.declared_in", counted)
    measured(name, (300,), arguments_of("debug --pc 0x1000 bomb <<< print x; print nosuch"))
    assert len(scopes) >= 300 and set(scopes.values()) == {1}


def test_a_file_is_not_searched_for_each_of_many_tags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    passes, search = [], StringIndex._holding
    monkeypatch.setattr(
        StringIndex, "_holding", lambda self, *of: passes.append(of) or search(self, *of)
    )
    write_files(languages.tags(b"", b"", 200), Path())
    _run("debug --state state <<< info locals")()
    assert 0 < len(passes) < 100


def test_names_that_tags_lead_to_are_read_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not letter by letter."""
    monkeypatch.chdir(tmp_path)
    work = []
    for end in (b"", b"", b"z" * 900):  # the first command imports modules
        write_files(languages.tags(b"", end, 50), Path())
        work.append(calls_of(_run("debug --state state <<< info locals")))
    assert work[2] < work[1] + 50 * 2_500, work


def test_records_that_are_too_many_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The objects may have more components than the known ones."""
    monkeypatch.chdir(tmp_path)
    for name, most in (("SEARCHES", 0), ("RECORDS", 20)):
        monkeypatch.setattr(f"dwarfgpu.dwarf.scope.ada_records._MAX_{name}", most)
    write_files(languages.tags(b"", b"", 30), Path())
    main(arguments_of("debug --state state <<< info locals"))
    said = capsys.readouterr()
    assert "v16 = (a => 16, b => 16)\nv17 = (a => 17)" in said.out
    assert said.err.count("with more components: more than 20 records of Ada; no option") == 13


@pytest.mark.parametrize("name", ["zeros", "nearly-zeros", "abbreviation-bytes"])
def test_bytes_like_those_of_a_name_cost_nothing_each(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are; only the first are compared with the name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dwarfgpu.dwarf.index.string_index._MAX_MISSES", 50)
    monkeypatch.setattr("dwarfgpu.dwarf.index.name_filter._BYTES_PER_COMPARISON", 1_000)
    bomb = next(bomb for bomb in BOMBS if bomb.name == name)
    work = [_calls(bomb, size) for size in (1_000, 1_000, 100_000)]
    for command, small, large in zip(bomb.commands, *work[1:], strict=True):
        assert large < small + 3_000, (command, small, large)


def _functions(count: int) -> bytes:
    """A program of functions without variables, and as many variables."""
    function, variable = Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE)), Shape(dw.TAG_VARIABLE, (NAME,))
    entries = (b"\2f%d\0" % number + HERE + b"\3v%d\0" % number for number in range(count))
    return program(b"".join(entries), function, variable)


def _calls(bomb: Bomb, size: int) -> list[int]:
    write_files(bomb.make(size), Path())
    return [calls_of(_run(command)) for command in bomb.commands]


def _run(command: str) -> Callable[[], None]:
    def run() -> None:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments_of(command))
        assert status in (0, 1, 2), err.getvalue()
        said = out.getvalue() + err.getvalue()
        assert "Traceback" not in said and "deeper than this command" not in said

    return run


def test_the_table_has_every_bomb() -> None:
    page = (Path(__file__).parent.parent / "docs/hostile-input.md").read_text("utf-8")
    section = page.partition("\n## Structural bombs\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| `")]
    assert rows == [f"`{bomb.name}`" for bomb in BOMBS]
