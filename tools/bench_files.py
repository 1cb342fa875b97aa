"""`tools/bench.py files`: `where --all` and `check` of whole files, beside llvm-dwarfdump.

The files are code objects of Debian's librocsparse0, which must be installed or named by the
variable `LIBRARY_FILE`, and CPython with debugging information. Figures are seconds of the
processor, each the least of three runs in turn.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.objfile.container import open_container
from tools.bench_disas import process
from tools.bench_reader import LARGE
from tools.check_library import LIBRARY

DUMP = "llvm-dwarfdump-19"
SIZES = (300_000, 2_000_000, 6_300_000, 14_100_000)
"""Bytes of the code objects: the nearest in size are taken."""
ROUNDS = 3


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The names and paths of the files that are there."""
    library = os.environ.get("LIBRARY_FILE", LIBRARY)
    if Path(library).exists():
        entries = open_container(library).device_entries()
        for size in SIZES:
            entry = min(entries, key=lambda entry: abs(len(entry.data) - size))
            path = folder / f"{entry.index}.co"
            path.write_bytes(bytes(entry.data))
            yield f"code object {entry.index}", path
    if LARGE.exists():
        yield LARGE.name, LARGE


def bench_files() -> None:
    """Print the table."""
    if shutil.which(DUMP) is None:
        print(f"{DUMP} is not installed")
        return
    python = (sys.executable, "-P", "-m", "dwarfgpu")
    print("| file | MB | question | s | of llvm-dwarfdump's time | peak MB |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, path in files(Path(folder)):
            questions = {
                "`llvm-dwarfdump --all`": (DUMP, "--all", str(path)),
                "`dwarfgpu where --all`": (*python, "where", "--all", str(path)),
                "`dwarfgpu check`": (*python, "check", str(path)),
            }
            runs = {question: [process(questions[question])] for question in questions}
            for _ in range(ROUNDS - 1):
                for question, command in questions.items():
                    runs[question].append(process(command))
            base = min(runs["`llvm-dwarfdump --all`"])[0]
            for question, measured in runs.items():
                seconds, megabytes = min(measured)
                size = path.stat().st_size / 1e6
                ratio = seconds / base
                print(
                    f"| {name} | {size:.1f} | {question} | {seconds:.2f} | {ratio:.1f} "
                    f"| {megabytes} |"
                )
