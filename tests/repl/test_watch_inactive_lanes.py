"""Watchpoints of variables of optimized code, while their lane is inactive."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program

SOURCE = """\
typedef unsigned uint;
__attribute__((global)) void w(uint first, int n, uint *out) {
  uint x = first + 7919 * __builtin_amdgcn_workitem_id_x(), acc = 0;
  for (uint i = 0; i < n; i++) {
    switch (x % 9) {
    case 0: acc += x; break;
    case 1: acc ^= x << 3; break;
    case 2: acc = acc * 5 + 1; break;
    case 3: acc -= i; break;
    case 7: acc = (acc << 5) | (acc >> 27); break;
    default: acc += 1;
    }
    x = x / 2 + i * 7919;
  }
  out[__builtin_amdgcn_workitem_id_x()] = acc ^ x;
}
"""
BITS = 0xFFFFFFFF


def changes(x: int) -> list[int]:
    """Return the values of `acc` in a lane, as C computes them."""
    values = [0]
    for i in range(8):
        acc = values[-1]
        match x % 9:
            case 0:
                acc += x
            case 1:
                acc ^= x << 3
            case 2:
                acc = acc * 5 + 1
            case 3:
                acc -= i
            case 7:
                acc = acc << 5 | acc >> 27
            case _:
                acc += 1
        values.append(acc & BITS)
        x = x // 2 + i * 7919
    return values


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("first", [1_000, 77_777])
def test_only_values_of_the_lane_count(
    tmp_path: Path, tool: Callable[[str], str], target: str, first: int
) -> None:
    """Where other lanes execute, a location list says where their value is (A.2.5.1)."""
    program = gpu_program(tool, tmp_path / "w.hip", SOURCE, target, "-O2")
    words = [
        "-ex",
        "break w.hip:5",
        "-ex",
        "run",
        "-ex",
        "lane 0",
        "-ex",
        "delete",
        "-ex",
        "watch acc",
    ]
    words += 12 * ["-ex", "continue"]
    arguments = "--arg", f"first={first}", "--arg", "n=8", "--arg", "out=zeros:128"
    done = run(
        "debug", program, "--dispatch", "w", "--grid", 32, "--workgroup", 32, *arguments,
        "-q", "--batch", *words,
    )  # fmt: skip
    new = [int(value) for value in re.findall(r"New value = (\d+)", done.out)]
    expected = iter(changes(first))
    assert new and all(value in expected for value in new), (new, changes(first), done)
