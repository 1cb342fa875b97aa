"""`tools/bench.py names`: names in a core of a program with the debug information of libc."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = (
    "list main", "print nosuchname", "info types color", "bt", "ptype nosuchname", "print malloc",
    "info functions order", "info variables nosuchname", "complete print qsor",
    "complete print abo",
)  # fmt: skip
ROUNDS = 7
SOURCE = """\
#include <stdlib.h>
enum color { red, green };
struct shape { enum color color; int sides; };
static int order(const void *a, const void *b) {
  const struct shape *x = a, *y = b;
  if (y->sides == 9) abort();
  return x->sides - y->sides;
}
int main(void) {
  struct shape shapes[] = {{red, 3}, {green, 4}, {red, 9}};
  qsort(shapes, 3, sizeof *shapes, order);
  return 0;
}
"""


def core_of(folder: Path) -> tuple[Path, Path]:
    """The program, and its core where it called abort."""
    source, program, core = folder / "prog.c", folder / "prog", folder / "core"
    source.write_text(SOURCE)
    subprocess.run(["gcc", "-g", "-O0", "-o", program, source], check=True)
    script = ["-ex", "run", "-ex", f"generate-core-file {core}"]
    subprocess.run(
        ["gdb", "-q", "-nx", "-batch", *script, program], check=True, capture_output=True
    )
    return program, core


def seconds(command: list[str]) -> float:
    """Of the processor, for a whole process."""
    child = os.posix_spawnp(
        command[0], command, os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (1, 2)],
    )  # fmt: skip
    used = os.wait4(child, 0)[2]
    return used.ru_utime + used.ru_stime


def bench_names() -> None:
    """The table of docs/benchmarks.md."""
    if shutil.which("gdb") is None or shutil.which("gcc") is None:
        print("gdb and gcc are not both installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        program, core = map(str, core_of(Path(folder)))
        os.environ["XDG_CACHE_HOME"] = folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(2):  # the second process makes the index
            seconds(ours(program, core, COMMANDS[0]))
        print("| command | GDB, s | no index, s | index, s | times GDB | times, index |")
        print("|---|---|---|---|---|---|")
        for command in COMMANDS:
            gdb = ["gdb", "-q", "-nx", "-batch", "-ex", command, program, core]
            ways = (
                gdb, ours(program, core, command, "--no-cache"), ours(program, core, command)
            )  # fmt: skip
            rows = [tuple(map(seconds, ways)) for _ in range(ROUNDS)]
            theirs, plain, own = (statistics.median(column) for column in zip(*rows, strict=True))
            print(
                f"| `{command}` | {theirs:.2f} | {plain:.2f} | {own:.2f} | "
                f"{plain / theirs:.2f} | {own / theirs:.2f} |"
            )


def ours(program: str, core: str, command: str, *options: str) -> list[str]:
    """A process of dwarfgpu."""
    debug = [sys.executable, "-m", "dwarfgpu", "debug", program, core, "--batch", *options]
    return [*debug, "-ex", command]
