"""JSON answers of stops: why a wave stopped and in which lanes, as in the text and `run --json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import FIXTURES, run, run_json, validate

CODE = FIXTURES / "run"
_DEADLOCK = (CODE / "deadlock.gfx1200.O0.v5.co", "deadlock", "--grid", 96, "--workgroup", 96,
             "--arg", "out=zeros:384")  # fmt: skip
_HISTOGRAM = (CODE / "integers.gfx942.O0.v5.co", "histogram", "--grid", 128, "--workgroup", 128,
              "--arg", "a=range:128", "--arg", "b=range:128", "--arg", "out=zeros:64")  # fmt: skip
_CHASE = (CODE / "integers.gfx942.O0.v5.co", "pointer_chase", "--grid", 64, "--workgroup", 64,
          "--arg", "0=range:64", "--arg", "1=zeros:64", "--arg", "2=zeros:256")  # fmt: skip


def dispatched(dispatch: tuple[object, ...], *commands: str) -> list[Any]:
    """The answers to commands about a dispatch."""
    code, kernel, *options = dispatch
    return answers(code, "--dispatch", kernel, *options, commands=commands)


def answers(*options: object, commands: tuple[str, ...]) -> list[Any]:
    words = [word for line in commands for word in ("-ex", line)]
    done = run("debug", *options, "--heuristic", "--batch", "--interpreter=json", *words)
    documents = [json.loads(line) for line in done.out.splitlines()]
    for document in documents:
        validate(document)
    return documents


def without_wave(stop: dict[str, Any]) -> dict[str, Any]:
    return {key: stop[key] for key in ("reason", "text", "lanes")}


@pytest.mark.parametrize(
    ("dispatch", "name", "meaning"),
    [(_CHASE, "SIGSEGV", "Segmentation fault"), (_DEADLOCK, "SIGABRT", "Aborted")],
    ids=["fault", "deadlock"],
)
def test_a_stop_has_the_keys_of_run(dispatch: tuple[object, ...], name: str, meaning: str) -> None:
    """The meanings of signals are those of GDB 13.1."""
    ran = run_json("run", *dispatch).json["stop"]
    stop, program = dispatched(dispatch, "run", "info program")
    assert stop["stop"] == without_wave(ran)
    assert [{**place, "pc": int(place["pc"], 16)} for place in stop.get("barrier", [])] == (
        ran["barrier"]
    )
    assert stop["reason"] == "signal-received"
    assert (stop["signal-name"], stop["signal-meaning"]) == (name, meaning)
    assert (program["current-thread-id"], program["addr"]) == (ran["wave"], f"{ran['pc']:#x}")
    for key in ("reason", "signal-name", "signal-meaning", "stop", "barrier"):
        assert program.get(key) == stop.get(key), key


def test_a_caught_fault_has_its_signal() -> None:
    _, stop = dispatched(_CHASE, "catch fault", "run")
    assert (stop["reason"], stop["bkptno"], stop["disp"]) == ("signal-received", 1, "keep")
    assert stop["signal-name"] == "SIGSEGV"
    assert stop["stop"]["reason"] == "MEMORY_VIOLATION"


def test_what_a_state_leaves_out(tmp_path: Path) -> None:
    state = tmp_path / "middle.json"
    dispatched(_HISTOGRAM, "break 201", "run", f"save {state}")
    document = json.loads(state.read_text("utf-8"))
    del document["waves"][0]["registers"]["v2"]
    document.pop("fill", None)
    state.write_text(json.dumps(document), "utf-8")
    ran = run_json("run", "--state", state).json["stop"]
    assert ran["reason"] == "UNAVAILABLE"
    [stop] = answers("--state", state, commands=("c",))
    assert stop["stop"] == without_wave(ran)
    assert (stop["signal-name"], stop["signal-meaning"]) == ("SIGTRAP", "Trace/breakpoint trap")


def test_a_wave_that_waits_stops_without_a_signal() -> None:
    """Signal 0 has the name `0` in GDB (signals.def)."""
    commands = ("set scheduler-locking on", "break *$pc", "run", "c", "info program")
    *_, stop, program = dispatched(_DEADLOCK, *commands)
    assert (stop["signal-name"], stop["signal-meaning"]) == ("0", "Signal 0")
    text = "waits at a barrier for waves that scheduler-locking does not run"
    assert stop["stop"] == {"reason": "WAITING", "text": text, "lanes": []}
    assert [place["waves"] for place in stop["barrier"]] == [[1], [2, 3]]
    assert program["stop"] == stop["stop"]
    code, kernel, *options = _DEADLOCK
    words = [word for line in commands for word in ("-ex", line)]
    lines = run("debug", code, "--dispatch", kernel, *options, "--batch", *words).lines
    assert f"It stopped: {text}." in lines


@pytest.mark.parametrize(
    ("condition", "lanes"),
    [
        ("", list(range(64))),
        (" if t == 21", [21]),
        (" if t % 32 == 3 || t == 4", [3, 4, 35]),
    ],
)
def test_the_lanes_of_a_breakpoint(condition: str, lanes: list[int]) -> None:
    _, stop, program, _ = dispatched(
        _HISTOGRAM, f"tbreak 201{condition}", "run", "info program", "info breakpoints"
    )
    assert (stop["reason"], stop["disp"], stop["bkptno"]) == ("breakpoint-hit", "del", 1)
    assert stop["stop"] == program["stop"] == {"lanes": lanes}
    assert (program["reason"], program["bkptno"]) == ("breakpoint-hit", 1)


def test_the_lanes_of_a_watchpoint() -> None:
    """Of an element of LDS that lanes with the same remainder of 16 increment."""
    *_, first, second, program = dispatched(
        _HISTOGRAM, "break 201", "run", "delete", "watch counts[3]", "c", "c", "info program"
    )
    assert first["stop"] == {"lanes": [3]}
    assert second["stop"] == program["stop"] == {"lanes": [3, 19, 35, 51]}
    assert second["wpt"] == {"number": 2, "exp": "counts[3]"}
    assert second["value"] == program["value"] == {"old": "0", "new": "4"}


def test_several_watchpoints_of_a_stop() -> None:
    *_, stop, program = dispatched(
        _HISTOGRAM, "break 201", "run", "delete", "watch counts[3]", "watch counts[5]", "c", "c",
        "info program",
    )  # fmt: skip
    value = {"old": "0", "new": "4"}
    assert stop["stop"] == program["stop"] == {
        "lanes": [3, 19, 35, 51],
        "hits": [
            {"number": 2, "lanes": [3, 19, 35, 51], "value": value},
            {"number": 3, "lanes": [5, 21, 37, 53], "value": value},
        ],
    }  # fmt: skip
    assert stop["wpnum"] == 2


def test_a_location_of_several() -> None:
    """GDB 13.1 has `locno` where there are several: here one for each inlined call."""
    dispatch = (
        CODE / "integers.gfx942.O2.v5.co", "reduce", "--grid", 128, "--workgroup", 64,
        "--arg", "0=range:128", "--arg", "1=range:128", "--arg", "2=zeros:512",
    )  # fmt: skip
    commands = ("break barrier", "run", "disable 1.1", "c", "info breakpoints")
    _, first, _, second, listed = dispatched(dispatch, *commands)
    [breakpoint] = listed["breakpoints"]
    for stop, number in ((first, 1), (second, 2)):
        location = breakpoint["locations"][stop["locno"] - 1]
        assert (stop["bkptno"], location["number"]) == (1, f"1.{number}")
        assert stop["frame"]["addr"] == location["addr"]


def test_a_step_has_nothing_more() -> None:
    *_, started, step, stepped, ended, program = dispatched(
        _HISTOGRAM, "starti", "info program", "stepi", "info program", "c", "info program"
    )
    assert started.keys() == {
        "schema", "command", "result", "current-thread-id", "target-id", "addr",
    }  # fmt: skip
    assert step["reason"] == stepped["reason"] == "end-stepping-range"
    assert "stop" not in step and "stop" not in stepped
    assert ended["reason"] == "exited" and "reason" not in program


@pytest.mark.parametrize(
    ("dispatch", "commands", "lane"),
    [
        (_HISTOGRAM, ("starti",), 0),
        (_HISTOGRAM, ("tbreak 201 if t == 21", "run"), 21),
        (_HISTOGRAM, ("tbreak 201", "run", "lane 5", "stepi"), 5),
        (_HISTOGRAM, ("tbreak 201", "run", "lane 5", "next"), 5),
        (_HISTOGRAM, ("tbreak 200", "run", "lane 5", "until 201"), 5),
        (_HISTOGRAM, ("break 201", "run", "delete", "watch counts[3]", "c"), 3),
        (_CHASE, ("run",), 16),  # the first one behind the 16 elements of b
    ],
    ids=["start", "condition", "instruction", "line", "location", "watchpoint", "fault"],
)
def test_a_stop_has_the_lane_in_focus(
    dispatch: tuple[object, ...], commands: tuple[str, ...], lane: int
) -> None:
    """With the target id that ROCgdb gives a lane."""
    *_, stop, program = dispatched(dispatch, *commands, "info program")
    assert (stop["thread-id"], stop["current-lane-id"]) == (1, lane)
    assert stop["target-id"] == f"AMDGPU Lane 1:1:1:1/{lane} (0,0,0)[{lane},0,0]"
    assert program["target-id"] == "AMDGPU Wave 1:1:1:1 (0,0,0)/0"


def test_a_program_that_is_not_being_run() -> None:
    """GDB's words; `info program` has no other answer then."""
    before, *_, killed, _, ended = dispatched(
        _HISTOGRAM, "info program", "starti", "kill", "info program", "run", "info program"
    )
    for answer in (before, killed, ended):
        assert answer["console"] == ["The program being debugged is not being run."]
