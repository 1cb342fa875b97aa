"""Evaluate call site attributes in a context (AMD text A.3.4.2, DWARF 5 3.4).

Law: they are evaluated in the frame of the caller, at the call, and nowhere else.
"""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.calls.call_sites import CallSite
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.frame_attributes import located
from dwarfgpu.errors import IllFormed, InconsistentContext
from dwarfgpu.expr.context import Context, ExprLoc, UnitFormat, require
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import evaluate_attribute, register_of
from dwarfgpu.model.location import ImplicitPointerValue, Location
from dwarfgpu.model.storage import ImplicitPointer, Memory
from dwarfgpu.model.value import Value


def require_call(call: CallSite, caller: Die | None, context: Context) -> None:
    """Raise `InconsistentContext` unless the context is at the call, in a frame of its
    subprogram."""
    above: Die | None = call.die
    while above is not None and above != caller:
        above = above.parent()
    if above is None:
        raise InconsistentContext(
            f"the call at entry {call.die.offset:#x} and the call frame disagree: "
            "the frame is not of the subprogram that makes the call"
        )
    pc = require(context.pc, "program location")
    if not call.is_at(pc):
        raise InconsistentContext(
            f"the call at entry {call.die.offset:#x} and program location {pc:#x} disagree"
        )


def passed_value(attribute: ExprLoc, context: Context) -> Value | ImplicitPointerValue:
    """Return the value of DW_AT_call_value or DW_AT_call_data_value at the time of the call."""
    context = evolve(
        context, unit=attribute.unit, result_kind="value", object=None, initial_stack=()
    )
    value = evaluate_attribute(attribute, context)
    assert not isinstance(value, Location)
    return value


def passed_location(attribute: ExprLoc, context: Context) -> Location:
    """Return the location of DW_AT_location or DW_AT_call_data_location of a parameter of the
    call."""
    return located(attribute, context)


def target_address(attribute: ExprLoc, context: Context, *, is_clobbered: bool = False) -> int:
    """Return the address, as loaded, of DW_AT_call_target(_clobbered) (DWARF 5 3.4.1).

    The address is the value, or the address of a location in memory. Any other location contains
    it: compilers name the register of the indirect call, also where frames below saved it in
    memory.
    """
    name = "DW_AT_call_target_clobbered" if is_clobbered else "DW_AT_call_target"
    context = evolve(context, unit=attribute.unit, result_kind=None, object=None, initial_stack=())
    result = evaluate_attribute(attribute, context)
    if isinstance(result, Location) and (
        _is_register(attribute) or not isinstance(result.single_locations[0].storage, Memory)
    ):
        bits = context.access.retrieve(result, context.generic.bit_size)
        if isinstance(bits, ImplicitPointer):
            raise IllFormed(f"{name} gives an implicit pointer, not an address")
        return bits
    value = passed_value(attribute, context)
    if isinstance(value, ImplicitPointerValue) or not value.type.is_generic:
        raise IllFormed(f"{name} gives no value of the generic type")
    return value.bits


def _is_register(attribute: ExprLoc) -> bool:
    """Return whether an attribute is one operation, DW_OP_reg*."""
    instructions = decode(attribute.expression, AMD, UnitFormat()).instructions
    return len(instructions) == 1 and register_of(instructions[0]) is not None
