"""Padding of objects with virtual base classes is not part of their value; the bases are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import dwarfgpu as dg
from tests.cli.command import run, run_json
from tests.repl.side_by_side import build

SOURCE = """\
struct base { char c; int id; };
struct left : virtual base { char l; int v; };
struct right : virtual base { char r; };
struct dia : left, right { short d; };
dia two;
left arr[2];
int main() { return two.d + arr[1].v; }
"""
TABLE = 0x1000
"""Its word before three others is the distance of `base`: 28 bytes from `left`, 12 from `right`,
16 from the elements of the array."""
TABLES = {TABLE - 24: 28, TABLE + 0x100 - 24: 12, TABLE + 0x200 - 24: 16}
TWO = {
    "left's table": (0, TABLE.to_bytes(8, "little")),
    "l": (8, b"a"),
    "v": (12, bytes([2, 0, 0, 0])),
    "right's table": (16, (TABLE + 0x100).to_bytes(8, "little")),
    "r": (24, b"b"),
    "d": (26, bytes([3, 0])),
    "c": (28, b"c"),
    "id": (32, bytes([4, 0, 0, 0])),
}
ELEMENT = (TABLE + 0x200).to_bytes(8, "little") + b"d"


@pytest.fixture(scope="module", params=["g++", "clang++-19"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory,
            tool: Callable[[str], str]) -> Path:  # fmt: skip
    folder = tmp_path_factory.mktemp("virtual")
    build(folder, {"a.cc": SOURCE}, [[tool(request.param), "-g", "-no-pie", "a.cc", "-o", "a"]])
    return folder / "a"


def state_of(
    program: Path, state: Path, but: str | None = None, *, has_padding: bool = False
) -> Path:
    symbols = {s.name: s.address for s in dg.CodeObject.open(program).file.symbols}
    two, arr = symbols["two"], symbols["arr"]
    memory = [(two + at, data) for name, (at, data) in TWO.items() if name != but]
    memory += [(at, word.to_bytes(8, "little")) for at, word in TABLES.items()]
    memory += [(two + 9, bytes(3)), (two + 25, bytes(1))] if has_padding else []
    for begin in (arr, arr + 24):
        memory += [(begin, ELEMENT), (begin + 12, bytes([5, 0, 0, 0])), (begin + 16, b"e")]
        if but != "an element":
            memory += [(begin + 20, bytes([6, 0, 0, 0]))]
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": str(program)}], "waves": [{"pc": symbols["main"]}],
        "memory": [{"address": at, "bytes": data.hex()} for at, data in memory],
    }))  # fmt: skip
    return state


def session_of(path: Path) -> dg.Session:
    state = dg.load_state(path)
    [item] = state.code_objects
    code_object = dg.CodeObject.open(item.path)
    return dg.Session(state.architecture, (code_object,), state.target, pc=state.waves[0].pc)


@pytest.mark.parametrize("name", ["two", "arr", "arr[1]", "*&two", "(left) two", "(right) two"])
def test_an_object_without_its_padding_is_whole(program: Path, tmp_path: Path, name: str) -> None:
    state = state_of(program, tmp_path / "state.json")
    done = run_json("eval", "--state", state, name)
    assert done.status == 0 and "<base> = {c = " in done.json["text"]
    assert not any("available" in note for note in done.json["notes"])
    done = run("debug", "--batch", "--state", state, "-ex", f"print {name}")
    assert "available" not in done.out + done.err


@pytest.mark.parametrize("but", ["l", "v", "r", "d", "c", "id"])
def test_each_member_counts(program: Path, tmp_path: Path, but: str) -> None:
    state = state_of(program, tmp_path / "state.json", but)
    done = run("eval", "--state", state, "two")
    assert done.status == 1
    two = next(s.address for s in dg.CodeObject.open(program).file.symbols if s.name == "two")
    reason = f"cannot access memory at address {two + TWO[but][0]:#x}: not in the state"
    assert f"two is only partly available: {reason}" in done.notes
    done = run("debug", "--batch", "--state", state, "-ex", "print two")
    assert reason in done.notes
    session = session_of(state)
    assert not session.read(session.variable("two")).is_complete


@pytest.mark.parametrize("name", ["(left) two", "*(left *)&two"])
def test_a_base_beside_bits_that_are_known_counts(program: Path, tmp_path: Path, name: str) -> None:
    """All bits of `left` itself are known, those of the base are in others."""
    state = tmp_path / "state.json"
    done = run("eval", "--state", state_of(program, state, has_padding=True), name)
    assert (done.status, done.err) == (0, "")
    done = run("eval", "--state", state_of(program, state, "id", has_padding=True), name)
    assert done.status == 1 and "id = <unavailable>" in done.out
    assert f"{name} is only partly available: cannot access memory at " in done.err


@pytest.mark.parametrize("but", ["left's table", "right's table", "an element"])
def test_a_base_that_is_nowhere_is_unknown(program: Path, tmp_path: Path, but: str) -> None:
    name = "arr" if but == "an element" else "two"
    state = state_of(program, tmp_path / "state.json", but)
    assert run("eval", "--state", state, name).status == 1


def test_the_library_agrees_with_the_command(program: Path, tmp_path: Path) -> None:
    session = session_of(state_of(program, tmp_path / "state.json"))
    for name in ("two", "arr"):
        reading = session.read(session.variable(name))
        assert reading.is_complete and reading.error is None, name
    assert reading.bits is not None and not reading.bits.is_complete
