"""Breakpoints and watchpoints after another file is opened, against the installed GDB."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, validate
from tests.repl.side_by_side import answers, build, build_with_library, with_core

CRASH = str(FIXTURES / "core/crash.x86_64.O0")
CORE = f"core-file {CRASH}.core"
SET = (
    "break worker", "watch ready", "break crash.c:91 if n > 2", "break *&begin+4", "tbreak 80",
    "break *0x1100", "rwatch table[1]", "disable 1", "watch -location table[2]",
)  # fmt: skip


def both(tool: Callable[[str], str], files: list[str], commands: tuple[str, ...]) -> list[str]:
    """Return what GDB and dwarfgpu print for the last command."""
    tools = tool("gdb"), None
    said = [answers(one, files, list(commands))[-1].replace(" \n", "\n") for one in tools]
    return ["".join(f"{line}\n" for line in text.splitlines() if "note" not in line)
            for text in said]  # fmt: skip


@pytest.mark.parametrize(
    "opening",
    [
        (CORE,),
        (CORE, CORE),
        (CORE, "break leaf", "frame 1", "break", CORE),
        (f"file {CRASH[:-1]}2",),
        (f"file {CRASH[:-1]}2", "break *&leaf", f"file {CRASH}"),
    ],
)
def test_they_are_set_again(tool: Callable[[str], str], opening: tuple[str, ...]) -> None:
    theirs, ours = both(tool, [CRASH], (*SET, *opening, "info breakpoints"))
    assert ours == theirs


@pytest.mark.parametrize("opening", [CORE, "set sysroot /"])
def test_those_of_frames_that_are_there(tool: Callable[[str], str], opening: str) -> None:
    commands = "frame 2", "watch here.key", "watch ready if n == 1", opening, "info breakpoints"
    theirs, ours = both(tool, [CRASH, f"{CRASH}.core"], commands)
    assert "here.key" in ours
    assert ours == theirs


def test_the_program_is_opened_again() -> None:
    """Which GDB 13 does not survive."""
    commands = ["frame 2", "watch here.key", "watch n if n == 1", f"file {CRASH}", "info watch"]
    lines = answers(None, [CRASH, f"{CRASH}.core"], commands)[-1].splitlines()
    assert [line.split()[-1] for line in lines[2:]] == ["here.key", "n", "1"]


def test_the_frame_has_ended() -> None:
    """Its watchpoint is deleted with the words for that."""
    commands = ["frame 2", "watch here.key", f"core-file {FIXTURES}/core/lists.x86_64.O0.core"]
    deleted = "Watchpoint 1 deleted because the program has left the block in which its expression "
    assert f"{deleted}is valid." in answers(None, [CRASH, f"{CRASH}.core"], commands)[-1]


@pytest.mark.parametrize("command", ["clear worker", "info watchpoints"])
def test_commands_find_them(tool: Callable[[str], str], command: str) -> None:
    theirs, ours = both(tool, [CRASH], (*SET, CORE, command))
    assert ours == theirs


@pytest.mark.parametrize("closing", ["core-file", "detach"])
@pytest.mark.parametrize("shown", ["break worker", "print &table", "info breakpoints", "x/2i leaf"])
def test_the_program_stays_where_it_was_loaded(
    tool: Callable[[str], str], closing: str, shown: str
) -> None:
    commands = "break leaf", CORE, closing, "set disassembly-flavor intel", shown
    theirs, ours = both(tool, [CRASH], commands)
    if shown.startswith("x"):  # instructions have other spellings
        theirs, ours = ([line.split(":")[0] for line in one.splitlines()] for one in (theirs, ours))
    assert ours == theirs


def test_other_files_are_at_their_addresses(tool: Callable[[str], str]) -> None:
    commands = CORE, "detach", f"file {CRASH[:-1]}2", "print &table"
    theirs, ours = both(tool, [CRASH], commands)
    assert ours == theirs


ANOTHER = {
    "a.c": "int q = 3;\nint f(int n) {\n  return n; }\nint main(void) { return f(q); }\n",
    "b.c": "int r = 3;\nint g(int n) {\n  return n; }\nint main(void) { return g(r); }\n",
}


@pytest.mark.parametrize("shown", ["file b", "info breakpoints"])
def test_what_another_program_does_not_have(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: str
) -> None:
    """It is disabled with a message, or waits if it was disabled; a condition is invalid there."""
    build(tmp_path, ANOTHER, [[tool("gcc"), "-g", "-o", one, f"{one}.c"] for one in "ab"])
    monkeypatch.chdir(tmp_path)
    lines = ("break f", "watch q", "break a.c:3", "break main if q > 2", "break *&f", "tbreak f",
             "disable 6", *(["file b"] if shown != "file b" else []), shown)  # fmt: skip
    theirs, ours = both(tool, ["a"], lines)
    assert ours == theirs


@pytest.mark.parametrize(
    "enabling", ["enable", "enable once 1", "enable delete 2 1", "enable 1-2", "disable 1"]
)
@pytest.mark.parametrize("shows", [True, False])
def test_a_watchpoint_that_is_unknown_is_not_enabled(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enabling: str,
    shows: bool,
) -> None:  # fmt: skip
    build(tmp_path, ANOTHER, [[tool("gcc"), "-g", "-o", one, f"{one}.c"] for one in "ab"])
    monkeypatch.chdir(tmp_path)
    commands = ["watch q", "watch *(int *)&main", "file b", "disable", enabling]
    theirs, ours = both(tool, ["a"], (*commands, *(["info breakpoints"] if shows else [])))
    assert ours == theirs


@pytest.mark.parametrize("shown", ["file", "info breakpoints"])
def test_without_a_program(tool: Callable[[str], str], shown: str) -> None:
    """The file of a location is said to be unknown, as that of an explicit location."""
    lines = ("break worker", "break crash.c:91", "break *&begin+4", "tbreak crash.c:worker",
             "break -source crash.c -line 80", "watch ready", "break -function begin")  # fmt: skip
    theirs, ours = both(tool, [CRASH], tuple(dict.fromkeys((*lines, "file", shown))))
    assert ours.replace("No executable file now.\n", "") == theirs


@pytest.mark.parametrize("line", ["-source a.c -line 3", "-source a.c -function f", "a.c:3"])
def test_an_explicit_file_without_programs(tool: Callable[[str], str], line: str) -> None:
    theirs, ours = both(tool, [], (f"break {line}",))
    assert ours == theirs


TWICE = """\
volatile int sink;
static inline __attribute__((always_inline)) void f(int n) {
  sink += n; }
int main(void) { f(1); f(2); return 0; }
"""


def test_one_of_two_inlined_calls_stays_disabled(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path, {"a.c": TWICE}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    monkeypatch.chdir(tmp_path)
    theirs, ours = both(tool, ["a"], ("break f", "disable 1.2", "file a", "info breakpoints"))
    assert [line.split()[1] for line in ours.splitlines()[-2:]] == ["y", "n"]
    assert ours == theirs


LIBRARY = "int of_library = 3;\nvoid stop(int *at) {\n  *at = of_library; __builtin_trap(); }\n"
PROGRAM = "void stop(int *);\nint of_program;\nint main(void) { stop(&of_program); return 0; }\n"


def test_the_program_of_another_core_file(tool: Callable[[str], str], tmp_path: Path) -> None:
    """It replaces the one that was open, with a word about it."""
    build_with_library(tmp_path, "c", LIBRARY, PROGRAM, [tool("gcc")])
    program, core = with_core(tool, tmp_path)
    words = ("-ex", "tbreak worker", "-ex", f"core-file {core}", "-ex", "info breakpoints")
    done = run("debug", CRASH, "--batch", *words)
    first, second, third, *_ = done.err.splitlines()
    assert first == "warning: core file may not match specified executable file."
    assert second == f"note: the program is now {program}, which the core file names"
    assert third == 'Error in re-setting breakpoint 1: Function "worker" not defined.'
    assert done.lines[-1].split()[:4] == ["1", "breakpoint", "del", "n"]


@pytest.mark.parametrize("again", [False, True])
def test_those_of_libraries_wait(tool: Callable[[str], str], tmp_path: Path, again: bool) -> None:
    """Until a core file says where the library is."""
    build_with_library(tmp_path, "c", LIBRARY, PROGRAM, [tool("gcc")])
    program, core = with_core(tool, tmp_path)
    commands = ["break stop", "break *stop+4 if $rsp > 0", "break", "detach",
                *([f"core-file {core}"] if again else []), "info breakpoints"]  # fmt: skip
    theirs, ours = both(tool, [program, core], tuple(commands))
    assert ("<PENDING>" in ours) is not again
    assert ours == theirs
    words = [x for one in ["set output json", *commands] for x in ("-ex", one)]
    done = run("debug", program, "--core", core, "--batch", *words)
    for line in done.lines:
        if line.startswith("{"):
            validate(json.loads(line))


def test_those_of_kernels(tmp_path: Path) -> None:
    """A core file or a state of GPUs says where their code is loaded."""
    code, core, state = FIXTURES / "run/integers.gfx942.O0.v5.co", tmp_path / "c", tmp_path / "s"
    given = (code, "nest", "--grid", 64, "--workgroup", 64, "--arg", "0=range:64", "--arg",
             "1=range:64", "--arg", "2=zeros:256", "--scratch", 4096, "--break", "nest", "--stops",
             1)  # fmt: skip
    assert run("run", *given, "--core", core).status == 0
    assert run("run", *given, "--save", state).status == 0
    for opening in f"core-file {core}", f"load {state}":
        commands = ("break integers.hip:81", opening, "continue", "info breakpoints")
        done = run("debug", code, "--batch", *(x for one in commands for x in ("-ex", one)))
        assert "Thread 1 hit Breakpoint 1, with lanes [" in done.out
        assert "1       breakpoint     keep y   0x00007f00000" in done.out


def test_what_belongs_to_a_wave_that_is_gone(tmp_path: Path) -> None:
    """It is deleted with a message; a catchpoint waits for a dispatch."""
    code, state = FIXTURES / "run/integers.gfx942.O0.v5.co", tmp_path / "s"
    sizes = ("--grid", 128, "--workgroup", 64, "--scratch", 4096, "--arg", "0=range:128",
             "--arg", "1=range:128", "--arg", "2=zeros:512")  # fmt: skip
    small = tuple(64 if one == 128 else one for one in sizes)
    asked = ("--break", "nest", "--stops", 1, "--save", state)
    assert run("run", code, "nest", *small, *asked).status == 0
    commands = ("starti", "break nest thread 2", "thread 2", "watch $v9[0]",
                "watch $s9", "watch *(int *)0x7e0000009600", "catch dispatch",
                f"load {state}", "info breakpoints")  # fmt: skip
    words = (x for one in commands for x in ("-ex", one))
    done = run("debug", code, "--dispatch", "nest", *sizes, "--batch", *words)
    rest = "deleted - thread 2 no longer in the thread list."
    assert f"Thread-specific breakpoint 1 {rest}" in done.err.splitlines()
    deleted = [line for line in done.err.splitlines() if "the watchpoint is deleted" in line]
    assert [line.split(":")[0][-1] for line in deleted] == ["2", "3"]
    assert done.lines[-2].endswith(" *(int *)0x7e0000009600")  # which any wave writes
    assert done.lines[-1].split() == ["5", "catchpoint", "keep", "y", "dispatch"]


OVERLOADED = "namespace n { int ov(int a) { return a; } int ov(double b) { return b; } }\n"


@pytest.mark.parametrize(
    "after",
    [
        ("info breakpoints",),
        ("disable 2.2",),
        ("enable 2.2",),
        ("disable 2.1", "condition 2 a > 1", "info breakpoints"),
        ("save breakpoints saved", "shell cat saved"),
        ("file a", "info breakpoints"),
        ("enable 2", "file b", "info breakpoints"),
        ("delete 1", "info breakpoints"),
        ("delete 1", "info breakpoints 3"),
    ],
)
def test_disabled_ones_of_a_closed_program_have_no_locations(
    tool: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    after: tuple[str, ...],
) -> None:
    """They wait for its file in one row each; those that are enabled keep their addresses."""
    main = "int main() { return n::ov(1) + n::ov(2.0); }\n"
    sources = {"a.cc": f"{OVERLOADED}{main}", "b.cc": "int main() { return 0; }\n"}
    build(tmp_path, sources, [[tool("g++"), "-g", "-o", one, f"{one}.cc"] for one in "ab"])
    monkeypatch.chdir(tmp_path)
    commands = ("break main", "break -qualified n::ov", "disable 2.2", "disable 2", "break n::ov",
                "disable 3", "file")  # fmt: skip
    theirs, ours = both(tool, ["a"], (*commands, *after))
    assert ours == theirs


def test_a_closed_program_has_no_symbol_table(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path, {"a.c": ANOTHER["a.c"]}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    monkeypatch.chdir(tmp_path)
    theirs, ours = both(tool, ["a"], ("break f", "tbreak main", "watch q", "file"))
    assert ours.replace("No executable file now.\n", "") == theirs


def test_a_workgroup_that_begins_again_is_caught_again(tmp_path: Path) -> None:
    """In a machine that is read again, none has begun."""
    code = FIXTURES / "run/integers.gfx942.O0.v5.co"
    sizes = ("--grid", 128, "--workgroup", 64, "--scratch", 4096, "--arg", "0=range:128",
             "--arg", "1=range:128", "--arg", "2=zeros:512")  # fmt: skip
    commands = ("catch workgroup", f"save {tmp_path}/s", "run", "continue", f"load {tmp_path}/s",
                "echo >>>", "continue")  # fmt: skip
    words = (x for one in commands for x in ("-ex", one))
    done = run("debug", code, "--dispatch", "nest", *sizes, "--batch", *words)
    assert ["hit Catchpoint 1" in part for part in done.out.split(">>>")] == [True, True]
