"""Parameters that a function describes twice: as they are passed, and as they are in its body.

Where gcc knows the argument of each call and keeps the parameter, as it does for one whose type a
variable length needs and for those before `...`, the function has an entry for the register with
the argument, and a later one, of the same DW_AT_abstract_origin, for the variable.
"""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import PARAMETERS, entries_of
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ExprLoc, LocationAttribute, LocList, UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import register_of
from dwarfgpu.expr.ops.special_value import ENTRY_VALUES


@frozen
class Repeated:
    """What is read in place of an entry of a parameter that has several."""

    variable: Die | None
    """The entry of the variable in place of the first one; None for the others."""
    passed: Die | None = None
    """That of the argument as it is passed."""


def repeated_parameters(scope: Die) -> dict[Die, Repeated]:
    """Return the entries of parameters of a function, or of an inlined call, that share their
    abstract origins."""
    same: dict[Die, list[Die]] = {}
    for child in entries_of(scope, PARAMETERS):
        try:
            origin = child.reference(dw.AT_ABSTRACT_ORIGIN)
        except DwarfGpuError:
            continue  # who reads its name reports it
        if origin is not None and origin.tag == dw.TAG_FORMAL_PARAMETER:
            same.setdefault(origin, []).append(child)
    out: dict[Die, Repeated] = {}
    for entries in same.values():
        if len(entries) > 1:
            passed = [entry for entry in entries if _is_passed(entry)]
            variables = [entry for entry in entries if entry not in passed] or entries
            out |= {entry: Repeated(None) for entry in entries}
            out[entries[0]] = Repeated(variables[-1], passed[0] if passed else None)
    return out


def _is_passed(parameter: Die) -> bool:
    """Return whether a location is merely that of the argument: registers, slots of the stack, and
    its value on entry."""
    try:
        location = parameter.unit.location_attribute(parameter)
        expressions = list(_expressions(location))
        return bool(expressions) and all(map(_is_of_argument, expressions))
    except DwarfGpuError:
        return False  # reading the variable reports it


def _expressions(location: LocationAttribute | None) -> Iterator[bytes]:
    if isinstance(location, ExprLoc):
        yield location.expression
    elif isinstance(location, LocList):
        yield from (entry.expression for entry in location.in_order or location.entries)


def _is_of_argument(expression: bytes) -> bool:
    instructions = decode(expression, AMD, UnitFormat()).instructions
    names = [instruction.operation.name for instruction in instructions]
    if len(names) == 1:
        return register_of(instructions[0]) is not None or names[0] == "fbreg"
    return names[:1] != [] and names[0] in ENTRY_VALUES and names[1:] == ["stack_value"]
