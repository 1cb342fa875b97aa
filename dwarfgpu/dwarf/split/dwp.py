"""DWARF packages: a program's split files in one file (DWARF 5 7.3.5; GNU Fission version 2).

Law: a row of an index is read as if it were a split file of its own: its contributions are that
file's sections. Rows may share a contribution; others that overlap are `IllFormed`.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import (
    DwarfGpuError,
    FailedReads,
    FilePosition,
    IllFormed,
    LimitExceeded,
    Malformed,
    Unsupported,
    counted,
)
from dwarfgpu.objfile.elf import ObjectFile

if TYPE_CHECKING:
    from dwarfgpu.dwarf.abbrev import Abbreviation, AbbreviationTable
    from dwarfgpu.expr.context import UnitFormat

SECTIONS: Final[Mapping[int, Mapping[int, str]]] = {
    2: {
        1: ".debug_info", 2: ".debug_types", 3: ".debug_abbrev", 4: ".debug_line",
        5: ".debug_loc", 6: ".debug_str_offsets", 7: ".debug_macinfo", 8: ".debug_macro",
    },
    5: {
        1: ".debug_info", 3: ".debug_abbrev", 4: ".debug_line", 5: ".debug_loclists",
        6: ".debug_str_offsets", 7: ".debug_macro", 8: ".debug_rnglists",
    },
}  # fmt: skip
"""DW_SECT codes by the version of the index (DWARF 5 7.3.5.3, table 7.1)."""

_UNITS: Final = ".debug_info"
_MAX_PROBES: Final = 10_000


class Contribution(NamedTuple):
    """The part of a section that one unit has."""

    offset: int
    size_bytes: int

    @property
    def end(self) -> int:
        return self.offset + self.size_bytes

    def __str__(self) -> str:
        return f"[{self.offset:#x},{self.end:#x})"


Contents: TypeAlias = tuple[tuple[str, Contribution], ...]
"""The contributions of a row, by section, in the order of the columns."""


@frozen(eq=False)
class PackageIndex:
    """One index: a hash table of signatures, and a row of contributions for each unit."""

    section: str
    """`.debug_cu_index` or `.debug_tu_index`."""
    version: int
    columns: tuple[int, ...]
    """DW_SECT codes."""
    row_count: int
    slot_count: int
    _data: bytes = field(repr=False)
    _endian: Endian = field(repr=False)
    _slots_at: int = field(repr=False)
    _rows_at: int = field(repr=False)

    def _number(self, offset: int, index: int, size_bytes: int) -> int:
        start = offset + index * size_bytes
        return int.from_bytes(self._data[start : start + size_bytes], self._endian)

    def row_of(self, signature: int) -> int | None:
        """Return the row of a signature, counted from 1; None if the index has none (7.3.5.3)."""
        mask = self.slot_count - 1
        slot = signature & mask
        step = signature >> 32 & mask | 1
        for _ in range(min(self.slot_count, _MAX_PROBES)):
            row = self._row_in(slot)
            if not row:
                return None
            if self._number(self._slots_at, slot, 8) == signature:
                return row
            slot = slot + step & mask
        if self.slot_count > _MAX_PROBES:
            raise LimitExceeded(f"{self.section}: more than {_MAX_PROBES} slots of one hash")
        return None

    def _row_in(self, slot: int) -> int:
        row = self._number(self._slots_at + 8 * self.slot_count, slot, 4)
        if row > self.row_count:
            raise Malformed(f"{self.section} names row {row} of {self.row_count}")
        return row

    def _rows_of_slots(self) -> array[int]:
        """Return the row of every slot, 0 for one without; there may be millions of these."""
        start = self._slots_at + 8 * self.slot_count
        rows = array("I", self._data[start : start + 4 * self.slot_count])
        if sys.byteorder != self._endian:
            rows.byteswap()
        last = max(rows, default=0)
        if last > self.row_count:
            raise Malformed(f"{self.section} names row {last} of {self.row_count}")
        return rows

    def signatures(self) -> Iterator[int]:
        """Yield the signature of every row, in the order of the rows."""
        numbers: dict[int, int] = {}
        for slot, row in enumerate(self._rows_of_slots()):
            if row:
                numbers.setdefault(row, self._number(self._slots_at, slot, 8))
        for row in sorted(numbers):
            yield numbers[row]

    def fault(self) -> Malformed | None:
        """Return which row has no signature, or several, or which column no section, since each row
        has one slot and DW_SECT codes begin with 1 (7.3.5.3); None if all is well."""
        slots_of = Counter(row for row in self._rows_of_slots() if row)
        for row in range(1, self.row_count + 1):
            if slots_of[row] != 1:
                named = counted(slots_of[row], "slot") if slots_of[row] else "no slot"
                verb = "name" if slots_of[row] > 1 else "names"
                return Malformed(f"{named} of {self.section} {verb} row {row} of {self.row_count}")
        if 0 in self.columns:
            column = self.columns.index(0) + 1
            return Malformed(f"column {column} of {self.section} has the code 0, of no section")
        return None

    def contributions(self, row: int) -> dict[str, Contribution]:
        """Return the contributions of a row to sections, by their names without `.dwo`."""
        sections = SECTIONS[self.version]
        width = len(self.columns)
        sizes_at = self._rows_at + 4 * width * self.row_count
        out: dict[str, Contribution] = {}
        for column, code in enumerate(self.columns):
            cell = (row - 1) * width + column
            size_bytes = self._number(sizes_at, cell, 4)
            if code in sections and size_bytes:
                out[sections[code]] = Contribution(self._number(self._rows_at, cell, 4), size_bytes)
        return out

    def contributions_to(self, section: str) -> Iterator[Contribution]:
        """Yield what each row contributes to a section, by its name without `.dwo`."""
        for column, code in enumerate(self.columns):
            if SECTIONS[self.version].get(code) == section:
                cells = range(column, len(self.columns) * self.row_count, len(self.columns))
                sizes_at = self._rows_at + 4 * len(self.columns) * self.row_count
                for cell in cells:
                    size_bytes = self._number(sizes_at, cell, 4)
                    if size_bytes:
                        offset = self._number(self._rows_at, cell, 4)
                        yield Contribution(offset, size_bytes)


def read_index(section: str, data: bytes, endian: Endian) -> PackageIndex | None:
    """Read the index of a section; None if it is empty.

    `Unsupported` for an unknown version, `Malformed` if its tables do not fit.
    """
    if not data:
        return None
    reader = Reader(data, endian)
    # Version 2 has four bytes for the number, version 5 two and two of padding.
    version = reader.unsigned(4)
    if version != 2:
        version = int.from_bytes(data[:2], endian)
    if not version:
        raise Malformed(f"version 0 of {section}, which no package has: the section is damaged")
    if version not in SECTIONS:
        raise Unsupported(
            f"version {version} of {section}; read are version 5 (DWARF 5) and 2 (GNU, DWARF 4): "
            "make the package again with dwp or llvm-dwp"
        )
    width, rows, slots = (reader.unsigned(4) for _ in range(3))
    if slots & slots - 1 or (rows and slots <= rows):
        raise Malformed(f"{section} has {counted(slots, 'slot')} for {counted(rows, 'unit')}")
    slots_at = reader.position
    reader.take(12 * slots)
    columns = tuple(reader.unsigned(4) for _ in range(_fitting(reader, width, 4)))
    if len(set(columns)) < width:
        raise Malformed(f"{section} has a section in two columns")
    rows_at = reader.position
    _fitting(reader, 2 * rows * width, 4)
    return PackageIndex(section, version, columns, rows, slots, data, endian, slots_at, rows_at)


def _fitting(reader: Reader, count: int, size_bytes: int) -> int:
    """Return a count of numbers that the rest of the section has room for."""
    if count * size_bytes > reader.remaining_bytes:
        raise Malformed(f"{count} numbers do not fit into the {reader.remaining_bytes} bytes left")
    return count


class PackageSections:
    """The sections of a package, and what rows have of them."""

    def __init__(self, file: ObjectFile) -> None:
        self.file = file
        self._whole: dict[str, bytes] = {}
        self._parts: dict[tuple[str, Contribution], bytes] = {}
        self._overlapping: dict[str, dict[Contribution, Contribution]] = {}
        """By section, the contributions that another one overlaps, with that one."""
        self._indexes: dict[str, PackageIndex | None] = {}
        self._failed = FailedReads()
        self.declared: dict[UnitFormat, dict[bytes, Abbreviation]] = {}
        """Declarations of abbreviations, by their bytes: those of most rows are alike."""
        self.tables: dict[Contribution | None, dict[tuple[int, UnitFormat], AbbreviationTable]] = {}
        """By contribution to `.debug_abbrev`, which type units share with their unit."""

    def index(self, section: str) -> PackageIndex | None:
        """Return one of the two indexes; None if the package does not have it."""
        if section not in self._indexes:
            self._indexes[section] = self._failed.read(section, lambda: self._read_index(section))
        return self._indexes[section]

    def _read_index(self, section: str) -> PackageIndex | None:
        data = self.file.section_data(section)
        try:
            return read_index(section, data, self.file.endian)
        except DwarfGpuError as error:
            error.context = error.context or f"{self.file.path}: {section}"
            error.position = FilePosition(self.file.path, section, 0)
            raise

    def faults(self) -> list[Malformed]:
        """Return how the indexes contradict themselves, or lack a section of the package, or units.

        None are known where an index cannot be read, which is reported for its units.
        """
        try:
            read = [self.index(section) for section in (dw.CU_INDEX, dw.TU_INDEX)]
        except DwarfGpuError:
            return []
        indexes = [index for index in read if index is not None]
        faults = []
        for index in indexes:
            with suppress(DwarfGpuError):  # a slot of no row, which its signatures report
                if (fault := index.fault()) is not None:
                    faults.append(fault)
        lacking = [] if faults else self._without_contributions(indexes)
        if lacking:
            named = ", ".join(f"{name}.dwo" for name in lacking)
            faults.append(Malformed(f"no row of the indexes has a part of {named}"))
        elif not faults and (unlisted := self._without_row(indexes)) is not None:
            faults.append(Malformed(f"no row of the indexes has {unlisted} of {_UNITS}.dwo"))
        for fault in faults:
            fault.context = self.file.path
        return faults

    def _without_contributions(self, indexes: list[PackageIndex]) -> list[str]:
        """Return the sections that are in the package, but in no row of the indexes."""
        if not indexes:
            return []
        sizes = {section.name: section.size_bytes for section in self.file.sections}
        return [
            name
            for name in SECTIONS[indexes[0].version].values()
            if sizes.get(f"{name}.dwo")
            and not any(any(index.contributions_to(name)) for index in indexes)
        ]

    def _without_row(self, indexes: list[PackageIndex]) -> Contribution | None:
        """Return the first part of the units of the package that no row of the indexes has, without
        zeros, which may be padding; None if the rows have all, or a row has none, which is reported
        for its unit."""
        data = b""
        with suppress(DwarfGpuError):  # which is reported for its units
            data = self.whole(_UNITS) if indexes else b""
        parts = sorted({part for index in indexes for part in index.contributions_to(_UNITS)})
        if any(offset + size_bytes > len(data) for offset, size_bytes in parts):
            return None
        end = 0
        for offset, size_bytes in (*parts, (len(data), 0)):
            if offset > end and data[end:offset].strip(b"\0"):
                return Contribution(end, offset - end)
            end = max(end, offset + size_bytes)
        return None

    def row(self, section: str, signature: int) -> PackageRow | None:
        """Return the row of a unit's signature; None if the index has none."""
        index = self.index(section)
        row = None if index is None else index.row_of(signature)
        return None if index is None or row is None else PackageRow(self, index.contributions(row))

    def whole(self, name: str) -> bytes:
        """Return a whole section, by its name without `.dwo`."""
        if name not in self._whole:
            self._whole[name] = self.file.section_data(f"{name}.dwo")
        return self._whole[name]

    def part(self, name: str, contribution: Contribution) -> bytes:
        """Return a contribution to a section."""
        if (name, contribution) not in self._parts:
            data = self.whole(name)
            which = f"{self.file.path}: a contribution to {name}.dwo at {contribution}"
            if contribution.end > len(data):
                raise IllFormed(f"{which} is outside its {len(data):#x} bytes")
            if name not in self._overlapping:
                self._overlapping[name] = self._overlaps(name)
            if (second := self._overlapping[name].get(contribution)) is not None:
                raise IllFormed(f"{which} and one at {second} overlap")
            self._parts[name, contribution] = data[contribution.offset : contribution.end]
        return self._parts[name, contribution]

    def _overlaps(self, name: str) -> dict[Contribution, Contribution]:
        every: set[Contribution] = set()
        for section in (dw.CU_INDEX, dw.TU_INDEX):
            with suppress(DwarfGpuError):  # its own rows are not read then
                if (index := self.index(section)) is not None:
                    every.update(index.contributions_to(name))
        out: dict[Contribution, Contribution] = {}
        last, size_bytes = Contribution(0, 0), len(self.whole(name))
        for contribution in sorted(every):
            if contribution.end > size_bytes:
                continue  # only that one is wrong
            if contribution.offset < last.end:
                out[contribution] = last
                out.setdefault(last, contribution)
            if contribution.end > last.end:
                last = contribution
        return out


@frozen(eq=False)
class PackageRow:
    """The sections of one unit."""

    _package: PackageSections
    _contributions: Mapping[str, Contribution]

    @property
    def contents(self) -> Contents:
        """The contributions, to compare rows."""
        return tuple(self._contributions.items())

    @property
    def declared(self) -> dict[UnitFormat, dict[bytes, Abbreviation]]:
        """Declarations of abbreviations of all rows, by their bytes."""
        return self._package.declared

    @property
    def tables(self) -> dict[tuple[int, UnitFormat], AbbreviationTable]:
        """The tables of abbreviations of this row and those with the same ones, by offset."""
        return self._package.tables.setdefault(self._contributions.get(".debug_abbrev"), {})

    def read(self, name: str) -> bytes:
        """Return the contents of a section, by its name without `.dwo`; all units share the
        strings."""
        if name == ".debug_str":
            return self._package.whole(name)
        contribution = self._contributions.get(name)
        return b"" if contribution is None else self._package.part(name, contribution)

    def start(self, name: str) -> int:
        """Return where that begins in the section of the package."""
        contribution = self._contributions.get(name)
        return 0 if contribution is None else contribution.offset
