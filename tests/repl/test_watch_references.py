"""`watch -location` of C++ references: the object behind one is watched, as in GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program

SOURCE = """\
#define DEVICE __attribute__((device)) __attribute__((noinline))
struct Pair { int first; int second; int &other; };
DEVICE void count(int want, int &steps, int &&moved, int (&row)[4], Pair &pair) {
  steps = 0;
  while (steps < want)
    steps++;
  moved = 3;
  row[2] = 9;
  pair.first = 4;
  pair.other = 5;
}
extern "C" __attribute__((global)) void kernel(int *out) {
  int own = 7, moved = 1, row[4] = {0, 0, 0, 0};
  int *all = out + 4 * __builtin_amdgcn_workitem_id_x();
  Pair pair{1, 2, own};
  count(3, all[1], static_cast<int &&>(moved), row, pair);
  all[0] = own + moved + row[2] + pair.first;
}
"""


@pytest.fixture(scope="module")
def program(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("references") / "references.hip"
    return gpu_program(tool, source, SOURCE, "gfx942", "-O0")


@pytest.mark.parametrize(
    ("watched", "values"),
    [
        ("watch -l steps", ["21", "0", "0", "1", "1", "2"]),
        ("watch -l *&steps", ["21", "0", "0", "1", "1", "2"]),
        ("watch -l moved", ["1", "3"]),
        ("watch -l row[2]", ["0", "9"]),
        ("watch -l row", ["{0, 0, 0, 0}", "{0, 0, 9, 0}"]),
        ("watch -l pair.first", ["1", "4"]),
        ("watch -l pair.other", ["7", "5"]),
        ("rwatch -l steps", ["0", "0", "1"]),
        ("awatch -l moved", ["1", "3"]),
        ("awatch -l pair.other", ["7", "5"]),
    ],
)
def test_the_object_behind_a_reference(watched: str, values: list[str], program: Path) -> None:
    """GDB 13.1 shows these values on x86-64, where the first is 21, too; `steps` refers to global
    memory, what else there is to the private memory of the lane."""
    commands = ["tbreak count", "run", "lane 5", watched, "c", "c", "c"]
    done = run(
        "debug", program, "--dispatch", "kernel", "--grid", 64, "--workgroup", 64,
        "--scratch", 4096, "--arg", "out=range:256", "--heuristic", "--batch",
        *(word for command in commands for word in ("-ex", command)),
    )  # fmt: skip
    lines = [line.partition("alue = ") for line in done.out.splitlines()]
    assert [value for _, is_value, value in lines if is_value][: len(values)] == values
    assert f"{watched.partition(' ')[2].replace('-l ', '-location ')}" in done.out
