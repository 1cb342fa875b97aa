"""No command ends the session: every command with hostile arguments gives one error, soon."""

from __future__ import annotations

import io
import random
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from dwarfgpu.repl.command import every
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.completion import completions
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal import plain_prompt
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import demo_shell, nest_shell, output_of, talked
from tests.work import at_most

REACHES_OUT = frozenset({"shell", "pipe", "python", "quit", "save", "set logging enabled", "while"})
"""They run their arguments; `while 1` without end."""
TRIED = [command for command in every(COMMANDS) if command.name not in REACHES_OUT]
HOSTILE = (
    "", "-", "--", "-x", "--x", "- 1", "'", '"', "\\", "(", ")", "[", "]", "{", "}", "$", "$$", "@",
    "*", "&", "#", ";", ":", "::", "=", "= 1", "x =", "/", "/x", "//", "/99999999999x 0", "/-1x 0",
    "/xxxx", "-1", "0", "1", "-all", "all", "9" * 30, "9" * 5_000, "0x" + "f" * 500, "1e999",
    "0-99999999999", "3-1", "1,2,3", ",", "1 +", "1/0", "*(int*)0", "*(int*)0xffffffffffffffff",
    "$_", "$_lane = 3", "$v6", "$v6[99999999999]", "$1", "t", "a", "nest", "nosuch", "t.x", "t->x",
    "t[", "&t", "*t", "sizeof(", "(int", "int", "struct", "local#",
    "local#0xffffffffffff", "nosuch#1",
    "\x00", "\x1b[2J", "\u0663", "\u202e", "\U0001f600", "%s%n%d", '"%d"', '"%s", 1', "a" * 5_000,
    "(" * 1_500, "-" * 1_500 + "1", "1 " * 1_500, "../..", "/no/such/file", "/dev/null",
    "a.c:9" * 99,

    "nest:nest", "*nest", "full -1", "apply all p 1", "apply 9-1 p", "(a+)+$", "[", "(?P<x>",
    "*" * 500,
)  # fmt: skip
FEW = {"laas": 0, "lfaas": 1, "info vector": 2}
"""Commands that have the one of this index of eight arguments: `laas` and `lfaas` run `lane apply`
and `frame apply`, which have all, once for each of 64 lanes and its frames; `info vector` lists 512
registers whatever its arguments are."""
MAX_CALLS = 10_000_000
"""Of functions, for one command: some seconds of work."""
LONG = 12
"""From so many characters on, an argument may take more work the longer it is: it is counted,
which costs as much again as the command."""


def bounded(argument: str) -> AbstractContextManager[None]:
    return at_most(MAX_CALLS) if len(argument) >= LONG else nullcontext()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is saved is not saved here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture(params=[nest_shell, demo_shell], ids=["gpu", "cpu"])
def shell(request: pytest.FixtureRequest) -> Shell:
    made: Shell = request.param()
    return made


def restore(shell: Shell) -> None:
    """Undo what a command has made of the commands, of how answers are shown, and of numbers."""
    shell.commands, shell.is_over = COMMANDS, False
    shell.settings.set("output", "text")
    shell.settings.set("trace-commands", "off")
    if shell.settings.limit("input-radix") != 10 or shell.settings.limit("output-radix") != 10:
        output_of(shell, "set radix 0d10")


@pytest.mark.parametrize("number", range(len(TRIED)), ids=lambda number: TRIED[number].name)
def test_hostile_arguments(shell: Shell, number: int) -> None:
    """Each command has each argument in one of the two shells, in turns."""
    command, session = TRIED[number], shell.session
    index, is_cpu = FEW.get(command.name), shell.session.lane is None
    own = HOSTILE[(number + is_cpu) % 2 :: 2]
    for argument in own if index is None else HOSTILE[index::8]:
        before = shell.failures
        with bounded(argument):
            text = output_of(shell, f"{command.name} {argument}")
        assert "Traceback" not in text
        assert shell.failures in (before, before + 1)
        is_typed = command.name in ("echo", "printf")  # what is typed there goes out as it is
        assert is_typed or not {"\x1b", "\x00"} & {*text}, (command.name, argument[:40])
        restore(shell)
        shell.session = session
    assert output_of(shell, "output 40 + 2") == "42"


WITHOUT_FILE = ("debug",)
SIMULATED = (
    "debug", str(FIXTURES / "run/integers.gfx942.O0.v5.co"), "--dispatch", "nest", "--heuristic",
    "--grid", "128", "--workgroup", "64", "--scratch", "4096",
    *(word for number in range(3) for word in ("--arg", f"{number}=zeros:512")),
)  # fmt: skip
OTHERS = ("1 2 3", "%s", "$nonexistent", "/i $pc", "nest if y", "1-3", "level 0", "$_exitcode")
"""Arguments for a machine that runs, beside those of `HOSTILE`."""


@pytest.mark.parametrize("words", [WITHOUT_FILE, SIMULATED], ids=["no file", "simulated"])
def test_hostile_arguments_in_other_sessions(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command has a few arguments, and text of several lines; the session goes on."""
    chance = random.Random(len(words))
    arguments = [argument for argument in (*HOSTILE, *OTHERS) if len(argument) < LONG]
    lines = [
        f"{command.name} {argument}"
        for command in TRIED
        for argument in (*chance.sample(arguments, k=4), f"{chance.choice(arguments)}\nend\n1")
    ]

    def converse(begun: Shell, _: object) -> None:
        streams = Streams(io.StringIO(), io.StringIO())
        shell = Shell(begun.session, COMMANDS, streams, begun.machine)
        session = shell.session
        for line in lines:
            before = shell.failures
            text = talked(shell, *line.split("\n"))
            assert "Traceback" not in text, line
            assert shell.failures <= before + line.count("\n") + 1, (line, text)
            restore(shell)
            shell.session = session
            assert output_of(shell, "output 40 + 2") == "42", line

    monkeypatch.setattr(plain_prompt, "run_startup_commands", converse)
    assert run(*words, "--batch").status == 0


@pytest.mark.parametrize("seed", range(8))
def test_random_lines(shell: Shell, seed: int) -> None:
    """Commands with pieces of others: they fail or they work, and the next one works."""
    chance = random.Random(seed)
    names = [command.name for command in TRIED if command.name not in ("while", "source", "file")]
    for _ in range(150):
        pieces = [chance.choice(names), *chance.choices(HOSTILE, k=chance.randrange(4))]
        line = " ".join(piece[:200] for piece in pieces)
        talked(shell, line)
        restore(shell)
        output_of(shell, f"complete {line}")
    assert output_of(shell, "output 40 + 2") == "42"


@pytest.mark.parametrize("argument", HOSTILE, ids=range(len(HOSTILE)))
def test_completion_of_hostile_lines(shell: Shell, argument: str) -> None:
    for word in (
        "p",
        "info",
        "info locals",
        "set",
        "set print",
        "x/4",
        "list",
        "thread",
        "help",
        "",
    ):
        with bounded(argument):
            completions(shell, f"{word} {argument}")
