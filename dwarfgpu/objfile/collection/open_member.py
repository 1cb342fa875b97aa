"""Open one object file of a container by the name that `members` gave it.

Law: the containers of the last member that was opened stay open, in each thread, as long as the
file on disk is the same by its number, size and time of change. So one member after another costs
no second reading of an archive's directory.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.objfile.collection.members import (
    Data,
    Member,
    Step,
    is_archive,
)
from dwarfgpu.objfile.container import Container, container_in, open_object
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import map_file, read_if_small

if TYPE_CHECKING:
    from dwarfgpu.objfile.bundle import BundleEntry
    from dwarfgpu.objfile.collection.packed_file import PackedFile


def open_member(
    member: Member, target: str | None = None, limits: FileLimits = DEFAULT_FILE_LIMITS
) -> ObjectFile:
    """Return the object file that a member is.

    `target`: of a file that is not a member of a container, as for `open_object`. Raises the
    problem of a member that has one, `UsageError` if the container has changed so that the member
    is gone, and the errors of `open_object`.
    """
    if member.problem is not None:
        raise member.problem
    if not member.steps:
        return open_object(member.path, target, limits)
    levels = _levels(member, limits)
    last, step = levels[-1], member.steps[-1]
    if last.container is not None:
        entry = last.entries.get(step.index)
        if entry is None:
            raise _gone(member)
        return last.container.open_entry(entry, str(member))
    if step.index not in last.files:
        raise last.problem or _gone(member)
    return ObjectFile(str(member), read_if_small(last.files[step.index].contents(limits)), limits)


@frozen(eq=False)
class _Level:
    """A container that is open."""

    step: Step | None
    """The way to it from the container around it; None for the file on disk."""
    files: dict[int, PackedFile]
    """The files of an archive, by number."""
    container: Container | None
    """The code objects of a fat binary or bundle."""
    entries: Mapping[int, BundleEntry]
    """Those by number: thousands may be opened one by one."""
    problem: DwarfGpuError | None = None
    """Why the rest of a damaged archive cannot be read."""


class _Open(threading.local):
    """The containers of one file on disk that are open, the outer ones first."""

    key: tuple[object, ...] = ()
    levels: Sequence[_Level] = ()


_OPEN = _Open()


def _levels(member: Member, limits: FileLimits) -> Sequence[_Level]:
    """Return the containers on the way to a member, opened as far as they are not yet."""
    key = (*_identity(member.path), limits)
    steps: tuple[Step | None, ...] = (None, *member.steps[:-1])
    opened_levels = _OPEN.levels if _OPEN.key == key else ()
    levels: list[_Level] = []
    for level, step in zip(opened_levels, steps, strict=False):
        if level.step != step:
            break
        levels.append(level)
    _OPEN.key, _OPEN.levels = key, levels  # what no longer serves is closed before more is opened
    for number in range(len(levels), len(steps)):
        path = str(Member(member.path, member.steps[:number]))
        levels.append(_opened(_data(member, levels, limits), path, steps[number], limits))
    return levels


def _data(member: Member, levels: Sequence[_Level], limits: FileLimits) -> Data:
    """Return the bytes of the next container: of the file on disk, or of a file in the last one."""
    if not levels:
        return map_file(member.path)
    step = member.steps[len(levels) - 1]
    if step.index not in levels[-1].files:
        raise levels[-1].problem or _gone(member)
    return levels[-1].files[step.index].contents(limits)


def _opened(data: Data, path: str, step: Step | None, limits: FileLimits) -> _Level:
    if is_archive(data):
        from dwarfgpu.objfile.collection.archive import packed_files  # few members are in one

        files: dict[int, PackedFile] = {}
        try:
            for file in packed_files(data, path, limits):
                files[file.index] = file
        except DwarfGpuError as error:  # the files before the damage can be read
            return _Level(step, files, None, {}, error)
        return _Level(step, files, None, {})
    container = container_in(data, path, limits)
    return _Level(step, {}, container, {entry.index: entry for entry in container.entries})


def _identity(path: str) -> tuple[object, ...]:
    """Return a value that changes with the contents of a file; `UsageError` if it is unreadable."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from None
    return path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _gone(member: Member) -> UsageError:
    return UsageError(f"{member} no longer exists: the file has changed")
