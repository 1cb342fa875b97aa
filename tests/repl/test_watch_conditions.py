"""The condition of a watchpoint is that of the frame where it was set, whoever writes the object.

GDB 13 stops at the same changes of the same program in C, which has frame information.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program

NAMES = ["gfx942", "gfx1100"]
SOURCE = """\
__constant int x = 7;
__attribute__((noinline)) void bump(int *p, int x) {
  *p += x;
}
static inline __attribute__((always_inline)) void add(int *p, int x) { *p += x; }
__attribute__((noinline)) int rec(int n, int *outer) {
  int mine = 0;
  int *to = outer ? outer : &mine;
  *to += n;
  if (n > 0) rec(n - 1, to);
  *to += 100;
  return mine;
}
__kernel void called(__global int *out) {
  int total = 0;
  int x = 7;
  bump(&total, 1);
  bump(&total, 3);
  x = 8;
  bump(&total, 5);
  bump(&total, 7);
  out[__builtin_amdgcn_workitem_id_x()] = total + x;
}
__kernel void inlined(__global int *out) {
  int total = 0;
  int x = 7;
  add(&total, 1);
  add(&total, 3);
  x = 8;
  add(&total, 5);
  add(&total, 7);
  out[__builtin_amdgcn_workitem_id_x()] = total + x;
}
__kernel void recursive(__global int *out) {
  out[__builtin_amdgcn_workitem_id_x()] = rec(2, 0);
}
__kernel void blocks(__global int *out) {
  int total = 0;
  int q = 1;
  total += q;
  {
    int q = 2;
    bump(&total, q);
    total += q;
  }
  total += q;
  out[__builtin_amdgcn_workitem_id_x()] = total;
}
__kernel void lanes(__global int *out) {
  __local int part;
  int id = __builtin_amdgcn_workitem_id_x();
  part = 0;
  if (id >= 5) part = id;
  out[id] = part;
}
"""


@pytest.fixture(scope="module", params=NAMES)
def program(
    request: pytest.FixtureRequest,
    tool: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    source = tmp_path_factory.mktemp("conditions") / "conditions.cl"
    return gpu_program(tool, source, SOURCE, request.param, "-O0")


def lines_of(
    program: Path, kernel: str, line: int, commands: list[str], *options: str
) -> list[str]:
    """Return what debugging shows, from a stop at a line on."""
    typed = [f"tbreak conditions.cl:{line}", "run", *commands, *["c"] * 8]
    done = run(
        "debug", program, "--dispatch", kernel, *options, "--grid", 32, "--workgroup", 32,
        "--scratch", 8192, "--arg", "out=zeros:128", "--batch",
        *(word for command in typed for word in ("-ex", command)),
    )  # fmt: skip
    return [*done.lines, *done.err.splitlines()]


def changes(lines: list[str]) -> list[str]:
    """Return the old and the new value at each stop."""
    old = [line.partition(" = ")[2] for line in lines if line.startswith("Old value")]
    new = [line.partition(" = ")[2] for line in lines if line.startswith("New value")]
    return [" ".join(pair) for pair in zip(old, new, strict=True)]


UNTESTED = "warning: Watchpoint condition cannot be tested in the current scope"
HEURISTIC = pytest.mark.parametrize("options", [(), ("--heuristic",)], ids=["", "heuristic"])


@HEURISTIC
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("x == 7", ["0 1", "1 4"]),
        ("x == 8", ["4 9", "9 16"]),
        ("total > 4", ["4 9", "9 16"]),  # no name of the callee
        ("x == 7 && total > 1", ["1 4"]),
        ("*&x == 8 && total == 16", ["9 16"]),
    ],
)
def test_the_writer_is_called(
    program: Path, condition: str, expected: list[str], options: tuple[str, ...]
) -> None:
    lines = lines_of(program, "called", 17, [f"watch total if {condition}"], *options)
    assert changes(lines) == expected
    assert UNTESTED not in lines


@pytest.mark.parametrize(
    ("condition", "expected"), [("x == 7", ["0 1", "1 4"]), ("x == 8", ["4 9", "9 16"])]
)
def test_the_writer_is_inlined(program: Path, condition: str, expected: list[str]) -> None:
    lines = lines_of(program, "inlined", 27, [f"watch total if {condition}"])
    assert changes(lines) == expected


@pytest.mark.parametrize("command", ["rwatch", "awatch"])
def test_reads_have_conditions_too(program: Path, command: str) -> None:
    lines = lines_of(program, "called", 17, [f"{command} total if x == 8"])
    hits = [line for line in lines if line.startswith("Thread 1 hit Hardware")]
    values = [line.rpartition(" ")[2] for line in lines if line.startswith("Value")]
    assert changes(lines) == (["4 9", "9 16"] if command == "awatch" else [])
    assert values == ["4", "9", "16"]  # the reads of `*p += x`, and that after the calls
    assert len(hits) == len(values) + len(changes(lines))


def test_a_condition_that_is_set_after_up(program: Path) -> None:
    commands = ["watch total", "c", "up", "condition 2 x == 8"]
    lines = lines_of(program, "called", 17, commands, "--heuristic")
    assert changes(lines) == ["0 1", "4 9", "9 16"]


@HEURISTIC
def test_a_condition_of_the_callee_has_no_frame_around_the_watched_one(
    program: Path, options: tuple[str, ...]
) -> None:
    """As in GDB, which begins at the frame of the watched variables."""
    commands = ["watch total", "c", "condition 2 x == 3"]
    lines = lines_of(program, "called", 17, commands, *options)
    assert changes(lines) == ["0 1", "1 4", "4 9", "9 16"]
    assert lines.count(UNTESTED) == 3


@pytest.mark.parametrize(
    ("kernel", "line", "watch", "expected", "options"),
    [
        ("called", 17, ["watch total if x == 8"], ["4 9", "9 16"], ()),
        ("called", 3, ["up", "watch total if x == 8"], ["4 9", "9 16"], ("--heuristic",)),
        ("inlined", 27, ["awatch total if x == 8"], ["4 9", "9 16"], ()),
        ("inlined", 5, ["up", "watch total if x == 8"], ["4 9", "9 16"], ()),
        ("recursive", 8, ["tbreak 8", "c", "up", "watch mine if n == 2"],
         ["2 3", "3 103", "103 203", "203 303"], ("--heuristic",)),
    ],
)  # fmt: skip
def test_the_same_frame_in_a_machine_that_is_opened_again(
    program: Path, tmp_path: Path, kernel: str, line: int, watch: list[str], expected: list[str],
    options: tuple[str, ...],
) -> None:  # fmt: skip
    copy = shutil.copy(program, tmp_path)
    again = [f"save {tmp_path}/state", f"load {tmp_path}/state", f"file {copy}", "info watch"]
    lines = lines_of(program, kernel, line, [*watch, *again], *options)
    assert any(" keep y " in line for line in lines)
    assert changes(lines) == expected


@HEURISTIC
@pytest.mark.parametrize(
    ("condition", "expected"),
    [("n == 2", ["0 2", "2 3", "3 103", "103 203", "203 303"]), ("n == 1", [])],
)
def test_recursion(
    program: Path, condition: str, expected: list[str], options: tuple[str, ...]
) -> None:
    lines = lines_of(program, "recursive", 9, [f"watch mine if {condition}"], *options)
    assert changes(lines) == expected


def test_an_object_without_a_frame_has_the_innermost_frame_of_the_names(program: Path) -> None:
    lines = lines_of(program, "recursive", 9, ["watch -location mine if n == 1"], "--heuristic")
    assert changes(lines)[:2] == ["2 3", "103 203"]


def test_an_object_without_a_frame_where_callers_are_unknown(program: Path) -> None:
    lines = lines_of(program, "called", 17, ["watch -location total if x == 7"])
    assert changes(lines) == ["0 1", "1 4", "4 9", "9 16"]
    assert lines.count(UNTESTED) == 4


@HEURISTIC
def test_a_static_name_that_the_callee_hides(program: Path, options: tuple[str, ...]) -> None:
    lines = lines_of(program, "blocks", 40, ["watch total if x == 7"], *options)
    assert changes(lines) == ["0 1", "1 3", "3 5", "5 6"]


@HEURISTIC
def test_a_name_that_an_inner_block_hides(program: Path, options: tuple[str, ...]) -> None:
    lines = lines_of(program, "blocks", 40, ["watch total if q == 1"], *options)
    assert changes(lines) == ["0 1", "1 3", "3 5", "5 6"]


@HEURISTIC
def test_a_block_that_has_ended(program: Path, options: tuple[str, ...]) -> None:
    lines = lines_of(program, "blocks", 43, ["watch total if q == 2"], *options)
    assert changes(lines) == ["1 3", "3 5", "5 6"]
    assert lines.count(UNTESTED) == 2  # the last store of the block is its last instruction


def test_the_lane_is_that_of_the_access(program: Path) -> None:
    lines = lines_of(program, "lanes", 53, ["watch part if id == 9"])
    assert "Thread 1 hit Hardware watchpoint 2, with lane 9: part" in lines
