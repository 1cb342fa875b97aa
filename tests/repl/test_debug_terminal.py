"""What `dwarfgpu debug` does for whoever sits at a terminal: pages, colours, names, long lines."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import dwarfgpu
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.typed_names import UnitNames, typed_names
from dwarfgpu.dwarf.scope.global_names import names_of
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.completion import completions
from dwarfgpu.repl.files.symbol_index import MAX_NAMES, SymbolIndex
from dwarfgpu.repl.output import Output, Painted
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal import colour
from dwarfgpu.repl.terminal.pager import MORE, Pager
from tests.cli.command import FIXTURES, validate
from tests.repl.repl_shell import demo_shell, json_of, nest_shell, output_of


def pages(rows: int | None, answers: str, *texts: str, columns: int = 80) -> tuple[int, int]:
    """How many texts are admitted, and how many questions are asked."""
    left = list(answers)
    asked = []

    def ask(prompt: str) -> str | None:
        assert prompt == MORE
        asked.append(prompt)
        return left.pop(0) if left else None

    pager = Pager(rows, columns, ask)
    admitted = 0
    for text in texts:
        if not pager.admits(text):
            break
        admitted += 1
    return admitted, len(asked)


@pytest.mark.parametrize(
    ("rows", "answers", "lines", "expected"),
    [
        (10, "", 9, (9, 0)),
        (10, "", 10, (10, 1)),  # the last line of a page is the question
        (10, "\n", 18, (18, 1)),
        (10, "\n\n", 19, (19, 2)),
        (10, "q", 30, (9, 1)),
        (10, "c", 100, (100, 1)),
        (None, "", 100, (100, 0)),
    ],
)
def test_pages(rows: int | None, answers: str, lines: int, expected: tuple[int, int]) -> None:
    assert pages(rows, answers, *["line\n"] * lines) == expected


def test_a_long_line_takes_several_rows() -> None:
    assert pages(10, "q", *["x" * 161 + "\n"] * 5) == (3, 1)
    assert pages(10, "q", *["\x1b[31m" + "x" * 80 + "\x1b[0m\n"] * 9) == (9, 0)


def test_source_is_painted() -> None:
    text = colour.source("9\tint x = 3; // \x1b]0;t\x07")
    assert isinstance(text, Painted) and text.startswith("\x1b[38;5;243m9\x1b[0m\t")
    assert "\\033]0;t\\007" in re.sub(r"\x1b\[[\d;]*m", "", text)
    assert colour.source("#0  f () at x.c:3") == "#0  f () at x.c:3"
    plain = colour.source("9\tint x; // and not")
    assert plain.endswith("\x1b[38;5;243m// and not\x1b[39m")  # no words of C, and grey
    assert "\x1b[" in colour.types("type = struct s {\n    int a;\n}")


def test_operations_are_painted() -> None:
    text = colour.operations("0x0000  DW_OP_regx VGPR6  (A.2.5.4.4.4)")
    assert "\x1b[38;5;30mDW_OP_regx\x1b[0m" in text and "\x1b[38;5;243m(A.2.5.4.4.4)\x1b[0m" in text
    part = colour.painted(Output("=> t = 3", {"value": "3"}), colour.operations)
    assert isinstance(part, Output) and part.data == {"value": "3"}
    assert part.text == "\x1b[1m=> t = 3\x1b[0m"


def test_no_colours_in_a_pipe() -> None:
    assert "\x1b" not in output_of(nest_shell(), "ptype t") + output_of(nest_shell(), "explain t")


def test_names_of_a_program() -> None:
    program = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5")
    names = {name.qualified: name.kind for name in names_of(program)}
    assert names["twice"] == "function"
    assert names["global_struct"] == "variable"
    assert names["outer_t"] == "type"


def names(words: Iterable[str]) -> UnitNames:
    return UnitNames("some.c", tuple((word, "function") for word in words))


def test_files_of_names_are_sorted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for each letter of a place that is typed, where all names are known."""
    index = SymbolIndex()
    program = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5")
    index.take([evolve(names(["one"]), unit=program.info.units[0])])
    sorted_again: list[int] = []
    monkeypatch.setattr(index, "_index", lambda: sorted_again.append(1))
    assert list(index.files("some")) == ["some.c"]
    assert list(index.in_file("demo.c", "o")) == [("one", "function")]
    assert sorted_again == []
    index._remaining = iter([names(["two"])])
    list(index.files("some"))
    list(index.files("some"))
    assert sorted_again == [1]


def test_the_index_finds_by_the_beginning() -> None:
    index = SymbolIndex()
    assert list(index.starting_with("a")) == []
    index.take([names(f"name{number:06}" for number in range(100_000))])
    assert list(index.starting_with("name00001")) == [
        (f"name00001{digit}", "function") for digit in range(10)
    ]
    assert len(list(index.starting_with("name"))) == MAX_NAMES
    assert list(index.starting_with("z")) == []


def test_names_complete_beside_those_in_scope() -> None:
    shell = demo_shell()
    shell.symbols.take(typed_names(shell.session.code_objects[0]))
    result = {completion.text: completion.about for completion in completions(shell, "p tw")[1]}
    assert result["twice"] == "function"
    assert completions(shell, "ptype outer_")[1][0].text == "outer_t"


def test_address_spaces_complete() -> None:
    assert [completion.text for completion in completions(nest_shell(), "p priv")[1]] == [
        "private_lane#", "private_wave#",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p t", False), ("p (1 +", True), ("p a[1", True), ("p 1 +\\", True), ('p "(', False),
        ("p (1)", False), ("p )", False), ("", False), ('printf "a", f(', True),
        ("p '('", False), (r"p '\'' + f(", True), (r"p '\50'", False), ("p operator'(", True),
    ],
)  # fmt: skip
def test_a_line_that_goes_on(text: str, expected: bool) -> None:
    prompt = pytest.importorskip("dwarfgpu.repl.terminal.prompt")
    assert prompt.is_unfinished(text) is expected
    assert prompt.is_open_line(text) is expected
    assert not prompt.is_open_line(f"{text}\n")  # an empty line ends it


def test_lines_are_joined() -> None:
    prompt = pytest.importorskip("dwarfgpu.repl.terminal.prompt")
    assert prompt.one_line("p (1 +\n2)") == "p (1 + 2)"
    assert prompt.one_line("p 1 \\\n+ 2") == "p 1 + 2"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("p 1", ["p 1"]), ("", [""]), ("p 1\np 2\n", ["p 1", "p 2"]), ("a\n\nb", ["a", "", "b"]),
        ("p (1 +\n2)\np 3", ["p (1 + 2)", "p 3"]), ("p 1 \\\n+ 2\np 3", ["p 1 + 2", "p 3"]),
        ("p (1\np 2", ["p (1 p 2"]),
    ],
)  # fmt: skip
def test_what_is_pasted_is_run_line_by_line(text: str, lines: list[str]) -> None:
    prompt = pytest.importorskip("dwarfgpu.repl.terminal.prompt")
    assert prompt.lines_of(text) == lines


def test_the_error_of_an_unfinished_line() -> None:
    streams = Streams(io.StringIO(), io.StringIO())
    for text, left in (("a", "a"), ("b\nc", "c"), ("d", "cd"), ("\n", "")):
        streams.print(text)
        assert streams.unended == left
    streams.print("e")
    streams.complain("note")
    assert streams.unended == ""


def test_bytes_that_are_not_text_are_printed_in_octal() -> None:
    streams = Streams(io.StringIO(), io.StringIO())
    streams.print(b"\xe9\n".decode("utf-8", "surrogateescape"))
    assert streams.out.getvalue() == "\\351\n"  # type: ignore[attr-defined]


def test_bidirectional_controls_are_printed_as_escapes() -> None:
    streams = Streams(io.StringIO(), io.StringIO())
    streams.print("if (\u202ea\u2066) // \u200f\u0628\n")
    assert streams.out.getvalue() == "if (\\u202ea\\u2066) // \\u200f\u0628\n"  # type: ignore[attr-defined]


class Bytes(io.TextIOWrapper):
    """A stream that keeps its bytes; `is_seen`: it is a terminal."""

    def __init__(self, *, is_seen: bool) -> None:
        super().__init__(io.BytesIO(), "utf-8", write_through=True)
        self.is_seen = is_seen

    def isatty(self) -> bool:
        return self.is_seen


@pytest.mark.parametrize(
    ("line", "piped", "seen"),
    [
        (r'printf "%s|\n", "a\033[1m\302\233\351"', b"a\x1b[1m\xc2\x9b\xe9|\n",
         rb"a\033[1m\233\351|" + b"\n"),
        (r'printf "%c\n", 27', b"\x1b\n", rb"\033" + b"\n"),
        (r'printf "%5s|%-4s|%.1s|\n", "\303\251", "\303\251", "\303\251"',
         "   é|é  |".encode() + b"\xc3|\n", "   é|é  |\\303|\n".encode()),
        (r'printf "\e[1m\n"', b"\x1b[1m\n", b"\x1b[1m\n"),
        (r"echo \303\251\377\033[0m\n", b"\xc3\xa9\xff\x1b[0m\n", b"\xc3\xa9\xff\x1b[0m\n"),
        (r'printf "%lc|%ls\n", 233, u"\351"', "é|é\n".encode(), "é|é\n".encode()),
    ],
)  # fmt: skip
def test_bytes_are_sent_and_the_programs_drive_no_terminal(
    line: str, piped: bytes, seen: bytes
) -> None:
    for is_seen, expected in ((False, piped), (True, seen)):
        stream = Bytes(is_seen=is_seen)
        session = dwarfgpu.Session(dwarfgpu.architecture("x86_64"))
        Shell(session, COMMANDS, Streams(stream, io.StringIO())).execute(line)
        assert stream.buffer.getvalue() == expected  # type: ignore[attr-defined]


def test_a_log_has_the_bytes_that_are_sent(tmp_path: Path) -> None:
    stream = Bytes(is_seen=False)
    session = dwarfgpu.Session(dwarfgpu.architecture("x86_64"))
    shell = Shell(session, COMMANDS, Streams(stream, io.StringIO()))
    path = tmp_path / "log"
    for line in (f"set logging file {path}", "set logging enabled on", r"echo \303\251\377\n",
                 "set logging enabled off"):  # fmt: skip
        shell.execute(line)
    assert path.read_bytes() == stream.buffer.getvalue() == b"\xc3\xa9\xff\n"  # type: ignore[attr-defined]


PROGRAM = """
import dwarfgpu
from dwarfgpu.repl.embed import run_interactive
arch = dwarfgpu.architecture("gfx942")
target = dwarfgpu.StateTarget(arch)
target.add_wave(0)
target.set_lanes(0, arch.by_name["v3"], [10, 20, 30])
session = run_interactive(
    dwarfgpu.Session(arch, target=target, lane=1), commands=["p $v3[$_lane]"], names={"n": 5}
)
print("left at", session.lane)
"""


def test_the_prompt_in_a_program(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=repository, capture_output=True, text=True, check=False,
        input="lane 2\np $v3[$_lane]\npython print(n)\nnosuch\n",
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "$1 = 20",
        "[Switching to thread 0, lane 2 (AMDGPU Lane ?:?:?:0/2 (?,?,?)[?,?,?])]",
        "$2 = 30",
        "5",
        "left at 2",
    ]
    assert done.stderr.splitlines()[-1] == 'Undefined command: "nosuch".  Try "help".'
    assert done.returncode == 0


def test_the_interpreter_json(repository: Path) -> None:
    """Nothing but answers, each on a line, each by the schema."""
    done = subprocess.run(
        [sys.executable, "-m", "dwarfgpu", "debug", "--demo", "--lane=1", "--interpreter=json"],
        cwd=repository, capture_output=True, text=True, check=False,
        input="p t\n\nbt\nnosuch\ninfo lanes 1\nset output text\n",
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for answer in answers:
        validate(answer)
    assert [answer["command"] for answer in answers] == [
        "p t", "bt", "nosuch", "info lanes 1", "set output text",
    ]  # fmt: skip
    assert [answer["result"] for answer in answers].count("error") == 1
    assert (done.stderr, done.returncode) == ("", 1)


def test_a_target_without_code_objects_has_no_names() -> None:
    shell = nest_shell()
    shell.symbols.collect(())
    assert list(shell.symbols.starting_with("x")) == []
    assert isinstance(shell.session.target, StateTarget)


def test_names_of_a_file_whose_units_cannot_be_found(tmp_path: Path) -> None:
    data = bytearray((FIXTURES / "x86_64/demo.gcc.O0.v5").read_bytes())
    program = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5")
    header = int.from_bytes(data[40:48], "little")
    header += 64 * program.file.sections_by_name[".debug_info"].index
    data[header + 32 : header + 40] = (1 << 40).to_bytes(8, "little")  # its size
    path = tmp_path / "broken"
    path.write_bytes(data)
    (symbols,) = typed_names(CodeObject.open(path))
    assert ("main", "code symbol") in symbols.names


@pytest.mark.parametrize(
    "line",
    [
        "p t", "output t", "p/x $v6", "info locals", "info args", "info registers s33", "bt",
        "bt full", "frame", "frame 0", "up", "down", "list", "info line", "info frame", "pc",
        "lane", "lane 2", "info lanes", "info lanes 0-3", "thread", "info threads", "info agents",
        "info queues", "info dispatches", "info waves", "explain t", "explain a", "location t",
        "where t", "check", "whatis t", "ptype t", "x/4xw 0", "display t", "info display",
        "show", "show values", "show convenience", "set $a = 1", "set print pretty on", "help",
        "apropos lane", "complete p", "echo x", "printf \"%d\", 1", "python print(1)",
        "shell echo", "pipe p 1 | cat", "lane apply all p t", "frame variable", "nosuch",
        "p nosuch",
        "version", "show version", "show user", "call 1", "undisplay",
    ],
)  # fmt: skip
def test_every_answer_follows_the_schema(line: str) -> None:
    answer = json_of(nest_shell(), line)
    assert answer["command"] == line
    assert answer["result"] in ("done", "error")
