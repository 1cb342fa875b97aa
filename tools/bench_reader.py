"""`tools/bench.py reader`: dwarfgpu, GDB, llvm-dwarfdump and pyelftools on one large file.

Every figure is of a process of its own, from its start to its end, the programs in turn in one
run, so that a machine that slows down slows all of them. Ratios are of the time of the processor,
which other users of the machine change little.
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
from tempfile import TemporaryDirectory

from dwarfgpu.base.records import frozen

HERE = Path(__file__).resolve().parent.parent
LARGE = Path("/usr/bin/python3.11d")
"""CPython with debugging information, of the Debian package python3.11-dbg."""
FUNCTION, GLOBAL = "PyList_New", "_Py_NoneStruct"

WALK = """
import sys
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.unit_walk import walk
from dwarfgpu.objfile.elf import open_object
entries = 0
for unit in DebugInfo.of(open_object(sys.argv[1])).units:
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
    """Of the clock."""
    processor_seconds: float
    megabytes: float
    output: str


def run(program: Program) -> Run:
    """One process: its time, peak of its memory, last line that it prints."""
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled
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
    processor_seconds = usage.ru_utime + usage.ru_stime
    return Run(seconds, processor_seconds, usage.ru_maxrss / 1024, last.strip())


def side_by_side(title: str, programs: Sequence[Program], rounds: int) -> dict[str, Run]:
    """The median of several rounds of each program, as rows of a table."""
    runs: dict[str, list[Run]] = {program.name: [] for program in programs}
    for _ in range(rounds):
        for sample in programs:
            runs[sample.name].append(run(sample))
    out: dict[str, Run] = {}
    for name, found in runs.items():
        out[name] = Run(
            median(sample.seconds for sample in found),
            median(sample.processor_seconds for sample in found),
            max(sample.megabytes for sample in found),
            found[0].output,
        )
    base = out[programs[0].name].processor_seconds
    for name, sample in out.items():
        ratio = sample.processor_seconds / base
        print(
            f"| {title} | {name} | {sample.seconds:.2f} | {sample.processor_seconds:.2f} | "
            f"{ratio:.2f} | {sample.megabytes:.0f} |"
        )
    return out


def address_of(symbol: str, path: Path) -> int:
    sys.path.insert(0, str(HERE))
    from dwarfgpu.objfile.elf import open_object

    return open_object(path).symbols_named(symbol)[0].address


def with_index(path: Path, folder: Path) -> Path | None:
    """A copy of a file with a `.gdb_index`; None where GDB's tool for it is absent."""
    tool, copy = shutil.which("gdb-add-index"), folder / path.name
    if tool is None:
        return None
    shutil.copy(path, copy)
    subprocess.run([tool, str(copy)], check=True, capture_output=True)
    return copy


def replace(command: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if sample == old else sample for sample in command)


def bench_reader(path: Path = LARGE) -> None:
    """First variable by program location and by name, and walks over all entries."""
    python, pc = sys.executable, address_of(FUNCTION, path) + 0x13
    file, gdb, dump = str(path), shutil.which("gdb"), shutil.which("llvm-dwarfdump-19")
    eval_ = (python, "-m", "dwarfgpu", "eval", "--file", file)
    print("| question | program | seconds | of the processor | of dwarfgpu's | peak MB |")
    print("|---|---|---|---|---|---|")
    scope = [Program("dwarfgpu eval --pc", (*eval_, "--pc", hex(pc), "size"))]
    name = [Program("dwarfgpu eval NAME", (*eval_, GLOBAL))]
    if gdb is not None:
        batch = (gdb, "-batch", "-nx", "-ex")
        scope.append(Program("gdb, info scope", (*batch, f"info scope *{pc:#x}", file)))
        name.append(Program("gdb, print", (*batch, f"print {GLOBAL}", file)))
    side_by_side("variable at a pc", scope, 7)
    side_by_side("global variable", name, 7)
    with TemporaryDirectory() as folder:
        copy = with_index(path, Path(folder))
        if copy is not None:
            indexed = [replace(sample.command, file, str(copy)) for sample in name]
            named = [Program(a.name, b) for a, b in zip(name, indexed, strict=True)]
            side_by_side("global variable, .gdb_index", named, 7)
    where = (python, "-m", "dwarfgpu", "where", "--file", file)
    side_by_side("all of a name", [Program("dwarfgpu where NAME", (*where, GLOBAL))], 3)
    walk = [
        Program("dwarfgpu, all values", (python, "-c", WALK, file, "values")),
        Program("dwarfgpu, index", (python, "-c", WALK, file, "index")),
        Program("pyelftools", (python, "-c", PYELFTOOLS, file)),
    ]
    if dump is not None:
        walk.append(Program("llvm-dwarfdump", (dump, "--debug-info", file)))
    runs = side_by_side("all entries", walk, 3)
    count = int(runs["pyelftools"].output)
    for die in walk:
        rate = count / runs[die.name].processor_seconds
        print(f"- {die.name}: {rate:,.0f} entries a second of the processor")
