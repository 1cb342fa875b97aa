"""The debugging information of one object file: its units, and where to find them.

A `DebugInfo` composes the readers of its `Sections`: units, indexes, line tables, call frames.
Split files, rows of packages and supplementary files are parts: a `DebugInfo` each, with the same
`Program` and the same `main` one, which has the code.

Law: opening reads unit headers only; a part is opened on first use. Addresses inside are those of
the main file; `CompilationUnit.relocate` adds `load_address` to addresses that leave, and `in_file`
subtracts it from a pc that comes in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.aranges import AddressIndex
from dwarfgpu.dwarf.index.gdb_index import GdbIndex
from dwarfgpu.dwarf.index.string_index import StringIndex, spans_with
from dwarfgpu.dwarf.location_lists import value_or_raise
from dwarfgpu.dwarf.patch_space import has_patch_space, without_holes
from dwarfgpu.dwarf.sections import Program, Sections
from dwarfgpu.dwarf.split.split_units import SplitFiles, split_id
from dwarfgpu.dwarf.types.base_types import base_type_of
from dwarfgpu.dwarf.types.builder import TypeBuilder
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_header import read_headers
from dwarfgpu.dwarf.units_on_demand import UnitHeaders, Units, reported
from dwarfgpu.errors import DwarfGpuError, FilePosition, IllFormed, LimitExceeded, Malformed
from dwarfgpu.expr.dialect.dialect import AMD, Dialect
from dwarfgpu.expr.dialect.dialect import dialect as dialect_named
from dwarfgpu.objfile.damaged_headers import header_damage, odd_layout
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import OfOpenFile

if TYPE_CHECKING:
    from pathlib import Path

    from dwarfgpu.dwarf.cfi_rows_by_pc import CallFrames
    from dwarfgpu.dwarf.index.debug_names import NameIndex
    from dwarfgpu.dwarf.line.line_table import LineTable, LineTables
    from dwarfgpu.dwarf.split.dwp_units import Package
    from dwarfgpu.objfile.supplementary import SupplementaryLink

T = TypeVar("T")

ClassDefinitionLookup: TypeAlias = "Callable[[DebugInfo, Die], tuple[Die, ...]]"
"""Returns the entries that may define a declared class, in the program of the main file."""


@methods_name_wrong_arguments
class DebugInfo(OfOpenFile):
    """The units of an object file that is loaded `load_address` above its own addresses."""

    def __init__(
        self,
        sections: Sections,
        main: DebugInfo | None = None,
        package: Package | None = None,
        find_class: ClassDefinitionLookup | None = None,
    ) -> None:
        """`main`: the file with the code, None for that file itself; `package`: the one to whose
        row the sections belong; `find_class`: given for the main file."""
        program = sections.program
        self.sections = sections
        self.object = sections.object
        self.path = sections.path
        self.loaded = program.loaded
        """The file with the code, where `object` is its separate debug file."""
        self.load_address = program.load_address
        self.main = main or self
        """The `DebugInfo` of the file with the code."""
        self._find_class = find_class
        self.bare_names: LimitExceeded | None = None
        """For that file: the limit that leaves instances of templates without their arguments, from
        when a name reaches it."""
        self.unread: DwarfGpuError | None = None
        """Why a unit cannot be used, the first of several, from when one is known: its header, or
        that its split unit is missing."""
        self.unknown_compiler: str | None = None
        """For that file: why the compiler of a unit is unknown, from when it is asked for."""
        self.unknown_type: DwarfGpuError | None = None
        """For that file: why a type is shown without its name, from when one is."""
        self.types = program.shared(TypeBuilder)
        self._package = package

    @classmethod
    def of(
        cls,
        object: ObjectFile,
        load_address: int = 0,
        dialect: str | None = None,
        *,
        literal: bool = False,
        loaded: ObjectFile | None = None,
        directories: Iterable[str | Path] = DEBUG_DIRECTORIES,
        find_class: ClassDefinitionLookup | None = None,
    ) -> DebugInfo:
        """Return the debug information of a file.

        `loaded`: the file with the code, where `object` is its separate debug file; `literal`:
        what upstream clang writes is read by the letter; `directories`: where other files are
        looked for; `find_class`: finds the definition of a class that a unit only declares, None
        to leave such classes incomplete.
        """
        if dialect is not None:
            dialect_named(dialect)  # most units would be read before it is used
        program = Program(loaded or object, load_address, dialect, literal, tuple(directories))
        sections = Sections(object, program, suffix=".dwo" if _is_split(object) else "")
        return cls(sections, find_class=find_class)

    def part(self, sections: Sections, package: Package | None = None) -> DebugInfo:
        """Return another part of this program; `package`: the one to whose row it belongs."""
        return DebugInfo(sections, self.main, package)

    def class_definition(self, declaration: Die) -> Die:
        """Return the entry that defines a class; the declaration where none is found, and where it
        may be of several instances of a template."""
        definitions = self.class_definitions(declaration)
        return definitions[0] if len(definitions) == 1 else declaration

    def class_definitions(self, declaration: Die) -> tuple[Die, ...]:
        """Return the entries that may define a class: several only for an instance of a template
        whose declaration does not say the types of its values."""
        main = self.main
        return () if main._find_class is None else main._find_class(main, declaration)

    def units_containing(self, text: bytes) -> tuple[CompilationUnit, ...] | None:
        """Return the units that may have a name, or a linkage name, that contains a text; None:
        every unit may."""
        return self.strings.units_containing(text)

    def name_with_arguments(self, die: Die, name: str) -> str:
        """Return the name of a class or function with the arguments of its template, if any."""
        from dwarfgpu.dwarf.names.template_arguments import template_names  # few units need it

        return template_names(die.unit).full(die, name)

    def note_unread(self, error: DwarfGpuError) -> None:
        """Remember why a unit cannot be used, unless another one is known."""
        self.unread = self.unread or error

    def note_unknown_compiler(self, error: DwarfGpuError) -> None:
        """Remember why the compiler of a unit is unknown, unless that of another one is."""
        self.unknown_compiler = self.unknown_compiler or (
            "the compiler of a unit is unknown, and what depends on it, as registers of callers, "
            f"may be wrong or missing: {error.kind}: {error}"
        )

    def note_unknown_type(self, error: DwarfGpuError) -> None:
        """Remember why a type has no name, unless that of another one is known."""
        self.unknown_type = self.unknown_type or error

    def note_bare_names(self, unit: CompilationUnit) -> None:
        """Remember that instances in a unit are named without the arguments of their templates."""
        self.bare_names = self.bare_names or LimitExceeded(
            f"unit at {unit.offset:#x} of {self.path}: the names of its templates are too long: "
            "instances after the limit have names without arguments; no option raises it"
        )

    @property
    def has_noted(self) -> bool:
        """Whether units, types or names of that file are known to be missing or incomplete."""
        notes = self.unread, self.unknown_compiler, self.unknown_type, self.bare_names
        return any(note is not None for note in notes)

    @property
    def architecture(self) -> Architecture | None:
        """The architecture of the code; None if it is not supported."""
        return self.sections.program.architecture

    # A package has a part for each row: most need only a few of these.

    @cached_property
    def aranges(self) -> AddressIndex:
        """The units by address, of `.debug_aranges`."""
        return AddressIndex(self.sections, self.unit_starting_at)

    @cached_property
    def gdb_index(self) -> GdbIndex:
        """The `.gdb_index` of the file."""
        return GdbIndex(self.sections, self.unit_at, self.own_type_unit)

    @cached_property
    def strings(self) -> StringIndex:
        """The units that may mention a name."""
        return StringIndex(self.sections, lambda: self.units)

    @cached_property
    def split(self) -> SplitFiles:
        """The split units of skeletons in the file."""
        note_unread = self.main.note_unread
        return SplitFiles(self.sections, self.part, note_unread, is_main=self.main is self)

    @property
    def _own_package(self) -> Package | None:
        return None if self._package is not None else self.split.own_package

    # Readers that few questions need are loaded by those.

    @cached_property
    def line_tables(self) -> LineTables:
        """The line tables of the file."""
        from dwarfgpu.dwarf.line.line_table import LineTables

        return self.sections.for_all_loads.once("line tables", lambda: LineTables(self.sections))

    @cached_property
    def names(self) -> NameIndex:
        """The name indexes of `.debug_names`."""
        from dwarfgpu.dwarf.index.debug_names import NameIndex

        return NameIndex(self.sections, self.unit_starting_at)

    @cached_property
    def call_frames(self) -> CallFrames:
        """The call frame information."""
        from dwarfgpu.dwarf.cfi_rows_by_pc import CallFrames

        return CallFrames(self.sections)

    @cached_property
    def file_damage(self) -> tuple[Malformed, ...]:
        """What is wrong with the headers of the file with the code and of the one with its debug
        information, and with the symbols on which all contents of a relocatable object depend."""
        files = dict.fromkeys((self.loaded, self.object))
        of_headers = [fault for file in files for fault in header_damage(file)]
        of_symbols = [file.symbol_damage for file in files if file.is_relocatable]
        return (*of_headers, *(fault for fault in of_symbols if fault is not None))

    @property
    def damage(self) -> list[str]:
        """What shows that answers may be wrong: damage of the files, call frame information, a
        compiler's name, or a type's."""
        notes = [*self._notes_on_files]
        if "call_frames" in vars(self):
            notes += self.call_frames.damage
        if self.unknown_compiler is not None:
            notes.append(self.unknown_compiler)
        if self.unknown_type is not None:
            notes.append(f"a type is unknown: {self.unknown_type.kind}: {self.unknown_type}")
        return notes

    @cached_property
    def _notes_on_files(self) -> list[str]:
        """The part of `damage` that follows from the headers: each thread of a listing asks."""
        of_files = (*self.file_damage, *odd_layout(self.loaded))
        return [f"{error.kind}: {error}" for error in of_files]

    def section(self, name: str) -> bytes:
        """Return the bytes of a section (`Sections.section`)."""
        return self.sections.section(name)

    def _headers_of(self, section: str) -> tuple[Units, dict[int, DwarfGpuError]]:
        read = self.sections.for_all_loads.once(
            ("headers", section), lambda: self._read_headers(section)
        )
        for problem in read.problems.values():
            self.note_unread(problem)
        return Units(self, read), read.problems

    def _read_headers(self, section: str) -> UnitHeaders:
        buffer = self.sections.buffer(section)
        data, load = (self.section(section), None) if buffer is None else (buffer.data, buffer.load)
        headers, problems = read_headers(
            data,
            self.object.endian,
            section,
            self.sections.suffix,
            self.object.limits.units,
            load,
        )
        for offset, problem in problems.items():
            problem.context = f"{self.path}: {problem.context}"
            problem.position = FilePosition(self.path, f"{section}{self.sections.suffix}", offset)
        for field in self.sections.unknown_fields.get(section, ()):
            index = bisect_right(headers, field.offset, key=attrgetter("offset")) - 1
            if index < 0 or not headers[index].entries_at <= field.offset < headers[index].end:
                assert field.problem is not None  # it may be the size of a unit
                raise field.problem
        if has_patch_space(self.object):
            headers = without_holes(headers, data, load)
        return UnitHeaders(headers, problems)

    @cached_property
    def _info_headers(self) -> tuple[Units, dict[int, DwarfGpuError]]:
        headers = self._headers_of(".debug_info")
        if not any(headers):
            from dwarfgpu.objfile.lost_sections import unnamed_sections  # most files have units

            unnamed = unnamed_sections(self.object)
            if unnamed is not None:  # one of them may be .debug_info
                self.note_unread(unnamed)
                return Units(self, UnitHeaders((), {})), {0: unnamed}
        return headers

    @cached_property
    def _types_headers(self) -> tuple[Units, dict[int, DwarfGpuError]]:
        """DWARF 4 keeps type units in a section of their own."""
        return self._headers_of(".debug_types")

    @property
    def units(self) -> Sequence[CompilationUnit]:
        """The units with usable headers, in file order, including type units.

        For a package, the units of its rows.
        """
        package = self._own_package
        if package is not None:
            units = package.units
            for problem in package.problems[:1]:
                self.note_unread(problem)
            return units
        return self._own_units

    @cached_property
    def _own_units(self) -> Sequence[CompilationUnit]:
        types = self._types_headers[0]
        return (*self._info_headers[0], *types) if types else self._info_headers[0] or ()

    def reported_units(self) -> Iterator[CompilationUnit]:
        """Yield the units, with a report before each (`units_on_demand.reporting_units`)."""
        return reported(self.path, self.units)

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why the other units could not be used."""
        if self._own_package is not None:
            return self._own_package.problems
        return *self._info_headers[1].values(), *self._types_headers[1].values()

    @property
    def has_units(self) -> bool:
        """Whether there are units, usable or not."""
        return bool(self.units or self.problems)

    @property
    def unsearched(self) -> DwarfGpuError | None:
        """Why a unit cannot be used, the first of several, or why no section of units can be read:
        a name that is not found may be in them."""
        try:
            return next(iter(self.problems), self.unread)
        except DwarfGpuError as error:
            return error.with_traceback(None)

    @property
    def why_not_found(self) -> tuple[DwarfGpuError, ...]:
        """Why a name that is not found may be there nevertheless."""
        if self.unread is None and self.bare_names is None and self.is_sound:
            return ()
        errors = [self.unsearched, self.bare_names]
        try:
            errors.append(self.sections.overwritten(".debug_str"))
            errors += islice(self.split.problems(), 1)
            # Stripped files keep the link, but nothing in them refers to the file.
            is_shared = self.has_units and self.supplementary_link is not None
            if is_shared and isinstance(self._supplementary, DwarfGpuError):
                errors.append(self._supplementary)
        except DwarfGpuError as error:
            errors.append(error.with_traceback(None))
        return tuple(error for error in errors if error is not None)

    @cached_property
    def is_sound(self) -> bool:
        """Whether all units are in the file, as far as their headers show, and their names, too:
        each of thousands of waves may ask for an unknown name."""
        try:
            if self._own_package is not None or self.has_skeletons or self.supplementary_link:
                return False
            problems = chain(self.problems, self.split.problems())
            return not any(problems) and self.sections.overwritten(".debug_str") is None
        except DwarfGpuError:
            return False

    def unit_at(self, section_offset: int) -> CompilationUnit | None:
        """Return the unit that contains an offset of `.debug_info`."""
        units = self._info_headers[0]
        index = bisect_right(units.headers, section_offset, key=attrgetter("offset")) - 1
        if index < 0 or section_offset >= units.headers[index].end:
            return None
        return units.ready.get(index) or units[index]

    def units_with(self, value: bytes) -> Iterator[CompilationUnit]:
        """Yield the units of `.debug_info` in which a value begins."""
        buffer = self.sections.buffer(".debug_info")
        data = self.section(".debug_info") if buffer is None else buffer
        units, find = self._info_headers[0], partial(data.find, value)
        starts = [header.offset for header in units.headers]
        for number, _ in spans_with(starts, lambda number: units.headers[number].end, find):
            yield units[number]

    def unit_starting_at(self, section_offset: int) -> CompilationUnit | None:
        """Return the unit that starts at an offset of `.debug_info`; None if one does that cannot
        be used, as the problems say. `IllFormed` where none starts."""
        unit = self.unit_at(section_offset)
        if unit is not None and unit.offset == section_offset:
            return unit
        unusable = self._info_headers[1]
        end, last = next(reversed(unusable.items()), (0, None))
        if section_offset in unusable or (
            isinstance(last, LimitExceeded) and section_offset > end  # none is read from there on
        ):
            return None
        raise IllFormed(f"no unit starts at offset {section_offset:#x} of .debug_info")

    def die_at(self, section_offset: int) -> Die:
        """Return the entry at an offset of `.debug_info`; `IllFormed` where none starts there."""
        unit = self.unit_at(section_offset)
        if unit is None:
            shown = f".debug_info{self.sections.suffix}"
            raise IllFormed(f"offset {section_offset:#x} of {shown} is not in any unit")
        return unit.die_at(section_offset)

    @cached_property
    def _type_units(self) -> dict[int, CompilationUnit]:
        """Keyed by signature; of two with the same one the first counts: they are the same type."""
        units: dict[int, CompilationUnit] = {}
        for unit in self.type_units:
            if unit.header.signature is not None:
                units.setdefault(unit.header.signature, unit)
        return units

    @cached_property
    def split_units(self) -> dict[int, CompilationUnit]:
        """The split units of this part by their IDs; of two with the same one the first counts."""
        units: dict[int, CompilationUnit] = {}
        for unit in self.units:
            try:
                id = None if unit.header.is_type_unit else split_id(unit)
            except DwarfGpuError:
                continue
            if id is not None:
                units.setdefault(id, unit)
        return units

    @cached_property
    def type_units(self) -> tuple[CompilationUnit, ...]:
        """The type units of this part."""
        return tuple(unit for unit in self.units if unit.header.is_type_unit)

    def unit_with_directory(self, type_unit: CompilationUnit) -> CompilationUnit:
        """Return the compilation unit that was made with a type unit of this part, whose line table
        is relative to its directory; the same unit if that is not known."""
        if type_unit.is_split:
            own = [unit for unit in self.units if not unit.header.is_type_unit]
            if len(own) != 1:
                return type_unit
            return own[0] if own[0].skeleton is None else own[0].skeleton
        table = type_unit.root.attribute(dw.AT_STMT_LIST)
        return type_unit if table is None else self._units_by_table.get(table.raw, type_unit)

    @cached_property
    def _units_by_table(self) -> dict[object, CompilationUnit]:
        """The units with a directory by the offsets of their line tables."""
        units: dict[object, CompilationUnit] = {}
        for unit in self.units:
            with suppress(DwarfGpuError):
                root = unit.root
                table = root.attribute(dw.AT_STMT_LIST) if root.has(dw.AT_COMP_DIR) else None
                if table is not None:
                    units.setdefault(table.raw, unit)
        return units

    @property
    def type_source(self) -> Package | DebugInfo:
        """Return where the type units of this part are: the package to which it belongs, or
        itself."""
        return self._package or self

    def own_type_unit(self, signature: int) -> CompilationUnit | None:
        """Return the type unit with a signature in this file; None if there is none."""
        return self._type_units.get(signature)

    def type_unit(self, signature: int) -> CompilationUnit:
        """Return the type unit of a signature: of this part, of the parts beside it, or of the main
        file.

        `IllFormed` where there is none, `MissingContext` where it is in a file that is not found.
        """
        unit = self.own_type_unit(signature)
        if unit is None and self._package is not None:
            unit = self._package.type_unit(signature)
        if unit is None and self.main is not self:
            unit = self.main.own_type_unit(signature)
        if unit is None:
            raise IllFormed(f"no type unit has the signature {signature:#018x}")
        if not unit.is_split and unit.root.has(dw.AT_GNU_DWO_NAME):
            return unit.info.split_type_unit_of(unit, signature)
        return unit

    def type_entry(self, signature: int) -> Die:
        """Return the type that a signature names (DWARF 5 7.5.1.3, DW_FORM_ref_sig8)."""
        unit = self.type_unit(signature)
        assert unit.header.type_offset is not None
        return unit.die_at(unit.section_offset(unit.header.type_offset))

    @cached_property
    def supplementary_link(self) -> SupplementaryLink | None:
        """What the file says of a supplementary file."""
        from dwarfgpu.objfile.supplementary import supplementary_link

        return supplementary_link(self.object)

    @cached_property
    def _supplementary(self) -> DebugInfo | DwarfGpuError:
        try:
            if self.main is not self and not self.sections.suffix:
                raise IllFormed("a supplementary file needs another one")
            link = self.supplementary_link
            if link is None:
                raise IllFormed("the file names no supplementary file")
            from dwarfgpu.objfile.supplementary import find_supplementary

            program = self.sections.program
            file = find_supplementary(self.object, link, program.directories)
            return self.part(Sections(file, program))
        except DwarfGpuError as error:
            error.context = error.context or self.path
            return error

    @property
    def supplementary(self) -> DebugInfo:
        """The file with which this one shares entries and strings (DWARF 5 7.3.6).

        `MissingContext` where it is not found, `InconsistentContext` where it is another one.
        """
        return value_or_raise(self._supplementary)

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
        return any(encode_uleb(name) in abbreviations for name in dw.SPLIT_NAMES)

    @cached_property
    def common_producer(self) -> str:
        """The producer of all units that name one, for type and partial units, which may name
        none; empty where they differ."""
        return next(iter(self.producers)) if len(self.producers) == 1 else ""

    @cached_property
    def producers(self) -> frozenset[str]:
        """The producers of all units that name one; of a split file without such units, those of
        the whole program."""
        producers = self._named_by_units(lambda unit: unit.producer or None)
        if not producers and self.main is not self:
            return self.main.producers
        return frozenset(producers)

    @cached_property
    def _language_of_partial_units(self) -> Callable[[CompilationUnit], int | None]:
        """What returns the language of a partial unit without one."""
        languages = self._named_by_units(lambda unit: unit.root.integer(dw.AT_LANGUAGE))
        if len(languages) < 2:
            common = next(iter(languages), None)
            return lambda _: common
        from dwarfgpu.dwarf.partial_languages import languages_of_partial_units  # few files

        return languages_of_partial_units(self.units).get

    @cached_property
    def has_opencl_kernels(self) -> bool:
        """Whether a unit defines a kernel of OpenCL; what cannot be read has none."""
        return bool(self._named_by_units(lambda unit: self.has_opencl_kernel(unit) or None))

    def _named_by_units(self, ask: Callable[[CompilationUnit], T | None]) -> set[T]:
        values: set[T] = set()
        for unit in self.units:
            try:
                named = None if unit.header.is_type_unit else ask(unit.full)
            except DwarfGpuError:
                continue
            if named is not None:
                values.add(named)
        return values

    def in_file(self, pc: int) -> int:
        """Return the address of the file of a program location as loaded."""
        return pc - self.load_address

    # What units ask (`dwarfgpu.dwarf.unit_file_protocol.UnitFile`)

    def split_unit_of(self, skeleton: CompilationUnit) -> CompilationUnit:
        return self.split.unit_of(skeleton)

    def split_type_unit_of(self, skeleton: CompilationUnit, signature: int) -> CompilationUnit:
        return self.split.type_unit_of(skeleton, signature)

    def language_of_partial_unit(self, unit: CompilationUnit) -> int | None:
        return self.main._language_of_partial_units(unit)

    def has_opencl_kernel(self, unit: CompilationUnit) -> bool:
        from dwarfgpu.dwarf.opencl_kernels import has_opencl_kernel  # units for GPUs

        return has_opencl_kernel(unit)

    def line_table_of(self, unit: CompilationUnit) -> LineTable | None:
        return self.line_tables.of(unit)

    def base_type_of(self, die: Die) -> BaseType:
        return base_type_of(die)

    def size_of_object(self, die: Die) -> int | None:
        return self.types.size_of_object(die)

    def number_type_of_object(self, die: Die) -> BaseType | None:
        from dwarfgpu.dwarf.types.number_types import number_type  # few expressions name variables

        return number_type(self.types.type_of(die), die.unit.endian)

    def dialect_of(self, unit: CompilationUnit) -> Dialect:
        """Return the dialect that the user forced, else the one detected for the unit.

        With `literal`, the output of upstream clang is read literally. `UsageError` if the forced
        one does not exist.
        """
        program = self.sections.program
        name = program.forced_dialect
        if name is None:
            from dwarfgpu.dwarf.unit_dialect import dialect_name

            name = dialect_name(unit)
        dialect = dialect_named(name)
        return AMD if program.is_literal and dialect.upstream_clang else dialect


def _is_split(object: ObjectFile) -> bool:
    """Return whether a file is a split file or a package itself, not one that names some."""
    return object.has_section(".debug_info.dwo") and not object.has_section(".debug_info")
