"""The state of a run at a stop is saved in time proportional to its waves."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from tests.cli.command import FIXTURES
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
