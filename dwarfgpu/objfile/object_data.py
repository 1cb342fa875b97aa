"""The initial data of a relocatable object after placement and relocation.

Law: bytes that depend on what another file defines are `Unavailable`; the others are exact.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import Final

from dwarfgpu.errors import FailedReads
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHF_ALLOC, SHT_NOBITS, Section
from dwarfgpu.objfile.relocate import MAX_FIELD_BYTES, Relocator, Way


def placed_sections(file: ObjectFile) -> tuple[Section, ...]:
    """Return the loaded sections of a relocatable object that are not empty; none for any other
    file."""
    sections = file.sections if file.is_relocatable else ()
    return tuple(
        section for section in sections if section.flags & SHF_ALLOC and section.size_bytes
    )


class ObjectData:
    """The loaded sections of a relocatable object; each is read once."""

    def __init__(self, file: ObjectFile, load_address: int) -> None:
        self._file = file
        self._relocator = Relocator(file, load_address)
        self._read: dict[int, tuple[bytes, list[tuple[int, Way]]]] = {}
        self._failed = FailedReads()

    def read(self, section: Section, offset: int, size_bytes: int) -> bytes:
        """Return bytes of a section.

        Raises `Unavailable` if a relocation needs another file, `Unsupported` for an unknown type,
        `Malformed` for inconsistent tables.
        """
        if section.type == SHT_NOBITS:
            return bytes(size_bytes)
        data, unknown = self._section(section)
        first = bisect_right(unknown, offset - MAX_FIELD_BYTES, key=_offset_of)
        end = bisect_left(unknown, offset + size_bytes, key=_offset_of)
        for start, way in unknown[first:end]:
            field = self._relocator.field(section, data, start, way)
            if field.end > offset:
                raise field.problem
        return data[offset : offset + size_bytes]

    def _section(self, section: Section) -> tuple[bytes, list[tuple[int, Way]]]:
        """Return the bytes of a section, and where it has fields with unknown contents."""
        if section.index not in self._read:
            relocated = self._failed.read(section.index, lambda: self._relocated(section))
            self._read[section.index] = relocated
        return self._read[section.index]

    def _relocated(self, section: Section) -> tuple[bytes, list[tuple[int, Way]]]:
        data = self._file.data_of(section)
        out = bytearray(data)
        unknown = list(self._relocator.relocate(section, data, out, section.address))
        unknown.sort(key=_offset_of)
        return bytes(out), unknown


_offset_of: Final = itemgetter(0)
