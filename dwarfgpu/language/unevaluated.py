"""Objects that nobody reads: the operand of `sizeof` is not evaluated (C 6.5.3.4)."""

from __future__ import annotations

from attrs import evolve

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.errors import UsageError
from dwarfgpu.language.places import Places
from dwarfgpu.language.value import TypedValue
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location
from dwarfgpu.model.object import Bits
from dwarfgpu.view.scalars import MAX_BITS


class Unevaluated(Places):
    """Every variable is somewhere and every scalar is 0; nothing is read or written."""

    def variable(self, variable: Variable) -> TypedValue:
        return TypedValue(variable.type, UNDEFINED_LOCATION, unit=variable.unit)

    def read(self, value: TypedValue) -> TypedValue:
        size = value.size_bits or 0
        bits = Bits(0, size if size <= MAX_BITS else 0)
        return evolve(value, bits=value.bits or bits, pointer=None, error=None)

    def write(self, value: TypedValue, bits: int) -> TypedValue:
        return value

    def at(self, space: AddressSpace, address: int) -> Location:
        return UNDEFINED_LOCATION

    def address_of(self, value: TypedValue) -> TypedValue:
        if value.location is None or value.bit_size is not None:
            raise UsageError("Attempt to take address of value not located in memory.")
        return self.pointer(value.type, self.architecture.address_space(0), 0, value.unit)

    def element(self, value: TypedValue, index: int) -> TypedValue:
        return super().element(value, 0)
