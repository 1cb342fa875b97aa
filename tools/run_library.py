#!/usr/bin/env python3
"""Run kernels of a library on simulated wavefronts, and compare what they compute with SciPy:
`tools/run_library.py [FILE] [--target GPU]...`, by default of Debian's librocsparse0.

Prints a table: each kernel on each GPU, with the instructions of its waves, or why it does not run.
1 for a difference. Exits with 0 where the library or SciPy is not installed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from dwarfgpu.base.npy import Npy, npy_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.demangle import demangled
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.container import open_container
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.options.opened_launch import prepare_run
from dwarfgpu.service.run.run_kernel import run_kernel
from tools.check_library import LIBRARY

Array = np.ndarray[Any, Any]
TARGETS: Final = ("gfx900:xnack-", "gfx906:xnack-", "gfx90a:xnack-", "gfx1030")
ROWS, COLUMNS = 200, 150
SEED: Final = 20


class Options(Namespace):
    """Options that are not given are None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


@frozen
class Case:
    """A kernel with arguments, and what its outputs should contain."""

    kernel: str
    """Its name with template arguments, as demangled."""
    grid: int
    workgroup: int
    arguments: tuple[Array | int | float | bytes, ...]
    expected: dict[int, Array]
    """By the number of the argument."""
    tolerance: float = 0.0
    """Relative; sums of floating point numbers have another order here."""


def blocks(items: int, size: int) -> int:
    """Work-items of whole workgroups."""
    return -(-items // size) * size


def cases() -> Iterator[Case]:
    """All kernels; matrices are of SciPy, indices begin with 0."""
    from scipy.sparse import random as random_matrix

    rng = np.random.default_rng(SEED)
    matrix = random_matrix(ROWS, COLUMNS, 0.05, "csr", np.float32, random_state=rng)
    matrix.sort_indices()
    coo = matrix.tocoo()
    count, values = matrix.nnz, matrix.data
    pointers, columns = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    rows = coo.row.astype(np.int32)
    x = rng.normal(size=COLUMNS).astype(np.float32)
    y = rng.normal(size=ROWS).astype(np.float32)
    product = (matrix.astype(float) @ x.astype(float)).astype(np.float32)

    few = 300
    index = rng.permutation(1000)[:few].astype(np.int32)
    sparse = rng.normal(size=few).astype(np.float32)
    dense = rng.normal(size=1000).astype(np.float32)

    def at(change: Callable[[Array], Array | float]) -> Array:
        out = dense.copy()
        out[index] = change(out[index])
        return out

    yield Case(
        "axpyi_kernel<256u, int, float, float>", blocks(few, 256), 256,
        (few, 1.5, sparse, index, dense, 0),
        {4: at(lambda old: old + np.float32(1.5) * sparse)}, 1e-5,
    )  # fmt: skip
    yield Case(
        "gthr_kernel<512u, int, float>", blocks(few, 512), 512,
        (few, dense, np.zeros(few, np.float32), index, 0), {2: dense[index]},
    )  # fmt: skip
    yield Case(
        "gthrz_kernel<512u, float>", blocks(few, 512), 512,
        (few, dense, np.zeros(few, np.float32), index, 0),
        {2: dense[index], 1: at(lambda old: 0.0)},
    )  # fmt: skip
    yield Case(
        "sctr_kernel<512u, int, float>", blocks(few, 512), 512,
        (few, sparse, index, dense, 0), {3: at(lambda old: sparse)},
    )  # fmt: skip
    cosine, sine = np.float32(0.6), np.float32(0.8)
    yield Case(
        "roti_kernel<512u, int, float, float>", blocks(few, 512), 512,
        (few, sparse, index, dense, 0.6, 0.8, 0),
        {
            1: cosine * sparse + sine * dense[index],
            3: at(lambda old: cosine * old - sine * sparse),
        },
        1e-4,
    )  # fmt: skip
    whole = np.arange(few, dtype=np.float32) % 7
    at_whole = np.round(dense * 4).astype(np.float32)
    parts = np.zeros(256, np.float32)
    chunks = [whole[n : n + 256] @ at_whole[index[n : n + 256]] for n in (0, 256)]
    parts[:2] = chunks
    yield Case(
        "doti_kernel_part1<256u, int, float>", 512, 256,
        (few, whole, index, at_whole, np.zeros(256, np.float32), 0), {4: parts},
    )  # fmt: skip
    yield Case(
        "doti_kernel_part2<256u, float>", 256, 256,
        (parts, np.zeros(1, np.float32)), {1: np.array([parts.sum()], np.float32)},
    )  # fmt: skip
    yield Case(
        "csr2coo_kernel<512u, 4u, int, int>", blocks(4 * ROWS, 512), 512,
        (ROWS, pointers, np.zeros(count, np.int32), 0), {2: rows},
    )  # fmt: skip
    yield Case(
        "coo2csr_kernel<512u, int, int>", blocks(ROWS, 512), 512,
        (ROWS, count, rows, np.zeros(ROWS + 1, np.int32), 0), {3: pointers},
    )  # fmt: skip
    yield Case(
        "csrmvn_general_kernel<512u, 8u, int, int, float, float>", blocks(8 * ROWS, 512), 512,
        (0, ROWS, 2.0, pointers, columns, values, x, 0.5, y, 0),
        {8: 2 * product + np.float32(0.5) * y}, 1e-4,
    )  # fmt: skip
    yield Case(
        "coomvn_atomic_loops<256u, 1u, int, float, float>", blocks(count, 256), 256,
        (count, 2.0, rows, columns, values, x, y, 0), {6: 2 * product + y}, 1e-4,
    )  # fmt: skip
    turned = (matrix.T.astype(float) @ y.astype(float)).astype(np.float32)
    yield Case(
        "coomvt_kernel<1024u, int, float, float>", blocks(count, 1024), 1024,
        (112, count, 2.0, rows, columns, values, y, x, 0), {7: 2 * turned + x}, 1e-4,
    )  # fmt: skip
    width = int(np.diff(pointers).max())
    ell_columns = np.full((width, ROWS), -1, np.int32)
    ell_values = np.zeros((width, ROWS), np.float32)
    for row in range(ROWS):
        for at_row, entry in enumerate(range(pointers[row], pointers[row + 1])):
            ell_columns[at_row, row], ell_values[at_row, row] = columns[entry], values[entry]
    yield Case(
        "csr2ell_kernel<512u, float>", blocks(ROWS, 512), 512,
        (ROWS, values, pointers, columns, 0, width, np.zeros_like(ell_columns),
         np.ones_like(ell_values), 0),
        {6: ell_columns, 7: ell_values},
    )  # fmt: skip
    yield Case(
        "ellmvn_kernel<512u, int, float, float>", blocks(ROWS, 512), 512,
        (ROWS, COLUMNS, width, 2.0, ell_columns, ell_values, x, 0.5, y, 0),
        {8: 2 * product + np.float32(0.5) * y}, 1e-4,
    )  # fmt: skip
    full = np.asfortranarray(matrix.toarray())
    yield Case(
        "nnz_kernel_row<64, 16, int, int, float>", blocks(ROWS * 4, 1024), 1024,
        (1, ROWS, COLUMNS, full.T, ROWS, np.zeros(ROWS, np.int32)), {5: np.diff(pointers)},
    )  # fmt: skip
    yield Case(
        "coo2dense_kernel<512u, int, float>", blocks(count, 512), 512,
        (ROWS, COLUMNS, count, ROWS, 0, values, rows, columns, np.zeros_like(full.T), 1),
        {8: np.ascontiguousarray(full.T)},
    )  # fmt: skip
    order = rng.permutation(count).astype(np.int32)
    yield Case(
        "csr2csc_permute_kernel<512u, float>", blocks(count, 512), 512,
        (count, rows, values, order, np.zeros(count, np.int32), np.zeros(count, np.float32)),
        {4: rows[order], 5: values[order]},
    )  # fmt: skip
    yield Case(
        "axpby_scale_kernel<256u, int, float, float>", blocks(1000, 256), 256,
        (1000, 0.5, dense), {2: dense * np.float32(0.5)},
    )  # fmt: skip


@frozen
class Found:
    """A kernel in a code object of the library."""

    path: Path
    kernel: str


class Library:
    """The code objects of one target."""

    def __init__(self, path: str, target: str, folder: Path) -> None:
        entries = open_container(path).entries
        self._entries = [
            entry for entry in entries if entry.target and str(entry.target).endswith(target)
        ]
        self._folder = folder / target.replace(":", "-")
        self._folder.mkdir()

    def kernel(self, name: str) -> Found | None:
        """Where a kernel is, as a file of its own; the name is demangled, with or without its
        parameters."""
        needle = re.split("[<(]", name)[0].encode()
        for entry in self._entries:
            data = bytes(entry.data)
            if needle not in data:
                continue
            path = self._folder / f"{entry.index}.co"
            path.write_bytes(data)
            for kernel in read_gpu_code(open_object(path)).kernels:
                shown = demangled(kernel.name) or ""
                if shown.endswith(f"::{name}") or f" {name}(" in shown:
                    return Found(path, kernel.name)
        return None


def given(value: Array | float | bytes, folder: Path, number: int) -> str:
    """An argument as `dwarfgpu run` takes it."""
    if isinstance(value, np.ndarray):
        path = folder / f"{number}.npy"
        array = np.ascontiguousarray(value)
        path.write_bytes(npy_bytes(Npy(array.dtype.str, array.shape, array.tobytes())))
        return f"{number}=@{path}"
    if isinstance(value, bytes):
        return f"{number}=bytes:{value.hex()}"
    if isinstance(value, float):
        return f"{number}=bytes:{np.float32(value).tobytes().hex()}"
    return f"{number}={value}"


def outcome(case: Case, library: Library, folder: Path) -> tuple[str, bool]:
    """What a table says of a case, and whether it is as SciPy has it."""
    kernel = library.kernel(case.kernel)
    if kernel is None:
        return "not in the library", False
    arguments = [given(value, folder, n) for n, value in enumerate(case.arguments)]
    options = Options(
        file=str(kernel.path), kernel=kernel.kernel, grid=str(case.grid),
        workgroup=str(case.workgroup), arg=arguments,
    )  # fmt: skip
    try:
        prepared = prepare_run(options)
        result = run_kernel(prepared.code_object, prepared.launched)
    except DwarfGpuError as error:
        return str(error), False
    if result.stop is not None:
        return f"{result.stop.reason}: {result.stop.text}", False
    parameters = prepared.launched.request.parameters
    for number, wanted in case.expected.items():
        name = parameters[number].name or str(parameters[number].argument.offset_bytes)
        array = np.frombuffer(result.outputs[name].data, wanted.dtype)
        if not np.allclose(array, wanted.ravel(), rtol=case.tolerance, atol=case.tolerance):
            wrong = int(np.flatnonzero(~np.isclose(array, wanted.ravel(), case.tolerance))[0])
            return (
                f"argument {number}, item {wrong}: {array[wrong]}, not {wanted.flat[wrong]}",
                False,
            )
    return f"{result.machine.instructions:,}", True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default=LIBRARY)
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--kernel", default="", help="only kernels with this in their names")
    options = parser.parse_args()
    if not Path(options.file).exists():
        print(f"{options.file} is not installed")
        return 0
    try:
        every = [case for case in cases() if options.kernel in case.kernel]
    except ModuleNotFoundError as error:
        print(f"{error.name} is not installed")
        return 0
    return report(options.file, options.target or TARGETS, every)


def report(file: str, targets: Sequence[str], every: Sequence[Case]) -> int:
    """Run cases, and print the table; the exit status."""
    failures = 0
    print(f"| Kernel | {' | '.join(target.partition(':')[0] for target in targets)} |")
    print(f"|---|{'---:|' * len(targets)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        libraries = [Library(file, target, folder) for target in targets]
        for case in every:
            cells = []
            for library in libraries:
                text, is_right = outcome(case, library, folder)
                failures += not is_right
                cells.append(text)
            print(f"| `{case.kernel}` | {' | '.join(cells)} |", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
