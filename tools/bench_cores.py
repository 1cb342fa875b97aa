"""`tools/bench.py cores`: core files of AMD GPUs with many waves, small ones and sparse ones."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.core.gpu.code_objects import LoadedUri
from dwarfgpu.machine.core.gpu.process_image import ProcessImage, QueueImage, process_core
from dwarfgpu.machine.core.gpu.save_area_write import GroupImage, WaveImage
from dwarfgpu.machine.core.gpu.state_image import image_of_state
from dwarfgpu.machine.core.write import LoadedRange, core_parts, core_state_note
from dwarfgpu.machine.state.load import load_state

STATE: Final = Path(__file__).resolve().parent.parent / "fixtures/states/call.gfx942.O0.json"
WAVES: Final = 10_000
SPARSE_BYTES: Final = 64 << 30
_MEASURE: Final = """
import sys, time
from dwarfgpu.cli.main import main
began = time.process_time()
try:
    status = main(sys.argv[1:])
except SystemExit as ended:
    status = ended.code
seconds = time.process_time() - began
with open("/proc/self/status", encoding="ascii") as status:  # of the parent too, by getrusage
    [peak] = (line.split()[1] for line in status if line.startswith("VmHWM"))
print(f"{seconds:.3f} {peak}", file=sys.stderr)
"""


def image_of(waves: int) -> ProcessImage:
    """The kernel of a fixture in that many waves, one with a memory violation."""
    state = load_state(STATE)
    objects = [
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    ]
    uris = [
        LoadedUri(f"file://{code_object.file.path}", code_object.load_address)
        for code_object in objects
    ]
    loaded = [
        (image.address, image.read(0, image.size_bytes))
        for code_object in objects
        for image in code_object.loaded_segments()
        if not image.is_writable
    ]
    pcs = {wave.wave: wave.pc for wave in state.waves}
    image = image_of_state(state.target, pcs, uris, loaded).image
    [queue] = image.queues
    [[group]] = queue.groups
    [wave] = group.waves
    faulty = evolve(wave, registers={**wave.registers, **_violation(wave)})
    groups = [group] * waves
    groups[waves // 2] = GroupImage((faulty,), group.lds)
    return evolve(
        image,
        queues=(evolve(queue, groups=(tuple(groups),)),),
        memory=tuple(_with_scratch(image, queue)),
    )


def _with_scratch(image: ProcessImage, queue: QueueImage) -> Iterator[tuple[int, bytes]]:
    """The memory with all of the scratch; a state knows only a few of its lanes."""
    first, scratch = queue.scratch_address, bytearray(queue.scratch_bytes)
    for address, data in image.memory:
        if first <= address < first + len(scratch):
            scratch[address - first : address - first + len(data)] = data
        else:
            yield address, data
    yield first, bytes(scratch)


def _violation(wave: WaveImage) -> dict[str, bytes]:
    """TRAPSTS with xnack_error, and TTMP6 of a wave that the trap handler stopped."""
    stopped = int.from_bytes(wave.registers["ttmp6"], "little") | 1 << 30
    return {
        "trapsts": (1 << 28).to_bytes(4, "little"),
        "ttmp6": stopped.to_bytes(4, "little"),
        "pc": wave.registers["pc"],
    }


def write(path: Path, waves: int, sparse_bytes: int = 0) -> None:
    """A core file; `sparse_bytes` of memory that is a hole in the file."""
    state, ranges = process_core(image_of(waves))
    with path.open("wb") as file:
        if not sparse_bytes:
            file.writelines(core_parts([core_state_note(state)], ranges))
            return
        hole = LoadedRange(0x1000_0000_0000, _Hole(sparse_bytes))
        for part in core_parts([core_state_note(state)], [hole, *ranges]):
            if isinstance(part, _Hole):
                file.seek(len(part), os.SEEK_CUR)
            else:
                file.write(part)


class _Hole(bytes):
    """Zeros that are not written."""

    def __new__(cls, size_bytes: int) -> _Hole:
        made = super().__new__(cls)
        made.size_bytes = size_bytes
        return made

    size_bytes: int

    def __len__(self) -> int:
        return self.size_bytes


def measured(*arguments: str | Path) -> tuple[float, int]:
    """Seconds of the processor and peak memory in KiB of a command, without the start of Python.

    The best of three runs.
    """
    result = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", _MEASURE, *map(str, arguments)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        seconds, peak = done.stderr.split()[-2:]
        result.append((float(seconds), int(peak)))
    return min(result)


def rows(folder: Path) -> Iterator[tuple[str, str, float, int]]:
    for title, hole in (("", 0), (", sparse 64 GiB", SPARSE_BYTES)):
        path = folder / "gpu.core"
        write(path, WAVES, hole)
        name = f"{WAVES} waves{title}"
        yield name, "open and summary: `waves`", *measured("waves", path)
        yield name, "`bt` of the faulty wave", *measured("bt", path)
        if not hole:
            yield (
                name,
                "`eval n` in 64 lanes of every wave",
                *measured("eval", path, "--wave", "all", "--lane", "all", "n"),
            )


def bench_cores() -> None:
    """Print the table."""
    print("| core | question | seconds | peak MiB |\n|---|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        for name, question, seconds, peak in rows(Path(folder)):
            print(f"| {name} | {question} | {seconds:.2f} | {peak / 1024:.0f} |", flush=True)
    print(f"\n{time.perf_counter() - began:.0f} s in all")
