"""How much work a lane of a whole dispatch is: Python functions are counted, never time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from dwarfgpu.options import operation_options
from dwarfgpu.session import unknown_name
from tests.cli.command import FIXTURES
from tools.bench_journeys import calls

pytest.importorskip("numpy")


def dispatched(folder: Path, waves: int) -> Path:
    """A state of so many waves, each at a place where `t` is in v6, which holds the lane."""
    state = folder / f"{waves}.json"
    arguments = [f"--grid={64 * waves}", "--workgroup=64", "--arg=limit=7"]
    arguments += [f"--arg={name}=buffer:512" for name in ("in", "out")]
    kernel = str(FIXTURES / "hip/nest.gfx942.O2.v5.co")
    assert main(["dispatch", kernel, *arguments, "--save", str(state)]) == 0
    text = state.read_text().replace('"v0": {', '"v6": {')
    state.write_text(text.replace('"pc": "0x7f0000001600"', '"pc": "0x7f0000001620"'))
    return state


KERNARG = "{in = 0x7e0000002100, out = 0x7e0000002…"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t", "5"),
        ("$_kernarg", KERNARG),  # a structure, the same in all waves
        ("$_kernarg.in", "(const int *) 0x7e0000002100"),
        ("$_workitem_id", "{5, 0, 0}"),
        ("threadIdx", "{x = 5, y = 0, z = 0}"),
        ("$v6", "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"),
    ],
)
def test_lines_of_a_dispatch(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text of equal bits is made once, and a line of the table takes few calls."""
    counts = []
    for waves in (8, 24):
        state = dispatched(tmp_path, waves)
        capsys.readouterr()
        asked = ["lanes", "--state", str(state), "--wave", "all", name]
        counts.append(calls(lambda asked=asked: main(asked), warm=1)[0])  # type: ignore[misc]
        lines = capsys.readouterr().out.splitlines()
        assert lines.count(f"   5 A     0x7f0000001620 hip/nest.hip:11 {text}") == 2 * waves
    each = (counts[1] - counts[0]) / (16 * 64)
    assert each < 60  # before lanes shared answers 102 for a number, 370 for `$_kernarg`


@pytest.mark.parametrize(("name", "text"), [("t", "5"), ("$_kernarg.limit", "7")])
def test_records_of_a_dispatch(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What lanes share of their records is written once."""
    counts = []
    for waves in (8, 24):
        state = dispatched(tmp_path, waves)
        capsys.readouterr()
        asked = ["lanes", "--state", str(state), "--wave", "all", name, "--json"]
        counts.append(calls(lambda asked=asked: main(asked), warm=1)[0])  # type: ignore[misc]
        first, _ = map(json.loads, capsys.readouterr().out.splitlines())
        lanes = [lane for wave in first["waves"] for lane in wave["lanes"] if lane["lane"] == 5]
        assert [lane["values"][0]["text"] for lane in lanes] == [text] * waves
    assert (counts[1] - counts[0]) / (16 * 64) < 45  # 85 when each lane had a record


def lacking(state: Path, lanes: str) -> Path:
    """The same state, whose v6 is known in some lanes only."""
    text = state.read_text()
    assert '"lanes": "0xffffffffffffffff"' in text
    out = state.with_name(f"lacking-{state.name}")
    out.write_text(text.replace('"lanes": "0xffffffffffffffff"', f'"lanes": "{lanes}"'))
    return out


@pytest.mark.parametrize("lanes", ["0x5555555555555555", "0x8000000000000000"])
def test_lines_of_lanes_with_unknown_bits(
    lanes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lanes that lack a register are read in one pass, and share their text too."""
    counts = []
    for waves in (8, 24):
        state = lacking(dispatched(tmp_path, waves), lanes)
        capsys.readouterr()
        asked = ["lanes", "--state", str(state), "--wave", "all", "t"]
        counts.append(calls(lambda asked=asked: main(asked), warm=1)[0])  # type: ignore[misc]
        said = capsys.readouterr()
        known = f"{int(lanes, 16):b}".count("1")
        assert said.out.count("<unavailable>") == 2 * waves * (64 - known)
        reason = "t is not available: register v6 of wave 3 is not in the state, bytes"
        assert said.err.count(reason) == 2  # the first lane's, in each of two runs
    assert (counts[1] - counts[0]) / (16 * 64) < 80  # 290 to 590 when each was read alone


@pytest.mark.parametrize(
    "asked", [("lanes",), ("lanes", "--json"), ("eval", "--lane=all"), ("eval",)]
)
@pytest.mark.parametrize("names", [("nothing",), ("nothing", "t")])
def test_an_unknown_name_is_searched_once(
    asked: tuple[str, ...],
    names: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Why a name is unknown may take a search of all names: it is the same in all waves."""
    searched: list[str] = []

    def counted(focus: unknown_name.SearchedSession, name: str) -> str:
        searched.append(name)
        return f" {focus.is_absent}"

    monkeypatch.setattr(unknown_name, "why_unknown", counted)
    monkeypatch.setattr("dwarfgpu.cli.lanes._GROUP", 2)
    monkeypatch.setattr("dwarfgpu.service.eval.eval_in_lanes.WAVES_AT_ONCE", 2)
    state = dispatched(tmp_path, 8)
    capsys.readouterr()
    main([*asked, "--state", str(state), "--wave", "all", *names])
    said = capsys.readouterr()
    assert "in current context. False" in said.err + said.out
    assert searched == ["nothing"]


@pytest.mark.parametrize(
    "text", ["nothing", "1 + nothing", "1 +", "$nothing", "limit.nothing", "$_lane ? $s0 : nothing"]
)
def test_a_mistake_is_the_same_in_all_lanes(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = []
    for waves in (8, 24):
        state = dispatched(tmp_path, waves)
        asked = ["lanes", "--state", str(state), "--wave", "all", text]
        counts.append(calls(lambda asked=asked: main(asked), warm=1)[0])  # type: ignore[misc]
        capsys.readouterr()
    assert (counts[1] - counts[0]) / (16 * 64) < 50  # 2,560 when each lane was asked


def test_operations_are_parsed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thousands of operations, evaluated in 64 lanes, are assembled once, and again for others."""
    parsed: list[str] = []

    def assemble(text: str, *rest: object) -> bytes:
        parsed.append(text)
        return bytes([0x30 + len(parsed)])  # DW_OP_lit1, DW_OP_lit2, …

    monkeypatch.setattr(operation_options, "assemble", assemble)
    operation_options.assembled.cache_clear()
    try:
        for lanes in ("all", "0-63"):
            assert main(["eval", "--lanes", "64", "--lane", lanes, "lit1; nop"]) == 0
            assert "[ 0-63] 1" in capsys.readouterr().out
        assert main(["eval", "--lanes", "64", "--lane", "all", "lit2; nop"]) == 0
        assert "[ 0-63] 2" in capsys.readouterr().out
    finally:
        operation_options.assembled.cache_clear()
    assert parsed == ["lit1; nop", "lit2; nop"]
