"""Decide which files may be read.

Law: opening a file never waits for another process. A name from a file leads to regular files only,
and never out of its folder.
"""

from __future__ import annotations

import errno
import os
from stat import S_ISBLK, S_ISCHR, S_ISFIFO, S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, BinaryIO, Final

from dwarfgpu.base.absolute_path import absolute_path, real_path
from dwarfgpu.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_OF_THE_KERNEL: Final = ("/proc/", "/sys/")
"""Files there may be regular and wait for ever: `/proc/kmsg`."""
_DEVICES: Final = "/dev/"
_READ_DEVICES: Final = (os.devnull, "/dev/tty")
_STREAMS: Final = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_MAX_LINKS: Final = 40
"""In one path, as in Linux."""
_NOT_MISSING: Final = 1 << 62
"""More parts than a path has: it may be that of a file."""
MOST_DIGESTED: Final = 1 << 26
"""Size of a file in bytes; reading all of a larger one takes a while."""


def open_to_read(path: str | Path) -> BinaryIO:
    """Open a file that a user names; `OSError` if it cannot be opened.

    A pipe is refused, which waits for a writer, but for those that are open: `/dev/stdin`. So are
    files of the kernel, and devices but the null device and the terminal: most have no end.
    """
    is_open = absolute_path(path).startswith(_STREAMS)
    if not is_open and _waits_or_never_ends(os.stat(path)):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if not is_open and _leads_to(path, *_OF_THE_KERNEL):
        raise OSError(errno.EINVAL, "it is a file of the kernel")
    return open(path, "rb")


def _waits_or_never_ends(status: os.stat_result) -> bool:
    """Return whether a file is a pipe, or a device of unknown contents."""
    if S_ISFIFO(status.st_mode) or S_ISBLK(status.st_mode):
        return True
    return S_ISCHR(status.st_mode) and not any(
        os.path.exists(name) and os.stat(name).st_rdev == status.st_rdev for name in _READ_DEVICES
    )


def more_than(source: object, most_bytes: int) -> UsageError:
    """Return the error about a file with more bytes than are read."""
    large = most_bytes >= 1 << 20
    size = f"{most_bytes >> (20 if large else 10)} {'MiB' if large else 'KiB'}"
    return UsageError(f"{source}: more than {size}")


def is_regular(path: str | Path) -> bool:
    """Return whether a name out of a file leads to a regular file that is none of the kernel's."""
    try:
        return S_ISREG(os.stat(path).st_mode) and not _leads_to(path, *_OF_THE_KERNEL)
    except (OSError, ValueError):  # a NUL in the name, or too long
        return False


def is_source(path: str | Path) -> bool:
    """Return whether a path is a source file that can be read: no device either."""
    return is_regular(path) and not _leads_to(path, _DEVICES)


def digest_of(path: str | Path) -> str | None:
    """Return the SHA-256 of a file's contents in hexadecimal; None for a file that cannot be read,
    or of more than 64 MiB, where reading all of it would take a while."""
    import hashlib  # few requests compare files

    try:
        with open_to_read(path) as file:
            if os.fstat(file.fileno()).st_size > MOST_DIGESTED:
                return None
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def _leads_to(path: str | Path, *folders: str) -> bool:
    return real_path(path).startswith(folders)


def resolved(path: str | Path) -> Path:
    """Return the absolute path without `..` and links, as far as it exists.

    A link that leads to itself stays: opening it fails, naming it does not. Raises `ValueError` for
    a NUL in the name.
    """
    from pathlib import Path  # imports a lot, and few commands need one

    return Path(real_path(path))


def folder_of(path: str | Path) -> Path:
    """Return where the relative names in a document begin: the folder of the file itself, behind
    symbolic links; for a device such as `/dev/stdin`, the folder of its name."""
    from pathlib import Path  # imports a lot, and few commands need one

    if os.path.islink(path) and (is_regular(path) or not os.path.exists(path)):
        return resolved(path).parent
    return Path(path).parent


def beneath(folder: str, name: str) -> str:
    """Resolve a name inside a folder that acts as the root of a file system: neither `..` nor a
    link leads out of it. A missing file resolves to where it would be."""
    paths_below: list[str] = []
    pending = [part for part in name.split("/")[::-1] if part not in ("", ".")]
    links_left = _MAX_LINKS
    missing_from = _NOT_MISSING
    while pending:
        part = pending.pop()
        if part == "..":
            del paths_below[-1:]
            if len(paths_below) < missing_from:
                missing_from = _NOT_MISSING
            continue
        target = None
        if links_left and len(paths_below) < missing_from:
            try:
                target = _link(os.path.join(folder, *paths_below, part))
            except (OSError, ValueError):
                missing_from = len(paths_below) + 1
        if target is None:
            paths_below.append(part)
            continue
        links_left -= 1
        if target.startswith("/"):
            paths_below.clear()
        pending += [part for part in target.split("/")[::-1] if part not in ("", ".")]
    return os.path.join(folder, *paths_below)


def _link(path: str) -> str | None:
    """Return where a link leads; None for a file that is no link."""
    return os.readlink(path) if S_ISLNK(os.lstat(path).st_mode) else None


__all__ = [
    "MOST_DIGESTED",
    "beneath",
    "folder_of",
    "is_regular",
    "is_source",
    "open_to_read",
    "resolved",
]
