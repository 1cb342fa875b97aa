"""Code in memory is read in pieces, as its instructions are used: a range may be any size."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from dwarfgpu.base.limits import Limits
from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.service.code import disassembly, session_code
from dwarfgpu.service.code.session_code import (
    CodeLine,
    code_lines,
    code_lines_between,
    listed,
)
from dwarfgpu.session.session import Session
from tests.cli.command import run

BEGIN = 0x40000000
SIZE = 1 << 30
CODE = {"x86_64": ("90", 1), "gfx942": ("bf", 4)}
"""The byte that fills memory, and the size of the instructions: GDB's `nop` and `.long`."""


def state(folder: Path, name: str) -> Path:
    document = {
        "schema": "dwarfgpu-state-2",
        "architecture": name,
        "waves": [{"pc": hex(BEGIN), "registers": {}}],
        "memory": [{"address": BEGIN, "size": SIZE, "fill": int(CODE[name][0], 16)}],
    }
    path = folder / "state.json"
    path.write_text(json.dumps(document))
    return path


def session(folder: Path, name: str, limits: Limits | None = None) -> Session:
    loaded = load_state(state(folder, name))
    wave = loaded.waves[0]
    return Session(
        loaded.architecture, (), loaded.target, wave=wave.wave, pc=wave.pc,
        limits=limits or Limits(),
    )  # fmt: skip


def require(name: str) -> None:
    if name == "x86_64":
        pytest.importorskip("capstone")


@pytest.mark.parametrize("name", CODE)
@pytest.mark.parametrize(
    "lines",
    [
        lambda session: code_lines_between(session, BEGIN, BEGIN + SIZE),
        lambda session: code_lines(session, BEGIN, SIZE),
    ],
    ids=["disassemble", "x"],
)
def test_the_first_instructions_of_a_large_range(
    name: str,
    lines: Callable[[Session], list[CodeLine]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    require(name)
    sizes: list[int] = []
    read = session_code.memory_bytes

    def counted(session: Session, begin: int, end: int) -> bytes:
        sizes.append(end - begin)
        assert sizes[-1] <= 1 << 17
        return read(session, begin, end)

    monkeypatch.setattr(session_code, "memory_bytes", counted)
    size = CODE[name][1]
    first = list(islice(lines(session(tmp_path, name)), 3))
    assert [line.address for line in first] == [BEGIN, BEGIN + size, BEGIN + 2 * size]
    assert len(sizes) == 1


@pytest.mark.parametrize("name", CODE)
def test_the_end_of_memory(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is where it is, whether a piece ends there, before it or behind it."""
    require(name)
    size, end = CODE[name][1], BEGIN + SIZE
    for at_once in (16, 24, 64, 4096):
        monkeypatch.setattr(disassembly, "_AT_ONCE", at_once)
        lines = code_lines_between(session(tmp_path, name), end - 48, end + 48)
        addresses: list[int] = []
        with pytest.raises(UsageError, match=f"Cannot access memory at address {end:#x}"):
            addresses.extend(line.address for line in lines)
        lines = code_lines_between(session(tmp_path, name), end - 48, end)
        assert [line.address for line in lines] == [*range(end - 48, end, size)]


def test_what_is_read_as_a_whole_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = session(tmp_path, "gfx942", Limits(listed_instructions=10))
    assert len(list(listed(opened, BEGIN, BEGIN + 40))) == 10
    with pytest.raises(LimitExceeded, match=r"more than 10 instructions"):
        list(listed(opened, BEGIN, BEGIN + 44))
    monkeypatch.setattr(session_code, "memory_bytes", None)  # the size of the range says so
    with pytest.raises(LimitExceeded, match=r"more than 10 instructions"):
        next(listed(opened, BEGIN, BEGIN + SIZE))


@pytest.mark.parametrize("command", ["disassemble 0x40000000,+0x80", "x/32i 0x40000000"])
def test_lines_of_json_are_bounded(command: str, tmp_path: Path) -> None:
    path = state(tmp_path, "gfx942")
    for most, is_complete in (("31", False), ("32", True)):
        commands = ("-ex", "set output json", "-ex", command)
        done = run(
            "debug", "--state", path, "--batch", *commands, "--max-listed-instructions", most
        )
        answer = json.loads(done.out.splitlines()[-1])
        assert (answer["result"] == "done") == is_complete
        if is_complete:
            assert len(answer["asm_insns"]) == 32
        else:
            assert "--max-listed-instructions" in answer["msg"]
        done = run("debug", "--state", path, "--batch", "-ex", command)
        assert len([line for line in done.out.splitlines() if ".long" in line]) == 32
