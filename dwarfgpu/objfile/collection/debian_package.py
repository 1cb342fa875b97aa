"""List the files that a Debian package installs: an `ar` archive with a compressed tar archive
(deb(5))."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.errors import Malformed, Unsupported
from dwarfgpu.objfile.collection.packed_file import PackedFile
from dwarfgpu.objfile.collection.tar import tar_files
from dwarfgpu.objfile.compressed_file import decompressed

FIRST_FILE: Final = "debian-binary"
"""The first file of the `ar` archive, by which a package is recognized."""
_DATA: Final = "data.tar"
_NOT_READ: Final = {f"{_DATA}.bz2": "bzip2", f"{_DATA}.lzma": "lzma"}
"""The compressions of deb(5) that are not read here."""


def debian_package_files(
    ar_files: Iterator[PackedFile], path: str, limits: FileLimits
) -> Iterator[PackedFile]:
    """Yield the installed files, given those of the `ar` archive after `FIRST_FILE`.

    `Malformed` for a package without them, `Unsupported` for another compression, `LimitExceeded`
    for too many.
    """
    for file in ar_files:
        if file.name in _NOT_READ:
            raise Unsupported(
                f"{path}: {file.name} is compressed by {_NOT_READ[file.name]}: give the folder "
                "that `dpkg-deb -x` makes of the package"
            )
        if file.name.startswith(_DATA):
            yield from tar_files(decompressed(path, file.data, limits), path)
            return
    raise Malformed(f"{path} is a Debian package without {_DATA}")
