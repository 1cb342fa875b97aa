"""Which instance of a template a part of a name means, of several whose values have other types.

Law: `W<3l>` is the instance with this type in the nearest scope that has one of its value, or else
the only one with the value there; functions of other parameters are each their own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import chain, islice

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, Part, with_types
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning
from dwarfgpu.dwarf.scope.scope_members import ScopeMembers
from dwarfgpu.dwarf.scope.unit_declarations import MAX_COMPARED, require_one_instance
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, UsageError


class InstanceLookup(ScopeMembers):
    """Instances of templates in the scopes of a program, seen from a program location."""

    def instance(
        self, find: Callable[[Part], tuple[Meaning, ...]], part: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return what a part of a name means: in the nearest scope with an instance of these
        values, that with their types, or else the only one."""
        typed = with_types(part)
        if typed is None:
            return find(part)
        try:
            meanings = find(part)
        except UsageError:
            with suppress(UsageError):  # of several, one may have the types
                if exact := find(typed):
                    return exact
            raise
        if not meanings:
            return ()
        return self._with_types(meanings, typed, accepts) or self._only_instance(
            meanings, part, typed, accepts
        )

    def _with_types(
        self, meanings: tuple[Meaning, ...], typed: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return the instance with the types of the values, in the scope of instances with the
        values."""
        from dwarfgpu.dwarf.scope.exact_instances import exact_scope, is_in_scope, path_around

        die = declaration_of(_entry(meanings[0]))
        scope, path = exact_scope(die), path_around(die)

        def is_beside(other: Die) -> bool:
            return accepts(other) and is_in_scope(other, scope)

        if ANONYMOUS in path:  # another file has another namespace
            return self.defined(self.declared(die.unit, path, typed, is_beside))
        meanings = self.in_this_unit(path, typed, is_beside)
        return meanings or self.in_other_units(path, typed, is_beside)

    def _only_instance(
        self, meanings: tuple[Meaning, ...], part: Part, typed: Part, accepts: DieFilter
    ) -> tuple[Meaning, ...]:
        """Return the instances; `UsageError` where a unit, of not more than `MAX_COMPARED`, has one
        in their scope that differs in the types of the values alone."""
        from dwarfgpu.dwarf.scope.exact_instances import exact_scope, is_in_scope, path_around

        dies = [*map(_entry, meanings)]
        if dies[0].tag == dw.TAG_SUBPROGRAM:
            from dwarfgpu.dwarf.scope.exact_functions import require_one_type

            require_one_type(typed, dies)
            return meanings
        first = declaration_of(dies[0])
        scope, path = exact_scope(first), path_around(first)
        units, doubts = iter((first.unit,)), self.doubts
        if ANONYMOUS not in path:
            units = chain(units, self.other_units(path, part.name))
        self.doubts = []
        with suppress(DwarfGpuError):  # what is meant needs nothing from them
            for unit in islice(units, MAX_COMPARED):
                beside = self.declared(unit, path, part, accepts)
                dies += (die for die in beside if is_in_scope(die, scope))
        self.doubts = doubts
        require_one_instance(part.text, dies)
        return meanings


def _entry(meaning: Meaning) -> Die:
    return meaning.die if isinstance(meaning, Variable) else meaning
