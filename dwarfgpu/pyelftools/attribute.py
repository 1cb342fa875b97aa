"""What an attribute of a DIE describes, and what its evaluation begins with."""

from __future__ import annotations

from typing import Final, Protocol, TypeAlias, TypeGuard

from dwarfgpu.base.records import frozen
from dwarfgpu.check.attributes import ROLES, is_list
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.types.computed_attributes import NAMES as MEASURES
from dwarfgpu.dwarf.types.computed_attributes import REFERENCE_CLASSES, computed
from dwarfgpu.dwarf.types.dynamic_properties import Computed
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.context import ExprLoc, LocationAttribute, ResultKind
from dwarfgpu.pyelftools.entry_of_die import DIE
from dwarfgpu.pyelftools.parsed_expression import Expression, bytes_of


class AttributeValue(Protocol):
    """An `AttributeValue` of a DIE."""

    @property
    def name(self) -> str | int: ...

    @property
    def form(self) -> str | int: ...


Attribute: TypeAlias = AttributeValue | Expression
"""An attribute of a DIE, or an expression in its unit."""

_NUMBERS: Final = {f"DW_AT_{name}": number for number, (name, _) in ROLES.items()} | {
    "DW_AT_const_value": dw.AT_CONST_VALUE
}
VARIABLE_ATTRIBUTES: Final = frozenset({dw.AT_LOCATION, dw.AT_CONST_VALUE})
"""Attributes that say where a variable is, or what it has."""
MEMBER_ATTRIBUTES: Final = frozenset({dw.AT_DATA_MEMBER_LOCATION, dw.AT_VTABLE_ELEM_LOCATION})
"""Attributes whose expression begins with the object on the stack (A.5.7.3, A.5.7.8)."""


@frozen(eq=False)
class AttributeSource:
    """An attribute of an entry."""

    number: int | None
    """DW_AT number; None for an expression."""
    source: LocationAttribute | int | Computed
    """An expression, a location list, an object's bytes, a constant, or the entry that has the
    value (DWARF 5 2.19)."""
    result: ResultKind | None
    """The kind of result that its section prescribes; None if both are allowed."""

    @property
    def holder(self) -> Die | None:
        """The entry whose value an attribute refers to; None for other attributes."""
        source = self.source
        return (
            source.source if isinstance(source, Computed) and type(source.source) is Die else None
        )

    @property
    def referred(self) -> str:
        """Return `DW_AT_count refers to n`; empty for other attributes."""
        if not isinstance(self.source, Computed) or self.holder is None:
            return ""
        named = self.holder.name or f"the DIE at {self.holder.offset:#x}"
        return f"{self.source.name} refers to {named}"


def described(attribute: Attribute, die: DIE, entry: Die) -> AttributeSource:
    """Return the object that an attribute of a DIE, or an expression, describes.

    `entry` is the DIE's. `UsageError` for an attribute that the DIE does not have, and for one that
    is neither an expression nor a location list nor a constant nor the entry of a value.
    """
    unit = entry.unit
    if not is_attribute(attribute):
        return AttributeSource(
            None, ExprLoc(bytes_of(attribute, unit.dialect, unit.format), unit), None
        )
    name = attribute.name
    number = _NUMBERS.get(name) if isinstance(name, str) else name
    value = None if number is None else entry.attribute(number)
    is_reference = value is not None and value.kind in REFERENCE_CLASSES
    if number is None or value is None or (is_reference and number not in MEASURES):
        shown = name if isinstance(name, str) else f"attribute {name:#x}"
        is_absent = number is not None and value is None
        problem = f"the DIE at {entry.offset:#x} has no {shown}" if is_absent else ""
        raise UsageError(
            problem or f"{shown} is not an expression, location list or constant of a DIE"
        )
    if attribute not in die.attributes.values():
        raise UsageError(
            f"this {name} is not that of the DIE at {entry.offset:#x}: "
            f"give die.attributes[{name!r}]"
        )
    source: LocationAttribute | int | Computed | None
    if is_reference:
        source = computed(entry, number)
    elif number in VARIABLE_ATTRIBUTES and (entry.tag in DATA or value.kind != "constant"):
        source = unit.location_attribute(entry)
    elif value.kind == "constant" and not is_list(value.form, value.kind, unit.format):
        source = entry.integer(number)
    else:
        source = unit.location_of(entry, number)
    assert source is not None
    return AttributeSource(number, source, ROLES[number][1].result if number in ROLES else None)


def is_attribute(attribute: object) -> TypeGuard[AttributeValue]:
    """Return whether it is an `AttributeValue`, not an expression."""
    return hasattr(attribute, "name") and hasattr(attribute, "form")
