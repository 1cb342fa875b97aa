"""`dwarfgpu run --core`: the core file that a wave leaves which cannot go on."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, run_json
from tools.gen_gpu_core import CORE, core_of_loop

KERNELS = FIXTURES / "opencl"
TARGETS = ("gfx90a", "gfx942", "gfx1100")


def crashed(target: str, folder: Path) -> tuple[Path, list[str]]:
    """The core file of `loop` with a buffer of 300 numbers, and what the run has said."""
    path = folder / "loop.core"
    done = run(
        "run", KERNELS / f"kernels.{target}.O0.v5.co", "loop", "--grid", 256, "--workgroup", 64,
        "--arg", "in=zeros:1200", "--arg", "out=zeros:1024", "--arg", "n=100", "--core", path,
    )  # fmt: skip
    assert done.status == 1
    return path, done.lines


@pytest.mark.parametrize("target", TARGETS)
def test_the_faulty_line_and_the_index(target: str, tmp_path: Path) -> None:
    core, lines = crashed(target, tmp_path)
    [at] = [line for line in lines if line.startswith("  at ")]
    info = run("info", core).lines
    [faulty] = [line for line in info if "memory_violation, thread" in line]
    assert "in loop () at opencl/kernels.cl:53" in faulty and at.endswith("kernels.cl:53:13")
    assert any(line.startswith("#0 ") and "n=100" in line for line in run("bt", core).lines)
    values = run_json("eval", core, "--lane", "all", "t+i").json["lanes"]
    indexes = [int(value["text"].rpartition("=")[2]) for value in values]
    [said] = [line for line in lines if "MEMORY_VIOLATION" in line]
    lane = int(said.partition("stopped: MEMORY_VIOLATION, lane ")[2].split()[0])
    assert indexes[lane] == 300 and all(index < 300 for index in indexes[:lane])
    assert run("eval", core, "--wave", "all", "n").lines[-1] == "n = 100"


def test_a_run_that_ends_leaves_no_core(tmp_path: Path) -> None:
    path = tmp_path / "none.core"
    done = run(
        "run", KERNELS / "kernels.gfx942.O0.v5.co", "loop", "--grid", 64, "--workgroup", 64,
        "--arg", "in=zeros:1200", "--arg", "out=zeros:1024", "--arg", "n=3", "--core", path,
    )  # fmt: skip
    assert done.status == 0 and not path.exists()


def test_the_fixture_is_what_the_tool_makes() -> None:
    assert lzma.decompress(CORE.read_bytes()) == core_of_loop()
