"""A register whose one half an instruction wrote: what the prompt shows, and what is saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import machine_of_dispatch
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.options.opened_launch import prepare_run
from tests.cli.command import FIXTURES, run
from tests.machine.simulated.test_halves import V, encoded
from tests.machine.simulated.test_kernels import Arguments

ARGUMENTS = ["a=range:128", "b=range:128", "out=zeros:512"]
NUMBERS = 3, 4
"""Of vector registers that the ABI does not define."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A code object whose kernel `vadd` begins with instructions that write halves."""
    path = FIXTURES / "run/integers.gfx1100.O0.v5.co"
    prepared = prepare_run(
        Arguments(file=str(path), kernel="vadd", grid="128", workgroup="64", arg=ARGUMENTS)
    )
    machine = machine_of_dispatch(prepared.launched, prepared.code_object.loaded_segments())
    code = machine.global_memory.read(machine.waves[0].pc, 64)
    low, high = (
        encoded("gfx1100", "v_cvt_f16_u16_e32", vdst=number, src0=V)
        for number in (NUMBERS[0], NUMBERS[1] + 128)
    )
    contents = path.read_bytes()
    assert code in contents
    out = tmp_path / "halves.co"
    out.write_bytes(contents.replace(code, low + high + code[8:]))
    return out


def talk(program: Path, *lines: str) -> list[str]:
    commands = [word for line in ("stepi", "stepi", *lines) for word in ("-ex", line)]
    arguments = [word for text in ARGUMENTS for word in ("--arg", text)]
    done = run(
        "debug", program, "--dispatch", "vadd", "--grid", 128, "--workgroup", 64,
        "--scratch", 4096, "--batch", *commands, *arguments,
    )  # fmt: skip
    return done.out.splitlines() + done.err.splitlines()


def test_at_the_prompt(program: Path) -> None:
    lines = talk(
        program, "p $v3[5]", "info registers v4", "set var $v3[5] = 7", "p $v3[5]", "undo",
        "p $v3[5]", "p $v0[5]",
    )  # fmt: skip
    shown = [line for line in lines if line.startswith("$") and " = " in line]
    assert shown == ["$1 = <unavailable>", "$2 = 7", "$3 = <unavailable>", "$4 = 5"]
    [register] = [line for line in lines if line.startswith("v4 ")]
    assert register.count("<unavailable>") == 32
    assert "note: register v3 of wave 1 is unknown, bytes 22 to 23: nothing has written it" in lines


def test_a_saved_state_has_the_half_that_is_known(program: Path, tmp_path: Path) -> None:
    path, again = tmp_path / "halves.json", tmp_path / "again.json"
    talk(program, f"save {path}")
    state = load_state(path).target
    low, high = (state.architecture.register_named(name) for name in ("v3", "v4"))
    assert low is not None and high is not None
    assert state.read_register(1, low, 4 * 5, 2) == bytes.fromhex("0045")  # 5.0
    assert state.read_register(1, high, 4 * 5 + 2, 2) == bytes.fromhex("0045")
    for register, offset in ((low, 22), (high, 20)):
        with pytest.raises(Unavailable):
            state.read_register(1, register, offset, 1)
    run("debug", "--state", path, "--batch", "-ex", "stepi", "-ex", f"save {again}")
    before, after = (json.loads(file.read_text())["waves"][0] for file in (path, again))
    for name in ("v3", "v4"):
        assert before["registers"][name] == after["registers"][name]
        assert before["registers"][name]["bytes"].count("??") == 2 * 32


def test_a_core_file_has_zeros_there_and_a_note_says_so(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "halves.core"
    lines = talk(program, f"generate-core-file {path}")
    assert any("0 in place of the unknown bits" in line for line in lines)
    read = run("debug", "--core", path, "--batch", "-ex", "p/x $v3[5]", "-ex", "p/x $v4[5]")
    assert "$1 = 0x4500" in read.lines and "$2 = 0x45000000" in read.lines
