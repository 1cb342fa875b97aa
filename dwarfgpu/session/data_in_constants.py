"""Where the data of an object without an address begins: of a constant string of Free Pascal, whose
type says that the characters are a byte behind the address."""

from __future__ import annotations

from dwarfgpu.errors import OutOfRange
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Implicit

_OBJECT = "push_object_address"


def displaced_in_constant(location: Location, source: ExprLoc | LocList) -> Location | None:
    """Return the data of a constant where DW_AT_data_location adds a number to its address; None
    for another object, and for another expression."""
    singles = location.single_locations
    if len(singles) != 1 or not isinstance(singles[0].storage, Implicit):
        return None
    count = _added(source) if isinstance(source, ExprLoc) else None
    if count is None:
        return None
    try:
        return location.displaced(8 * count)
    except OutOfRange:
        # An empty string ends before its first character.
        return location if singles[0].storage.size_bits == 8 * count else None


def _added(source: ExprLoc) -> int | None:
    """Return the number of bytes that an expression adds to the address of the object."""
    unit = source.unit
    instructions = prepare(source.expression, unit.dialect, unit.format).instructions
    names = [instruction.operation.name for instruction in instructions]
    if names == [_OBJECT, "plus_uconst"] or (
        names[:1] == [_OBJECT] and names[2:] == ["plus"] and names[1].startswith("const")
    ):
        operand = instructions[1].operands[0]
        return operand if isinstance(operand, int) else None
    is_literal = names[:1] == [_OBJECT] and names[2:] == ["plus"] and names[1].startswith("lit")
    return int(names[1].removeprefix("lit")) if is_literal else None
