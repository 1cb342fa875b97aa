"""A saved state or core file names files of code objects that exist after the command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, Done, run
from tests.objfile.test_bundle import plain

CODE = FIXTURES / "run/integers.gfx942.O0.v5.co"
LAUNCH = (
    "--grid", 64, "--workgroup", 64, "--scratch", 4096,
    "--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256",
)  # fmt: skip
FRAME = "#0  nest (a=0x7e0000007200, b=0x7e0000008300, out=0x7e0000009400) at run/integers.hip:61"


def bundle(path: Path) -> tuple[object, ...]:
    """Write the code object as the second one of a bundle, and return the options for it."""
    data = CODE.read_bytes()
    names = [f"hipv4-amdgcn-amd-amdhsa--{word}" for word in ("gfx90a", "gfx942")]
    path.write_bytes(plain(dict.fromkeys(names, data)))
    return path, "--target", "gfx942"


def cache(path: Path) -> tuple[object, ...]:
    """Write the code object as a kernel of Triton's cache, and return the options for it."""
    folder = path / "HASH"
    folder.mkdir(parents=True)
    shutil.copy(CODE, folder / "nest.hsaco")
    (folder / "nest.json").write_text("{}")
    return path, "--target", "nest"


@pytest.fixture(params=[bundle, cache])
def code(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[object, ...]:
    return tuple(request.param(tmp_path / "several"))


def require_frame(done: Done) -> None:
    assert FRAME in done.lines, done.err


def test_of_a_run(code: tuple[object, ...], tmp_path: Path) -> None:
    """Its code object is one of several in a file, or of a folder."""
    state, core = tmp_path / "s.json", tmp_path / "s.core"
    file, *target = code
    done = run(
        "run", file, "nest", *target, *LAUNCH, "--break", "nest", "--stops", 1,
        "--save", state, "--core", core,
    )  # fmt: skip
    assert done.status == 0, done.err
    require_frame(run("bt", "--state", state))
    require_frame(run("bt", "--core", core))
    beside = [path.name for path in tmp_path.glob("*.co")]
    assert all(any(name in note for note in done.notes) for name in beside)


def test_of_a_dispatch_at_the_prompt(code: tuple[object, ...], tmp_path: Path) -> None:
    """The folder in which the prompt keeps the dispatch is removed at its end."""
    state, core = tmp_path / "s.json", tmp_path / "s.core"
    commands = ("break nest", "run", f"save {state}", f"generate-core-file {core}")
    words = [word for command in commands for word in ("-ex", command)]
    file, *target = code
    done = run("debug", file, *target, "--dispatch", "nest", *LAUNCH, "--batch", *words)
    assert done.status == 0, done.err
    require_frame(run("bt", "--state", state))
    require_frame(run("bt", "--core", core))


def test_of_a_state_whose_code_object_is_in_a_bundle(tmp_path: Path) -> None:
    file, *target = bundle(tmp_path / "several")
    state, again = tmp_path / "s.json", tmp_path / "again.json"
    run("run", CODE, "nest", *LAUNCH, "--break", "nest", "--stops", 1, "--save", state)
    given = ("--state", state, "--file", file, *target, "--load-address", "0x7f0000000000")
    done = run("debug", *given, "--batch", "-ex", f"save {again}")
    assert done.status == 0, done.err
    [code_object] = tmp_path.glob("again.*.co")
    assert done.lines[-1].endswith(f" Code of it is in {code_object.name}.")
    require_frame(run("bt", "--state", again))
    done = run("debug", *given, "--batch", "--interpreter=json", "-ex", f"save {again}")
    assert json.loads(done.lines[-1])["code-files"] == [code_object.name]


def test_answers_of_a_dispatch_name_its_file(tmp_path: Path) -> None:
    """Not the copy of the code object that the prompt keeps."""
    core = tmp_path / "s.core"
    for file, target, name in (
        (*bundle(tmp_path / "several")[::2], "several[gfx942]"),
        (*cache(tmp_path / "cache")[::2], "nest.hsaco"),
    ):
        commands = (
            "break nest", "run", "info sharedlibrary", "info files", f"gcore {core}",
            f"core {core}", "bt", "core",
        )  # fmt: skip
        words = [word for command in commands for word in ("-ex", command)]
        launch = ("--target", target, "--dispatch", "nest", *LAUNCH)
        done = run("debug", file, *launch, "--batch", *words)
        assert done.status == 0, done.err
        assert [line for line in done.lines if line.endswith(f"/{name}")], done.out
        assert "dwarfgpu-" not in done.out.replace(str(tmp_path), "")
        assert FRAME in done.lines and "may not match" not in done.err + done.out
