"""What is said of a number in an x87 register that is read as one of another type."""

from __future__ import annotations

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Base, strip
from dwarfgpu.expr.evaluate import Step
from dwarfgpu.expr.x87_registers import converted_from
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Register
from dwarfgpu.model.value import Value
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session


def conversion_of_object(session: Session, reading: Reading) -> list[str]:
    """Return what is said of the object of a reading; empty if it is not converted."""
    location, bare = reading.location, strip(reading.type)
    if reading.failure is not None or location is None or not isinstance(bare, Base):
        return []
    storage = location.single_locations[0].storage
    if not isinstance(storage, Register) or not converted_from(
        session.context(), location, bare.base
    ):
        return []
    return [_words(storage.register, bare.base)]


def conversion_of_value(step: Step) -> str | None:
    """Return what is said of the value of DW_OP_regval_type; None if it is not converted."""
    context, value = step.context, step.after[-1] if step.after else None
    if context is None or context.architecture is None or not isinstance(value, Value):
        return None
    number = step.instruction.operands[0]
    assert isinstance(number, int)
    register = context.architecture.register(number)
    location = Location((SingleLocation(Register(register)),))
    is_converted = converted_from(context, location, value.type) is not None
    return _words(register, value.type) if is_converted else None


def _words(register: RegisterInfo, base: BaseType) -> str:
    return f"{register} holds a number of the x87 extended format, converted to {base}"
