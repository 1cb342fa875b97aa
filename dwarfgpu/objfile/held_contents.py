"""What was read of a file, compared with the file that its path leads to now.

Law: contents are those that answers came from. Where they are gone, because the file was changed in
place, reading them is an error, as any other read of the file.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.readable_files import is_regular, open_to_read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dwarfgpu.objfile.elf import ObjectFile

_PIECE_BYTES: Final = 1 << 20
"""Read at a time, which no limit of what is in memory counts."""


def digest_of_contents(file: ObjectFile) -> str:
    """Return the SHA-256 of a file as it was opened, in hexadecimal; `DwarfGpuError` where that is
    gone."""
    import hashlib  # few requests compare files

    digest = hashlib.sha256()
    for piece in _pieces(file):
        digest.update(piece)
    return digest.hexdigest()


def is_on_disk(file: ObjectFile, path: Path) -> bool:
    """Return whether a path leads to a file with the contents of one that is open; `DwarfGpuError`
    where these are gone.

    Only a file whose status has changed since it was opened is read.
    """
    try:
        status = os.stat(path)
        if not is_regular(path) or status.st_size != file.size_bytes:
            return False
        if file.status is not None and _identity(status) == _identity(file.status):
            return True
        with open_to_read(path) as now:
            return all(now.read(len(piece)) == piece for piece in _pieces(file))
    except (OSError, ValueError):  # a NUL in the name
        return False


def _identity(status: os.stat_result) -> tuple[int, ...]:
    """Return what shows another file and each change of one; no program can set `st_ctime`."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _pieces(file: ObjectFile) -> Iterator[bytes]:
    """Yield the contents of a file in pieces."""
    for offset in range(0, file.size_bytes, _PIECE_BYTES):
        size_bytes = min(_PIECE_BYTES, file.size_bytes - offset)
        yield file.file_bytes(offset, size_bytes, "the code object")
