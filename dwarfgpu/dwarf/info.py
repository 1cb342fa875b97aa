"""The debug information of one object file: its units, and where to find them.

Split files, rows of packages and supplementary files are parts: a `DebugInfo` each, that knows the
`main` one, which has the code.

Law: opening reads unit headers only; a part is opened when something in it is asked for. Addresses
inside are those of the main file; `load_address` is added where one leaves
(`CompilationUnit.relocate`) and taken away where a pc comes in (`in_file`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.bits import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, read_abbreviations
from dwarfgpu.dwarf.budget import Budget
from dwarfgpu.dwarf.call_frames import CallFrames
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.header import read_headers
from dwarfgpu.dwarf.index.aranges import AddressIndex
from dwarfgpu.dwarf.index.debug_names import NameIndex
from dwarfgpu.dwarf.index.gdb_index import GdbIndex
from dwarfgpu.dwarf.index.string_index import StringIndex
from dwarfgpu.dwarf.line.line_table import LineTables
from dwarfgpu.dwarf.producer import dialect_name
from dwarfgpu.dwarf.split.contributions import Contributions
from dwarfgpu.dwarf.split.dwp import PackageRow
from dwarfgpu.dwarf.split.split_units import SPLIT_NAMES, Package, SplitFiles, split_id
from dwarfgpu.dwarf.types.builder import TypeBuilder
from dwarfgpu.dwarf.unit import CompilationUnit, known
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, Unsupported
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD, Dialect
from dwarfgpu.expr.dialect.dialect import dialect as dialect_named
from dwarfgpu.objfile.code_object import architecture_of
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.relocate import relocated_data
from dwarfgpu.objfile.separate_debug import DEBUG_DIRECTORIES
from dwarfgpu.objfile.supplementary import (
    SupplementaryLink,
    find_supplementary,
    supplementary_link,
)

T = TypeVar("T")


class DebugInfo:
    """The units of an object file that is loaded `load_address` above its own addresses."""

    def __init__(
        self,
        object: ObjectFile,
        load_address: int = 0,
        dialect: str | None = None,
        *,
        literal: bool = False,
        loaded: ObjectFile | None = None,
        directories: Iterable[str | Path] = DEBUG_DIRECTORIES,
    ) -> None:
        self.object = object
        self.path = object.path
        self.loaded = loaded or object
        """The file with the code, where `object` is its separate debug file."""
        self.load_address = load_address
        self.directories = tuple(directories)
        """Where other files are looked for."""
        self.main = self
        """That of the file with the code."""
        self.suffix = ".dwo" if _is_split(object) else ""
        """What ends the names of the sections."""
        self.budget = Budget(object.size_bytes)
        self.types = TypeBuilder(self)
        self.line_tables = LineTables(self)
        self.aranges = AddressIndex(self)
        self.names = NameIndex(self)
        self.gdb_index = GdbIndex(self)
        self.strings = StringIndex(self)
        self.split = SplitFiles(self)
        self.call_frames = CallFrames(self, self.loaded)
        self.forced_dialect = dialect
        """The name of the dialect that the user wants, whatever the units show."""
        self.watch: Callable[[str, int, int], None] | None = None
        """Is called with a path, and how many units of how many were gone through there."""
        self._literal = literal
        self._package: Package | None = None
        self._row: PackageRow | None = None
        self._sections: dict[str, bytes] = {}
        self._contributions: dict[str, Contributions] = {}
        self._abbreviations: dict[tuple[int, UnitFormat], dict[int, Abbreviation]] = {}

    def part(
        self,
        object: ObjectFile,
        suffix: str = "",
        path: str | None = None,
        package: Package | None = None,
        row: PackageRow | None = None,
    ) -> DebugInfo:
        """Another place with units of this program.

        `suffix`: of the names of its sections. `row`: of a `package`, where it is one.
        """
        made = DebugInfo(
            object,
            self.load_address,
            self.forced_dialect,
            literal=self._literal,
            loaded=self.loaded,
            directories=self.directories,
        )
        made.main, made.types, made.suffix = self.main, self.types, suffix
        made.path = path or object.path
        made._row, made._package = row, package
        return made

    @cached_property
    def architecture(self) -> Architecture | None:
        """What the file is for; None where dwarfgpu does not know it."""
        try:
            return architecture_of(self.loaded)
        except Unsupported:
            return None

    def section(self, name: str) -> bytes:
        """The bytes of a debug section, relocated; none where the file has no such section.

        The name is that of the standard, without `.dwo`.
        """
        data = self._sections.get(name)
        if data is None:
            if self._row is not None:
                data = self._row.read(name)
            else:
                data = relocated_data(self.object, name + self.suffix)
            self._sections[name] = data
        return data

    def start_of(self, section: str) -> int:
        """Where this part begins in a section of its file, by its name without `.dwo`."""
        return 0 if self._row is None else self._row.start(section)

    def contributions(self, section: str) -> Contributions:
        """The headers of a section of lists."""
        found = self._contributions.get(section)
        if found is None:
            shown = section + self.suffix
            found = Contributions(shown, self.section(section), self.object.endian)
            self._contributions[section] = found
        return found

    def string(self, section: str, offset: int) -> bytes:
        """The bytes of a string in a string section."""
        data = self.section(section)
        end = data.find(b"\0", offset)
        if offset >= len(data) or end < 0:
            raise Malformed(f"no string starts at {section}{self.suffix}+{offset:#x}")
        return data[offset:end]

    def abbreviations(self, offset: int, format: UnitFormat) -> dict[int, Abbreviation]:
        """The abbreviation table at an offset, as units of a format read it."""
        key = (offset, format)
        if key not in self._abbreviations:
            section = ".debug_abbrev"
            data = self.section(section)
            try:
                with self.budget.reading(section, data, offset, format.endian) as reader:
                    table = read_abbreviations(reader, format)
            except DwarfGpuError as error:
                where = f"{self.path}: {section}{self.suffix} table {offset:#x}"
                error.context = error.context or where
                raise
            self._abbreviations[key] = table
        return self._abbreviations[key]

    def _headers_of(
        self, section: str
    ) -> tuple[tuple[CompilationUnit, ...], tuple[DwarfGpuError, ...]]:
        headers, problems = read_headers(
            self.section(section), self.object.endian, section, self.suffix
        )
        for problem in problems:
            problem.context = f"{self.path}: {problem.context}"
        return tuple(CompilationUnit(self, header) for header in headers), tuple(problems)

    @cached_property
    def _info_headers(self) -> tuple[tuple[CompilationUnit, ...], tuple[DwarfGpuError, ...]]:
        return self._headers_of(".debug_info")

    @cached_property
    def _types_headers(self) -> tuple[tuple[CompilationUnit, ...], tuple[DwarfGpuError, ...]]:
        """DWARF 4 keeps type units in a section of their own."""
        return self._headers_of(".debug_types")

    @property
    def units(self) -> tuple[CompilationUnit, ...]:
        """The units whose headers can be used, in the order of the file, type units included.

        Of a package, the units of its rows.
        """
        if self.split.own_package is not None:
            return self.split.own_package.units
        return self._info_headers[0] + self._types_headers[0]

    def watched_units(self) -> Iterator[CompilationUnit]:
        """The units, where all of them are gone through: `watch` of the main file learns how many
        were."""
        watch, units = self.main.watch, self.units
        for done, unit in enumerate(units):
            if watch is not None:
                watch(self.path, done, len(units))
            yield unit

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why the other units could not be used."""
        if self.split.own_package is not None:
            return self.split.own_package.problems
        return self._info_headers[1] + self._types_headers[1]

    @cached_property
    def _starts(self) -> list[int]:
        return [unit.offset for unit in self._info_headers[0]]

    def unit_at(self, section_offset: int) -> CompilationUnit | None:
        """The unit that holds an offset of `.debug_info`."""
        units = self._info_headers[0]
        index = bisect_right(self._starts, section_offset) - 1
        if index < 0 or section_offset >= units[index].end:
            return None
        return units[index]

    def die_at(self, section_offset: int) -> Die:
        """The entry at an offset of `.debug_info`; `IllFormed` where none starts there."""
        unit = self.unit_at(section_offset)
        if unit is None:
            raise IllFormed(f"offset {section_offset:#x} of .debug_info{self.suffix} is in no unit")
        return unit.die_at(section_offset)

    @cached_property
    def _type_units(self) -> dict[int, CompilationUnit]:
        """By signature; of two with one the first counts: they are the same type."""
        found: dict[int, CompilationUnit] = {}
        for unit in self.type_units:
            if unit.header.signature is not None:
                found.setdefault(unit.header.signature, unit)
        return found

    @cached_property
    def split_units(self) -> dict[int, CompilationUnit]:
        """The split units of this part by their IDs; of two with one the first counts."""
        found: dict[int, CompilationUnit] = {}
        for unit in self.units:
            try:
                id = None if unit.header.is_type_unit else split_id(unit)
            except DwarfGpuError:
                continue
            if id is not None:
                found.setdefault(id, unit)
        return found

    @cached_property
    def type_units(self) -> tuple[CompilationUnit, ...]:
        """The type units of this part."""
        return tuple(unit for unit in self.units if unit.header.is_type_unit)

    @property
    def type_source(self) -> Package | DebugInfo:
        """What has the type units of this part: the package of which it is a row, or itself."""
        return self._package or self

    def own_type_unit(self, signature: int) -> CompilationUnit | None:
        """The type unit of a signature in this file; None where it has none."""
        return self._type_units.get(signature)

    def type_unit(self, signature: int) -> CompilationUnit:
        """The type unit of a signature: one of this part, of those beside it, of the main file.

        `IllFormed` where there is none, `MissingContext` where it is in a file that is not found.
        """
        found = self.own_type_unit(signature)
        if found is None and self._package is not None:
            found = self._package.type_unit(signature)
        if found is None and self.main is not self:
            found = self.main.own_type_unit(signature)
        if found is None:
            raise IllFormed(f"no type unit has the signature {signature:#018x}")
        if not found.is_split and found.root.has(dw.AT_GNU_DWO_NAME):
            return found.info.split.type_unit_of(found, signature)
        return found

    def type_entry(self, signature: int) -> Die:
        """The type that a signature names (DWARF 5 7.5.1.3, DW_FORM_ref_sig8)."""
        unit = self.type_unit(signature)
        assert unit.header.type_offset is not None
        return unit.die_at(unit.section_offset(unit.header.type_offset))

    @cached_property
    def supplementary_link(self) -> SupplementaryLink | None:
        """What the file says of a supplementary file."""
        return supplementary_link(self.object)

    @cached_property
    def _supplementary(self) -> DebugInfo | DwarfGpuError:
        try:
            if self.main is not self and not self.suffix:
                raise IllFormed(f"the supplementary file {self.path} needs another one")
            link = self.supplementary_link
            if link is None:
                raise IllFormed(f"{self.path} names no supplementary file")
            return self.part(find_supplementary(self.object, link, self.directories))
        except DwarfGpuError as error:
            error.context = error.context or self.path
            return error

    @property
    def supplementary(self) -> DebugInfo:
        """The file with which this one shares entries and strings (DWARF 5 7.3.6).

        `MissingContext` where it is not found, `InconsistentContext` where it is another one.
        """
        return known(self._supplementary)

    @cached_property
    def has_skeletons(self) -> bool:
        """Whether units of the file may have their entries in others; False only where none has."""
        if any(unit.header.kind == dw.UT_SKELETON for unit in self.units):
            return True
        if all(unit.format.version >= 5 for unit in self.units):
            return False
        try:
            abbreviations = self.section(".debug_abbrev")
        except DwarfGpuError:
            return True
        return any(encode_uleb(name) in abbreviations for name in SPLIT_NAMES)

    @cached_property
    def common_producer(self) -> str:
        """The producer of all units that name one, for type and partial units, which may name
        none; empty where they differ."""
        found = self._named_by_units(lambda unit: unit.producer or None)
        if not found and self.main is not self:
            return self.main.common_producer
        return found.pop() if len(found) == 1 else ""

    @cached_property
    def common_language(self) -> int | None:
        """The DW_LANG code of all units that name one, for partial units, which may name none;
        None where they differ."""
        found = self._named_by_units(lambda unit: unit.root.integer(dw.AT_LANGUAGE))
        if not found and self.main is not self:
            return self.main.common_language
        return found.pop() if len(found) == 1 else None

    def _named_by_units(self, ask: Callable[[CompilationUnit], T | None]) -> set[T]:
        found: set[T] = set()
        for unit in self.units:
            try:
                named = None if unit.header.is_type_unit else ask(unit.full)
            except DwarfGpuError:
                continue
            if named is not None:
                found.add(named)
        return found

    def in_file(self, pc: int) -> int:
        """The address of the file of a program location as loaded."""
        return pc - self.load_address

    def dialect_of(self, unit: CompilationUnit) -> Dialect:
        """The dialect that the user forced, else the one that the unit shows.

        With `literal`, what upstream clang writes is read by the letter. `UsageError` where the
        forced one does not exist.
        """
        found = dialect_named(self.forced_dialect or dialect_name(unit))
        return AMD if self._literal and found.upstream_clang else found


def _is_split(object: ObjectFile) -> bool:
    """Whether a file is a split file or a package itself, not one that names some."""
    return object.has_section(".debug_info.dwo") and not object.has_section(".debug_info")
