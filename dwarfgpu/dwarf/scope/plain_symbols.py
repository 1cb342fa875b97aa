"""Definitions whose entries show at once how they are listed, without an object for the entry:
nearly all of C.

Law: what is not read here is read as all entries are (`listed_symbol`), with the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, ValueReader
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import Attribute, ReadValue
from dwarfgpu.dwarf.scope.listed_symbol import (
    NAMESPACES,
    Kind,
    ListedSymbol,
    has_namespaces,
    name_of_unit,
    source_name,
)
from dwarfgpu.dwarf.scope.named_entries import TAGGED, NamedEntries
from dwarfgpu.dwarf.scope.required_word import COMPLETING
from dwarfgpu.dwarf.scope.scope_entries import CONTAINERS, range_reader
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_AROUND: Final = TAGGED | CONTAINERS
"""Their names are part of those of the entries in them."""


class SimpleNames:
    """The names of entries that are listed as they are written: most entries do not match, and for
    these no more than the name is read."""

    def __init__(
        self, unit: CompilationUnit, kind: Kind, *, with_linkage_names: bool = False
    ) -> None:
        """`with_linkage_names`: an entry that has one, too, is not listed by its name alone."""
        self._unit = unit
        self._with_linkage_names = with_linkage_names
        is_plain = unit.root.tag not in _AROUND and not unit.root.has(dw.AT_SIGNATURE)
        if kind == "functions":
            is_plain = unit.style in dw.WITH_TYPES_OF_C and not unit.is_cplusplus
        elif kind == "types":
            is_plain = is_plain and not unit.is_cplusplus
        self._is_plain = is_plain
        self._is_plain_below = kind == "functions" and not has_namespaces(unit)
        self._names = NamedEntries(unit)
        self._readers: dict[Abbreviation, ValueReader | None] = {}

    def are_in(self, above: int, abbreviation: Abbreviation) -> bool:
        """Return whether the entries of an abbreviation that are below another have such names."""
        if not self._is_plain or (above and not self._is_plain_below):
            return False
        if abbreviation not in self._readers:
            self._readers[abbreviation] = self._reader(abbreviation)
        return self._readers[abbreviation] is not None

    def name_at(self, index: int, abbreviation: Abbreviation) -> str | None:
        """Return the name of an entry; None if it is not readable, or may be spelled in another
        way."""
        reader, unit = self._readers[abbreviation], self._unit
        if reader is None:
            return None
        if reader.form in (dw.FORM_STRING, dw.FORM_STRP):
            try:
                name = self._names.name_at(index) or ""
            except DwarfGpuError:
                return None
            if name.isidentifier():  # and so it is written as in the file
                return name
        start = unit.tree.offsets[index]
        if unit.data[start] >= 0x80:  # codes are mostly one byte
            return None
        try:
            raw = reader.read(unit.data, start + 1, unit.end)
            name = unit.text_of(Attribute(reader.form, reader.kind, raw))
        except DwarfGpuError:
            return None
        return None if "<" in name else name

    def _reader(self, abbreviation: Abbreviation) -> ValueReader | None:
        positions = abbreviation.positions
        if abbreviation.tag == dw.TAG_BASE_TYPE:  # may have the name of a typedef
            return None
        if abbreviation.tag == dw.TAG_VARIABLE and (  # of a template, which either of them shows
            abbreviation.has_children or not positions.keys().isdisjoint(dw.LINKAGE_NAMES)
        ):
            return None
        if self._with_linkage_names and not positions.keys().isdisjoint(dw.LINKAGE_NAMES):
            return None
        if dw.AT_NAME not in positions or any(name in positions for name in COMPLETING):
            return None
        try:
            value = abbreviation.value(positions[dw.AT_NAME])
        except DwarfGpuError:
            return None
        return None if value.kind == "indirect" else value


class PlainSymbols:
    """The definitions that nothing completes, and whose declaration is read without an object for
    the entry: nearly all of C."""

    def __init__(self, unit: CompilationUnit, kind: Kind) -> None:
        self._unit = unit
        self._kind = kind
        self._readers: dict[Abbreviation, _PlainReaders | None] = {}
        self._files: dict[int | None, str] = {}

    def symbol_at(self, index: int, abbreviation: Abbreviation, name: str) -> ListedSymbol | None:
        """Return the definition at an entry that has a name; None if it must be read in another
        way, or is no definition."""
        if abbreviation not in self._readers:
            self._readers[abbreviation] = self._readers_of(abbreviation)
        readers, unit = self._readers[abbreviation], self._unit
        offset = unit.tree.offsets[index]
        if readers is None or unit.data[offset] >= 0x80:
            return None
        try:
            if readers.code is not None and readers.code(offset) is None:
                return None
            file, line = (
                None if read is None else read(unit.data, offset + 1, unit.end)
                for read in (readers.file, readers.line)
            )
            assert not isinstance(file, bytes)
            if file not in self._files:
                self._files[file] = source_name(unit.die(index)) or name_of_unit(unit)
        except DwarfGpuError:
            return None
        assert line is None or isinstance(line, int)
        return ListedSymbol(name, unit, index, readers.is_static, self._files[file], line)

    def _readers_of(self, abbreviation: Abbreviation) -> _PlainReaders | None:
        unit, positions = self._unit, abbreviation.positions
        if self._kind == "modules" or not positions.keys().isdisjoint(COMPLETING):
            return None
        is_type = self._kind == "types"
        if abbreviation.tag in NAMESPACES or (is_type and dw.AT_DECLARATION in positions):
            return None
        if self._kind == "variables" and (
            dw.AT_DECLARATION in positions or not abbreviation.has_location
        ):
            return None
        values = {}
        for number in (dw.AT_DECL_FILE, dw.AT_DECL_LINE, dw.AT_EXTERNAL):
            if number in positions:
                values[number] = abbreviation.value(positions[number])
        external = values.pop(dw.AT_EXTERNAL, None)
        if external is not None and external.form != dw.FORM_FLAG_PRESENT:
            return None
        if any(value.kind != "constant" for value in values.values()):
            return None
        code = None
        if self._kind == "functions":
            code = range_reader(unit, abbreviation)
            if code is None:
                return None
        reads = {number: value.read for number, value in values.items()}
        is_static = is_type or external is None
        return _PlainReaders(
            code, reads.get(dw.AT_DECL_FILE), reads.get(dw.AT_DECL_LINE), is_static
        )


class _PlainReaders(NamedTuple):
    """What reads the definitions of an abbreviation."""

    code: Callable[[int], Range | None] | None
    """None for variables and types."""
    file: ReadValue | None
    line: ReadValue | None
    is_static: bool
