"""Several dispatches, queues and agents: `dispatch --beside`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.model.storage import Memory
from tests.cli.command import FIXTURES, STATES, run, run_json, validator

NEST = FIXTURES / "hip/nest.gfx942.O0.v5.co"
LDS = FIXTURES / "opencl/kernels.gfx942.O2.v5.co"
ARGUMENTS = ("--arg", "in=zeros:64", "--arg", "out=buffer:64", "--arg", "limit=3")


def dispatch(state: Path, *arguments: object) -> State:
    done = run("dispatch", *arguments, "--save", state)
    assert done.status == 0, done.err
    validator("state-2").validate(json.loads(state.read_text("utf-8")))
    return load_state(state)


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Two dispatches on an agent and one on another, saved in two folders."""
    first, all_of_them = tmp_path / "a" / "one.json", tmp_path / "b" / "three.json"
    first.parent.mkdir()
    all_of_them.parent.mkdir()
    dispatch(first, NEST, *ARGUMENTS, "--grid", 100, "--workgroup", 50)
    dispatch(
        all_of_them, LDS, "lds", "--arg", "0=buffer:64", "--grid", 64, "--workgroup", 64,
        "--beside", first,
    )  # fmt: skip
    dispatch(
        all_of_them, NEST, *ARGUMENTS, "--grid", 64, "--workgroup", 64, "--beside", all_of_them,
        "--agent", 2,
    )  # fmt: skip
    return all_of_them


def test_ids_and_positions_of_waves(three: Path) -> None:
    waves = run_json("waves", "--state", three).json["waves"]
    assert [(wave["target_id"], wave["kernel"]) for wave in waves] == [
        ("AMDGPU Wave 1:1:1:1 (0,0,0)/0", "nest"),
        ("AMDGPU Wave 1:1:1:2 (1,0,0)/0", "nest"),
        ("AMDGPU Wave 1:2:2:3 (0,0,0)/0", "lds"),
        ("AMDGPU Wave 2:3:3:4 (0,0,0)/0", "nest"),
    ]
    assert [wave["function"] for wave in waves] == ["nest", "nest", "lds", "nest"]


def test_each_has_memories_of_its_own(three: Path) -> None:
    state = load_state(three)
    objects = [queue.object_address for queue in state.machine.queues.values()]
    kernargs = [dispatch.kernarg for dispatch in state.machine.dispatches.values()]
    assert len({*objects, *kernargs}) == 6
    apertures = [state.target.apertures_of(wave.wave) for wave in state.waves]
    scratch = [
        range(aperture.scratch_base, aperture.scratch_base + (aperture.scratch_bytes or 0))
        for aperture in apertures
        if aperture.scratch_base is not None
    ]
    assert len(scratch) == 3
    for one in scratch:
        assert sum(one.start in other for other in scratch) == 1
    assert [aperture.local_bytes for aperture in apertures] == [0, 0, 512, 0]
    local = state.architecture.address_space(3)
    state.target.set_memory(Memory(local, 3), 0, b"\1\2\3\4")
    for wave in (1, 4):
        with pytest.raises(Unavailable, match="beyond the 0 bytes of the workgroup"):
            state.target.read_memory(Memory(local, wave), 0, 4)


def test_code_is_loaded_once(three: Path) -> None:
    state = load_state(three)
    assert [code_object.path.resolve() for code_object in state.code_objects] == [NEST, LDS]
    assert len({code_object.load_address for code_object in state.code_objects}) == 2
    pcs = [wave.pc for wave in state.waves]
    assert (pcs[0], pcs[0] == pcs[3], pcs[0] == pcs[2]) == (pcs[1], True, False)
    result = run_json("eval", "--state", three, "--wave", "all", "--lane", 3, "$v0[$_lane]").json
    assert [wave["data"] for wave in result["waves"]] == [3, 3, 3, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--beside", STATES / "dispatch.gfx1100.json"),
            "the kernel is for gfx942, wave64; the waves of the state are of gfx1100, wave32",
        ),
        (
            ("--beside", STATES / "nest.gfx942.O0.json"),
            "the state has no agent: a dispatch can only be added to a machine",
        ),
        (("--agent", 2), "--agent needs a machine; give --beside STATE"),
        (("--beside", "/nowhere.json"), "/nowhere.json cannot be read: No such file"),
    ],
)
def test_refused(tmp_path: Path, arguments: tuple[object, ...], message: str) -> None:
    saved = ("--save", tmp_path / "x.json")
    done = run("dispatch", NEST, *ARGUMENTS, "--grid", 64, "--workgroup", 64, *arguments, *saved)
    assert message in done.error
    assert done.status == 2
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("workgroups", [], "the state has no workgroup: a dispatch can only be added to a machine"),
        (
            "queues",
            [{"id": 1, "agent": 1}, {"id": (1 << 64) - 1, "agent": 1}],
            "no number is free after 18446744073709551615",
        ),
    ],
)
def test_a_machine_that_cannot_be_added_to(
    tmp_path: Path, member: str, value: object, message: str
) -> None:
    before = tmp_path / "before.json"
    dispatch(before, NEST, *ARGUMENTS, "--grid", 64, "--workgroup", 64)
    before.write_text(json.dumps({**json.loads(before.read_text("utf-8")), member: value}))
    done = run("dispatch", NEST, *ARGUMENTS, "--grid", 64, "--workgroup", 64, "--beside", before,
               "--save", tmp_path / "x.json")  # fmt: skip
    assert message in done.error


def test_it_must_be_saved() -> None:
    done = run("dispatch", NEST, *ARGUMENTS, "--grid", 64, "--workgroup", 64,
               "--beside", STATES / "dispatch.gfx1100.json")  # fmt: skip
    assert done.error == "--beside: the new state must be saved; give --save STATE"
