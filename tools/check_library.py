#!/usr/bin/env python3
"""Read a library with very many code objects, as Debian's librocsparse0, which must be installed:
`tools/check_library.py [FILE] [--count N]` prints a table of docs/benchmarks.md.

It lists the code objects, looks in N of the smaller ones for the LDS variables of functions without
name, and compares them entry by entry with llvm-dwarfdump.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.scope.nameless_functions import nameless_variables, owners_of
from dwarfgpu.objfile.bundle import BundleEntry
from dwarfgpu.objfile.container import Container, open_container
from tools.readers import differences

LIBRARY = "/usr/lib/x86_64-linux-gnu/librocsparse.so.0"
DUMP = "llvm-dwarfdump-19"
MAX_BYTES = 300_000
"""Of a code object that is looked at."""


def listing(path: str) -> tuple[float, int]:
    """Seconds of the processor and peak megabytes of `dwarfgpu info`, as a process."""
    command = [sys.executable, "-m", "dwarfgpu", "info", path]
    nothing = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (1, 2)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=nothing)
    used = os.wait4(child, 0)[2]
    return used.ru_utime + used.ru_stime, used.ru_maxrss >> 10


def counts(container: Container, entries: list[BundleEntry]) -> Counter[str]:
    """What is in some code objects."""
    out: Counter[str] = Counter()
    for entry in entries:
        out["code objects looked at"] += 1
        for unit in DebugInfo.of(container.open_entry(entry)).units:
            out["entries"] += len(unit.tree.offsets)
            for variable in nameless_variables(unit):
                if variable.die.has(dw.AT_LOCATION):
                    owners = {(owner.name or "").partition("<")[0] for owner in owners_of(variable)}
                    out["LDS variables of nameless functions"] += 1
                    out["… that belong to one function or template"] += len(owners) == 1
    return out


def compared(entries: list[BundleEntry]) -> Counter[str]:
    """How many llvm-dwarfdump prints otherwise."""
    out: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for entry in entries:
            path = Path(folder) / "code.co"
            path.write_bytes(bytes(entry.data))
            result = list(differences(path, DUMP))
            out["… compared with llvm-dwarfdump"] += 1
            out["… that differ"] += bool(result)
            for item in result[:3]:
                print(f"{entry.index}: {item}", file=sys.stderr)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", default=LIBRARY)
    parser.add_argument("--count", type=int, default=8)
    arguments = parser.parse_args()
    if not Path(arguments.path).exists():
        print(f"{arguments.path} does not exist; install librocsparse0, or give a file")
        return 0
    used, megabytes = listing(arguments.path)
    container = open_container(arguments.path)
    print("| what | |\n|---|---|")
    print(f"| `info`, seconds of the processor | {used:.2f} |")
    print(f"| `info`, peak MB | {megabytes} |")
    print(f"| bundle entries | {len(container.entries)} |")
    small = [
        device_entry
        for device_entry in container.device_entries()
        if len(device_entry.data) <= MAX_BYTES
    ]
    chosen = small[:: max(len(small) // arguments.count, 1)][: arguments.count]
    rows = counts(container, chosen)
    if shutil.which(DUMP) is not None:
        rows.update(compared(chosen))
    for what, count in rows.items():
        print(f"| {what} | {count:,} |")
    return 1 if rows["… that differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
