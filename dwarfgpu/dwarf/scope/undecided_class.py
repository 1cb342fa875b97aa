"""Classes of C++ that a unit only declares, as instances of a template that may be any of several.

gcc gives all instances whose values differ in their types alone one name, `W<3>`, and the entries
of what it only declares have no arguments.
"""

from __future__ import annotations

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Struct, Type, strip
from dwarfgpu.errors import UsageError


def _instances(type_: Type | None) -> tuple[Die, ...]:
    """Return the entries that may define an instance of a template of C++ which is only declared;
    none for any other type."""
    declared = strip(type_)
    die = declared.die if isinstance(declared, Struct) and declared.is_declaration else None
    if die is None or "<" not in type_name(declared, cplusplus=True) or not die.unit.is_cplusplus:
        return ()
    return die.unit.info.class_definitions(die)


def may_be_several_instances(type_: Type | None) -> bool:
    """Return whether a class is only declared, and may be several instances of a template, which
    differ in the types of their values alone."""
    return len(_instances(type_)) > 1


def why_undecided(type_: Type | None) -> UsageError | None:
    """Return the error that a class may be several instances, and which; None for any other
    type."""
    definitions = _instances(type_)
    if len(definitions) < 2:
        return None
    # Few names have values.
    from dwarfgpu.dwarf.names.comparable import ambiguous_instance
    from dwarfgpu.dwarf.scope.exact_instances import shown_with_types

    shown = sorted(map(shown_with_types, definitions))
    return UsageError(ambiguous_instance(type_name(strip(type_), cplusplus=True), shown))
