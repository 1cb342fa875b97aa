"""What names of the file around a function mean after `FUNCTION::`.

Law: a name outside of the function is one that its text can mean: of its own file, or exported by
another. What another file keeps for itself is never meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.imports import imported_units
from dwarfgpu.dwarf.scope.meaning import (
    Meaning,
    is_external,
    is_external_definition,
    is_function,
    ordinary,
)
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import VARIABLES
from dwarfgpu.dwarf.unit import CompilationUnit

_LANGUAGES: Final = dw.WITHOUT_NAMESPACES | {dw.LANG_PASCAL83}
"""Those in which GDB goes on behind the function; C++, D, Go and Rust search the scope alone."""
_EXPORTED: Final = VARIABLES | {dw.TAG_SUBPROGRAM}


def visible_in(
    functions: Sequence[Meaning], infos: Iterable[DebugInfo], simple: str
) -> tuple[Meaning, ...]:
    """Return what a simple name outside of a function means in the file of the first of
    `functions`; empty where the language has no such names after `FUNCTION::`.

    Raises what `NameLookup.of` does.
    """
    function = next((one for one in functions if isinstance(one, Die) and is_function(one)), None)
    if function is None or function.unit.language not in _LANGUAGES:
        return ()
    if function.has(dw.AT_DECLARATION):
        function = _definition_of(function, infos)
    if function is None:  # its text is of an unknown file
        return ()
    unit = _unit_of(function)
    if unit.style == "fortran":  # the names of its module, and of those that it uses
        return NameLookup(infos, unit, (function,)).of(simple, _VisibleIn(unit))
    return NameLookup(infos, unit).of(f"::{simple}", _VisibleIn(unit))


def _definition_of(declared: Die, infos: Iterable[DebugInfo]) -> Die | None:
    """Return the entry that defines an external function, perhaps without code, as it is only
    inlined; None if there is none, or several."""
    lookup = NameLookup(infos, declared.unit)
    definitions = lookup.of(f"::{declared.name}", is_external_definition)
    only = definitions[0] if len(definitions) == 1 else None
    return only if isinstance(only, Die) else None


@frozen
class _VisibleIn:
    """A filter for the entries that the text of a unit can mean."""

    unit: CompilationUnit

    def __call__(self, die: Die) -> bool:
        if not ordinary(die):
            return False
        is_exported = die.tag in _EXPORTED and is_external(die)
        return is_exported or die.unit == self.unit or die.unit in imported_units(self.unit)


def _unit_of(function: Die) -> CompilationUnit:
    """Return the unit of the file with a function: with gcc -flto, code is in another one."""
    declared = declaration_of(function).unit
    return function.unit if declared.root.tag == dw.TAG_PARTIAL_UNIT else declared
