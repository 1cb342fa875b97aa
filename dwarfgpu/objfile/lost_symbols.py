"""Symbol tables that were overwritten (System V ABI, "Symbol Table", "String Table").

Law: only what no assembler and no linker writes is damage; a sound table takes no loop in Python
but over its symbols at 0 or without a name.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import Final, Protocol

from dwarfgpu.base.bits import Endian
from dwarfgpu.errors import DwarfGpuError, Malformed
from dwarfgpu.objfile.elf_structures import SHF_ALLOC, SHN_LORESERVE, SHT_SYMTAB, Section

SHT_STRTAB: Final = 3
_STT_FUNC: Final = 2
_STT_TLS: Final = 6
_STB_WEAK: Final = 2
_UNASSIGNED_BINDINGS: Final = range(3, 10)
_FOR_PROCESSORS: Final = range(13, 16)
"""Types (STT_LOPROC to STT_HIPROC) and bindings (STB_LOPROC to STB_HIPROC)."""
_ZEROS: Final = 4
"""Bytes of names that are 0: no producer writes as many in a row."""


class SymbolFile(Protocol):
    """A file with a table of symbols: `dwarfgpu.objfile.elf.ObjectFile`."""

    @property
    def path(self) -> str: ...

    @property
    def machine(self) -> str: ...

    @property
    def endian(self) -> Endian: ...

    @property
    def address_bytes(self) -> int: ...

    @property
    def is_relocatable(self) -> bool: ...

    @property
    def sections(self) -> tuple[Section, ...]: ...

    @property
    def symbol_section(self) -> Section | None: ...

    @property
    def symbol_bytes(self) -> int: ...

    def data_of(self, section: Section) -> bytes: ...


def damaged_symbols(file: SymbolFile) -> Malformed | None:
    """Return the error about the table from which the symbols of a file are read, where some are
    lost; None if it is sound, or the file has none."""
    table = file.symbol_section
    if table is None:
        return None
    try:
        fault = _fault(file, table)
    except DwarfGpuError as error:  # a limit is no fault of the file's
        return error.anew() if isinstance(error, Malformed) else None
    if fault is None:
        return None
    return Malformed(f"{file.path}: {table.name} {fault}: symbols may be lost or have wrong names")


def _fault(file: SymbolFile, table: Section) -> str | None:
    """Return what is wrong with the entries of a table or their names, the first of several."""
    size_bytes = file.symbol_bytes
    data = file.data_of(table)
    data = data[: len(data) - len(data) % size_bytes]
    if len(data) <= size_bytes:
        return None  # the first entry names nothing
    strings = file.sections[table.link] if table.link < len(file.sections) else None
    if strings is None or strings.type != SHT_STRTAB:
        return f"has no string table: section {table.link} is none"
    names = file.data_of(strings)
    if not names or names[0] or names[-1]:
        return f"has a string table, {strings.name}, that does not begin and end with a zero byte"
    offsets = _column(file, data, "I", 0)
    if max(offsets) >= len(names):
        count = sum(offset >= len(names) for offset in offsets)
        return f"has {_of(count, offsets)} with names outside of {strings.name}"
    if data.find(bytes(size_bytes), size_bytes) >= 0:
        starts = range(size_bytes, len(data), size_bytes)
        count = sum(not any(data[start : start + size_bytes]) for start in starts)
        if count:
            return f"has {_of(count, offsets)} that are 0"
    if bytes(_ZEROS) in names:
        count = _names_of_zeros(file, data, names, offsets)
        if count:
            return f"has {_of(count, offsets)} whose names in {strings.name} are 0"
    return (
        _without_names(file, table, data, offsets)
        or _without_meaning(file, data)
        or _outside_of_sections(file, table, data)
    )


def _names_of_zeros(file: SymbolFile, data: bytes, names: bytes, offsets: array[int]) -> int:
    """Return how many symbols have a name that is empty. Those of debug sections mean nothing: mold
    gives each without a name a zero byte of its own."""
    outside = {
        index for index, section in enumerate(file.sections) if not section.flags & SHF_ALLOC
    } - {0}
    numbers = _column(file, data, "H", 6 if file.address_bytes == 8 else 14)
    return sum(
        bool(offset) and not names[offset] and number not in outside
        for offset, number in zip(offsets, numbers, strict=True)
    )


def _without_names(file: SymbolFile, table: Section, data: bytes, names: array[int]) -> str | None:
    """Return that symbols are local and have no type from sh_info on, which is the index after the
    last local one, or that they have a size and no name, as what zeros replaced.

    Some tools leave sh_info 0 (`perf inject --jit`), and old linkers for Android a local symbol
    behind it in a dynamic table.
    """
    size_bytes, is_wide = file.symbol_bytes, file.address_bytes == 8
    kinds = data[(4 if is_wide else 12) + table.info * size_bytes :: size_bytes]
    count = kinds.count(0) if table.info and table.type == SHT_SYMTAB else 0
    if count:
        return f"has {_of(count, names)} that are local, behind the last local one (sh_info)"
    begin, end, index = (16, 24, 0) if is_wide else (8, 12, 0)
    for _ in range(names.count(0) - 1):  # those of sections; the first is none
        index = names.index(0, index + 1)
        count += any(data[index * size_bytes + begin : index * size_bytes + end])
    return f"has {_of(count, names)} with a size and no name" if count else None


def _without_meaning(file: SymbolFile, data: bytes) -> str | None:
    """Return that symbols have a type or a binding to which the System V ABI ("Symbol Table") and
    the supplement of the machine give no meaning. Tools of some machines use types 8 and 9 for
    complex relocations (STT_RELC)."""
    kinds = data[4 if file.address_bytes == 8 else 12 :: file.symbol_bytes]
    odd = {kind for kind in set(kinds) if kind & 15 > _STT_TLS or kind >> 4 > _STB_WEAK}
    if not odd:
        return None
    from dwarfgpu.arch.registry import abi_of  # nearly all symbols are of the types above

    has_own = abi_of(file.machine).has_symbol_kinds
    types = {7} if has_own else {7, 8, 9, *_FOR_PROCESSORS}
    bindings = {*_UNASSIGNED_BINDINGS} if has_own else {*_UNASSIGNED_BINDINGS, *_FOR_PROCESSORS}
    count = sum(kinds.count(kind) for kind in odd if kind & 15 in types or kind >> 4 in bindings)
    return f"has {_of(count, kinds)} of types or bindings without a meaning" if count else None


def _outside_of_sections(file: SymbolFile, table: Section, data: bytes) -> str | None:
    """Return that symbols are of sections which the file has not. `objcopy -R` leaves those of a
    dynamic table as they were."""
    if table.type != SHT_SYMTAB:
        return None
    numbers = _column(file, data, "H", 6 if file.address_bytes == 8 else 14)
    count = len(file.sections)
    if all(number < count or number >= SHN_LORESERVE for number in set(numbers)):
        return _without_values(file, data, numbers)
    outside = sum(count <= number < SHN_LORESERVE for number in numbers)
    return f"has {_of(outside, numbers)} of sections that the file does not have"


def _without_values(file: SymbolFile, data: bytes, numbers: array[int]) -> str | None:
    """Return that functions of a linked file have the address 0, and are of sections that begin
    behind it."""
    is_wide = file.address_bytes == 8
    values = _column(file, data, "Q" if is_wide else "I", 8 if is_wide else 4)
    beyond = _beyond_sections(file, data, values, numbers)
    if file.is_relocatable or beyond is not None:
        return beyond
    sections, kind_at, count, index = file.sections, 4 if is_wide else 12, 0, 0
    for _ in range(values.count(0) - 1):  # nearly all are those of other files; the first is none
        index = values.index(0, index + 1)
        section = sections[number] if (number := numbers[index]) < len(sections) else None
        is_function = data[index * file.symbol_bytes + kind_at] & 15 == _STT_FUNC
        if section is not None and is_function and section.address and section.flags & SHF_ALLOC:
            count += 1
    if not count:
        return None
    return f"has {_of(count, numbers)} that are functions at 0, outside of their section"


def _beyond_sections(
    file: SymbolFile, data: bytes, values: array[int], numbers: array[int]
) -> str | None:
    """Return that functions with a size begin behind the end of their section. Linkers give their
    own names for the end of a section no size, and `objcopy --extract-symbol` leaves sections none.
    """
    sections, is_wide = file.sections, file.address_bytes == 8
    bases = [0 if file.is_relocatable else section.address for section in sections]
    ends = [base + section.size_bytes for base, section in zip(bases, sections, strict=True)]
    if max(values) <= max(ends):
        return None  # nearly all tables
    sizes = _column(file, data, "Q" if is_wide else "I", 16 if is_wide else 8)
    kinds = data[4 if is_wide else 12 :: file.symbol_bytes]
    count = sum(
        kind & 15 == _STT_FUNC
        and size > 0
        and number < len(ends)
        and value > ends[number] > bases[number]
        for kind, size, number, value in zip(kinds, sizes, numbers, values, strict=True)
    )
    return f"has {_of(count, numbers)} that are functions behind their section" if count else None


def _of(count: int, entries: Sequence[int]) -> str:
    return f"{count} of {len(entries)} symbols"


def _column(file: SymbolFile, data: bytes, code: str, offset: int) -> array[int]:
    """Return the field of all entries that is at an offset in each (`array`)."""
    field_bytes = array(code).itemsize
    numbers = array(code, data)[offset // field_bytes :: file.symbol_bytes // field_bytes]
    if file.endian != sys.byteorder:
        numbers.byteswap()
    return numbers


__all__ = ["damaged_symbols"]
