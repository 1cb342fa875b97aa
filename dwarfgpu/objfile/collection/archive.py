"""List the files in an archive of any kind, recognized by its first bytes."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.collection.ar import ar_files
from dwarfgpu.objfile.collection.debian_package import FIRST_FILE, debian_package_files
from dwarfgpu.objfile.collection.packed_file import PackedFile
from dwarfgpu.objfile.collection.zip import zip_files
from dwarfgpu.objfile.file_bytes import FileBytes
from dwarfgpu.objfile.file_kinds import THIN_MAGIC, ZIP_MAGIC


def packed_files(data: bytes | FileBytes, path: str, limits: FileLimits) -> Iterator[PackedFile]:
    """Yield the files of an archive; of a Debian package those that it installs.

    `Malformed` for a damaged archive, `LimitExceeded` for too many files.
    """
    if data[: len(ZIP_MAGIC)] == ZIP_MAGIC:
        yield from zip_files(data, path)
        return
    if data[: len(THIN_MAGIC)] == THIN_MAGIC:
        raise UsageError(f"{path} is a thin archive, which contains no files")
    files = ar_files(data, path)
    first = next(files, None)
    if first is None:
        return
    if first.name == FIRST_FILE:
        yield from debian_package_files(files, path, limits)
    else:
        yield first
        yield from files
