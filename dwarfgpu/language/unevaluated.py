"""Unevaluated operands, such as that of `sizeof` (C 6.5.3.4)."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic, is_row, may_be_tagged
from dwarfgpu.dwarf.types.type_sizes import element_type, size_bits, strides_of
from dwarfgpu.dwarf.types.types import (
    UNKNOWN_SPACE,
    Array,
    Dynamic,
    Member,
    Pointer,
    Struct,
    renamed,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, Unavailable, UndefinedBits, UsageError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue, why_no_address
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, single_location_in
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Composite, Memory, Register
from dwarfgpu.session.session import Session
from dwarfgpu.view.scalars import MAX_BITS

NIL_SIZE: Final = "nil of Go has no type, and no size."


class Unevaluated(ObjectAccess):
    """Every variable has a location and every scalar is 0; nothing is read or written.

    Except for what a type depends on: as in C, the size of a variable length array is evaluated, so
    are the tag of an object of Ada, and the discriminant that selects the members of an object.
    """

    def variable(self, variable: Variable, frame: Session | None = None) -> TypedValue:
        try:
            value = super().variable(variable, frame)
        except DwarfGpuError:
            if is_dynamic(variable.type):
                raise
            value = TypedValue(variable.type, unit=variable.unit)
        return value if value.location else evolve(value, location=UNDEFINED_LOCATION)

    def dereferenced(self, value: TypedValue) -> TypedValue:
        bare = strip(value.type)
        is_unread = value.location is None or value.location.is_undefined
        if isinstance(bare, Pointer) and is_unread and is_row(bare.target):
            # The member of an object that is not read: the frame alone decides the length.
            with suppress(DwarfGpuError):
                row = self.resolver.resolved(bare.target, UNDEFINED_LOCATION)
                return TypedValue(row.type, UNDEFINED_LOCATION, unit=value.unit)
        if isinstance(bare, Pointer) and is_dynamic(bare.target):
            try:
                return ObjectAccess(self.session).dereferenced(value)
            except (Unavailable, UndefinedBits) as error:
                is_lost, dynamic = isinstance(error, UndefinedBits), strip(bare.target)
                form = dynamic.form if isinstance(dynamic, Dynamic) else None
                if not isinstance(form, Struct) and not (is_lost and isinstance(form, Array)):
                    raise
                # No bounds are known, but the components are, as in GDB: `whatis p.all` of null.
                return TypedValue(form, UNDEFINED_LOCATION, error=error, unit=value.unit)
        if isinstance(bare, Pointer) and may_be_tagged(bare.target):  # the tag says its type
            with suppress(DwarfGpuError):
                return ObjectAccess(self.session).dereferenced(value)
        if isinstance(bare, Pointer) and strip(bare.target) is None:
            return TypedValue(bare.target, location=UNDEFINED_LOCATION, unit=value.unit)
        return super().dereferenced(value)

    def step(self, value: TypedValue, member: Member) -> TypedValue:
        try:
            return super().step(value, member)
        except DwarfGpuError:
            if member.is_static or is_dynamic(member.type):
                raise
        part = evolve(self.unlocated_part(value, member.type), bit_size=member.bit_size)
        return evolve(part, location=UNDEFINED_LOCATION)

    def read(self, value: TypedValue) -> TypedValue:
        size = value.size_bits or 0
        bits = Bits(0, size if size <= MAX_BITS else 0)
        return evolve(value, bits=value.bits or bits, pointer=None, error=None)

    def check_size(self, size_bits: int) -> None:
        """Only the type is wanted, which may have any size."""

    def write(self, value: TypedValue, bits: int) -> TypedValue:
        return value

    def resolved(self, space: AddressSpace, address: int) -> tuple[AddressSpace, int]:
        return self.architecture.address_space(0), 0

    def at(self, space: AddressSpace, address: int) -> Location:
        return UNDEFINED_LOCATION

    def address_of(self, value: TypedValue) -> TypedValue:
        if value.bit_size is not None:
            raise UsageError(why_no_address(value))
        is_part = value.variable is None and _is_in_registers(value)
        if value.location is None or value.is_register or is_part:
            raise UsageError("Attempt to take address of value not located in memory.")
        space, unit = self._space_in_source(value), value.unit
        if space == UNKNOWN_SPACE:
            return TypedValue(Pointer(value.type, source_space=space), bits=Bits(0, 64), unit=unit)
        source = self.architecture.address_space(space)
        if source is self.space_of(Pointer(None), unit):
            source = self.architecture.address_space(0)
        return self.pointer(value.type, source, 0, unit)

    def element_of_pointer(self, pointer: TypedValue, element: TypedValue) -> TypedValue:
        """Return the element that an index after a pointer selects. As in GDB, which reads no
        pointer here, it is where the pointer is: one in a register has elements without address."""
        is_apart = _is_in_registers(pointer)
        return evolve(element, location=pointer.location) if is_apart else element

    def _space_in_source(self, value: TypedValue) -> int:
        """Return the address space of `&value` in the source; `UNKNOWN_SPACE` where that of a
        variable of OpenCL decides, which is nowhere."""
        if value.source_space is not None:
            return value.source_space
        single = single_location_in(value.location)
        if single is not None and isinstance(single.storage, Memory):
            return self.declared_space(single.storage.space, value.unit)
        has_spaces = self.architecture.address_space_named("generic") is not None
        may_be_opencl = value.unit is not None and value.unit.is_opencl is not False
        return UNKNOWN_SPACE if may_be_opencl and has_spaces else 0

    def element(self, value: TypedValue, index: int) -> TypedValue:
        bare = strip(value.type)
        if isinstance(bare, Array):
            kind = element_type(bare)
            is_far = len(bare.dimensions) > 1 and strides_of(bare) is None
            is_empty = size_bits(kind) == 0 or bare.dimensions[0] == 0
            if is_far or is_empty:  # the place is unknown, or there is none
                return evolve(self.unlocated_part(value, kind), location=UNDEFINED_LOCATION)
        first = bare.lower_bound if isinstance(bare, Array) else 0
        if isinstance(bare, Array) and bare.indexes and not bare.is_value:
            first = index  # of Ada, which is counted: each element has its own discriminants
        try:
            return super().element(value, first or 0)
        except UndefinedBits:
            kind = element_type(bare) if isinstance(bare, Array) else None
            dynamic = strip(kind)
            if not isinstance(dynamic, Dynamic) or not isinstance(dynamic.form, Struct):
                raise
            # The size of a record is lost, and its components are known.
            part = self.unlocated_part(value, renamed(kind, dynamic.form))
            return evolve(part, location=UNDEFINED_LOCATION)


def _is_in_registers(value: TypedValue) -> bool:
    """Return whether an object is in a register, or in pieces."""
    single = single_location_in(value.location)
    return single is not None and isinstance(single.storage, Register | Composite)
