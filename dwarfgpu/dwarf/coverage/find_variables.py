"""Find the variables of a file by the functions that declare them (DWARF 5 3.3.8, 3.5, 4.1).

Law: units are read one after the other; what cannot be read of one is a problem, and the rest is
found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from sys import maxsize
from types import NoneType
from typing import Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, names_wrong_arguments
from dwarfgpu.base.arguments import integer, require, wrong_type
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen, plain_fields
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.coverage.coverage import CodeScope
from dwarfgpu.dwarf.coverage.unit_groups import Group, UnitGroups, groups_of
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.name_filter import mentions
from dwarfgpu.dwarf.index.units_by_name import most_units, too_many_units
from dwarfgpu.dwarf.names.function_names import bare_name
from dwarfgpu.dwarf.names.qualified import canonical, parts
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.declarations import forget_scopes
from dwarfgpu.dwarf.scope.nameless_functions import (
    is_nameless,
    owners_of,
    without_arguments,
)
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.variable_names import instance_name, variable_name
from dwarfgpu.dwarf.scope.written_parameters import is_called
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

_NAMELESS: Final = ("(anonymous", "function 0x", "$_", "{")
"""How placeholders for missing names begin; `$_0` and `{lambda()#1}` are of linkage names."""
_MOST_TYPES: Final = 10_000
"""How many types of the units before are kept: units share few, as those of type units."""
_UNIT_ENTRIES: Final = 10
"""How many entries take as long to read as a unit does at least."""


_ARGUMENTS: Final = pattern(r"<[^<>]*>")
"""The innermost template arguments of a name."""


@methods_name_wrong_arguments
@frozen
class Wanted:
    """Which variables; every absent element means all."""

    names: tuple[str, ...] = ()
    """As they are, or after their function (`f::x`) or, for global ones, their namespaces; of D
    also with points, as they are shown (`m.f.x`)."""
    function: str | None = None
    """A function that contains them, or is inlined around them."""
    pc: int | None = None
    """A program location, as loaded, that is in their scopes."""
    with_functions: bool = False
    """Whether functions are wanted that have none of the variables: all units are then read."""
    most_entries: int | None = None
    """Maximum number of functions, blocks and variables to read: a suggestion needs no more than
    the first."""
    is_generic: bool = False
    """Whether the function, or that of a name as `twice::x`, may be a template without its
    arguments."""

    def __attrs_post_init__(self) -> None:
        names: object = self.names
        if isinstance(names, str):  # its characters would be names
            raise wrong_type("Wanted.names", names, "tuple of str")
        require("Wanted.names", names, tuple)
        for name in self.names:
            require("Wanted.names", name, str)
        require("Wanted.function", self.function, str, NoneType)
        require("Wanted.with_functions", self.with_functions, bool)
        require("Wanted.is_generic", self.is_generic, bool)
        plain_fields(self, "pc", "most_entries")
        if self.pc is not None:
            integer("Wanted.pc", self.pc)
        if self.most_entries is not None:
            integer("Wanted.most_entries", self.most_entries, 0, maxsize)

    def may_be_in(self, info: DebugInfo) -> Callable[[CompilationUnit], bool]:
        """Return False only if a unit cannot contain a wanted variable."""
        if self.with_functions:
            return lambda unit: True
        functions = ("",) if self.function is None else _spellings(self.function)
        arounds: list[list[tuple[str, frozenset[int] | None]]] = [
            [(part, None) for part in _parts(function)] for function in functions
        ]
        names = [spelled for name in self.names for spelled in _spellings(name)]
        choices = [[*_tagged(name), *around] for name in names for around in arounds] or arounds
        if self.is_generic:  # a unit has the name of the function with its arguments only
            choices = [[*_tagged(name.rpartition("::")[2])] for name in names] or [[]]
        tests = {part: _mentions(info, *part) for parts in choices for part in parts}
        return lambda unit: any(all(tests[part](unit) for part in parts) for parts in choices)

    @property
    def is_restricted(self) -> bool:
        """Whether some variables may not be wanted."""
        return bool(self.names) or self.function is not None or self.pc is not None

    @property
    def simple_names(self) -> frozenset[str] | None:
        """The canonical simple names that wanted variables can have; None for any."""
        if not self.names:
            return None
        names = [spelled for name in self.names for spelled in _spellings(name)]
        last = [part.name for name in names for part in parts(name)[-1:]]
        instances = [name.partition("<")[0] for name in last if name.endswith(">")]
        return frozenset((*last, *instances, *map(canonical, self.names)))

    def takes(self, variable: Variable, code_scope: CodeScope | None) -> bool:
        """Return whether a variable is wanted."""
        if self.names and not any(
            self.matches_name(variable, code_scope, name) for name in self.names
        ):
            return False
        if self.function is not None:
            inside = () if code_scope is None else code_scope.functions
            if not any(self._is_wanted_function(scope, self.function) for scope in inside):
                return False
        return self.pc is None or code_scope is None or _covers(code_scope, self.pc)

    def _is_wanted_function(self, code_scope: CodeScope, name: str) -> bool:
        """Return whether a name is that of a function."""
        if is_function(code_scope, name):
            return True
        return self.is_generic and is_template(code_scope.qualified_name, name)

    def matches_name(self, variable: Variable, code_scope: CodeScope | None, name: str) -> bool:
        """Return whether one of the names is that of a variable."""
        spellings = _spelled_in(variable.die, name)
        if any(_is_named(variable, code_scope, spelled) for spelled in spellings):
            return True
        function, _, last = name.rpartition("::")
        if not self.is_generic or code_scope is None or not function or variable.name != last:
            return False
        return is_template(code_scope.functions[-1].qualified_name, function)


def is_template(qualified: str, name: str) -> bool:
    """Return whether a function name, or the end of it, matches if template arguments are
    ignored."""
    if "operator" in qualified:
        return False  # `<` does not determine where arguments begin
    bare = qualified
    while (inner := _ARGUMENTS.sub("", bare)) != bare:
        bare = inner
    return bare == name or bare.endswith(f"::{name}")


def _spellings(name: str) -> tuple[str, ...]:
    """Return a name, and what it may be with `::` if its points are those of D."""
    if "." not in name and "!" not in name:
        return (name,)
    from dwarfgpu.dwarf.names.d_spellings import d_spellings  # few names are so

    return (name, *d_spellings(name))


def _spelled_in(die: Die, name: str) -> tuple[str, ...]:
    """Return the spellings of a name in the language of an entry."""
    return _spellings(name) if die.unit.language == dw.LANG_D else (name,)


def _parts(name: str) -> list[str]:
    """Return the names that occur in a unit with a variable or function of a qualified name: its
    own, and that of its scope if the scope has one. A template has several spellings."""
    names = [part.name for part in parts(name)[-2:]]
    return [part for part in names if "<" not in part and not part.startswith(_NAMELESS)]


def _mentions(
    info: DebugInfo, name: str, tags: frozenset[int] | None
) -> Callable[[CompilationUnit], bool]:
    """Return a predicate for units: False only if a unit cannot have a name, or in whichever
    spelling the instance of a template that it is."""
    template, mark, _ = name.partition("<")
    return mentions(info, template.rstrip(), tags, is_template=bool(mark))


def _tagged(name: str) -> Iterator[tuple[str, frozenset[int] | None]]:
    """Yield the same for a variable, with the tags that its entries can have, if known."""
    simple = parts(name)[-1].name if parts(name) else ""
    if "<" in simple and not simple.startswith(("<", *_NAMELESS)):
        yield simple, DATA
    for index, part in enumerate(reversed(_parts(name))):
        yield part, DATA if not index and part == simple else None


def _covers(code_scope: CodeScope, pc: int) -> bool:
    return any(span.covers(pc) for span in code_scope.ranges)


def _is_named(variable: Variable, code_scope: CodeScope | None, name: str) -> bool:
    if variable.name == name:
        return True
    *_, last = parts(name) or (None,)
    if last is None:
        return False
    if code_scope is None and _is_instance(variable, name):
        return True
    if canonical(variable.name) != last.name:
        return False
    if code_scope is None or len(parts(name)) == 1:
        return is_called(variable.die, name) or _is_nameless_of(variable, name)
    return _is_function(code_scope.functions[-1], name.rpartition("::")[0])


def _is_instance(variable: Variable, name: str) -> bool:
    """Return whether a name is that of an instance of a variable template: with its arguments or
    without them, with all its scopes or with none."""
    simple = instance_name(variable.die) if variable.die.unit.is_cplusplus else None
    if simple is None:
        return False
    whole = canonical(variable_name(variable.die))
    return canonical(name) in (simple, whole, whole.removesuffix(simple) + variable.name)


def _is_nameless_of(variable: Variable, name: str) -> bool:
    """Return whether `f::x` is a variable of a nameless function that belongs to `f`."""
    function = name.rpartition("::")[0]
    if not function or not is_nameless(variable.die):
        return False
    return any(
        is_called(owner, function) or without_arguments(bare_name(owner) or "") == function
        for owner in owners_of(variable)
    )


def is_function(code_scope: CodeScope, name: str) -> bool:
    """Return whether a name is that of a function."""
    return any(_is_function(code_scope, spelled) for spelled in _spelled_in(code_scope.die, name))


def _is_function(code_scope: CodeScope, name: str) -> bool:
    return is_called(code_scope.die, name) or code_scope.qualified_name == name


@names_wrong_arguments
def find_variables(scopes: Scopes, query: Wanted) -> Iterator[UnitGroups]:
    """Yield the variables that match a query, unit by unit in file order; never raises.

    A unit with tens of thousands of them comes in several parts, one after the other.
    Units are read one after the other: with a program location only the one that covers it, with
    names only those that mention them.
    """
    try:
        units: Iterable[CompilationUnit] = scopes.info.units
    except DwarfGpuError as error:
        yield UnitGroups(None, problems=[error])
        return
    if query.pc is not None:
        try:
            unit = scopes.unit_at(query.pc)
        except DwarfGpuError as error:
            yield UnitGroups(None, problems=[error])
            return
        units = () if unit is None else (unit,)
    if scopes.info.problems:
        yield UnitGroups(None, problems=list(scopes.info.problems))
    is_possible = query.may_be_in(scopes.info)
    allowance = scopes.info.object.limits.namesakes
    remaining, previous = query.most_entries, None
    name = query.names[0] if query.names else query.function
    searched = 0
    for unit in units:
        if not is_possible(unit):
            continue
        searched += name is not None
        if name is not None and searched > most_units(scopes.info):
            yield UnitGroups(None, problems=[too_many_units(scopes.info, name)])
            return
        last: CompilationUnit | None = None
        is_answer = not query.is_restricted
        for groups in groups_of(
            unit,
            remaining,
            with_functions=query.with_functions,
            names=query.simple_names,
            pc=None if query.with_functions else query.pc,
        ):
            if query.is_restricted:
                for group in groups.groups:
                    group.declared = _chosen(group, query, groups.problems)
            groups.groups = [group for group in groups.groups if group.declared]
            is_answer = is_answer or bool(groups.groups)
            if groups.why_cut is not None and is_answer:  # an unknown name says so, too
                groups.problems.append(groups.why_cut)
            for group in groups.groups:
                group.is_continued = group.is_continued and group.is_same(previous)
                previous = group
            if query.names:
                allowance = _cut(groups, allowance)
            yield groups
            for group in groups.groups[:1]:  # they share their unit
                last = group.unit
                last.lists.forget_locations()
            if remaining is not None:
                remaining -= groups.entry_count + _UNIT_ENTRIES
            if allowance < 0 or (remaining is not None and remaining <= 0):
                return
        if last is not None and not query.is_restricted:  # the next may be about the same unit
            last.forget_entries()
            forget_scopes(last)
            types_of(last).forget_beyond(_MOST_TYPES)


def _cut(units: UnitGroups, allowance: int) -> int:
    """Remove the variables of a unit beyond the limit for all units, and record a problem then.
    Return what remains; negative if it was not enough."""
    for group in units.groups:
        wanted_count = len(group.declared)
        del group.declared[max(0, allowance) :]
        allowance -= wanted_count
    if allowance < 0:
        units.groups = [group for group in units.groups if group.declared]
        message = "more variables have such a name: the others are not examined"
        units.problems.append(LimitExceeded(message, "--max-namesakes"))
    return allowance


def _chosen(
    group: Group, query: Wanted, problems: list[DwarfGpuError]
) -> list[tuple[Variable, CodeScope | None]]:
    out: list[tuple[Variable, CodeScope | None]] = []
    for variable, code_scope in group.declared:
        try:
            if query.takes(variable, code_scope):
                out.append((variable, code_scope))
        except DwarfGpuError as error:
            problems.append(variable.die.located(error).with_traceback(None))
    return out
