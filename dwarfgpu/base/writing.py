"""Files that dwarfgpu writes for its user: whole, or not at all.

Law: only this module opens a file for writing. At every moment a name has its old contents or all
of the new ones: contents are written beside, flushed to the disk, and renamed. Of a document and
the files that it names, the files have names made of their contents, and the document comes last.
No input of the command (`base/input_files.py`) is written to, under whatever path or link.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISFIFO, S_ISREG
from typing import Final

from dwarfgpu.base.input_files import input_paths
from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError

if sys.platform != "win32":
    import fcntl

_HASH_DIGITS: Final = 16
_NAME_END: Final = rf"\.[0-9a-f]{{{_HASH_DIGITS}}}\.[a-z]+"
_CONTENT_NAME: Final = pattern(f".*{_NAME_END}".encode("ascii"), re.DOTALL)
_JSON_STRING: Final = pattern(rb'"((?:[^"\\]++|\\.)*+)"?', re.DOTALL)
"""Without the last quote at the end of a document that is cut short: the search stays linear."""
_QUOTED: Final = pattern(rf'"([^"\x00-\x1f]*{_NAME_END})(?=")'.encode("ascii"))
"""Between any two quotes, whether or not they belong together."""
_DEVICES: Final = ("/dev/", "/proc/")
"""Files here have no siblings: `/dev/stdout`, for example."""
_MEMORY: Final = "/dev/shm/"
"""A folder like any other."""
_OWN_STREAM: Final = pattern(
    r"/dev/(?P<name>stdout|stderr)|(?:/dev|/proc/self)/fd/(?P<number>[0-9]{1,9})"
)
_STREAMS: Final = {"stdout": 1, "stderr": 2}
_CANNOT_FLUSH: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP})
"""Errors of file systems without `fsync`."""
_TRIES: Final = 200
_PAUSE_SECONDS: Final = 0.05
"""Together how long a second writer waits for the first."""


class NotWritten(UsageError):
    """A file that cannot be written, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: cannot be written: {reason}")
        self.reason = reason

    @property
    def kind(self) -> str:
        return UsageError.__name__


def write_file(path: Path, *parts: bytes | bytearray) -> None:
    """Give a file these contents; `UsageError` where that cannot be, and the old ones stay.

    A symbolic link stays one. A device or a pipe is written to.
    """
    require_no_input(path)
    try:
        _write(path, *parts)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None


def require_writable(path: Path) -> None:
    """Raise `UsageError` if `write_file` would fail, as far as that can be known; opens and changes
    nothing."""
    try:
        mode = _mode_to_write(path)
        if not _is_device(path, mode):
            folder = _replaced_file(path, mode).parent
            if not S_ISDIR(os.stat(folder).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None


def file_identity(path: Path) -> tuple[int, int] | str | None:
    """Return what identifies a file under all its paths; None for a device or a pipe, which keeps
    all that is written to it, and for a path that cannot be looked up."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if S_ISREG(status.st_mode) else None


def require_no_input(path: Path, *, replaces_state: bool = False) -> None:
    """Raise `UsageError` for an input of this command, such as an open program or core file.

    `replaces_state`: the state of the command may be replaced.
    """
    inputs = input_paths(with_states=not replaces_state)
    if not inputs:
        return
    identity = file_identity(path)
    if identity is not None and identity in {file_identity(Path(name)) for name in inputs}:
        raise UsageError(f"{path} is an input: give another file")


def append_file(path: Path, data: bytes) -> None:
    """Add bytes to the end of a file, which is made if there is none; `UsageError` where that
    cannot be."""
    require_no_input(path)
    try:
        mode = _mode_to_write(path)
        if _is_device(path, mode):
            _write_through(path, mode, data)
            return
        with open(path, "ab") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None


def content_name(stem: str, data: bytes, suffix: str) -> str:
    """Return the name of a file beside a document: `STEM.HASH.npy`, with the SHA-256 of its
    contents."""
    return f"{stem}.{hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]}.{suffix}"


def require_regular(path: Path, files: Collection[str]) -> None:
    """Raise `UsageError` for a device or a pipe as a document that names files beside it."""
    try:
        if not files or not _is_device(path, _mode(path)):
            return
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None
    raise UsageError(
        f"{path}: cannot be written: it is not a regular file, and longer memory is written to "
        ".npy files beside it"
    )


def write_set(path: Path, document: bytes, files: Mapping[str, bytes]) -> None:
    """Write a JSON document, and the files beside it that it names, by `content_name`.

    Files of earlier documents of this path that no document in the folder names are removed.
    `UsageError` where something cannot be written: the old document stays, with its files.
    """
    require_regular(path, files)
    require_no_input(path, replaces_state=True)
    try:
        with _locked(path.parent) as is_alone:
            written: list[Path] = []
            try:
                for name, data in files.items():
                    if not _has(path.parent / name, data):
                        require_no_input(path.parent / name)
                        written.append(path.parent / name)
                        _write(path.parent / name, data)
                _require_files(path, document)
                _write(path, document)
            finally:
                if is_alone and written and not _has(path, document):
                    for array in written:
                        with suppress(OSError):
                            array.unlink()
            if is_alone and not _is_device(path, _mode(path)):
                _remove_unnamed(path, document)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None


def _refused(path: Path, error: OSError | ValueError) -> NotWritten:
    return NotWritten(path, str(getattr(error, "strerror", None) or error))


def _mode(path: Path) -> int:
    """Return type and permissions of the file at a path; 0 if there is none."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return 0


def _write(path: Path, *parts: bytes | bytearray) -> None:
    mode = _mode_to_write(path)
    if _is_device(path, mode):
        _write_through(path, mode, *parts)
        return
    target = _replaced_file(path, mode)
    beside = target.parent / f".dwarfgpu-{secrets.token_hex(8)}.tmp"
    try:
        with open(beside, "xb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            _flush(file.fileno())
        if mode:
            os.chmod(beside, S_IMODE(mode))
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    with suppress(OSError):  # of the folder; some systems do not open one
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            _flush(folder)
        finally:
            os.close(folder)


def _mode_to_write(path: Path) -> int:
    """Return the `_mode` of what is no folder."""
    mode = _mode(path)
    if S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return mode


def _replaced_file(path: Path, mode: int) -> Path:
    """Return the regular file that is replaced, behind symbolic links; `OSError` where it may not
    be."""
    target = Path(os.path.realpath(path))
    if mode and not os.access(target, os.W_OK):  # to be renamed upon, it need not be writable
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return target


def _is_device(path: Path, mode: int) -> bool:
    """Return whether a path of that mode is written to as it is: nothing is beside it or
    renamed."""
    absolute = os.path.abspath(path)
    is_there = absolute.startswith(_DEVICES) and not absolute.startswith(_MEMORY)
    return is_there or not (S_ISREG(mode) or mode == 0)


def _write_through(path: Path, mode: int, *parts: bytes | bytearray) -> None:
    """Write to a device or a pipe; an error for a pipe without a reader, which would wait."""
    own = _OWN_STREAM.fullmatch(os.path.abspath(path))
    if own is not None:  # opened anew, a file would be written from its beginning
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        descriptor = os.dup(int(own["number"] or _STREAMS[own["name"]]))
    else:
        waits = os.O_NONBLOCK if S_ISFIFO(mode) else 0
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | waits, 0o666)
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise ValueError("no program reads the pipe") from None
            raise
        os.set_blocking(descriptor, True)
    with open(descriptor, "wb") as file:
        for part in parts:
            file.write(part)


def _flush(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Wait until no other writes a set in the folder; False where it cannot be locked, as on NFS.

    `UsageError` where it takes too long.
    """
    descriptor = None if sys.platform == "win32" else os.open(folder, os.O_RDONLY)
    if descriptor is None:
        yield False
        return
    try:
        yield _lock(descriptor, folder)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> bool:
    for _ in range(_TRIES):
        try:
            if sys.platform != "win32":
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(_PAUSE_SECONDS)
        except OSError:
            return False
    raise UsageError(f"{folder}: another program is writing there; try again")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _has(path: Path, data: bytes) -> bool:
    """Return whether a file has these contents already."""
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def _names(document: bytes, strings: re.Pattern[bytes] = _JSON_STRING) -> set[str]:
    """Return the files beside a document that its JSON strings name, as `content_name` makes
    them."""
    names = set()
    for match in strings.finditer(document):
        if _CONTENT_NAME.fullmatch(match[1]):
            with suppress(ValueError):
                names.add(str(json.loads(b'"' + match[1] + b'"')))
    return {name for name in names if os.path.basename(name) == name}


def _require_files(path: Path, document: bytes) -> None:
    """Raise `UsageError` where a file that a document names is gone, which another writer
    removed."""
    for name in sorted(_names(document)):
        if not (path.parent / name).is_file():
            raise UsageError(f"{path}: cannot be written: {name}, which it needs, was removed")


def _remove_unnamed(path: Path, document: bytes) -> None:
    """Remove the arrays of earlier documents at a path that no document uses any more.

    Their names identify them: the prefix of the document's name and the hash of their contents.
    """
    stem = re.escape(path.name.removesuffix(".json"))
    own = re.compile(rf"{stem}(?:-[0-9]+)?\.[\w-]+\.[0-9a-f]{{{_HASH_DIGITS}}}\.(?:npy|co)")
    named = _names(document)
    old = [name for name in _entries(path.parent) if own.fullmatch(name) and name not in named]
    if not old:
        return
    states = (name for name in _entries(path.parent) if name.endswith(".json"))
    for state in states:  # none of them need be valid JSON: rather too many names than too few
        text = _read(path.parent / state)
        named |= _names(text) | _names(text, _QUOTED)
    for name in sorted({*old} - named):
        stem, digits, suffix = name.rsplit(".", 2)
        if content_name(stem, _read(path.parent / name), suffix).split(".")[-2] == digits:
            with suppress(OSError):
                (path.parent / name).unlink()


def _entries(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # it may be written to, and not be read
        return []


__all__ = [
    "NotWritten",
    "append_file",
    "content_name",
    "file_identity",
    "require_no_input",
    "require_writable",
    "write_file",
    "write_set",
]
