"""Registers in a state that its processor does not have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import PartlyUnavailable, Unavailable, UsageError, WhollyUnavailable
from dwarfgpu.machine.sparse_memory import NOT_IN_STATE
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.machine.state.register_bytes import RegisterBytes, missing_bytes
from dwarfgpu.machine.state.state_target import StateTarget
from tests.cli.command import run, run_json


def path_of(folder: Path, architecture: str, lanes: int, *waves: dict[str, Any]) -> Path:
    path = folder / "state.json"
    document = {
        "schema": "dwarfgpu-state-1",
        "architecture": architecture,
        "wave_size": lanes,
        "waves": [{"registers": wave} for wave in waves],
    }
    path.write_text(json.dumps(document), "utf-8")
    return path


def word(state: State, name: str) -> int:
    register = state.architecture.register_named(name)
    assert register is not None
    return int.from_bytes(state.target.read_register(0, register), "little")


@pytest.mark.parametrize(
    ("architecture", "lanes", "name", "value"),
    [
        ("gfx1030", 32, "xnack_mask", "0xffffffff"),
        ("gfx1100", 32, "xnack_mask", 0),
        ("gfx1200", 32, "xnack_mask", {"bytes": "00" * 8}),
        ("gfx1200", 64, "trapsts", 1),
        ("gfx1100", 64, "state_priv", 1),
        ("gfx942", 64, "scratch_base_lo", None),  # not even a value that a register can have
        ("gfx1100", 32, "a3", [1, 2]),
        ("gfx942", 64, "v256", [1]),
        ("gfx900", 64, "s105", 1),
    ],
)
def test_a_register_of_another_gpu_is_left_out(
    tmp_path: Path, architecture: str, lanes: int, name: str, value: Any
) -> None:
    path = path_of(tmp_path, architecture, lanes, {name: value, "s4": 7}, {name: value})
    state = load_state(path)
    assert word(state, "s4") == 7
    assert state.notes == (
        f"{architecture} in wave{lanes} has no register {name}: that of wave 0 and 1 more is "
        f"ignored",
    )


def test_a_register_that_no_gpu_has_is_refused(tmp_path: Path) -> None:
    path = path_of(tmp_path, "gfx1030", 32, {"xnack_musk": 0})
    with pytest.raises(UsageError, match="waves.0..registers.xnack_musk: gfx1030 has no register"):
        load_state(path)


def test_one_integer_for_all_lanes_has_a_note(tmp_path: Path) -> None:
    """It is the whole register, as the format says: 0, or the sign, in the lanes from 1 on."""
    first = {"v3": "0x5", "v4": -1, "v5": 1 << 40, "v6": [7], "s4": 7}
    state = load_state(path_of(tmp_path, "gfx942", 64, first, {"v3": 6}))
    meant = (
        "it is all 2048 bits of the register, not the value of each lane; a list has a value for"
    )
    assert state.notes == (
        f"one integer is given for v3 of wave 0 and 1 more: {meant} each lane",
        f"one integer is given for v4 of wave 0: {meant} each lane",
    )
    register = state.architecture.register_named("v3")
    assert register is not None
    assert state.target.read_register(0, register) == bytes([5, *bytes(255)])


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("as_text", [False, True])
def test_one_integer_has_as_many_bits_as_the_register(
    tmp_path: Path, lanes: int, as_text: bool
) -> None:
    def written(number: int) -> int | str:
        return hex(number) if as_text else number

    numbers = {"v3": 1 << 164, "v4": (1 << 32 * lanes) - 1, "v5": -1 << 32 * lanes - 1}
    registers = {name: written(number) for name, number in numbers.items()}
    state = load_state(path_of(tmp_path, "gfx1030" if lanes == 32 else "gfx90a", lanes, registers))
    assert state.notes == ()
    for name, number in numbers.items():
        data = state.target.read_register(0, state.architecture.by_name[name])
        assert int.from_bytes(data, "little") == number % (1 << 32 * lanes)
    for number in (1 << 32 * lanes, (-1 << 32 * lanes - 1) - 1):
        path = path_of(tmp_path, "gfx1030" if lanes == 32 else "gfx90a", lanes,
                       {"v3": written(number)})  # fmt: skip
        with pytest.raises(UsageError, match=f"an integer of at most {32 * lanes} bits"):
            load_state(path)


def test_commands_print_it(tmp_path: Path) -> None:
    path = path_of(tmp_path, "gfx1030", 32, {"xnack_mask": 0, "s4": 7})
    note = "gfx1030 in wave32 has no register xnack_mask: that of wave 0 is ignored"
    done = run("eval", "--state", path, "regx s4; deref_size 4")
    assert (done.out, done.err) == ("7\n", f"note: {note}\n")
    assert f"note: {note}" in run("waves", "--state", path).err
    assert note in run_json("waves", "--state", path).json["notes"]
    assert f"note: {note}" in run("debug", "--state", path, "-batch").err


def test_lanes_of_a_register_that_has_none_or_fewer() -> None:
    gpu = architecture("gfx942")
    target = StateTarget(gpu)
    target.add_wave(0)
    with pytest.raises(UsageError, match="s4 is not a vector register: set_register makes it"):
        target.set_lanes(0, gpu.by_name["s4"], [1])
    with pytest.raises(UsageError, match="65 values for register v3 of 64 lanes"):
        target.set_lanes(0, gpu.by_name["v3"], [1] * 65)
    with pytest.raises(UsageError, match="too many values for register v3 of 64 lanes"):
        target.set_lanes(0, gpu.by_name["v3"], range(1 << 64))


@pytest.mark.parametrize("lanes", [range(1 << 64), range(10**9), [3, 64], [-1]])
def test_names_of_lanes_that_a_wave_does_not_have(lanes: Sequence[int]) -> None:
    """They were answered, and of a large range memory ended."""
    target = StateTarget(architecture("gfx942"))
    target.add_wave(0)
    number = next(lane for lane in lanes if not 0 <= lane < 64)
    with pytest.raises(UsageError, match=f"lane {number}: the wave has 64 lanes, from 0"):
        target.lane_target_ids(0, lanes)
    with pytest.raises(UsageError, match=f"lane {number}: the wave has 64 lanes, from 0"):
        target.target_id(0, number)


def test_a_register_number_of_another_type() -> None:
    named = architecture("gfx942").other_wave_register
    assert named is not None
    with pytest.raises(UsageError, match="number: expected an integer, not an object of bytearray"):
        named(bytearray(b"1"))  # type: ignore[arg-type]


def test_a_lane_without_a_value_becomes_unknown() -> None:
    """As in a state file; before, the value of an earlier call stayed."""
    gpu = architecture("gfx942")
    target, register = StateTarget(gpu), gpu.by_name["v3"]
    target.add_wave(0)
    target.set_lanes(0, register, [None, None])
    assert "v3" not in target.waves[0]
    target.set_lanes(0, register, [-1] * 64)
    target.set_lanes(0, register, [1, None, 3])
    assert target.read_register(0, register, 0, 4) == b"\1\0\0\0"
    assert target.read_register(0, register, 8, 8) == b"\3\0\0\0\xff\xff\xff\xff"
    with pytest.raises(WhollyUnavailable, match="bytes 4 to 7"):
        target.read_register(0, register, 4, 4)
    target.set_lanes(0, register, [None] * 64)
    with pytest.raises(WhollyUnavailable, match="bytes 0 to 3"):
        target.read_register(0, register, 0, 4)


@pytest.mark.parametrize(
    ("known", "first", "end", "kind"),
    [
        (b"\0\0\0\0", 0, 4, WhollyUnavailable),  # its bytes need not be read one by one
        (b"\xff\0\0\0", 1, 4, WhollyUnavailable),
        (b"\xff\0\0\0", 0, 4, Unavailable),
        (b"\x0f\0\0\0", 0, 1, PartlyUnavailable),
    ],
)
def test_unknown_bytes_say_whether_any_bit_is_known(
    known: bytes, first: int, end: int, kind: type[Unavailable]
) -> None:
    register = architecture("gfx942").register("s0")
    stored = RegisterBytes(b"\1\0\0\0", known)
    error = missing_bytes(0, register, NOT_IN_STATE, stored, first, end)
    assert type(error) is kind
    assert error.message.startswith("register s0 of wave 0 is not in the state, byte")
