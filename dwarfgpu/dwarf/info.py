"""The debug information of one object file: its units, and where to find them.

Law: opening reads unit headers only. Addresses inside are those of the file; `load_address` is
added where one leaves (`CompilationUnit.relocate`) and taken away where a pc comes in (`in_file`).
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from dwarfgpu.arch.model import Architecture
from dwarfgpu.dwarf.abbrev import Abbreviation, read_abbreviations
from dwarfgpu.dwarf.aranges import AddressIndex
from dwarfgpu.dwarf.budget import Budget
from dwarfgpu.dwarf.contributions import Contributions
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.header import read_headers
from dwarfgpu.dwarf.line import LineTables
from dwarfgpu.dwarf.names import NameIndex
from dwarfgpu.dwarf.producer import dialect_name
from dwarfgpu.dwarf.type_builder import TypeBuilder
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, Unsupported
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect import AMD, Dialect
from dwarfgpu.expr.dialect import dialect as dialect_named
from dwarfgpu.objfile.code_object import architecture_of
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.relocate import relocated_data


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
    ) -> None:
        self.object = object
        self._loaded = loaded or object
        """The file with the code, where `object` is its separate debug file."""
        self.load_address = load_address
        self.budget = Budget(object.size_bytes)
        self.types = TypeBuilder(self)
        self.line_tables = LineTables(self)
        self.aranges = AddressIndex(self)
        self.names = NameIndex(self)
        self.forced_dialect = dialect
        """The name of the dialect that the user wants, whatever the units show."""
        self._literal = literal
        self._sections: dict[str, bytes] = {}
        self._contributions: dict[str, Contributions] = {}
        self._abbreviations: dict[tuple[int, UnitFormat], dict[int, Abbreviation]] = {}

    @property
    def path(self) -> str:
        return self.object.path

    @cached_property
    def architecture(self) -> Architecture | None:
        """What the file is for; None where dwarfgpu does not know it."""
        try:
            return architecture_of(self._loaded)
        except Unsupported:
            return None

    def section(self, name: str) -> bytes:
        """The bytes of a debug section, relocated; none where the file has no such section."""
        data = self._sections.get(name)
        if data is None:
            data = self._sections[name] = relocated_data(self.object, name)
        return data

    def contributions(self, section: str) -> Contributions:
        """The headers of a section of lists."""
        found = self._contributions.get(section)
        if found is None:
            found = Contributions(section, self.section(section), self.object.endian)
            self._contributions[section] = found
        return found

    def string(self, section: str, offset: int) -> bytes:
        """The bytes of a string in a string section."""
        data = self.section(section)
        end = data.find(b"\0", offset)
        if offset >= len(data) or end < 0:
            raise Malformed(f"no string starts at {section}+{offset:#x}")
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
                error.context = error.context or f"{self.path}: .debug_abbrev table {offset:#x}"
                raise
            self._abbreviations[key] = table
        return self._abbreviations[key]

    @cached_property
    def _headers(self) -> tuple[tuple[CompilationUnit, ...], tuple[DwarfGpuError, ...]]:
        headers, problems = read_headers(self.section(".debug_info"), self.object.endian)
        for problem in problems:
            problem.context = f"{self.path}: {problem.context}"
        return tuple(CompilationUnit(self, header) for header in headers), tuple(problems)

    @property
    def units(self) -> tuple[CompilationUnit, ...]:
        """The units whose headers can be used, in the order of the file."""
        return self._headers[0]

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why the other units could not be used."""
        return self._headers[1]

    @cached_property
    def _starts(self) -> list[int]:
        return [unit.offset for unit in self.units]

    def unit_at(self, section_offset: int) -> CompilationUnit | None:
        """The unit that holds an offset of `.debug_info`."""
        index = bisect_right(self._starts, section_offset) - 1
        if index < 0 or section_offset >= self.units[index].end:
            return None
        return self.units[index]

    def die_at(self, section_offset: int) -> Die:
        """The entry at an offset of `.debug_info`; `IllFormed` where none starts there."""
        unit = self.unit_at(section_offset)
        if unit is None:
            raise IllFormed(f"offset {section_offset:#x} of .debug_info is in no unit")
        return unit.die_at(section_offset)

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
