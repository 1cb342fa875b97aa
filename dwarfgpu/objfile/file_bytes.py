"""The bytes of a file that is read piece by piece."""

from __future__ import annotations

import os
import weakref
from io import FileIO
from threading import Lock

from dwarfgpu.errors import Malformed, UsageError


class FileBytes:
    """The bytes of a file, read when they are asked for.

    The file is not mapped: one that shrinks meanwhile must be an error, not the end of the process.
    """

    def __init__(self, path: str, file: FileIO) -> None:
        """The file is closed with the object."""
        weakref.finalize(self, file.close)
        self._path = path
        self._file = file
        self._size_bytes = file.seek(0, os.SEEK_END)
        self._lock = Lock()

    def __len__(self) -> int:
        return self._size_bytes

    def __getitem__(self, wanted: slice) -> bytes:
        """A range of the file, without a step; `Malformed` where the file has become shorter."""
        start, stop, _ = wanted.indices(self._size_bytes)
        parts: list[bytes] = []
        left = stop - start
        with self._lock:
            try:
                self._file.seek(start)
                while left > 0:
                    parts.append(self._file.read(left))
                    if not parts[-1]:
                        raise Malformed(f"{self._path} became shorter while it was read")
                    left -= len(parts[-1])
            except OSError as error:
                raise UsageError(f"{self._path} cannot be read: {error.strerror}") from None
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def __bytes__(self) -> bytes:
        return self[:]
