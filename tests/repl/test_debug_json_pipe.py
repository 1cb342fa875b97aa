"""JSON answers over pipes: a line that is sent is answered once, and by nothing but its answer."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.repl.terminal import plain_prompt
from tests.cli.command import FIXTURES, refuse, run, validate
from tests.processes import finished
from tests.repl.repl_shell import demo_shell


@pytest.fixture
def asked(repository: Path) -> Any:
    """The answers to lines of stdin, and what is on stderr."""

    def ask(*lines: str) -> tuple[list[Any], str]:
        stdin = "".join(f"{line}\n" for line in lines)
        done = finished("debug", "--demo", "--lane=4", "--interpreter=json", stdin=stdin)
        answers = [json.loads(line, parse_constant=refuse) for line in done.stdout.splitlines()]
        for answer in answers:
            validate(answer)
        return answers, done.stderr

    return ask


def test_a_blank_line_repeats_nothing(asked: Any) -> None:
    answers, _ = asked("1 set $n = 1", "2 p $n++", "", "  ", "3 p $n")
    assert [(answer["token"], answer.get("value")) for answer in answers] == [
        (1, None), (2, "1"), (3, "2"),
    ]  # fmt: skip


def test_the_lines_of_a_body_may_have_tokens(asked: Any) -> None:
    answers, _ = asked("1 if 1", "2 if 0", "3 p 1", "4 else", "5 p 2", "6 end", "7 end", "8 p 3",
                       "9 define d", "10 p 4", "11 end", "12 d", "13 python", "print(5)",
                       "14 end", "15 p 6")  # fmt: skip
    assert [answer["token"] for answer in answers] == [1, 8, 9, 12, 13, 15]
    inner = answers[0]["commands"][0]
    assert inner["command"] == "if 0" and inner["commands"][0]["value"] == "2"
    assert answers[3]["commands"][0]["value"] == "4"
    assert answers[4]["output"] == "5\n"


def test_a_line_that_is_too_long_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "x" * (3 << 20)
    lines = ("1 p 1", f"2 p {long}", "3 p 2", "4 if 1", f"5 p {long}", "6 p 3", "7 end", "8 p 4")
    shell = demo_shell()
    shell.settings.set("output", "json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
    out = shell.console.streams.out
    assert isinstance(out, io.StringIO)
    begin = out.tell()
    plain_prompt.converse(shell, prompts=False)
    answers = [json.loads(line) for line in out.getvalue()[begin:].splitlines()]
    for answer in answers:
        validate(answer)
    refused = "A line of more than 1048576 characters."
    assert [(answer["token"], answer["result"], answer.get("msg")) for answer in answers] == [
        (1, "done", None), (2, "error", refused), (3, "done", None), (4, "error", refused),
        (8, "done", None),
    ]  # fmt: skip
    assert answers[1]["command"].startswith("p xxx") and len(answers[1]["command"]) < 100


def test_python_reads_none_of_the_commands(asked: Any) -> None:
    answers, _ = asked("1 python input()", "2 p 1", "3 python import os; os.system('cat')", "4 p 2",
                       "5 python import sys; print(repr(sys.stdin.read()), os.read(0, 9))",
                       "6 p 3")  # fmt: skip
    assert [answer["token"] for answer in answers] == [1, 2, 3, 4, 5, 6]
    assert answers[0]["msg"].endswith("EOFError: EOF when reading a line\n"
                                      "Error while executing Python code.")  # fmt: skip
    assert answers[4]["output"] == "'' b''\n"


def test_what_python_writes_on_the_descriptor_is_output(asked: Any) -> None:
    code = "; ".join((
        "print('a')", "os.write(1, b'b\\n')", "os.system('echo c; echo err >&2')", "print('d')",
        "os.write(1, b'\\xff\\n')",
    ))  # fmt: skip
    answers, err = asked(f"1 python import os; {code}", "2 p 1")
    assert answers[0]["output"] == "a\nb\nc\nd\n\\xff\n"
    assert (answers[1]["value"], err) == ("1", "err\n")


def test_a_log_does_not_delay_answers(asked: Any, tmp_path: Path) -> None:
    log = tmp_path / "log"
    answers, _ = asked("1 set logging redirect on", f"2 set logging file {log}",
                       "3 set logging enabled on", "4 p 1", "5 set logging enabled off",
                       "6 p 2")  # fmt: skip
    assert [answer["token"] for answer in answers] == [1, 2, 3, 4, 5, 6]
    assert [json.loads(line)["token"] for line in log.read_text().splitlines()] == [3, 4]


def test_a_missing_script_is_an_error(repository: Path) -> None:
    done = run("debug", "--demo", "--batch", "--interpreter=json", "-x", "/nonexist")
    answer = json.loads(done.out)
    assert (answer["result"], done.status) == ("error", 1)


def test_a_start_that_fails_is_answered() -> None:
    done = run("debug", "--demo", "--interpreter=json", "--state", "/nonexist")
    answer = json.loads(done.out)
    validate(answer)
    assert answer["result"] == "error" and answer["msg"] in done.err and done.status == 2


def test_the_signal_of_a_core_has_keys() -> None:
    core = FIXTURES / "core/crash.x86_64.O0"
    done = run("debug", "--batch", "--interpreter=json", core, "--core", f"{core}.core",
               "-ex", "info threads 1", "-ex", "thread")  # fmt: skip
    listed, shown = map(json.loads, done.out.splitlines())
    validate(listed)
    validate(shown)
    assert listed["threads"][0]["signal"] == shown["signal"]
    assert (shown["signal"]["name"], shown["signal"]["address"]) == ("SIGSEGV", "0x10")
    assert listed["current-thread-id"] == 1
