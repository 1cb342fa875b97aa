"""Watchpoints of expressions whose value and place are not known where they are set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.command import run
from tests.gpu_programs import gpu_program

SOURCE = """\
__attribute__((noinline)) int f(int x) { return x * 2 + 1; }
__kernel void w(__global int *out, int n) {
  uint i = __builtin_amdgcn_workitem_id_x();
  int acc = i;
  for (int k = 0; k < n; k++)
    acc = f(acc);
  out[i] = acc;
}
"""


def test_the_reason_is_said(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They never stop the program: nothing writes the register."""
    program = gpu_program(tool, tmp_path / "w.cl", SOURCE, "gfx90a", "-O1")
    options = "--dispatch", "w", "--grid", 64, "--workgroup", 64
    arguments = "--arg", "out=zeros:256", "--arg", "n=4"
    for watched, is_known in (("1 + $v3[0]", False), ("acc", True)):
        commands = "break w.cl:6", "run", "delete", f"watch {watched}", "continue"
        words = [word for line in commands for word in ("-ex", line)]
        done = run("debug", program, *options, *arguments, "-q", "--batch", *words)
        assert f"Watchpoint 2: {watched}\n" in done.out
        assert ("New value = 1" in done.out) == is_known
        why = f"note: the value of {watched} is not known here: Unavailable: "
        assert (why in done.err) == (not is_known)


LEFT = """\
__kernel void w(__global int *out) {
  __global int *p = out;
  *p = 1;
  p = (__global int *)8;
  out[1] = 2;
}
"""


def test_a_stop_says_why_the_new_value_is_unknown(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    program = gpu_program(tool, tmp_path / "left.cl", LEFT, "gfx942", "-O0")
    options = "--dispatch", "w", "--grid", 1, "--workgroup", 1, "--arg", "out=zeros:8"
    commands = "break left.cl:4", "run", "delete", "watch *p", "continue"
    words = [word for line in commands for word in ("-ex", line)]
    done = run("debug", program, *options, "-q", "--batch", *words)
    assert "Old value = 1\nNew value = <unavailable>\n" in done.out
    assert "note: the value of *p is not known here: " in done.err
