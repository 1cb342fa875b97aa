"""Digests of the files that a state names: each is read once, and no more bytes than a bound."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.readable_files import digest_of
from dwarfgpu.base.records import define, field

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES: Final = 1 << 30
"""Of all files together: reading them takes one to three seconds."""


@define
class FileDigests:
    """Digests of files, by what they are and not by their names, which may be any number."""

    beyond: int = field(default=0, init=False)
    """How many files were not read, because those before them are as large as the bound."""
    _kept: dict[tuple[int, ...], str | None] = field(factory=dict, init=False)
    _bytes_left: int = field(factory=lambda: MOST_BYTES, init=False)

    def of(self, path: str | Path) -> str | None:
        """Return what `digest_of` does, and None for a file beyond the bound."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):  # a NUL in the name
            return None
        key = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
        if key not in self._kept:
            self._kept[key] = self._read(path, status.st_size)
        return self._kept[key]

    def _read(self, path: str | Path, size_bytes: int) -> str | None:
        if size_bytes > self._bytes_left:
            self.beyond += 1
            return None
        digest = digest_of(path)
        if digest is not None:
            self._bytes_left -= size_bytes
        return digest
