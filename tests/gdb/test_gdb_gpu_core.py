"""A core file that GDB's `gcore` writes of a real process, with waves of a GPU: both are shown."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run
from tests.cli.test_gpu_core_of_state import merged_core, written

PROGRAM = FIXTURES / "core/crash.x86_64.O0"
KERNEL = FIXTURES / "hip/call.gfx942.O0.v5.co"


@pytest.fixture
def host(tool: Callable[[str], str], tmp_path: Path) -> Path:
    if platform.machine() != "x86_64":
        pytest.skip("the program is for x86_64")
    core = tmp_path / "host.core"
    commands = ("set debuginfod enabled off", "break leaf", "run one", f"gcore {core}", "kill")
    given = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run(
        [tool("gdb"), "-nx", "-batch", *given, str(PROGRAM)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if not core.exists():
        pytest.skip(f"GDB cannot run a process here: {done.stderr[-200:]}")
    return core


@pytest.mark.parametrize("is_merged", [True, False])
def test_both_halves(host: Path, tmp_path: Path, *, is_merged: bool) -> None:
    gpu = written("call.gfx942.O0", tmp_path)
    halves: tuple[object, ...] = ("--core", host, "--gpu-core", gpu)
    if is_merged:
        path = tmp_path / "merged.core"
        path.write_bytes(merged_core(host, gpu))
        halves = ("--core", path)
    lines = run("info", *halves).lines
    assert ": core file of x86_64, process " in lines[0] and lines[0].endswith(", with AMD GPUs")
    threads = [line for line in lines if " LWP " in line]
    assert threads and " leaf (head=" in threads[0]
    number = len(threads) + 1
    assert f"  1 wave in inner (...) at hip/call.hip:12, thread {number}" in lines
    assert run("bt", *halves).lines[-1].endswith(" in _start ()")
    assert run("eval", *halves, "--wave", number, "n").lines == ["n = 5"]
    assert run("eval", *halves, "--thread", 1, "n").lines == ["n = 60"]
    assert run("eval", *halves, "--wave", "all", "n").lines[-1] == "n = 5"
    talk = run(
        "debug", *halves, "--batch", "-ex", "print n", "-ex", f"thread {number}", "-ex", "print n",
        "-ex", "info threads",
    ).lines  # fmt: skip
    assert "$1 = 60" in talk and "$2 = 5" in talk
    assert any("AMDGPU Wave 1:1:?:1 (?,?,?)/?" in line for line in talk)
    assert KERNEL.name in " ".join(lines)
