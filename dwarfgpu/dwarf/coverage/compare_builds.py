"""Compare how two builds of a program describe their variables.

Law: a variable is the same in both where function, inlined calls, kind and name are, and, of
several that share them, its place in the order of their declaration lines: lines may shift.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from hashlib import blake2b
from typing import Final, Literal, NamedTuple, Self

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.coverage.coverage import Allowance, CodeScope, Coverage
from dwarfgpu.dwarf.coverage.unit_groups import Group, UnitGroups
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.dwarf.scope.variable import VariableKind
from dwarfgpu.dwarf.scope.variable_names import shown_name, variable_name
from dwarfgpu.errors import DwarfGpuError

_DIGEST_BYTES: Final = 16
ChangeKind = Literal["worse", "lost", "unreadable", "better", "appeared", "vanished"]
"""`lost`: it was described, and is not declared any more though its function is still there;
`unreadable`: it is declared, and its location cannot be read any more; `vanished`: any other that
is only in the old build."""


@frozen
class FunctionPath:
    """A subprogram by its linkage name, or a call with all that it is inlined into.

    Calls may be inlined into one another thousands deep: each is a link to the one around it, and
    is compared by a digest of all names.
    """

    digest: bytes = field(repr=False)
    name: str = field(eq=False)
    shown: str = field(eq=False)
    """The function as people know it."""
    around: FunctionPath | None = field(eq=False, repr=False)

    @classmethod
    def inside(cls, around: FunctionPath | None, name: str, shown: str) -> Self:
        """Return a function that is inlined into another one, or into none."""
        outer = bytes(_DIGEST_BYTES) if around is None else around.digest
        written = name.encode("utf-8", "surrogatepass")
        return cls(
            blake2b(outer + written, digest_size=_DIGEST_BYTES).digest(), name, shown, around
        )

    @property
    def functions(self) -> tuple[FunctionPath, ...]:
        """The functions from the subprogram to here."""
        out: list[FunctionPath] = []
        path: FunctionPath | None = self
        while path is not None:
            out.append(path)
            path = path.around
        return tuple(reversed(out))


class Identity(NamedTuple):
    """The facts by which a variable is recognized in both builds."""

    path: FunctionPath | None
    """None for a global variable."""
    kind: VariableKind
    name: str

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the subprogram and of the calls inlined into one another."""
        return () if self.path is None else tuple(one.name for one in self.path.functions)

    @property
    def shown_functions(self) -> str:
        """The functions as people know them: `leaf > clamp`."""
        return "" if self.path is None else " > ".join(one.shown for one in self.path.functions)


@frozen
class Measure:
    """How much of a variable is described; a global one has one byte of code."""

    line: int | None
    """The line of its declaration."""
    scope_bytes: int
    described_bytes: int
    complete_bytes: int
    is_readable: bool = True
    """Whether its location can be read; if not, nothing of it is described."""

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
    functions: set[FunctionPath] = field(factory=set)
    """With code, described or not."""
    problems: list[DwarfGpuError] = field(factory=list)
    _paths: dict[Die, FunctionPath | DwarfGpuError | None] = field(factory=dict, init=False)
    """By scope; an error where a name around it cannot be read."""

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
        is_readable = coverage.problem is None
        if coverage.problem is not None:
            self.problems.append(coverage.problem)
        variable, scope = coverage.variable, coverage.code_scope
        if scope is None:
            name = shown_name(variable_name(variable.die), variable.die)
            identity = Identity(None, "global", name)
            share = int(coverage.is_described)
            measure = Measure(variable.decl_line, 1, share, share, is_readable)
        else:
            identity = Identity(self._path(scope), variable.kind, variable.name)
            measure = Measure(
                variable.decl_line,
                coverage.scope_bytes,
                coverage.described_bytes,
                coverage.complete_bytes,
                is_readable,
            )
        self.measures.setdefault(identity, []).append(measure)

    def add_function(self, code_scope: CodeScope) -> None:
        """Add a function that exists, even if nothing is known of its variables."""
        try:
            path = self._path(code_scope) if code_scope.ranges else None
            if path is not None:
                self.functions.add(path)
        except DwarfGpuError as error:
            self.problems.append(error)

    def forget_scopes(self) -> None:
        """Forget the scopes of a part of a unit: nothing in the next one is inside of them, but for
        what is in one very large function."""
        self._paths.clear()

    def _path(self, code_scope: CodeScope) -> FunctionPath | None:
        """Return the function of a scope with all that is around it; None outside of functions."""
        inside: list[CodeScope] = []
        outer: CodeScope | None = code_scope
        while outer is not None and outer.die not in self._paths:
            inside.append(outer)
            outer = outer.parent
        path = None if outer is None else self._paths[outer.die]
        for scope in reversed(inside):
            if scope.die.tag in FUNCTIONS and not isinstance(path, DwarfGpuError):
                try:
                    path = FunctionPath.inside(path, function_identity(scope), scope.qualified_name)
                except DwarfGpuError as error:
                    path = error.with_traceback(None)
            self._paths[scope.die] = path
        if isinstance(path, DwarfGpuError):
            raise path.with_traceback(None)
        return path


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
        out.forget_scopes()
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
    """Return the differences: the largest changes first, changes of the same size by name.
    Functions are spelled as in the new build, if it has them: compilers differ."""
    out: list[Change] = []
    spelled: dict[FunctionPath | None, FunctionPath] = {path: path for path in new.functions}
    for identity in {**old.measures, **new.measures}:
        before, after = old.measures.get(identity, []), new.measures.get(identity, [])
        for ordinal in range(max(len(before), len(after))):
            earlier = before[ordinal] if ordinal < len(before) else None
            later = after[ordinal] if ordinal < len(after) else None
            kind = _kind(identity, earlier, later, new)
            if kind is not None:
                shown = identity._replace(path=spelled.get(identity.path, identity.path))
                out.append(Change(kind, shown, ordinal, earlier, later))
    order = _order(change.identity.path for change in out)

    def key(change: Change) -> tuple[Fraction, int, str, str, int]:
        path, kind, name = change.identity
        return -abs(change.amount), order.get(path, 0), kind, name, change.ordinal

    return sorted(out, key=key)


def _order(paths: Iterable[FunctionPath | None]) -> dict[FunctionPath | None, int]:
    """Return the number of each path in the order of their names; a function is before what is
    inlined into it."""
    inlined: dict[FunctionPath | None, list[FunctionPath]] = {}
    visited: set[FunctionPath] = set()
    for path in paths:
        while path is not None and path not in visited:
            visited.add(path)
            inlined.setdefault(path.around, []).append(path)
            path = path.around
    numbers: dict[FunctionPath | None, int] = {}
    pending: list[FunctionPath | None] = [None]
    while pending:
        path = pending.pop()
        numbers[path] = len(numbers)
        pending += sorted(inlined.get(path, ()), key=lambda one: one.name, reverse=True)
    return numbers


def _kind(
    identity: Identity, old: Measure | None, new: Measure | None, build: Build
) -> ChangeKind | None:
    if old is None or not old.has_code:
        return "appeared" if new is not None and new.has_code else None
    if new is None or not new.has_code:
        is_lost = new is None and identity.path in build.functions and old.described_bytes
        return "lost" if is_lost else "vanished"
    if not new.is_readable:
        return "unreadable" if old.is_readable else None
    before, after = (old.described, old.complete), (new.described, new.complete)
    return None if before == after else "better" if after > before else "worse"
