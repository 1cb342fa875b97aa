"""What the tabulator offers where GDB has no answer, or another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.typed_names import UnitNames, typed_names
from dwarfgpu.repl.completion import completions
from dwarfgpu.repl.files.symbol_index import SymbolIndex
from dwarfgpu.repl.shell import Shell
from tests.cli.command import FIXTURES
from tests.repl.repl_shell import demo_shell, nest_shell, output_of, talked


def offered(shell: Shell, text: str) -> list[str]:
    shell.symbols.require(shell.session.code_objects, "")
    return sorted(completion.text for completion in completions(shell, text)[1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p sizeof(struct ou", ["outer"]),
        ("p ((struct outer *)0)->ne", ["next"]),
        ("p ((struct outer *)0)->in[1].", ["count", "label", "weight"]),
        ("p 1.", []),
        ("p 1.5", []),
        ("p x.", []),
        ("p \"tw", []),  # a string
        ("ptype union ", ["word"]),
        ("ptype enum c", ["color"]),
        ("list demo.c:tw", ["twice"]),
        ("break demo.c:tw", ["twice"]),
        ("break dem", ["demo.c:"]),
        ("info address tw", ["twice"]),
        ("frame fu", ["function"]),
        ("info frame le", ["level"]),
        ("print -el", ["-elements"]),
        ("print -pretty o", ["off", "on"]),
        ("print -elements ", ["unlimited"]),
        ("print -pretty -- tw", ["twice"]),
        ("info functions -", ["-n", "-q", "-t"]),
        ("apropos -", ["-v"]),
        ("info dispatches -", ["-full"]),
        ("thread apply 1 2-3 -q -c p tw", ["twice"]),
        ("frame apply level 1-2 p tw", ["twice"]),
        ("frame apply -2 -", ["-c", "-past-entry", "-past-main", "-q", "-s"]),
        ("pipe -d ! p tw", ["twice"]),
        ("pipe -", ["-d"]),
        ("| p tw", ["twice"]),
        ("|p tw", ["twice"]),
        ("p $_str", ["$_streq", "$_strlen"]),
        ("p $_si", ["$_siginfo"]),
        ("p $_gdb_s", ["$_gdb_setting", "$_gdb_setting_str"]),
        ("alias zz = info lo", ["locals"]),
        ("complete info lo", ["locals"]),
        ("settings set print pretty o", ["off", "on"]),  # LLDB's
        ("type lookup outer_", ["outer_t"]),
        ("breakpoint set -n tw", ["twice"]),
        ("set output j", ["json"]),
        ("break 'demo.c':'tw", ["'twice'"]),
        ("break demo.c:\"tw", ['"twice"']),
        ("break demo.c:'nothing", []),
        ("list 'demo.c':'tw", ["'twice'"]),
        ("break -function 'tw", ["'twice'"]),
        ("break -source 'demo.c' -function 'tw", ["'twice'"]),
        ("frame function 'tw", ["'twice'"]),
        ("info frame function tw", ["twice"]),
        ("info registers gen", ["general"]),
    ],
)  # fmt: skip
def test_a_program(text: str, expected: list[str]) -> None:
    assert offered(demo_shell(), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lane apply 0-3 p ne", ["nest", "nest(int const*, int*, int)"]),
        ("lane apply ", ["active", "all", "inactive"]),
        ("lane apply all -in", ["-inactive"]),
        ("laas p ne", ["nest", "nest(int const*, int*, int)"]),
        ("lanes -g", ["-grid"]),
        ("lanes -", ["-active", "-all", "-grid", "-inactive", "-table"]),
        ("info lanes -", ["-active", "-all", "-inactive"]),
        ("p *(int *)private_l", ["private_lane#"]),
        ("wav", ["wave"]),
    ],
)
def test_a_wave(text: str, expected: list[str]) -> None:
    assert offered(nest_shell(), text) == expected


def test_files_in_an_open_quote(tmp_path: Path) -> None:
    """As GDB completes them, but for folders, which stay open for their files."""
    folder = tmp_path / "a b"
    (folder / "inner c").mkdir(parents=True)
    (folder / "prog x").touch()
    shell = demo_shell()
    for quote in "'", '"':
        assert offered(shell, f"directory {quote}{tmp_path}/a") == [f"{quote}{folder}/"]
        expected = [f"{quote}{folder}/inner c/", f"{quote}{folder}/prog x{quote}"]
        assert offered(shell, f"directory {quote}{folder}/") == expected
        assert offered(shell, f"file {quote}{folder}/") == expected
    expected = [f"{folder}/inner c/", f"{folder}/prog x"]
    assert offered(shell, f"set logging file {folder}/") == expected
    assert offered(shell, f'source "{folder}/') == []  # which takes no quotes


def test_parts_of_the_paths_of_source_files() -> None:
    """As GDB has them, with its errors."""
    shell = demo_shell()
    for arguments in "demo.c", "-basename ^demo.c$", "-b -- ^demo", "-- demo.c":
        assert "demo.c" in output_of(shell, f"info sources {arguments}"), arguments
    for arguments in "-dirname demo.c", "-b /", "-d /$", "-- -x":
        assert "demo.c\n" not in output_of(shell, f"info sources {arguments}"), arguments
    for arguments, error in (
        ("-basename", "Missing REGEXP for 'info sources'."),
        ("-d -b x", "You cannot give both -basename and -dirname to 'info sources'."),
        ("-bogus x", "Unrecognized option at: -bogus x"),
    ):
        assert error in output_of(shell, f"info sources {arguments}"), arguments


def test_commands_of_the_user() -> None:
    shell = demo_shell()
    talked(
        shell, "define zz", "p $arg0", "end", "alias yy = print -elements 3 --", "alias ww = info"
    )
    assert offered(shell, "zz tw") == ["twice"]
    assert offered(shell, "yy tw") == ["twice"]
    assert offered(shell, "ww lo") == ["locals"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("condition ", ["-force", "1", "2"]),
        ("condition -f", ["-force"]),
        ("condition -force ", ["1", "2"]),
        ("condition 2 tw", ["twice"]),
        ("condition -force 2 sizeof(struct ou", ["outer"]),
        ("watch -", ["-location"]),
        ("watch -l tw", ["twice"]),
        ("info locals -", ["-q", "-t"]),
    ],
)
def test_numbers_and_options(text: str, expected: list[str]) -> None:
    shell = demo_shell()
    talked(shell, "break twice", "break twice")
    assert offered(shell, text) == expected


def test_a_list_may_be_truncated() -> None:
    shell = demo_shell()
    shell.symbols.collect(shell.session.code_objects)
    shell.symbols.require(shell.session.code_objects, "")
    names = tuple((f"many{number:03}", "variable") for number in range(300))
    shell.symbols.take([UnitNames("many.c", names)])  # type: ignore[arg-type]
    lines = output_of(shell, "complete p many").splitlines()
    assert lines[:2] == ["p many000", "p many001"] and len(lines) == 201
    assert lines[-1] == "p many *** List may be truncated, max-completions reached. ***"


@pytest.mark.parametrize(
    "text",
    [
        "pipe " * 300, "faas " * 90, "p " + "(" * 900, "p " + "a." * 400, "p " + "a[" * 400 + "]",
        "list " + "$" * 900, "p a" + "<" * 500, "p ']::", "p )].", "p ].", "p )->", "help " * 90,
        "print -" * 90, "alias =" * 100, "p 'a'::" * 90, "lane apply " * 90, "p x" * 5000,
    ],
)  # fmt: skip
def test_hostile_lines(text: str) -> None:
    shell = demo_shell()
    shell.symbols.require(shell.session.code_objects, "")
    start, result = completions(shell, text)
    assert 0 <= start <= len(text) and isinstance(result, list)


def test_line_tables_are_read_for_files_alone() -> None:
    class Unit:
        reads = 0

        @property
        def line_table(self) -> None:
            self.reads += 1

    index, unit = SymbolIndex(), Unit()
    names = (("ring::area()", "function"),)
    index.take([UnitNames("ring.cpp", names, unit)])  # type: ignore[arg-type]
    assert [name for name, _ in index.functions("ring::a")] == ["ring::area()"]
    assert not unit.reads
    assert list(index.files("ring")) == ["ring.cpp"]
    assert unit.reads


def test_parts_of_names() -> None:
    index = SymbolIndex()
    names = ("ns::over(int)", "a<b::c>::over()", "over_all", "f(ns::over)")
    index.take([UnitNames("a.cpp", tuple((name, "function") for name in names))])
    functions = [name for name, _ in index.functions("over")]
    assert sorted(functions) == ["a<b::c>::over()", "ns::over(int)", "over_all"]


def test_typed_names() -> None:
    units = list(typed_names(CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5")))
    kinds = {pair for unit in units for pair in unit.names}
    assert units[0].file.endswith("demo.c")
    expected = {
        ("twice", "function"), ("outer", "struct"), ("outer_t", "type"), ("word", "union"),
        ("color", "enum"), ("GREEN", "enumerator"), ("_start", "code symbol"), ("short", "type"),
    }  # fmt: skip
    assert expected <= kinds


def test_words_of_gpu_languages() -> None:
    """`docs/dispatch.md`: they can be in any expression; on a CPU they mean nothing."""
    shell = nest_shell()
    assert "threadIdx" in offered(shell, "print threadI")
    assert "get_local_id" in offered(shell, "print 1 + get_local_i")
    assert "threadIdx" not in offered(demo_shell(), "print threadI")
