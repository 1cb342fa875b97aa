"""A definition in a list of symbols, and how an entry becomes one."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Literal, NamedTuple

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.file_table import is_path_end, joined
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.names.qualified import MAIN_OF_D
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import (
    followed,
    is_declared,
    is_nameless_function,
    is_variable_alias,
    qualified_function,
    qualified_name,
)
from dwarfgpu.dwarf.scope.named_entries import TAGGED, TYPES
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, code_ranges, decl_file, decl_line
from dwarfgpu.dwarf.scope.variable_names import shown_name, variable_name
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.class_builder import scope_of
from dwarfgpu.dwarf.types.types import declared_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

Kind = Literal["functions", "variables", "types", "modules"]
TAGS: Final[dict[Kind, frozenset[int]]] = {
    "functions": frozenset({dw.TAG_SUBPROGRAM}),
    "variables": frozenset(
        {dw.TAG_VARIABLE, dw.TAG_MEMBER, dw.TAG_CONSTANT, dw.TAG_IMPORTED_DECLARATION}
    ),
    "types": TYPES - {dw.TAG_ARRAY_TYPE} | {dw.TAG_NAMESPACE, dw.TAG_IMPORTED_DECLARATION},
    "modules": frozenset({dw.TAG_MODULE}),
}
NAMESPACES: Final = frozenset({dw.TAG_NAMESPACE, dw.TAG_IMPORTED_DECLARATION})


class ListedSymbol(NamedTuple):
    """A definition in a list of symbols. A list may have millions."""

    name: str
    """The readable name, in C++ qualified and, for functions, with parameters."""
    unit: CompilationUnit
    entry_index: int
    """The index of its entry in the tree of the unit."""
    is_static: bool
    """Whether it is local to its file."""
    file: str
    """Its declaring file; without a declaration, the source file of its unit."""
    line: int | None

    @property
    def die(self) -> Die:
        """The entry of the definition."""
        return self.unit.die(self.entry_index)

    @property
    def is_overloadable(self) -> bool:
        """Whether it is a function of D, where others may have its name: that has no parameters."""
        return self.unit.language == dw.LANG_D and self.die.tag == dw.TAG_SUBPROGRAM

    @property
    def is_of_nameless(self) -> bool:
        """Whether it is a variable of a function without attributes."""
        above = self.die.parent()
        return above is not None and is_nameless_function(above)


def listed_name(die: Die, kind: Kind, only_defined: bool) -> str | None:
    """Return the name of an entry in a list; None unless it is a definition of that kind."""
    if kind == "functions":
        return _function_name(die) if code_ranges(die) else None
    if kind == "variables" and die.tag == dw.TAG_IMPORTED_DECLARATION:
        return qualified_name(die) if is_variable_alias(die) else None
    if kind == "variables":
        is_listed = is_listed_variable(die, only_defined)
        return shown_name(variable_name(die), die) if is_listed else None
    if die.tag == dw.TAG_IMPORTED_DECLARATION:
        is_alias = die.name is not None and followed(die).tag == dw.TAG_NAMESPACE
        return shown_name(qualified_name(die), die) if is_alias else None
    if die.flag(dw.AT_DECLARATION):
        return None
    if die.tag == dw.TAG_MODULE:
        return die.name
    if die.tag == dw.TAG_NAMESPACE:
        if die.unit.language not in dw.QUALIFIED:
            return None
        return f"{scope_of(die)}{die.name or '(anonymous namespace)'}"
    if die.tag == dw.TAG_BASE_TYPE or (die.unit.is_cplusplus and die.tag in TAGGED):
        built = types_of(die.unit).build(die)  # may have the name of a typedef
        return type_name(built, cplusplus=True) if declared_name(built) else None
    if die.name is None:
        return None
    return shown_name(qualified_name(die), die)


def _function_name(die: Die) -> str | None:
    """Return the name of a function, of Rust for example after those of its namespaces, as its
    source has it."""
    if die.name is None or die.unit.is_cplusplus or not has_namespaces(die.unit):
        return full_function_name(die)
    names = qualified_function(die)
    if die.unit.language == dw.LANG_D:
        names = tuple("main" if name == MAIN_OF_D else name for name in names)
    return die.unit.joint.join(names)


def has_namespaces(unit: CompilationUnit) -> bool:
    """Return whether functions of its language are in namespaces."""
    return unit.language not in dw.WITHOUT_NAMESPACES


def is_listed_variable(die: Die, only_defined: bool) -> bool:
    """Return whether an entry is a definition, as is a static variable that the compiler removed; a
    constant of a class or namespace may be a declaration, too. As in GDB, none is a string literal
    of clang, which has no name."""
    if die.name is None:
        return False
    if is_declared(die):
        above = die.parent()
        if not die.has(dw.AT_CONST_VALUE):
            return not only_defined and (above is None or above.tag not in CLASSES)
        return above is None or not above.has(dw.AT_SIGNATURE)  # which is in a type unit
    if not only_defined or die.has(dw.AT_LOCATION) or die.has(dw.AT_CONST_VALUE):
        return True
    return not any(origin.flag(dw.AT_EXTERNAL) for origin in die.origins())


def symbol_of(die: Die, index: int, name: str, kind: Kind) -> ListedSymbol:
    """Return the definition at an entry, with the declaration of that."""
    unit = die.unit
    declaration = die.described if die.has(dw.AT_SIGNATURE) else die  # of a type unit
    file = source_name(declaration) or name_of_unit(unit)
    if kind == "types":
        of_all_files = TAGGED | NAMESPACES if unit.is_cplusplus else NAMESPACES
        is_static = die.tag not in of_all_files
    elif kind == "functions" and unit.style not in dw.WITH_TYPES_OF_C:
        is_static = False  # as in GDB: Fortran and Ada have no static functions
    elif die.tag == dw.TAG_IMPORTED_DECLARATION:
        is_static = False  # an alias, which is external whatever its target is
    else:
        is_static = not any(origin.flag(dw.AT_EXTERNAL) for origin in die.origins())
    return ListedSymbol(name, unit, index, is_static, file, decl_line(declaration))


def source_name(die: Die) -> str | None:
    """Return the declaring file of an entry; None without a declaration."""
    source = decl_file(die)
    return None if source is None else source.shown_name


@kept_with(lambda unit: unit)
def name_of_unit(unit: CompilationUnit) -> str:
    """Return the primary file of a unit, named as those of declarations are: with the directory of
    its line table, whose first file it is since DWARF 5, as in GDB."""
    with suppress(DwarfGpuError):
        table = unit.line_table
        first = table.file(0) if table is not None and not table.header.first_file else None
        if first is not None and is_path_end(joined("", unit.name), first.name):
            return first.shown_name
    return joined("", unit.name)
