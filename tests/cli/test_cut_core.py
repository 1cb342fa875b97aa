"""Core files that are cut short or compressed: what `info` and the other commands say of them."""

from __future__ import annotations

import gzip
import lzma
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, run_json
from tests.machine.cores import AMDGPU, Load, core
from tests.machine.test_core_notes import gpu_note

CORE = FIXTURES / "core/crash.x86_64.O0.core"
WHOLE = CORE.stat().st_size


def cut(folder: Path, size_bytes: int) -> Path:
    path = folder / "cut.core"
    path.write_bytes(CORE.read_bytes()[:size_bytes])
    return path


def of_readelf(readelf: str, path: Path) -> tuple[int, int]:
    """Bytes of memory in the file and behind its end, by the program headers."""
    text = subprocess.run([readelf, "-lW", path], capture_output=True, text=True, check=True).stdout
    size_bytes, there, missing = path.stat().st_size, 0, 0
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            offset, dumped = int(words[1], 16), int(words[4], 16)
            least = min(dumped, max(0, size_bytes - offset))
            there, missing = there + least, missing + dumped - least
    return there, missing


@pytest.mark.parametrize("size_bytes", [WHOLE, WHOLE - 1, 30000, 0x4000, 0x20F0])
def test_info_counts_what_is_there(tmp_path: Path, size_bytes: int) -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("readelf is not installed")
    path = cut(tmp_path, size_bytes)
    there, missing = of_readelf(readelf, path)
    done, answer = run("info", path), run_json("info", path)
    (memory,) = [line for line in done.lines if line.startswith("memory: ")]
    assert memory.startswith(f"memory: {there} bytes in the core file, ")
    assert memory.endswith(f" omitted, {missing} missing" if missing else " omitted")
    result = answer.json["memory"]
    assert (result["held_bytes"], result["missing_bytes"]) == (there, missing)
    text = f"{path} is cut short: its headers describe {WHOLE} bytes, and it has {size_bytes}"
    assert (f"note: {text}" in done.lines) == (size_bytes < WHOLE)
    assert (text in answer.json["problems"]) == (size_bytes < WHOLE)


def test_every_command_prints_the_note(tmp_path: Path) -> None:
    path = cut(tmp_path, 30000)
    for command in (("bt",), ("eval", "lit1"), ("debug", "-batch")):
        assert f"note: {path} is cut short: its headers" in run(*command, "--core", path).err


def test_a_core_of_gpus_alone(tmp_path: Path) -> None:
    path = tmp_path / "gpu.core"
    data = core([gpu_note()], (Load(0x9000, b"12345678"),), machine=AMDGPU)
    path.write_bytes(data[: data.index(b"12345678") + 3])
    done = run("info", path)
    assert "memory: 3 bytes in the core file, 0 omitted, 5 missing" in done.lines
    assert f"note: {path} is cut short: its headers describe" in done.out
    assert done.status == 1


@pytest.mark.parametrize(("program", "compress"), [("gzip", gzip.compress), ("xz", lzma.compress)])
def test_a_compressed_code_object(
    tmp_path: Path, program: str, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "compressed"
    path.write_bytes(compress((FIXTURES / "triton/axpy.gfx942.co").read_bytes()))
    text = f"dwarfgpu: {path} is compressed by {program}: give the output of {program} -d\n"
    for command in (("info", path), ("where", "--file", path, "x")):
        done = run(*command)
        assert (done.status, done.err) == (2, text)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
def test_a_compressed_core(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "crash.core.packed"
    path.write_bytes(compress(CORE.read_bytes()))
    sysroot = ("--sysroot", FIXTURES / "core")
    for command, *rest in (("bt",), ("eval", "sum"), ("debug", "-batch", "-ex", "bt")):
        whole = run(command, "--core", CORE, *sysroot, *rest)
        assert run(command, "--core", path, *sysroot, *rest) == whole
        assert run(command, path, *sysroot, *rest) == whole, "it is recognised as a core file"
    assert run("info", path, *sysroot).lines[0].startswith(f"{path}: core file of x86_64")
    done = run("debug", "-batch", "-ex", f"core-file {path}", "-ex", "bt")
    assert any(line.startswith("#0 ") for line in done.lines)
    refused = run("bt", path, "--max-inflated-bytes", 4096)
    assert refused.status == 2 and "in one block of" in refused.error


_CRASH = FIXTURES / "core/crash.x86_64.O0"
_CORE = FIXTURES / "core/crash.x86_64.O0.core"


def _changed(folder: Path, at: int, new: bytes) -> Path:
    """A copy of the core file with other bytes."""
    data = bytearray(_CORE.read_bytes())
    data[at : at + len(new)] = new
    path = folder / "changed"
    path.write_bytes(data)
    return path


def _note_header(data: bytes) -> int:
    """The offset of the program header of the notes."""
    count = int.from_bytes(data[56:58], "little")
    return next(at for at in range(64, 64 + 56 * count, 56) if data[at : at + 4] == b"\4\0\0\0")


def test_a_core_cut_inside_its_notes(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes(_CORE.read_bytes()[:5000])
    assert run("bt", _CRASH, path).err == (
        f"dwarfgpu: {path}: PT_NOTE at [0x2e0,0x20f0) is outside the 0x1388 bytes of the file: "
        "the file is cut short, or its headers are wrong\n"
    )


def test_notes_longer_than_an_address_space(tmp_path: Path) -> None:
    path = _changed(tmp_path, _note_header(_CORE.read_bytes()) + 32, b"\xff" * 8)
    assert run("bt", _CRASH, path).err.startswith(
        f"dwarfgpu: {path}: PT_NOTE at 0x2e0 with 0xffffffffffffffff bytes is outside the "
    )


def test_why_a_core_has_no_threads(tmp_path: Path) -> None:
    start = f"dwarfgpu: {tmp_path / 'changed'} has no threads: it has no "
    path = _changed(tmp_path, 56, bytes(2))
    assert run("bt", _CRASH, path).err == f"{start}program headers (e_phnum is 0)\n"
    path = _changed(tmp_path, _note_header(_CORE.read_bytes()), bytes(4))
    assert run("bt", _CRASH, path).err == f"{start}notes (PT_NOTE)\n"


def test_a_second_file_that_is_not_a_core(tmp_path: Path) -> None:
    path = tmp_path / "short"
    path.write_bytes(b"\x7fELF")
    done = run("bt", _CRASH, path)
    assert done.status == 2
    assert done.err == (
        f"dwarfgpu: {path}: ELF identification is cut short or names an unknown class\n"
    )
    path = _changed(tmp_path, 5, b"\2")
    done = run("bt", _CRASH, path)
    assert done.status == 2
    assert done.err.startswith(
        f"dwarfgpu: {path} is not a core file: its e_type is 0x400, not 4 (ET_CORE), "
        "and its e_version 0x1000000, not 1 (EV_CURRENT): "
        "it is damaged, or not big-endian as its EI_DATA says: give one FILE, and one core file"
    )


def test_a_state_names_a_missing_code_object(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    state.write_text(
        '{"schema": "dwarfgpu-state-1", "architecture": "gfx942", "waves": [{}], '
        '"code_objects": [{"path": "missing.co"}]}'
    )
    assert run("lanes", "--state", state).err == (
        f"dwarfgpu: {state}: code_objects[0].path: there is no file {tmp_path / 'missing.co'}: "
        "correct the path, which is relative to the folder of the state, or put the file there"
        "; --file FILE gives it\n"
    )
