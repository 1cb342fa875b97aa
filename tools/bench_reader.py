"""`tools/bench.py reader`: dwarfgpu, GDB, llvm-dwarfdump and pyelftools on one large file.

Every figure is of a process of its own, from its start to its end, the programs in turn in one
run, so that a machine that slows down slows all of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from attrs import frozen

HERE = Path(__file__).resolve().parent.parent
LARGE = Path("/usr/bin/python3.11d")
"""CPython with debugging information, of the Debian package python3.11-dbg."""
FUNCTION, GLOBAL = "PyList_New", "_Py_NoneStruct"

WALK = """
import sys
from dwarfgpu.dwarf.info import DebugInfo
from dwarfgpu.dwarf.walk import walk
from dwarfgpu.objfile.elf import open_object
entries = 0
for unit in DebugInfo(open_object(sys.argv[1])).units:
    if sys.argv[2] == "index":
        entries += len(unit.tree.offsets)
    else:
        rows = walk(unit.data, unit.header.entries_at, unit.end, unit.abbreviations)
        entries += sum(1 for row in rows)
print(entries)
"""
PYELFTOOLS = """
import sys
from elftools.elf.elffile import ELFFile
with open(sys.argv[1], "rb") as file:
    dwarf = ELFFile(file).get_dwarf_info()
    print(sum(1 for unit in dwarf.iter_CUs() for die in unit.iter_DIEs() if die.tag))
"""


@frozen
class Program:
    """One way to answer a question."""

    name: str
    command: tuple[str, ...]


@frozen
class Run:
    seconds: float
    megabytes: float
    output: str


def run(program: Program) -> Run:
    """One process: seconds of the clock, peak of its memory, what it prints."""
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    start = time.perf_counter()
    with subprocess.Popen(
        program.command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        last = ""
        for line in process.stdout:
            last = line
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    return Run(seconds, usage.ru_maxrss / 1024, last.strip())


def side_by_side(title: str, programs: Sequence[Program], rounds: int) -> dict[str, Run]:
    """The median of several rounds of each program, as rows of a table."""
    runs: dict[str, list[Run]] = {each.name: [] for each in programs}
    for _ in range(rounds):
        for each in programs:
            runs[each.name].append(run(each))
    out: dict[str, Run] = {}
    base = median(each.seconds for each in runs[programs[0].name])
    for name, found in runs.items():
        seconds = median(each.seconds for each in found)
        out[name] = Run(seconds, max(each.megabytes for each in found), found[0].output)
        ratio, megabytes = seconds / base, out[name].megabytes
        print(f"| {title} | {name} | {seconds:.2f} | {ratio:.2f} | {megabytes:.0f} |")
    return out


def address_of(symbol: str, path: Path) -> int:
    sys.path.insert(0, str(HERE))
    from dwarfgpu.objfile.elf import open_object

    return next(each.address for each in open_object(path).symbols if each.name == symbol)


def bench_reader(path: Path = LARGE) -> None:
    """First variable by program location and by name, and walks over all entries."""
    python, pc = sys.executable, address_of(FUNCTION, path) + 0x13
    file, gdb, dump = str(path), shutil.which("gdb"), shutil.which("llvm-dwarfdump-19")
    eval_ = (python, "-m", "dwarfgpu", "eval", "--file", file)
    print("| question | program | seconds | of dwarfgpu's | peak MB |")
    print("|---|---|---|---|---|")
    scope = [Program("dwarfgpu eval --pc", (*eval_, "--pc", hex(pc), "size"))]
    name = [Program("dwarfgpu eval NAME", (*eval_, GLOBAL))]
    if gdb is not None:
        batch = (gdb, "-batch", "-nx", "-ex")
        scope.append(Program("gdb, info scope", (*batch, f"info scope *{pc:#x}", file)))
        name.append(Program("gdb, print", (*batch, f"print {GLOBAL}", file)))
    side_by_side("variable at a pc", scope, 7)
    side_by_side("global variable", name, 7)
    walk = [
        Program("dwarfgpu, all values", (python, "-c", WALK, file, "values")),
        Program("dwarfgpu, index", (python, "-c", WALK, file, "index")),
        Program("pyelftools", (python, "-c", PYELFTOOLS, file)),
    ]
    if dump is not None:
        walk.append(Program("llvm-dwarfdump", (dump, "--debug-info", file)))
    runs = side_by_side("all entries", walk, 3)
    count = int(runs["pyelftools"].output)
    for each in walk:
        print(f"- {each.name}: {count / runs[each.name].seconds:,.0f} entries a second")
