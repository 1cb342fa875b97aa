"""What a name means after `FUNCTION::`: what the function and its blocks declare."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import Part, canonical
from dwarfgpu.dwarf.scope.block_declarations import (
    declared_in_block,
    in_several_blocks,
    is_named,
    rivals,
)
from dwarfgpu.dwarf.scope.declarations import declaration_of, is_definition
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning, is_external, is_same_function
from dwarfgpu.dwarf.scope.named_entries import completed
from dwarfgpu.dwarf.scope.nameless_functions import in_nameless
from dwarfgpu.dwarf.scope.overloads import overloaded
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS
from dwarfgpu.dwarf.scope.several_files import several
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.dwarf.scope.written_parameters import has_parameters
from dwarfgpu.errors import UsageError


@frozen
class NamesInFunctions:
    """The search for the last part of a name."""

    chain: tuple[Die, ...]
    """The scopes of the function in focus, the function first."""
    part: Part
    accepts: DieFilter
    name: str
    """The whole name."""
    remarks: dict[str, None]
    """What was remarked on the name, to which this search adds."""

    def of(self, functions: tuple[Die, ...]) -> tuple[Meaning, ...]:
        """Return the variable of a function, else its namelist, type or enumerator; empty if there
        is none. `UsageError` where several functions, or several blocks of one, have the name."""
        return (
            self._in_one_of(functions, self._variable_of)
            or in_nameless(functions, self.part.name, self._is_accepted)
            or self._in_one_of(functions, self._declared_below)
        )

    def _in_one_of(
        self, functions: tuple[Die, ...], find: Callable[[Die], Meaning | None]
    ) -> tuple[Meaning, ...]:
        """Return what is found in the only function that has it, or in that in focus."""
        having: dict[Die, Meaning] = {}
        for function in functions:
            meaning = find(function)
            if meaning is not None:
                having.setdefault(declaration_of(function), meaning)
        if len(having) < 2:
            return tuple(having.values())
        in_focus = [one for one in map(declaration_of, self.chain[:1]) if one in having]
        if in_focus:
            return (having[in_focus[0]],)
        first, second, *_ = having
        if is_external(first) or not all(is_same_function(first, other) for other in having):
            raise UsageError(overloaded(having))
        if not self.remarks:  # as that the functions themselves are of several files
            self.remarks[several(self.name, having[first], having[second])] = None
        return (having[first],)

    def _is_accepted(self, die: Die) -> bool:
        return self.accepts(die) and has_parameters(die, self.part)

    def _variable_of(self, function: Die) -> Variable | None:
        below = map(self._variable_below, (function, *_without_code(function)))
        return next(filter(None, below), None)

    def _variable_below(self, function: Die) -> Variable | None:
        """Return the variable of a function, else that of its only block that has one, or of the
        innermost block in focus."""
        named = [
            variable
            for variable in variables_below(function)
            if canonical(variable.name) == self.part.name and self._is_accepted(variable.die)
        ]
        text = self.part.text
        declared = {declaration_of(variable.die): variable for variable in reversed(named)}
        if len(declared) < 2 or declaration_of(named[0].die).parent() in tuple(function.origins()):
            return named[0] if named else None
        for scope in reversed(self.chain):
            for variable in named:
                if variable.die.parent() == scope:
                    return variable
        raise UsageError(in_several_blocks(function, text, (one.die for one in named)))

    def _declared_below(self, function: Die) -> Die | None:
        """Return the namelist, type or enumerator of a function, else that of its only block that
        has one, or of the innermost block in focus."""
        instances, inside = (function, *_without_code(function)), self.chain[::-1]
        blocks = [origin for instance in instances for origin in instance.origins()]
        while blocks:
            named = self._declared_in(blocks)
            same = rivals(named[0], named) if named else []
            if len({declaration_of(die) for die in same}) > 1:
                own = next(filter(None, (self._of(scope, same) for scope in inside)), same)
                if len(own) > 1:
                    raise UsageError(in_several_blocks(function, self.part.text, own))
                return own[0]
            if named:
                return named[0]
            blocks = [inner for block in blocks for inner in block.children(BLOCKS - FUNCTIONS)]
        return None

    def _declared_in(self, blocks: Iterable[Die]) -> list[Die]:
        declared = (die for block in blocks for die in declared_in_block(block))
        return [die for die in declared if is_named(die, self.part, self.accepts)]

    def _of(self, scope: Die, named: list[Die]) -> list[Die]:
        """Return what a scope in focus declares of the entries of the function."""
        own = set(map(declaration_of, self._declared_in(scope.origins())))
        return [die for die in named if declaration_of(die) in own]


def _without_code(function: Die) -> tuple[Die, ...]:
    """Return the abstract instances of a declared function whose calls are all inlined."""
    if is_definition(function) or function.has(dw.AT_INLINE):
        return ()
    return tuple(die for die in completed(function, (function.unit,)) if die.has(dw.AT_INLINE))
