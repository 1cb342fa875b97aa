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
    of_gdb = [_record(line) for line in done.stdout.splitlines() if line[:1].isdigit()]
    commands = [word for _, command in _QUESTIONS for word in ("-ex", command)]
    of_dwarfgpu = run("debug", "--batch", "--interpreter=json", _CORE, "--core", f"{_CORE}.core",
               *commands).out.splitlines()  # fmt: skip
    assert len(of_gdb) == len(of_dwarfgpu) == len(_QUESTIONS)
    return {command: (mi_record, json.loads(record))
            for (_, command), mi_record, record in zip(_QUESTIONS, of_gdb, of_dwarfgpu,
                                                  strict=True)}  # fmt: skip


def _record(line: str) -> Any:
    """A result record as JSON; tuples that are named in a list are its elements."""
    result, _, rest = line.lstrip("0123456789").removeprefix("^").partition(",")
    text = re.sub(r"(?<=[\[}])(,?)frame=", r"\1", rest)
    text = re.sub(r'(?<![^{,])([a-z][a-z-]*)=(?=["\[{])', r'"\1":', text)
    return {"result": result, **json.loads(f"{{{text}}}")}


def _same(of_gdb: Any, of_dwarfgpu: Any, *keys: str) -> None:
    """Equal by keys, numbers and addresses as such, what is left out as null."""
    for key in keys:
        assert _plain(of_gdb.get(key)) == _plain(of_dwarfgpu.get(key)), key


def _plain(value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(r"[0-9]+|0x[0-9a-f]+", value):
        return int(value, 0)
    return value


def test_a_value(pairs: Any) -> None:
    _same(*pairs["output n+sum"], "result", "value")


def test_an_error(pairs: Any) -> None:
    _same(*pairs["output nosuch"], "result", "msg")


def test_frames(pairs: Any) -> None:
    of_gdb, of_dwarfgpu = pairs["bt"]
    for mi_record, record in zip(of_gdb["stack"], of_dwarfgpu["stack"], strict=True):
        _same(mi_record, record, "level", "addr", "func", "file", "line")


def test_variables(pairs: Any) -> None:
    of_gdb, of_dwarfgpu = pairs["info locals"]
    of_gdb = [variable for variable in of_gdb["variables"] if "arg" not in variable]
    for mi_record, record in zip(of_gdb, of_dwarfgpu["variables"], strict=True):
        _same(mi_record, record, "name", "value")


def test_threads(pairs: Any) -> None:
    of_gdb, of_dwarfgpu = pairs["info threads"]
    _same(of_gdb, of_dwarfgpu, "current-thread-id")
    for mi_record, record in zip(of_gdb["threads"], of_dwarfgpu["threads"], strict=True):
        _same(mi_record, record, "id", "target-id", "state")
        _same(mi_record["frame"], record["frame"], "level", "addr", "func", "args", "file", "line")


def test_registers(pairs: Any) -> None:
    of_gdb, of_dwarfgpu = pairs["info registers rax rbp rsp"]
    for mi_record, record in zip(
        of_gdb["register-values"], of_dwarfgpu["register-values"], strict=True
    ):
        _same(mi_record, record, "number", "value")


def test_memory(pairs: Any) -> None:
    of_gdb, of_dwarfgpu = pairs["x/8xb $sp"]
    _same(of_gdb["memory"][0], of_dwarfgpu["memory"][0], "begin", "offset", "end", "contents")
