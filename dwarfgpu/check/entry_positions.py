"""Where the entries of a unit are: their functions, the code of these, and how findings name them.

Law: nothing is looked up but for entries that are asked about.
"""

from __future__ import annotations

from functools import partial

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import define, field
from dwarfgpu.check.finding import FindingPosition, SourcePosition
from dwarfgpu.check.source_positions import declaration_of, file_of
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.reference_targets import TAGS
from dwarfgpu.dwarf.scope.scope_entries import covered, dropped_code
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile


@kept_with(first)
def _lowest_code(file: ObjectFile) -> int:
    """Return the lowest address of code; 0 if the sections do not say."""
    return min((section.address for section in file.code_sections), default=0)


@define(eq=False)
class EntryPositions:
    """The positions of the entries of one unit, by their index."""

    unit: CompilationUnit
    _ranges: dict[int, tuple[Range, ...]] = field(init=False, factory=dict)
    """The code of functions, and of the unit, by their indexes; empty where it cannot be read."""
    _unreadable: set[int] = field(init=False, factory=set)
    """The indexes of these."""
    _functions: dict[int, int] = field(init=False, factory=dict)
    """The subprograms of scopes in which entries were looked at, -1 for none."""
    _sources: dict[int, SourcePosition | None] = field(init=False, factory=dict)
    """The positions of entries with findings, keyed by offset."""

    def function(self, index: int) -> int | None:
        """Return the entry of the subprogram that an entry is in, or is."""
        tree, functions = self.unit.tree, self._functions
        parents, abbreviations = tree.parents, tree.abbreviations
        above: list[int] = []
        function_index = index
        while function_index >= 0:
            if abbreviations[function_index].tag == dw.TAG_SUBPROGRAM:
                break
            if function_index in functions:
                function_index = functions[function_index]
                break
            function_index = parents[function_index]
            above.append(function_index)
        functions |= dict.fromkeys(above[:-1], function_index)
        return None if function_index < 0 else function_index

    def code(self, index: int) -> tuple[Range, ...]:
        """Return the code ranges of the function; empty outside of functions, and if unknown."""
        function = self.function(index)
        return () if function is None else self._code_of(function)

    def has_parts(self, index: int) -> bool:
        """Return whether the code of the function of an entry may be in several parts."""
        function, abbreviations = self.function(index), self.unit.tree.abbreviations
        return function is not None and dw.AT_RANGES in abbreviations[function].positions

    def is_dropped(self, index: int) -> bool:
        """Return whether a linker dropped the code of the function of an entry, or of the unit of
        one outside of functions: none is left, or it begins before all code of the file."""
        lowest = _lowest_code(self.unit.info.main.sections.object)
        function = self.function(index)
        code = self._code_of(function or 0)
        if (function or 0) in self._unreadable:
            return False
        if function is None:  # a unit may leave its addresses to its functions
            if not code:
                return bool(dropped_code(self.unit))
            return all(span.begin < lowest for span in code)
        return not code or code[0].begin < lowest

    def _code_of(self, index: int) -> tuple[Range, ...]:
        """Return the code of a function or of the unit."""
        if index not in self._ranges:
            try:
                self._ranges[index] = covered(self.unit.die(index))
            except DwarfGpuError:
                self._ranges[index] = ()
                self._unreadable.add(index)
        return self._ranges[index]

    def position(
        self, index: int, attribute: str | None, span: Range | None = None
    ) -> FindingPosition:
        die = self.unit.die(index)
        function = self.function(index)
        return FindingPosition(
            self.unit.section,
            die.offset,
            tag_text(die),
            _name(die),
            attribute,
            None if function in (None, index) else _name(self.unit.die(function or 0)),
            _unit_name(self.unit),
            None if span is None else (span.begin, span.end),
            _other_file(self.unit),
            partial(self._source, die),
        )

    def _source(self, die: Die) -> SourcePosition | None:
        if die.offset not in self._sources:
            self._sources[die.offset] = declaration_of(die)
        return self._sources[die.offset]


def unit_position(unit: CompilationUnit) -> FindingPosition:
    """Return the place of a unit itself."""
    return FindingPosition(
        unit.section,
        unit.offset,
        "unit",
        _unit_name(unit),
        file=_other_file(unit),
        source=file_of(unit),
    )


def _unit_name(unit: CompilationUnit) -> str | None:
    """Return the name of a unit; None if it cannot be read."""
    try:
        return unit.name or None
    except DwarfGpuError:
        return None


def _other_file(unit: CompilationUnit) -> str | None:
    path = unit.sections.path
    return None if path == unit.info.main.sections.path else path


def _name(die: Die) -> str | None:
    try:
        return die.name
    except DwarfGpuError:
        return None


def tag_text(die: Die) -> str:
    return TAGS.get(die.tag, f"{die.tag:#x}")
