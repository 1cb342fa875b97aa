"""ELF files that another reader has open, such as an `ELFFile` of pyelftools.

Law: each read leaves the position of the file as it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import IO, Protocol, TypeVar

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import FileBytes, read_if_small, read_range

T = TypeVar("T")


class ElfFile(Protocol):
    """An `ELFFile` of pyelftools."""

    @property
    def stream(self) -> IO[bytes]: ...


def object_of(elffile: ElfFile, limits: FileLimits = DEFAULT_FILE_LIMITS) -> ObjectFile:
    """Return the file that an `ELFFile` of pyelftools reads, from its stream.

    A large one is read on demand. `UsageError` where it cannot be read, and for an object without
    `stream`; later, too, once the stream is closed.
    """
    stream = getattr(elffile, "stream", None)
    if stream is None:
        kind = type(elffile).__name__
        raise UsageError(f"from_elffile takes an ELFFile of pyelftools, not an object of {kind}")
    name = getattr(stream, "name", None)  # a number where a descriptor was opened
    path = os.fsdecode(name) if isinstance(name, str | bytes) else "<ELFFile>"
    source = _BorrowedFile(path, stream)
    return ObjectFile(path, read_if_small(FileBytes.of(source, source.size_bytes())), limits)


class _BorrowedFile:
    """The bytes of a file that is open elsewhere."""

    def __init__(self, path: str, file: IO[bytes]) -> None:
        self._path = path
        self._file = file
        self._lock = Lock()

    def size_bytes(self) -> int:
        """Return the size of the file; `UsageError` where it cannot be read."""

        def end() -> int:
            self._file.seek(0, os.SEEK_END)
            return self._file.tell()

        return self._in_place(end)

    def read(self, start: int, size_bytes: int) -> bytes:
        """Return a range of the file; `Malformed` where it has become shorter, `UsageError` where
        it cannot be read."""
        return self._in_place(lambda: read_range(self._file, self._path, start, size_bytes))

    def _in_place(self, ask: Callable[[], T]) -> T:
        with self._lock:
            try:
                before = self._file.tell()
                try:
                    return ask()
                finally:
                    self._file.seek(before)
            except (OSError, ValueError) as error:  # ValueError: it is closed
                reason = error.strerror if isinstance(error, OSError) else None
                raise UsageError(f"{self._path} cannot be read: {reason or error}") from None
