"""The first page of a file without a build ID, compared with that of the mapped file.

Law: two pages are of one file only if they are the same; what `strip` changes may also differ
between two programs, so that the difference is reported.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PT_LOAD

_OF_SECTIONS: Final = {4: ((0x20, 0x24), (0x2E, 0x34)), 8: ((0x28, 0x30), (0x3A, 0x40))}
"""Where e_shoff is in the ELF header, and e_shentsize, e_shnum and e_shstrndx, by the size of an
address."""
_NUMBER_OF_SECTIONS: Final = {4: (0x30, 0x32), 8: (0x3C, 0x3E)}
"""Where e_shnum is."""


def is_stripped(own: bytes, page: bytes, header: ObjectFile) -> bool:
    """Return whether the first page of a file is that in memory, or differs only in what `strip`
    changes. It always removes sections: a program that was built again mostly has as many."""
    begin, end = _NUMBER_OF_SECTIONS[header.address_bytes]
    is_same = own == page
    return is_same or (
        own[begin:end] != page[begin:end]
        and _loaded_part(own, header) == _loaded_part(page, header)
    )


def _loaded_part(page: bytes, header: ObjectFile) -> bytes:
    """Return the first page of a file without what `strip` changes: the fields of the ELF header
    that describe the table of sections, and what is after the last byte of a segment."""
    ends = (
        segment.offset + segment.file_bytes
        for segment in header.segments
        if segment.type == PT_LOAD and segment.offset < len(page)
    )
    part = bytearray(page[: max(ends, default=len(page))])
    for begin, end in _OF_SECTIONS[header.address_bytes]:
        part[begin:end] = bytes(end - begin)
    return bytes(part)
