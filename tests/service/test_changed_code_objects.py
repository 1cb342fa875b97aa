"""Notes on the code objects of a state that have changed since it was saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.base import file_digests
from dwarfgpu.base.readable_files import digest_of
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES

FILE = FIXTURES / "run/integers.gfx942.O2.v5.co"
COMMANDS = ["bt"], ["waves"]


def _state(folder: Path, *files: Path, digest: str) -> Path:
    listed = [
        {"path": str(file), "load_address": number << 20, "sha256": digest}
        for number, file in enumerate(files)
    ]
    document = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [{"pc": 0x7000, "registers": {"exec": 255}}],
        "code_objects": listed,
    }
    (path := folder / "s.json").write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_loaded_often_is_read_once(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def reading(path: str | Path) -> str | None:
        read.append(Path(path))
        return digest_of(path)

    monkeypatch.setattr(file_digests, "digest_of", reading)
    done = run(*command, "--state", _state(tmp_path, *[FILE] * 20, digest="00" * 32))
    assert len(read) == 1
    assert done.err.count("has changed since the state was saved") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_not_compared_are_a_note(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_digests, "_MOST_BYTES", 8)
    digest = digest_of(FILE)
    assert digest is not None
    done = run(*command, "--state", _state(tmp_path, FILE, digest=digest))
    assert "note: 1 code object may have changed since the state was saved" in done.err
