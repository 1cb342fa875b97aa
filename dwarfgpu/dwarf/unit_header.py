"""Unit headers (DWARF 5 section 7.5.1.1; DWARF 2 to 4 7.5.1.1), in the 32-bit and the 64-bit DWARF
format (7.4; AMD text A.7.4).

Law: a header that cannot be used costs its unit only, as long as its length can be believed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from struct import Struct
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Data, Reader
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import FORMAT_LETTERS
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    LimitExceeded,
    Malformed,
    Unsupported,
    counted,
)
from dwarfgpu.expr.context import UnitFormat

MAX_PROBLEMS: Final = 1_000
"""Maximum number of unusable headers; after them the section is given up."""
_MOST_HEADER_BYTES: Final = 40
"""Those of a type unit in the 64-bit DWARF format: 12, 2, 1, 1, 8, 8 and 8."""
_TYPE_UNITS: Final = (dw.UT_TYPE, dw.UT_SPLIT_TYPE)
_SKELETONS: Final = (dw.UT_SKELETON, dw.UT_SPLIT_COMPILE)


@frozen
class UnitHeader:
    """The header of a unit; offsets are in its section."""

    offset: int
    end: int
    format: UnitFormat
    kind: int
    """DW_UT code; before DWARF 5 DW_UT_compile, or DW_UT_type in `.debug_types`."""
    abbreviations_at: int
    """Offset in `.debug_abbrev`."""
    entries_at: int
    """Offset of the unit's own entry."""
    signature: int | None = None
    """The signature of a type unit, the id of a skeleton or split unit."""
    type_offset: int | None = None
    """Where the type of a type unit is, in bytes from the start of the unit."""
    section: str = ".debug_info"
    """`.debug_types` for the type units of DWARF 4."""

    @property
    def is_type_unit(self) -> bool:
        return self.type_offset is not None


class WrongHeader(IllFormed):
    """The header of a table that a unit indexes, or of a list, is wrong for the unit: so would be
    whatever is read by it. A base of the unit may be behind no header."""

    @property
    def kind(self) -> str:
        return "IllFormed"


def refuse_segments(size_bytes: int, section: str = "") -> None:
    """Raise `Unsupported` for a segment_selector_size of a header that is not 0: each address would
    have a selector before it (DWARF 5 7.27 to 7.29), or another meaning."""
    if size_bytes:
        suffix = f" in {section}" if section else ""
        raise Unsupported(f"segment selectors of {counted(size_bytes, 'byte')}{suffix}")


def initial_length(reader: Reader) -> tuple[int, int]:
    """Return the length of a contribution and the size of its offsets (DWARF 5 7.4)."""
    length = reader.unsigned(4)
    if length < 0xFFFFFFF0:
        return length, 4
    if length != 0xFFFFFFFF:
        raise Malformed(f"initial length {length:#x} is reserved")
    return reader.unsigned(8), 8


def read_headers(
    data: Data,
    endian: Endian,
    section: str = ".debug_info",
    suffix: str = "",
    most_units: int = DEFAULT_FILE_LIMITS.units,
    load: Callable[[int, int], object] | None = None,
) -> tuple[list[UnitHeader], dict[int, DwarfGpuError]]:
    """Return the headers of all units of a section, and why those at other offsets are unusable.

    `suffix` is that of the section's name in the file. Only the first `most_units` are read; the
    last problem then says so, at the offset from which on none is read. `load` loads a range of the
    section into `data`; None where all of it is there.
    """
    headers: list[UnitHeader] = []
    problems: dict[int, DwarfGpuError] = {}
    reader = Reader(data, endian)
    while reader:
        offset = reader.position
        end = len(data)
        if len(headers) >= most_units or len(problems) >= MAX_PROBLEMS:
            units = counted(len(headers), "unit")
            amount = f"{units} and {len(problems)} that cannot be used"
            problems[offset] = LimitExceeded(
                f"{amount} are before offset {offset:#x} of {section}{suffix}", "--max-units"
            )
            problems[offset].context = f"{section}{suffix}"
            break
        if load is not None:
            load(offset, offset + _MOST_HEADER_BYTES)
        usual = _usual_header(data, offset, endian, section)
        if usual is not None:
            headers.append(usual)
            reader.position = usual.end
            continue
        try:
            length, offset_size = initial_length(reader)
            if length > reader.remaining_bytes:
                raise Malformed(f"length {length:#x} reaches beyond the section")
            end = reader.position + length
            inside = Reader(data, endian, reader.position, end)
            headers.append(_read_header(offset, inside, offset_size, section))
        except DwarfGpuError as error:
            error.context = f"{section}{suffix} unit {offset:#x}"
            problems[offset] = error.with_traceback(None)
        reader.position = end
    return headers, problems


_USUAL: Final = {"little": Struct("<IHBBI"), "big": Struct(">IHBBI")}
"""Length, version, unit type, address size and offset of the abbreviations."""


def _usual_header(data: Data, offset: int, endian: Endian, section: str) -> UnitHeader | None:
    """Return the header of a compilation unit of DWARF 5 with offsets of 4 bytes, as nearly all
    have it; None for any other, and for an unusable one."""
    form = _USUAL[endian]
    entries_at = offset + form.size
    if entries_at > len(data):
        return None
    length, version, kind, address_size, abbreviations_at = form.unpack_from(data, offset)
    end = offset + 4 + length
    if (
        (version, kind) != (5, dw.UT_COMPILE)
        or length >= 0xFFFFFFF0
        or not entries_at <= end <= len(data)
        or address_size not in FORMAT_LETTERS
    ):
        return None
    unit_format = _unit_format(address_size, 4, version, endian)
    return UnitHeader(offset, end, unit_format, kind, abbreviations_at, entries_at, section=section)


@lru_cache(maxsize=64)
def _unit_format(address_size: int, offset_size: int, version: int, endian: Endian) -> UnitFormat:
    """Return one object for all units of a format, which is compared often."""
    return UnitFormat(address_size, offset_size, version, endian)


def _read_header(offset: int, reader: Reader, offset_size: int, section: str) -> UnitHeader:
    version = reader.unsigned(2)
    if version == 6:
        raise Unsupported("DWARF version 6: no public text defines its headers and forms yet")
    if not 2 <= version <= 5:
        raise Unsupported(f"DWARF version {version}")
    kind = dw.UT_COMPILE
    signature = type_offset = None
    if version >= 5:
        kind, address_size = reader.u8(), reader.u8()
        abbreviations_at = reader.unsigned(offset_size)
        if not dw.UT_COMPILE <= kind <= dw.UT_SPLIT_TYPE:
            raise Unsupported(f"unit type {kind:#x}")
        if kind in _SKELETONS:
            signature = reader.unsigned(8)
    else:
        abbreviations_at = reader.unsigned(offset_size)
        address_size = reader.u8()
        if section == ".debug_types":
            kind = dw.UT_TYPE
    if kind in _TYPE_UNITS:
        signature, type_offset = reader.unsigned(8), reader.unsigned(offset_size)
    if address_size not in FORMAT_LETTERS:
        raise Malformed(f"address size {address_size}")
    form = _unit_format(address_size, offset_size, version, reader.endian)
    return UnitHeader(
        offset, reader.end, form, kind, abbreviations_at, reader.position, signature, type_offset,
        section,
    )  # fmt: skip
