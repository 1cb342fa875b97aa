"""`tools/bench.py gdb`: values inside GDB, by its own Python and by dwarfgpu, in one run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "fixtures/x86_64/demo.gcc.O0.v5"
INSIDE = ROOT / "tools/bench_gdb_inside.py"
ROWS = 7
"""Of the table."""
SOURCES = 7
"""Runs of GDB in which the file is sourced for the first time."""
TIMED = """
import time
before = time.process_time()
gdb.execute("source {source}")
print("| ", time.process_time() - before)
"""


def bench_gdb() -> None:
    """One table; a line says why where GDB does not run it."""
    gdb = shutil.which("gdb")
    if gdb is None:
        print("gdb is not installed")
        return
    located = [sys.executable, "-m", "dwarfgpu", "gdb-path"]
    output = subprocess.run(located, cwd=ROOT, capture_output=True, text=True, check=True)
    source = output.stdout.strip()
    timed = f"python exec({TIMED.format(source=source)!r})"
    with TemporaryDirectory() as folder:  # for the bytecode, which the first run writes
        _rows(gdb, folder, timed)
        seconds = [float(_rows(gdb, folder, timed)[0].strip("| ")) for _ in range(SOURCES)]
        start = (f"source {source}", "break leaf", "run", "next", "next", "next")
        measures = (f"python measure({number})" for number in range(ROWS))
        rows = _rows(gdb, folder, *start, f"source {INSIDE}", *measures)
    print("| what | GDB, µs | dwarfgpu, µs | times |")
    print("|---|---|---|---|")
    print("\n".join(rows))
    least, most = min(seconds), max(seconds)
    print(f"\nTo source the file: {least:.2f} to {most:.2f} s of the processor, {SOURCES} runs.")


def _rows(gdb: str, folder: str, *commands: str) -> list[str]:
    """The lines of a table that GDB prints."""
    known = {key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    options = [piece for line in commands for piece in ("-ex", line)]
    done = subprocess.run(
        [gdb, "-nx", "-q", "-batch", "-ex", "set debuginfod enabled off", *options, str(PROGRAM)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**known, "PYTHONPYCACHEPREFIX": folder},
    )
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    if not rows or done.stderr.count("Traceback"):
        raise SystemExit(f"gdb does not run it: {(done.stderr.strip() or done.stdout)[-300:]}")
    return rows
