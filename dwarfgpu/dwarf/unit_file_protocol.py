"""The protocol by which a unit uses its file, so that `unit` need not import `debug_info`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.dialect.dialect import Dialect

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.line_table import LineTable


class TypeSource(Protocol):
    """A split file or a package, as the place of type units."""

    @property
    def type_units(self) -> tuple[CompilationUnit, ...]: ...


class UnitFile(Protocol):
    """The services that a unit needs from its file, which may consult other files.

    `dwarfgpu.dwarf.debug_info.DebugInfo` implements it.
    """

    @property
    def sections(self) -> Sections: ...

    @property
    def main(self) -> UnitFile:
        """The file with the code."""
        ...

    @property
    def supplementary(self) -> UnitFile:
        """The file with which this one shares entries and strings."""
        ...

    @property
    def type_units(self) -> tuple[CompilationUnit, ...]:
        """The type units of this file."""
        ...

    def unit_with_directory(self, type_unit: CompilationUnit) -> CompilationUnit:
        """Return the compilation unit whose directory that of a type unit is."""
        ...

    @property
    def type_source(self) -> TypeSource:
        """Return where the type units are: the package to which this part belongs, or this file."""
        ...

    @property
    def common_producer(self) -> str: ...

    @property
    def producers(self) -> frozenset[str]:
        """The producers of all units that name one."""
        ...

    def language_of_partial_unit(self, unit: CompilationUnit) -> int | None:
        """Return the DW_LANG code of the units that import a partial unit without one."""
        ...

    @property
    def has_opencl_kernels(self) -> bool: ...

    def has_opencl_kernel(self, unit: CompilationUnit) -> bool: ...

    def note_unknown_compiler(self, error: DwarfGpuError) -> None:
        """Remember why the compiler of a unit is unknown, unless that of another one is."""
        ...

    def note_unknown_type(self, error: DwarfGpuError) -> None:
        """Remember why a type has no name, unless that of another one is known."""
        ...

    def note_unread(self, error: DwarfGpuError) -> None:
        """Remember why a unit cannot be used, unless another one is known."""
        ...

    def unit_at(self, section_offset: int) -> CompilationUnit | None:
        """Return the unit that contains an offset of its section."""
        ...

    def die_at(self, section_offset: int) -> Die:
        """Return the entry at an offset of `.debug_info`; `IllFormed` where none starts there."""
        ...

    def class_definition(self, declaration: Die) -> Die:
        """Return the entry that defines a class; the declaration where none is found,
        and where it may be of several instances of a template."""
        ...

    def class_definitions(self, declaration: Die) -> tuple[Die, ...]:
        """Return the entries that may define a class: several only for an instance of a template
        whose declaration does not say the types of its values."""
        ...

    def units_containing(self, text: bytes) -> tuple[CompilationUnit, ...] | None:
        """Return the units that may have a name, or a linkage name, that contains a text; None:
        every unit may."""
        ...

    def name_with_arguments(self, die: Die, name: str) -> str:
        """Return the name of a class or function with the arguments of its template, if any."""
        ...

    @property
    def has_noted(self) -> bool: ...

    def note_bare_names(self, unit: CompilationUnit) -> None:
        """Remember that instances in a unit are named without the arguments of their templates."""
        ...

    def type_entry(self, signature: int) -> Die:
        """Return the type that a signature names."""
        ...

    def type_unit(self, signature: int) -> CompilationUnit:
        """Return the type unit of a signature."""
        ...

    def split_unit_of(self, skeleton: CompilationUnit) -> CompilationUnit:
        """Return the unit with the entries of a skeleton, which becomes its `skeleton`."""
        ...

    def split_type_unit_of(self, skeleton: CompilationUnit, signature: int) -> CompilationUnit:
        """Return the type unit of a skeleton, as in early GNU Fission."""
        ...

    def line_table_of(self, unit: CompilationUnit) -> LineTable | None: ...

    def dialect_of(self, unit: CompilationUnit) -> Dialect: ...

    def base_type_of(self, die: Die) -> BaseType:
        """Return the base type that an entry describes; `IllFormed` where it describes none."""
        ...

    def size_of_object(self, die: Die) -> int | None:
        """Return the size in bytes of the object of an entry; None if unknown."""
        ...

    def number_type_of_object(self, die: Die) -> BaseType | None:
        """Return the integral type as which the object of an entry is read; None if it is no
        integer, enumeration or pointer."""
        ...
