"""`tools/bench.py disas`: instructions a second, side by side with llvm-objdump-19.

The file is a code object of some 6 MB of Debian's librocsparse0, which must be installed, or one
that the variable `DISAS_FILE` names. Figures are seconds of the processor.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from dwarfgpu.isa.decode import decoder
from dwarfgpu.objfile.container import open_container
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.target_id import target_of_flags
from tools.check_library import LIBRARY

OBJDUMP = "llvm-objdump-19"
BYTES = 6_000_000
LARGE = 100_000_000
"""Bytes of the code whose decoding must not need memory."""


def code_object(folder: Path) -> Path | None:
    """The file that is measured; None if there is none."""
    if path := os.environ.get("DISAS_FILE"):
        return Path(path)
    if not Path(LIBRARY).exists():
        return None
    entries = [
        entry for entry in open_container(LIBRARY).entries if entry.id.endswith("gfx90a:xnack-")
    ]
    entry = min(entries, key=lambda entry: abs(len(entry.data) - BYTES))
    path = folder / "code.co"
    path.write_bytes(bytes(entry.data))
    return path


def process(command: Sequence[str]) -> tuple[float, int]:
    """Seconds of the processor and peak megabytes of a process."""
    nothing = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (1, 2)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=nothing)
    used = os.wait4(child, 0)[2]
    return used.ru_utime + used.ru_stime, used.ru_maxrss >> 10


def bench_disas() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = code_object(Path(folder))
        if path is None:
            print(f"{LIBRARY} is not installed")
            return
        rows(path)
        large(Path(folder) / "large.co", path)


def rows(path: Path) -> None:
    elf = open_object(path)
    text = elf.sections_by_name[".text"]
    data = elf.data_of(text)
    start = time.process_time()
    decode = decoder(target_of_flags(elf).processor)
    made = time.process_time()
    count = sum(1 for instruction in decode.instructions(data) if instruction)
    decoded = time.process_time()
    texts = sum(1 for instruction in decode.instructions(data) if instruction and instruction.text)
    shown = time.process_time()
    assert texts == count
    print(f"{count:,} instructions, {len(data):,} bytes of code\n")
    print("| what | s | instructions/s | of llvm-objdump's time | peak MB |\n|---|---|---|---|---|")
    theirs = None
    if shutil.which(OBJDUMP):
        theirs, peak = process([OBJDUMP, "-d", str(path)])
        row(f"`{OBJDUMP} -d`", theirs, count, theirs, peak)
        row(f"`{OBJDUMP} -d -l`", *_with_lines(path, count, theirs))
    row("a decoder from the tables", made - start, 0, theirs)
    row("decoding", decoded - made, count, theirs)
    row("decoding and text", shown - decoded, count, theirs)
    command = [sys.executable, "-m", "dwarfgpu", "disas", str(path)]
    for more in (
        ["--no-source", "--no-bytes"],
        ["--no-source"],
        ["--no-source", "--registers"],
        [],
    ):
        seconds, peak = process([*command, *more])
        row(f"`{' '.join(['dwarfgpu disas', *more])}`", seconds, count, theirs, peak)


def _with_lines(path: Path, count: int, theirs: float) -> tuple[float, int, float, int]:
    seconds, peak = process([OBJDUMP, "-d", "-l", str(path)])
    return seconds, count, theirs, peak


def row(name: str, seconds: float, count: int, theirs: float | None, peak: int = 0) -> None:
    rate = f"{count / seconds:,.0f}" if count else ""
    times = f"{seconds / theirs:.1f}" if theirs else ""
    print(f"| {name} | {seconds:.2f} | {rate} | {times} | {peak or ''} |")


def large(path: Path, pattern: Path) -> None:
    """One function of 100 MB: the code section of a file, repeated to the end of the file."""
    from dwarfgpu.dwarf.code_object import CodeObject
    from dwarfgpu.service.code.disassembly import Disassembly

    elf = open_object(pattern)
    text = elf.sections_by_name[".text"]
    head = bytearray(pattern.read_bytes())
    code = bytes(elf.data_of(text))
    times = LARGE // len(code) + 1
    header = int.from_bytes(head[40:48], "little") + 64 * text.index
    head[header + 24 : header + 32] = len(head).to_bytes(8, "little")
    head[header + 32 : header + 40] = (times * len(code)).to_bytes(8, "little")
    with path.open("wb") as file:
        file.write(head)
        for _ in range(times):  # not at once: children begin with the peak of their parent
            file.write(code)
    made = Disassembly(CodeObject.open(path))
    item = max(made.ranges, key=lambda span: span.end - span.begin)
    print(f"\nlongest range of the large file: {item.end - item.begin:,} bytes")
    command = [sys.executable, "-m", "dwarfgpu", "disas", str(path), "--no-source"]
    for most in (1_000_000, 10_000_000):
        _, peak = process([*command, f"{item.begin:#x},+{most}"])
        print(f"peak of {most:,} bytes of it: {peak} MB")
