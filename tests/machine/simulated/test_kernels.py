"""Compiled kernels leave in memory what their source says: on every target, at both levels.

Each kernel runs on every target: the first at O0 on gfx90a and gfx1100 and at O2 on the other two,
the next one the other way round. `tools/run_kernels.py` compiles and runs all at both levels."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import buffers, machine_of_dispatch
from dwarfgpu.machine.simulated.storage.global_memory import Allocation
from dwarfgpu.options.opened_launch import Prepared, prepare_run
from tests.cli.command import FIXTURES
from tests.machine.simulated.kernels import COUNT, KERNELS, Array, Kernel

RUN = FIXTURES / "run"
BUILT = [
    f"{target}.{level}"
    for target in ("gfx90a", "gfx942", "gfx1100", "gfx1200")
    for level in ("O0", "O2")
]


class Arguments(Namespace):
    """Options that are not given are None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def prepared(path: Path, kernel: Kernel, folder: Path) -> Prepared:
    """The dispatch of a kernel."""
    given = []
    for name, array in zip("ab", kernel.inputs()[:2], strict=True):
        (folder / name).write_bytes(array.tobytes())
        given.append(f"{len(given)}=@{folder / name}")
    out = kernel.inputs()[2]
    arguments = Arguments(
        file=str(path), kernel=kernel.name, grid=str(COUNT), workgroup="64",
        arg=[*given, f"2=zeros:{out.nbytes}"],
        scratch=None if kernel.scratch_bytes is None else str(kernel.scratch_bytes),
    )  # fmt: skip
    return prepare_run(arguments)


def begun(
    path: Path, kernel: Kernel, folder: Path, *, tracks_writes: bool = False
) -> tuple[RunningMachine, Allocation]:
    """A kernel before its first instruction, and its output."""
    made = prepared(path, kernel, folder)
    segments = made.code_object.loaded_segments()
    machine = machine_of_dispatch(made.launched, segments, tracks_writes=tracks_writes)
    return machine, list(buffers(made.launched, machine).values())[2]


def left_by(path: Path, kernel: Kernel, folder: Path) -> Array:
    """The output of a kernel that has run."""
    machine, memory = begun(path, kernel, folder)
    stopped = machine.run()
    assert stopped is None, stopped and (stopped.text, hex(stopped.wave.pc))
    out = kernel.inputs()[2]
    return np.frombuffer(memory.data[: out.nbytes].tobytes(), out.dtype)


CASES = [
    (name, built)
    for number, name in enumerate(KERNELS)
    for at, built in enumerate(BUILT)
    if (number + at // 2 + at) % 2 == 0
]
CASES += [(name, "gfx908.O2") for name in KERNELS if KERNELS[name].file == "integers"]
CASES += [(name, "gfx1030.O2") for name in KERNELS if KERNELS[name].file == "floats"]


@pytest.mark.parametrize(("name", "built"), CASES)
def test_a_kernel(name: str, built: str, tmp_path: Path) -> None:
    kernel = KERNELS[name]
    left = left_by(RUN / f"{kernel.file}.{built}.v5.co", kernel, tmp_path)
    expected = kernel.wanted()
    if kernel.is_close:
        np.testing.assert_allclose(left, expected, rtol=2e-6, atol=2e-4)
        return
    np.testing.assert_array_equal(left, expected)
