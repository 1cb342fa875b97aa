"""`tools/bench.py batch`: `dwarfgpu check` of every code object of Debian's librocsparse0.

The library must be installed, or the variable `BATCH_FILE` names it or another file or folder;
`BATCH_TARGET` is the GPU whose code objects are checked alone. Seconds of the processor are
those of all processes, memory is that of the largest one.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from dwarfgpu.base.records import frozen
from tools.check_library import LIBRARY

TOTAL = re.compile(r"total: (\d+) files?: .*")


@frozen
class Run:
    """One run of the command."""

    files: int
    seconds: float
    processor_seconds: float
    peak_megabytes: int


def check(path: str, jobs: int, folder: Path) -> Run:
    """Check in as many processes; 0 for the command's own."""
    command = [sys.executable, "-m", "dwarfgpu", "check", path]
    command += ["--jobs", str(jobs)] if jobs else []
    if target := os.environ.get("BATCH_TARGET"):
        command += ["--target", target]
    output = folder / f"check.{jobs}"
    actions = [
        (os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    started = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    used = os.wait4(child, 0)[2]  # of its processes too, which it has waited for
    seconds = time.perf_counter() - started
    last = TOTAL.fullmatch(output.read_text("utf-8").splitlines()[-1])
    if last is None:
        raise SystemExit(f"{' '.join(command)} did not finish")
    return Run(int(last[1]), seconds, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10)


def bench_batch() -> None:
    """Print the table."""
    path = os.environ.get("BATCH_FILE", LIBRARY)
    if not Path(path).exists():
        print(f"{path} is not installed; BATCH_FILE names another file")
        return
    print("| processes | files | s | s of the processor | files/s | largest process, MB |")
    print("|---|--:|--:|--:|--:|--:|")
    runs = {}
    with tempfile.TemporaryDirectory() as folder:
        for jobs in (1, 2):
            run = runs[jobs] = check(path, jobs, Path(folder))
            print(
                f"| `--jobs {jobs}` | {run.files:,} | {run.seconds:.0f} | "
                f"{run.processor_seconds:.0f} | {run.files / run.seconds:.2f} | "
                f"{run.peak_megabytes} |",
                flush=True,
            )
        one, two = (Path(folder, f"check.{jobs}").read_bytes() for jobs in (1, 2))
    same = "the same" if one == two else "DIFFERENT"
    print(f"\nTwo processes: {runs[1].seconds / runs[2].seconds:.2f} times as fast; {same} output.")
