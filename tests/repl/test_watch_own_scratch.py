"""Watchpoints on private memory of a state that does not say where that is in global memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run

KERNEL = (
    "debug", FIXTURES / "hip/call.gfx942.O0.v5.co", "--dispatch", "call", "--grid", 128,
    "--workgroup", 128, "--scratch", 4096, "--arg", "out=zeros:512", "--batch",
)  # fmt: skip
LAST = {"space": "private_wave", "address": 0xFFFC, "bytes": "00000000"}
"""Private memory ends behind it."""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two waves, the first one in `outer`, whose `local` its callee adds 1 to."""
    path = tmp_path_factory.mktemp("scratch") / "s.json"
    run(*KERNEL, "-ex", "break call.hip:17", "-ex", "run", "-ex", f"save {path}")
    return path


def own_scratch(saved: Path) -> Path:
    """The same state with the private memory of each wave by its own addresses."""
    state = json.loads(saved.read_text())
    for wave in state["waves"]:
        scratch = wave.pop("scratch")
        begin = int(scratch["address"], 16)
        moved = {item["address"]: int(item["address"], 16) - begin for item in state["memory"]}
        own = [item for item in state["memory"] if 0 <= moved[item["address"]] < scratch["size"]]
        state["memory"] = [item for item in state["memory"] if item not in own]
        wave["memory"] = [
            {**item, "space": "private_wave", "address": moved[item["address"]]} for item in own
        ] + [LAST]
    path = saved.with_name("own.json")
    path.write_text(json.dumps(state))
    return path


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("watch", ["Old value = 10", "New value = 11", "Old value = 11", "New value = 12"]),
        ("rwatch", ["Value = 10"] * 4),
        ("awatch", ["Value = 10"] * 4),
    ],
)
def test_watchpoints_stop_as_in_global_memory(saved: Path, kind: str, values: list[str]) -> None:
    """And accesses of the other wave, at the same addresses of its own memory, are none."""
    commands = ["thread 1", f"{kind} local", "c", "c", "c", "c"]
    results = []
    for path in (saved, own_scratch(saved)):
        done = run("debug", "--state", path, "--batch",
                   *(word for command in commands for word in ("-ex", command)))  # fmt: skip
        stops = [line for line in done.lines if " hit Hardware " in line]
        assert stops and all(line.startswith("Thread 1 hit ") for line in stops)
        assert [line for line in done.lines if "alue = " in line] == values
        results.append(done.out)
    assert results[0] == results[1]
