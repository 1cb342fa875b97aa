"""A large section, which is read range by range.

Law: what was loaded is what the file had there when it was loaded. The section is not mapped: a
file that shrinks is an error (`dwarfgpu.objfile.file_bytes`).
"""

from __future__ import annotations

from collections.abc import Callable
from mmap import ACCESS_COPY, mmap
from typing import Final

from dwarfgpu.objfile.file_bytes import FileBytes

_BLOCK_BYTES: Final = 1 << 12
"""Smallest range that is read: a page of memory."""
_SCAN_BYTES: Final = 1 << 18
"""Most bytes of one read: memory of this size is used again, and stays in the processor's cache."""
_MISSING: Final = b"\1"
_LOADED: Final = b"\0"


class SectionBuffer:
    """Memory for all bytes of a section, where those that were never loaded take no space."""

    def __init__(self, file_bytes: FileBytes, count: Callable[[int], None] | None = None) -> None:
        """`count`: is given how many bytes are loaded, before more are read, and may refuse."""
        self._file_bytes = file_bytes
        self._count = count
        self._loaded_bytes = 0
        self.data = mmap(-1, len(file_bytes), access=ACCESS_COPY)
        """The bytes by their offsets in the section; zeros where nothing was loaded."""
        self._blocks = bytearray(_MISSING * -(-len(file_bytes) // _BLOCK_BYTES))

    def __len__(self) -> int:
        return len(self.data)

    def load(self, start: int, end: int) -> mmap:
        """Return the memory, in which a range of the section is loaded.

        `Malformed` where the file has become shorter, `UsageError` where it cannot be read,
        `LimitExceeded` where the counted bytes are too many.
        """
        blocks = self._blocks
        last = -(-min(end, len(self.data)) // _BLOCK_BYTES)
        first = blocks.find(_MISSING, start // _BLOCK_BYTES, last)
        if first >= 0 and self._count is not None:
            missing = blocks.count(_MISSING, first, last) * _BLOCK_BYTES
            self._count(self._loaded_bytes + missing)
            self._loaded_bytes += missing
        while first >= 0:
            most = min(last, first + _SCAN_BYTES // _BLOCK_BYTES)
            loaded = blocks.find(_LOADED, first, most)
            stop = most if loaded < 0 else loaded
            part = self._file_bytes[first * _BLOCK_BYTES : stop * _BLOCK_BYTES]
            self.data[first * _BLOCK_BYTES : first * _BLOCK_BYTES + len(part)] = part
            blocks[first:stop] = _LOADED * (stop - first)
            first = blocks.find(_MISSING, stop, last)
        return self.data

    def find(self, value: bytes, start: int = 0) -> int:
        """Return the first offset of a value from `start` on, -1 if there is none.

        Nothing is loaded: the bytes that are passed take no memory. Errors: as for `load`.
        """
        size_bytes = len(self.data)
        while start < size_bytes:
            end = start + _SCAN_BYTES + len(value) - 1
            offset = self._file_bytes[start:end].find(value)
            if offset >= 0:
                return start + offset
            start += _SCAN_BYTES
        return -1
