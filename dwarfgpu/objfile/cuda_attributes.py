"""The attributes in `.nv.info` sections and `.nv.compat` of cubins, as cuobjdump -elf lists them.

An attribute is a format, a number, and two bytes: its value, or the length of the value after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import ObjectFile

_SHORT: Final = (1, 2, 3)
"""EIFMT_NVAL, EIFMT_BVAL and EIFMT_HVAL: no value, one byte, two bytes."""
_SIZED: Final = 4
"""EIFMT_SVAL."""


def attributes(file: ObjectFile, section: str) -> Iterator[tuple[int, bytes]]:
    """Yield number and value of each attribute of a section; none where the file has no such one.

    `Malformed` for an unknown format and where the section ends too early.
    """
    reader = Reader(file.section_data(section), file.endian)
    try:
        while reader:
            form, number = reader.u8(), reader.u8()
            if form in _SHORT:
                yield number, reader.take(2)
            elif form == _SIZED:
                yield number, reader.take(reader.unsigned(2))
            else:
                raise Malformed(f"attribute {number:#x} has the unknown format {form}")
    except Malformed as error:
        error.context = error.context or f"{file.path}: {section}"
        raise
