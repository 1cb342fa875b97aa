"""A state of a kernel before its first instruction: what no instruction has set has one reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, run_json

REASON = "the wave has not run yet: nothing has set s33"


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """nest, compiled without optimization: its variables are in the frame that s33 points to."""
    path = tmp_path_factory.mktemp("start") / "start.json"
    done = run(
        "dispatch", FIXTURES / "hip/nest.gfx942.O0.v5.co", "nest", "--grid", 128, "--workgroup",
        64, "--arg", "in=buffer:512", "--arg", "out=buffer:512", "--arg", "limit=1", "--save", path,
    )  # fmt: skip
    assert done.status == 0
    return path


def test_all_variables_have_one_line(start: Path) -> None:
    done = run("eval", "--state", start, "--wave", 2, "--lane", 3)
    first, second = done.lines
    assert first == f"in, out, limit, t, a, r, sum: <unavailable> ({REASON})"
    assert second.startswith("int launches = 3 ")
    assert done.status == 1
    assert "the arguments of the kernel are in $_kernarg: print $_kernarg.in" in done.notes


def test_so_have_those_of_all_lanes(start: Path) -> None:
    done = run("eval", "--state", start, "--lane", "all")
    assert done.lines == [
        f"in, out, limit, t, a, r, sum: <unavailable> ({REASON})",
        "int launches:",
        "[ 0-63] 3",
    ]
    assert "the arguments of the kernel are in $_kernarg: print $_kernarg.in" in done.notes


@pytest.mark.parametrize("lane", ["3", "all"])
def test_so_have_those_of_all_waves(start: Path, lane: str) -> None:
    done = run("eval", "--state", start, "--wave", "all", "--lane", lane)
    assert done.lines[0] == f"in, out, limit, t, a, r, sum: <unavailable> ({REASON})"
    assert done.out.count(REASON) == 1
    assert done.lines[1] == "AMDGPU Wave 1:1:1:1 (0,0,0)/0:"
    assert done.out.count("AMDGPU Wave") == 2
    assert len(done.notes) == len(set(done.notes))


@pytest.mark.parametrize("lane", ["3", "all"])
def test_so_has_one_name_of_all_waves(start: Path, lane: str) -> None:
    done = run("eval", "--state", start, "--wave", "all", "--lane", lane, "t")
    assert (done.out + done.err).count(REASON) == 1
    assert "AMDGPU Wave" not in done.out


def test_waves_that_have_run_have_lines_of_their_own(start: Path) -> None:
    """Wave 1 has run its first instruction: the line of wave 2 is below the title of wave 2."""
    state = json.loads(start.read_text("utf-8"))
    state["waves"][0]["pc"] = hex(int(str(state["waves"][0]["pc"]), 0) + 4)
    later = start.with_name("one.json")
    later.write_text(json.dumps(state))
    lines = run("eval", "--state", later, "--wave", "all", "--lane", 3).lines
    titles = [index for index, line in enumerate(lines) if line.startswith("AMDGPU Wave")]
    assert [index for index, line in enumerate(lines) if REASON in line] == [titles[1] + 1]


@pytest.mark.parametrize("lane", ["3", "all"])
def test_a_wave_outside_all_code_hides_no_other(start: Path, lane: str) -> None:
    """As `thread apply all print t` of GDB, which names the thread and goes on."""
    state = json.loads(start.read_text("utf-8"))
    state["waves"][0]["pc"] = "0x10"
    outside = start.with_name("outside.json")
    outside.write_text(json.dumps(state))
    why = "MissingContext: no variable is in scope: pc 0x10 is not in any code object"
    for names in ([], ["launches"], ["launches", "t"]):
        done = run("eval", "--state", outside, "--wave", "all", "--lane", lane, *names)
        assert done.status == (names != ["launches"])  # a global variable has a value everywhere
        assert (why in done.out + done.err) == (names != ["launches"])
        assert "AMDGPU Wave 1:1:1:1 (0,0,0)/0:" in done.lines or not names
        assert "AMDGPU Wave 1:1:1:2 (1,0,0)/0:" in done.lines
        value = "launches = 3" if lane == "3" else "[ 0-63] 3"
        assert any(value in line for line in done.lines)
    record = run_json("eval", "--state", outside, "--wave", "all", "--lane", lane).json["waves"]
    assert record[0]["error"]["message"] in why and "variables" in record[1]
    done = run("lanes", "--state", outside, "--wave", "all", "t")
    assert why in done.out and "AMDGPU Wave 1:1:1:2 (1,0,0)/0" in done.out


def test_several_names_have_one_line(start: Path) -> None:
    done = run("eval", "--state", start, "--lane", 3, "t", "launches", "a", "t + 1")
    assert done.out == "launches = 3\n"
    assert f"t, a, t + 1: <unavailable> ({REASON})\n" in done.err


@pytest.mark.parametrize("text", ["t", "t + 1"])
def test_one_name_says_which_operation(start: Path, text: str) -> None:
    done = run("eval", "--state", start, "--lane", 3, text)
    assert done.error == f"{text}: Unavailable: DW_OP_fbreg at offset 0x0: {REASON}"


def test_json_has_the_reason_for_each(start: Path) -> None:
    answered = run_json("eval", "--state", start, "--lane", 3)
    by_name = {variable["name"]: variable for variable in answered.json["variables"]}
    assert {by_name[name]["error"]["message"] for name in ("in", "t", "sum")} == {REASON}
    assert "error" not in by_name["launches"]


def test_explain_gives_the_reason(start: Path) -> None:
    assert REASON in run("explain", "--state", start, "--lane", 3, "t").out


def test_a_table_of_lanes_has_the_note_below(start: Path) -> None:
    lines = run("lanes", "--state", start, "--lane", "0-3", "t", "launches").lines
    assert lines[2].split()[-2:] == ["<unavailable>", "3"]
    assert lines[6:] == [f"t: <unavailable> in lanes 0-3: {REASON}"]


def test_at_the_prompt(start: Path) -> None:
    done = run("debug", "--batch", "--state", start, "-ex", "print t + 1", "-ex", "info locals")
    assert REASON in done.err and REASON in done.out


def test_elsewhere_a_register_is_missing(start: Path) -> None:
    """The kernel has run on: that s33 is unknown is for another reason."""
    state = json.loads(start.read_text("utf-8"))
    for wave in state["waves"]:
        wave["pc"] = hex(int(str(wave["pc"]), 0) + 4)
    later = start.with_name("later.json")
    later.write_text(json.dumps(state))
    done = run("eval", "--state", later, "--lane", 3, "t")
    assert "register s33 of wave 1 is not in the state" in done.error


def test_what_the_abi_defines_is_there(start: Path) -> None:
    """Workgroup ids, work-item ids and the execution mask are: they need no instruction."""
    done = run("eval", "--state", start, "--wave", 2, "--lane", 3, "$exec", "$v0[$_lane]")
    assert done.status == 0
    assert done.out.splitlines()[0] == f"$exec = {2**64 - 1}"
