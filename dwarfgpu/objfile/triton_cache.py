"""Code objects in a Triton cache folder.

Triton writes each compiled kernel to a folder of its own, `HASH/NAME.hsaco` or `HASH/NAME.cubin`
with all stages of its compilation, below `TRITON_CACHE_DIR`, by default `~/.triton/cache`.

Law: only the folder and its direct subfolders are read; no contents of a kernel stay in memory.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.readable_files import is_regular
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.objfile.bundle import BundleEntry
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import FileBytes, map_file
from dwarfgpu.objfile.target_id import target_of_flags

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES: Final = (".hsaco", ".cubin")
"""File name endings of code objects, for AMD GPUs and for NVIDIA GPUs."""


@frozen
class CachedKernel(BundleEntry):
    """A code object of a folder; its `id` is the kernel and the GPU, as in `axpy-gfx942`."""

    @property
    def kind(self) -> str:
        return "triton"

    @property
    def triple(self) -> str:
        return ""

    @property
    def label(self) -> str:
        return self.id

    @property
    def names(self) -> tuple[str, ...]:
        name, _, gpu = self.id.rpartition("-")
        return (self.id, name, gpu) if gpu.startswith(("gfx", "sm_")) else (self.id,)


def has_kernels(path: str | Path) -> bool:
    """Return whether a path is a folder with kernels, or with folders that have some."""
    return next(iter(_paths(path)), None) is not None


def cached_kernels(folder: str | Path) -> tuple[CachedKernel, ...]:
    """Return the kernels of a folder, by name, GPU and path; `UsageError` if it has none."""
    named = sorted((_id(path), path) for path in _paths(folder))
    if not named:
        endings = ", ".join(f"*{suffix}" for suffix in SUFFIXES)
        raise UsageError(
            f"{folder} is a folder, without kernels of Triton ({endings}): give a file"
        )
    return tuple(
        CachedKernel(index, id, FileBytes.of(_ReopenedFile(path), _size_bytes(path)), path=path)
        for index, (id, path) in enumerate(named)
    )


def _paths(folder: str | Path) -> list[str]:
    """Return the paths of the kernels; `UsageError` for a folder that cannot be read.

    Only regular files are kernels. A folder in it that cannot be read, or a link that leads
    nowhere, has none.
    """
    try:
        if not os.path.isdir(folder):
            return []
        with os.scandir(folder) as entries:
            inner = [entry.path for entry in entries]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{folder} cannot be read: {reason}") from None
    out: list[str] = []
    for path in inner:
        if path.endswith(SUFFIXES):
            out.append(path)
        elif os.path.isdir(path):
            with suppress(OSError), os.scandir(path) as entries:
                out += [entry.path for entry in entries if entry.name.endswith(SUFFIXES)]
    return [path for path in out if is_regular(path)]


def _id(path: str) -> str:
    """Return `KERNEL-GPU`, or `KERNEL` if the file does not name its GPU."""
    name = os.path.splitext(os.path.basename(path))[0]
    try:
        file = ObjectFile(path, map_file(path))
        if file.machine == "CUDA":
            from dwarfgpu.objfile.cuda_target import cuda_target  # few folders have cubins

            return f"{name}-{cuda_target(file)}"
        return f"{name}-{target_of_flags(file)}"
    except DwarfGpuError:
        return name


def _size_bytes(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError as error:  # it was removed since the folder was read
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


class _ReopenedFile:
    """The bytes of a file that is open only during a read: a cache has thousands of files."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read(self, start: int, size_bytes: int) -> bytes:
        """Return bytes of the file; `UsageError` where it cannot be read."""
        return bytes(map_file(self._path)[start : start + size_bytes])
