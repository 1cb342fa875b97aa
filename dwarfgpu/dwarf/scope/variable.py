"""Variables, parameters and named constants (DWARF 5 4.1; AMD text A.4.1).

Law: program locations go in and come out as loaded. A variable whose location list does not cover
the location is found, and says so; its value is not this module's concern.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, Final, Literal

from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import FOREIGN
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range, covers
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import canonical
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.dropped_data import may_be_dropped, why_dropped
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.scope.scope_entries import (
    BLOCKS,
    DATA,
    FUNCTIONS,
    decl_line,
    entries_of,
    name_of,
    noted_name,
)
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.memory_space import memory_space
from dwarfgpu.dwarf.types.types import Type, denoted
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocationAttribute, LocList
from dwarfgpu.objfile.file_bytes import OfOpenFile

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.repeated_parameters import Repeated

VariableKind = Literal["local", "parameter", "global"]

_DATA_AND_BLOCKS: Final = DATA | {dw.TAG_COMMON_BLOCK}
_MOST_BLOCKS: Final = 50_000
"""Blocks whose abstract instances, and functions, are kept: a name may be sought several times in
each."""
_MAX_SHOWN: Final = 16
"""Ranges that one message names."""


@frozen(slots=False)
class Variable(OfOpenFile):
    """A variable, parameter or named constant that is in scope somewhere.

    Its type and location are read once: the file does not change.
    """

    name: str
    die: Die = field(repr=False)
    kind: VariableKind
    inline_level: int = 0
    """0 for the innermost function at the location, inlined or not; 1 for its caller …"""
    is_shadowed: bool = False
    """Another one of the same name is nearer."""
    note: str | None = None
    """Why this one was taken, where the debug information alone does not say it."""
    origins: tuple[Die, ...] | None = field(default=None, eq=False, repr=False)
    """The entries that its own is an instance of, if they were read already."""
    remarks: tuple[str, ...] = field(default=(), eq=False, repr=False)
    """What else has the name by which it was sought, where that does not decide it."""
    passed: Die | None = field(default=None, eq=False, repr=False)
    """The entry of the argument as it is passed, where the variable has one of its own."""

    @property
    def unit(self) -> CompilationUnit:
        """The unit of its entry."""
        return self.die.unit

    @cached_property
    def function(self) -> Die | None:
        """The subprogram around it, inlined calls passed; None outside of functions."""
        return function_around(self.die)

    @cached_property
    def type(self) -> Type | None:
        """The type; None if there is none. `DwarfGpuError` for one that cannot be read."""
        return types_of(self.unit).type_of(self.die)

    @cached_property
    def type_text(self) -> str | None:
        """The type in its language's spelling; None if there is none."""
        kind = self.type
        unit = self.unit
        if kind is None:
            return None
        return type_name(kind, cplusplus=unit.is_cplusplus, style=unit.style)

    @property
    def readable_type_text(self) -> str | None:
        """`type_text`; None too for a type that cannot be read: the value reports that."""
        try:
            return self.type_text
        except DwarfGpuError:
            return None

    @property
    def decl_line(self) -> int | None:
        """DW_AT_decl_line; None if there is none."""
        return decl_line(self.die)

    @property
    def memory_space(self) -> int | None:
        """DW_AT_LLVM_memory_space (A.4.1)."""
        return memory_space(self.die)

    @property
    def is_known_without_location(self) -> bool:
        """Whether neither its own entry nor the origins that were read have a location or value."""
        origins = self.origins
        if origins is None or self.die.abbreviation.has_location:
            return False
        if origins and any(origin.abbreviation.has_location for origin in origins):
            return False
        return self.kind == "parameter" or self._completing() is None

    @cached_property
    def location(self) -> LocationAttribute | None:
        """DW_AT_location, else DW_AT_const_value, of the entry or its origins; None too for data
        that the linker dropped."""
        return self.read_location()

    def read_location(self) -> LocationAttribute | None:
        """Return the same without a cache: a reader of the whole file asks each variable once."""
        written = self._written_location()
        if written.__class__ is not ExprLoc or not may_be_dropped(written.expression):
            return written
        return written if why_dropped(self.die, written) is None else None

    def _written_location(self) -> LocationAttribute | None:
        """Return the same, also that of data that the linker dropped."""
        holders = self.die.origins() if self.origins is None else (self.die, *self.origins)
        for holder in holders:
            if holder.abbreviation.has_location:
                location = holder.unit.location_attribute(holder)
                if location is not None:
                    return location
        completing = None if self.kind == "parameter" else self._completing()
        return None if completing is None else completing.unit.location_attribute(completing)

    @cached_property
    def why_dropped(self) -> str | None:
        """Why there is no location although the entry has one; None if this is not so."""
        written = self._written_location()
        return None if written is None else why_dropped(self.die, written)

    @property
    def is_only_declared(self) -> bool:
        """Whether it is a global variable that its entry declares without a location."""
        is_declared = self.kind == "global" and self.die.flag(dw.AT_DECLARATION)
        return is_declared and self.location is None

    @property
    def has_first_value(self) -> bool:
        """Whether its entry has the value alone that it begins with. gcc -gsplit-dwarf describes so
        inline variables in units that do not use them; others may change them."""
        if self.kind != "global" or not isinstance(self.location, ConstValue):
            return False
        is_inline = self.unit.is_cplusplus and self.is_external
        return is_inline and "const" not in denoted(self.type).qualifiers

    @property
    def why_without_location(self) -> str:
        """Why there is no location, if there is none."""
        return self.why_dropped or "it has neither DW_AT_location nor DW_AT_const_value"

    def _completing(self) -> Die | None:
        """Return the entry with the location of a variable of a unit without code: the program may
        have been optimized at link time."""
        attributes = self.die.unit.root.abbreviation.positions
        if dw.AT_LOW_PC in attributes or dw.AT_RANGES in attributes:
            return None
        from dwarfgpu.dwarf.scope.link_time import completing  # most units have code

        return completing(self.die)

    @property
    def is_external(self) -> bool:
        """Whether other files can mean it (DWARF 5 4.1, DW_AT_external)."""
        return any(holder.flag(dw.AT_EXTERNAL) for holder in self.die.origins())

    @cached_property
    def described(self) -> tuple[Range, ...] | None:
        """The code for which the location list describes the variable, as loaded; None if no list
        limits it."""
        location = self.location
        if not isinstance(location, LocList):
            return () if location is None else None
        return self.die.unit.lists.described_by(location).code

    def why_optimized_out_at(self, pc: int) -> str | None:
        """Return why the variable is not described at a program location; None if it is."""
        try:
            described = self.described
            if described is None or covers(described, pc):
                return None
            if not described and self.location is not None:
                return (
                    f"{self.name} is declared here, but the ranges of its location list contain no "
                    "code: it is optimized out"
                )
            if not described and self.why_dropped is not None:
                return f"{self.name} is optimized out: {self.why_dropped}"
            if not described:
                return f"{self.name} is declared here but no location is given: it is optimized out"
            cached = self._somewhere
            spans = " ".join(f"[{span.begin:#x},{span.end:#x})" for span in cached[:_MAX_SHOWN])
            where = f"at {spans}" if cached else "nowhere"
            hidden = len(cached) - _MAX_SHOWN
            more = f" and {hidden} more ranges" if hidden > 0 else ""
            return f"{self.name} is optimized out at this pc; described {where}{more}"
        except FOREIGN:
            require_right_arguments(Variable.why_optimized_out_at, self, pc)
            raise

    @property
    def has_bits_somewhere(self) -> bool:
        """Whether an entry of the location list describes bits of the variable."""
        return bool(self._somewhere)

    @cached_property
    def _somewhere(self) -> tuple[Range, ...]:
        """`described` without entries that say that the variable is optimized out."""
        location = self.location
        assert isinstance(location, LocList)
        return self.die.unit.lists.described_by(location).somewhere


def variable_of(die: Die, origins: tuple[Die, ...] | None = None) -> Variable | None:
    """Return the variable of an entry in a scope; None for an entry without a name, and for `extern
    int x;` in a block, which denotes the global variable of that name.

    `origins`: the entries that it is an instance of, if they were read already.
    """
    name, note = (None, None) if _is_only_declared(die) else noted_name(die)
    kind: VariableKind = "parameter" if die.tag == dw.TAG_FORMAL_PARAMETER else "local"
    if name is None:
        return None
    return Variable(name, die, kind, note=note, origins=origins)


def external_in(scope: Die, name: str) -> Variable | None:
    """Return the variable outside of functions that `extern int x;` declares in a scope of a
    function, by its canonical simple name; None if there is none."""
    for holder in with_abstract(scope):
        may_be = named_entries(holder.unit).may_have((name,))
        for die in entries_of(holder, (dw.TAG_VARIABLE,), may_be):
            variable = external_of(die)
            if variable is not None and canonical(variable.name) == name:
                return variable
    return None


def external_of(die: Die) -> Variable | None:
    """Return the variable that an entry `extern int x;` in a scope of a function declares."""
    is_declaration = die.tag == dw.TAG_VARIABLE and _is_only_declared(die)
    name = name_of(die) if is_declaration else None
    variable = None if name is None else Variable(name, die, "global")
    return variable if variable is not None and variable.is_external else None


def function_around(die: Die) -> Die | None:
    """Return the subprogram around an entry, inlined calls passed; None outside of functions."""
    kept, passed, around = _kept_functions(die.unit), [], die.parent()
    while around is not None and around.tag != dw.TAG_SUBPROGRAM:
        passed.append(around)
        around = kept.get(around) or around.parent()
    if around is not None:
        for block in passed:  # thousands may be in one another, each with a variable
            kept[block] = around
    return around


@kept_with(first)
def _kept_functions(unit: CompilationUnit) -> KeptAnswers[Die, Die]:
    """Return the function around each block of a unit that was asked for."""
    return KeptAnswers(_MOST_BLOCKS)


def _is_of_function(die: Die) -> bool:
    """Return whether an entry is directly in a function or a block of one."""
    above = die.parent()
    return above is not None and above.tag in BLOCKS | FUNCTIONS


def _is_only_declared(die: Die) -> bool:
    """Return whether an entry in a scope does not say where its variable or value is.

    gfortran gives an item of a namelist DW_AT_declaration besides its location or constant, and
    where it optimizes also without either, in a common block: that is of the procedure (DWARF 5
    4.2). An external variable may have DW_AT_const_value where it is declared, too: a static member
    of C++.
    """
    if not die.flag(dw.AT_DECLARATION) or die.has(dw.AT_LOCATION):
        return False
    above = die.parent()
    if above is not None and above.tag == dw.TAG_COMMON_BLOCK and _is_of_function(above):
        return False
    return not die.has(dw.AT_CONST_VALUE) or die.flag(dw.AT_EXTERNAL)


def declared_in(
    scope: Die,
    name: str | None = None,
    tags: Container[int] = DATA,
    is_named: Callable[[str], bool] | None = None,
) -> Iterator[Variable]:
    """Yield the variables of one scope, those only in its abstract instance last. With a canonical
    simple name, only those that may have it, with a test of names those that may pass it, and with
    `tags` only those of the scope with one of these: no object is made for others."""
    may_be = None if name is None else named_entries(scope.unit).may_have((name,))
    if is_named is not None:
        may_be = named_entries(scope.unit).may_match(is_named)
    is_instance = dw.AT_ABSTRACT_ORIGIN in scope.abbreviation.positions
    repeated = _repeated_parameters(scope) if is_instance else {}
    for child in entries_of(scope, tags, may_be):
        one = repeated.get(child)
        own = child if one is None else one.variable
        variable = None if own is None else variable_of(own)
        if variable is not None:
            is_passed = one is not None and one.passed is not None
            yield evolve(variable, passed=one.passed) if one and is_passed else variable
    yield from only_in_abstract(scope)


@kept_with(lambda scope: scope.unit)
def _repeated_parameters(scope: Die) -> dict[Die, Repeated]:
    """Return what is read in place of the entries of parameters that have several in an instance
    of a scope."""
    from dwarfgpu.dwarf.scope.repeated_parameters import repeated_parameters  # few are instances

    return repeated_parameters(scope)


def only_in_abstract(scope: Die, *, with_external: bool = False) -> Iterator[Variable]:
    """Yield the variables of the abstract instance of a scope that the scope does not have;
    `with_external`: also those outside of functions that it declares."""
    abstract = abstract_scope(scope)
    if abstract is None:
        return
    from dwarfgpu.dwarf.scope.concrete_entries import ConcreteEntries  # few scopes are instances

    concrete = ConcreteEntries(scope)
    for child in _in_abstract(abstract):
        if child not in concrete:
            variable = variable_of(child) or (external_of(child) if with_external else None)
            if variable is not None:
                yield variable


def _in_abstract(scope: Die) -> Iterator[Die]:
    """Yield the data entries of a scope of an abstract instance and of its common blocks (DWARF 5
    4.2). None of its blocks has addresses: each covers less code than the scope."""
    for child in scope.children(_DATA_AND_BLOCKS):
        if child.tag == dw.TAG_COMMON_BLOCK:
            yield from child.children(DATA)
        else:
            yield child


def with_abstract(scope: Die) -> tuple[Die, ...]:
    """Return a scope and its abstract instance: only that one has types, imports, and what was
    optimized out."""
    abstract = abstract_scope(scope)
    return (scope,) if abstract is None else (scope, abstract)


def abstract_scope(scope: Die) -> Die | None:
    """Return the abstract instance of a scope; None if it has none, or one of another function.

    clang gives that of a block no DW_AT_abstract_origin: it is the block that declares its data.
    """
    if dw.AT_ABSTRACT_ORIGIN not in scope.abbreviation.positions:
        return _block_of_data(scope) if scope.tag == dw.TAG_LEXICAL_BLOCK else None
    abstract = scope.reference(dw.AT_ABSTRACT_ORIGIN)
    return None if abstract is None or is_another_function(scope, abstract) else abstract


@kept_with(lambda scope: scope.unit, _MOST_BLOCKS)
def _block_of_data(scope: Die) -> Die | None:
    """Return the block that directly has the abstract instances of all data entries of a block."""
    tree, block = scope.unit.tree, None
    for index in tree.children(scope.index):
        abbreviation = tree.abbreviations[index]
        if abbreviation.tag not in DATA:
            continue
        if dw.AT_ABSTRACT_ORIGIN not in abbreviation.positions:
            return None
        origin = scope.unit.die(index).reference(dw.AT_ABSTRACT_ORIGIN)
        above = None if origin is None else origin.parent()
        if above is None or above.tag not in BLOCKS - FUNCTIONS or block not in (None, above):
            return None
        block = above
    return block


def is_another_function(scope: Die, origin: Die) -> bool:
    """Return whether an inlined instance is of a function that its origin does not describe.

    Triton gives every function that it inlines into a kernel the kernel's own entry as origin.
    """
    if scope.tag != dw.TAG_INLINED_SUBROUTINE or not parse_producer(scope.unit.producer).is_triton:
        return False
    function = function_around(scope)
    return function is not None and function.reference(dw.AT_ABSTRACT_ORIGIN) == origin


def at_inline_level(variables: list[Variable], level: int) -> list[Variable]:
    """Return those of `Scopes.locals_at` with an `inline_level`; all for 0.

    They are in the order of their levels, and each frame of a deep chain asks for its own.
    """
    if not level:
        return variables
    first = bisect_left(variables, level, key=_inline_level)
    return variables[first : bisect_left(variables, level + 1, first, key=_inline_level)]


def _inline_level(variable: Variable) -> int:
    return variable.inline_level


def variables_below(function: Die) -> Iterator[Variable]:
    """Yield the variables of a function, including those of its blocks; the concrete instance's
    variable replaces the abstract one."""
    pending = [function]
    while pending:
        scope = pending.pop()
        yield from declared_in(scope)
        pending += scope.children(BLOCKS - FUNCTIONS)
