"""A core around each kernel of the fixtures shows what its state shows: variables and frames.

Registers that a state does not know are 0 in a core; so what the state shows whole is compared.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.service.core_of_state import write_core_of_state
from tests.cli.command import STATES, run, run_json

NAMES = sorted(
    path.stem
    for path in STATES.glob("*.json")
    if json.loads(path.read_text("utf-8"))["architecture"].startswith("gfx")
)


def written(name: str, folder: Path) -> Path:
    state, path = load_state(STATES / f"{name}.json"), folder / f"{name}.core"
    objects = [CodeObject.open(each.path, each.load_address) for each in state.code_objects]
    pcs = {each.wave: each.pc for each in state.waves}
    write_core_of_state(path, state.target, pcs, objects)
    return path


def is_whole(variable: dict[str, Any]) -> bool:
    return "error" not in variable and variable.get("unavailable_bits") == []


@pytest.mark.parametrize("name", NAMES)
def test_variables_and_frames(name: str, tmp_path: Path) -> None:
    path, state = written(name, tmp_path), load_state(STATES / f"{name}.json")
    compared = 0
    for number, wave in enumerate(state.waves[:2], 1):
        for lane in (0, 3):
            live, core = (
                run_json("eval", *given, "--lane", lane).json
                for given in (
                    ("--state", STATES / f"{name}.json", "--wave", wave.wave),
                    ("--core", path, "--wave", number),
                )
            )
            pairs = zip(live.get("variables", ()), core.get("variables", ()), strict=True)
            for variable, seen in pairs:
                if is_whole(variable):
                    assert seen["name"] == variable["name"]
                    assert (seen["type"], seen["bytes"]) == (variable["type"], variable["bytes"])
                    assert seen["text"] == variable["text"]
                    compared += 1
        live_frames, frames = (
            run("bt", *given).lines
            for given in (
                ("--state", STATES / f"{name}.json", "--wave", wave.wave),
                ("--core", path, "--wave", number),
            )
        )
        if wave.pc is not None and live_frames and "unavailable" not in live_frames[0]:
            first = next(line for line in frames if line.startswith("#0"))
            assert first == next(line for line in live_frames if line.startswith("#0"))
    assert compared, "nothing was compared"


def test_the_prompt_writes_a_core(tmp_path: Path) -> None:
    path = tmp_path / "k.core"
    state = STATES / "call.gfx942.O0.json"
    done = run(
        "debug", "--state", state, "--batch", "-ex", f"generate-core-file {path}",
        "-ex", f"core-file {path}", "-ex", "print table",
    )  # fmt: skip
    assert f"Saved corefile {path}" in done.lines
    live = run("debug", "--state", state, "--batch", "-ex", "print table").lines[-1]
    assert done.lines[-1].partition("=")[2] == live.partition("=")[2]
