"""Supplementary files, with debug information shared by several files (DWARF 5 7.3.6; the `dwz`
program and its `.gnu_debugaltlink`).

Law: only a file with the required build ID, or checksum, is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.printable import short_name
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import Malformed, Unsupported
from dwarfgpu.objfile.companions import (
    Search,
    candidate_paths,
    joined_below,
    open_companion,
    shown_path,
)
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import build_id
from dwarfgpu.objfile.separate_debug import by_build_id

if TYPE_CHECKING:
    from pathlib import Path


@frozen(eq=False)
class SupplementaryLink:
    """What a file says of its supplementary file."""

    section: str
    """`.debug_sup`, or `.gnu_debugaltlink` before DWARF 5."""
    name: str
    """A path, in the file system's encoding."""
    id: bytes = field(repr=False)
    """The checksum that both files have, or the build ID of the supplementary one."""

    @property
    def shown_name(self) -> str:
        return shown_path(self.name)

    def mismatch(self, file: ObjectFile) -> str | None:
        """Return why a file is not the required one."""
        subject = "build ID"
        checksum = build_id(file)
        if self.section == ".debug_sup":
            subject = "checksum"
            own = _read_sup(file)
            if own is None or not own[0]:
                return "is not a supplementary file"
            checksum = own[2]
        if checksum == self.id:
            return None
        if not checksum:
            return f"has no {subject}"
        return f"has the {subject} {short_name(checksum.hex())}"


def supplementary_link(file: ObjectFile) -> SupplementaryLink | None:
    """Return the supplementary file that a file names; None if it needs none.

    Raises `Malformed` for an unreadable section, `Unsupported` for an unknown version.
    """
    own = _read_sup(file)
    if own is not None and not own[0]:
        return SupplementaryLink(".debug_sup", os.fsdecode(own[1]), own[2])
    data = file.section_data(".gnu_debugaltlink")
    if not data:
        return None
    end = data.find(b"\0")
    name, id = data[:end], data[end + 1 :] if end > 0 else b""
    if not id:
        error = Malformed("no file name and build ID")
        error.context = f"{file.path}: .gnu_debugaltlink"
        raise error
    return SupplementaryLink(".gnu_debugaltlink", os.fsdecode(name), id)


def _read_sup(file: ObjectFile) -> tuple[bool, bytes, bytes] | None:
    """Read `.debug_sup`: whether the file is a supplementary one, the name of the other, the
    checksum (DWARF 5 7.3.6)."""
    data = file.section_data(".debug_sup")
    if not data:
        return None
    reader = Reader(data, file.endian)
    try:
        version, is_supplementary = reader.unsigned(2), reader.u8()
        if version != 5:
            raise Unsupported(f"version {version}")
        end = data.find(b"\0", reader.position)
        name = reader.take((end if end >= 0 else len(data)) - reader.position)
        reader.u8()
        checksum = reader.take(reader.uleb())
    except (Malformed, Unsupported) as error:
        error.context = f"{file.path}: .debug_sup"
        raise
    return bool(is_supplementary), name, checksum


def find_supplementary(
    file: ObjectFile, link: SupplementaryLink, directories: Iterable[str | Path]
) -> ObjectFile:
    """Find the supplementary file; `MissingContext` or `InconsistentContext` if there is none.

    Looked for as GDB does: as named, relative to the folder of the file; under each directory at
    that place and by its name, and by build ID.
    """
    roots = [str(directory) for directory in directories]
    search = Search()

    def look(path: str) -> ObjectFile | str:
        companion = open_companion(path, file.limits)
        return link.mismatch(companion) or companion

    companion = search.first(_paths(file, link, roots), look)
    if companion is None:
        raise search.failure(
            f"supplementary file {link.shown_name} ({short_name(link.id.hex())}), named by "
            f"{link.section},"
        )
    return companion


def _paths(file: ObjectFile, link: SupplementaryLink, roots: list[str]) -> Iterator[str]:
    yield from candidate_paths(link.name, [os.path.dirname(file.path) or "."], roots)
    yield from (joined_below(root, link.name.lstrip("/")) for root in roots)
    if link.section == ".gnu_debugaltlink":
        from pathlib import Path

        yield from map(str, by_build_id(link.id, [Path(root) for root in roots]))
