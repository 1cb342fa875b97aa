"""The bytes of a file, read piece by piece."""

from __future__ import annotations

import errno
import os
import stat
from io import FileIO
from typing import TYPE_CHECKING, Final, Protocol

from dwarfgpu.base.arguments import WrongType
from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.readable_files import is_regular
from dwarfgpu.errors import Malformed, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import IO, Never, Self

_SMALL_FILE_BYTES: Final = 1 << 20
"""A file of this size is read at once."""


class ByteSource(Protocol):
    """A file, or what has its bytes."""

    def read(self, start: int, size_bytes: int) -> bytes:
        """Read a range of the bytes; raises `DwarfGpuError` for a file that cannot be read."""
        ...


class OfOpenFile:
    """Base of objects that belong to an open file: a copy is the object itself, since nothing
    changes it, and it cannot be pickled, since another process does not have the file open."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce_ex__(self, protocol: object) -> Never:
        raise WrongType(
            f"{type(self).__name__}: it belongs to an open file and cannot be pickled; pickle "
            "plain data, as the value and the text of a reading, and open the file again"
        )


class FileBytes(OfOpenFile):
    """The bytes of a file or of a part of it, read on demand.

    The file is not mapped: if it shrinks meanwhile, the result must be an error rather than the end
    of the process.
    """

    def __init__(self, path: str) -> None:
        """Open a file, which is closed with the last object that reads it; `OSError`."""
        source = _Source(path)
        self._source: ByteSource = source
        self._start = 0
        self._size_bytes = source.size_bytes
        self.status: os.stat_result | None = source.status
        """Of the file when it was opened; None for a part of a file, and other sources."""

    @classmethod
    def of(cls, source: ByteSource, size_bytes: int) -> FileBytes:
        """Return all bytes of another source, such as a compressed file."""
        file_bytes = cls.__new__(cls)
        file_bytes._source, file_bytes._start, file_bytes._size_bytes = source, 0, size_bytes
        file_bytes.status = None
        return file_bytes

    def part(self, start: int, size_bytes: int) -> FileBytes:
        """Return a range of these bytes, not read yet; shorter if the bytes end before it."""
        start, stop, _ = slice(start, start + size_bytes).indices(self._size_bytes)
        part = FileBytes.__new__(FileBytes)
        part._source = self._source
        part._start = self._start + start
        part._size_bytes = max(stop - start, 0)
        part.status = None
        return part

    def __len__(self) -> int:
        return self._size_bytes

    def __getitem__(self, chunk: slice) -> bytes:
        """Return a range, without a step; `Malformed` if the file has become shorter."""
        start, stop, _ = chunk.indices(self._size_bytes)
        return self._source.read(self._start + start, stop - start)

    def __bytes__(self) -> bytes:
        return self[:]


class SmallFile(bytes):
    """The bytes of a file that was read at once."""

    status: os.stat_result | None = None
    """Of the file when it was opened; None for bytes that are not a whole file."""


class _Source:
    """An open file; it is closed with the object, which owns the descriptor.

    A `FileIO` that owned it would warn (`ResourceWarning`) wherever the collector of cycles
    finalizes it before this object.
    """

    _descriptor: int | None = None

    def __init__(self, path: str) -> None:
        self._path = path
        with FileIO(path) as file:
            self._descriptor = descriptor = os.dup(file.fileno())
        self._stamp = _stamp(descriptor)
        self.status = os.fstat(descriptor)

    @property
    def size_bytes(self) -> int:
        return self._stamp[1]

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if self._descriptor is not None:
            close(self._descriptor)  # a default: at the end of the process, modules are empty

    def read(self, start: int, size_bytes: int) -> bytes:
        """Return bytes of the file; `Malformed` where it was changed since it was opened: what was
        read before does not fit them. `UsageError` for an error of the system.

        The position of the file is not used: threads share it, and processes after a fork.
        """
        descriptor = self._descriptor
        assert descriptor is not None
        try:
            data = _joined(
                self._path,
                size_bytes,
                lambda offset: os.pread(descriptor, size_bytes - offset, start + offset),
            )
            if _stamp(descriptor) != self._stamp:
                raise Malformed(f"{self._path} was changed while it was open: open it again")
        except OSError as error:
            raise UsageError(f"{self._path} cannot be read: {error.strerror}") from None
        return data


def read_range(file: IO[bytes], path: str, start: int, size_bytes: int) -> bytes:
    """Return bytes of an open file; `Malformed` where it has become shorter."""
    file.seek(start)
    return _joined(path, size_bytes, lambda offset: file.read(size_bytes - offset))


def _joined(path: str, size_bytes: int, read: Callable[[int], bytes]) -> bytes:
    """Return bytes that may come in parts; `read` gets the offset of the next part."""
    parts: list[bytes] = []
    offset = 0
    while offset < size_bytes:
        parts.append(read(offset))
        if not parts[-1]:
            raise Malformed(f"{path} became shorter while it was read")
        offset += len(parts[-1])
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _stamp(descriptor: int) -> tuple[int, int]:
    """Return what another program changes when it writes to a file."""
    status = os.fstat(descriptor)
    return status.st_mtime_ns, status.st_size


def part_of(data: bytes | FileBytes, start: int, size_bytes: int) -> bytes | FileBytes:
    """Return a range of bytes; a range of a file is not read yet."""
    if isinstance(data, FileBytes):
        return data.part(start, size_bytes)
    return data[start : start + size_bytes]


class _InMemory:
    """Bytes in memory as a source."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, start: int, size_bytes: int) -> bytes:
        return self._data[start : start + size_bytes]


def shared_if_large(data: bytes) -> bytes | FileBytes:
    """Return bytes; if they are large, their parts (`part_of`) are no copies."""
    return data if len(data) <= _SMALL_FILE_BYTES else FileBytes.of(_InMemory(data), len(data))


def map_file(path: str | Path) -> bytes | FileBytes:
    """Map the bytes of a file; `UsageError` if it cannot be read, is empty, or is not a file."""
    if not os.path.join("", path):  # a TypeError for anything but a name
        raise UsageError("an empty name is not a name of a file")
    try:
        # Before it is opened, which a pipe would wait in for its other end.
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise UsageError(f"{path} cannot be read: it is not a regular file")
        data = FileBytes(str(path))
        record_input(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from None
    if not data:
        if not is_regular(path):  # the kernel gives no size
            raise UsageError(f"{path} cannot be read: it is a file of the kernel")
        raise UsageError(f"{path} is empty")
    return read_if_small(data)


def read_if_small(data: bytes | FileBytes) -> bytes | FileBytes:
    """Read the bytes of a small file at once, because many small reads take longer."""
    if len(data) > _SMALL_FILE_BYTES or isinstance(data, bytes):
        return data
    small = SmallFile(data[:])
    small.status = data.status
    return small
