"""What no rule of the ABI and no instruction has written is unknown, and is not zero."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwarfgpu.machine.simulated.launch.machine_of_dispatch import buffers, machine_of_dispatch
from dwarfgpu.machine.simulated.storage.undefined_numbers import FILL, Undefined, known_bits
from dwarfgpu.options.opened_launch import prepare_run
from tests.cli.command import FIXTURES, run
from tests.machine.simulated import vectors
from tests.machine.simulated.test_kernels import Arguments
from tests.repl.test_debug_simulated import talk

POISON = int.from_bytes(bytes([FILL]) * 4, "little")


def begun(kernel: str, **given: Any) -> Any:
    options = Arguments(
        file=str(FIXTURES / "run/integers.gfx942.O0.v5.co"), kernel=kernel, grid="128",
        workgroup="64", arg=["a=range:128", "b=range:128", "out=zeros:512"], **given,
    )  # fmt: skip
    return prepare_run(options)


def test_a_wave_begins_with_what_the_abi_defines_and_nothing_else() -> None:
    prepared = begun("vadd")
    machine = machine_of_dispatch(
        prepared.launched, prepared.code_object.loaded_segments(), tracks_writes=True
    )
    wave = machine.waves[0]
    assert wave.written[0] == (1 << 64) - 1 and set(wave.written[1:]) == {0}
    assert (wave.v[1] == POISON).all() and (wave.av[0] == POISON).all()
    defined = {user.number for user in prepared.launched.user_sgprs if user.value is not None}
    assert all(known_bits(wave.s[number]) == -1 for number in defined)
    assert isinstance(wave.s[90], Undefined) and wave.s[90] == POISON
    assert [known_bits(number) for number in (wave.vcc, wave.scc, wave.s[124])] == [0, 0, 0]
    assert wave.scratch_written is not None and not wave.scratch_written.any()
    assert (wave.scratch == POISON).all()


def written_by(code: str, processor: str, lanes: int, size: int = 32) -> Any:
    machine = vectors.machine(bytes.fromhex(code), lanes, processor, size, tracks_writes=True)
    [wave] = machine.waves
    wave.written = [0] * len(wave.written)
    assert machine.run() is None
    return wave


@pytest.mark.parametrize(
    ("code", "row", "mask"),
    [
        ("0103047e", 2, 0b11111),  # v_mov_b32_e32 v2, v1
        ("fa02047e 1b00 00ff".replace(" ", ""), 2, 0b11111),  # quad_perm
        ("020061d7 01040100".replace(" ", ""), 2, 1 << 2),  # v_writelane_b32 v2, s1, 2
    ],
)
def test_lanes_that_an_instruction_writes(code: str, row: int, mask: int) -> None:
    wave = written_by(code, "gfx1100", 5)
    assert {number: lanes for number, lanes in enumerate(wave.written) if lanes} == {row: mask}


def test_what_a_program_does_not_track_costs_no_statement() -> None:
    machine = vectors.machine(bytes.fromhex("0103047e"), 5)
    assert not any("written" in line for line in machine.program.step_at(0x10000).lines)


@pytest.mark.parametrize("fill", ["0", "0xff", "0x5a"])
def test_a_correct_kernel_does_not_depend_on_it(fill: str) -> None:
    prepared = begun("nest", fill=fill, scratch="4096")
    machine = machine_of_dispatch(prepared.launched, prepared.code_object.loaded_segments())
    assert machine.run() is None
    out = buffers(prepared.launched, machine)["out"].data.tobytes()
    plain = begun("nest", scratch="4096")
    other = machine_of_dispatch(
        plain.launched, plain.code_object.loaded_segments(), tracks_writes=True
    )
    assert other.run() is None
    assert out == buffers(plain.launched, other)["out"].data.tobytes()


def test_private_memory_is_known_where_a_lane_has_written_it() -> None:
    machine = vectors.machine(b"", 32)
    [wave] = machine.waves
    wave.scratch_written = np.zeros_like(wave.scratch)
    on = np.arange(32) < 3
    wave.scratch_store(8, np.arange(32, dtype=np.uint32), np.uint32, on)
    wave.scratch_store(np.arange(32) + 17, np.arange(32, dtype=np.uint8), np.uint8, on)
    marks = wave.scratch_written
    assert (marks[2, :3] == 0xFFFFFFFF).all() and not marks[2, 3:].any()
    assert marks[4, :3].tolist() == [0xFF00, 0xFF0000, 0xFF000000] and not marks[5].any()


def test_locals_are_unavailable_until_they_are_assigned(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "info locals", "p $s40", "p $vcc", "next",
        "info locals",
    )  # fmt: skip
    assert "t = <unavailable>" in lines and "t = 0" in lines
    assert {"$1 = <unavailable>", "$2 = <unavailable>"} <= {*lines}


def test_what_is_unknown_can_be_assigned_and_undone(tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", "break vadd", "run", "set var t = 5", "p t", "undo", "p t")
    assert "$1 = 5" in lines
    assert lines[-1].endswith("05 00 00 00 -> ?? ?? ?? ??")  # and no $2


@pytest.mark.parametrize("register", ["$s40", "$vcc", "$v14[3]"])
def test_a_register_too(register: str, tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", f"p {register}", "stepi", f"p {register}",
        f"set var {register} = 5", f"p {register}", "undo", f"p {register}",
    )  # fmt: skip
    values = [line.partition(" = ")[2] for line in lines if line.startswith("$") and " = " in line]
    assert values == ["<unavailable>", "<unavailable>", "5", "<unavailable>"]


def test_a_saved_state_leaves_out_what_is_undefined(tmp_path: Path) -> None:
    state = tmp_path / "begun.json"
    talk(tmp_path, "vadd", "break vadd", "run", f"save {state}")
    shown = run("eval", "--state", state, "--wave", 1, "--lane", 5, "t")
    assert "unavailable" in shown.out or "Cannot access" in shown.err + shown.out
    registers = run("registers", "--state", state, "--wave", 1, "s40")
    assert "0xfdfdfdfd" not in registers.out
