"""The variables of all waves: how many of them one command lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run


@pytest.mark.parametrize("options", [(), ("--json",), ("--lane", "0,3"), ("--lane", "all")])
def test_waves_share_a_number_of_values(options: tuple[str, ...], tmp_path: Path) -> None:
    """However short their texts are: a wave behind the end has the error alone."""
    path = str(FIXTURES / "hip" / "nest.gfx942.O2.v5.co")
    record = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [{"pc": 0x1690}] * 60,
        "code_objects": [{"path": path, "load_address": 0}],
    }
    state = tmp_path / "waves.json"
    state.write_text(json.dumps(record))
    listed = "eval", "--state", state, "--wave", "all", *options, "--max-listed-characters"
    whole, cut = run(*listed, 200_000), run(*listed, 2_000)
    assert "not shown" not in whole.out + whole.err
    said = cut.out if "--json" in options else cut.err
    assert said.count("those of this wave are not shown (--max-listed-characters)") in range(40, 60)
    assert len(cut.out) < len(whole.out) and cut.status == 1
