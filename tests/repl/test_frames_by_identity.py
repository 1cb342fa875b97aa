"""Steps and returns know a frame by its stack pointer, whatever is known of its callers.

`mid` is in a loop, and changes v40, in which `outer` has its return address: from the loop on the
frames end at `outer`; at the return address they do not.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program

SOURCE = """\
#define NOINL __attribute__((noinline))
NOINL int gcd(int a, int b) {
  if (b == 0)
    return a;
  return gcd(b, a % b);
}
NOINL int mid(int n) {
  int s = 0;
  for (int i = 0; i < 3; i++) {
    s += i;
    CHANGE
    s += gcd(n, i + 6);
  }
  return s;
}
NOINL int outer(int t) {
  int a = mid(t);
  return a + 1;
}
__kernel void kf(__global int *out) {
  int t = __builtin_amdgcn_workitem_id_x();
  int v = outer(t);
  out[t] = v;
}
"""
CHANGE = '__asm__ volatile("v_mov_b32 v40, 0" ::: "v40");'
IN_LOOP = ("tbreak k.cl:12", "run")


@pytest.fixture
def debugged(tool: Callable[[str], str], tmp_path: Path) -> Callable[..., str]:
    """Commands in a session of the program, with a text in place of CHANGE."""

    def debug(*commands: str, change: str = CHANGE) -> str:
        (tmp_path / "k.cl").write_text(SOURCE.replace("CHANGE", change))
        options = "-x cl -cl-std=CL2.0 -w -target amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -g -O0"
        compiler = tool("clang-19")
        subprocess.run([compiler, *options.split(), "k.cl", "-o", "k.co"], cwd=tmp_path, check=True)
        launch = "--dispatch kf --heuristic --scratch 8192 --grid 32 --workgroup 32"
        words = [word for line in commands for word in ("-ex", line)]
        arguments = (*launch.split(), "--arg", "out=zeros:128", "--batch", *words)
        return run("debug", tmp_path / "k.co", *arguments).out

    return debug


@pytest.mark.parametrize("command", ["finish", "until 17", "advance 18"])
def test_a_return_to_a_frame_with_more_known_callers(
    debugged: Callable[..., str], command: str
) -> None:
    out = debugged(*IN_LOOP, "bt", command, "bt")
    before, after = out.split("stopped: where outer saved its return address", 1)
    assert "#1  " in before and "#2  " not in before
    assert "in outer (t=0) at k.cl:17\n17\t" in after and "#1  " in after
    assert ("Value returned is $1 = 24" in after) == (command == "finish")


def test_finish_from_an_outer_frame(debugged: Callable[..., str]) -> None:
    out = debugged("tbreak gcd if b == 0", "run", "frame function mid", "finish")
    assert "in outer (t=0) at k.cl:17\n17\t" in out and "Value returned is $1 = 24" in out


def test_a_step_in_a_frame_with_fewer_known_callers(debugged: Callable[..., str]) -> None:
    out = debugged("tbreak k.cl:9", "run", "next")
    assert "\nmid (n=0) at k.cl:10" not in out and "\n10\t    s += i;" in out


def test_a_watched_variable_in_deeper_calls(debugged: Callable[..., str]) -> None:
    out = debugged("tbreak k.cl:9", "run", "watch s", "continue", "continue")
    assert "Old value = 0\nNew value = 6" in out and "Old value = 6\nNew value = 7" in out


def test_callers_in_a_loop_around_a_recursion(debugged: Callable[..., str]) -> None:
    """`mid` saves v40, in which gcd has its return address, and does not change it itself."""
    out = debugged(*IN_LOOP, "bt", change="")
    assert "#2  " in out and "in kf (" in out and "stopped:" not in out


RECURSION = """\
#define NOINL __attribute__((noinline))
NOINL int rc(int n) {
  int a = n;
  if (n > 0)
    a += rc(n - 1);
  a += n;
  return a;
}
NOINL int twice(int n) {
  int r = rc(n);
  r += rc(n);
  return r;
}
__kernel void kf(__global int *out) {
  out[0] = twice(1);
}
"""


def test_until_stops_in_the_caller_of_a_recursion(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As in GDB, it passes earlier lines of its own frame alone."""
    program = gpu_program(tool, tmp_path / "k.cl", RECURSION, "gfx942", "-O0")
    commands = "tbreak rc if n == 0", "run", "until 7", "until", "until", "until"
    done = run(
        "debug", program, "--dispatch", "kf", "--grid", 1, "--workgroup", 1, "--arg", "out=zeros:4",
        "--scratch", 8192, "--heuristic", "--batch", *(x for one in commands for x in ("-ex", one)),
    )  # fmt: skip
    path = tmp_path / "k.cl"
    assert done.lines[-7:] == [
        f"rc (n=0) at {path}:7", "7\t  return a;", f"rc (n=1) at {path}:6", "6\t  a += n;",
        "7\t  return a;", f"twice (n=1) at {path}:11", "11\t  r += rc(n);",
    ]  # fmt: skip
