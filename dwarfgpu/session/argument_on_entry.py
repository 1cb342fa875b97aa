"""What the caller passed for an argument (DWARF 5 3.4): its value on entry, GDB's `n@entry`.

Law: only a call site says it. An argument that has another location at the entry of its function
than one register, or one slot of the caller's stack, has no value on entry; nor has that of an
inlined function, which is not passed anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Pointer, Type, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ExprLoc, LocationAttribute, LocList, UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import register_of
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.model.object import Bits
from dwarfgpu.session.entry_values import value_on_entry
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session


@frozen
class OnEntry:
    """What a call passed for an argument."""

    value: Reading
    """The argument; a reference as its address."""
    target: Reading | None = None
    """The object of a reference as it was at the call; None for other types."""


@frozen
class _Passed:
    """Where a caller passes an argument."""

    location: str
    """The operation that call sites have as its location: `reg5`, or `breg7 8` in the stack."""
    target: str | None
    """Operations for the object of a reference; None for one in the stack."""


def argument_on_entry(session: Session, argument: Variable) -> OnEntry | None:
    """Return the value of an argument on entry; None if the call does not describe it.

    A reading keeps the error of evaluating what the call says.
    """
    frame, _ = session.focus()
    passed = _passed(session, frame, argument)
    if passed is None:
        return None
    kind = argument.type
    value = _read(session, frame, argument, kind, passed.location)
    bare = strip(kind)
    if value is None or not isinstance(bare, Pointer) or bare.kind == "pointer":
        return None if value is None else OnEntry(value)
    if passed.target is None:
        return None
    # As in GDB: without its object a reference would show what the object is now.
    target = _read(session, frame, argument, bare.target, passed.target)
    return None if target is None else OnEntry(value, target)


def _passed(session: Session, frame: SubprogramFrame, argument: Variable) -> _Passed | None:
    """Return the register or the slot of the caller's stack in which an argument is passed; None if
    it is passed elsewhere."""
    subprogram, above = frame.subprogram, argument.die.parent()
    if subprogram is None or above is None or above.tag != dw.TAG_SUBPROGRAM:
        return None
    passed, entry = argument.passed, subprogram.entry
    attribute = argument.location if passed is None else passed.unit.location_attribute(passed)
    if attribute is None or entry is None:
        return None
    expression = _at_entry(attribute, entry)
    instructions = () if expression is None else _instructions(expression)
    if len(instructions) != 1:
        return None
    number = register_of(instructions[0])
    if number is not None:
        target = f"breg{number} 0" if number < 32 else f"bregx {number} 0"
        return _Passed(f"reg{number}" if number < 32 else f"regx {number}", f"{target}; deref")
    offset = next(iter(instructions[0].operands), None)
    stack_pointer = session.architecture.stack_pointer
    is_slot = instructions[0].operation.name == "fbreg" and isinstance(offset, int)
    if not is_slot or stack_pointer is None or not _has_cfa_as_base(subprogram):
        return None
    return _Passed(f"breg{stack_pointer} {offset!r}", None)


def _at_entry(attribute: LocationAttribute, entry: int) -> bytes | None:
    """Return the expression of a location where the function begins.

    An empty range that begins there counts: it ends before the first instruction.
    """
    if isinstance(attribute, ExprLoc):
        return attribute.expression
    return attribute.first_from(entry) if isinstance(attribute, LocList) else None


def _has_cfa_as_base(subprogram: Subprogram) -> bool:
    """Return whether the frame base is the CFA, from which callers count what they pass."""
    base = subprogram.frame_base
    if not isinstance(base, ExprLoc):
        return False
    names = [instruction.operation.name for instruction in _instructions(base.expression)]
    return names == ["call_frame_cfa"]


def _instructions(expression: bytes) -> Sequence[Instruction]:
    return decode(expression, AMD, UnitFormat()).instructions


def _read(
    session: Session, frame: SubprogramFrame, argument: Variable, kind: Type | None, source: str
) -> Reading | None:
    """Return what a call passes at a location as an object of a type; None if it does not say."""
    reading = Reading(argument, kind, session.lane)
    try:
        value = value_on_entry(frame, assemble(source, AMD, UnitFormat()))
        size = size_bits(kind)
    except DwarfGpuError as error:
        return evolve(reading, failure=error.with_traceback(None))
    if value is None or not size or value.type.bit_size < size:
        return None
    return evolve(reading, bits=Bits(value.bits & ((1 << size) - 1), size))
