"""ELF notes (System V ABI, "Note Section"; AMDGPU usage, "Note Records").

Law: a note that is cut short ends its section; those before it stay usable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, counted
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_kinds import ET_CORE

SHT_NOTE: Final = 7
PT_NOTE: Final = 4
NT_GNU_BUILD_ID: Final = 3
MAX_NOTES: Final = 1 << 19
"""Notes that are read of a file: a core file has some for each thread."""
_LONGEST_NAME_BYTES: Final = 4096


@frozen
class Note:
    """One note record."""

    owner: str
    type: int
    content: bytes = field(repr=False)


def notes(file: ObjectFile) -> tuple[Note, ...]:
    """Return the notes of all note sections, or else of all note segments; `Malformed` for a broken
    one."""
    notes, problem = readable_notes(file)
    if problem is not None:
        raise problem.anew()
    return notes


def readable_notes(file: ObjectFile) -> tuple[tuple[Note, ...], DwarfGpuError | None]:
    """Return the readable notes, and the errors of the others."""
    notes: list[Note] = []
    problem: DwarfGpuError | None = None
    bytes_left = file.size_bytes
    for area_name, size_bytes, area in _areas(file):
        if bytes_left < size_bytes <= file.size_bytes:
            overlap = Malformed("notes that overlap: they have more bytes than the file")
            overlap.context = f"{file.path}: {area_name}"
            problem = problem or overlap
            break
        try:
            data = area()
        except DwarfGpuError as error:  # it names file and offset
            problem = problem or error
            continue
        bytes_left -= size_bytes
        try:
            notes.extend(islice(notes_in(data, file.endian), MAX_NOTES - len(notes)))
            if len(notes) == MAX_NOTES:
                raise LimitExceeded(f"there are more than {MAX_NOTES - 1} notes")
        except DwarfGpuError as error:
            error.context = f"{file.path}: {area_name}"
            problem = problem or error
    return tuple(notes), problem


def build_id(file: ObjectFile) -> bytes | None:
    """Return the build ID from the linker; None if there is none."""
    for note in readable_notes(file)[0]:
        if (note.owner, note.type) == ("GNU", NT_GNU_BUILD_ID) and note.content:
            return note.content
    return None


def notes_in(data: bytes, endian: Endian) -> Iterator[Note]:
    """Yield the notes of one section or segment; `Malformed` after the last complete one."""
    return _read(Reader(data, endian))


def _areas(file: ObjectFile) -> Iterator[tuple[str, int, Callable[[], bytes]]]:
    """Name, bytes in the file and contents of every place that has notes.

    Of a core file by its segments: a tool that merges two may leave the sections of one.
    """
    of_file = () if file.type == ET_CORE else file.sections
    sections = [section for section in of_file if section.type == SHT_NOTE]
    for section in sections:
        yield section.name, section.size_bytes, partial(file.data_of, section)
    if not sections:
        for segment in file.segments:
            if segment.type == PT_NOTE:
                size_bytes = segment.file_bytes
                read = partial(file.file_bytes, segment.offset, size_bytes, "PT_NOTE")
                yield "PT_NOTE", size_bytes, read


def _read(reader: Reader) -> Iterator[Note]:
    while reader.remaining_bytes >= 12:
        name_bytes, content_bytes, number = (reader.unsigned(4) for _ in range(3))
        if name_bytes > _LONGEST_NAME_BYTES:
            raise Malformed(f"the name of a note has {counted(name_bytes, 'byte')}")
        owner = reader.take(name_bytes).rstrip(b"\0").decode("utf-8", "replace")
        _align(reader)
        content = reader.take(content_bytes)
        _align(reader)
        yield Note(owner, number, content)


def _align(reader: Reader) -> None:
    """Skip the padding to 4 bytes, which may be missing at the end."""
    reader.take(min(-reader.position % 4, reader.remaining_bytes))
