"""One file in an archive or a package."""

from __future__ import annotations

import zlib
from typing import Final

from dwarfgpu.base.limits import MAX_FILES, FileLimits
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed
from dwarfgpu.objfile.compression import inflate_raw, inflated_head
from dwarfgpu.objfile.file_bytes import FileBytes

_STEP: Final = 1 << 20
"""Bytes that are read at once."""


@frozen(eq=False)
class PackedFile:
    """A file of an archive; its bytes are not read yet."""

    index: int
    """Among all files of the archive, from 0."""
    name: str
    """As it is in the archive, with unprintable characters escaped: a name to show, at which
    nothing is written or opened."""
    data: bytes | FileBytes
    """As they are in the archive."""
    inflated_bytes: int | None = None
    """The size in bytes that the data inflate to; None for data that are not compressed."""
    crc: int | None = None
    """CRC-32 of the contents; None where none is compared."""
    problem: DwarfGpuError | None = None
    """Why it cannot be read: it is encrypted, say."""

    def head(self, size_bytes: int) -> bytes:
        """Return the first bytes; `Malformed` if they cannot be decompressed, or the problem."""
        if self.problem is not None:
            raise self.problem
        if self.inflated_bytes is None:
            return bytes(self.data[:size_bytes])
        return inflated_head(self.data, size_bytes, self.name)

    def contents(self, limits: FileLimits) -> bytes | FileBytes:
        """Return all bytes; `Malformed` for damaged ones, `LimitExceeded` beyond the limits."""
        if self.problem is not None:
            raise self.problem
        if self.inflated_bytes is None:
            self._check_crc(self.data)
            return self.data
        limits.check_inflated(
            self.name, packed_bytes=len(self.data), size_bytes=self.inflated_bytes
        )
        inflated = inflate_raw(bytes(self.data), self.inflated_bytes, self.name)
        self._check_crc(inflated)
        return inflated

    def _check_crc(self, contents: bytes | FileBytes) -> None:
        if self.crc is None:
            return
        crc = 0
        for start in range(0, len(contents), _STEP):
            crc = zlib.crc32(contents[start : start + _STEP], crc)
        if crc != self.crc:
            raise Malformed(f"{self.name} does not have the CRC that its archive has for it")


def check_count(index: int, path: str) -> None:
    """Raise `LimitExceeded` for a file of an archive beyond the last one that is read."""
    if index >= MAX_FILES:
        raise LimitExceeded(f"{path} has more than {MAX_FILES} files")
