"""Find object files in files and folders, down to each code object of a fat binary in an archive.

Law: enumerating is lazy and opens nothing that a name in a file leads to, except the files of a
thin archive within its folder, or the folder that the user named. What cannot be read costs only
itself: it is a member with a problem.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import require_right_fields
from dwarfgpu.base.arguments import require, wrong_type
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, MAX_FILES, UNJUDGED_BYTES, FileLimits
from dwarfgpu.base.readable_files import is_regular
from dwarfgpu.base.records import fields, frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.objfile.container import (
    check_target,
    container_in,
    container_of,
    entries_for,
    is_container,
    is_for_gpu,
    require_target,
)
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import FileBytes, map_file, read_if_small
from dwarfgpu.objfile.file_kinds import (
    ARCHIVE_MAGICS,
    BUNDLE_MAGIC,
    CORE_HEADER_BYTES,
    OBJECT_MAGICS,
    THIN_MAGIC,
    compressed_by,
    is_core_header,
)

if TYPE_CHECKING:
    from dwarfgpu.objfile.collection.packed_file import PackedFile

_HEAD_BYTES: Final = max(len(BUNDLE_MAGIC), CORE_HEADER_BYTES)
_UNKNOWN: Final = "[code objects]"
"""In place of a target, where the code objects of a file cannot be listed."""
_MOST_UNJUDGED: Final = 4 * UNJUDGED_BYTES
"""Bytes to which the files of any archive may be decompressed, however small it is."""
_MAX_NESTING: Final = 4
"""Archives in one another."""

Data = bytes | FileBytes


@frozen
class Step:
    """The way from a container to one file in it."""

    index: int
    """The number of the file in its container, from 0."""
    text: str
    """`(NAME)` in an archive or a package, `[TARGET]` or `[INDEX:TARGET]` in a fat binary."""

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a field of another type."""
        require_right_fields(self, fields)

    def __str__(self) -> str:
        return self.text


@frozen
class Member:
    """An object file to examine: a file, or one in containers. It can be pickled."""

    path: str
    """The file on disk."""
    steps: tuple[Step, ...] = ()
    """The way from it to the object file."""
    problem: DwarfGpuError | None = None
    """Why it, or what is in it, cannot be read."""

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a field of another type."""
        require_right_fields(self, fields)

    def __str__(self) -> str:
        return f"{self.path}{''.join(map(str, self.steps))}"


@frozen
class _Wanted:
    """Which members are wanted, and what the files may cost."""

    target: str | None
    limits: FileLimits


def members(
    paths: Iterable[str | os.PathLike[str]],
    target: str | None = None,
    limits: FileLimits = DEFAULT_FILE_LIMITS,
) -> Iterator[Member]:
    """Return the object files of files and folders, in the given order; in a folder by name.

    A file that is named twice, or by a link, is read once; links to folders are not followed, core
    files in folders are left out; one in a given archive is a member with that problem. A folder or
    an archive without an object file is a member with that problem, and so is what lies beyond
    100,000 files. `target`: code objects for
    other GPUs are left out, unless one file that is not an archive is all. `UsageError` at once for
    an argument of another type, for one path in place of several and, with the first member, for a
    target that is none.
    """
    if isinstance(paths, str | bytes | os.PathLike):
        raise wrong_type("paths", paths, "a list of paths", f": write [{paths!r:.60}]")
    if not isinstance(paths, Iterable):
        raise wrong_type("paths", paths, "a list of paths")
    names = tuple(
        path_text(f"paths[{number}]", path, "a path") for number, path in enumerate(paths)
    )
    if not isinstance(target, str | None):
        raise wrong_type("target", target, "str or None")
    require("limits", limits, FileLimits)
    return _of_paths(names, _Wanted(target, limits))


def path_text(name: str, path: object, expected: str) -> str:
    """Return a path as text; `WrongType` with the name of the argument for what is none."""
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise wrong_type(name, path, f"{expected} as str or Path")
    return text


def _of_paths(paths: tuple[str, ...], wanted: _Wanted) -> Iterator[Member]:
    is_one_file = len(paths) == 1 and not _has_several(paths[0])
    if wanted.target is not None and not is_one_file:
        require_target(wanted.target)
    visited: set[str] = set()
    count = 0
    for path in paths:
        for member in _of_path(path, wanted, visited):
            if isinstance(member.problem, _OtherTarget) and not is_one_file:
                continue
            if count >= MAX_FILES:
                yield Member(path, problem=_too_many(path))
                return
            count += 1
            yield member
    if not count and paths:
        gpu = "a GPU" if wanted.target is None else wanted.target
        why = f"{paths[0]} holds no code for {gpu}"
        if len(paths) > 1:
            why = f"none of {len(paths)} files and folders holds code for {gpu}"
        yield Member(paths[0], problem=UsageError(why))


class _OtherTarget(UsageError):
    """The code is for other GPUs than the wanted one: among several files, no problem."""


def _has_several(path: str) -> bool:
    """Return whether a path is a folder or an archive."""
    return os.path.isdir(path) or _head(path).startswith(ARCHIVE_MAGICS)


def _too_many(path: str) -> LimitExceeded:
    return LimitExceeded(f"{path}: more than {MAX_FILES} files: name a smaller folder")


def _of_path(path: str, wanted: _Wanted, visited: set[str]) -> Iterator[Member]:
    """Yield the members of a file or folder that the user named."""
    if not os.path.isdir(path):
        yield from _of_file(path, wanted, visited, os.path.dirname(_real_path(path)), is_named=True)
        return
    is_empty = True
    for number, name in enumerate(_files_below(path)):
        if number >= MAX_FILES:
            yield Member(path, problem=_too_many(path))
            return
        head = _head(name)
        if not head.startswith((*OBJECT_MAGICS, *ARCHIVE_MAGICS)) or is_core_header(head):
            continue
        if head.startswith(OBJECT_MAGICS) or _real_path(name) in visited:
            is_empty = False
        for member in _of_file(name, wanted, visited, _real_path(path), is_named=False):
            is_empty = False
            yield member
    if is_empty:
        why = f"{path}: no ELF file, fat binary or bundle is in this folder"
        yield Member(path, problem=UsageError(why))


def _files_below(folder: str) -> Iterator[str]:
    for where, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(where, name) for name in sorted(names))


def _head(path: str) -> bytes:
    """Return the first bytes of a file; none where it cannot be read."""
    try:
        if not is_regular(path):
            return b""
        with open(path, "rb") as file:
            return file.read(_HEAD_BYTES)
    except (OSError, ValueError):
        return b""


def _real_path(path: str) -> str:
    """Return the path without links; the path itself where it is not a name of a file."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _of_file(
    path: str, wanted: _Wanted, visited: set[str], folder: str, depth: int = 0, *, is_named: bool
) -> Iterator[Member]:
    """Yield the members of a file that was not read yet; `folder`: where the files of a thin
    archive may be, `depth`: in how many of these it is."""
    real = _real_path(path)
    if real in visited:
        return
    head = _head(path)
    is_thin = head.startswith(THIN_MAGIC)
    if is_thin and depth >= _MAX_NESTING:  # named elsewhere, it is read
        yield Member(path, problem=_too_deep(path))
        return
    visited.add(real)
    if not is_named and is_core_header(head):
        return
    if is_thin:
        yield from _of_thin(path, wanted, visited, folder, depth, is_named=is_named)
    elif head.startswith((*OBJECT_MAGICS, *ARCHIVE_MAGICS)):
        data = map_file(path)
        walk = _Walk(path, wanted, is_named, _Expansion(path, len(data), wanted.limits))
        yield from walk.members(data, (), 0)
    else:  # opening it says what it is not
        yield Member(path)


def _too_deep(subject: object) -> LimitExceeded:
    return LimitExceeded(f"{subject}: more than {_MAX_NESTING} archives in one another")


def _of_thin(
    path: str, wanted: _Wanted, visited: set[str], folder: str, depth: int, *, is_named: bool
) -> Iterator[Member]:
    """Yield the members of the files that a thin archive names."""
    from dwarfgpu.objfile.collection.ar import thin_names  # few requests name an archive

    own = _real_path(path)
    is_empty = True
    try:
        for name in thin_names(map_file(path), path):
            file = os.path.join(os.path.dirname(path), name)
            if (real := _real_path(file)) == own:
                continue
            is_empty = False
            if not Path(real).is_relative_to(folder):
                why = f"{path}: its file {name} is outside of {folder}: name a folder with both"
                yield Member(path, problem=UsageError(why))
            elif is_named and is_regular(file) and _is_core_on_disk(file):
                why = f"{path}: its file {name} is a core file: name it alone"
                yield Member(path, problem=UsageError(why))
            elif is_regular(file):
                yield from _of_file(file, wanted, visited, folder, depth + 1, is_named=False)
            else:
                yield Member(path, problem=UsageError(f"{path}: its file {name} does not exist"))
        if is_empty and is_named:
            raise UsageError(f"{path}: no ELF file, fat binary or bundle is in this archive")
    except DwarfGpuError as error:
        yield Member(path, problem=error)


class _Expansion:
    """The size of the object files in one file on disk, decompressed, their sections too.

    The limits of each of them allow a small archive of many small files to become very large.
    """

    def __init__(self, path: str, packed_bytes: int, limits: FileLimits) -> None:
        self._path, self._packed_bytes, self._limits = path, packed_bytes, limits
        self._size_bytes = 0
        self.is_exceeded = False

    def add(self, size_bytes: int) -> None:
        self._size_bytes += size_bytes

    def add_sections(self, file: ObjectFile) -> None:
        """Count compressed sections, but for those that are refused anyway."""
        most = max(UNJUDGED_BYTES, self._limits.inflated_ratio * file.size_bytes)
        for section in file.sections:
            if file.is_compressed(section):
                with suppress(DwarfGpuError):  # of a header that is damaged
                    size = file.unpacked_bytes(section)
                    self._size_bytes += size if size <= most else 0

    def check(self) -> None:
        """Raise `LimitExceeded` if the rest of the file is not worth its size."""
        ratio = self._limits.inflated_ratio // 2
        if self._size_bytes > _MOST_UNJUDGED + ratio * self._packed_bytes:
            self.is_exceeded = True
            raise LimitExceeded(
                "this file and those after it are not read: the files in "
                f"{self._path} have more than {ratio} times as many bytes when decompressed as "
                f"its {self._packed_bytes}",
                "--max-inflated-ratio",
            )


@frozen
class _Walk:
    """The object files inside one file on disk."""

    path: str
    wanted: _Wanted
    is_named: bool
    expansion: _Expansion

    def members(self, data: Data, steps: tuple[Step, ...], depth: int) -> Iterator[Member]:
        """Yield the object file that bytes are, or those that are in them."""
        here = Member(self.path, steps)
        try:
            if not is_archive(data):
                yield from self._objects(data, here)
            elif depth >= _MAX_NESTING:
                raise _too_deep(here)
            else:
                yield from self._files(data, here, depth)
        except DwarfGpuError as error:
            yield Member(self.path, steps, error)

    def _files(self, data: Data, here: Member, depth: int) -> Iterator[Member]:
        """Yield the members of the files of an archive."""
        from dwarfgpu.objfile.collection.archive import packed_files

        is_empty = True
        names: dict[str, int] = {}
        for file in packed_files(data, str(here), self.wanted.limits):
            number = names[file.name] = names.get(file.name, 0) + 1
            if self.expansion.is_exceeded:  # the last member has the error
                return
            suffix = "" if number == 1 else f"#{number}"
            step = Step(file.index, f"({file.name}{suffix})")
            for member in self._file(file, (*here.steps, step), depth):
                is_empty = False
                yield member
        if is_empty and self.is_named and not here.steps:
            raise UsageError(f"{here}: no ELF file, fat binary or bundle is in this archive")

    def _file(self, file: PackedFile, steps: tuple[Step, ...], depth: int) -> Iterator[Member]:
        if file.problem is not None:  # it names the archive
            yield Member(self.path, steps, file.problem)
            return
        try:
            head = file.head(_HEAD_BYTES)
            if _is_core(file, head):
                if self.is_named:
                    yield Member(self.path, steps, _core_in_archive(Member(self.path, steps)))
                return
            if not head.startswith((*OBJECT_MAGICS, *ARCHIVE_MAGICS)):
                return
            data = file.contents(self.wanted.limits)
        except DwarfGpuError as error:
            error.context = error.context or self.path
            yield Member(self.path, steps, error)
            return
        yield from self.members(data, steps, depth + 1)

    def _expand(self, file: ObjectFile) -> None:
        """Count a file of an archive; `LimitExceeded` if it is one too many."""
        self.expansion.add(file.size_bytes)
        try:
            self.expansion.add_sections(file)
        except DwarfGpuError:
            return  # what examines the file reports it
        self.expansion.check()

    def _objects(self, data: Data, here: Member) -> Iterator[Member]:
        """Yield an ELF file and its code objects for GPUs, or those of a bundle."""
        target, limits = self.wanted.target, self.wanted.limits
        file = None
        if not is_container(bytes(data[:_HEAD_BYTES])):
            file = ObjectFile(str(here), read_if_small(data), limits)
            if here.steps:
                self._expand(file)
            if target is not None and is_for_gpu(file):
                _require_fitting(file, target)
            if target is None or is_for_gpu(file):
                yield here
        try:
            container = (
                container_in(data, str(here), limits) if file is None else container_of(file)
            )
            entries = container.device_entries()
            counts = Counter(entry.label for entry in entries)
            if not entries and file is None and self.is_named and not here.steps:
                raise UsageError(f"{here} holds no code for a GPU")
            if target is not None and (file is None or not is_for_gpu(file)):
                entries = entries_for(container, target)
                if not entries:
                    raise _OtherTarget(f"{here} holds no code for {target}")
        except DwarfGpuError as error:
            if file is None or _has_sections(file):  # else the file itself cannot be read
                yield Member(here.path, (*here.steps, Step(0, _UNKNOWN)), error)
            elif target is not None and not is_for_gpu(file):
                yield Member(here.path, here.steps, error)
            return
        steps: list[Step] = []
        for index, label in [(entry.index, entry.label) for entry in entries]:
            is_plain = counts[label] == 1 and label != "joined"
            steps.append(Step(index, f"[{'' if is_plain else f'{index}:'}{label}]"))
        del container, entries  # else what they unpacked is kept beside that of who opens a member
        for step in steps:
            yield Member(here.path, (*here.steps, step))


def _has_sections(file: ObjectFile) -> bool:
    """Return whether the section headers can be read."""
    try:
        return file.sections is not None
    except DwarfGpuError:
        return False


def _require_fitting(file: ObjectFile, target: str) -> None:
    """Raise `_OtherTarget` for a code object that is for another GPU."""
    try:
        check_target(file, target)
    except UsageError as error:  # also the name of another vendor's GPU
        raise _OtherTarget(str(error)) from None


def _core_in_archive(member: Member) -> UsageError:
    return UsageError(f"{member} is a core file: extract it from the archive")


def _is_core(file: PackedFile, head: bytes) -> bool:
    """Return whether a file that begins so is a core file, also a compressed one."""
    if compressed_by(head) is None:
        return is_core_header(head)
    from dwarfgpu.objfile.compressed_file import PACKED_HEAD_BYTES, head_of  # few are compressed

    return is_core_header(head_of(file.name, file.head(PACKED_HEAD_BYTES), CORE_HEADER_BYTES))


def _is_core_on_disk(path: str) -> bool:
    """Return the same of a file that is in no archive."""
    from dwarfgpu.objfile.compressed_file import head_of  # few archives are thin

    return is_core_header(head_of(path, map_file(path), CORE_HEADER_BYTES))


def is_archive(data: Data) -> bool:
    """Return whether bytes are an archive, with files in it."""
    return data[:_HEAD_BYTES].startswith(ARCHIVE_MAGICS)
