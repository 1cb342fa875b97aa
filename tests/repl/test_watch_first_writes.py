"""Watchpoints of what nothing has written: the first write is a change, whatever was there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program

SOURCE = """\
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
typedef struct { uint lo : 5; int mid : 11; uint hi : 16; } bits;
__kernel void w(__global int *out) {
  __local int shared;
  volatile int s;
  bits b;
  int i = __builtin_amdgcn_workitem_id_x();
  s = -1;
  shared = -1;
  __asm volatile("s_mov_b32 s40, -1" ::: "s40");
  __asm volatile("v_mov_b32 v40, -1" ::: "v40");
  s = 0;
  shared = 0;
  __asm volatile("s_mov_b32 s40, 0" ::: "s40");
  __asm volatile("v_mov_b32 v40, 0" ::: "v40");
  b.mid = 3;
  b.hi = 5;
  out[i] = s + shared + b.mid + b.hi;
}
"""


def stops(program: Path, fill: str, *watched: str) -> list[str]:
    """What `continue` shows of watchpoints: their expressions, and the values of each."""
    options = "--dispatch", "w", "--grid", 64, "--workgroup", 64, "--arg", "out=zeros:256"
    commands = ["break w.cl:8", "run", *(f"watch {text}" for text in watched)]
    commands += ["continue"] * 2
    words = [word for line in commands for word in ("-ex", line)]
    done = run("debug", program, *options, "--fill", fill, "-q", "--batch", *words)
    out, name = [], ""
    for line in done.out.splitlines():
        if " hit Hardware watchpoint " in line or " hit Watchpoint " in line:
            name = line.rpartition(": ")[2]
        elif line.startswith(("Old value = ", "New value = ")):
            out.append(f"{name} {line}")
    return out


@pytest.mark.parametrize("fill", ["0xff", "0xa5"])
@pytest.mark.parametrize("watched", ["s", "shared", "$s40", "$v40[0]"])
def test_of_what_is_there(
    fill: str, watched: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """With the bytes of `--fill`, and with others."""
    program = gpu_program(tool, tmp_path / "w.cl", SOURCE, "gfx90a", "-O0")
    assert stops(program, fill, watched) == [
        f"{watched} Old value = <unavailable>",
        f"{watched} New value = -1",
        f"{watched} Old value = -1",
        f"{watched} New value = 0",
    ]


@pytest.mark.parametrize("fill", ["0", "0xff"])
def test_of_a_neighbour_in_the_same_dword(
    fill: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """A store of the whole dword writes all of its bit-fields."""
    program = gpu_program(tool, tmp_path / "w.cl", SOURCE, "gfx90a", "-O0")
    hi = "65535" if fill == "0xff" else "0"
    low = "31" if fill == "0xff" else "0"
    assert stops(program, fill, "b.lo", "b.mid", "b.hi") == [
        *("b.lo Old value = <unavailable>", f"b.lo New value = {low}"),
        *("b.mid Old value = <unavailable>", "b.mid New value = 3"),
        *("b.hi Old value = <unavailable>", f"b.hi New value = {hi}"),
        *(f"b.hi Old value = {hi}", "b.hi New value = 5"),
    ]
