"""Pieces of the files that bombs are made of."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, unit
from tests.dwarf.builder import elf as elf_file

START = 0x1000
CODE_BYTES = 0x1000
TEXT = {".text": Content(bytes(CODE_BYTES), flags=6, address=START)}
PLACE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
NAME = (dw.AT_NAME, dw.FORM_STRING)
TYPE = (dw.AT_TYPE, dw.FORM_REF4)
HERE = struct.pack("<QI", START, CODE_BYTES)
"""The values of `PLACE`."""
UNIT = Shape(dw.TAG_COMPILE_UNIT, (*PLACE, NAME), True)
"""The first abbreviation of every bomb, `OF_UNIT` its values."""
OF_UNIT = b"\1" + HERE + b"u\0"
MAIN = Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE), True)
"""The second, for a function `main`; `OF_MAIN` its values, whose children follow."""
OF_MAIN = b"\2main\0" + HERE
HEADER_BYTES = 12
"""Of a unit; references count from there."""
FIRST = HEADER_BYTES + len(OF_UNIT)
"""Where the first entry below the unit is."""
INT = Shape(dw.TAG_BASE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, 0x0B)))
OF_INT = b"int\0\4\5"


def word(value: int, size_bytes: int = 4) -> bytes:
    return value.to_bytes(size_bytes, "little")


def sized(data: bytes) -> bytes:
    """Behind its length, as tables begin."""
    return word(len(data)) + data


def program(
    entries: bytes,
    *shapes: Shape,
    others: Mapping[str, bytes | Content] | None = None,
    machine: int = X86_64,
) -> bytes:
    """A program of one unit: its entries after `OF_UNIT`, with shapes from code 2 on."""
    return units(unit(OF_UNIT + entries + b"\0"), UNIT, *shapes, others=others, machine=machine)


def units(
    data: bytes,
    *shapes: Shape,
    others: Mapping[str, bytes | Content] | None = None,
    machine: int = X86_64,
) -> bytes:
    """A program of these units: a CPU's, or one of gfx942."""
    sections = {".debug_info": data, ".debug_abbrev": abbreviations(*shapes)}
    return elf_file({**sections, **TEXT, **(others or {})}, machine)


def packed(data: bytes) -> Content:
    """A compressed section."""
    return Content(struct.pack("<IIQQ", 1, 0, len(data), 1) + zlib.compress(data, 9), flags=0x800)


def block(data: bytes) -> bytes:
    """The value of an expression."""
    return encode_uleb(len(data)) + data
