"""Files that an object file names: split and supplementary files.

Law: names come from the input. Only regular files are opened, for reading; a file that does not
match is not used; if none matches, the error lists every place that was tried, and why it failed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Generic, TypeVar

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.readable_files import is_regular
from dwarfgpu.errors import (
    DwarfGpuError,
    FailedReads,
    InconsistentContext,
    LimitExceeded,
    MissingContext,
    UsageError,
)
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import map_file

T = TypeVar("T")

_LONGEST_SHOWN: Final = 200
"""Characters of a path in a message."""
_ABSENT: Final = "cannot be read: No such file or directory"


def shown_path(path: str) -> str:
    """Return a path for a message: printable, and not too long."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    if not text.isprintable():
        text = text.encode("unicode_escape").decode("ascii")
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def open_companion(path: str, limits: FileLimits) -> ObjectFile:
    """Open the ELF file of a path that a file names; `UsageError` if it is not one."""
    if os.path.isfile(path) and not is_regular(path):  # one of the kernel, which may wait
        raise UsageError(f"{shown_path(path)} cannot be read: it is not a regular file")
    return ObjectFile(shown_path(path), map_file(path), limits)


class Companions(Generic[T]):
    """The files that one file names. A name may be written in very many ways: each file is read
    once, in vain or not."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, int], T] = {}
        self._failed = FailedReads()

    def __iter__(self) -> Iterator[T]:
        return iter(self._read.values())

    def read(self, path: str, read: Callable[[], T]) -> T:
        """Return what a function reads of the file at a path, or raise its error."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return read()  # it says why
        key = status.st_dev, status.st_ino
        if key not in self._read:
            self._read[key] = self._failed.read(key, read)
        return self._read[key]


class Search:
    """One search through files; remembers what was tried."""

    def __init__(self) -> None:
        self._tried: dict[str, str] = {}

    def first(self, paths: Iterable[str], look: Callable[[str], T | str]) -> T | None:
        """Return the first result of `look` for one of the paths; a string is the reason for a
        failure. `LimitExceeded` from `look` ends the search."""
        for path in paths:
            if path in self._tried:
                continue
            try:
                problem = look(path)
            except LimitExceeded:
                raise  # a larger limit helps, no other path
            except DwarfGpuError as error:
                problem = error.message.removeprefix(f"{path} ")
            if not isinstance(problem, str):
                return problem
            self._tried[path] = problem
        return None

    def failure(self, subject: str, *, lists_paths: bool = True) -> DwarfGpuError:
        """Return the error of a search without a result: `MissingContext` if none of the files
        exists, `InconsistentContext` if one exists but is not the right one."""
        tried = ", ".join(
            shown_path(path) + ("" if reason == _ABSENT else f" ({reason})")
            for path, reason in self._tried.items()
        )
        if not lists_paths:
            tried = f"{len(self._tried)} places"
        if all(reason == _ABSENT for reason in self._tried.values()):
            return MissingContext(f"{subject} is not found; tried {tried}; give --debug-dir DIR")
        return InconsistentContext(f"{subject} cannot be used; tried {tried}")


def candidate_paths(name: str, folders: Iterable[str], roots: Iterable[str] = ()) -> Iterator[str]:
    """Yield the paths to try: the name itself, then each folder with the name and with its last
    part.

    `roots` are folders that `..` cannot leave: the user's folders for debug files.
    """
    roots = tuple(roots)
    folders = [*dict.fromkeys([*folders, *roots])]
    if os.path.isabs(name):
        yield name
    else:
        yield from (
            joined_below(folder, name) if folder in roots else joined(folder, name)
            for folder in folders
        )
    last = os.path.basename(name)
    yield from (joined(folder, last) for folder in folders)


def joined_below(folder: str, name: str) -> str:
    """Return a path below a folder; `..` in the name does not leave it."""
    is_plain = ".." not in name.split("/")
    return joined(folder, name if is_plain else os.path.normpath(f"/{name}").lstrip("/"))


def joined(folder: str, name: str) -> str:
    """Return a path in a folder, without `.` as its first component."""
    return name if folder in ("", ".") else folder if name == "." else os.path.join(folder, name)
