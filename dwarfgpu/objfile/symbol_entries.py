"""The entries of a symbol table as numbers (System V ABI, "Symbol Table").

Law: only the entries that a question needs are unpacked.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from itertools import count
from re import Pattern
from struct import Struct
from typing import Final, Literal

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.cached import cached_property
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf_structures import (
    RESERVED_BELOW_ZERO,
    SHN_LORESERVE,
    SHN_XINDEX,
    SHT_GNU_VERSYM,
    SHT_SYMTAB_SHNDX,
    VERSYM_HIDDEN,
    Section,
)
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.objfile.string_table import StringTable

SymbolKind = Literal["function", "object", "thread_local", "other"]
INDIRECT: Final = 10
KINDS: Final[dict[int, SymbolKind]] = {
    1: "object", 2: "function", 6: "thread_local", INDIRECT: "function",
}  # fmt: skip
FUNCTIONS: Final = frozenset({2, INDIRECT})
KINDS_AT_ADDRESSES: Final = KINDS.keys() - {6}
"""The value of a thread-local symbol is an offset in the thread-local storage of the file (System V
ABI, "Symbol Values"), not an address."""
SHN_ABS: Final = 0xFFF1 - RESERVED_BELOW_ZERO
"""Values that no loading changes (System V ABI, "Special Section Indexes")."""
UNKNOWN_SECTION: Final = SHN_XINDEX - RESERVED_BELOW_ZERO
"""SHT_SYMTAB_SHNDX should have the number of the section, and has not."""
_MAX_COMPARED: Final = 4096
"""Bytes of names that choose between symbols of one address."""


def wide(row: tuple[int, ...]) -> tuple[int, ...]:
    """Return the fields of a 32-bit symbol in the 64-bit order."""
    name, address, size, info, visibility, index = row
    return name, info, visibility, index, address, size


class SymbolEntries(OfOpenFile):
    """The entries of one table, in the order of the 64-bit fields."""

    def __init__(
        self,
        data: bytes,
        names: StringTable,
        form: Struct,
        address_bits: int,
        bases: Collection[int | None],
        section_numbers: Sequence[int] = (),
        not_in_memory: Set[int] = frozenset(),
        *,
        marks: Pattern[str] | None = None,
        versions: Sequence[int] = (),
        why_no_versions: DwarfGpuError | None = None,
    ) -> None:
        """`bases`: added to the values of the symbols of each section; None where these are not
        addresses. `section_numbers`: of the symbols whose fields are too small (SHT_SYMTAB_SHNDX),
        by the number of the symbol. `not_in_memory`: the sections of symbols that are offsets in
        them, which no question about names and addresses finds. `marks`: how the symbols are
        called that say what is code (`dwarfgpu.objfile.symbols.Symbol.is_mark`). `versions`: of
        dynamic symbols, by the number of the symbol (SHT_GNU_versym). `why_no_versions`: why those
        of some are unknown."""
        self.data = data[: len(data) - len(data) % form.size]
        self.names = names
        self.form = form
        self._is_wide = address_bits == 64
        self.bases = tuple(bases)
        self._marks = marks
        self._versions = versions
        self.why_no_versions = why_no_versions
        self._mask = (1 << address_bits) - 1
        self._section_numbers = section_numbers
        self.not_in_memory = not_in_memory
        self.is_plain = not self.bases and not section_numbers
        """Whether no question needs more than the field of a section."""

    def __len__(self) -> int:
        return len(self.data) // self.form.size

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Name, info, other, section, value and size of each."""
        rows: Iterable[tuple[int, ...]] = self.form.iter_unpack(self.data)
        rows = rows if self._is_wide else map(wide, rows)
        return iter(rows) if self.is_plain else map(self._with_section, count(), rows)

    def fields(self, number: int) -> tuple[int, ...]:
        """Return name, info, other, section, value and size of the symbol with a number."""
        row = self.form.unpack_from(self.data, number * self.form.size)
        row = row if self._is_wide else wide(row)
        return row if self.is_plain else self._with_section(number, row)

    def _with_section(self, number: int, row: tuple[int, ...]) -> tuple[int, ...]:
        """Return the fields of a symbol with the number of its section, as `Symbol` has it."""
        name, info, other, section, value, size_bytes = row
        if section < SHN_LORESERVE:
            return row
        if section == SHN_XINDEX and number < len(self._section_numbers):
            section = self._section_numbers[number]
        else:
            section -= RESERVED_BELOW_ZERO
        return name, info, other, section, value, size_bytes

    def _column(self, code: str, index: int) -> array[int]:
        """Return a field of all symbols, the `index`th number of its size (`array`)."""
        field_bytes = array(code).itemsize
        numbers = array(code, self.data)[index :: self.form.size // field_bytes]
        if self.form.format[0] != ("<" if sys.byteorder == "little" else ">"):
            numbers.byteswap()
        return numbers

    @cached_property
    def name_offsets(self) -> array[int]:
        """The offset of the name of each symbol, its first field."""
        return self._column("I", 0)

    @cached_property
    def sections(self) -> array[int]:
        """The section of each symbol, as the field of 16 bits has it."""
        return self._column("H", 3 if self._is_wide else 7)

    @cached_property
    def values(self) -> array[int]:
        """The value of each symbol."""
        return self._column("Q" if self._is_wide else "I", 1)

    @cached_property
    def sizes(self) -> array[int]:
        """The size of each symbol, in bytes."""
        return self._column("Q" if self._is_wide else "I", 2)

    def address(self, section: int, value: int) -> int:
        """Return the address of a symbol from the number of its section and its value."""
        base = self.bases[section] if 0 <= section < len(self.bases) else None
        return value if base is None else value + base & self._mask

    def has_address(self, section: int) -> bool:
        """Return whether the value of a symbol of a section is an address, or a number."""
        if 0 <= section < len(self.bases):
            return self.bases[section] is not None
        return section != UNKNOWN_SECTION or not self.bases

    def is_defined(self, section: int) -> bool:
        """Return whether a symbol of a section is one of the program, as in GDB."""
        return bool(section) and section not in self.not_in_memory

    def address_of(self, number: int) -> int:
        """Return the address of the symbol with a number."""
        _, _, _, section, value, _ = self.fields(number)
        return self.address(section, value)

    def size_of(self, number: int) -> int:
        """Return the size of the symbol with a number, in bytes."""
        return self.fields(number)[5]

    def name_bytes(self, number: int) -> bytes:
        """Return the name of the symbol with a number, or the beginning of a long one."""
        return self.name_at(self.fields(number)[0])

    def name_at(self, start: int) -> bytes:
        """Return the name at an offset, or the beginning of a long one."""
        names = self.names.data
        end = names.find(b"\0", start, start + _MAX_COMPARED)
        return bytes(names[start : start + _MAX_COMPARED if end < 0 else end])

    def is_named(self, name: int) -> bool:
        """Return whether there is a string, which is not empty, at an offset."""
        names = self.names.data
        return name < len(names) and bool(names[name])

    def is_mark(self, name: int) -> bool:
        """Return whether the name at an offset is one of those that say what is code."""
        return self._marks is not None and self._marks.fullmatch(self.names.at(name)) is not None

    def is_hidden_version(self, number: int) -> bool:
        """Return whether the version of the symbol with a number is not the default one."""
        return number < len(self._versions) and bool(self._versions[number] & VERSYM_HIDDEN)


def extension_of(table: Section, sections: Sequence[Section]) -> Section | None:
    """Return the section with the numbers of the sections of a table's symbols, for those whose
    field is too small (System V ABI, SHT_SYMTAB_SHNDX); None where no symbol needs it."""
    if len(sections) <= SHN_LORESERVE:
        return None
    extensions = (section for section in sections if section.type == SHT_SYMTAB_SHNDX)
    return next((section for section in extensions if section.link == table.index), None)


def versions_of(table: Section, sections: Sequence[Section]) -> Section | None:
    """Return the section with the versions of a table's symbols (Linux Standard Base, "Symbol
    Version Table")."""
    versions = (section for section in sections if section.type == SHT_GNU_VERSYM)
    return next((section for section in versions if section.link == table.index), None)


def section_numbers(data: bytes, endian: Endian, code: Literal["H", "I"] = "I") -> Sequence[int]:
    """Return the numbers in the contents of such a section; `code`: their size (`array`)."""
    numbers = array(code)
    numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
    if endian != sys.byteorder:
        numbers.byteswap()
    return numbers
