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
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, counted
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_kinds import ET_CORE

SHT_NOTE: Final = 7
PT_NOTE: Final = 4
NT_GNU_BUILD_ID: Final = 3
MAX_NOTES: Final = 1 << 19
"""Notes that are read of a file: a core file has some for each thread."""
_MOST_AREAS: Final = 1 << 16
"""Sections, or segments, of notes that are read of a file: a linker makes one of each kind, and an
object of C++ may have one for each function (SystemTap)."""
_LONGEST_NAME_BYTES: Final = 4096
_NULL_NOTE: Final = bytes(12)
"""A note without a name, contents and a type, which no producer writes."""


@frozen
class Note:
    """One note record."""

    owner: str
    type: int
    content: bytes = field(repr=False)
    offset: int = field(default=0, repr=False)
    """Where the content is in the file, or in the bytes of `notes_in`."""


def notes(file: ObjectFile) -> tuple[Note, ...]:
    """Return the notes of all note sections, or else of all note segments; `Malformed` for a broken
    one."""
    notes, problem = readable_notes(file)
    if problem is not None:
        raise problem.anew()
    return notes


def readable_notes(file: ObjectFile) -> tuple[tuple[Note, ...], DwarfGpuError | None]:
    """Return the readable notes, and the first error of the others."""
    problems: list[DwarfGpuError] = []
    notes = tuple(each_readable_note(file, problems))
    return notes, problems[0] if problems else None


def each_readable_note(file: ObjectFile, problems: list[DwarfGpuError]) -> Iterator[Note]:
    """Yield the readable notes; the first error of the others is added to `problems`.

    The notes of a core file may be most of its bytes: no more than one of them is in memory twice.
    """
    fault: DwarfGpuError | None = None
    """The first: an error keeps what its section has."""
    count = 0
    bytes_left = file.size_bytes
    # objcopy keeps the program header of note sections that it removes, over zeros.
    may_be_removed = file.type != ET_CORE and bool(file.sections)
    for number, area in enumerate(_areas(file)):
        if number == _MOST_AREAS:
            fault = fault or LimitExceeded(f"{file.path}: more than {number} sections of notes")
            break
        if bytes_left < area.size_bytes <= file.size_bytes:
            overlap = Malformed("notes that overlap: they have more bytes than the file")
            overlap.context = f"{file.path}: {area.name}"
            fault = fault or overlap
            break
        try:
            data = area.read()
        except DwarfGpuError as error:  # it names file and offset
            fault = fault or error
            continue
        bytes_left -= area.size_bytes
        is_removed = may_be_removed and area.name == "PT_NOTE"
        if data.startswith(_NULL_NOTE) and not is_removed:
            zeros = Malformed(f"{file.path}: {area.name} begins with zeros: notes are lost")
            fault = fault or zeros
        try:
            for note in islice(_read(Reader(data, file.endian), area.offset), MAX_NOTES - count):
                count += 1
                yield note
            if count == MAX_NOTES:
                raise LimitExceeded(f"there are more than {MAX_NOTES - 1} notes")
        except DwarfGpuError as error:
            error.context = f"{file.path}: {area.name}"
            fault = fault or error
    problems += [] if fault is None else [fault]


@kept_with(first)
def build_id(file: ObjectFile) -> bytes | None:
    """Return the build ID from the linker; None if there is none."""
    for note in each_readable_note(file, []):
        if (note.owner, note.type) == ("GNU", NT_GNU_BUILD_ID) and note.content:
            return note.content
    return None


def notes_in(data: bytes, endian: Endian) -> Iterator[Note]:
    """Yield the notes of one section or segment; `Malformed` after the last complete one."""
    return _read(Reader(data, endian), 0)


@frozen
class _Area:
    """A place in the file that has notes."""

    name: str
    offset: int
    size_bytes: int
    """In the file."""
    read: Callable[[], bytes]


def _areas(file: ObjectFile) -> Iterator[_Area]:
    """Yield every place that has notes.

    Of a core file by its segments: a tool that merges two may leave the sections of one.
    """
    of_file = () if file.type == ET_CORE else file.sections
    sections = [section for section in of_file if section.type == SHT_NOTE]
    for section in sections:
        read = partial(file.data_of, section)
        yield _Area(section.name, section.offset, section.size_bytes, read)
    if not sections:
        for segment in file.segments:
            if segment.type == PT_NOTE:
                size_bytes = segment.file_bytes
                read = partial(file.file_bytes, segment.offset, size_bytes, "PT_NOTE")
                yield _Area("PT_NOTE", segment.offset, size_bytes, read)


def _read(reader: Reader, area_offset: int) -> Iterator[Note]:
    while reader.remaining_bytes >= 12:
        name_bytes, content_bytes, number = (reader.unsigned(4) for _ in range(3))
        if name_bytes > _LONGEST_NAME_BYTES:
            raise Malformed(f"the name of a note has {counted(name_bytes, 'byte')}")
        owner = reader.take(name_bytes).rstrip(b"\0").decode("utf-8", "replace")
        _align(reader)
        offset = area_offset + reader.position
        content = reader.take(content_bytes)
        _align(reader)
        yield Note(owner, number, content, offset)


def _align(reader: Reader) -> None:
    """Skip the padding to 4 bytes, which may be missing at the end."""
    reader.take(min(-reader.position % 4, reader.remaining_bytes))
