"""The lane in focus stays so where the program stops, whatever it has passed over before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program

SOURCE = """\
__attribute__((device)) __attribute__((noinline)) int depth(int n) {
  if (n <= 1)
    return 0;
  return 1 + depth(n / 2);
}
extern "C" __attribute__((global)) void kernel(int *out) {
  int t = __builtin_amdgcn_workitem_id_x();
  out[t] = depth(t + 1);
}
"""
AGAIN = "tbreak depth", "continue"
"""Up to the next call, which lane 0 does not make."""


@pytest.fixture(scope="module")
def program(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("focus") / "depth.hip"
    return gpu_program(tool, source, SOURCE, "gfx942", "-O0")


def lines_of(program: Path, *commands: str) -> list[str]:
    words = [word for line in commands for word in ("-ex", line)]
    return run(
        "debug", program, "--dispatch", "kernel", "--grid", 64, "--workgroup", 64,
        "--scratch", 4096, "--arg", "out=zeros:256", "--heuristic", "--batch", *words,
    ).lines  # fmt: skip


@pytest.mark.parametrize(
    ("commands", "n"),
    [
        (("until 5",), 5),
        ((*AGAIN, "until 5"), 2),
        ((*AGAIN, "advance 9"), 5),  # where the call returns
        ((*AGAIN, "finish"), 5),
        (("next", "next"), 5),
        (("next 2",), 5),
        (("break depth if n == 77", "next 2"), 5),
        (("break depth", "ignore 2 99", "next 2"), 5),
        (("break depth if n == 77", "until 5"), 5),
    ],
)
def test_a_lane_that_is_inactive_in_deeper_calls(
    commands: tuple[str, ...], n: int, program: Path
) -> None:
    """`n` is 5 in the first call of lane 4, and 2 in the second; the calls go on in lane 63."""
    lines = lines_of(program, "tbreak depth", "run", "lane 4", *commands, "p $_lane", "p n")
    assert [line.partition(" = ")[2] for line in lines[-2:]] == ["4", f"{n}"]
    assert [line.split()[5] for line in lines if line.startswith("[Switching")] == ["4"]


def test_a_lane_that_is_inactive_at_the_stop(program: Path) -> None:
    lines = lines_of(program, "tbreak depth", "run", "until 4", "p $_lane", "p n")
    assert any(line.startswith("[Switching to thread 1, lane 1 (") for line in lines)
    assert lines[-2:] == ["$1 = 1", "$2 = 2"]


@pytest.mark.parametrize(
    ("commands", "lane", "stop"),
    [
        (
            ("break depth if n == 9", "ignore 1 1", "tbreak depth"),
            0,
            "Temporary breakpoint 2, with lanes [0-63], depth (n=1)",
        ),
        (
            ("break depth if n == 9", "break depth if n == 11"),
            8,
            "Breakpoint 1, with lane 8, depth (n=9)",
        ),
    ],
)
def test_breakpoints_at_one_location(
    commands: tuple[str, ...], lane: int, stop: str, program: Path
) -> None:
    """A stop is that of the first one that stops the program."""
    lines = lines_of(program, *commands, "run", "p $_lane")
    assert lines[-1] == f"$1 = {lane}"
    assert any(line.startswith(f"Thread 1 hit {stop}") for line in lines)
