"""Texts name a source file as GDB does, by the name that the compiler got; JSON has the path."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run, run_json

KERNEL = """\
__kernel void scale(__global volatile float *o, float f) {
  int t = __builtin_amdgcn_workitem_id_x();
  o[t * 1000000000L] = f;
}
"""
DISPATCH = ("--grid", 64, "--workgroup", 64, "--arg", "o=zeros:256", "--arg", "f=2")


@pytest.fixture
def scale(tmp_path: Path, tool: Callable[[str], str]) -> Path:
    (tmp_path / "scale.cl").write_text(KERNEL, "utf-8")
    target = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-g", "-O0")
    command = (tool("clang-19"), "-x", "cl", "-cl-std=CL2.0", *target, "scale.cl", "-o", "k.co")
    subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path / "k.co"


def test_a_fault(scale: Path) -> None:
    lines = run("run", scale, "scale", *DISPATCH).lines
    assert any(line.startswith("  at scale.cl:3:") for line in lines)
    stop = run_json("run", scale, "scale", *DISPATCH).json["stop"]
    assert stop["source"].startswith(f"{scale.parent / 'scale.cl'}:3:")


def test_a_trace(scale: Path) -> None:
    trace = ("--trace", "--trace-limit", 1)
    lines = run("run", scale, "scale", *DISPATCH, *trace).lines
    assert f"scale.cl:1  {KERNEL.splitlines()[0]}" in lines
    record = json.loads(run("run", scale, "scale", *DISPATCH, *trace, "--json").lines[0])
    assert record["source_line"] == f"{scale.parent / 'scale.cl'}:1"
