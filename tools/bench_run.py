"""Wave-instructions a second of `dwarfgpu run`, on one core."""

from __future__ import annotations

import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from dwarfgpu.machine.simulated.started import started
from dwarfgpu.options.launch import prepare_run

_FOLDER = Path(__file__).resolve().parent.parent / "fixtures/run"
_KERNELS = (
    ("integers", "collatz", "a loop of integers, divergent", 256),
    ("integers", "sha_like", "a loop of integers", 256),
    ("floats", "mandelbrot", "a loop of f32, divergent", 256),
    ("integers", "vadd", "memory", 4096),
    ("integers", "scan", "LDS and barriers", 1024),
)
_REPEATS = 3


class _Options(Namespace):
    """Options that are not given are None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def bench_run() -> None:
    """Print a table: the best of some runs, without decoding and compiling."""
    print("| kernel | target | waves | instructions | thousand a second | breakpoint armed |")
    print("|---|---|---|---|---|---|")
    for file, kernel, what, count in _KERNELS:
        for built in ("gfx942.O0", "gfx942.O2", "gfx1100.O2"):
            _row(_FOLDER / f"{file}.{built}.v5.co", kernel, what, count, built)


def _row(path: Path, kernel: str, what: str, count: int, built: str) -> None:
    options = _Options(
        file=str(path),
        kernel=kernel,
        grid=str(count),
        workgroup="64",
        arg=[f"a=range:{count}", f"b=range:{count}", f"out=zeros:{4 * count}"],
    )
    prepared = prepare_run(options)
    rates = []
    waves = instructions = 0
    for breakpoints in (frozenset[int](), frozenset({8})):
        best = float("inf")
        for _ in range(_REPEATS):
            machine = started(prepared.launched, prepared.code_object.images())
            before = time.process_time()
            machine.run(breakpoints=breakpoints)
            best = min(best, time.process_time() - before)
        waves, instructions = len(machine.waves), machine.instructions
        rates.append(f"{instructions / best / 1000:.0f}")
    print(f"| {kernel}: {what} | {built} | {waves} | {instructions} | {' | '.join(rates)} |")
