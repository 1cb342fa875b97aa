"""The attributes in `.nv.info` sections and `.nv.compat` of cubins, as cuobjdump -elf lists them.

An attribute is a format, a number, and two bytes: its value, or the length of the value after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile

_SHORT: Final = (1, 2, 3)
"""EIFMT_NVAL, EIFMT_BVAL and EIFMT_HVAL: no value, one byte, two bytes."""
_SIZED: Final = 4
"""EIFMT_SVAL."""
MAX_ATTRIBUTES: Final = 1 << 20
"""Of one section; a kernel has some ten."""


def attributes(file: ObjectFile, section: str) -> Iterator[tuple[int, bytes]]:
    """Yield number and value of each attribute of a section; none where the file has no such one.

    `Malformed` for an unknown format and where the section ends too early, `LimitExceeded` for more
    than `MAX_ATTRIBUTES`.
    """
    data, endian, position = file.section_data(section), file.endian, 0
    try:
        for _ in range(MAX_ATTRIBUTES):
            if position >= len(data):
                return
            if position + 4 > len(data):
                raise Malformed(f"the attribute at offset {position:#x} is cut short")
            form, number, start, end = (
                data[position],
                data[position + 1],
                position + 2,
                position + 4,
            )
            if form == _SIZED:
                start, end = end, end + int.from_bytes(data[start:end], endian)
            elif form not in _SHORT:
                raise Malformed(f"attribute {number:#x} has the unknown format {form}")
            if end > len(data):
                raise Malformed(f"the attribute at offset {position:#x} is cut short")
            yield number, data[start:end]
            position = end
        if position < len(data):
            raise LimitExceeded(f"there are more than {MAX_ATTRIBUTES} attributes")
    except (LimitExceeded, Malformed) as error:
        error.context = error.context or f"{file.path}: {section}"
        raise
