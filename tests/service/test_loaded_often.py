"""A state that loads one file many times: it is opened once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dwarfgpu.objfile import container
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES

DEMO = FIXTURES.parent / "dwarfgpu/data/demo.co"


@pytest.mark.parametrize("command", ["bt", "waves"])
def test_it_is_opened_once(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under all its names; each place in memory has its own answer."""
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(DEMO, "f.co")
    Path("link.co").symlink_to("f.co")
    names = ["f.co", "./f.co", "link.co"] * 20
    listed = [{"path": name, "load_address": n << 24} for n, name in enumerate(names)]
    waves = [{"id": n, "pc": (n << 24) + 0x1690} for n in (0, 1, 59)]
    document = {"schema": "dwarfgpu-state-1", "architecture": "gfx942"}
    Path("s.json").write_text(json.dumps({**document, "code_objects": listed, "waves": waves}))
    opened: list[str] = []
    real = container.map_file
    monkeypatch.setattr(container, "map_file", lambda path: (opened.append(path), real(path))[1])
    for wave in (0, 1, 59):
        arguments = [command, "--state", "s.json"]
        result = run(*arguments, *(("--wave", str(wave)) if command == "bt" else ()))
        assert f"{(wave << 24) + 0x1690:#018x} in nest" in result.out
        assert len(opened) == 1
        opened.clear()
