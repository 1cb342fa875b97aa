"""Compile the kernels of fixtures/run for other targets, run them, and compare what they leave:
`python -m tools.run_kernels gfx900 gfx906 gfx908 gfx1030`. Needs clang with the AMDGPU backend.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_kernels import RUN, left_by

CLANG = os.environ.get("CLANG", "clang-19")


def compiled(source: str, target: str, level: str, folder: Path) -> Path:
    """The code object of a source; `CalledProcessError` if clang refuses it."""
    path = folder / f"{source}.{target}.{level}.co"
    subprocess.run(
        [
            *(CLANG, "-x", "hip", str(RUN / f"{source}.hip"), f"--offload-arch={target}"),
            *("--offload-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib"),
            *("-g", "-gdwarf-5", f"-{level}", "-ffp-contract=off", "-o", str(path)),
        ],
        check=True,
    )
    return path


def main() -> int:
    """Print what differs; 1 if anything does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="+", metavar="GPU")
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for target in parser.parse_args().targets:
            for level in ("O0", "O2"):
                files = {
                    source: compiled(source, target, level, folder)
                    for source in sorted({kernel.file for kernel in KERNELS.values()})
                }
                differing = [
                    problem
                    for kernel_name, kernel in KERNELS.items()
                    if (problem := _problem(kernel_name, files[kernel.file], folder))
                ]
                print(f"{target} {level}: {len(KERNELS) - len(differing)} of {len(KERNELS)}")
                for problem in differing:
                    print(f"  {problem}")
                wrong += len(differing)
    return 1 if wrong else 0


def _problem(name: str, path: Path, folder: Path) -> str:
    """What is wrong with a kernel; empty if nothing is."""
    kernel = KERNELS[name]
    try:
        left = left_by(path, kernel, folder)
    except AssertionError as error:
        return f"{name}: {str(error).splitlines()[0]}"
    expected = kernel.wanted()
    if kernel.is_close:
        is_same = np.allclose(left, expected, rtol=2e-6, atol=2e-4, equal_nan=True)
    else:
        is_same = np.array_equal(left, expected, equal_nan=expected.dtype.kind == "f")
    return "" if is_same else f"{name}: other numbers than the reference has"


if __name__ == "__main__":
    sys.exit(main())
