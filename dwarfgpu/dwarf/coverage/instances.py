"""Functions of a unit with code (out of line or inlined), and their variables (DWARF 5 3.3.8).

Law: what an abstract instance says is read once for all its concrete instances: a `ScopeReader` is
of one unit, whose bytes do not change. Errors are not cached: every entry that has one reports it.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field

from dwarfgpu.base.light_attrs import define
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.coverage.coverage import CodeScope
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, DATA, FUNCTIONS, covered, name_of
from dwarfgpu.dwarf.scope.variable import (
    Variable,
    VariableKind,
    is_another_function,
    variable_of,
)
from dwarfgpu.dwarf.unit import CompilationUnit

_INNER_BLOCKS = BLOCKS - FUNCTIONS


@define(eq=False)
class ScopeReader:
    """Reads the scopes of a unit and the variables in them."""

    unit: CompilationUnit
    _function_names: dict[int, tuple[str, str]] = field(factory=dict)
    """Name and qualified name of the instances of an abstract function, by its offset."""
    _variables: dict[int, tuple[str | None, tuple[Die, ...]]] = field(factory=dict)
    """Name of the instances of an abstract variable, and the entries that they are instances of,
    by its offset."""
    _children: dict[Die, tuple[Die, ...]] = field(factory=dict)
    """The entries in the scopes of abstract instances."""
    _abstract: dict[Die, Variable | None] = field(factory=dict)
    """The variables of abstract instances."""
    _loaded: dict[int, tuple[tuple[Range, ...], tuple[Range, ...]]] = field(factory=dict)
    """Addresses of the file, and as loaded; keyed by the identity of the former."""

    def scope(self, die: Die, parent: CodeScope | None) -> CodeScope:
        """Return the scope of an entry; an entry without code addresses has those of its parent."""
        ranges = () if parent is None else parent.ranges
        if die.has(dw.AT_LOW_PC) or die.has(dw.AT_RANGES):
            ranges = self._as_loaded(covered(die))
        if die.tag not in FUNCTIONS:
            return CodeScope(die, parent, ranges, "", "")
        origin = self._abstract_offset(die)
        known = None if origin is None else self._function_names.get(origin)
        name = die.name if known is None else known[0]
        call_line = die.integer(dw.AT_CALL_LINE)
        if name is None:
            name = f"function {die.offset:#x}"
            return CodeScope(die, parent, ranges, name, name, call_line)
        if known is None:
            known = name, qualified_name(die)
            if origin is not None:
                self._function_names[origin] = known
        return CodeScope(die, parent, ranges, *known, call_line)

    def variable(self, die: Die) -> tuple[Variable | None, tuple[Die, ...]]:
        """Return the variable of an entry, or None, and the entries that it is an instance of,
        without itself."""
        origin = None if die.has(dw.AT_DECLARATION) else self._abstract_offset(die)
        if origin is None:
            variable = variable_of(die)
            return variable, tuple(die.origins())[1:]
        known = self._variables.get(origin)
        if known is None:
            name = name_of(die)
            known = self._variables[origin] = name, tuple(die.origins())[1:]
        name, origins = known
        kind: VariableKind = "parameter" if die.tag == dw.TAG_FORMAL_PARAMETER else "local"
        return None if name is None else Variable(name, die, kind, origins=origins), origins

    def children(self, scope: Die) -> tuple[Die, ...]:
        """Return the entries in a scope of an abstract instance."""
        children = self._children.get(scope)
        if children is None:
            children = self._children[scope] = tuple(scope.children())
        return children

    def abstract_variable(self, die: Die) -> Variable | None:
        """Return the variable of an entry of an abstract instance."""
        if die not in self._abstract:
            self._abstract[die] = variable_of(die)
        return self._abstract[die]

    def _abstract_offset(self, die: Die) -> int | None:
        """Return where the abstract instance is in this unit that gives an entry its name; None
        where the name may be elsewhere."""
        attribute = None if die.has(dw.AT_NAME) else die.attribute(dw.AT_ABSTRACT_ORIGIN)
        if attribute is None or attribute.kind != "unit_reference":
            return None
        assert isinstance(attribute.raw, int)
        return attribute.raw

    def _as_loaded(self, ranges: tuple[Range, ...]) -> tuple[Range, ...]:
        if not self.unit.sections.program.load_address:
            return ranges
        cached = self._loaded.get(id(ranges))
        if cached is None:
            relocate = self.unit.relocate
            out = tuple(Range(relocate(begin), relocate(end)) for begin, end in ranges)
            cached = self._loaded[id(ranges)] = ranges, out
        return cached[1]


@define(eq=False)
class Instance:
    """A subprogram or an inlined call: its own variables and their abstract instances."""

    variables: list[tuple[Variable, CodeScope | None]]
    """The variables of the subprogram around it, with those of all that is inlined into it."""
    scope: CodeScope
    declared: list[tuple[Variable, CodeScope]] = field(factory=list)
    origins: set[Die] = field(factory=set)
    """The abstract variables that have an entry here."""
    blocks: dict[Die, CodeScope] = field(factory=dict)
    """The scopes of the instance by the abstract one."""

    def add(self, scope: CodeScope, reader: ScopeReader) -> None:
        """Add one of the scopes of the instance, with the variables directly in it."""
        for origin in scope.die.origins():
            self.blocks[origin] = scope
        for child in scope.die.children(DATA):
            variable, origins = reader.variable(child)
            self.origins.add(child)
            self.origins.update(origins)
            if variable is not None:
                self.declared.append((variable, scope))

    def missing(self, reader: ScopeReader) -> Iterator[tuple[Variable, CodeScope] | None]:
        """Yield the variables that only the abstract instance has (DWARF 5 3.3.8.1), in the
        remaining part of their scope; None for an entry of another kind."""
        abstract = self.scope.die.reference(dw.AT_ABSTRACT_ORIGIN)
        if abstract is None or is_another_function(self.scope.die, abstract):
            return
        pending = [(abstract, self.scope)]
        while pending:
            abstract_scope, scope = pending.pop()
            for child in reader.children(abstract_scope):
                variable: Variable | None = None
                if child.tag in _INNER_BLOCKS:
                    pending.append((child, self.blocks.get(child, scope)))
                elif child.tag in DATA and child not in self.origins:
                    variable = reader.abstract_variable(child)
                yield None if variable is None else (variable, scope)
