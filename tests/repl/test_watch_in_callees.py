"""`watch` of a local variable that other functions and other waves write, with unknown callers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run
from tests.gpu_programs import gpu_program

NAMES = ["gfx90a", "gfx942", "gfx1100"]
SOURCE = """\
__attribute__((noinline)) int deep(int n, int *outer) {
  int mine = n * 100;
  *outer += n + 1;
  if (n > 0) deep(n - 1, &mine);
  return mine;
}
__attribute__((noinline)) void meet(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__kernel void recursive(__global int *out) {
  int first = 0;
  deep(2, &first);
  out[__builtin_amdgcn_workitem_id_x()] = first;
}
__kernel void shared(__global int *out) {
  __local int part[128];
  int t = __builtin_amdgcn_workitem_id_x();
  part[t] = 3 * t;
  meet();
  out[t] = part[127 - t];
}
__attribute__((noinline)) void bump(int *p) { *p += 100; }
static inline __attribute__((always_inline)) void add(int *p, int n) {
  *p += n;
  bump(p);
}
__kernel void left(__global int *out) {
  int total = 0;
  add(&total, 1);
  total += 10;
  add(&total, 2);
  bump(&total);
  {
    int *to = &total;
    bump(to);
  }
  bump(&total);
  out[__builtin_amdgcn_workitem_id_x()] = total;
}
"""


def stops(program: Path, kernel: str, place: str, expression: str, *options: str) -> list[str]:
    """Return who stops with which values, and in which frame, after the first stop at a place."""
    commands = [f"tbreak {place}", "run", f"watch {expression}", "c", "c", "c"]
    done = run(
        "debug", program, "--dispatch", kernel, *options, "--grid", 128, "--workgroup", 128,
        "--scratch", 4096, "--arg", "out=zeros:512", "--batch",
        *(word for command in commands for word in ("-ex", command)),
    )  # fmt: skip
    lines = [line for line in done.lines if line]
    return [
        " ".join([
            lines[at - 1].partition(" hit ")[0],
            *(line.partition(" = ")[2] for line in lines[at : at + 2]),
            *lines[at + 2].partition(" (")[0].split()[-1:],
        ])
        for at, line in enumerate(lines)
        if line.startswith("Old value")
    ]  # fmt: skip


def calls(processor: str, expression: str, *options: str) -> list[str]:
    """Return the stops in `outer(5)` of hip/call.hip, whose `local` is 10 and `inner` adds 1 to."""
    program = FIXTURES / f"hip/call.{processor}.O0.v5.co"
    return stops(program, "call", "call.hip:17", expression, *options)[:2]


@pytest.fixture(scope="module")
def program(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("callees") / "callees.cl"
    return gpu_program(tool, source, SOURCE, "gfx942", "-O0")


@pytest.mark.parametrize("options", [(), ("--heuristic",)])
@pytest.mark.parametrize("processor", NAMES)
def test_a_callee_that_writes_a_watched_variable(processor: str, options: tuple[str, ...]) -> None:
    """Upstream clang has no call frame information: without --heuristic, no caller is found."""
    assert calls(processor, "local", *options) == ["Thread 1 10 11 inner", "Thread 1 11 12 inner"]


@pytest.mark.parametrize("processor", NAMES)
def test_a_computed_value_is_compared_when_the_callee_has_returned(processor: str) -> None:
    assert calls(processor, "local + n") == ["Thread 1 15 16 outer", "Thread 1 16 17 outer"]


@pytest.mark.parametrize("options", [(), ("--heuristic",)])
def test_a_deeper_call_has_another_variable_of_that_name(
    program: Path, options: tuple[str, ...]
) -> None:
    """deep(1) adds 2 to `mine` of deep(2)."""
    assert stops(program, "recursive", "callees.cl:3", "mine", *options) == [
        "Thread 1 200 202 deep"
    ]


@pytest.mark.parametrize("options", [(), ("--heuristic",)])
def test_the_end_of_a_call_that_returns_to_its_own_function(
    program: Path, options: tuple[str, ...]
) -> None:
    """deep(0) returns to deep(1), which adds nothing to a variable that is gone."""
    commands = ["tbreak callees.cl:3 if n == 0", "run", "rwatch mine", "c", "c", "p n"]
    done = run(
        "debug", program, "--dispatch", "recursive", *options, "--grid", 64, "--workgroup", 64,
        "--scratch", 4096, "--arg", "out=zeros:256", "--batch",
        *(word for command in commands for word in ("-ex", command)),
    )  # fmt: skip
    at = done.lines.index("Watchpoint 2 deleted because the program has left the block in")
    assert "Value = 0" in done.lines[:at]  # `return mine` of deep(0)
    assert " in deep (n=1, " in done.lines[at + 2]
    assert done.lines[-1] == "$1 = 1"


@pytest.mark.parametrize("options", [(), ("--heuristic",)])
def test_another_wave_writes_while_this_one_waits_in_a_call(
    program: Path, options: tuple[str, ...]
) -> None:
    """Wave 1 waits at the barrier in `meet` until wave 2 has written 3 * 64."""
    assert stops(program, "shared", "callees.cl:21", "part[64]", *options) == [
        "Thread 2 <unavailable> 192 shared"
    ]


@pytest.mark.parametrize("options", [(), ("--heuristic",)])
@pytest.mark.parametrize(
    ("place", "expression", "expected"),
    [
        ("callees.cl:26", "*p", ["Thread 1 0 1 add", "Thread 1 1 101 bump"]),
        ("callees.cl:37", "*to", ["Thread 1 313 413 bump"]),
    ],
    ids=["inlined", "block"],
)
def test_a_call_that_the_function_makes_outside_of_the_block(
    program: Path, options: tuple[str, ...], place: str, expression: str, expected: list[str]
) -> None:
    """The variables of a block, or of one inlined call, have no value in others."""
    assert stops(program, "left", place, expression, *options) == expected


@pytest.mark.parametrize("options", [(), ("--heuristic",)])
@pytest.mark.parametrize(
    ("place", "expression", "reads", "accesses"),
    [
        ("callees.cl:26", "*p", ["0", "1"], ["0", "0 -> 1", "1", "1 -> 101"]),
        ("callees.cl:37", "*to", ["313"], ["313", "313 -> 413"]),
        ("callees.cl:32", "total", ["101", "111", "113"], ["101", "101 -> 111", "111"]),
    ],
    ids=["inlined", "block", "function"],
)
def test_accesses_outside_of_the_block(
    program: Path,
    options: tuple[str, ...],
    place: str,
    expression: str,
    reads: list[str],
    accesses: list[str],
) -> None:
    """Outside of their block no access is that of the variables, which are none there."""
    for kind, expected in (("rwatch", reads), ("awatch", accesses)):
        going_on = ["c"] * (len(expected) + (expression != "total"))
        commands = [f"tbreak {place}", "run", f"{kind} {expression}", *going_on]
        done = run(
            "debug", program, "--dispatch", "left", *options, "--grid", 64, "--workgroup", 64,
            "--scratch", 4096, "--arg", "out=zeros:256", "--batch",
            *(word for command in commands for word in ("-ex", command)),
        )  # fmt: skip
        text = done.out.replace("\nNew value = ", " -> ").replace("\nOld value = ", "\nValue = ")
        assert re.findall("^Value = (.*)$", text, re.MULTILINE) == expected
