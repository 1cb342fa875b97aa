"""Values that call sites describe: those on entry to the callee, and registers of the caller
(DWARF 5 3.4; AMD text A.3.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.calls.call_sites import (
    CallSite,
    call_before,
)
from dwarfgpu.dwarf.calls.call_values import passed_value, target_address
from dwarfgpu.dwarf.calls.callees import enters
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context, ExprLoc, UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import base_register_of, register_of
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.ops.implicit import stack_value
from dwarfgpu.expr.ops.special_value import TYPED_REGISTERS
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.model.location import ImplicitPointerValue, Location
from dwarfgpu.model.value import Value

EntryValueSource: TypeAlias = bytes | Die
"""An expression for the location of the value, or the formal parameter."""


def call_site_returning_to(caller: CodeObject | None, return_pc: int) -> CallSite | None:
    """Return the call site that returns to a program location."""
    return None if caller is None else call_before(caller.scopes, return_pc)


def entry_value_from_call_site(
    callee: Subprogram, call: CallSite | None, passed: EntryValueSource, context: Context
) -> Value | None:
    """Evaluate a call-site parameter for a value on entry (DWARF 5 3.4); None if there is none.

    `passed` is a formal parameter, or an expression: the location of the argument, or `breg*,
    deref` for the target of a pointer in a register. `context` is that of the calling frame.
    `UndefinedBits` for a value in a frame that was given back before the call.
    """
    source, base = _typed_register(callee, passed) if isinstance(passed, bytes) else (passed, None)
    attribute = None if call is None else _attribute_of(call, source)
    if call is None or attribute is None or not _call_site_matches(call, callee, context):
        return None
    result = _value_at_call(call, attribute, context)
    if not isinstance(result, Value):
        return None
    if base is None:
        return result
    return Value(result.bits, base) if result.type.bit_size == base.bit_size else None


def entry_value_attribute(
    callee: Subprogram, call: CallSite, passed: EntryValueSource
) -> ExprLoc | None:
    """Return the attribute of a call with the value on entry; None if it has none."""
    return _attribute_of(
        call, _typed_register(callee, passed)[0] if isinstance(passed, bytes) else passed
    )


def register_from_call_site(
    callee: Subprogram, call: CallSite, number: int, context: Context
) -> Location | None:
    """Return the value of a register at a call, as a location; None if no parameter describes it.

    `context` is that of the calling frame.
    """
    parameter = call.passed_in(number)
    value = None if parameter is None else parameter.value
    if value is None or not _call_site_matches(call, callee, context):
        return None
    return stack_value(context, _value_at_call(call, value, context))


def _value_at_call(
    call: CallSite, attribute: ExprLoc, context: Context
) -> Value | ImplicitPointerValue:
    """Evaluate a call-site parameter; `UndefinedBits` for what the caller gave back before."""
    if call.is_tail_call:
        from dwarfgpu.session.left_frames import left_by  # few calls are so

        left_by(call, context.architecture).require_no_part_in(attribute)
    return passed_value(attribute, context)


def _call_site_matches(call: CallSite, callee: Subprogram, context: Context) -> bool:
    """Return whether what a call passes is what a function finds on entry."""
    from dwarfgpu.dwarf.calls.reentry import may_tail_call_itself  # few values are asked for

    if may_tail_call_itself(callee.die):
        return False
    # The callee may itself have ended in a tail call.
    if call.callee is not None:
        return enters(call.callee, callee.die)
    if call.target is None:
        return False
    try:
        address = target_address(call.target, context)
    except DwarfGpuError:
        return False
    return any(span.begin == address for span in callee.ranges)


def attributes_used(
    callee: Subprogram, call: CallSite, passed: EntryValueSource
) -> Iterator[ExprLoc]:
    """Return the attributes of a call from which `entry_value_from_call_site` computes an entry
    value."""
    if isinstance(passed, bytes):
        passed, _ = _typed_register(callee, passed)
    if call.callee is None and call.target is not None:
        yield call.target
    attribute = _attribute_of(call, passed)
    if attribute is not None:
        yield attribute
    elif isinstance(passed, bytes):  # its registers are those at the call
        for instruction in decode(passed, AMD, UnitFormat()).instructions:
            number = register_of(instruction)
            number = base_register_of(instruction) if number is None else number
            parameter = None if number is None else call.passed_in(number)
            if parameter is not None and parameter.value is not None:
                yield parameter.value


def _attribute_of(call: CallSite, passed: EntryValueSource) -> ExprLoc | None:
    """Return the attribute of a call with a value on entry."""
    if isinstance(passed, Die):
        return call.value_of(passed)
    expression = passed
    instructions = decode(expression, AMD, UnitFormat()).instructions
    if len(instructions) == 1 and (number := register_of(instructions[0])) is not None:
        parameter = call.passed_in(number)
        return None if parameter is None else parameter.value
    if len(instructions) == 2 and instructions[1].operation.name in ("deref", "deref_size"):
        number = _pointer_register(instructions[0])
        parameter = None if number is None else call.passed_in(number)
        if parameter is not None and parameter.data_value is not None:
            return parameter.data_value
    return call.value(expression)


def _pointer_register(instruction: Instruction) -> int | None:
    """Return the register of DW_OP_breg* with a displacement of 0."""
    return base_register_of(instruction) if instruction.operands[-1:] == (0,) else None


def _typed_register(callee: Subprogram, expression: bytes) -> tuple[bytes, BaseType | None]:
    """Return DW_OP_regval_type as the register, the place in call sites, and its type."""
    unit = callee.die.unit.full
    instructions = decode(expression, unit.dialect, unit.format).instructions
    if len(instructions) != 1 or instructions[0].operation.name not in TYPED_REGISTERS:
        return expression, None
    register, type_offset = instructions[0].operands
    assert isinstance(register, int) and isinstance(type_offset, int)
    name = f"reg{register}" if register < 32 else f"regx {register}"
    return assemble(name, unit.dialect, unit.format), unit.base_type(type_offset)
