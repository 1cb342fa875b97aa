"""Find the unit, the subprogram, its inlined calls and lexical blocks, and the variables at a pc
(DWARF 5 chapters 3 and 4), and the variables that a name denotes there.

Law: a lookup by pc reads only the unit that covers it. A lookup by name reads other units only if
that unit does not have the name.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from functools import cached_property, partial
from itertools import islice
from typing import Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, wrong_argument
from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range, covers
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import units_naming
from dwarfgpu.dwarf.location_lists import value_or_raise
from dwarfgpu.dwarf.names.qualified import canonical, split_last
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.declarations import around, is_called, path_of
from dwarfgpu.dwarf.scope.imports import has_imports, imported_units, searched_units
from dwarfgpu.dwarf.scope.link_time import is_link_time, source_unit
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.scope.nameless_functions import agreed
from dwarfgpu.dwarf.scope.scope_entries import (
    BLOCKS,
    CONTAINERS,
    DATA,
    FUNCTIONS,
    UNKNOWN_NAME,
    UNREADABLE_NAME,
    covered,
    entries_of,
    name_note,
    name_of,
    subprograms_with_code,
)
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable, declared_in
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, InconsistentContext, MissingContext

_PARAMETERS: Final = frozenset({dw.TAG_FORMAL_PARAMETER})
_MANY_ENTRIES: Final = 10_000
"""Of a scope: its variables are not all read for one name, nor kept."""
_MAX_CHAINS: Final = 128
"""Maximum number of program locations with cached scopes: those of the lanes of a wave, and
more."""


@methods_name_wrong_arguments
class Scopes:
    """The scopes of one object file. Program locations are as loaded."""

    def __init__(self, info: DebugInfo) -> None:
        self.info = info
        self._spans: dict[CompilationUnit, tuple[Range, ...]] = {}
        self._subprograms: dict[
            CompilationUnit, list[tuple[tuple[Range, ...], int]] | DwarfGpuError
        ] = {}
        self._chains: dict[int, tuple[Die, ...]] = {}
        self._functions: tuple[int, tuple[Die, ...]] | None = None
        """The functions at the program location that was asked for last."""
        """Keyed by program location: a variable is looked up and read at the same one."""
        self._units: dict[int, CompilationUnit | None] = {}
        self._variables: dict[int, tuple[Variable, ...]] = {}
        self._bad_imports: dict[CompilationUnit, DwarfGpuError] = {}
        """Why variables of imported units are not in `_variables`."""
        self._locals: dict[int, tuple[Variable, ...]] = {}
        """Keyed by program location: the frames of a recursion are at one."""
        self._parameters: dict[int, tuple[Variable, ...]] = {}
        """The same of the parameters alone, in large functions."""
        self._last: tuple[int, tuple[Subprogram, ...]] | None = None
        """The last result for a program location: every lane of a wave asks for the same."""
        self._innermost: dict[int, Subprogram | None] = {}
        """The function of a program location: `subprogram_at`."""
        self._entered: dict[Die, tuple[Die, ...]] = {}
        self._declared: dict[Die, tuple[Variable, ...]] = {}
        """The variables of scopes last looked into: `declared_in`."""

    def unit_at(self, pc: int) -> CompilationUnit | None:
        """Return the unit whose code covers a program location; for a skeleton, the split unit.

        `MissingContext` if the split unit is not found.
        """
        try:
            unit = self.linked_unit_at(pc)
            return None if unit is None else unit.full
        except FOREIGN:
            require_right_arguments(Scopes.unit_at, self, pc)
            raise

    def linked_unit_at(self, pc: int) -> CompilationUnit | None:
        """Return the unit of the file itself whose code covers a program location: a skeleton is
        enough for lines.

        An unreadable unit is an error only if no other one covers the location.
        """
        try:
            if pc not in self._units:
                if len(self._units) >= _MAX_CHAINS:
                    self._units.clear()
                self._units[pc] = self._linked_unit_at(pc)
            return self._units[pc]
        except FOREIGN:
            require_right_arguments(Scopes.linked_unit_at, self, pc)
            raise

    def _linked_unit_at(self, pc: int) -> CompilationUnit | None:
        address = self.info.in_file(pc)
        problem: DwarfGpuError | None = None
        for unit in self._candidates(address):
            try:
                if self._covers(unit, address):
                    return unit
            except DwarfGpuError as error:
                problem = problem or error
        if problem is not None:
            raise problem
        return None

    def _candidates(self, address: int) -> Iterator[CompilationUnit]:
        """Yield the units that `.debug_aranges` and `.gdb_index` name for an address, which may be
        wrong or incomplete; then the units in file order."""
        yield from self.info.aranges.units_at(address)
        yield from self.info.gdb_index.units_at(address)
        yield from self.info.units

    def _covers(self, unit: CompilationUnit, address: int) -> bool:
        """Return whether the code of a unit covers an address; if its own entry has no ranges,
        whether that of its subprograms does. A skeleton always has ranges (DWARF 5 3.1.2)."""
        spans = self._spans_of(unit)
        if spans or unit.is_skeleton:
            return covers(spans, address)
        return self._find(unit, address) is not None

    @cached_property
    def main_unit(self) -> CompilationUnit | None:
        """Return the only unit, else that of `main`; None if there is none, or it is not found."""
        try:
            units = [unit for unit in self.info.units if not unit.header.is_type_unit]
            if len(units) == 1:
                return units[0].full
            for symbol in self.info.loaded.symbols_named("main"):
                if symbol.kind == "function":
                    return self.unit_at(symbol.address + self.info.load_address)
        except DwarfGpuError:
            pass  # names are then looked for everywhere
        return None

    def subprogram_at(self, pc: int) -> Subprogram | None:
        """Return the innermost non-inlined subprogram whose code covers a program location."""
        if pc not in self._innermost:
            unit = self.unit_at(pc)
            die = None if unit is None else self._find(unit, self.info.in_file(pc))
            if len(self._innermost) >= _MAX_CHAINS:
                self._innermost.clear()
            self._innermost[pc] = None if die is None else Subprogram(die)
        return self._innermost[pc]

    def chain_at(self, pc: int) -> tuple[Die, ...]:
        """Return the scopes that cover a program location, from the subprogram inwards."""
        try:
            if pc not in self._chains:
                if len(self._chains) >= _MAX_CHAINS:
                    self._chains.clear()
                self._chains[pc] = tuple(self._chain_at(pc))
            return self._chains[pc]
        except FOREIGN:
            require_right_arguments(Scopes.chain_at, self, pc)
            raise

    def _chain_at(self, pc: int) -> Iterator[Die]:
        subprogram = self.subprogram_at(pc)
        scope = None if subprogram is None else subprogram.die
        address = self.info.in_file(pc)
        while scope is not None:
            yield scope
            scope = _inner(scope, address)

    def subprograms_at(self, pc: int) -> tuple[Subprogram, ...]:
        """Return the entries that cover a program location and can have low-level information
        (A.3.3.5).

        The inlined calls, the entry points and the subprogram, innermost first.
        """
        if self._last is None or self._last[0] != pc:
            self._last = pc, tuple(map(Subprogram, self._functions_around(pc)))
        return self._last[1]

    def _functions_around(self, pc: int) -> Iterator[Die]:
        chain = self.chain_at(pc)
        yield from (die for die in chain[:0:-1] if die.tag in FUNCTIONS)
        for subprogram in chain[:1]:
            address = self.info.in_file(pc)
            yield from (
                entry_point
                for entry_point in self._entry_points(subprogram)
                if covers(covered(entry_point), address)
            )
            yield subprogram

    def _entry_points(self, subprogram: Die) -> tuple[Die, ...]:
        """Return the entry points of a subprogram, which may have thousands of other children."""
        if subprogram not in self._entered:
            if len(self._entered) >= _MAX_CHAINS:
                self._entered.clear()
            self._entered[subprogram] = tuple(subprogram.children((dw.TAG_ENTRY_POINT,)))
        return self._entered[subprogram]

    def function_entries_at(self, pc: int) -> tuple[Die, ...]:
        """Return the functions at a program location, the innermost inlined one first; every frame
        of a deep chain asks for all of them."""
        if self._functions is None or self._functions[0] != pc:
            chain = reversed(self.chain_at(pc))
            self._functions = pc, tuple(scope for scope in chain if scope.tag in FUNCTIONS)
        return self._functions[1]

    def functions_at(self, pc: int) -> list[str]:
        """Return the names of the functions at a program location, the innermost inlined one
        first."""
        functions = self.function_entries_at(pc)
        return [name_of(scope) or f"function {scope.offset:#x}" for scope in functions]

    def variables_at(self, pc: int) -> list[Variable]:
        """Return every variable in scope: innermost first, then those of the unit.

        Variables of functions into which the innermost one is inlined come last, because its text
        does not see them; `inline_level` is their distance.
        """
        if pc not in self._variables:
            if len(self._variables) >= _MAX_CHAINS:
                self._variables.clear()
            self._variables[pc] = tuple(self._variables_at(pc))
        return list(self._variables[pc])

    def _declared_in(
        self, scope: Die, name: str | None = None, tags: Container[int] = DATA
    ) -> Iterable[Variable]:
        """Yield the variables of one scope; if one cannot be read, those before it, and then the
        error. Of a large scope only those that may have a canonical simple name, and some tags."""
        is_part = name is not None or tags is not DATA
        if is_part and scope not in self._declared and _is_large(scope):
            try:
                return tuple(declared_in(scope, name, tags))
            except DwarfGpuError:
                return declared_in(scope, name, tags)
        if scope not in self._declared:
            if len(self._declared) >= _MAX_CHAINS:
                self._declared.clear()
            try:
                self._declared[scope] = tuple(declared_in(scope))
            except DwarfGpuError:
                return declared_in(scope)
        return self._declared[scope]

    def _declared_at(
        self, pc: int, scope: Die, name: str | None = None, tags: Container[int] = DATA
    ) -> Iterable[Variable]:
        """Yield as `declared_in` does; of several of Triton's with one name, that in use first.

        Triton declares a variable for each type that the values on the way to its result have, in
        order: the last one that is described at the location is the nearest to the result.
        """
        variables = self._declared_in(scope, name, tags)
        if not isinstance(variables, tuple):
            return variables  # an error ends them
        names = {variable.name for variable in variables}
        if len(names) == len(variables) or not parse_producer(scope.unit.producer).is_triton:
            return variables
        ordered = {
            name: iter(_used_first([v for v in variables if v.name == name], pc)) for name in names
        }
        return [next(ordered[variable.name]) for variable in variables]

    def locals_at(self, pc: int) -> list[Variable]:
        """Return the variables in scope that are in functions, in the order of `variables_at`.

        The other variables of the unit are not read for them. `is_shadowed` is not set.
        """
        if pc not in self._locals:
            if len(self._locals) >= _MAX_CHAINS:
                self._locals.clear()
            self._locals[pc] = tuple(self._locals_at(pc))
        return list(self._locals[pc])

    def parameters_at(self, pc: int) -> list[Variable]:
        """Return the parameters among `locals_at`; of a large function the other variables are not
        read for them."""
        if not self.is_large_at(pc):
            return [variable for variable in self.locals_at(pc) if variable.kind == "parameter"]
        if pc not in self._parameters:
            if len(self._parameters) >= _MAX_CHAINS:
                self._parameters.clear()
            locals_ = self._locals_at(pc, _PARAMETERS)
            self._parameters[pc] = tuple(v for v in locals_ if v.kind == "parameter")
        return list(self._parameters[pc])

    def is_large_at(self, pc: int) -> bool:
        """Return whether a scope at a program location is too large for reading all its
        variables, where they are not asked for."""
        return any(map(_is_large, self.chain_at(pc)))

    def _locals_at(self, pc: int, tags: Container[int] = DATA) -> list[Variable]:
        locals_: list[Variable] = []
        if self.unit_at(pc) is None:
            return locals_
        level = 0
        for scope in reversed(self.chain_at(pc)):
            declared = self._declared_at(pc, scope, tags=tags)
            locals_ += [evolve(variable, inline_level=level) for variable in declared]
            if scope.tag in FUNCTIONS:
                locals_ += [evolve(variable, inline_level=level) for variable in agreed(scope)]
                level += 1
        return locals_

    def _variables_at(self, pc: int) -> list[Variable]:
        unit = self.unit_at(pc)
        if unit is None:
            return []
        for function in self.chain_at(pc)[:1]:
            unit = source_unit(function, unit)
        locals_ = self.locals_at(pc)
        own = [variable for variable in locals_ if not variable.inline_level]
        outer = [variable for variable in locals_ if variable.inline_level]
        visited: set[str] = set()
        out: list[Variable] = []
        for variable in (*own, *self._readable_globals_of(unit), *outer):
            out.append(evolve(variable, is_shadowed=variable.name in visited))
            visited.add(variable.name)
        return out

    def why_incomplete_at(self, pc: int) -> DwarfGpuError | None:
        """Return why `variables_at` lacks variables of imported units; None if it has all."""
        self.variables_at(pc)
        unit = self.unit_at(pc)
        return None if unit is None else self._bad_imports.get(unit)

    def _readable_globals_of(self, unit: CompilationUnit) -> Iterator[Variable]:
        """Yield the variables of `globals_of` that can be read."""
        try:
            yield from self.globals_of(unit)
        except (MissingContext, InconsistentContext):
            return  # a supplementary file is missing, which is reported elsewhere
        except DwarfGpuError as error:
            self._bad_imports[unit] = error

    def variable_at(self, pc: int, name: str) -> Variable | None:
        """Return the variable that a name denotes at a program location; other units are searched
        last."""
        return _variable(self.meanings_at(pc), name)

    def meanings_at(
        self,
        pc: int,
        level: int = 0,
        infos: tuple[DebugInfo, ...] = (),
        *,
        with_outer: bool = True,
    ) -> NameLookup:
        """Return the meanings of names in the function at a location, or in one into which it is
        inlined.

        `infos`: where they are looked for, by default in this file. `with_outer`: also variables
        that the text of the function does not see, of those into which it is inlined.
        """
        try:
            if level < 0:
                raise wrong_argument("level", level, "an integer of at least 0")
            chain = self.chain_at(pc)
            starts = [index for index, scope in enumerate(chain) if scope.tag in FUNCTIONS]
            own: tuple[Die, ...] = ()
            outer: Iterable[Die] = ()
            if level < len(starts):
                first = starts[-1 - level]
                own = chain[first : starts[-level] if level else None]
                outer = reversed(chain[:first]) if with_outer else ()
            unit = self.unit_at(pc)
            if unit and own and dw.AT_ABSTRACT_ORIGIN in own[0].abbreviation.positions:
                unit = source_unit(own[0], unit)
            declared = partial(self._declared_at, pc)
            return NameLookup(infos or (self.info,), unit, own, outer, declared, chain)
        except FOREIGN:
            require_right_arguments(Scopes.meanings_at, self, pc, level, infos)
            raise

    def globals_of(self, unit: CompilationUnit) -> Iterator[Variable]:
        """Yield the variables of a unit outside of its functions, including those of namespaces and
        imported units.

        A declaration completed by another entry of the unit is skipped. A failed import, or an
        imported unit that cannot be read, raises at the end.
        """
        if not has_imports(unit):
            yield from self.own_globals_of(unit)
            return
        concrete: set[Die] = set()
        for variable in self.own_globals_of(unit):
            concrete.update(variable.die.origins())
            yield variable
        problem: DwarfGpuError | None = None
        imports = imported_units(unit)
        while True:
            try:
                imported = next(imports, None)
                if imported is None:
                    break
                for variable in self.own_globals_of(imported):
                    if variable.die not in concrete:
                        yield variable
            except DwarfGpuError as error:
                problem = problem or error
        if problem is not None:
            raise problem

    def own_globals_of(
        self, unit: CompilationUnit, names: Collection[str] | None = None
    ) -> Iterator[Variable]:
        """Yield the same without those of imported units.

        `names`: only variables whose simple names, in canonical form, are some of these, or cannot
        be read.
        """
        tree = unit.tree
        may_be = None if names is None else named_entries(unit).may_have(names)
        pending = [tree.children(0)] if len(tree.offsets) else []
        while pending:
            for index in pending[-1]:
                abbreviation = tree.abbreviations[index]
                if abbreviation.tag in CONTAINERS:
                    pending.append(tree.children(index))
                    break
                if abbreviation.tag not in DATA:
                    continue
                if may_be is not None and not may_be(index, abbreviation):
                    continue
                die = unit.die(index)
                if dw.AT_ABSTRACT_ORIGIN in abbreviation.positions and is_link_time(unit):
                    continue  # its origin has the name, and is completed by it
                if die.flag(dw.AT_DECLARATION) or (name := name_of(die)) is None:
                    continue
                is_unreadable = name in (UNKNOWN_NAME, UNREADABLE_NAME)
                if names is None or is_unreadable or canonical(name) in names:
                    yield Variable(name, die, "global", note=name_note(die, name))
            else:
                pending.pop()

    def global_named(self, name: str) -> Variable | None:
        """Return the first global variable with that name or, with `::`, that qualified name.

        A variable outside of namespaces precedes others of its unit, and is the only match for
        `::x`.

        Indexes and the symbol table are searched first, then all units that mention the name. An
        unreadable unit is an error only if no other unit has the name.
        """
        simple = split_last(name)[1]
        indexed = self._indexed(simple, name)
        if indexed is not None:
            return indexed
        problem: DwarfGpuError | None = None
        visited: set[CompilationUnit] = set()
        for unit in units_naming(self.info, name):
            try:
                matching: list[Variable] = []
                for searched in searched_units(unit, visited):
                    for variable in self.own_globals_of(searched, {canonical(simple)}):
                        if variable.name == simple and is_called(variable.die, name):
                            matching.append(variable)
                        elif variable.name in (UNKNOWN_NAME, UNREADABLE_NAME):
                            problem = problem or _name_problem(variable.die)
                    if matching:
                        return min(matching, key=lambda candidate: len(path_of(candidate.die)))
            except DwarfGpuError as error:
                problem = problem or error
        if problem is not None:
            raise problem
        return None

    def _indexed(self, simple: str, name: str) -> Variable | None:
        """Return the global variable in `.debug_names`; None if it has none or is wrong."""
        try:
            matching = [
                die
                for die in self.info.names.find(simple, DATA)
                if is_called(die, name) and _is_global(die)
            ]
        except DwarfGpuError:
            return None
        matching.sort(key=_file_order)
        first = min(matching, key=lambda die: len(path_of(die)), default=None)
        return None if first is None else Variable(simple, first, "global")

    def _find(self, unit: CompilationUnit, address: int) -> Die | None:
        """Return the last entry, which is the innermost, of a subprogram that covers an address."""
        for spans, index in reversed(self._code_of(unit)):
            if spans[0].begin <= address < spans[-1].end and covers(spans, address):
                return unit.die(index)
        return None

    def _spans_of(self, unit: CompilationUnit) -> tuple[Range, ...]:
        """Return the addresses that a unit says it covers."""
        if unit not in self._spans:
            self._spans[unit] = covered(unit.root)
        return self._spans[unit]

    def _code_of(self, unit: CompilationUnit) -> list[tuple[tuple[Range, ...], int]]:
        """Return the ranges of all subprograms of a unit that have code, in the order of the
        file."""
        if unit not in self._subprograms:
            try:
                self._subprograms[unit] = list(subprograms_with_code(unit))
            except DwarfGpuError as error:  # not read again for each address
                self._subprograms[unit] = error
        return value_or_raise(self._subprograms[unit])


def _variable(meanings: NameLookup, name: str) -> Variable | None:
    meaning = meanings.of(name)
    return meaning[0] if meaning and isinstance(meaning[0], Variable) else None


@kept_with(lambda scope: scope.unit)
def _is_large(scope: Die) -> bool:
    """Return whether so much is in a scope that a name is looked for in the bytes first."""
    index = scope.index
    if scope.unit.tree.ends[index] - index <= _MANY_ENTRIES:
        return False
    return next(islice(entries_of(scope), _MANY_ENTRIES, None), None) is not None


def _inner(scope: Die, address: int) -> Die | None:
    """Return the block or inlined call directly in a scope that covers an address."""
    for child in entries_of(scope, BLOCKS):
        if covers(covered(child), address):
            return child
    return None


def _is_global(die: Die) -> bool:
    """Return whether a variable is defined directly in its unit or in namespaces."""
    if die.flag(dw.AT_DECLARATION):
        return False
    above = next((above for above in around(die) if above.tag not in CONTAINERS), None)
    return above is not None and above.parent() is None


def _file_order(die: Die) -> tuple[int, int]:
    """Return the position of an entry in the file, for an entry of a split unit that of its
    skeleton."""
    return (die.unit.skeleton or die.unit).offset, die.offset


def _name_problem(die: Die) -> DwarfGpuError | None:
    try:
        die.name  # noqa: B018
    except DwarfGpuError as error:
        return error
    return None


def _used_first(variables: list[Variable], pc: int) -> list[Variable]:
    """Return the variables described at a program location, last first, then the others."""
    described = [variable for variable in variables if _is_described(variable, pc)]
    return described[::-1] + [variable for variable in variables if variable not in described]


def _is_described(variable: Variable, pc: int) -> bool:
    """Return whether a variable has a location at a program location; an unreadable one has
    none."""
    try:
        return variable.why_optimized_out_at(pc) is None
    except DwarfGpuError:
        return False
