"""The variables of one unit by the functions that declare them (DWARF 5 3.3.8, 3.5, 4.1).

Law: what cannot be read is a problem, and the rest is found. A unit of very many variables is read
in parts, so that a reader of all needs memory for one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.coverage.coverage import Allowance, CodeScope, Coverage
from dwarfgpu.dwarf.scope.declarations import name_problem
from dwarfgpu.dwarf.scope.global_variables import own_globals_of
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.scope.nameless_functions import nameless_variables
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, DATA, FUNCTIONS, UNREADABLE_NAME
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

if TYPE_CHECKING:
    from dwarfgpu.dwarf.coverage.instances import Instance, ScopeReader

_SCOPES: Final = BLOCKS | {dw.TAG_SUBPROGRAM}
_ALLOWANCE: Final = 100_000
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
    """Whether other variables of the function, or globals of the unit, are in an earlier part."""

    def is_same(self, other: Group | None) -> bool:
        """Return whether both are of one function, or of the globals of one unit."""
        if other is None:
            return False
        return self.unit is other.unit and self.code_scope is other.code_scope

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
    why_cut: DwarfGpuError | None = None
    """In the last part: why entries at the end of the unit may be missing."""
    entry_count: int = 0
    """How many functions, blocks and variables were read."""


def groups_of(
    unit: CompilationUnit,
    most: int | None = None,
    *,
    with_functions: bool = True,
    names: Collection[str] | None = None,
    pc: int | None = None,
) -> Iterator[UnitGroups]:
    """Yield the variables of a unit by subprogram, for a skeleton those of its split unit; never
    raises.

    It is one part, but for units of tens of thousands of variables; a function may be in several,
    its inlined calls where they end. Imported units are read on
    their own. `most`: how many functions, blocks and variables are read at most, as one part; an
    unreadable name of the others is a problem. `with_functions`: False leaves out functions that
    have nothing in them. `names`: of global variables, only those with one of these canonical
    simple names, or an unreadable one; functions without such a variable may be left out, too.
    `pc`: only the functions with code there are read, as loaded.
    """
    parts = _Parts(unit, most, UnitGroups(unit))
    try:
        # Read once, so that a unit without an entry of its own is one problem.
        unit = unit.full.root.unit
        name = _name_of(unit, parts.current)
        yield from _function_parts(
            unit, name, parts, with_functions=with_functions, names=names, pc=pc
        )
        yield from _global_parts(unit, name, parts, names)
        out = parts.current
        _add_unreadable_names(out)
        if most is not None and out.entry_count >= most and not out.problems:
            first_unreadable = named_entries(unit).first_unreadable
            problem = None if first_unreadable is None else name_problem(first_unreadable)
            out.problems += [] if problem is None else [problem]
    except DwarfGpuError as error:
        # Every unit may have one: what its frames hold is many times its size.
        parts.current.problems.append(error.with_traceback(None))
    parts.current.why_cut = unit.why_cut
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
    names: Collection[str] | None,
) -> Iterator[UnitGroups]:
    """Read the globals of a unit into its last part, and yield the parts before."""
    most = parts.most
    own = islice(own_globals_of(unit, names), most)
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
        out.problems.append(error.with_traceback(None))
        return ""


def _function_parts(
    unit: CompilationUnit,
    name: str,
    parts: _Parts,
    *,
    with_functions: bool,
    names: Collection[str] | None,
    pc: int | None,
) -> Iterator[UnitGroups]:
    """Read the functions of a unit into its last part, and yield the parts before."""
    # Only questions about all variables of a function or a file come here.
    from dwarfgpu.dwarf.coverage.instances import Instance, ScopeReader

    tree, most = unit.tree, parts.most
    is_large = False
    """Whether the function has more entries than a part, which is a part for itself then."""
    scopes: dict[int, tuple[CodeScope, Instance]] = {}
    """The scopes with code, each with its function, by index."""
    instances: list[Instance] = []
    reader = ScopeReader(unit)
    remaining_work = _ALLOWANCE + _MAX_ORIGINS * len(tree.offsets)
    candidates = None if with_functions or names is None else _candidates(unit, names)
    wanted = None if candidates is None else frozenset(candidates)
    out, end = parts.current, 0
    for index in tree.with_tags(_SCOPES):
        is_subprogram = tree.abbreviations[index].tag == dw.TAG_SUBPROGRAM
        if most is not None and out.entry_count >= most:
            break
        if is_subprogram:
            is_large = most is None and tree.ends[index] - index > _PART_ENTRIES
        if index >= end and (parts.is_full or (is_large and out.groups)):
            remaining_work = _list(instances, reader, remaining_work, out)
            yield parts.begin()
            out = parts.current
            scopes.clear()
            instances.clear()
        out.entry_count += 1
        if is_subprogram:
            end = max(end, tree.ends[index])
        is_listed = with_functions if is_subprogram else tree.abbreviations[index].tag in FUNCTIONS
        if not is_listed and _is_empty(unit, index):
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
            if is_subprogram and pc is not None and not reader.covers(die, pc):
                continue
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
            instance.enter(code_scope, reader, origin)
            children = iter(tree.children(index))
            remaining = (
                _PART_ENTRIES if is_large else None if most is None else most - out.entry_count
            )
            while True:
                count = instance.add(children, code_scope, reader, remaining, wanted)
                out.entry_count += count
                if not is_large or out.entry_count < _PART_ENTRIES:
                    break
                yield _interrupted(parts, instances)
                out = parts.current
        except DwarfGpuError as error:
            out.problems.append(die.located(error).with_traceback(None))
    _list(instances, reader, remaining_work, out)


def _interrupted(parts: _Parts, instances: list[Instance]) -> UnitGroups:
    """Begin a part in the middle of the last function; return the part before."""
    last = parts.begin()
    before = last.groups[-1]
    group = Group(before.unit, before.unit_name, before.code_scope, is_continued=True)
    parts.current.groups.append(group)
    for instance in instances:
        instance.variables += instance.declared
        instance.declared.clear()
        instance.variables = group.declared
    return last


def _is_empty(unit: CompilationUnit, index: int) -> bool:
    """Return whether a scope has no variables: no entries in it, and no abstract instance that may
    have some. What a function completes by DW_AT_specification gives it none."""
    tree = unit.tree
    if tree.ends[index] != index + 1:
        return False
    abbreviation = tree.abbreviations[index]
    position = abbreviation.positions.get(dw.AT_ABSTRACT_ORIGIN)
    if position is None:
        return True
    origin = abbreviation.value(position)
    # A call for each of millions: `Die.reference` would take as long as all the rest.
    if origin.kind != "unit_reference" or unit.data[tree.offsets[index]] >= 0x80:
        return False
    offset = origin.read(unit.data, tree.offsets[index] + 1, unit.end)
    abstract = tree.find(unit.offset + offset) if isinstance(offset, int) else None
    if abstract is None or tree.abbreviations[abstract].tag != dw.TAG_SUBPROGRAM:
        return False
    return tree.ends[abstract] == abstract + 1


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
            out.problems.append(instance.scope.die.located(error).with_traceback(None))
            if remaining <= 0:
                return remaining
    return remaining
