"""Look up entries by name in `.debug_names` (DWARF 5 6.1.1; AMD text A.6.1.1, A.6.1.1.1,
A.6.1.1.4).

Law: names are searched by hash; a result is an entry with the tag in the index. The entry of a
skeleton's index is in its split unit (6.1.1.4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_beginning, name_bytes
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.name_table import (
    NameEntry,
    NameTable,
    folded,
    name_hash,
    read_name_header,
)
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_header import initial_length
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, shortened
from dwarfgpu.expr.context import UnitFormat

MAX_NAME_BYTES: Final = 256 << 20
"""Maximum size in bytes of all listed names: a hostile index names one long string many times."""

_FEW: Final = 1000
"""Offsets of a name in `.debug_str` that are kept for a comparison with those of an index."""
_HASH: Final = 16
"""How many names that are compared without their hash a name of the same bucket counts as."""
_ENTRY: Final = 32
"""As above: a name that is it, and an entry of one."""
_DIE: Final = 96
"""As above: an entry of the file that an entry of an index leads to, besides that."""
_ANY_CASE: Final = 8
"""As above: a name that is compared in any case."""
_MAX_PROBLEMS: Final = 1000
"""Maximum number of unreadable indexes; after them the search stops."""


@methods_name_wrong_arguments
class NameIndex:
    """The name indexes of a file; linkers may leave one for each object."""

    def __init__(
        self, sections: Sections, unit_at: Callable[[int], CompilationUnit | None]
    ) -> None:
        """`unit_at`: the unit that starts at an offset of `.debug_info`; None if it cannot be used,
        `IllFormed` if none starts there."""
        self._sections = sections
        self._unit_at = unit_at

    @cached_property
    def _read(self) -> tuple[tuple[NameTable, ...], tuple[DwarfGpuError, ...]]:
        """Not kept in parts: an index that cannot be read costs itself only."""
        tables: list[NameTable] = []
        problems: list[DwarfGpuError] = []
        try:
            data = self._sections.section(".debug_names")
        except DwarfGpuError as error:
            return (), (error,)
        form = UnitFormat(endian=self._sections.endian)
        most = self._sections.object.limits.units
        reader = Reader(data, form.endian)
        while reader:
            if len(problems) >= _MAX_PROBLEMS:
                message = f"more than {_MAX_PROBLEMS} indexes of .debug_names cannot be read"
                problems.append(LimitExceeded(f"{self._sections.path}: {message}"))
                break
            offset, end = reader.position, len(data)
            if len(tables) >= most:
                too_many = LimitExceeded(f"more than {most} indexes", "--max-units")
                problems.append(self._located(too_many, offset))
                break
            try:
                length, _ = initial_length(reader)
                end = min(reader.position + length, end)
                tables.append(NameTable(data, read_name_header(data, offset, form)))
            except DwarfGpuError as error:
                problems.append(self._located(error, offset))
            reader.position = end
        return tuple(tables), tuple(problems)

    def _located(self, error: DwarfGpuError, offset: int) -> DwarfGpuError:
        if error.context is None:
            error.context = f"{self._sections.path}: .debug_names index {offset:#x}"
        return error

    @property
    def tables(self) -> tuple[NameTable, ...]:
        """The indexes that can be used."""
        return self._read[0]

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why others cannot."""
        return self._read[1]

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """The extensions in the augmentation strings of all indexes, each once, where they have the
        form of A.6.1.1.4.1."""
        augmentations = (
            parse_augmentation(table.header.augmentation) or () for table in self.tables
        )
        return tuple(dict.fromkeys(attribute for some in augmentations for attribute in some))

    def names(self) -> Iterator[bytes]:
        """Yield every name of every index, in its order."""
        size_bytes = 0
        for table in self.tables:
            for name in range(table.header.name_count):
                text = self._sections.string(".debug_str", table.string_offset(name))
                size_bytes += len(text)
                if size_bytes > MAX_NAME_BYTES:
                    raise LimitExceeded(f"names of more than {MAX_NAME_BYTES} bytes")
                yield text

    def find(
        self, name: str, tags: Collection[int] | None = None, *, any_case: bool = False
    ) -> Iterator[Die]:
        """Yield the entries with a simple name, of these tags or of any.

        With `any_case` the search ignores case. `IllFormed` if the index names a nonexistent entry,
        `LimitExceeded` if many names and entries have to be read.
        """
        search = self._search(name, any_case=any_case)
        for table in self.tables:
            try:
                for entry in search.entries(table):
                    if tags is None or entry.tag in tags:
                        search.spend(_DIE)
                        die = self.die_of(table, entry)
                        if die is not None:
                            yield die
            except DwarfGpuError as error:
                raise self._located(error, table.header.offset)

    def _search(self, name: str, *, any_case: bool) -> _Search:
        most = self._sections.object.limits.searched_names
        return _Search(name, any_case, self._sections, most)

    def units_named(self, name: str) -> Iterator[CompilationUnit]:
        """Yield the units of the file with a simple name according to the index, for a split unit
        its skeleton, once per occurrence. Errors as of `find`."""
        search = self._search(name, any_case=False)
        for table in self.tables:
            for entry in search.entries(table):
                offset = None
                if entry.type_unit is not None:
                    offset = table.type_unit_offset(entry.type_unit)
                elif entry.unit is not None or table.header.unit_count == 1:
                    offset = table.unit_offset(entry.unit or 0)
                unit = None if offset is None else self._unit_at(offset)
                if unit is not None:
                    yield unit

    def unit_of(self, table: NameTable, entry: NameEntry) -> CompilationUnit | None:
        """Return the unit of an entry of an index; None if it cannot be used, or is a type unit in
        a split file for which the index names no skeleton."""
        if entry.type_unit is not None:
            offset = table.type_unit_offset(entry.type_unit)
            if offset is not None:
                return self._unit_at(offset)
        if entry.unit is None and table.header.unit_count != 1:
            if entry.type_unit is not None:
                return None
            raise IllFormed("an entry does not name its unit, and there are several")
        unit = self._unit_at(table.unit_offset(entry.unit or 0))
        if unit is None:
            return None
        if entry.type_unit is None:
            return unit.full
        if not unit.is_skeleton:
            return None
        return unit.full.info.type_unit(table.type_signature(entry.type_unit))

    def die_of(self, table: NameTable, entry: NameEntry) -> Die | None:
        """Return the entry for an entry of the index; None if the index does not name its unit."""
        unit = self.unit_of(table, entry)
        if unit is None or entry.die_offset is None:
            return None
        die = unit.die_at(unit.section_offset(entry.die_offset))
        if die.tag != entry.tag:
            raise IllFormed(
                f"entry {die.offset:#x} has tag {die.tag:#x}, the name index says {entry.tag:#x}"
            )
        return die


@define(eq=False, slots=False)
class _Search:
    """A search for a name in all indexes of a file."""

    name: str
    any_case: bool
    sections: Sections
    most: int
    """How many names are compared without their hash; what takes longer counts as several."""
    _spent: int = field(init=False, default=0)

    def entries(self, table: NameTable) -> Iterator[NameEntry]:
        """Yield the entries of the name in an index; `LimitExceeded` if there is too much to
        read."""
        for name in self._names(table):
            self.spend(_ENTRY)
            for entry in table.entries(name):
                self.spend(_ENTRY)
                yield entry

    def _names(self, table: NameTable) -> Iterator[int]:
        """Yield the numbers of the name in an index."""
        if not table.header.bucket_count:
            self.spend(table.header.name_count * (_ANY_CASE if self.any_case else 1))
            yield from table.names_at(self._is_one_of)
            return
        is_it = self._is_it
        for candidate in table.candidates(self._hash, partial(self.spend, _HASH)):
            if is_it(table.string_offset(candidate)):
                yield candidate

    def spend(self, count: int) -> None:
        self._spent += count
        if self._spent > self.most:
            shown = shortened(self.name)
            message = f"the search for {shown} reads more than {self.most} names of name indexes"
            raise LimitExceeded(message, "--max-searched-names")

    @cached_property
    def _hash(self) -> int:
        return name_hash(name_bytes(self.name).decode("utf-8", "replace"))

    @cached_property
    def _encoded(self) -> bytes:
        return name_beginning(self.name)

    @cached_property
    def _is_it(self) -> Callable[[int], bool]:
        """Whether the string at an offset is the name."""
        data, encoded = self.sections.section(".debug_str"), self._encoded
        if not self.any_case:
            return partial(data.startswith, encoded)
        key = folded(self.name)
        longest = 4 * len(encoded)  # no folding makes a character more than four times as long

        def same(offset: int) -> bool:
            end = data.find(b"\0", offset, offset + longest)
            return end >= 0 and folded(data[offset:end].decode("utf-8", "replace")) == key

        return same

    @cached_property
    def _is_one_of(self) -> Callable[[int], bool]:
        """Whether the string at an offset is the name, to ask of very many: a name is at few."""
        if self.any_case:
            return self._is_it
        data, encoded = self.sections.section(".debug_str"), self._encoded
        offsets: set[int] = set()
        offset = data.find(encoded)
        while offset >= 0:
            if len(offsets) >= _FEW:
                return self._is_it
            offsets.add(offset)
            offset = data.find(encoded, offset + 1)
        return offsets.__contains__


_ONE: Final = r"\[([^\]:]+):v([0-9]{1,9})\.([0-9]{1,9})(?::([^\]]*))?\]"
_PART: Final = pattern(_ONE)
_WHOLE: Final = pattern(f"(?:{_ONE})*")


@frozen
class Extension:
    """`[vendor:vMAJOR.MINOR:options]`."""

    vendor: str
    major: int
    minor: int
    options: str = ""


def parse_augmentation(text: str) -> tuple[Extension, ...] | None:
    """Return the extensions of an augmentation string; None if it has another form."""
    if not _WHOLE.fullmatch(text):
        return None
    return tuple(
        Extension(vendor, int(major), int(minor), options or "")
        for vendor, major, minor, options in _PART.findall(text)
    )
