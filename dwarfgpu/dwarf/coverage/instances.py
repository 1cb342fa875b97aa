"""Functions of a unit with code (out of line or inlined), and their variables (DWARF 5 3.3.8).

Law: what an abstract instance says is read once for all its concrete instances: a `ScopeReader` is
of one unit, whose bytes do not change. Errors are not cached: every entry that has one reports it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import islice
from typing import NamedTuple, TypeAlias

from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.coverage.coverage import CodeScope
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.function_names import bare_name, name_of_nameless
from dwarfgpu.dwarf.scope.declarations import declaration_of, qualified_name
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, CLASSES, DATA, FUNCTIONS, covered, name_of
from dwarfgpu.dwarf.scope.variable import (
    Variable,
    VariableKind,
    is_another_function,
    variable_of,
)
from dwarfgpu.dwarf.unit import CompilationUnit

_INNER_BLOCKS = BLOCKS - FUNCTIONS

Key: TypeAlias = int | Die
"""An entry: of the unit that is read by its offset, any other as it is."""


class Origins(NamedTuple):
    """The entries that an entry is an instance of, without itself."""

    entries: tuple[Die, ...] = ()
    keys: tuple[Key, ...] = ()


_NONE = Origins()


class AbstractScope(NamedTuple):
    """The entries in a scope of an abstract instance."""

    entry_count: int
    blocks: tuple[tuple[Key, Die], ...]
    data: tuple[tuple[Key, Die], ...]


@define(eq=False)
class ScopeReader:
    """Reads the scopes of a unit and the variables in them."""

    unit: CompilationUnit
    _function_names: dict[int, tuple[str, str]] = field(factory=dict)
    """Name and qualified name of the instances of an abstract function, by its offset."""
    _instances: dict[int, tuple[str | None, Origins]] = field(factory=dict)
    """Name of the instances of an abstract variable, and what they are, by its offset."""
    _origins: dict[int, Origins] = field(factory=dict)
    """What an entry is an instance of, by the offset of the first."""
    _scopes: dict[Key, AbstractScope] = field(factory=dict)
    """Those of abstract instances."""
    abstract_variables: dict[Key, Variable | None] = field(factory=dict)
    """The variables of abstract instances."""
    _loaded: dict[int, tuple[tuple[Range, ...], tuple[Range, ...]]] = field(factory=dict)
    """Addresses of the file, and as loaded; keyed by the identity of the former."""

    def scope(self, die: Die, parent: CodeScope | None) -> tuple[CodeScope, int | None]:
        """Return the scope of an entry, and of a function where its abstract instance is in this
        unit; an entry without code addresses has those of its parent."""
        ranges = () if parent is None else parent.ranges
        positions = die.abbreviation.positions
        if dw.AT_LOW_PC in positions or dw.AT_RANGES in positions:
            ranges = self._as_loaded(covered(die))
        if die.tag not in FUNCTIONS:
            return CodeScope(die, parent, ranges, "", ""), None
        origin = self._abstract_offset(die)
        names = None if origin is None else self._function_names.get(origin)
        name = die.name if names is None else names[0]
        call_line = die.integer(dw.AT_CALL_LINE)
        if name is None:
            name = name_of_nameless(die)  # a thunk has a linkage name
            return CodeScope(die, parent, ranges, name, name, call_line), origin
        if names is None:
            names = name, _qualified_name(die)
            if origin is not None:
                self._function_names[origin] = names
        return CodeScope(die, parent, ranges, *names, call_line), origin

    def covers(self, die: Die, pc: int) -> bool:
        """Return whether the code of a function is at a program location, as loaded."""
        return any(span.covers(pc) for span in self._as_loaded(covered(die)))

    def variable(self, die: Die) -> tuple[Variable | None, Origins]:
        """Return the variable of an entry, or None, and what the entry is an instance of."""
        abbreviation = die.abbreviation
        if dw.AT_DECLARATION in abbreviation.positions:
            return variable_of(die), self.origins(die)
        origin = self._abstract_offset(die)
        if origin is None:
            origins = self.origins(die)
            return variable_of(die, origins.entries), origins
        name_and_origins = self._instances.get(origin)
        if name_and_origins is None:
            origins = self.origins_at(die, origin)
            named = (one for one in origins.entries if one.has(dw.AT_NAME))
            name_and_origins = self._instances[origin] = name_of(next(named, die)), origins
        name, origins = name_and_origins
        if name is None:
            return None, origins
        is_parameter = abbreviation.tag == dw.TAG_FORMAL_PARAMETER
        kind: VariableKind = "parameter" if is_parameter else "local"
        return Variable(name, die, kind, origins=origins.entries), origins

    def origins(self, die: Die) -> Origins:
        """Return what an entry is an instance of."""
        positions = die.abbreviation.positions
        if dw.AT_ABSTRACT_ORIGIN not in positions and dw.AT_SPECIFICATION not in positions:
            return _NONE
        return self.origins_at(die, self._abstract_offset(die))

    def origins_at(self, die: Die, offset: int | None) -> Origins:
        """Return the same; `offset`: of the abstract instance, if it is in this unit."""
        cached = None if offset is None else self._origins.get(offset)
        if cached is None:
            entries = tuple(die.origins())[1:]
            cached = Origins(entries, tuple(map(self.key, entries)))
            if offset is not None:
                self._origins[offset] = cached
        return cached

    def key(self, die: Die) -> Key:
        return die.offset if die.unit is self.unit else die

    def abstract_scope(self, scope: Die) -> AbstractScope:
        """Return the entries in a scope of an abstract instance."""
        key = self.key(scope)
        cached = self._scopes.get(key)
        if cached is None:
            children = tuple(scope.children())
            cached = self._scopes[key] = AbstractScope(
                len(children),
                tuple((self.key(one), one) for one in children if one.tag in _INNER_BLOCKS),
                tuple((self.key(one), one) for one in children if one.tag in DATA),
            )
        return cached

    def abstract_variable(self, key: Key, die: Die) -> Variable | None:
        """Return the variable of an entry of an abstract instance."""
        if key not in self.abstract_variables:
            self.abstract_variables[key] = variable_of(die, self.origins(die).entries)
        return self.abstract_variables[key]

    def _abstract_offset(self, die: Die) -> int | None:
        """Return where the abstract instance is in this unit that gives an entry its name; None
        where the name may be elsewhere."""
        if dw.AT_NAME in die.abbreviation.positions:
            return None
        attribute = die.attribute(dw.AT_ABSTRACT_ORIGIN)
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
    abstract: Die | None = None
    """Its abstract instance, once it was read."""
    declared: list[tuple[Variable, CodeScope]] = field(factory=list)
    origins: set[Key] = field(factory=set)
    """The abstract variables that have an entry here, if it has an abstract instance."""
    blocks: dict[Key, CodeScope] = field(factory=dict)
    """The scopes of the instance by the abstract one."""

    def enter(self, scope: CodeScope, reader: ScopeReader, origin: int | None = None) -> None:
        """Add one of the scopes of the instance. `origin`: the offset of its abstract instance, if
        it was read."""
        die = scope.die
        origins = reader.origins(die) if origin is None else reader.origins_at(die, origin)
        if scope is self.scope and die.has(dw.AT_ABSTRACT_ORIGIN):
            self.abstract = origins.entries[0]
        for key in origins.keys:
            self.blocks[key] = scope
        self.blocks[die.offset] = scope

    def add(
        self,
        children: Iterator[int],
        scope: CodeScope,
        reader: ScopeReader,
        most: int | None = None,
        wanted: Container[int] | None = None,
    ) -> int:
        """Add the variables directly in one of its scopes; return how many entries were read,
        `most` at most. `children`: the indexes of the entries in the scope that were not read yet;
        `wanted`: the indexes of the variables that may be wanted, None for all."""
        unit = reader.unit
        abbreviations = unit.tree.abbreviations
        is_instance = dw.AT_ABSTRACT_ORIGIN in self.scope.die.abbreviation.positions
        count = 0
        for child in islice(children, most):
            count += 1
            if abbreviations[child].tag not in DATA or (wanted is not None and child not in wanted):
                continue
            entry = unit.die(child)
            variable, origins = reader.variable(entry)
            if is_instance:
                self.origins.add(entry.offset)
                self.origins.update(origins.keys)
            if variable is not None:
                self.declared.append((variable, scope))
        return count

    def missing(
        self, reader: ScopeReader
    ) -> Iterator[tuple[int, list[tuple[Variable, CodeScope | None]]]]:
        """Yield the variables that only the abstract instance has (DWARF 5 3.3.8.1), in the
        remaining part of their scope: scope by scope, with the number of entries that were
        visited."""
        abstract = self.abstract or self.scope.die.reference(dw.AT_ABSTRACT_ORIGIN)
        if abstract is None or is_another_function(self.scope.die, abstract):
            return
        pending = [(abstract, self.scope)]
        origins, cached = self.origins, reader.abstract_variables
        while pending:
            abstract_scope, scope = pending.pop()
            inside = reader.abstract_scope(abstract_scope)
            for key, block in inside.blocks:
                pending.append((block, self.blocks.get(key, scope)))
            variables: list[tuple[Variable, CodeScope | None]] = []
            for key, entry in inside.data:
                if key not in origins:
                    variable = cached.get(key) or reader.abstract_variable(key, entry)
                    if variable is not None:
                        variables.append((variable, scope))
            yield inside.entry_count, variables


def _qualified_name(function: Die) -> str:
    """Return the qualified name of a function; of one in an unnamed class, as a lambda is, the name
    that frames have: `main::$_0::operator()`."""
    above = declaration_of(function).parent()
    is_in_unnamed = above is not None and above.tag in CLASSES and above.name is None
    return (is_in_unnamed and bare_name(function)) or qualified_name(function)
