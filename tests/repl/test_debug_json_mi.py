"""JSON answers beside those of GDB's machine interface to the same questions about one core."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest

from tests.cli.command import FIXTURES, run

_CORE = FIXTURES / "core/crash.x86_64.O0"
_QUESTIONS = (
    ("-data-evaluate-expression n+sum", "output n+sum"),
    ("-stack-list-frames", "bt"),
    ("-stack-list-variables --all-values", "info locals"),
    ("-thread-info", "info threads"),
    ("-data-list-register-values x 0 6 7", "info registers rax rbp rsp"),
    ("-data-read-memory-bytes $sp 8", "x/8xb $sp"),
    ("-data-evaluate-expression nosuch", "output nosuch"),
)


@pytest.fixture(scope="module")
def pairs() -> dict[str, tuple[Any, Any]]:
    """What GDB answers and what we do, by our command."""
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("gdb is not installed")
    asked = "".join(f"{number}{question}\n" for number, (question, _) in enumerate(_QUESTIONS, 1))
    done = subprocess.run(
        [gdb, "-q", "-nx", "-i", "mi", _CORE, f"{_CORE}.core"],
        input=asked, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    theirs = [_record(line) for line in done.stdout.splitlines() if line[:1].isdigit()]
    commands = [word for _, command in _QUESTIONS for word in ("-ex", command)]
    ours = run("debug", "--batch", "--interpreter=json", _CORE, "--core", f"{_CORE}.core",
               *commands).out.splitlines()  # fmt: skip
    assert len(theirs) == len(ours) == len(_QUESTIONS)
    return {command: (their, json.loads(our))
            for (_, command), their, our in zip(_QUESTIONS, theirs, ours, strict=True)}  # fmt: skip


def _record(line: str) -> Any:
    """A result record as JSON; tuples that are named in a list are its elements."""
    result, _, rest = line.lstrip("0123456789").removeprefix("^").partition(",")
    text = re.sub(r"(?<=[\[}])(,?)frame=", r"\1", rest)
    text = re.sub(r'(?<![^{,])([a-z][a-z-]*)=(?=["\[{])', r'"\1":', text)
    return {"result": result, **json.loads(f"{{{text}}}")}


def _same(theirs: Any, ours: Any, *keys: str) -> None:
    """Equal by keys, numbers and addresses as such, what is left out as null."""
    for key in keys:
        assert _plain(theirs.get(key)) == _plain(ours.get(key)), key


def _plain(value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(r"[0-9]+|0x[0-9a-f]+", value):
        return int(value, 0)
    return value


def test_a_value(pairs: Any) -> None:
    _same(*pairs["output n+sum"], "result", "value")


def test_an_error(pairs: Any) -> None:
    _same(*pairs["output nosuch"], "result", "msg")


def test_frames(pairs: Any) -> None:
    theirs, ours = pairs["bt"]
    for their, our in zip(theirs["stack"], ours["stack"], strict=True):
        _same(their, our, "level", "addr", "func", "file", "line")


def test_variables(pairs: Any) -> None:
    theirs, ours = pairs["info locals"]
    theirs = [variable for variable in theirs["variables"] if "arg" not in variable]
    for their, our in zip(theirs, ours["variables"], strict=True):
        _same(their, our, "name", "value")


def test_threads(pairs: Any) -> None:
    theirs, ours = pairs["info threads"]
    _same(theirs, ours, "current-thread-id")
    for their, our in zip(theirs["threads"], ours["threads"], strict=True):
        _same(their, our, "id", "target-id", "state")
        _same(their["frame"], our["frame"], "level", "addr", "func", "args", "file", "line")


def test_registers(pairs: Any) -> None:
    theirs, ours = pairs["info registers rax rbp rsp"]
    for their, our in zip(theirs["register-values"], ours["register-values"], strict=True):
        _same(their, our, "number", "value")


def test_memory(pairs: Any) -> None:
    theirs, ours = pairs["x/8xb $sp"]
    _same(theirs["memory"][0], ours["memory"][0], "begin", "offset", "end", "contents")
