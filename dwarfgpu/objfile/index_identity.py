"""What identifies a file for the index cache.

Law: two files with one identity have the same sections, as far as build ID, size, time of the last
change of their status (`st_ctime`, which no program can set) and section headers show. A file
without a build ID, or that is not a regular file of its own, has no identity.
"""

from __future__ import annotations

from dwarfgpu.base.records import frozen
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import build_id

_MAX_ID_BYTES = 64


@frozen
class IndexIdentity:
    """The name of a file's entry, and what the entry must have been made of."""

    name: str
    """The build ID."""
    content: bytes


def index_identity(file: ObjectFile) -> IndexIdentity | None:
    """Return the identity of a file; None if it has none. `Malformed` for unusable headers."""
    status = file.status
    if status is None:
        return None
    id = build_id(file)
    if not id or len(id) > _MAX_ID_BYTES:
        return None
    rows = [
        (section.name, section.type, section.flags, section.offset, section.size_bytes)
        for section in file.sections
    ]
    # Not the time of the last write: an archive can bring any.
    described = repr((id, file.size_bytes, status.st_ctime_ns, file.machine, file.endian, rows))
    return IndexIdentity(id.hex(), described.encode("utf-8", "surrogatepass"))
