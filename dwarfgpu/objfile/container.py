"""Open a file that holds code objects (an ELF file, a host file with a fat binary, or a bundle), or
a folder of Triton's cache, and pick one code object by its target.

Law: the result is what the user named. If several match, the error lists them. Of a large file the
tables are read, and the picked code object.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.registry import GPUS
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Unsupported, UsageError, counted
from dwarfgpu.objfile.bundle import BundleEntry, entries_of, is_bundle, read_bundles
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import FileBytes, map_file, read_if_small
from dwarfgpu.objfile.file_kinds import FATBIN_MAGIC, FATBIN_SECTIONS
from dwarfgpu.objfile.target_id import TargetId, parse_target_id, target_of_flags

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST_MAGIC_BYTES: Final = 64
_MAX_LISTED: Final = 12
"""Maximum number of code objects in a message, which would be cut with many more."""
_GIVE_ONE: Final = "; give the target or the number of one (--target)"
_ENTRY_NAME: Final = pattern(
    r"(host|hip|hipv4|openmp|cuda)-.+|((cubin|ptx)-)?sm_[0-9]+[af]?|joined"
    r"|kind [0-9]+-sm_[0-9]+[af]?"
)
"""The ID of an entry in a bundle or fat binary, and the names of NVIDIA's GPUs."""


class _Failed:
    """How much was decompressed in vain."""

    def __init__(self) -> None:
        self.size_bytes = 0


@frozen(eq=False)
class Container:
    """A file or folder, and the code objects in it."""

    path: str
    file: ObjectFile | None
    """The ELF file itself; None for a bundle and for a folder."""
    entries: tuple[BundleEntry, ...]
    limits: FileLimits = DEFAULT_FILE_LIMITS
    form: str = ""
    """What it is in the words of users, such as `fat binary`; empty for an ELF file."""
    _failed: _Failed = field(factory=_Failed, repr=False)

    def device_entries(self) -> tuple[BundleEntry, ...]:
        """Return the entries for a GPU that are not empty and have machine code, even if it cannot
        be read."""
        return tuple(entry for entry in self.entries if entry.data and entry.is_device_code)

    def open_entry(self, entry: BundleEntry, name: str | None = None) -> ObjectFile:
        """Open the ELF file of an entry, with the given name or that of its target; `UsageError` if
        it is not one.

        `LimitExceeded` if the compressed entries that could not be opened are too large together:
        each may take as long as the largest file that can be read.
        """
        entry.require_code(self.path)
        if entry.path is not None:
            return ObjectFile(entry.path, map_file(entry.path), self.limits)
        name = name or f"{self.path}[{entry.label}]"
        if entry.compression is None:
            return self._opened(entry, name)
        if self._failed.size_bytes > self.limits.inflated_bytes:
            raise LimitExceeded(
                f"{self.path}: entry {entry.index} is not read: damaged ones have more than "
                f"{self.limits.inflated_bytes} bytes when decompressed",
                "--max-inflated-bytes",
            )
        try:
            return self._opened(entry, name)
        except DwarfGpuError:
            self._failed.size_bytes += len(entry.data)
            raise

    def _opened(self, entry: BundleEntry, name: str) -> ObjectFile:
        from dwarfgpu.objfile.entry_fault import entry_fault  # most files are no bundles

        data = read_if_small(entry.contents())
        return ObjectFile(name, data, self.limits, entry_fault(entry, data))


def open_container(path: str | Path, limits: FileLimits = DEFAULT_FILE_LIMITS) -> Container:
    """Return a file with the code objects in it, or a folder of Triton's cache.

    `UsageError` where it is neither ELF nor bundle, and for another folder.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        from dwarfgpu.objfile.triton_cache import cached_kernels  # few paths are folders

        return Container(str(path), None, cached_kernels(path), limits, "kernels of Triton")
    return container_in(map_file(path), str(path), limits)


def container_in(data: bytes | FileBytes, path: str, limits: FileLimits) -> Container:
    """Return what bytes contain: a bundle, a fat binary, or an ELF file with its code objects."""
    if is_bundle(data[:_LONGEST_MAGIC_BYTES]):
        return Container(path, None, read_bundles(data, path, limits), limits, "offload bundle")
    if data[:_LONGEST_MAGIC_BYTES].startswith(FATBIN_MAGIC):
        from dwarfgpu.objfile.cuda_fatbin import read_fatbins  # few files are fat binaries of CUDA

        return Container(path, None, read_fatbins(data, path, limits), limits, "fat binary")
    return container_of(ObjectFile(path, data, limits))


def container_of(file: ObjectFile) -> Container:
    """Return an ELF file with the code objects in it: none in one that is for a GPU."""
    if is_for_gpu(file):
        return Container(file.path, file, (), file.limits)
    entries: tuple[BundleEntry, ...] = entries_of(file)
    if any(name in file.sections_by_name for name in FATBIN_SECTIONS):
        from dwarfgpu.objfile.cuda_fatbin import fatbins_of

        first = len(entries)
        entries += tuple(evolve(one, index=first + one.index) for one in fatbins_of(file))
    return Container(file.path, file, entries, file.limits)


def code_inside(file: ObjectFile) -> str:
    """Return `; it holds 2 code objects: 1: gfx90a, 2: gfx942` and what to give, for a host file
    with code objects; otherwise nothing."""
    entries = container_of(file).device_entries()
    if not entries:
        return ""
    return f"; it holds {counted(len(entries), 'code object')}: {_listed(entries)}{_GIVE_ONE}"


def is_for_gpu(file: ObjectFile) -> bool:
    """Return whether a file is code for a GPU itself."""
    return file.machine in GPUS


def open_object(
    path: str | Path, target: str | None = None, limits: FileLimits = DEFAULT_FILE_LIMITS
) -> ObjectFile:
    """Return the ELF file at a path, or the code object of a target in it.

    `target` is a target such as `gfx90a:xnack+`, a whole bundle entry ID, in a folder the name of
    a kernel, or the number of the entry. Without it, use an ELF file itself, or the only code
    object of a bundle or folder. Raises `UsageError` unless exactly one matches.
    """
    path = os.fspath(path)  # that of an `os.DirEntry`, too
    if target is None and not os.path.isdir(path):
        data = map_file(path)
        if not is_container(data[:_LONGEST_MAGIC_BYTES]):
            return ObjectFile(str(path), data, limits)
    container = open_container(path, limits)
    if container.file is not None and is_for_gpu(container.file):
        check_target(container.file, target)
        return container.file
    return container.open_entry(pick(container, target))


def is_bundle_file(path: str | Path) -> bool:
    """Return whether a path is a bundle, a fat binary or a folder; `UsageError` where it cannot be
    read."""
    return os.path.isdir(path) or is_container(map_file(path)[:_LONGEST_MAGIC_BYTES])


def is_container(header: bytes) -> bool:
    """Return whether bytes begin as a bundle or a fat binary does."""
    return is_bundle(header) or header.startswith(FATBIN_MAGIC)


def pick(container: Container, target: str | None) -> BundleEntry:
    """Return the entry that a target names; `UsageError` unless exactly one matches."""
    entries = container.device_entries()
    is_number = target is not None and is_decimal(target)
    if not (container.entries if is_number else entries):
        raise UsageError(f"{container.path} holds no code for a GPU")
    fitting = entries if target is None else entries_for(container, target)
    if len(fitting) == 1:
        return fitting[0]
    matching = fitting or entries
    listed = _listed(matching)
    if not fitting:
        raise UsageError(f"{container.path} holds no code for {target}; it has {listed}")
    raise UsageError(
        f"{container.path} holds {len(fitting)} code objects"
        f"{'' if target is None else f' for {target}'}: {listed}{_GIVE_ONE}"
    )


def _listed(entries: Sequence[BundleEntry]) -> str:
    """Return `1: gfx90a, 2: gfx942`."""
    listed = ", ".join(f"{entry.index}: {entry.label}" for entry in entries[:_MAX_LISTED])
    return listed + (
        f" and {len(entries) - _MAX_LISTED} more" if len(entries) > _MAX_LISTED else ""
    )


def entries_for(container: Container, target: str) -> tuple[BundleEntry, ...]:
    """Return the entries that a target, a whole entry ID or a number names; perhaps none."""
    entries = container.device_entries()
    if is_decimal(target) and len(target) < 9:
        return tuple(entry for entry in container.entries if entry.index == int(target))
    named = tuple(entry for entry in entries if target in entry.names)
    is_name = "gfx" not in target or "-gfx" in target or _ENTRY_NAME.fullmatch(target)
    if named or is_name:
        return named
    target_id = parse_target_id(target)
    return tuple(
        entry for entry in entries if entry.target is not None and entry.target.accepts(target_id)
    )


def require_target(text: str) -> None:
    """Raise `UsageError` for a text that cannot name a code object of any container."""
    if not (is_decimal(text) or _ENTRY_NAME.fullmatch(text)):
        parse_target_id(text)


def check_target(file: ObjectFile, target: str | None) -> None:
    """Raise `UsageError` if a code object is not for the target that the user wants."""
    if target is None:
        return
    if is_decimal(target):
        raise UsageError(f"{file.path} is one code object: leave out --target, or give its target")
    if file.machine == "CUDA":
        from dwarfgpu.objfile.cuda_target import cuda_target

        if target != str(cuda_target(file)):
            raise UsageError(f"{file.path} is for {cuda_target(file)}, not for {target}")
        return
    target_id: TargetId = parse_target_id(target)
    try:
        flags_target = target_of_flags(file)
    except Unsupported:
        return
    if not flags_target.accepts(target_id):
        raise UsageError(f"{file.path} is for {flags_target}, not for {target_id}")
