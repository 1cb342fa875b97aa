"""What an ELF file loads, and its symbols (System V ABI, chapters 4 and 5)."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.errors import DwarfGpuError, Malformed
from dwarfgpu.objfile.elf_file import ElfFile
from dwarfgpu.objfile.elf_structures import (
    PF_X,
    PT_LOAD,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHT_DYNSYM,
    SHT_NOBITS,
    SHT_SYMTAB,
    Section,
    SymbolFields,
)
from dwarfgpu.objfile.file_bytes import map_file
from dwarfgpu.objfile.section_placement import symbol_bases
from dwarfgpu.objfile.string_table import StringTable
from dwarfgpu.objfile.symbol_entries import (
    SymbolEntries,
    SymbolKind,
    extension_of,
    section_numbers,
    versions_of,
    wide,
)
from dwarfgpu.objfile.symbols import MARKS, Symbol, SymbolTable

if TYPE_CHECKING:
    from pathlib import Path


@methods_name_wrong_arguments
class ObjectFile(ElfFile):
    """An ELF file: its machine, and its sections, segments and symbols.

    Raises `Malformed` for inconsistent headers, `UsageError` if the file is not an ELF file.
    """

    has_read_symbols = False
    """Whether a question has needed `symbol_section`."""

    @cached_property
    def not_in_memory(self) -> Set[int]:
        """The indexes of the sections that have neither SHF_ALLOC nor, as GDB asks, SHF_EXECINSTR;
        none of a cubin, whose constant banks are in a memory of their own."""
        if self.machine == "CUDA":
            return frozenset()
        loaded = SHF_ALLOC | SHF_EXECINSTR
        return {section.index for section in self.sections[1:] if not section.flags & loaded}

    @property
    def symbols(self) -> Sequence[Symbol]:
        """The symbol table, else the dynamic one."""
        return () if self._symbol_table is None else self._symbol_table.symbols

    @cached_property
    def _symbol_table(self) -> SymbolTable | None:
        table = self.failed_reads.read("symbols", self._first_table)
        self.has_read_symbols = True
        return table

    def _first_table(self) -> SymbolTable | None:
        section = self.symbol_section
        return None if section is None else self._table(section)

    @property
    def symbol_section(self) -> Section | None:
        """The section from which `symbols` and those by name and address are read."""
        for section_type in (SHT_SYMTAB, SHT_DYNSYM):
            for section in self.sections:
                if section.type == section_type:
                    return section
        return None

    @cached_property
    def first_thread_locals(self) -> tuple[str, ...]:
        """The names of the symbols at the beginning of the thread-local storage."""
        return tuple(
            symbol.name
            for symbol in self.symbols
            if symbol.kind == "thread_local" and not symbol.address and symbol.is_in_section
        )

    @cached_property
    def symbol_damage(self) -> Malformed | None:
        """What is wrong with the table of the symbols, where some are lost; None if it is sound."""
        from dwarfgpu.objfile.lost_symbols import damaged_symbols  # many questions read no symbols

        return damaged_symbols(self)

    def _table(self, section: Section) -> SymbolTable:
        if section.type != SHT_NOBITS:
            self._check_range(section.offset, section.size_bytes, section.name)
        linked = self.sections[section.link] if 0 < section.link < len(self.sections) else None
        form = struct.Struct(self._order + self._layout.symbol)
        subject = f"{section.name} of {self.path}"
        self.limits.check_symbols(subject, self.unpacked_bytes(section) // form.size)
        extension = extension_of(section, self.sections)
        versions, why_no_versions = self._versions(section)
        entries = SymbolEntries(
            self.data_of(section),
            StringTable(b"" if linked is None else self.data_of(linked), self.path),
            form,
            8 * self.address_bytes,
            symbol_bases(self.machine, self.sections) if self.is_relocatable else (),
            section_numbers(self.data_of(extension), self.endian) if extension else (),
            self.not_in_memory,
            marks=MARKS.get(self.machine),
            versions=versions,
            why_no_versions=why_no_versions,
        )
        return SymbolTable(entries)

    def _versions(self, table: Section) -> tuple[Sequence[int], DwarfGpuError | None]:
        """Return the versions of a table's symbols, and why those of some are unknown."""
        if table.type != SHT_DYNSYM:
            return (), None
        count = self.unpacked_bytes(table) // struct.calcsize(self._order + self._layout.symbol)
        section = versions_of(table, self.sections)
        try:
            data = self._loaded_versions(2 * count)
            if section is not None and (data is None or len(data) < 2 * count):
                data = self.data_of(section)
        except DwarfGpuError as error:
            return (), error.anew()
        if data is None:
            return (), None
        versions = section_numbers(data, self.endian, "H")
        if len(versions) >= count:
            return versions, None
        name = "the dynamic segment" if section is None else section.name
        problem = f"{name} has the versions of {len(versions)} of {count} symbols"
        return versions, self._malformed(problem)

    def _loaded_versions(self, size_bytes: int) -> bytes | None:
        """Return the bytes of the versions that a dynamic linker reads (DT_VERSYM), whatever the
        sections say, or those of them that are in the file; None if it reads none."""
        # Few files are stripped.
        from dwarfgpu.objfile.dynamic_segment import DT_VERSYM, dynamic_tags

        try:
            address = dynamic_tags(self).get(DT_VERSYM)
            return None if address is None else self.loaded_from(address, size_bytes)
        except Malformed:  # a damaged dynamic segment
            return b""

    def symbols_of(self, section: Section) -> Sequence[Symbol]:
        """Return the entries of one symbol table."""
        return self._table(section).symbols

    def symbol_table_of(self, section: Section) -> SymbolTable:
        """Return the table of the entries of one section."""
        return self._table(section)

    def symbols_named(
        self, name: str, *beginnings: str, with_untyped: bool = False
    ) -> tuple[Symbol, ...]:
        """Return the functions and objects defined here with a name, or with one of the prefixes;
        `with_untyped` includes STT_NOTYPE.

        `LimitExceeded` if they are more than the limit `namesakes`. The names of other symbols are
        not read.
        """
        table = self._symbol_table
        if table is None:
            return ()
        return table.named(name, beginnings, with_untyped=with_untyped, limits=self.limits)

    def require_versions(self, symbols: Iterable[Symbol]) -> None:
        """Raise an error where only versions, which are unknown, choose between symbols of a name:
        asked where one of the symbols is chosen, with those that are left."""
        if self._symbol_table is not None:
            self._symbol_table.require_versions(symbols)

    def symbols_ending(self, text: str) -> Iterator[Symbol]:
        """Return the symbols whose names end with a text, in order. The names of other symbols are
        not read."""
        table = self._symbol_table
        return iter(()) if table is None else table.ending(text)

    def symbols_called(self, names: Collection[str]) -> Iterator[Symbol]:
        """Return the symbols that have one of some names, whatever they are, in order."""
        table = self._symbol_table
        return iter(()) if table is None else table.called(names)

    def symbol_numbers_beginning(self, texts: Iterable[str]) -> Iterator[int]:
        """Return the numbers of the symbols whose names, with the zero byte at the end, begin with
        a text that is not empty, in order."""
        table = self._symbol_table
        return iter(()) if table is None else table.numbers_beginning(texts)

    def labels(self) -> Iterator[tuple[int, int, bool]]:
        """Return the address and the number of each symbol of a section that has a name and is no
        mark, and whether it is a function, in order."""
        table = self._symbol_table
        return iter(()) if table is None else table.labels()

    def takes_symbol(self, name: str) -> bool:
        """Return whether the file uses a symbol of a name that another file defines."""
        table = self._symbol_table
        return table is not None and table.takes(name, f"{name}@")

    @cached_property
    def _dynamic_symbol_table(self) -> SymbolTable | None:
        return self.failed_reads.read("dynamic symbols", self._exported_table)

    def _exported_table(self) -> SymbolTable | None:
        section = next((item for item in self.sections if item.type == SHT_DYNSYM), None)
        return None if section is None else self._table(section)

    def exported_object(self, name: str, kind: SymbolKind = "object") -> Symbol | None:
        """Return the object defined here to which a dynamic linker may bind a name, of several
        versions the default one; `kind`: or the thread-local one."""
        table = self._dynamic_symbol_table
        symbols = [
            symbol
            for symbol in (() if table is None else table.named(name, (), with_untyped=False))
            if symbol.kind == kind and symbol.is_in_section and not symbol.is_local
        ]
        if table is not None:
            table.require_versions(symbols)
        return min(symbols, key=lambda symbol: symbol.is_old_version, default=None)

    def exported_at(self, address: int, kind: SymbolKind = "object") -> Sequence[Symbol]:
        """Return the objects at an address to which a dynamic linker may bind names; `kind`: or the
        thread-local ones at an offset."""
        return self._exported.get((kind, address), ())

    @cached_property
    def _exported(self) -> dict[tuple[SymbolKind, int], list[Symbol]]:
        symbols: dict[tuple[SymbolKind, int], list[Symbol]] = {}
        for symbol in self._dynamic_symbol_table or ():
            is_data = symbol.kind in ("object", "thread_local")
            if is_data and symbol.is_in_section and not symbol.is_local:
                symbols.setdefault((symbol.kind, symbol.address), []).append(symbol)
        return symbols

    def mangled_functions(self, part: str) -> tuple[Symbol, ...]:
        """Return the functions defined here whose names are mangled and contain a text."""
        table = self._symbol_table
        return () if table is None else table.mangled_with(part)

    def mangled_symbols(self, part: str) -> tuple[Symbol, ...]:
        """Return the functions and objects defined here whose names are mangled and contain a
        text."""
        table = self._symbol_table
        return () if table is None else table.mangled_with(part, with_objects=True)

    def mangled_symbols_in(self, part: str, source: str) -> tuple[Symbol, ...]:
        """Return the objects of a source file that other files cannot mean, and whose names are
        mangled and contain a text; empty where that name is not of one file."""
        table = self._symbol_table
        return () if table is None else table.mangled_in(part, source)

    def locals_in_source(
        self, name: str, source: str, code: tuple[tuple[int, int], ...]
    ) -> tuple[Symbol, ...] | None:
        """Return the objects and functions of a name in a source file that other files cannot
        mean; None where which one it is, is unknown. `code`: the ranges of its code, ascending:
        which of the files of its name has symbols there."""
        table = self._symbol_table
        return () if table is None else table.locals_in(name, source, code)

    def has_source_symbol(self, source: str) -> bool:
        """Return whether the symbol table names a source file, as that of gcc's LTO does not."""
        return self._symbol_table is not None and self._symbol_table.has_source(source)

    def symbol_before(self, address: int) -> Symbol | None:
        """Return the named function or object at or before an address; of several one with a size,
        and of these, as GDB, the one whose name is last, but the global function before its local
        alias. None if there is none.
        """
        return None if self._symbol_table is None else self._symbol_table.before(address)

    def symbol_covering(self, address: int) -> Symbol | None:
        """Return the named function, object or label whose size covers an address; of several the
        one that begins last, and of these as `symbol_before`. None if there is none."""
        return None if self._symbol_table is None else self._symbol_table.covering(address)

    def label_before(self, address: int) -> Symbol | None:
        """Return the named symbol without a type (STT_NOTYPE) at or before an address, as assembler
        code has them for functions; None if there is none. Those that only tools use are left out.
        """
        return None if self._symbol_table is None else self._symbol_table.label_before(address)

    def memory_bytes(self, address: int, size_bytes: int) -> bytes | None:
        """Return bytes that the file loads at a linked address; None if it loads none there."""
        for section in self.sections_at(address):
            if section.type != SHT_NOBITS:
                start = address - section.address
                if start + size_bytes <= section.size_bytes:
                    return self.file_bytes(section.offset + start, size_bytes, section.name)
        if not self.sections:
            following = self.loaded_from(address, size_bytes)
            return following if len(following) == size_bytes else None
        return None

    def sections_at(self, address: int) -> list[Section]:
        """Return the sections that are loaded at an address of the file, in the file's order."""
        return [
            self.sections[index] for index in sorted(self._sections_by_address.covering(address))
        ]

    @cached_property
    def _sections_by_address(self) -> SpanIndex[int]:
        """The indexes of the loaded sections."""
        return SpanIndex(
            ((section.address, section.address + section.size_bytes), index)
            for index, section in enumerate(self.sections)
            if section.covers(section.address)
        )

    def loaded_from(self, address: int, size_bytes: int | None = None) -> bytes:
        """Return the bytes in the file of a loaded segment, from an address of the file on; only
        the first of them if a size is given."""
        for segment in self.segments:
            start = address - segment.address
            if segment.type == PT_LOAD and 0 <= start < segment.file_bytes:
                size = segment.file_bytes - start
                if size_bytes is not None:
                    size = min(size, size_bytes)
                return self.file_bytes(segment.offset + start, size, "segment")
        return b""

    def bytes_of(self, symbol: Symbol, size_bytes: int) -> bytes | None:
        """Return the bytes of a symbol, not relocated; None if the file has fewer."""
        return self.memory_bytes(symbol.address, size_bytes)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """The lowest address of what the file loads, and where the highest part ends; all addresses
        if it does not say."""
        spans = [
            (section.address, section.address + section.size_bytes)
            for section in self.sections
            if section.flags & SHF_ALLOC
        ]
        loaded = [segment for segment in self.segments if segment.type == PT_LOAD]
        spans += [(segment.address, segment.address + segment.memory_bytes) for segment in loaded]
        if not spans:
            return 0, 1 << 64
        return min(begin for begin, _ in spans), max(end for _, end in spans)

    def is_code(self, address: int) -> bool:
        """Return whether the file has instructions at an address of its own.

        Without loaded sections, whether it is in a segment that can be executed. Of a file that has
        none either, as its debug sections alone, only 0 is no code: linkers write it for code that
        they drop.
        """
        try:
            return next(self._code.covering(address), None) is not None
        except FOREIGN:
            require_right_arguments(ObjectFile.is_code, self, address)
            raise

    def code_end(self, address: int) -> int | None:
        """Return where a section or segment ends that has instructions at an address; None where
        there are none."""
        return next(self._code.covering(address), None)

    @cached_property
    def _code(self) -> SpanIndex[int]:
        """Instructions by their addresses: where each section or segment of them ends."""
        if not any(section.flags & SHF_ALLOC for section in self.sections):
            segments = [s for s in self.segments if s.type == PT_LOAD and s.flags & PF_X]
            spans = [(s.address, s.address + s.memory_bytes) for s in segments if s.memory_bytes]
            if self.sections and not spans:
                spans = [(1, 1 << 64)]
            return SpanIndex((span, span[1]) for span in spans)
        ends = [(s.address, s.address + s.size_bytes) for s in self.code_sections]
        return SpanIndex((span, span[1]) for span in ends)

    @property
    def code_sections(self) -> list[Section]:
        """The loaded sections with instructions."""
        loaded = SHF_EXECINSTR | SHF_ALLOC
        return [section for section in self.sections if section.flags & loaded == loaded]

    @property
    def symbol_bytes(self) -> int:
        """The size of an entry of a symbol table."""
        return struct.calcsize(self._order + self._layout.symbol)

    def symbol_fields(self, offset: int) -> SymbolFields:
        """Return the entry of a symbol table at an offset in the file."""
        row = self._unpack(self._layout.symbol, offset, "symbol")
        name, info, visibility, index, address, size = row if self.address_bytes == 8 else wide(row)
        return SymbolFields(name, address, size, info, visibility, index)


def open_object(path: str | Path, limits: FileLimits = DEFAULT_FILE_LIMITS) -> ObjectFile:
    """Open the ELF file of that path; `UsageError` if it cannot be read, or is not one."""
    return ObjectFile(str(path), map_file(path), limits)
