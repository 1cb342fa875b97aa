"""A state whose code objects overlap in memory is refused (`docs/state-files.md`)."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.readable_files import resolved
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.machine import state_code_objects
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES

INTEGERS = FIXTURES / "run/integers.gfx942.O2.v5.co"
FLOATS = FIXTURES / "run/floats.gfx942.O2.v5.co"


def _state(folder: Path, *code_objects: tuple[Path, int], machine: str = "gfx942") -> Path:
    path = folder / "s.json"
    listed = [{"path": str(file), "load_address": address} for file, address in code_objects]
    registers = {"exec": 255} if machine == "gfx942" else {}
    waves = [{"pc": 0x7000, "registers": registers}]
    document = {"schema": "dwarfgpu-state-1", "architecture": machine, "waves": waves}
    path.write_text(json.dumps({**document, "code_objects": listed}))
    return path


@pytest.mark.parametrize("command", [["bt"], ["waves"], ["eval", "*(unsigned*)0x7000"]])
@pytest.mark.parametrize("address", [0, 0x4000])
def test_different_bytes_are_refused(command: list[str], address: int, tmp_path: Path) -> None:
    path = _state(tmp_path, (INTEGERS, 0), (FLOATS, address))
    done = run(command[0], "--state", path, *command[1:])
    assert done.status == 2
    assert "integers.gfx942.O2.v5.co, loaded at 0x0," in done.error
    assert f"floats.gfx942.O2.v5.co, loaded at {address:#x}," in done.error
    assert "overlap: they have different bytes at 0x" in done.error


def test_the_same_file_at_two_addresses_is_refused(tmp_path: Path) -> None:
    """Their names are equal: the paths say which is meant."""
    copy = tmp_path / INTEGERS.name
    shutil.copyfile(INTEGERS, copy)
    done = run("bt", "--state", _state(tmp_path, (INTEGERS, 0), (copy, 0x1000)))
    assert f"{INTEGERS}, loaded at 0x0, and {copy}, loaded at 0x1000, overlap" in done.error


def test_equal_bytes_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "copy.co"
    shutil.copyfile(INTEGERS, copy)
    path = _state(tmp_path, (INTEGERS, 0), (copy, 0), (INTEGERS, 0), (FLOATS, 1 << 20))
    done = run("bt", "--state", path)
    assert done.status == 0 and "divide_long" in done.out
    monkeypatch.setattr(state_code_objects, "_MOST_COMPARED_BYTES", 64)
    assert "cannot be compared beyond" in run("bt", "--state", path).error


@pytest.mark.parametrize("build_id", ["sha1", "none"])
def test_a_program_and_its_debug_file_are_not(
    build_id: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """`objcopy --only-keep-debug` leaves no contents of what is loaded, but the notes."""
    program, debug = tmp_path / "a", tmp_path / "a.debug"
    source = tmp_path / "a.c"
    source.write_text("int main(void) { return 0; }\n")
    compiled = [tool("gcc"), "-g", f"-Wl,--build-id={build_id}", "-o", program, source]
    for command in (
        compiled,
        [tool("objcopy"), "--only-keep-debug", program, debug],
        [tool("objcopy"), "--strip-debug", program],
    ):
        subprocess.run(command, check=True, timeout=60)
    for first, second in ((program, debug), (debug, program)):
        done = run("bt", "--state", _state(tmp_path, (first, 0), (second, 0), machine="x86_64"))
        assert "overlap" not in done.err, done.err
    done = run("bt", "--state", _state(tmp_path, (program, 0), (debug, 0x1000), machine="x86_64"))
    assert "overlap" in done.error


def test_the_file_of_the_command_line_may_be_instead_of_one(tmp_path: Path) -> None:
    """It is first, as the user wants."""
    path = _state(tmp_path, (INTEGERS, 0), (INTEGERS, 1 << 20))
    done = run("bt", "--state", path, "--file", FLOATS)
    assert done.status == 0 and "matmul_float" in done.out


def test_a_program_and_its_debug_file_are_one_program(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """One has the code and the call frame information, the other one functions and lines."""
    whole, program, debug = FIXTURES / "x86_64/demo.gcc.O0.v5", tmp_path / "a", tmp_path / "a.debug"
    for command in (
        [tool("objcopy"), "--only-keep-debug", whole, debug],
        [tool("objcopy"), "--strip-all", whole, program],
    ):
        subprocess.run(command, check=True, timeout=60)
    leaf, mid = 0x11FF, 0x1360
    wave = {
        "pc": leaf,
        "registers": {"rsp": 0x8000},
        "memory": [{"address": 0x8000, "bytes": mid.to_bytes(8, "little").hex()}],
    }
    answers = []
    for files in ([whole], [program, debug], [debug, program]):
        path = _state(tmp_path, *((file, 0) for file in files), machine="x86_64")
        path.write_text(json.dumps({**json.loads(path.read_text()), "waves": [wave]}))
        asked = ("-ex", "x/2i $pc", "-ex", "bt", "-ex", "info sharedlibrary")
        done = run("debug", "--state", path, "--batch", *asked)
        assert "note: " not in done.err
        answers.append(done.out)
    assert answers[0].count(" in mid (") == 1
    assert answers[1] == answers[2] == answers[0]
    other = FIXTURES / "x86_64/demo.clang.O0.v5"
    path = _state(tmp_path, (other, 1 << 20), (program, 0), (debug, 0), machine="x86_64")
    path.write_text(json.dumps({**json.loads(path.read_text()), "waves": [wave]}))
    done = run("debug", "--state", path, "--batch", "-ex", "info files")
    assert done.lines[0] == f'Symbols from "{other}".'


def test_a_file_that_is_loaded_many_times_is_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def counted(path: str | Path) -> Path:
        asked.append(path)
        return resolved(path)

    monkeypatch.setattr(state_code_objects, "resolved", counted)
    state = load_state(_state(tmp_path, *((INTEGERS, 0x1000000 * n) for n in range(1, 30))))
    file = ObjectFile(str(INTEGERS), INTEGERS.read_bytes())
    loads = [CodeObject.of(file, listed.load_address) for listed in state.code_objects]
    state_code_objects.require_apart("x.json", state, loads)
    assert [*state_code_objects.changed_since(state, loads)] == []
    assert len(asked) <= 3
