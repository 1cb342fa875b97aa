"""The index cache: names and other facts of large files, kept in a folder of the user.

Law: an entry is used only with the identity and the format that it was written for, and with the
checksum that it was written with. A cache that cannot be used, for any
reason, is not an error: questions are answered without it, with the same answers.

Entries are written beside, and renamed (`dwarfgpu.base.writing`): writers do not wait for each
other. Readers map no file: if another program shortens it, that ends no process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from stat import S_ISDIR, S_ISREG, S_IWGRP, S_IWOTH
from struct import Struct
from typing import Final, TypeAlias

from dwarfgpu.errors import UsageError

NO_CACHE: Final = "DWARFGPU_NO_CACHE"
"""The environment variable that disables the cache, with any value but an empty one."""
MAX_BYTES: Final = 512 << 20
"""Size of all entries together; those used longest ago are removed."""
_MAX_ENTRY_BYTES: Final = MAX_BYTES // 4
_FORMAT: Final = 1
_MAGIC: Final = b"dwarfgpu"
_HEADER: Final = Struct("<8s I I Q I")
"""Magic, format, CRC-32 of everything after it, size of the whole file, bytes of the identity,
which follows."""
_CHECKED_AT: Final = Struct("<8s I I").size
_SUFFIX: Final = ".index"
_ABANDONED_SECONDS: Final = 3600
"""A file that is being written is not as old."""


Progress: TypeAlias = Callable[[str, int, int], None]
"""Is called with a path, and how many units of how many are done."""


class IndexCache:
    """Entries in one folder, or none where the cache is disabled."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        """None: the cache is not used."""
        self.hits = 0
        self.misses = 0
        self.later: dict[str, Callable[[Progress], None]] = {}
        """What is still to be stored, by the names of the entries: after the last answer."""

    def switch(self, *, on: bool) -> None:
        """Use the folder of the user from now on, or none."""
        self.folder = default_folder() if on else None

    def finish(self, progress: Progress) -> None:
        """Store what is still to be stored, if the cache is in use."""
        while self.later and self.folder is not None:
            self.later.popitem()[1](progress)

    def load(self, name: str, identity: bytes) -> memoryview | None:
        """Return what was stored under a name for this identity; None if there is no such entry."""
        content = None
        if self.folder is not None:
            with suppress(OSError, ValueError):
                content = _read(self.folder, name, identity)
        if content is None:
            self.misses += 1
        else:
            self.hits += 1
        return content

    def store(self, name: str, identity: bytes, *parts: bytes) -> None:
        """Keep bytes under a name, in place of those of before, as far as the folder permits."""
        size_bytes = _HEADER.size + len(identity) + sum(map(len, parts))
        if self.folder is None or size_bytes > _MAX_ENTRY_BYTES:
            return
        import zlib  # few processes write an entry

        from dwarfgpu.base.writing import write_file

        rest = Struct("<Q I").pack(size_bytes, len(identity)) + identity
        checksum = zlib.crc32(rest)
        for part in parts:
            checksum = zlib.crc32(part, checksum)
        path = self.folder / f"{name}{_SUFFIX}"
        with suppress(OSError, ValueError, UsageError):
            _make_private(self.folder)
            _require_private(self.folder)
            if not S_ISREG(_mode(path)):
                path.unlink()  # a link would be followed
            write_file(path, _MAGIC, _FORMAT.to_bytes(4, "little"), checksum.to_bytes(4, "little"),
                       rest, *parts)  # fmt: skip
            _evict(self.folder, MAX_BYTES)


def _read(folder: Path, name: str, identity: bytes) -> memoryview | None:
    """Return the content of an entry; None, `OSError` or `ValueError` where it cannot be used."""
    import zlib

    _require_private(folder)
    path = folder / f"{name}{_SUFFIX}"
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with FileIO(descriptor) as file:
        status = os.fstat(descriptor)
        size_bytes = status.st_size
        if not (S_ISREG(status.st_mode) and status.st_uid == os.geteuid()):
            return None
        if not _HEADER.size <= size_bytes <= _MAX_ENTRY_BYTES:
            return None
        content = memoryview(_all_of(file, size_bytes))
        with suppress(OSError):  # of a folder that may only be read
            os.utime(descriptor)  # it was used last
    if len(content) != size_bytes:
        return None
    magic, format, checksum, claimed, identity_bytes = _HEADER.unpack_from(content)
    start = _HEADER.size + identity_bytes
    is_usable = (
        (magic, format, claimed) == (_MAGIC, _FORMAT, size_bytes)
        and content[_HEADER.size : start] == identity
        and checksum == zlib.crc32(content[_CHECKED_AT:])
    )
    return content[start:] if is_usable else None


def _all_of(file: FileIO, size_bytes: int) -> bytes:
    """Return that many bytes of a file, or all that it has."""
    parts: list[bytes] = []
    while size_bytes and (part := file.read(size_bytes)):
        parts.append(part)
        size_bytes -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def default_folder() -> Path | None:
    """Return the folder of the index cache; None where the user has disabled it or has no home
    directory."""
    caches = None if os.environ.get(NO_CACHE) or sys.platform == "win32" else user_caches()
    return None if caches is None else caches / "dwarfgpu" / "index"


def user_caches() -> Path | None:
    """Return the folder of the user's caches (XDG Base Directory Specification); None if there is
    none."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if folder.is_absolute():  # any other is to be ignored
        return folder
    try:
        return Path.home() / ".cache"
    except RuntimeError:
        return None


def _make_private(folder: Path) -> None:
    """Make the folder and the one around it, for the user alone."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for directory in (folder.parent, folder):
        directory.mkdir(mode=0o700, exist_ok=True)


def _require_private(folder: Path) -> None:
    """Raise `ValueError` for a folder in which others can write; symbolic links are not
    followed."""
    for checked in (folder.parent, folder):
        status = os.lstat(checked)
        is_shared = status.st_uid != os.geteuid() or status.st_mode & (S_IWGRP | S_IWOTH)
        if not S_ISDIR(status.st_mode) or is_shared:
            raise ValueError(f"{checked} is not a folder of the user alone")


def _mode(path: Path) -> int:
    """Return type and permissions of what is at a path; those of a regular file if nothing is."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return 0o100600


def _evict(folder: Path, max_bytes: int) -> None:
    """Remove the entries used longest ago, beyond a size, and files that no writer will finish."""
    entries: list[tuple[float, int, str]] = []
    newest = 0.0
    abandoned: list[tuple[float, str]] = []
    with os.scandir(folder) as scanned:
        for file in scanned:
            with suppress(OSError):
                status = file.stat(follow_symlinks=False)
                newest = max(newest, status.st_mtime)
                if file.name.endswith(_SUFFIX):
                    entries.append((status.st_mtime, status.st_size, file.path))
                elif file.name.startswith(".dwarfgpu-") and file.name.endswith(".tmp"):
                    abandoned.append((status.st_mtime, file.path))
    removed = [path for written, path in abandoned if written < newest - _ABANDONED_SECONDS]
    total_bytes = 0
    for _, size_bytes, path in sorted(entries, reverse=True):
        total_bytes += size_bytes
        if total_bytes > max_bytes:
            removed.append(path)
    for path in removed:
        with suppress(OSError):
            os.unlink(path)


INDEX_CACHE: Final = IndexCache(default_folder())
"""Of this process, for files whose `FileLimits` permit it."""
