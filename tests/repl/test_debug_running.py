"""The commands that run a program, with a backend that has the power and without one."""

from __future__ import annotations

import re

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.run_control import Runs
from dwarfgpu.repl.console import Console
from dwarfgpu.repl.running.resume_commands import RUNNING
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import json_of, made, nest_shell, output_of, talked
from tests.repl.stepping import CALL, RETURN, Stepping


@pytest.fixture
def shell() -> Shell:
    """main, about to call factorial(3)."""
    target = Stepping()
    program = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5")
    return made(Session(target.architecture, (program,), target, wave=1, pc=CALL))


AT = "x86_64/demo.c"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("break factorial", f"Breakpoint 1 at 0x1152: file {AT}, line 60.\n"),
        ("break 64", f"Breakpoint 1 at 0x1174: file {AT}, line 64.\n"),
        ("b demo.c:64", f"Breakpoint 1 at 0x1174: file {AT}, line 64.\n"),
        ("tbreak *0x1195", f"Temporary breakpoint 1 at 0x1195: file {AT}, line 66.\n"),
        ("break nosuch", "Make breakpoint pending on future shared library load? (y or [n]) "
         '[answered N; input not from terminal]\nFunction "nosuch" not defined.\n'),
        ("info breakpoints", "No breakpoints or watchpoints.\n"),
        ("b 64\ndelete 1\ni b", f"Breakpoint 1 at 0x1174: file {AT}, line 64.\n"
         "No breakpoints or watchpoints.\n"),
        ("delete 7", "No breakpoint number 7.\n"),
        ("delete x", "Bad breakpoint number 'x'\n"),
        ("delete 1 -1", "negative value\n"),
    ],
)  # fmt: skip
def test_breakpoints(shell: Shell, script: str, expected: str) -> None:
    assert talked(shell, *script.split("\n")) == expected


def last(shell: Shell, *lines: str) -> list[str]:
    return output_of(shell, *lines).splitlines()


def test_a_breakpoint_is_hit(shell: Shell) -> None:
    assert last(shell, "break factorial", "run") == [
        "", f"Breakpoint 1, factorial (n=3) at {AT}:60", f"60\t{AT}: No such file or directory.",
    ]  # fmt: skip
    assert last(shell, "continue")[:3] == [
        "Continuing.", "", f"Breakpoint 1, factorial (n=2) at {AT}:60",
    ]  # fmt: skip
    assert [line[:40] for line in last(shell, "bt")[:2]] == [
        "#0  factorial (n=2) at x86_64/demo.c:60", "#1  0x0000000000001181 in factorial (n=3",
    ]  # fmt: skip
    assert last(shell, "p n") == ["$1 = 2"]


def test_a_temporary_one_only_once(shell: Shell) -> None:
    assert last(shell, "tbreak factorial", "run")[1].startswith("Temporary breakpoint 1, factorial")
    assert last(shell, "c") == ["Continuing.", "[Inferior 1 exited with code 06]"]


def test_the_program_ends(shell: Shell) -> None:
    assert last(shell, "run") == ["[Inferior 1 exited with code 06]"]


def test_a_program_that_runs_is_restarted_after_a_question(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a terminal, as in GDB; `set confirm off` and scripts are not asked."""
    asked: list[str] = []
    answers = iter(["n", "y"])

    def answer(question: str) -> str:
        asked.append(question)
        return next(answers)

    question = (
        "The program being debugged has been started already.\n"
        "Start it from the beginning? (y or n) "
    )
    output_of(shell, "break factorial", "run", "continue")
    monkeypatch.setattr(Console, "is_interactive", True)
    terminal = evolve(shell.console.input, prompt_answer=answer)
    monkeypatch.setattr(shell.console, "input", terminal)
    assert output_of(shell, "run") == "Program not restarted.\n"
    assert output_of(shell, "output n") == "2" and asked == [question]
    assert "factorial (n=3)" in output_of(shell, "run") and asked == [question] * 2
    output_of(shell, "continue", "set confirm off")
    assert "factorial (n=3)" in output_of(shell, "run") and len(asked) == 2


def test_a_place_that_may_be_loaded_later(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal asks as GDB does, again until the answer is one; no code is loaded later."""
    asked: list[str] = []
    answers = iter(["", "maybe", "No", "y"])

    def answer(question: str) -> str:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr(Console, "is_interactive", True)
    terminal = evolve(shell.console.input, prompt_answer=answer)
    monkeypatch.setattr(shell.console, "input", terminal)
    unknown = 'Function "nosuch" not defined.\n'
    question = "Make {} pending on future shared library load? (y or [n]) "
    assert output_of(shell, "break nosuch") == unknown
    assert asked == [question.format("breakpoint")]
    assert output_of(shell, "thbreak nosuch") == f"Please answer y or [n].\n{unknown}"
    assert asked[1:] == [question.format("hw breakpoint")] * 2
    refused = "Pending breakpoints are not supported: no breakpoint is set.\n"
    assert output_of(shell, "tbreak nofile.c:3") == f"No source file named nofile.c.\n{refused}"
    assert len(asked) == 4 and not shell.breakpoints
    output_of(shell, "set breakpoint pending on")
    assert output_of(shell, "break nosuch") == unknown + refused and len(asked) == 4


def test_steps(shell: Shell) -> None:
    output_of(shell, "tbreak factorial", "run")
    assert shell.session.pc == 0x1152
    output_of(shell, "next")
    assert shell.session.pc == 0x1158  # line 61
    output_of(shell, "")  # an empty line steps again
    assert shell.session.pc == 0x1167
    output_of(shell, "step")
    assert shell.session.pc == 0x1174
    assert last(shell, "step")[0] == f"factorial (n=2) at {AT}:60"  # into the call, past the entry
    output_of(shell, "finish")
    assert (shell.session.pc, shell.session.level) == (0x1181, 0)
    output_of(shell, "stepi")
    assert shell.session.pc == 0x1184
    output_of(shell, "stepi 2")
    assert shell.session.pc == 0x118D


def test_next_goes_over_calls(shell: Shell) -> None:
    output_of(shell, "tbreak 64", "run", "next")
    assert (shell.session.pc, output_of(shell, "output n")) == (0x1184, "3")
    output_of(shell, "starti")
    output_of(shell, "nexti")
    assert shell.session.pc == RETURN


def test_a_breakpoint_in_a_call_that_is_stepped_over(shell: Shell) -> None:
    output_of(shell, "tbreak 64", "run", "break *0x116d")
    assert f"Breakpoint 2, factorial (n=1) at {AT}:63" in last(shell, "next")


def test_finish_prints_the_frame_it_leaves(shell: Shell) -> None:
    output_of(shell, "break factorial", "run", "c", "delete")
    lines = last(shell, "finish")
    assert lines[0] == f"Run till exit from #0  factorial (n=2) at {AT}:60"
    assert lines[1].startswith("0x0000000000001181 in factorial (n=3) at")
    assert last(shell, "finish", "finish")[0] == ('"finish" not meaningful in the outermost frame.')


def test_advance(shell: Shell) -> None:
    output_of(shell, "starti", "advance 66")
    assert shell.session.pc == 0x1195
    assert last(shell, "advance") == ["Argument required (a location)."]


def test_what_is_displayed_follows(shell: Shell) -> None:
    output_of(shell, "break factorial", "run", "display n")
    assert last(shell, "c")[-1] == "1: n = 2"


def test_locations_of_before_are_stale(shell: Shell) -> None:
    output_of(shell, "break factorial", "run", "p n")
    assert output_of(shell, "c") and output_of(shell, "p $1") == "$2 = 3\n"


def test_answers_as_json(shell: Shell) -> None:
    assert json_of(shell, "break factorial")["bkpt"] == {
        "number": 1, "type": "breakpoint", "disp": "keep", "addr": "0x1152",
        "enabled": "y", "func": "factorial", "file": AT, "fullname": AT, "line": 60,
        "original-location": "factorial", "at": f"factorial at {AT}:60", "times": 0,
    }  # fmt: skip
    stop = json_of(shell, "run")
    assert (stop["reason"], stop["bkptno"], stop["thread-id"]) == ("breakpoint-hit", 1, 1)
    assert "current-lane-id" not in stop and "target-id" not in stop  # of a CPU
    assert json_of(shell, "stepi")["reason"] == "end-stepping-range"
    assert json_of(shell, "info breakpoints")["breakpoints"][0]["addr"] == "0x1152"
    assert json_of(shell, "delete")["result"] == "done"
    assert json_of(shell, "c")["exit-code"] == 6


def test_what_no_backend_offers(shell: Shell) -> None:
    assert last(shell, "kill") == ['"kill" is not supported: the backend cannot end the program.']
    assert last(shell, "detach") == [
        '"detach" is not supported: there is no process; "kill" ends the program.'
    ]
    assert last(shell, "watch n") == ["Target does not support hardware watchpoints."]


@pytest.mark.parametrize(
    "line",
    [
        "watch t",
        "rwatch t",
        "awatch t",
        "catch fault",
        *(c.name for c in RUNNING),
    ],
)
def test_a_state_that_does_not_run_is_reported(line: str) -> None:
    shell = nest_shell()
    assert not isinstance(shell.session.target, Runs)
    words = {
        "return": "You can't do that without a process to debug.",
        **dict.fromkeys(
            ("run", "starti", "start", "attach", "catch fault"),
            "Cannot run: the target is a state or core file.",
        ),
        **dict.fromkeys(
            ("watch", "rwatch", "awatch"), "Argument required (expression to compute)."
        ),
        "watch t": "Watchpoint 1: t",
        **dict.fromkeys(
            ("rwatch t", "awatch t"),
            "Expression cannot be implemented with read/access watchpoint.",
        ),
    }
    said = re.sub(r"note: .*\n", "", output_of(shell, line))
    assert said == words.get(line, "The program is not being run.") + "\n"


@pytest.mark.parametrize("command", ["run", "start", "starti", "attach 1"])
@pytest.mark.parametrize("files", [(), ("x86_64/demo.gcc.O0.v5",), ("hip/nest.gfx942.O2.v5.co",)])
def test_without_a_state_or_core_file_the_message_names_none(
    command: str, files: tuple[str, ...]
) -> None:
    done = run("debug", *(FIXTURES / file for file in files), "--batch", "-ex", command)
    assert (done.status, done.err) == (
        1, "Cannot run: dwarfgpu starts no processes. "
        "Start dwarfgpu with --dispatch KERNEL to run a kernel of an AMD GPU.\n",
    )  # fmt: skip
