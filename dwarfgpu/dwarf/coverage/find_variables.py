"""Find the variables of a file by the functions that declare them (DWARF 5 3.3.8, 3.5, 4.1).

Law: units are read one after the other; what cannot be read of one is a problem, and the rest is
found. A unit of very many variables is read in parts, so that a reader of all needs memory for one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import wrong_argument
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.coverage.coverage import Allowance, CodeScope, Coverage
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.entry_tree import Tree
from dwarfgpu.dwarf.index.name_filter import mentions
from dwarfgpu.dwarf.names.function_names import bare_name
from dwarfgpu.dwarf.names.qualified import canonical, parts
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.declarations import is_called, name_problem
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.scope.nameless_functions import (
    is_nameless,
    nameless_variables,
    owners_of,
    without_arguments,
)
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, DATA, FUNCTIONS, UNREADABLE_NAME
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

if TYPE_CHECKING:
    from dwarfgpu.dwarf.coverage.instances import Instance, ScopeReader

_NAMELESS: Final = ("(anonymous", "function 0x")
"""How placeholders for missing names begin."""
_SCOPES: Final = BLOCKS | {dw.TAG_SUBPROGRAM}
_ALLOWANCE: Final = 100_000
_UNIT_ENTRIES: Final = 10
"""How many entries take as long to read as a unit does at least."""
_PART_ENTRIES: Final = 50_000
"""How many functions, blocks and variables of a unit are in a part of it, nearly."""
_MAX_ORIGINS: Final = 8
"""Maximum number of abstract origins per entry; compilers stay far below."""


@define(eq=False)
class Group:
    """The variables of a subprogram with all that is inlined into it, or the globals of a unit."""

    unit: CompilationUnit
    unit_name: str
    """Empty where it cannot be read, which is a problem of the unit."""
    code_scope: CodeScope | None
    """The subprogram; None for the globals."""
    declared: list[tuple[Variable, CodeScope | None]] = field(factory=list)
    """In the order of the file, function by function."""
    is_continued: bool = False
    """Whether other globals of the unit are in an earlier part."""

    def coverages(self, allowance: Allowance) -> Iterator[Coverage]:
        """Yield each coverage, computed on demand."""
        for variable, code_scope in self.declared:
            yield allowance.coverage_of(variable, code_scope)


@define(eq=False)
class UnitGroups:
    """Variables of a unit, or of a part of it."""

    unit: CompilationUnit | None
    """None for units with an unreadable header."""
    groups: list[Group] = field(factory=list)
    functions: list[CodeScope] = field(factory=list)
    """Every subprogram with code and every call inlined into one, whatever their variables."""
    problems: list[DwarfGpuError] = field(factory=list)
    """Why others are missing."""
    entry_count: int = 0
    """How many functions, blocks and variables were read."""


def groups_of(
    unit: CompilationUnit,
    scopes: Scopes,
    most: int | None = None,
    *,
    with_functions: bool = True,
    names: Collection[str] | None = None,
) -> Iterator[UnitGroups]:
    """Yield the variables of a unit by subprogram, for a skeleton those of its split unit; never
    raises.

    It is one part, but for units of tens of thousands of variables. Imported units are read on
    their own. `most`: how many functions, blocks and variables are read at most, as one part; an
    unreadable name of the others is a problem. `with_functions`: False leaves out functions that
    have nothing in them. `names`: of global variables, only those with one of these canonical
    simple names, or an unreadable one; functions without such a variable may be left out, too.
    """
    parts = _Parts(unit, most, UnitGroups(unit))
    try:
        # Read once, so that a unit without an entry of its own is one problem.
        unit = unit.full.root.unit
        name = _name_of(unit, parts.current)
        yield from _function_parts(unit, name, parts, with_functions=with_functions, names=names)
        yield from _global_parts(unit, name, parts, scopes, names)
        out = parts.current
        _add_unreadable_names(out)
        if most is not None and out.entry_count >= most and not out.problems:
            first_unreadable = named_entries(unit).first_unreadable
            problem = None if first_unreadable is None else name_problem(first_unreadable)
            out.problems += [] if problem is None else [problem]
    except DwarfGpuError as error:
        # Every unit may have one: what its frames hold is many times its size.
        parts.current.problems.append(error.with_traceback(None))
    yield parts.current


@define
class _Parts:
    """The part of a unit that is being read."""

    unit: CompilationUnit
    most: int | None
    current: UnitGroups

    @property
    def is_full(self) -> bool:
        out = self.current
        return self.most is None and out.entry_count >= _PART_ENTRIES and bool(out.groups)

    def begin(self) -> UnitGroups:
        """Begin the next part and return the one before."""
        last, self.current = self.current, UnitGroups(self.unit)
        _add_unreadable_names(last)
        return last


def _add_unreadable_names(out: UnitGroups) -> None:
    unreadable = (
        name_problem(variable.die)
        for group in out.groups
        for variable, _ in group.declared
        if variable.name == UNREADABLE_NAME
    )
    out.problems += [problem for problem in unreadable if problem is not None]


def _global_parts(
    unit: CompilationUnit,
    name: str,
    parts: _Parts,
    scopes: Scopes,
    names: Collection[str] | None,
) -> Iterator[UnitGroups]:
    """Read the globals of a unit into its last part, and yield the parts before."""
    most = parts.most
    own = islice(scopes.own_globals_of(unit, names), most)
    nameless = (variable for variable in islice(nameless_variables(unit), most))
    group = Group(unit, name, None)
    for variable in chain(own, nameless):
        if not group.declared:
            parts.current.groups.append(group)
        group.declared.append((variable, None))
        parts.current.entry_count += 1
        if parts.is_full:
            yield parts.begin()
            group = Group(unit, name, None, is_continued=True)


def _name_of(unit: CompilationUnit, out: UnitGroups) -> str:
    try:
        return unit.name
    except DwarfGpuError as error:
        out.problems.append(error)
        return ""


def _function_parts(
    unit: CompilationUnit,
    name: str,
    parts: _Parts,
    *,
    with_functions: bool,
    names: Collection[str] | None,
) -> Iterator[UnitGroups]:
    """Read the functions of a unit into its last part, and yield the parts before."""
    # Only questions about all variables of a function or a file come here.
    from dwarfgpu.dwarf.coverage.instances import Instance, ScopeReader

    tree, most = unit.tree, parts.most
    scopes: dict[int, tuple[CodeScope, Instance]] = {}
    """The scopes with code, each with its function, by index."""
    instances: list[Instance] = []
    reader = ScopeReader(unit)
    remaining_work = _ALLOWANCE + _MAX_ORIGINS * len(tree.offsets)
    candidates = None if with_functions or names is None else _candidates(unit, names)
    out, end = parts.current, 0
    for index in tree.with_tags(_SCOPES):
        is_subprogram = tree.abbreviations[index].tag == dw.TAG_SUBPROGRAM
        if most is not None and out.entry_count >= most:
            break
        if index >= end and parts.is_full:
            remaining_work = _list(instances, reader, remaining_work, out)
            yield parts.begin()
            out = parts.current
            scopes.clear()
            instances.clear()
        out.entry_count += 1
        if is_subprogram:
            end = max(end, tree.ends[index])
        if is_subprogram and not with_functions and _is_empty(tree, index):
            continue
        if is_subprogram and candidates is not None:
            position = bisect_left(candidates, index)
            if position == len(candidates) or candidates[position] >= tree.ends[index]:
                continue
        parent, instance = None, None
        if not is_subprogram:
            if tree.parents[index] not in scopes:
                continue
            parent, instance = scopes[tree.parents[index]]
        die = unit.die(index)
        try:
            code_scope, origin = reader.scope(die, parent)
            if is_subprogram and not code_scope.ranges:
                continue
            if instance is None or die.tag in FUNCTIONS:
                declared: list[tuple[Variable, CodeScope | None]]
                if instance is None:
                    out.groups.append(Group(unit, name, code_scope))
                    declared = out.groups[-1].declared
                else:
                    declared = instance.variables
                instance = Instance(declared, code_scope)
                instances.append(instance)
            scopes[index] = code_scope, instance
            remaining = None if most is None else most - out.entry_count
            out.entry_count += instance.add(index, code_scope, reader, origin, remaining)
        except DwarfGpuError as error:
            out.problems.append(die.located(error))
    _list(instances, reader, remaining_work, out)


def _is_empty(tree: Tree, index: int) -> bool:
    """Return whether a function has neither entries in it nor an abstract instance."""
    positions = tree.abbreviations[index].positions
    is_instance = dw.AT_ABSTRACT_ORIGIN in positions or dw.AT_SPECIFICATION in positions
    return tree.ends[index] == index + 1 and not is_instance


def _candidates(unit: CompilationUnit, names: Collection[str]) -> list[int]:
    """Return the entries that are, or may have, a variable with one of some canonical simple names,
    in order: those with the name, and instances of others."""
    tree, may_be = unit.tree, named_entries(unit).may_have(names)
    instances: set[Abbreviation] = set()
    named: set[Abbreviation] = set()
    for one in set(tree.abbreviations):
        if one.tag in DATA and dw.AT_NAME in one.positions:
            named.add(one)
        elif one.tag in DATA | FUNCTIONS and (
            dw.AT_ABSTRACT_ORIGIN in one.positions or dw.AT_SPECIFICATION in one.positions
        ):
            instances.add(one)
    return [
        index
        for index, one in enumerate(tree.abbreviations)
        if one in instances or (one in named and may_be(index, one))
    ]


def _list(instances: list[Instance], reader: ScopeReader, remaining: int, out: UnitGroups) -> int:
    """Give each group the variables of its functions. `remaining`: how many entries of abstract
    instances may be read; return what is left."""
    out.functions = [instance.scope for instance in instances]
    for instance in instances:
        declared = instance.variables
        declared += instance.declared
        try:
            for entry_count, variables in instance.missing(reader):
                remaining -= entry_count
                if remaining <= 0:
                    raise LimitExceeded("inlined calls of functions with very many variables")
                declared += variables
        except DwarfGpuError as error:
            out.problems.append(instance.scope.die.located(error))
            if remaining <= 0:
                return remaining
    return remaining


_ARGUMENTS: Final = pattern(r"<[^<>]*>")
"""The innermost template arguments of a name."""


@frozen
class Wanted:
    """Which variables; every absent element means all."""

    names: tuple[str, ...] = ()
    """As they are, or after their function (`f::x`) or, for global ones, their namespaces."""
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
            raise wrong_argument("Wanted.names", names, "a tuple of names")

    def may_be_in(self, info: DebugInfo) -> Callable[[CompilationUnit], bool]:
        """Return False only if a unit cannot contain a wanted variable."""
        if self.with_functions:
            return lambda unit: True
        function = [] if self.function is None else _parts(self.function)
        around: list[tuple[str, frozenset[int] | None]] = [(part, None) for part in function]
        choices = [[*_tagged(name), *around] for name in self.names] or [around]
        if self.is_generic:  # a unit has the name of the function with its arguments only
            choices = [[*_tagged(name.rpartition("::")[2])] for name in self.names] or [[]]
        tests = {part: mentions(info, *part) for parts in choices for part in parts}
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
        last = [part.name for name in self.names for part in parts(name)[-1:]]
        return frozenset((*last, *map(canonical, self.names)))

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
        if _is_function(code_scope, name):
            return True
        return self.is_generic and is_template(code_scope.qualified_name, name)

    def matches_name(self, variable: Variable, code_scope: CodeScope | None, name: str) -> bool:
        """Return whether one of the names is that of a variable."""
        if _is_named(variable, code_scope, name):
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


def _parts(name: str) -> list[str]:
    """Return the names that occur in a unit with a variable or function of a qualified name: its
    own, and that of its scope if the scope has one. A template has several spellings."""
    names = [part.name for part in parts(name)[-2:]]
    return [part for part in names if "<" not in part and not part.startswith(_NAMELESS)]


def _tagged(name: str) -> Iterator[tuple[str, frozenset[int] | None]]:
    """Yield the same for a variable, with the tags that its entries can have, if known."""
    simple = parts(name)[-1].name if parts(name) else ""
    for index, part in enumerate(reversed(_parts(name))):
        yield part, DATA if not index and part == simple else None


def _covers(code_scope: CodeScope, pc: int) -> bool:
    return any(span.covers(pc) for span in code_scope.ranges)


def _is_named(variable: Variable, code_scope: CodeScope | None, name: str) -> bool:
    if variable.name == name:
        return True
    *_, last = parts(name) or (None,)
    if last is None or canonical(variable.name) != last.name:
        return False
    if code_scope is None or len(parts(name)) == 1:
        return is_called(variable.die, name) or _is_nameless_of(variable, name)
    return _is_function(code_scope.functions[-1], name.rpartition("::")[0])


def _is_nameless_of(variable: Variable, name: str) -> bool:
    """Return whether `f::x` is a variable of a nameless function that belongs to `f`."""
    function = name.rpartition("::")[0]
    if not function or not is_nameless(variable):
        return False
    return any(
        is_called(owner, function) or without_arguments(bare_name(owner) or "") == function
        for owner in owners_of(variable)
    )


def _is_function(code_scope: CodeScope, name: str) -> bool:
    return is_called(code_scope.die, name)


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
    remaining = query.most_entries
    for unit in units:
        if not is_possible(unit):
            continue
        last: CompilationUnit | None = None
        for groups in groups_of(
            unit, scopes, remaining, with_functions=query.with_functions, names=query.simple_names
        ):
            if query.is_restricted:
                for group in groups.groups:
                    group.declared = _chosen(group, query, groups.problems)
            groups.groups = [group for group in groups.groups if group.declared]
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
            problems.append(variable.die.located(error))
    return out
