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
from tests.cli.command import STATES, run, run_json, validate

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


def test_a_wave_is_saved_as_a_state(tmp_path: Path) -> None:
    core, path = written("dispatch.gfx1100", tmp_path), tmp_path / "one.json"
    done = run("waves", "--core", core, "--save", path, "--wave", 2)
    assert done.status == 0 and done.lines == [f"saved wave 2 in {path}"]
    [row] = run_json("waves", "--state", path).json["waves"]
    of_core = run_json("waves", "--core", core).json["waves"][1]
    for name in ("pc", "kernel", "workgroup_coord", "wave_number_in_workgroup", "active_lanes"):
        assert row[name] == of_core[name]
    for register in ("$v0", "$exec", "$s0", "$ttmp8"):
        asked = (register, "--wave", 2)
        assert run("eval", "--state", path, *asked).out == run("eval", "--core", core, *asked).out
    document = json.loads(path.read_text("utf-8"))
    assert not document["memory"], "nothing of the rest of the memory"
    done = run("waves", core, "--save", path, "--wave", 2, "--memory", "0x7e0000002080,8")
    assert done.status == 0
    assert len(json.loads(path.read_text("utf-8"))["memory"]) == 1


def test_every_command_looks_at_the_first_active_lane_of_a_core(tmp_path: Path) -> None:
    core = written("call.gfx942.O0", tmp_path)
    lane = "thread 1, lane 0 (AMDGPU Lane 1:1:?:1/0 (?,?,?)[?,?,?]): the first active lane"
    done = run("eval", core, "n")
    assert done.lines == ["n = 5"] and lane in done.err
    assert run("explain", core, "n").lines[-2] == "=> n = 5"
    assert run("location", core, "n").lines[-1].endswith("(wave 1, lane 0)")
    done = run("bt", core)
    assert "[Current thread is 1, lane 0 (AMDGPU Lane 1:1:?:1/0 (?,?,?)[?,?,?])]" in done.lines
    assert any(line.startswith("#0  inner (cell=") and "n=5)" in line for line in done.lines)
    assert run("eval", core, "--lane", "3", "n").err.count("first active") == 0


def test_where_and_convert_take_a_core(tmp_path: Path) -> None:
    core = written("call.gfx942.O0", tmp_path)
    done = run("where", core, "n")
    assert done.lines[0] == "parameter int n, declared at line 6 of inner"
    assert "note: in the scopes at 0x1f98, where thread 1 is" in done.err
    of_outer = run("where", "--core", core, "--function", "outer", "n")
    assert of_outer.lines[0] == "parameter int n, declared at line 15 of outer"
    assert run("where", "--all", core).lines[0].startswith("inner: ")
    assert run("where", core, "--wave", 9, "n").error.startswith("--thread 9: the core has no such")
    found = run_json("convert", "--core", core, "private_lane#0x10", "--lane", 3).json
    validate(found)
    by_space = {each["space"]: each.get("address") for each in found["conversions"]}
    assert by_space["private_wave"] == 0x40C
    assert by_space["global"] == found["apertures"]["scratch_base"] + 0x40C
    refused = run("convert", "local#0", "--core", core, "--wave", 7).error
    assert refused == "--thread 7: the core has no such thread; it has 1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--save", "X", "--wave", 9), "--wave 9: the core has no such wave"),
        (("--wave", 1), "--wave says what --save FILE writes"),
        (("--save", "X", "--memory", "5"), "--memory 5: expected ADDRESS,SIZE"),
        (("--kernel", "x"), "--kernel x: the waves are of diverge"),
    ],
)
def test_wrong_requests_about_waves(
    tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    done = run("waves", "--core", written("dispatch.gfx1100", tmp_path), *arguments)
    assert message in done.error


def test_waves_of_a_kernel_and_those_that_failed(tmp_path: Path) -> None:
    core = written("dispatch.gfx1100", tmp_path)
    assert len(run("waves", core, "--kernel", "diverge").lines) == 6
    assert len(run("waves", core, "--faulty").lines) == 1
    lines = run("waves", core).lines
    assert lines[0] == "5 waves on gfx1100, none faulty"
    assert lines[1] == "  5 waves of diverge in item () at opencl/kernels.cl:26, threads 1-5"
