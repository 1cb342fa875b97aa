"""What is installed: one version, the command, the types, nothing but Python."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import dwarfgpu
from dwarfgpu.cli import gdb_path
from dwarfgpu.service.error_text import exhausted

COPIED = ("pyproject.toml", "LICENSE", "README.md", "dwarfgpu")


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Built from a copy, because building leaves files behind."""
    if int(importlib.metadata.version("setuptools").split(".")[0]) < 77:
        pytest.skip("setuptools 77 or newer is not installed")
    copy = tmp_path_factory.mktemp("checkout")
    for name in COPIED:
        source = repository / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("*.pyc"))
        elif source.is_file():
            shutil.copy(source, copy / name)
    build = "from setuptools.build_meta import build_wheel; build_wheel('.')"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (path,) = copy.glob("*.whl")
    return zipfile.ZipFile(path)


def test_version_is_written_once(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "dwarfgpu.__version__"}


def test_dependencies_have_their_role_beside_them(repository: Path) -> None:
    """A comment stands directly above each, or above the group that it opens."""
    lines = (repository / "pyproject.toml").read_text().splitlines()
    start = lines.index("dependencies = [") + 1
    listed = lines[start : lines.index("]", start)]
    names = [n for n, line in enumerate(listed) if not line.lstrip().startswith("#")]
    assert [listed[n] for n in names if n == 0 or not listed[n - 1].lstrip().startswith("#")] == []


def test_wheel_is_pure_and_typed(wheel: zipfile.ZipFile) -> None:
    assert wheel.filename is not None
    assert wheel.filename.endswith(f"dwarfgpu-{dwarfgpu.__version__}-py3-none-any.whl")
    assert "dwarfgpu/py.typed" in wheel.namelist()
    assert not [name for name in wheel.namelist() if not name.startswith("dwarfgpu")]


def test_wheel_holds_every_module(wheel: zipfile.ZipFile, repository: Path) -> None:
    modules = {
        path.relative_to(repository).as_posix() for path in repository.glob("dwarfgpu/**/*.py")
    }
    assert modules - set(wheel.namelist()) == set()


def test_wheel_metadata(wheel: zipfile.ZipFile) -> None:
    info = f"dwarfgpu-{dwarfgpu.__version__}.dist-info"
    metadata = wheel.read(f"{info}/METADATA").decode().splitlines()
    assert {f"Version: {dwarfgpu.__version__}", "License-Expression: Apache-2.0"} <= set(metadata)
    assert "Requires-Python: >=3.11" in metadata
    assert wheel.read(f"{info}/licenses/LICENSE").count(b"Apache License") > 0
    scripts = wheel.read(f"{info}/entry_points.txt").decode()
    assert "dwarfgpu = dwarfgpu.__main__:run" in scripts
    assert "amdgpu = dwarfgpu.service.assembly_lexer:AmdGpuLexer" in scripts
    assert "dwarfgpu/isa/data/operations/scalar.txt" in wheel.namelist()


def test_py_typed_is_in_the_checkout(repository: Path) -> None:
    assert (repository / "dwarfgpu/py.typed").is_file()


def test_module_and_script_are_one_command(repository: Path) -> None:
    script = Path(sys.executable).with_name("dwarfgpu")
    if not script.exists():
        pytest.skip("dwarfgpu is not installed in this environment")
    commands = [[sys.executable, "-m", "dwarfgpu", "--help"], [str(script), "--help"]]
    texts = [
        subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout
        for command in commands
    ]
    assert texts[0] == texts[1] != ""


@pytest.mark.parametrize("name", ["tools/dwarfgpu", "tools/test", "tools/docs", ".ci/run"])
def test_scripts_can_be_run(repository: Path, name: str) -> None:
    assert os.access(repository / name, os.X_OK)


def test_a_machine_without_python_gets_an_error(repository: Path, tmp_path: Path) -> None:
    """On a PATH with the few tools that the script itself needs, in a checkout without .venv."""
    shutil.copytree(repository / "tools", tmp_path / "a b/tools")
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "dirname", "readlink", "cmp"):
        which = shutil.which(tool)
        assert which is not None
        (tmp_path / "bin" / tool).symlink_to(which)
    done = subprocess.run(
        [str(tmp_path / "a b/tools/dwarfgpu"), "--help"],
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no Python 3.11 or newer" in done.stderr


@pytest.mark.parametrize(
    ("absent", "arguments", "status"),
    [
        ("attrs", "--version", 0),
        ("attrs", "eval lit4", 1),
        ("attrs", "debug --demo", 1),
        ("pygments", "disas --demo nest --color always", 1),
    ],
)
def test_an_absent_package_is_one_line(
    repository: Path, absent: str, arguments: str, status: int
) -> None:
    """As after `pip install --no-deps`; without msgspec, attrs is used."""
    code = f"import sys; sys.modules.update(dict.fromkeys(({absent!r}, 'msgspec')))\n"
    code += "from dwarfgpu.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *arguments.split()]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == status
    message = f"dwarfgpu: Unsupported: dwarfgpu needs {absent}, which is not installed: "
    assert not done.stderr if not status else done.stderr.startswith(message)
    assert done.stderr.count("\n") == status


def test_gdb_path_names_the_package_that_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gdb_path, "package_folders", list)
    monkeypatch.setattr(gdb_path, "find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError) as raised:
        gdb_path.path()
    assert "needs attrs, which is not installed" in exhausted(raised.value).message


def test_an_absent_module_of_our_own_is_no_package() -> None:
    with pytest.raises(ModuleNotFoundError):
        exhausted(ModuleNotFoundError(name="dwarfgpu.no_module"))
