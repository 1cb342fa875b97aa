"""List the files in an archive of any kind, recognized by its first bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.objfile.collection.ar import ar_files
from dwarfgpu.objfile.collection.packed_file import PackedFile
from dwarfgpu.objfile.collection.tar import tar_files
from dwarfgpu.objfile.collection.zip import zip_files
from dwarfgpu.objfile.compressed_file import decompressed
from dwarfgpu.objfile.file_bytes import FileBytes
from dwarfgpu.objfile.file_kinds import THIN_MAGIC, ZIP_MAGIC

_DEBIAN: Final = "debian-binary"
"""The first file of a Debian package (deb(5))."""
_DEBIAN_DATA: Final = "data.tar"


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
    if first is not None and first.name == _DEBIAN:
        for file in files:
            if file.name.startswith(_DEBIAN_DATA):
                yield from tar_files(decompressed(path, file.data, limits), path)
                return
        raise Malformed(f"{path} is a Debian package without {_DEBIAN_DATA}")
    if first is not None:
        yield first
        yield from files
