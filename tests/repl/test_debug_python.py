"""The command `python`: its names, its streams, and the prompt in a program."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.repl.embed import run_interactive
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES
from tests.processes import finished
from tests.repl.repl_shell import nest_shell, output_of, talked


def test_quit_ends_the_code_as_in_gdb() -> None:
    shell = nest_shell()
    assert output_of(shell, 'python execute("quit 3"); print("after")') == ""
    assert (shell.is_over, shell.exit_status) == (True, 3)


def test_a_name_that_the_code_uses_is_the_codes() -> None:
    lines = ["python text = 'abc'", "python print(text.upper())", "python del text",
             "python print(text(evaluate('t')))"]  # fmt: skip
    assert talked(nest_shell(), *lines).splitlines()[:2] == ["ABC", "30"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("evaluate(3)", "evaluate: text: expected str, not 3"),
        ("evaluate(None)", "evaluate: text: expected str, not None"),
        ("text(3)", "text: value: expected TypedValue, not 3"),
        ("text(session)", "text: value: expected TypedValue, not an object of Session"),
        ("execute(None)", "execute: command: expected str, not None"),
        ("execute(b'p 1')", "execute: command: expected str, not b'p 1'"),
    ],
)
def test_wrong_arguments_are_named(call: str, message: str) -> None:
    error, end = output_of(nest_shell(), f"python {call}").splitlines()[-2:]
    assert error.partition(" ")[2] == message
    assert end == "Error while executing Python code."


def test_the_session_is_that_of_now() -> None:
    lines = ["python", "def lane():", "  return session.lane", "execute('lane 2')",
             "print(lane(), session.lane)", "end", "lane 1", "python print(lane())"]  # fmt: skip
    assert talked(nest_shell(), *lines).splitlines()[::4] == ["2 2", "1"]


def test_the_cause_of_an_error_is_shown() -> None:
    lines = ["python", "try:", "  1 / 0", "except ZeroDivisionError as e:",
             "  raise ValueError('x') from e", "end"]  # fmt: skip
    out = talked(nest_shell(), *lines)
    assert out.index("ZeroDivisionError: division by zero") < out.index("The above exception")
    assert out.endswith("ValueError: x\nError while executing Python code.\n")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ('python import sys; print("o"); print("e", file=sys.stderr); print("p")', "o\ne\np\n"),
        ("shell echo o; echo e >&2; echo p", "o\ne\np\n"),
        ("pipe echo o\\n | (cat; echo e >&2)", "o\ne\n"),
    ],
)
def test_output_and_errors_are_in_order(repository: Path, command: str, text: str) -> None:
    done = finished("debug", "--demo", "--batch", "-ex", command, is_mixed=True)
    assert done.stdout == text


def test_a_pipe_of_commands_is_not_pythons(repository: Path) -> None:
    done = finished("debug", "--demo", stdin="python input()\np 1\n")
    assert done.stdout == "$1 = 1\n"


def test_an_assignment_by_set_is_repeated() -> None:
    assert output_of(nest_shell(), "set $n = 1", "set $n = $n + 1", "", "", "p $n") == "$1 = 4\n"


class _Bare:
    """A stream with nothing but the least that a program gives."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def _session() -> Session:
    state = load_state(FIXTURES / "states/divergent.gfx942.json")
    wave = state.waves[0]
    code = tuple(
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    )
    return Session(state.architecture, code, state.target, wave=wave.wave, pc=wave.pc)


def test_any_streams_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    out = _Bare()
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stdout", out)
    run_interactive(_session(), commands=["p 1", "python print(2)"])
    assert out.text == "$1 = 1\n2\n"


@pytest.mark.parametrize(
    ("commands", "written"),
    [
        ("p 1", "['p 1']"),
        ("p 1\np 2\n", "['p 1', 'p 2']"),
        ("p 1" + " + 1" * 20, "a list of its lines"),
    ],
)
def test_one_command_is_not_a_list_of_its_characters(commands: str, written: str) -> None:
    message = rf"commands: expected a list of commands, not '.*: write {re.escape(written)}\Z"
    with pytest.raises(TypeError, match=message) as refused:
        run_interactive(_session(), commands=commands)
    assert isinstance(refused.value, UsageError)


def test_a_programs_state_has_threads_and_can_be_saved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out, session, path = io.StringIO(), _session(), tmp_path / "saved.json"
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stdout", out)
    left = run_interactive(session, commands=[
        "info threads", "p $exec = 5", "diff", "undo", "p/x $exec", f"save {path}", "lane 3",
    ])  # fmt: skip
    text = out.getvalue()
    assert "AMDGPU Wave" in text and "No threads." not in text
    assert text.count("exec") >= 2 and f"Saved {path}." in text
    assert left.lane == 3 and left.target is session.target
    assert load_state(path).waves


def test_a_lack_of_memory_fails_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_memory(*_: object) -> None:
        raise MemoryError

    shell = nest_shell()
    monkeypatch.setattr("dwarfgpu.repl.shell.parse", without_memory)
    assert not shell.execute("p 1")
    monkeypatch.undo()
    err = shell.console.streams.err
    assert isinstance(err, io.StringIO)
    message = "LimitExceeded: the command needs more memory than is available\n"
    assert err.getvalue() == message
    assert output_of(shell, "p 1").startswith("$1 = 1")


def test_a_script_goes_on_after_a_python_file_that_raises(tmp_path: Path) -> None:
    """As in GDB, which prints the traceback; an error of a command ends it."""
    code, script = tmp_path / "raises.py", tmp_path / "script"
    code.write_text("print('begun')\nraise ValueError('no')\n")
    script.write_text(f"source {code}\necho after\\n\nnosuch\necho never\\n\n")
    done = finished("debug", "--demo", "--batch", "-x", str(script))
    assert done.stdout.splitlines()[-2:] == ["begun", "after"]
    assert "ValueError: no" in done.stderr and "never" not in done.stdout
    assert done.returncode == 1
