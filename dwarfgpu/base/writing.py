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
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from itertools import chain
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISFIFO, S_ISREG, S_IWUSR
from typing import Final

from dwarfgpu.base.absolute_path import absolute_path, real_path
from dwarfgpu.base.input_files import Kind, input_paths
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.readable_files import digest_of, folder_of, is_regular
from dwarfgpu.errors import UsageError

if sys.platform != "win32":
    import fcntl

_HASH_DIGITS: Final = 16
_NAME_END: Final = rf"\.[0-9a-f]{{{_HASH_DIGITS}}}\.[a-z]+"
_CONTENT_NAME: Final = pattern(f".*{_NAME_END}".encode("ascii"), re.DOTALL)
_JSON_STRING: Final = pattern(rb'"((?:[^"\\]++|\\.)*+)"?', re.DOTALL)
"""Without the last quote at the end of a document that is cut short: the search stays linear."""
_HASH: Final = pattern(rf"(?<=\.)[0-9a-f]{{{_HASH_DIGITS}}}(?=\.)".encode("ascii"))
_ESCAPED: Final = pattern(rb"\\u00(?:2e|[36][0-9])")
"""Where a JSON string has `\\u0030` for `0`, for example, and may have a hash that is not found."""
_UNFINISHED: Final = pattern(r"\.dwarfgpu-[0-9a-f]{16}\.tmp")
"""What a killed writer leaves."""
_NO_DOCUMENT: Final = (b"\x7fELF", b"\x93NUMPY")
"""So begin code objects, core files and arrays, which name no files beside them."""
_MOST_DOCUMENT_BYTES: Final = 64 << 20
"""As of a state that is read."""
_MOST_ARRAY_BYTES: Final = (1 << 30) + (1 << 16)
_MOST_OTHER_FILES: Final = 4096
_MOST_OTHER_BYTES: Final = 16 << 20
"""Of all other files in the folder together, which are searched for the names of arrays."""
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
        super().__init__(f"{path} cannot be written: {reason}")
        self.reason = reason

    @property
    def kind(self) -> str:
        return UsageError.__name__


def write_file(path: Path, *parts: bytes | bytearray, replaces: Kind | None = None) -> None:
    """Give a file these contents; `UsageError` where that cannot be, and the old ones stay.

    A symbolic link stays one. A device or a pipe is written to. `replaces`: inputs of this kind may
    be replaced.
    """
    write_parts(path, parts, replaces=replaces)


def write_parts(
    path: Path, parts: Iterable[bytes | bytearray], *, replaces: Kind | None = None
) -> None:
    """Do what `write_file` does, with parts that are made as they are written."""
    require_no_input(path, replaces)
    try:
        _write(path, parts)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None


def require_writable(path: Path) -> None:
    """Raise `UsageError` if `write_file` would fail, as far as that can be known; changes no file.
    A full disk is not known before."""
    try:
        mode = _mode_to_write(path)
        if not mode or not _is_device(path, mode):
            folder = _replaced_file(path, mode).parent
            if not S_ISDIR(os.stat(folder).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            _require_new_file(folder)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None


def _require_new_file(folder: Path) -> None:
    """Raise `OSError` for a folder that takes no new file, whatever its permissions are, as
    /proc."""
    unnamed = getattr(os, "O_TMPFILE", 0)  # a file without a name
    with suppress(OSError):  # not all file systems have such files
        if unnamed:
            os.close(os.open(folder, unnamed | os.O_WRONLY, 0o600))
            return
    beside = _beside(folder)
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    finally:
        with suppress(OSError):
            os.unlink(beside)


def _beside(folder: Path) -> Path:
    """Return the path of a file that gets another name when it is complete."""
    return folder / f".dwarfgpu-{secrets.token_hex(8)}.tmp"


def file_identity(path: Path) -> tuple[int, int] | str | None:
    """Return what identifies a file under all its paths; None for a device or a pipe, which keeps
    all that is written to it, and for a path that cannot be looked up."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return real_path(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if S_ISREG(status.st_mode) else None


def require_no_input(path: Path, replaces: Kind | None = None) -> None:
    """Raise `UsageError` for an input of this command, such as an open program or core file.

    `replaces`: inputs of this kind may be replaced.
    """
    if _is_one_of(path, input_paths(without=replaces)):
        raise UsageError(f"{path} is an input: give another file")


def _is_one_of(path: Path, paths: Collection[str]) -> bool:
    """Return whether a path leads to the file of one of these paths."""
    identity = file_identity(path) if paths else None
    return identity is not None and identity in {file_identity(Path(name)) for name in paths}


def append_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Add parts, which are made as they are written, to the end of a file, which is made if there
    is none; `UsageError` where that cannot be. All of them or none."""
    require_no_input(path)
    try:
        mode = _mode_to_write(path)
        if _is_device(path, mode):
            _write_through(path, mode, parts)
        elif not mode:
            _write(path, parts)  # there is no file unless all of it can be written
        else:
            with FileIO(path, "ab") as file:
                _append(file, parts)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None


def _append(file: FileIO, parts: Iterable[bytes]) -> None:
    """Write all of the parts, or an error and none of them."""
    before = file.seek(0, os.SEEK_END)
    try:
        for part in parts:
            left = memoryview(part)
            while left:
                left = left[file.write(left) :]
    except BaseException:
        with suppress(OSError):
            file.truncate(before)
        raise


def content_name(stem: str, data: bytes, suffix: str) -> str:
    """Return the name of a file beside a document: `STEM.HASH.npy`, with the SHA-256 of its
    contents."""
    return f"{stem}.{hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]}.{suffix}"


def label_of(name: str) -> str | None:
    """Return `in` of `STEM.in.HASH.npy`, as `content_name` makes it; None for any other name."""
    if not _CONTENT_NAME.fullmatch(os.fsencode(name)):
        return None
    return name.rsplit(".", 2)[0].rpartition(".")[2] or None


def has_changed(path: Path) -> bool:
    """Return whether a file has other contents than the hash in its name is of; False where that is
    unknown: for other names than `STEM.in.HASH.npy`, and files for which `digest_of` has none."""
    words = path.name.rsplit(".", 3)
    digest = digest_of(path) if len(words) == 4 and label_of(path.name) else None
    return digest is not None and digest[:_HASH_DIGITS] != words[2]


def require_regular(path: Path, files: Collection[str]) -> None:
    """Raise `UsageError` for a folder, and for a device or a pipe as a document that names files
    beside it."""
    try:
        if not _is_device(path, _mode_to_write(path)) or not files:
            return
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None
    raise UsageError(
        f"{path} cannot be written: it is not a regular file, and longer memory is written to "
        ".npy files beside it"
    )


def write_set(path: Path, document: bytes, files: Mapping[str, bytes]) -> None:
    """Write a JSON document, and the files beside it that it names, by `content_name`.

    Files that the replaced document names are removed, if neither the new one nor any other file
    in the folder can name them, and the user did not name them as inputs of this command.
    `UsageError` where something cannot be written: the old document stays, with its files.
    Behind a symbolic link, all are in the folder of the document itself.
    """
    require_regular(path, files)
    require_no_input(path, "state")
    try:
        is_device = _is_device(path, _mode(path))
        folder = path.parent if is_device else folder_of(path)
        with _locked(folder) as is_alone:
            removes = is_alone and not is_device
            before = _named_before(path) if removes else set()
            written: list[Path] = []
            try:
                for name, data in files.items():
                    if not _has(folder / name, data):
                        require_no_input(folder / name)
                        if not os.path.lexists(folder / name):
                            written.append(folder / name)
                        _write(folder / name, [data])
                _require_files(path, folder, document)
                _write(path, [document])
            finally:
                if is_alone and written and not _has(path, document):
                    for array in written:
                        with suppress(OSError):
                            array.unlink()
            if before:
                _remove_unnamed(path, folder, before, document)
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


def _write(path: Path, parts: Iterable[bytes | bytearray]) -> None:
    mode = _mode_to_write(path)
    if _is_device(path, mode):
        _write_through(path, mode, parts)
        return
    target = _replaced_file(path, mode)
    beside = _beside(target.parent)
    try:
        with open(beside, "xb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            _flush(file.fileno())
        if mode:
            _keep_owner(beside, target)
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


def _keep_owner(beside: Path, target: Path) -> None:
    """Give a file the owner and the group of the one that it replaces, as far as the user may."""
    if sys.platform == "win32":
        return
    status = os.stat(target)
    for owner, group in ((status.st_uid, -1), (-1, status.st_gid)):
        with suppress(OSError):  # EINVAL where a user namespace has no such user
            os.chown(beside, owner, group)


def _mode_to_write(path: Path) -> int:
    """Return the `_mode` of a path that is not a folder."""
    mode = _mode(path)
    if S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return mode


def _replaced_file(path: Path, mode: int) -> Path:
    """Return the regular file that is replaced, behind symbolic links; `OSError` where it may not
    be."""
    target = Path(real_path(path))
    if mode and not os.access(target, os.W_OK):  # to be renamed upon, it need not be writable
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return target


def _is_device(path: Path, mode: int) -> bool:
    """Return whether a path of that mode is written to as it is: nothing is beside it or
    renamed."""
    absolute = absolute_path(path)
    is_there = absolute.startswith(_DEVICES) and not absolute.startswith(_MEMORY)
    return is_there or not (S_ISREG(mode) or mode == 0)


def _write_through(path: Path, mode: int, parts: Iterable[bytes | bytearray]) -> None:
    """Write to a device or a pipe; an error for a pipe without a reader, which would wait."""
    own = _OWN_STREAM.fullmatch(absolute_path(path))
    if own is not None:  # opened anew, a file would be written from its beginning
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        descriptor = os.dup(int(own["number"] or _STREAMS[own["name"]]))
    else:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        is_pipe = S_ISFIFO(mode)
        descriptor = opened_at_once(path, flags) if is_pipe else os.open(path, flags, 0o666)
    with open(descriptor, "wb") as file:
        for part in parts:
            file.write(part)


def opened_at_once(path: Path | str, flags: int) -> int:
    """Return a descriptor for a file to write to. `ValueError` for a pipe that no program reads,
    which would be waited for; `OSError` for another file that cannot be opened."""
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO and S_ISFIFO(os.stat(path).st_mode):
            raise ValueError("no program reads the pipe") from None
        raise
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    return descriptor


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


def _has(path: Path, data: bytes) -> bool:
    """Return whether a file has these contents already."""
    try:
        is_as_long = is_regular(path) and path.stat().st_size == len(data)
        return is_as_long and path.read_bytes() == data
    except OSError:
        return False


def _read(path: Path, most_bytes: int) -> bytes | None:
    """Return the contents of a regular file; None for others, and for a longer one. Never waits."""
    if sys.platform == "win32" or not is_regular(path):
        return None
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not S_ISREG(status.st_mode) or status.st_size > most_bytes:
                return None
            data = file.read(most_bytes + 1)
    except OSError:
        return None
    return data if len(data) <= most_bytes else None


def _names(document: bytes) -> set[str]:
    """Return the files beside a document that its JSON strings name, as `content_name` makes
    them."""
    names = set()
    for match in _JSON_STRING.finditer(document):
        if _CONTENT_NAME.fullmatch(match[1]):
            with suppress(ValueError):
                names.add(str(json.loads(b'"' + match[1] + b'"')))
    return {name for name in names if os.path.basename(name) == name}


def _require_files(path: Path, folder: Path, document: bytes) -> None:
    """Raise `UsageError` where a file that a document names is gone, which another writer
    removed."""
    for name in sorted(_names(document)):
        if not os.path.isfile(folder / name):
            raise UsageError(f"{path} cannot be written: {name}, which it needs, was removed")


def _named_before(path: Path) -> set[str]:
    """Return the files that a document names, before it is replaced."""
    return _names(_read(path, _MOST_DOCUMENT_BYTES) or b"")


def _remove_unnamed(path: Path, folder: Path, before: set[str], document: bytes) -> None:
    """Remove the files that a document named before, and that no file in the folder can name.

    Files that the user named as inputs of the command stay, and so do read-only files
    (docs/decisions/0027-arrays-of-a-state.md).
    """
    paths = (path.name, os.path.basename(real_path(path)))
    stems = tuple(name.removesuffix(".json") for name in paths)
    old = [name for name in sorted(before - _names(document)) if name.startswith(stems)]
    used: set[bytes] = set()
    for text in chain([document], _other_texts(path, folder)) if old else ():
        hashes = None if text is None else _hashes(text)
        if hashes is None:
            return
        used |= hashes
    for name in old:
        array = folder / name
        stem, digits, suffix = name.rsplit(".", 2)
        is_used = digits.encode("ascii") in used or _is_one_of(array, input_paths(without="array"))
        if is_used or not _may_be_removed(array):
            continue
        data = _read(array, _MOST_ARRAY_BYTES)
        if data is not None and content_name(stem, data, suffix) == name:
            with suppress(OSError):
                array.unlink()


def _may_be_removed(array: Path) -> bool:
    """Return whether a file is one that its owner may write to, and no symbolic link."""
    try:
        mode = os.lstat(array).st_mode
    except OSError:
        return False
    return S_ISREG(mode) and bool(mode & S_IWUSR)


def _hashes(text: bytes) -> set[bytes] | None:
    """Return the hashes in the names of files that a text has, in whatever encoding and with
    whatever path; None where they cannot be known."""
    plain = text.replace(b"\0", b"").lower()
    return None if _ESCAPED.search(plain) else {*_HASH.findall(plain)}


def _other_texts(path: Path, folder: Path) -> Iterator[bytes | None]:
    """Yield the contents of the other files in a folder; None where they cannot be known, or there
    are too many: rather too many files stay than too few."""
    own, left = real_path(path), _MOST_OTHER_BYTES
    try:
        entries = os.listdir(folder)
    except OSError:  # it may be written to, and not be read
        yield None
        return
    if len(entries) > _MOST_OTHER_FILES:
        yield None
        return
    for entry in sorted(entries):
        other = folder / entry
        if _UNFINISHED.fullmatch(entry) or real_path(other) == own or _is_other_kind(other):
            continue
        text = _read(other, left)
        yield text
        if text is None:
            return
        left -= len(text)


def _is_other_kind(path: Path) -> bool:
    """Return whether something is not a document: a folder, a pipe, a device, an array."""
    if sys.platform == "win32":
        return False
    try:
        if not is_regular(path):
            return os.path.lexists(path)  # one that has just got another name is unknown
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return os.read(descriptor, max(map(len, _NO_DOCUMENT))).startswith(_NO_DOCUMENT)
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return False


__all__ = [
    "NotWritten",
    "append_parts",
    "content_name",
    "file_identity",
    "label_of",
    "require_no_input",
    "require_writable",
    "write_file",
    "write_parts",
    "write_set",
]
