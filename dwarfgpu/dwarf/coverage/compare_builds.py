"""Compare how two builds of a program describe their variables.

Law: a variable is the same in both where function, inlined calls, kind and name are, and, of
several that share them, its place in the order of their declaration lines: lines may shift.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Literal, NamedTuple

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.coverage.coverage import Allowance, CodeScope, Coverage
from dwarfgpu.dwarf.coverage.unit_groups import Group, UnitGroups
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.scope.variable import VariableKind
from dwarfgpu.errors import DwarfGpuError

ChangeKind = Literal["worse", "lost", "better", "appeared", "vanished"]
"""`lost`: it was described, and is not declared any more though its function is still there;
`vanished`: any other that is only in the old build."""


class Identity(NamedTuple):
    """The facts by which a variable is recognized in both builds."""

    functions: tuple[str, ...]
    """The subprogram by its linkage name, and the calls inlined into one another; none for a
    global variable."""
    kind: VariableKind
    name: str


@frozen
class Measure:
    """How much of a variable is described; a global one has one byte of code."""

    line: int | None
    """The line of its declaration."""
    scope_bytes: int
    described_bytes: int
    complete_bytes: int

    @property
    def has_code(self) -> bool:
        return self.scope_bytes > 0

    @property
    def described(self) -> Fraction:
        """The share of the scope in which the variable is described."""
        return Fraction(self.described_bytes, self.scope_bytes or 1)

    @property
    def complete(self) -> Fraction:
        """The share of the scope in which all of the variable is described."""
        return Fraction(self.complete_bytes, self.scope_bytes or 1)


@define
class Build:
    """The variables of one build."""

    measures: dict[Identity, list[Measure]] = field(factory=dict)
    functions: set[tuple[str, ...]] = field(factory=set)
    """With code, described or not."""
    shown: dict[tuple[str, ...], str] = field(factory=dict)
    """The functions as people know them: `leaf > clamp`."""
    problems: list[DwarfGpuError] = field(factory=list)
    _names: dict[Die, str] = field(factory=dict, init=False)

    @property
    def variable_count(self) -> int:
        """The number of variables that have code or are global."""
        return sum(measure.has_code for groups in self.measures.values() for measure in groups)

    @property
    def scope_bytes(self) -> int:
        return sum(measure.scope_bytes for measure in self._local())

    @property
    def described_bytes(self) -> int:
        return sum(measure.described_bytes for measure in self._local())

    def _local(self) -> Iterator[Measure]:
        for identity, measures in self.measures.items():
            if identity.kind != "global":
                yield from measures

    def add(self, group: Group, allowance: Allowance) -> None:
        """Add the variables of a function, or the global variables of a unit."""
        for coverage in group.coverages(allowance):
            try:
                self._add(coverage)
            except DwarfGpuError as error:
                self.problems.append(error)

    def _add(self, coverage: Coverage) -> None:
        if coverage.problem is not None:
            raise coverage.problem
        variable, scope = coverage.variable, coverage.code_scope
        if scope is None:
            identity = Identity((), "global", qualified_name(variable.die))
            share = int(coverage.is_described)
            measure = Measure(variable.decl_line, 1, share, share)
        else:
            functions = tuple(map(self._function, scope.functions))
            identity = Identity(functions, variable.kind, variable.name)
            measure = Measure(
                variable.decl_line,
                coverage.scope_bytes,
                coverage.described_bytes,
                coverage.complete_bytes,
            )
        self.measures.setdefault(identity, []).append(measure)

    def add_function(self, code_scope: CodeScope) -> None:
        """Add a function that exists, even if nothing is known of its variables."""
        try:
            if code_scope.ranges:
                functions = tuple(map(self._function, code_scope.functions))
                self.functions.add(functions)
                self.shown[functions] = " > ".join(
                    function.qualified_name for function in code_scope.functions
                )
        except DwarfGpuError as error:
            self.problems.append(error)

    def _function(self, code_scope: CodeScope) -> str:
        if code_scope.die not in self._names:
            self._names[code_scope.die] = function_identity(code_scope)
        return self._names[code_scope.die]


def function_identity(code_scope: CodeScope) -> str:
    """Return the linkage name of a function, else its qualified name; for a function that is local
    to a file, with the name of the file."""
    die = code_scope.die
    if linkage := die.linkage_name:
        return linkage
    if code_scope.parent is None and die.holder(dw.AT_EXTERNAL) is None:
        return f"{die.unit.name.rpartition('/')[2]}:{code_scope.qualified_name}"
    return code_scope.qualified_name


def build_of(groups: Iterable[UnitGroups], allowance: Allowance) -> Build:
    """Return the measures of all variables that were found."""
    out = Build()
    for unit in groups:
        out.problems += unit.problems
        for code_scope in unit.functions:
            out.add_function(code_scope)
        for group in unit.groups:
            out.add(group, allowance)
    for measures in out.measures.values():
        measures.sort(key=lambda measure: measure.line or 0)
    return out


@frozen
class Change:
    """The change of one variable between the builds."""

    kind: ChangeKind
    identity: Identity
    ordinal: int
    """Among those with this identity, by line of declaration; from 0."""
    old: Measure | None
    new: Measure | None

    @property
    def amount(self) -> Fraction:
        """The share of its scope that was gained, or below 0 lost."""
        before = Fraction(0) if self.old is None else self.old.described
        after = Fraction(0) if self.new is None else self.new.described
        return after - before


def are_unlike(old: Build, new: Build) -> bool:
    """Return whether two builds with variables share no function and no variable, although all
    that they have could be read."""
    if not (old.measures and new.measures) or old.problems or new.problems:
        return False
    return old.functions.isdisjoint(new.functions) and old.measures.keys().isdisjoint(new.measures)


def changes_between(old: Build, new: Build) -> list[Change]:
    """Return the differences: the largest changes first, changes of the same size by name."""
    out: list[Change] = []
    for identity in {**old.measures, **new.measures}:
        before, after = old.measures.get(identity, []), new.measures.get(identity, [])
        for ordinal in range(max(len(before), len(after))):
            earlier = before[ordinal] if ordinal < len(before) else None
            later = after[ordinal] if ordinal < len(after) else None
            kind = _kind(identity, earlier, later, new)
            if kind is not None:
                out.append(Change(kind, identity, ordinal, earlier, later))
    return sorted(out, key=lambda change: (-abs(change.amount), change.identity, change.ordinal))


def _kind(
    identity: Identity, old: Measure | None, new: Measure | None, build: Build
) -> ChangeKind | None:
    if old is None or not old.has_code:
        return "appeared" if new is not None and new.has_code else None
    if new is None or not new.has_code:
        is_lost = new is None and identity.functions in build.functions and old.described_bytes
        return "lost" if is_lost else "vanished"
    before, after = (old.described, old.complete), (new.described, new.complete)
    return None if before == after else "better" if after > before else "worse"
