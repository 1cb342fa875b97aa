"""Select the parts of objects of a program: members, base classes, components and elements.

Law: the location of a part is computed without reading the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.dynamic_types import is_descriptor, is_dynamic
from dwarfgpu.dwarf.types.type_sizes import (
    element_type,
    extent_bits,
    lost_length,
    member_error,
    offset_bits,
    size_bits,
    strides_of,
)
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Member,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    OutOfRange,
    PartlyDescribed,
    UndefinedBits,
    UsageError,
)
from dwarfgpu.expr.implicit_conversions import constant_location
from dwarfgpu.language.dereference import GENERIC_POINTER
from dwarfgpu.language.member_lookup import no_member, path_to
from dwarfgpu.language.other_units import member_instances, static_member
from dwarfgpu.language.stored_objects import StoredObjects, error_beyond_memory
from dwarfgpu.language.typed_value import (
    TypedValue,
    memory_in_gdbs_words,
    packed,
)
from dwarfgpu.model.location import Location, single_location_in
from dwarfgpu.model.storage import Memory, Register
from dwarfgpu.session.bit_field import (
    stored_field,
)
from dwarfgpu.session.type_attributes import (
    PART_OF_COPY,
    VIRTUAL_OF_COPY,
    EnclosingObject,
    displaced,
)

_COMPONENTS: Final = {name: index for index, name in enumerate("xyzw")} | {
    f"{letter}{digit}": int(digit, 16) for letter in "sS" for digit in "0123456789abcdefABCDEF"
}
"""Components of vectors, as OpenCL and HIP call them."""


class ObjectParts(StoredObjects):
    """The parts of objects as the focus of a session sees them."""

    def part(
        self,
        value: TypedValue,
        type_: Type | None,
        first_bit: int,
        bit_size: int | None = None,
        packed_bits: int | None = None,
    ) -> TypedValue:
        """Return the part of an object at a bit offset, not read."""
        size = (size_bits(type_) if bit_size is None else bit_size) or 0
        out = packed(evolve(self.unlocated_part(value, type_), bit_size=bit_size), packed_bits)
        if value.location is None:
            value = self.read(value)
            if value.convenience is not None:
                out = evolve(out, part_of=(value, first_bit))
            elif value.part_of is not None:
                whole, at_bit = value.part_of
                out = evolve(out, part_of=(whole, at_bit + first_bit))
        bits = value.bits
        end = first_bit + (out.packed_bits or size)
        is_inside = bits is not None and 0 <= first_bit <= end <= bits.size_bits
        if bits is not None and is_inside:
            stored = bits.slice(first_bit, size, self.context.endian)
            if bit_size is not None:
                stored = stored_field(bits, first_bit, size, type_, self.context.endian)
            out = self._checked(evolve(out, bits=stored))
        if value.location is not None:
            self._check_upstream(value, first_bit + size)
            try:
                return evolve(out, location=displaced(value.location, first_bit))
            except OutOfRange as error:
                raise error_beyond_memory(value, first_bit) or error from None
        if value.error is not None:
            return evolve(out, error=value.error)
        if bits is None:
            raise EvaluationError("a synthetic pointer has no parts")
        if not is_inside:
            raise UsageError("no such vector element")
        return out

    def _check_upstream(self, value: TypedValue, end_bit: int) -> None:
        """Refuse what upstream clang's code cannot have: a vector register is one lane's dword, so
        its neighbours are others'."""
        assert value.location is not None
        storage = value.location.single_locations[0].storage
        if (
            value.unit is not None
            and value.unit.dialect.upstream_clang
            and value.variable is not None
            and isinstance(storage, Register)
            and storage.register.number in VECTOR_REGISTERS
            and end_bit > 32
        ):
            raise PartlyDescribed(
                f"upstream clang: {end_bit} bits in one lane of {storage.register}, which holds 32"
            )

    def member(self, value: TypedValue, name: str) -> TypedValue:
        """Return a member by name, also of anonymous structures and base classes."""
        bare = strip(value.type)
        count = None
        if isinstance(bare, Array) and bare.is_vector:
            count = bare.dimensions[0]
        elif isinstance(bare, Base):
            count = bare.base.vector_size
        if name in _COMPONENTS and (count is not None or isinstance(bare, Base)):
            index = _COMPONENTS[name]
            if count is not None and index >= count:
                raise UsageError(f"Invalid OpenCL vector component accessor {name}")
            return self.element(value, index)
        if not isinstance(bare, Struct):
            if isinstance(bare, Pointer) and strip(bare.target) is None:
                raise UsageError(GENERIC_POINTER)
            raise UsageError("Attempt to extract a component of a value that is not a structure.")
        path = path_to(bare, name)
        if path is None:
            raise no_member(bare, name)
        return self.along(value, path)

    def along(self, value: TypedValue, path: Sequence[Member]) -> TypedValue:
        """Return the member of a structure at the end of a path: a static one without the objects
        on the way, as that of a virtual base class, whose place is in memory."""
        if path and path[-1].is_static:
            return self.step(value, path[-1])
        for step in path:
            value = self.step(value, step)
        return value

    def step(self, value: TypedValue, member: Member) -> TypedValue:
        """Return a member or base class of the structure itself."""
        self.count_parts(1)
        bare = strip(value.type)
        assert isinstance(bare, Struct)
        if member.is_static:
            static = static_member(self.session, member, value.unit)
            if static is not None:
                return self.variable(static)
            if instances := member_instances(self.session, member):
                raise UsageError(f"There is no member named {member.name}.{instances}")
            undefined = UndefinedBits(f"{member.name} is declared, but no unit has it")
            return TypedValue(member.type, error=undefined, unit=value.unit)
        is_whole = member.bit_size is None
        error = member_error(bare, member, extent_bits(member))
        if error is not None:
            raise error
        if member.location is None and not (is_whole and is_dynamic(member.type)):
            first_bit, own = member.bit_offset or 0, member.declared_bit_size
            part = self.part(
                value, member.type, first_bit, member.bit_size, own if is_whole else None
            )
        elif (start := self._location_for(value, member)) is None:
            error = self.read(value).error
            if error is None:
                raise EvaluationError(VIRTUAL_OF_COPY if member.is_virtual else PART_OF_COPY)
            part = TypedValue(member.type, error=error, unit=value.unit)
        else:
            with memory_in_gdbs_words():
                member_object = self.resolver.member(bare, start, member, value.around)
            part = evolve(
                self.unlocated_part(value, member_object.type), location=member_object.location
            )
            part = evolve(part, bit_size=member.bit_size)
            part = packed(part, member.declared_bit_size) if is_whole else part
        if value.location is None:
            return part
        return evolve(part, around=EnclosingObject(bare, value.location, value.around))

    def _location_for(self, value: TypedValue, member: Member) -> Location | None:
        """Return where a structure is, to evaluate the place or the type of a member: its kept
        contents, if it is nowhere else, and the member describes data that is in another object."""
        if value.location is not None or not is_descriptor(member.type):
            return value.location
        bits = self.read(value).bits
        if bits is None or not bits.is_complete:
            return None
        endian = self.context.endian
        return constant_location(bits.to_bytes(endian), endian)

    def unlocated_part(self, value: TypedValue, type_: Type | None) -> TypedValue:
        """Return a part without its location and contents."""
        return TypedValue(
            type_,
            unit=value.unit,
            around=value.around,
            source_space=value.source_space,
            is_register=value.is_register,
            is_fixed=value.is_fixed,
            notes=value.notes,
        )

    def element(self, value: TypedValue, index: int) -> TypedValue:
        """Return an element of an array or a vector, by its index: arrays may have another lower
        bound than 0."""
        self.count_parts(1)
        bare = strip(value.type)
        if isinstance(bare, Absent):
            raise UsageError(f"no such vector element (vector {bare.state})")
        form = bare.form if isinstance(bare, Dynamic) else bare
        if value.error is not None and isinstance(form, Array) and size_bits(bare) is None:
            return evolve(self.unlocated_part(value, element_type(form)), error=value.error)
        if isinstance(bare, Array):
            kind, stride, count = element_type(bare), _stride_bits(bare), bare.dimensions[0]
            if bare.is_vector and isinstance(kind, Base) and kind.size_bits == 8:
                kind = evolve(kind, is_range=True)  # no character, as in GDB
            if bare.lower_bound is None and (why := lost_length(bare)) is not None:
                raise UndefinedBits(why)
            if bare.lower_bound is None:
                raise UsageError("The first index of the array is unknown.")
            index -= bare.lower_bound
        elif isinstance(bare, Base) and bare.base.vector_size:
            count = bare.base.vector_size
            stride = bare.base.bit_size // count
            name = bare.name.partition("[")[0]
            kind = Base(evolve(bare.base, name=name, bit_size=stride, vector_size=None))
        else:
            raise UsageError("Attempt to extract a component of a value that is not a structure.")
        if stride is None and isinstance(bare, Array) and _has_rows(bare):
            if index or is_dynamic(kind):
                raise unknown_stride(bare)
            return self.part(value, kind, 0)  # the first one is where the array is
        if stride is None or (not stride and size_bits(kind) is None):
            raise UsageError("The size of the array's elements is unknown.")
        has_values = isinstance(bare, Array) and bare.is_value  # of Rust, as `[(); 3]`
        if not stride and not size_bits(kind) and not has_values:
            raise UsageError("no such vector element")  # as GDB says where elements have no size
        location = value.location
        in_memory = location is not None and isinstance(
            location.single_locations[0].storage, Memory
        )
        if not in_memory and count is not None and not 0 <= index < count:
            raise UsageError("no such vector element")
        first_bit = offset_bits(stride, count or 0, index)
        single = single_location_in(location)
        if in_memory and single is not None and single.storage.size_bits is not None:
            start = single.bit_offset  # addresses wrap, as those of pointers do
            first_bit = (start + first_bit) % single.storage.size_bits - start
        if location is None or not is_dynamic(kind):
            return self.part(value, kind, first_bit, packed_bits=abs(stride))
        resolved = self.resolver.resolved(kind, displaced(location, first_bit), value.around)
        part = evolve(self.unlocated_part(value, resolved.type), location=resolved.location)
        return packed(part, abs(stride))


def _has_rows(array_type: Array) -> bool:
    """Return whether the elements of an array have an unknown length, not an unknown size of their
    own."""
    return len(array_type.dimensions) > 1 or lost_length(array_type) is not None


def unknown_stride(array_type: Array) -> DwarfGpuError:
    """Return the error for the elements of an array behind the first one, for rows without a known
    length."""
    why = lost_length(array_type)
    if why is not None:
        return UndefinedBits(why)
    is_of_rows = len(array_type.dimensions) > 1
    what = "length of the array's rows" if is_of_rows else "size of the array's elements"
    return UsageError(f"The {what} is unknown.")


def _stride_bits(array_type: Array) -> int | None:
    """Return the distance of two elements."""
    strides = strides_of(array_type)
    return None if strides is None else strides[0]
