"""Strings without an end, with `set print elements unlimited`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run


def state_of(folder: Path, memory: dict[str, object]) -> Path:
    """A state that has a block of memory."""
    content = {"schema": "dwarfgpu-state-2", "architecture": "gfx942", "waves": [{}]}
    (path := folder / "state.json").write_text(json.dumps(content | {"memory": [memory]}))
    return path


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A state whose memory has a gigabyte of `A`."""
    return state_of(tmp_path, {"address": 0x1000, "size": 1 << 30, "fill": 0x41})


def said(state: Path, *commands: str) -> list[str]:
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "--state", state, "-q", "--batch", *words)
    return str(done.out + done.err).splitlines()


CUT = "'A' <repeats 65536 times>..."


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("print (char *) 0x1000", [f"$1 = 0x1000 {CUT}"]),
        ("x/2s 0x1000", [f"0x1000:\t{CUT}", f"0x11000:\t{CUT}"]),
        ("x/-1s 0x30000", [f"0x20000:\t{CUT}"]),
    ],
)
def test_a_string_without_an_end_is_cut(
    filled: Path, command: str, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("view.pointers", "service.machine.examine_format"):
        monkeypatch.setattr(f"dwarfgpu.{module}.MOST_CHARACTERS", 1 << 16)
    assert said(filled, "set print elements unlimited", command) == lines


@pytest.mark.parametrize("command", ["x/1000000s 0x1000", "x/-1000000s 0x3000000"])
def test_the_strings_of_one_command_have_a_bound(
    filled: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dwarfgpu.service.machine.examine_format._MAX_CHARACTERS", 1_000)
    lines = said(filled, command)
    assert lines[-1] == "x goes through at most 1000 characters at once."
    assert len(lines) == (6 if "/1" in command else 1)


@pytest.mark.parametrize("at", [0x1000, 0x1001, 0x103F, 0x1040])
def test_strings_before_an_address_are_those_after_it(tmp_path: Path, at: int) -> None:
    """Blocks of memory are read, at any alignment and beside memory that is not known."""
    text = b"one\0two\0" + b"x" * 150 + b"\0\0last\0"
    path = state_of(tmp_path, {"address": at, "bytes": text.hex()})
    forward = said(path, f"x/5s {at:#x}")
    shown = [line.partition(":\t")[2] for line in forward]
    assert shown == ['"one"', '"two"', "'x' <repeats 150 times>", '""', '"last"']
    before = said(path, f"x/-5s {at + len(text):#x}")  # as in GDB, the last begins there
    assert before[:-1] == forward[1:]


def test_wide_strings_before_an_address(tmp_path: Path) -> None:
    text = "".join(("ab\0", "c" * 70, "\0")).encode("utf-16-le")
    path = state_of(tmp_path, {"address": 0x1001, "bytes": text.hex()})
    forward = said(path, "x/2sh 0x1001")
    assert forward == ['0x1001:\tu"ab"', "0x1007:\tu'c' <repeats 70 times>"]
    assert said(path, f"x/-2sh {0x1001 + len(text):#x}")[:-1] == forward[1:]


def test_a_long_string_is_whole(tmp_path: Path) -> None:
    path = state_of(tmp_path, {"address": 0x1000, "bytes": (b"A" * 150_000 + b"\0\0").hex()})
    long = "'A' <repeats 150000 times>"
    assert said(path, "set print elements 0", "x/2s 0x1000") == [
        f"0x1000:\t{long}",
        '0x259f1:\t""',
    ]
    assert said(path, "set print elements 0", "print (char *) 0x1000") == [f"$1 = 0x1000 {long}"]
