"""Find the unit, the subprogram, its inlined calls and lexical blocks, and the variables at a pc
(DWARF 5 chapters 3 and 4), and the variables that a name denotes there.

Law: a lookup by pc reads only the unit that covers it. A lookup by name reads other units only if
that unit does not have the name.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, integer, wrong_value
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers, WeighedAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.address_ranges import covers
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.covered_code import CoveredCode
from dwarfgpu.dwarf.scope.global_variables import globals_of
from dwarfgpu.dwarf.scope.link_time import source_unit
from dwarfgpu.dwarf.scope.name_lookup import Lacking, NameLookup
from dwarfgpu.dwarf.scope.nameless_functions import agreed
from dwarfgpu.dwarf.scope.nested_scopes import NestedScope, ScopesInside
from dwarfgpu.dwarf.scope.scope_entries import (
    DATA,
    FUNCTIONS,
    PARAMETERS,
    covered,
    entries_of,
    name_of,
)
from dwarfgpu.dwarf.scope.subprogram import FunctionsAround, Subprogram
from dwarfgpu.dwarf.scope.variable import Variable, declared_in
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, InconsistentContext, MissingContext

MAIN_NAMES: Final = ("_Dmain", "main.main", "main")
"""The symbols of D, Go and other languages; the first that a file has is its main function."""
_MANY_ENTRIES: Final = 10_000
"""Of a scope: its variables are not all read for one name, nor kept."""
_MOST_OF_UNIT: Final = 10_000
"""Its variables that are suggested, as many as an unknown name is compared with."""
_MAX_CHAINS: Final = 128
"""Maximum number of program locations with cached scopes: those of the lanes of a wave, and
more."""
_MAX_FUNCTIONS: Final = 10_000
_MAX_NESTED: Final = 50_000
"""Maximum number of scopes that are kept with those around them."""
_MAX_CHAINED: Final = 1_000_000
"""Maximum number of scopes in chains of scopes that are kept."""
_MAX_DECLARED: Final = 100_000
"""Maximum number of scopes with cached variables, and of the entries in them."""


@methods_name_wrong_arguments
class Scopes:
    """The scopes of one object file. Program locations are as loaded."""

    def __init__(self, info: DebugInfo) -> None:
        self.info = info
        self._code = CoveredCode(info)
        self._units = KeptAnswers[int, CompilationUnit | None](_MAX_CHAINS)
        self._innermost = KeptAnswers[int, Subprogram | None](_MAX_CHAINS)
        self._scopes = KeptAnswers[int, NestedScope | None](_MAX_CHAINS)
        """Keyed by program location: a variable is looked up and read at the same one."""
        self._inside = KeptAnswers[Die, ScopesInside](_MAX_FUNCTIONS)
        self._nested = KeptAnswers[Die, NestedScope](_MAX_NESTED)
        self._chains = WeighedAnswers[NestedScope, tuple[Die, ...]](_MAX_CHAINED, _depth)
        self._functions: tuple[NestedScope, tuple[Die, ...]] | None = None
        """The functions at the program location that was asked for last."""
        self._with_entries = KeptAnswers[int, FunctionsAround](_MAX_CHAINS)
        """In functions with entry points."""
        self._variables = KeptAnswers[int, tuple[Variable, ...]](_MAX_CHAINS)
        self._first: tuple[int, tuple[Variable, ...]] | None = None
        """The first variables at the program location that was asked for last."""
        self._bad_imports: dict[CompilationUnit, DwarfGpuError] = {}
        """Why variables of imported units are not in `_variables`."""
        self._locals = KeptAnswers[NestedScope | int, tuple[Variable, ...]](_MAX_CHAINS)
        """Keyed by `_variables_depend_on`: frames of a recursion, or waves, are in one scope."""
        self._parameters = KeptAnswers[NestedScope | int, tuple[Variable, ...]](_MAX_CHAINS)
        """The same of the parameters alone, in large functions."""
        self._lacking: Lacking = KeptAnswers(_MAX_DECLARED), KeptAnswers(_MAX_DECLARED)
        self._entered = KeptAnswers[Die, tuple[Die, ...]](_MAX_CHAINS)
        self._declared = WeighedAnswers[Die, tuple[Variable, ...]](_MAX_DECLARED, _entry_count)
        """The variables of scopes last looked into: `declared_in`. A name may be sought several
        times in each of thousands of blocks."""

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
            return self._units.answer(pc, self._linked_unit_at)
        except FOREIGN:
            require_right_arguments(Scopes.linked_unit_at, self, pc)
            raise

    def _linked_unit_at(self, pc: int) -> CompilationUnit | None:
        return self._code.linked_unit(self.info.in_file(pc))

    @cached_property
    def main_unit(self) -> CompilationUnit | None:
        """Return the only unit, else that of the main function; None if there is none, or it is not
        known."""
        try:
            units = [unit for unit in self.info.units if not unit.header.is_type_unit]
            if len(units) == 1:
                return units[0].full
            for name in MAIN_NAMES:
                for symbol in self.info.loaded.symbols_named(name):
                    if symbol.kind == "function":
                        unit = self.unit_at(symbol.address + self.info.load_address)
                        return unit or next(filter(_has_main_of_rust, units), None)
        except DwarfGpuError:
            pass  # names are then looked for everywhere
        return None

    def subprogram_at(self, pc: int) -> Subprogram | None:
        """Return the innermost non-inlined subprogram whose code covers a program location."""
        return self._innermost.answer(pc, self._subprogram_at)

    def _subprogram_at(self, pc: int) -> Subprogram | None:
        unit = self.unit_at(pc)
        die = None if unit is None else self._code.subprogram(unit, self.info.in_file(pc))
        return None if die is None else Subprogram(die)

    def subprogram_begins(self, unit: CompilationUnit) -> Sequence[int]:
        """Return where code of the subprograms of a unit begins, in the file and in order."""
        return self._code.subprogram_begins(unit.full)

    def chain_at(self, pc: int) -> tuple[Die, ...]:
        """Return the scopes that cover a program location, from the subprogram inwards."""
        try:
            scope = self._scope_at(pc)
        except FOREIGN:
            require_right_arguments(Scopes.chain_at, self, pc)
            raise
        return () if scope is None else self._chains.answer(scope, self._chain_of)

    def _chain_of(self, scope: NestedScope) -> tuple[Die, ...]:
        inner: list[Die] = []
        around, chain = scope, self._chains.get(scope)
        while chain is None:
            inner.append(around.content)
            if around.outer is None:
                break
            around = around.outer
            chain = self._chains.get(around)
        return (*(chain or ()), *reversed(inner))

    def _scope_at(self, pc: int) -> NestedScope | None:
        """Return the innermost scope that covers a program location."""
        return self._scopes.answer(pc, self._find_scope)

    def _find_scope(self, pc: int) -> NestedScope | None:
        subprogram = self.subprogram_at(pc)
        if subprogram is None:
            return None
        inside = self._inside.answer(subprogram.die, lambda die: ScopesInside(die, self._nested))
        return inside.innermost(self.info.in_file(pc))

    def subprograms_at(self, pc: int) -> FunctionsAround:
        """Return the entries that cover a program location and can have low-level information
        (A.3.3.5).

        The inlined calls, the entry points and the subprogram, innermost first.
        """
        scope = self._scope_at(pc)
        if scope is None:
            return FunctionsAround()
        if not self._entry_points(scope.outermost):
            return scope.functions
        return self._with_entries.answer(pc, self._with_entry_points)

    def _with_entry_points(self, pc: int) -> FunctionsAround:
        subprogram, *inner = self.chain_at(pc)
        address = self.info.in_file(pc)
        entry_points = self._entry_points(subprogram)
        entered = [one for one in entry_points if covers(covered(one), address)]
        inlined = [die for die in inner if die.tag in FUNCTIONS]
        around = FunctionsAround()
        for die in (subprogram, *reversed(entered), *inlined):
            around = around.around(Subprogram(die))
        return around

    def _entry_points(self, subprogram: Die) -> tuple[Die, ...]:
        """Return the entry points of a subprogram, which may have thousands of other children."""
        return self._entered.answer(
            subprogram, lambda scope: tuple(scope.children((dw.TAG_ENTRY_POINT,)))
        )

    def function_entries_at(self, pc: int) -> tuple[Die, ...]:
        """Return the functions at a program location, the innermost inlined one first; every frame
        of a deep chain asks for all of them."""
        scope, last = self._scope_at(pc), self._functions
        if scope is None:
            return ()
        if last is None or last[0] is not scope:
            last = scope, tuple(function.die for function in scope.functions)
            self._functions = last
        return last[1]

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
        return list(self._variables.answer(pc, lambda pc: tuple(self._variables_at(pc))))

    def first_variables_at(self, pc: int) -> list[Variable]:
        """Return the same, but of very many variables of the unit only the first: a suggestion is
        not worth reading millions."""
        last = self._first
        if last is None or last[0] != pc:
            last = self._first = pc, tuple(self._variables_at(pc, _MOST_OF_UNIT))
        return list(last[1])

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
        try:
            return self._declared.answer(scope, lambda scope: tuple(declared_in(scope)))
        except DwarfGpuError:
            return declared_in(scope)

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
        return _in_use_first(variables, pc, scope)

    def locals_at(self, pc: int) -> list[Variable]:
        """Return the variables in scope that are in functions, in the order of `variables_at`.

        The other variables of the unit are not read for them. `is_shadowed` is not set.
        """
        depend_on = self._variables_depend_on(pc)
        return list(self._locals.answer(depend_on, lambda _: tuple(self._locals_at(pc))))

    def _variables_depend_on(self, pc: int) -> NestedScope | int:
        """Return the innermost scope at a program location; of Triton's code, whose variables in
        use come first, the location."""
        scope = self._scope_at(pc)
        return pc if scope is None or _is_of_triton(scope.outermost.unit) else scope

    def names_depend_on(self, pc: int) -> Hashable:
        """Return what decides, in all loads of the file, which names are in scope at a program
        location: the innermost scope, or the location itself (`_variables_depend_on`)."""
        scope = self._variables_depend_on(pc)
        unit = self.unit_at(pc)
        if isinstance(scope, int) or unit is None:
            return self.info.in_file(pc)
        die = scope.content
        described = die.unit.sections.path, die.unit.header.section, die.unit.header.signature
        return unit.offset, *described, die.offset

    def parameters_at(self, pc: int) -> list[Variable]:
        """Return the parameters among `locals_at`; of a large function the other variables are not
        read for them, nor of any the blocks without parameters."""
        depend_on = self._variables_depend_on(pc)
        return list(self._parameters.answer(depend_on, lambda _: self._parameters_at(pc)))

    def _parameters_at(self, pc: int) -> tuple[Variable, ...]:
        tags = PARAMETERS if self.is_large_at(pc) else DATA

        def declared(scope: Die) -> Iterable[Variable]:
            return self._declared_at(pc, scope, tags=tags)

        locals_ = self._locals_of(pc, declared, _with_parameters(self._scope_at(pc)))
        return tuple(v for v in locals_ if v.kind == "parameter")

    def locals_named(
        self, pc: int, is_named: Callable[[str], bool], tags: Container[int], most: int
    ) -> list[Variable]:
        """Return those of `locals_at` with some tags and a name that passes a test; the others are
        not read for them, and no more than one beyond `most` of a scope."""
        most = integer("most", most, 0, sys.maxsize - 1)

        def declared(scope: Die) -> Iterable[Variable]:
            of_scope = declared_in(scope, tags=tags, is_named=is_named)
            chosen = islice((v for v in of_scope if is_named(v.name)), most + 1)
            return _in_use_first(tuple(chosen), pc, scope)

        locals_ = self._locals_of(pc, declared, reversed(self.chain_at(pc)))
        return [v for v in locals_ if v.die.tag in tags and is_named(v.name)]

    def is_large_at(self, pc: int) -> bool:
        """Return whether a scope at a program location is too large for reading all its
        variables, where they are not asked for; every frame of a deep chain asks."""
        scope = self._scope_at(pc)
        return scope is not None and scope.nearest("is large", _large_scope) is not None

    def _locals_at(self, pc: int, tags: Container[int] = DATA) -> list[Variable]:
        chain = reversed(self.chain_at(pc))
        return self._locals_of(pc, lambda scope: self._declared_at(pc, scope, tags=tags), chain)

    def _locals_of(
        self,
        pc: int,
        declared_at: Callable[[Die], Iterable[Variable]],
        scopes: Iterable[Die],
    ) -> list[Variable]:
        """Return the variables that a function reads of each scope, from the innermost one on."""
        locals_: list[Variable] = []
        if self.unit_at(pc) is None:
            return locals_
        level = 0
        for scope in scopes:
            declared = declared_at(scope)
            if level:
                declared = [evolve(variable, inline_level=level) for variable in declared]
            locals_ += declared
            if scope.tag in FUNCTIONS:
                locals_ += [evolve(variable, inline_level=level) for variable in agreed(scope)]
                level += 1
        return locals_

    def _variables_at(self, pc: int, most: int | None = None) -> list[Variable]:
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
        for variable in (*own, *islice(self._readable_globals_of(unit), most), *outer):
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
            yield from globals_of(unit)
        except (MissingContext, InconsistentContext):
            return  # a supplementary file is missing, which is reported elsewhere
        except DwarfGpuError as error:
            self._bad_imports[unit] = error.with_traceback(None)

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
                raise wrong_value("level", level, "an integer of at least 0")
            scope = self._scope_at(pc)
            chain = () if scope is None else self._chains.answer(scope, self._chain_of)
            function = None if scope is None else _function(scope)
            end = len(chain)
            for _ in range(level):
                if function is None:
                    break
                end = function.depth - 1
                function = None if function.outer is None else _function(function.outer)
            first = end if function is None else function.depth - 1
            own: tuple[Die, ...] = chain[first:end]
            outer = chain[:first] if with_outer and own else ()
            unit = self.unit_at(pc)
            if unit and own and dw.AT_ABSTRACT_ORIGIN in own[0].abbreviation.positions:
                unit = source_unit(own[0], unit)
            declared = partial(self._declared_at, pc)
            infos, lacking = infos or (self.info,), self._lacking
            return NameLookup(infos, unit, own, outer, declared, chain, lacking=lacking)
        except FOREIGN:
            require_right_arguments(
                Scopes.meanings_at, self, pc, level, infos, with_outer=with_outer
            )
            raise


def _has_main_of_rust(unit: CompilationUnit) -> bool:
    """Return whether a unit of Rust marks its main function (DWARF 5 3.3.1), which a `main` without
    a unit calls."""
    return bool(unit.abbreviations.accepted(_is_marked)) and unit.language == dw.LANG_RUST


def _is_marked(abbreviation: Abbreviation) -> bool:
    return dw.AT_MAIN_SUBPROGRAM in abbreviation.positions


def _variable(meanings: NameLookup, name: str) -> Variable | None:
    meaning = meanings.of(name)
    return meaning[0] if meaning and isinstance(meaning[0], Variable) else None


def _entry_count(scope: Die) -> int:
    return 1 + sum(1 for _ in scope.unit.tree.children(scope.index))


def _depth(scope: NestedScope) -> int:
    return scope.depth


def _function(scope: NestedScope) -> NestedScope | None:
    """Return the function that a scope is in, or is."""
    return scope.nearest("function", lambda one: one if one.content.tag in FUNCTIONS else None)


def _with_parameters(scope: NestedScope | None) -> Iterator[Die]:
    """Yield the functions around a program location, and the blocks that may have parameters: each
    frame asks for these, and thousands of blocks may be in one another."""
    while scope is not None:
        nearest = scope.nearest("parameters", _may_have_parameters)
        if nearest is None:
            return
        yield nearest.content
        scope = nearest.outer


def _may_have_parameters(scope: NestedScope) -> NestedScope | None:
    block = scope.content
    is_sought = block.tag in FUNCTIONS or dw.AT_ABSTRACT_ORIGIN in block.abbreviation.positions
    return scope if is_sought or next(entries_of(block, PARAMETERS), None) else None


def _large_scope(scope: NestedScope) -> NestedScope | None:
    return scope if _is_large(scope.content) else None


@kept_with(lambda scope: scope.unit)
def _is_large(scope: Die) -> bool:
    """Return whether so much is in a scope that a name is looked for in the bytes first."""
    index = scope.index
    if scope.unit.tree.ends[index] - index <= _MANY_ENTRIES:
        return False
    return next(islice(entries_of(scope), _MANY_ENTRIES, None), None) is not None


@kept_with(first)
def _is_of_triton(unit: CompilationUnit) -> bool:
    return parse_producer(unit.producer).is_triton


def _in_use_first(variables: tuple[Variable, ...], pc: int, scope: Die) -> Iterable[Variable]:
    """Return the variables of a scope, of several of Triton's with one name that in use first."""
    names = {variable.name for variable in variables}
    if len(names) == len(variables):
        return variables
    if not _is_of_triton(scope.unit):
        return _with_sizes_of_packs(variables)
    ordered = {
        name: iter(_used_first([v for v in variables if v.name == name], pc)) for name in names
    }
    return [next(ordered[variable.name]) for variable in variables]


def _with_sizes_of_packs(variables: Iterable[Variable]) -> list[Variable]:
    """Return the variables of a scope, the first element of each parameter pack of clang with the
    number of its elements: they share the name."""
    out = list(variables)
    parameters = [(v.name, index) for index, v in enumerate(out) if v.kind == "parameter"]
    first = dict(reversed(parameters))
    for name, count in Counter(name for name, _ in parameters).items():
        if count > 1:
            index = first[name]
            remark = f"{count} parameters are named {name}: this is the first one"
            out[index] = evolve(out[index], remarks=(remark,))
    return out


def _used_first(variables: list[Variable], pc: int) -> list[Variable]:
    """Return the variables described at a program location, last first, then the others."""
    described = [variable for variable in variables if _is_described(variable, pc)]
    without = [variable for variable in variables if variable not in described]
    if described and variables[-1] in without:
        described[-1] = evolve(described[-1], remarks=(_intermediate(variables),))
    return described[::-1] + without


def _intermediate(variables: list[Variable]) -> str:
    """Return the remark on a variable of Triton where the last one of its name has no location."""
    result = variables[-1]
    try:
        type_name = None if result.type is None else str(result.type)
    except DwarfGpuError:
        type_name = None
    of_type = "" if type_name is None else f", of type {type_name},"
    return (
        f"{len(variables)} variables are named {result.name}: this is an intermediate value "
        f"of Triton's, because the last one{of_type} has no location here"
    )


def _is_described(variable: Variable, pc: int) -> bool:
    """Return whether a variable has a location at a program location; an unreadable one has
    none."""
    try:
        return variable.why_optimized_out_at(pc) is None
    except DwarfGpuError:
        return False
