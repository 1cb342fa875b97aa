"""Cores and states open at the lane for which a wave stopped, whichever command opens them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, run_json, validate

CORE = ("--core", FIXTURES / "core/loop.gfx942.core.xz", "--sysroot", FIXTURES / "opencl")
FAILURE = [
    "Thread 4 (AMDGPU Wave 1:1:1:4 (3,0,0)/0) stopped because of memory_violation (SIGSEGV).",
    "Lane 63 loads 4 bytes at 0x7e00000076b0: nothing is mapped there.",
    "The instruction is global_load_dword v1, v[2:3], off at 0x7f0000003b98.",
]
LANE = "thread 4, lane 63 (AMDGPU Lane 1:1:1:4/63 (3,0,0)[63,0,0])"


def test_every_command_starts_at_the_lane_that_failed() -> None:
    assert run("info", *CORE).lines[1:4] == FAILURE
    done = run("bt", *CORE)
    assert done.lines[:3] == FAILURE
    assert done.lines[3] == f"[Current {LANE.replace('thread', 'thread is')}]"
    done = run("eval", *CORE, "t+i")
    assert done.lines == ["t+i = 300"]
    assert f"{LANE}: the first lane that failed; --lane chooses another one" in done.err
    assert run("explain", *CORE, "t").lines[-2:-1] == ["=> t = 255"]
    assert run("location", *CORE, "t").lines[-1].endswith("(wave 4, lane 63)")
    assert run("eval", *CORE, "--lane", 0, "t+i").lines == ["t+i = 237"]
    done = run("debug", *CORE, "--batch", "-ex", "print t+i", "-ex", "thread 1", "-ex", "thread 4")
    assert done.lines[:3] == FAILURE
    assert "$1 = 300" in done.lines
    switches = [line for line in done.lines if line.startswith("[Switching")]
    assert "lane 0 (" in switches[0] and "lane 63 (" in switches[1]
    assert run_json("bt", *CORE).json["lane"] == 63


@pytest.fixture
def stopped_state(tmp_path: Path) -> Path:
    """A state with two lanes for which its wave stopped."""
    state = json.loads((FIXTURES / "states/locations.gfx942.json").read_text("utf-8"))
    state["schema"] = "dwarfgpu-state-2"
    for code_object in state["code_objects"]:
        code_object["path"] = str(FIXTURES / "states" / code_object["path"])
    state["waves"][0] |= {"stop_lanes": [3, 5], "stop_reasons": ["memory_violation"]}
    file = tmp_path / "stopped.json"
    file.write_text(json.dumps(state), "utf-8")
    return file


def test_every_command_starts_at_the_lane_of_a_state(stopped_state: Path) -> None:
    lane = "thread 0, lane 3 (AMDGPU Lane ?:?:?:0/3 (?,?,?)[?,?,?])"
    note = f"note: {lane}: the first lane for which it stopped; --lane chooses another one"
    at = ("--state", stopped_state, "--pc", "0x1620")
    done = run("eval", *at, "two_places")
    assert (done.lines, done.err) == (["two_places = 6003"], f"{note}\n")
    assert "=> two_places = 6003" in run("explain", *at, "two_places").lines
    assert run("location", *at, "two_places").lines[-1].endswith("(wave 0, lane 3)")
    assert run("eval", *at[:2], "--wave", "all", "$_lane").lines[1] == "$_lane = 3"
    assert run("eval", *at[:2], "--hex", "e903").err == f"{note}\n"
    done = run("convert", *at[:2], "private_lane#0x10", "--to", "private_wave")
    assert done.lines == ["private_wave#0x40c, the same memory for 0x4 bytes"]
    assert done.err == f"{note}\n"
    done = run("eval", *at[:2], "--lane", 5, "$_lane")
    assert (done.lines, done.err) == (["$_lane = 5"], "")


def test_a_state_that_names_no_lane_has_none() -> None:
    state = ("--state", FIXTURES / "states/locations.gfx942.json")
    for command in ("eval", "explain", "location"):
        done = run(command, *state, "--pc", "0x1620", "two_places")
        assert done.status == 1 and "the context has no lane" in done.out + done.err
        assert "give --lane N" in done.out + done.err
    assert (
        "the context has no lane; give --lane N"
        in run("convert", *state, "private_lane#0x10", "--to", "private_wave").err
    )


def test_a_state_in_which_no_wave_has_failed() -> None:
    done = run("waves", "--state", FIXTURES / "states/wave32.gfx1100.json", "--faulty")
    assert done.out == "No wave has failed.\n"


def test_the_table_and_the_data_have_the_address() -> None:
    title, line = run("waves", *CORE, "--faulty").lines
    assert "Failed access" in title and " 63: 0x7e00000076b0 " in line
    answer = run_json("waves", *CORE)
    validate(answer.json)
    accesses = [wave["failed_access"] for wave in answer.json["waves"]]
    assert accesses[:3] == [None] * 3
    assert accesses[3] == {
        "pc": "0x7f0000003b98",
        "instruction": "global_load_dword v1, v[2:3], off",
        "verb": "loads",
        "size_bytes": 4,
        "lanes": [{"lane": 63, "address": "0x7e00000076b0", "reason": "nothing is mapped there"}],
        "note": None,
    }


def test_values_that_are_given_are_taken() -> None:
    """They go over what the core has."""
    assert "lane 0 (" in run("eval", *CORE, "t", "--reg", "v2=[0x7200]").err


@pytest.mark.parametrize("level", ["O0", "O2"])
@pytest.mark.parametrize("processor", ["gfx90a", "gfx942", "gfx1100"])
def test_the_core_of_a_run_opens_where_the_run_stopped(
    processor: str, level: str, tmp_path: Path
) -> None:
    file = FIXTURES / f"opencl/kernels.{processor}.{level}.v5.co"
    core = tmp_path / "loop.core"
    done = run(
        "run", file, "loop", "--grid", "256", "--workgroup", "64",
        "--arg", "in=zeros:1200", "--arg", "out=zeros:1024", "--arg", "n=100", "--core", core,
    )  # fmt: skip
    assert "MEMORY_VIOLATION" in done.out + done.err
    [wave] = [wave for wave in run_json("waves", core).json["waves"] if wave["is_faulty"]]
    lane = wave["failed_access"]["lanes"][0]["lane"]
    assert f"lane {lane} " in done.out + done.err, "as the run reports it"
    assert f", lane {lane} (AMDGPU" in run("bt", core).out
