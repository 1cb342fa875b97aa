"""`tools/bench.py names`: names in a core of a program with the debug information of libc, by whole
processes and by repeated commands in one process."""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dwarfgpu.repl import start
from dwarfgpu.repl.open_files import FileOpener
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = (
    "list main", "print nosuchname", "info types color", "bt", "ptype nosuchname", "print malloc",
    "info functions order", "info variables nosuchname", "complete print qsor",
    "complete print abo",
)  # fmt: skip
REPEATED = (*COMMANDS, "print nosuch@", "ptype nosuch@", "list nosuch@", "complete break mall")
"""Commands of one process; `@` is another word each time."""
ROUNDS = 7
REPEATS = 40
GDB_SCRIPT = """\
import json, time
times = {}
for command in COMMANDS:
    times[command] = []
    for number in range(REPEATS):
        line, begin = command.replace("@", f"name{number:02}"), time.process_time()
        try:
            gdb.execute(line, to_string=True)
        except gdb.error:
            pass
        times[command].append(time.process_time() - begin)
print(json.dumps(times))
"""
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
        repeated(program, core, Path(folder))


def repeated(program: str, core: str, folder: Path) -> None:
    """The table of commands that one process runs again."""
    script = folder / "repeated.py"
    script.write_text(f"COMMANDS, REPEATS = {REPEATED}, {REPEATS}\n{GDB_SCRIPT}")
    gdb = ["gdb", "-q", "-nx", "-batch", "-x", str(script), program, core]
    done = subprocess.run(gdb, check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    shell = shell_of(program, core)
    print("\n| command | GDB, first, ms | again | dwarfgpu, first, ms | again | times GDB, again |")
    print("|---|---|---|---|---|---|")
    for command in REPEATED:
        lines = [command.replace("@", f"name{number:02}") for number in range(REPEATS)]
        own = [seconds_of(shell, line) for line in lines]
        row = [own[0], min(own[1:]), theirs[command][0], min(theirs[command][1:])]
        first, again, gdb_first, gdb_again = (1e3 * seconds for seconds in row)
        print(
            f"| `{command}` | {gdb_first:.2f} | {gdb_again:.2f} | {first:.2f} | {again:.2f} | "
            f"{again / gdb_again:.2f} |"
        )


def shell_of(program: str, core: str) -> Shell:
    """The prompt on a core, whose output is kept in memory."""
    parser = argparse.ArgumentParser()
    start.configure(parser)
    args = parser.parse_args(["--file", program, "--core", core])
    opened = FileOpener(args).opened()
    shell = start.debug_shell(opened.session, machine=opened.machine, stdin_is_script=False)
    shell.console = type(shell.console)(Streams(io.StringIO(), io.StringIO()), shell.settings)
    return shell


def seconds_of(shell: Shell, line: str) -> float:
    """Of the processor, for a command."""
    begin = time.process_time()
    shell.execute(line)
    return time.process_time() - begin


def ours(program: str, core: str, command: str, *options: str) -> list[str]:
    """A process of dwarfgpu."""
    debug = [sys.executable, "-m", "dwarfgpu", "debug", program, core, "--batch", *options]
    return [*debug, "-ex", command]
