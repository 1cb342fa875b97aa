"""`dwarfgpu gdb-path`, and that what it prints finds dwarfgpu and no more."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from dwarfgpu.cli import gdb_path
from dwarfgpu.errors import UsageError
from tests.gdb.debugger import Debugger

loader = gdb_path.load_file("loader.py")
SOURCE = Path(loader.__file__ or "").with_name("source.py")


def test_finder_shows_only_what_is_needed() -> None:
    spec = find_spec("attrs")
    assert spec is not None and spec.origin is not None
    finder = loader.Finder([str(Path(spec.origin).parents[1]), str(loader.HERE)])
    for name in loader.PACKAGES:
        assert finder.find_spec(name) is not None
    assert finder.find_spec("hypothesis") is None
    assert finder.find_spec("attrs.validators", ["/"]) is None


def test_the_package_itself_where_its_needs_are_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = find_spec("attrs")
    assert spec is not None and spec.origin is not None
    folder = str(Path(spec.origin).parents[1])
    monkeypatch.setattr(gdb_path, "package_folders", lambda: [folder])
    assert gdb_path.path() == SOURCE


def test_a_loader_in_the_cache_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gdb_path, "package_folders", list)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = gdb_path.path()
    assert first.parent == tmp_path / "dwarfgpu" and first == gdb_path.path()
    compile(first.read_text(), str(first), "exec")


def test_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gdb_path, "package_folders", list)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="cannot be written"):
        gdb_path.path()


def test_a_loader_that_is_not_text_is_written_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gdb_path, "package_folders", list)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cached = gdb_path.path()
    cached.write_bytes(b"\xff")
    compile(gdb_path.path().read_text(), str(cached), "exec")


@pytest.mark.parametrize("given", ["", "caches", "./caches"])
def test_a_cache_folder_that_is_relative_is_ignored(
    given: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gdb_path, "package_folders", list)
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert gdb_path.path().parent == tmp_path / ".cache/dwarfgpu"


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(gdb_path, "package_folders", list)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    with pytest.raises(UsageError, match="there is no home directory: set XDG_CACHE_HOME"):
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


def test_gdb_loads_nothing_else(debugger: Debugger, repository: Path) -> None:
    """Also after every kind of command; packages for other Pythons are hidden, and not missed."""
    code = """
import sys
for each in ("print n", "explain n", "location n", "where n", "lanes n", "eval-ops reg0", "bt",
             "info-locals --json", "compare -all-frames", "bt -compare"):
    said("dwarfgpu " + each)
loaded = {each.partition(".")[0] for each in sys.modules}
print(sorted({"numpy", "prompt_toolkit", "pygments", "elftools", "zstandard"} & loaded))
print([p for p in sys.path if "site-packages" in p])
"""
    demo = repository / "fixtures/x86_64/demo.gcc.O2.v5"
    assert debugger.python(code, "break leaf", "run", file=demo) == "[]\n[]\n"


OLD = """
import sys, types
gdb = types.ModuleType("gdb")
gdb.GdbError = type("GdbError", (Exception,), {{}})
sys.modules["gdb"] = gdb
sys.version_info = {version}
try:
    exec(compile(open({path!r}).read(), "source.py", "exec"), {{"__name__": "__main__"}})
except gdb.GdbError as error:
    print(error)
"""


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 4, 0), (3, 10, 99)])
def test_an_old_python_is_reported(version: tuple[int, ...]) -> None:
    code = OLD.format(version=version, path=str(SOURCE))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    needed = "dwarfgpu needs a GDB with Python 3.11 or newer; this one has Python"
    assert done.stdout == f"{needed} {version[0]}.{version[1]}\n"


def test_every_python_reads_what_gdb_sources() -> None:
    """Nothing in it is newer than Python 2.7."""
    tree = ast.parse(SOURCE.read_text(), feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef, ast.Nonlocal,
             ast.Starred, ast.YieldFrom, ast.Match)  # fmt: skip
    assert SOURCE.read_text().isascii()
    for die in ast.walk(tree):
        assert not isinstance(die, newer), ast.dump(die)
        if isinstance(die, ast.FunctionDef):
            assert die.returns is None and not die.args.kwonlyargs
            assert all(argument.annotation is None for argument in die.args.args)
        if isinstance(die, ast.Raise):
            assert die.cause is None
        if isinstance(die, ast.ImportFrom):
            assert die.module != "__future__"


def test_sourced_twice(debugger: Debugger) -> None:
    out, err = debugger.run(f"source {debugger.source}", "help dwarfgpu print")
    assert "Usage: dwarfgpu print" in out and err == ""


def test_a_missing_package_is_reported_with_the_remedy() -> None:
    """As in a checkout whose tools have not run yet."""
    code = OLD.partition("sys.version_info")[0].format() + (
        f"import runpy\nload = runpy.run_path({str(SOURCE)!r}, run_name='x')['load']\n"
        f"try:\n    load([{str(loader.HERE)!r}])\nexcept gdb.GdbError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"dwarfgpu: attrs? is not found beside it; .+\n", done.stdout), done
    assert "run tools/dwarfgpu once" in done.stdout and "`dwarfgpu gdb-path`" in done.stdout
