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
            held = min(dumped, max(0, size_bytes - offset))
            there, missing = there + held, missing + dumped - held
    return there, missing


@pytest.mark.parametrize("size_bytes", [WHOLE, WHOLE - 1, 30000, 0x4000, 0x20F0])
def test_info_counts_what_is_there(tmp_path: Path, size_bytes: int) -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("readelf is not installed")
    path = cut(tmp_path, size_bytes)
    there, missing = of_readelf(readelf, path)
    done, answer = run("info", path), run_json("info", path)
    (memory,) = [each for each in done.lines if each.startswith("memory: ")]
    assert memory.startswith(f"memory: {there} bytes in the core file, ")
    assert memory.endswith(f" omitted, {missing} missing" if missing else " omitted")
    found = answer.json["memory"]
    assert (found["held_bytes"], found["missing_bytes"]) == (there, missing)
    said = f"{path} is cut short: its headers describe {WHOLE} bytes, and it has {size_bytes}"
    assert (f"note: {said}" in done.lines) == (size_bytes < WHOLE)
    assert (said in answer.json["problems"]) == (size_bytes < WHOLE)


def test_every_command_says_it(tmp_path: Path) -> None:
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
    said = f"dwarfgpu: {path} is compressed by {program}: give the output of {program} -d\n"
    for command in (("info", path), ("where", "--file", path, "x")):
        done = run(*command)
        assert (done.status, done.err) == (2, said)


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
