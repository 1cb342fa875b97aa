"""What an index of a unit refers to (DWARF 5 7.26 to 7.29): strings, addresses, and lists by their
number in the unit's parts of `.debug_str_offsets`, `.debug_addr`, and the sections of lists.

Law: where the unit's part of a section begins is read once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import Final, Protocol

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, integer, plain_integer, wrong_value
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.printable import printable, short_name
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit_header import WrongHeader, refuse_segments
from dwarfgpu.errors import IllFormed, Malformed
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.objfile.relocate import MAX_FIELD_BYTES

_BASES: Final = {
    dw.AT_STR_OFFSETS_BASE: "DW_AT_str_offsets_base",
    dw.AT_ADDR_BASE: "DW_AT_addr_base",
    dw.AT_RNGLISTS_BASE: "DW_AT_rnglists_base",
    dw.AT_LOCLISTS_BASE: "DW_AT_loclists_base",
}
_HEADER_BYTES: Final = {
    dw.AT_STR_OFFSETS_BASE: 8,
    dw.AT_ADDR_BASE: 8,
    dw.AT_RNGLISTS_BASE: 12,
    dw.AT_LOCLISTS_BASE: 12,
}
"""Bytes of the headers of tables in the 32-bit format."""
_WITH_LENGTHS: Final = frozenset({".debug_str_offsets", ".debug_addr"})
"""Sections whose tables give their length in the header alone."""


def header_fault(data: bytes, base: int, name: int, format: UnitFormat) -> str | None:
    """Return what is wrong with the header of the table whose entries begin at a base, which is the
    value of an attribute (DWARF 5 7.26 to 7.29); None for a usable one."""
    offset_size = format.offset_size
    least_bytes = _HEADER_BYTES[name] - 4
    version_at = base - least_bytes
    if version_at < offset_size or version_at + 2 > len(data):
        return "no header is before it"
    version = int.from_bytes(data[version_at : version_at + 2], format.endian)
    if version != 5:
        return f"version {version} in the header before it, not 5"
    length = int.from_bytes(data[version_at - offset_size : version_at], format.endian)
    if length > len(data) - version_at:
        return f"length {length:#x} in the header before it is beyond the section"
    if length < least_bytes:
        return f"length {length:#x} in the header before it is less than the header has"
    return None


class RootEntry(Protocol):
    """The entry of a unit itself."""

    def has(self, name: int) -> bool: ...

    def attribute(self, name: int) -> Attribute | None: ...


class IndexingUnit(Protocol):
    """What its tables need to know of a unit; `dwarfgpu.dwarf.unit.CompilationUnit` is one."""

    @property
    def root(self) -> RootEntry: ...

    @property
    def sections(self) -> Sections: ...

    @property
    def format(self) -> UnitFormat: ...

    @property
    def is_split(self) -> bool: ...

    @property
    def linked(self) -> IndexingUnit: ...

    @property
    def tables(self) -> UnitTables: ...


@methods_name_wrong_arguments
class UnitTables:
    """The tables of one unit that are indexed."""

    def __init__(self, unit: IndexingUnit) -> None:
        self.unit = unit

    @cached_property
    def _tables(self) -> dict[str, tuple[bytes, int]]:
        """The sections that have tables of the unit, and where these end."""
        return {}

    @cached_property
    def _list_tables(self) -> dict[str, tuple[int, int, bytes]]:
        """Where the unit's table of a section of lists begins, its number of lists, and the
        section."""
        return {}

    def _base(self, *names: int) -> int:
        """Return the offset of an index table, by the first of these attributes of the unit."""
        for name in names:
            attribute = self.unit.root.attribute(name)
            if attribute is not None and isinstance(attribute.raw, int):
                self._require_behind_header(name, attribute.raw)
                return attribute.raw
        raise IllFormed(f"the unit has an index but no {_BASES[names[0]]}")

    def _require_behind_header(self, name: int, base: int) -> None:
        """Require that a base leaves room for the header of its table: it is the offset of the
        first entry (DWARF 5 7.26 to 7.29), and what the header contains is none."""
        format = self.unit.format
        if format.version < 5 or name not in _HEADER_BYTES:
            return
        header_bytes = self._header_bytes(_HEADER_BYTES[name])
        if base < header_bytes:
            raise WrongHeader(
                f"{_BASES[name]} {base:#x} is in the header of the table, which takes "
                f"{header_bytes} bytes"
            )

    def _require_header(self, section: str, base: int, name: int) -> None:
        """Require that a base is behind the header of a table, if the attribute gives it, or the
        unit is a split one and has the section."""
        if self.unit.format.version < 5:
            return
        data, is_named = self.unit.sections.section(section), self.unit.root.has(name)
        if not is_named and not (self.unit.is_split and data):
            return
        fault = header_fault(data, base, name, self.unit.format)
        if fault is not None:
            shown = f"{section}{self.unit.sections.suffix}"
            subject = f"{_BASES[name]} {base:#x} in {shown}" if is_named else f"{shown}+{base:#x}"
            raise WrongHeader(f"{subject}: {fault}")

    def first_base(self, name: int) -> int:
        """Return the base behind the first header of a section, by the attribute of its tables."""
        short = _HEADER_BYTES.get(integer("name", name))
        if short is None:
            raise wrong_value("name", name, "an attribute of a table with a header")
        return self._header_bytes(short)

    def _header_bytes(self, short: int) -> int:
        """Return the size of a header, which is longer in the 64-bit format."""
        return short + 8 * (self.unit.format.offset_size == 8)

    def _entry(self, section: str, base: int, index: int, size_bytes: int) -> int:
        """Return entry `index` of a table of numbers."""
        table = self._tables.get(section)
        if table is None:
            data = self.unit.sections.section(section)
            table = self._tables[section] = data, self._end(section, data, base)
        data, end = table
        offset = base + index * size_bytes
        if offset < 0 or offset + size_bytes > end:
            shown = f"{section}{self.unit.sections.suffix}"
            whole = "section" if end == len(data) else f"unit's part, which ends at {end:#x}"
            raise Malformed(f"index {index} at {shown}+{base:#x} is outside the {whole}")
        return int.from_bytes(data[offset : offset + size_bytes], self.unit.format.endian)

    def _end(self, section: str, data: bytes, base: int) -> int:
        """Return where the table at a base ends by its header (DWARF 5 7.26, 7.27); the end of the
        section where it has no usable one: what follows is of other units."""
        format, version_at = self.unit.format, base - 4
        start = version_at - format.offset_size
        if format.version < 5 or section not in _WITH_LENGTHS or start < 0:
            return len(data)
        if int.from_bytes(data[version_at : version_at + 2], format.endian) != 5:
            return len(data)
        end = version_at + int.from_bytes(data[start:version_at], format.endian)
        return end if base <= end <= len(data) else len(data)

    def _base_after_header(self, header_bytes: int, *names: int) -> int:
        """Return the same; a split unit needs no attribute, its table follows the only header
        (DWARF 5 7.3.2.2)."""
        if self.unit.is_split and not any(map(self.unit.root.has, names)):
            return self._header_bytes(header_bytes)
        return self._base(*names)

    @cached_property
    def _string_base(self) -> int:
        if self.unit.is_split and self.unit.format.version < 5:
            return 0
        base = self._base_after_header(8, dw.AT_STR_OFFSETS_BASE)
        self._require_header(".debug_str_offsets", base, dw.AT_STR_OFFSETS_BASE)
        return base

    @cached_property
    def zeros_of_strings(self) -> str | None:
        """How zeros replaced entries of the unit's table of strings; None if they did not:
        producers write each string once, so that one entry leads to offset 0. Errors as of
        `string_offset`."""
        section, base, format = ".debug_str_offsets", self._string_base, self.unit.format
        if format.version < 5:
            return None
        sections = self.unit.sections
        data = sections.section(section)
        size_bytes = self._end(section, data, base) - base
        offsets = memoryview(data)[base : base + size_bytes - size_bytes % format.offset_size]
        zeros = offsets.cast("Q" if format.offset_size == 8 else "I").tolist().count(0)
        first = sections.string(".debug_str", 0) if zeros > 1 else b""
        if not first:
            return None
        return (
            f"{zeros} entries of {section}{sections.suffix}+{base:#x} are 0, which is the offset "
            f'of "{short_name(printable(first))}"'
        )

    @cached_property
    def _addresses(self) -> tuple[bytes, int, int, int, Endian]:
        """`.debug_addr`, where the unit's part of it begins and ends, and the size and byte order
        of an address."""
        unit = self.unit.linked
        base = unit.tables._base(dw.AT_ADDR_BASE, dw.AT_GNU_ADDR_BASE)
        unit.tables._require_header(".debug_addr", base, dw.AT_ADDR_BASE)
        unit.tables._require_address_size(".debug_addr", base - 2)
        data = unit.sections.section(".debug_addr")
        header_bytes = unit.tables._header_bytes(8) if unit.format.version >= 5 else 0
        self._require_known(base - header_bytes, base)
        end = unit.tables._end(".debug_addr", data, base)
        return data, base, end, unit.format.address_size, unit.format.endian

    def _require_known(self, begin: int, end: int) -> None:
        """Raise why a number in `.debug_addr` is unknown, if the file alone does not know it."""
        fields = self.unit.linked.sections.unknown_fields.get(".debug_addr", ())
        first = bisect_right(fields, begin - MAX_FIELD_BYTES, key=attrgetter("offset"))
        for field in fields[first : bisect_left(fields, end, key=attrgetter("offset"))]:
            if field.end > begin:
                raise field.problem.anew()

    def string_offset(self, index: int) -> int:
        """Return the offset in `.debug_str` of a string by index; `Malformed` where there is none,
        or where zeros replaced it."""
        try:
            if type(index) is not int:
                index = plain_integer(index)
            offset = self._entry(
                ".debug_str_offsets", self._string_base, index, self.unit.format.offset_size
            )
            if not offset and (zeros := self.zeros_of_strings):
                raise Malformed(zeros)
            return offset
        except FOREIGN:
            require_right_arguments(UnitTables.string_offset, self, index)
            raise

    def address(self, index: int) -> int:
        """Return entry `index` of the unit's part of `.debug_addr`, an address of the file; the
        error of its relocation where that has no known value."""
        try:
            if type(index) is not int:
                index = plain_integer(index)
            data, base, end, size_bytes, endian = self._addresses
            offset = base + index * size_bytes
            if offset < 0 or offset + size_bytes > end:
                self.unit.linked.tables._entry(".debug_addr", base, index, size_bytes)  # raises
            if self.unit.linked.sections.unknown_fields:
                self._require_known(offset, offset + size_bytes)
            return int.from_bytes(data[offset : offset + size_bytes], endian)
        except FOREIGN:
            require_right_arguments(UnitTables.address, self, index)
            raise

    @property
    def addresses_span(self) -> tuple[int, int] | None:
        """Where the unit's part of `.debug_addr` begins and ends; None where it has none."""
        root = self.unit.linked.root
        if not root.has(dw.AT_ADDR_BASE) and not root.has(dw.AT_GNU_ADDR_BASE):
            return None
        _, base, end, _, _ = self._addresses
        return base, end

    def has_address(self, encoded: bytes) -> bool:
        """Return whether the unit's part of `.debug_addr` contains the bytes of an address; False
        where it has none."""
        span = self.addresses_span
        return span is not None and self._addresses[0].find(encoded, *span) >= 0

    def _require_address_size(self, section: str, offset: int) -> None:
        """Require that the header of the unit's part of a section has the unit's address size
        (A.2.5.1), and no segment selectors."""
        data = self.unit.sections.section(section)
        if self.unit.format.version >= 5 and 0 <= offset < len(data) - 1:
            size_bytes, segment_size = data[offset : offset + 2]
            shown = f"{section}{self.unit.sections.suffix}"
            if size_bytes != self.unit.format.address_size:
                raise WrongHeader(
                    f"address_size {size_bytes} of {shown} and address_size "
                    f"{self.unit.format.address_size} of its unit disagree"
                )
            refuse_segments(segment_size, shown)

    def _read_list_table(self, section: str, names: tuple[int, ...]) -> tuple[int, int, bytes]:
        base = self._base_after_header(12, *names)
        self._require_header(section, base, names[0])
        self._require_address_size(section, base - 6)
        count = self._entry(section, base, -1, 4) if base >= 4 else 0
        table = self._list_tables[section] = base, count, self.unit.sections.section(section)
        return table

    def offset_from_table(self, section: str, names: tuple[int, ...], offset: int) -> int:
        """Return the offset in a section of lists for one from the table of the unit's lists."""
        try:
            table = self._list_tables.get(section) or self._read_list_table(section, names)
            return table[0] + offset
        except FOREIGN:
            require_right_arguments(UnitTables.offset_from_table, self, section, names, offset)
            raise

    def list_offset(self, section: str, names: tuple[int, ...], index: int) -> int:
        """Return the offset in a section of lists that an index of the unit names (DWARF 5
        7.28)."""
        try:
            table = self._list_tables.get(section)
            base, count, data = table or self._read_list_table(section, names)
            if index >= count:
                shown = f"{section}{self.unit.sections.suffix}"
                raise Malformed(f"list {index} of the {count} at {shown}+{base:#x}")
            size_bytes, endian = self.unit.format.offset_size, self.unit.format.endian
            offset = base + index * size_bytes
            if offset + size_bytes > len(data):
                self._entry(section, base, index, size_bytes)  # raises
            return base + int.from_bytes(data[offset : offset + size_bytes], endian)
        except FOREIGN:
            require_right_arguments(UnitTables.list_offset, self, section, names, index)
            raise
