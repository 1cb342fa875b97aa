"""What is said of a number in an x87 register that is read as one of another type."""

from __future__ import annotations

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Base, strip
from dwarfgpu.expr.x87_registers import converted_from
from dwarfgpu.model.storage import Register
from dwarfgpu.session.read_variable import Reading
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


def _words(register: RegisterInfo, base: BaseType) -> str:
    return f"{register} holds a number of the x87 extended format, converted to {base}"
