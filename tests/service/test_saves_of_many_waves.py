"""The state of a run at a stop is saved and compared in time proportional to its waves."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from tests.cli.command import FIXTURES, run
from tests.work import calls_of

KERNEL = str(FIXTURES / "run/integers.gfx942.O2.v5.co")


@pytest.mark.parametrize("option", ["--save", "--core"])
def test_a_wave_is_read_once(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(waves: int) -> int:
        arguments = f"run KERNEL vadd --grid {waves * 64} --workgroup 64 --break vadd"
        arguments += f" --arg a=zeros:4 --arg b=zeros:4 --arg out=zeros:{waves * 256}"
        words = [KERNEL if word == "KERNEL" else word for word in arguments.split()]
        return calls_of(lambda: main([*words, option, str(tmp_path / f"{waves}.json")]))

    work(1)
    small, large = work(100), work(400)
    capsys.readouterr()
    assert large < 5 * small, (small, large)


def test_a_comparison_reads_each_register_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(waves: int) -> int:
        state = tmp_path / f"{waves}.json"
        options = f"--dispatch vadd --grid {waves * 64} --workgroup 64 --batch"
        options += f" --arg a=zeros:4 --arg b=zeros:4 --arg out=zeros:{waves * 256}"
        commands = ("tbreak vadd", "run", f"save {state}", f"diff {state}")
        words = [word for command in commands for word in ("-ex", command)]
        return calls_of(lambda: main(["debug", KERNEL, *options.split(), *words]))

    work(1)
    small, large = work(20), work(80)
    assert "No difference from" in capsys.readouterr().out
    assert large < 4 * small, (small, large)


def test_a_state_that_no_command_would_read_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older state stays."""
    state = tmp_path / "s.json"
    arguments = ("dispatch", KERNEL, "vadd", "--workgroup", 64, "--save", state, "--arg=a=zeros:4")
    arguments += ("--arg=b=zeros:4", "--arg=out=zeros:4096")
    assert run(*arguments, "--grid", 64).status == 0
    before = state.read_bytes()
    monkeypatch.setattr("dwarfgpu.base.json_reader.MAX_VALUES", 500)
    done = run(*arguments, "--grid", 1024)
    assert done.error == (
        f"{state} cannot be written: more than 500 values, which no command would read: "
        "save fewer waves"
    )
    assert done.status == 2 and state.read_bytes() == before
