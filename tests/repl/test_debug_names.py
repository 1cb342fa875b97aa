"""Other debuggers' names of commands, and files, at the prompt of `dwarfgpu debug`."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import parse
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.completion import completions
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.lldb_commands import FOREIGN, options
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import demo_shell, nest_shell, output_of, talked


@pytest.mark.parametrize(
    ("lldb_command", "command"),
    [
        ("frame variable t", "print t"),
        ("frame variable", "info args\ninfo locals"),
        ("fr v", "info args\ninfo locals"),
        ("v t a", "print t\nprint a"),
        ("frame select 0", "frame 0"),
        ("frame info", "frame"),
        ("thread backtrace", "backtrace"),
        ("thread list", "info threads"),
        ("thread info", "thread"),
        ("register read s33", "info registers s33"),
        ("register read $s33 exec", "info registers s33 exec"),
        ("register r --all", "info registers all"),
        ("memory read -c2 -s 4 -f d 0x10", "x/2dw 0x10"),
        ("memory read --count 2 --size=4 0x10", "x/2xw 0x10"),
        ("memory read /4xw 0x10", "x/4xw 0x10"),
        ("expression t", "print t"),
        ("expr -f x -- t", "print/x t"),
        ("expression -f hex -- t + 1", "print/x t + 1"),
        ("po t", "print t"),
        ("dwim-print t", "print t"),
        ("target variable launches", "print launches"),
        ("type lookup int", "ptype int"),
        ("image lookup -t int", "ptype int"),
        ("image lookup -n nest", "info line nest"),
        ("image lookup --type int", "ptype int"),
        ("settings show print", "show print"),
        ("settings set print elements 3", "set print elements 3"),
        ("breakpoint set -n nest", "break nest"),
        ("breakpoint set -f a.c -l 3", "break a.c:3"),
        ("process continue", "continue"),
        ("thread step-over", "next"),
        ("version", "show version"),
        ("memory read", "!memory read needs an address: "
         "memory read [-c N] [-s BYTES] [-f FORMAT] ADDRESS"),
        ("memory read -s 3 0", "!invalid size 3: one of 1, 2, 4, 8"),
        ("memory read -c x 0", "!invalid count: x"),
        ("memory read -z 0", "!unknown or ambiguous option: -z"),
        ("image lookup", "!image lookup needs one of -a ADDRESS, -n FUNCTION, -s SYMBOL, "
         "-t TYPE"),
        ("breakpoint set", "!breakpoint set needs -n FUNCTION, -f FILE -l LINE, or -a ADDRESS"),
    ],
)  # fmt: skip
def test_lldbs_names(lldb_command: str, command: str) -> None:
    """Both say the same, errors too; after `!` is the error."""
    expected = (
        f"{command[1:]}\n"
        if command.startswith("!")
        else talked(nest_shell(), *command.split("\n"))
    )
    assert sorted(output_of(nest_shell(), lldb_command).splitlines()) == sorted(
        expected.splitlines()
    )


@pytest.mark.parametrize("foreign", FOREIGN, ids=lambda command: command.name)
def test_each_is_found_by_its_name_and_helped(foreign: object) -> None:
    name = getattr(foreign, "name", "")
    assert parse(COMMANDS, name).command.name == name
    text = output_of(nest_shell(), f"help {name}")
    assert f"Usage: {name}" in text and "LLDB" in text


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("p", "print"), ("b", "break"), ("r", "run"), ("s", "step"), ("n", "next"), ("t", "thread"),
        ("f", "frame"), ("l", "list"), ("i", "info"), ("h", "help"), ("q", "quit"),
        ("exp", "explain"), ("se", "set"), ("so", "source"), ("comp", "complete"),
        ("frame 0", "frame"), ("thread 1", "thread"), ("thread a 1 p", "thread apply"),
        ("fin", "finish"), ("c", "continue"), ("si", "stepi"), ("d", "delete"),
        ("i b", "info breakpoints"),
    ],
)  # fmt: skip
def test_gdbs_abbreviations_win(line: str, name: str) -> None:
    assert parse(COMMANDS, line).command.name == name


def test_options_of_theirs() -> None:
    known = {"-c": "c", "--count": "c", "-v": "v!"}
    assert options("-c 3 x", known) == ({"c": "3"}, "x")
    assert options("-c3 -- -x", known) == ({"c": "3"}, "-x")
    assert options("--count=3 -v x + 1", known) == ({"c": "3", "v": ""}, "x + 1")
    with pytest.raises(UsageError, match="unknown or ambiguous option: -q"):
        options("-q 3", known)


def test_they_are_offered_where_nothing_else_fits() -> None:
    shell = nest_shell()
    assert [completion.text for completion in completions(shell, "regi")[1]] == ["register"]
    assert "register" not in [completion.text for completion in completions(shell, "")[1]]
    assert [completion.text for completion in completions(shell, "register ")[1]] == ["read"]


def debug(*words: object) -> tuple[list[str], str, int]:
    done = run("debug", *words)
    return done.lines, done.err, done.status


def test_another_file() -> None:
    """`file` looks at another code object in the same wave."""
    kernel = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    lines, err, status = debug(
        "--arch", "gfx942", "--batch",
        "-ex", "info line nest", "-ex", f"file {kernel}", "-ex", "info line nest", "-ex", "file",
        "-ex", "info line nest",
    )  # fmt: skip
    assert lines[0].startswith(
        'Line 15 of "hip/device.h" starts at address 0x1600 <nest(int const*, int*, int)>'
    )
    assert lines[1:] == ["No executable file now."]
    assert err.splitlines() == ['No symbol table is loaded.  Use the "file" command.'] * 2
    assert status == 1


def test_a_file_that_is_not_there() -> None:
    _, err, status = debug("--demo", "--batch", "-ex", "file /no/such", "-ex", "p t")
    assert err.splitlines()[0] == "/no/such: No such file or directory."
    assert status == 1


def test_a_session_of_a_program_keeps_its_files() -> None:
    text = output_of(demo_shell(), "file x")
    assert text == (
        "This session belongs to a Python program: its code objects cannot be replaced.\n"
    )


def test_a_kernel_that_is_dispatched_on_paper() -> None:
    kernel = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    lines, err, status = debug(
        kernel, "--dispatch", "nest", "--grid", "128", "--workgroup", "64", "--arg", "limit=7",
        "--arg", "in=buffer:512", "--arg", "out=buffer:512",
        "--batch", "-ex", "info threads", "-ex", "up", "-ex", "p limit",
        "-ex", "p $_lane_workgroup_pos", "-ex", "thread 2",
    )  # fmt: skip
    assert status == 0
    assert len([line for line in lines if "AMDGPU Wave" in line]) == 2
    assert "$1 = 7" in lines or "$1 = <optimized out>" in lines
    assert '$2 = "[0,0,0]"' in lines
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--dispatch", "nest", "--grid", "64", "--workgroup", "64"],
         "--dispatch KERNEL needs FILE, and neither --state, --core nor --demo"),
        (["k.co", "--dispatch", "nest"], "--dispatch KERNEL needs --grid and --workgroup"),
        (["--demo", "--grid", "64"], "--grid applies to a dispatch: give --dispatch KERNEL"),
    ],
)  # fmt: skip
def test_a_dispatch_that_is_not_possible(arguments: list[str], error: str) -> None:
    _, err, status = debug(*arguments, "--batch")
    assert (err, status) == (f"dwarfgpu: {error}\n", 2)


def test_the_shell_is_importable(tmp_path: Path) -> None:
    assert isinstance(nest_shell(), Shell)
