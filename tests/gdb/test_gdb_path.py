"""`dwarfgpu gdb-path`, and that what it prints finds dwarfgpu and no more."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from dwarfgpu import gdb_source
from dwarfgpu.cli import gdb_path
from dwarfgpu.errors import UsageError
from tests.gdb.debugger import Debugger


def test_finder_shows_only_what_is_needed() -> None:
    spec = find_spec("attrs")
    assert spec is not None and spec.origin is not None
    finder = gdb_source.Finder([str(Path(spec.origin).parents[1]), str(gdb_source.HERE)])
    for name in gdb_source.PACKAGES:
        assert finder.find_spec(name) is not None
    assert finder.find_spec("hypothesis") is None
    assert finder.find_spec("attrs.validators", ["/"]) is None


def test_the_package_itself_where_its_needs_are_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = find_spec("attrs")
    assert spec is not None and spec.origin is not None
    folder = str(Path(spec.origin).parents[1])
    monkeypatch.setattr(gdb_source, "folders", lambda: [folder])
    assert gdb_path.path() == Path(gdb_source.__file__).resolve()


def test_a_loader_in_the_cache_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gdb_source, "folders", list)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = gdb_path.path()
    assert first.parent == tmp_path / "dwarfgpu" and first == gdb_path.path()
    compile(first.read_text(), str(first), "exec")


def test_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gdb_source, "folders", list)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="cannot be written"):
        gdb_path.path()


def test_a_loader_that_is_no_text_is_written_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gdb_source, "folders", list)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    loader = gdb_path.path()
    loader.write_bytes(b"\xff")
    compile(gdb_path.path().read_text(), str(loader), "exec")


@pytest.mark.parametrize("given", ["", "caches", "./caches"])
def test_a_cache_folder_that_is_relative_is_ignored(
    given: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gdb_source, "folders", list)
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert gdb_path.path().parent == tmp_path / ".cache/dwarfgpu"


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(gdb_source, "folders", list)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    with pytest.raises(UsageError, match="there is no home directory: give XDG_CACHE_HOME"):
        gdb_path.path()


def test_command(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dwarfgpu", "gdb-path"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_file()


def test_gdb_loads_nothing_else(debugger: Debugger) -> None:
    code = (
        "import sys; print(sorted({'numpy', 'prompt_toolkit', 'pygments', 'elftools'}"
        " & set(sys.modules)), [p for p in sys.path if 'site-packages' in p])"
    )
    out = debugger.python(code, "python import dwarfgpu.gdb_commands")
    assert out == "[] []\n"


def test_sourced_twice(debugger: Debugger) -> None:
    out, err = debugger.run(f"source {debugger.source}", "help dwarfgpu print")
    assert "Usage: dwarfgpu print" in out and err == ""
