"""Resolve types that depend on the running program, for one object.

Law: a resolved type needs no further evaluation for its size, except behind another descriptor or
inside a structure. The cost of a type is bounded, however it is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.types.class_parts import Method
from dwarfgpu.dwarf.types.dynamic_properties import (
    ComputedRange,
    Properties,
)
from dwarfgpu.dwarf.types.dynamic_types import (
    has_descriptor,
    is_descriptor,
    is_dynamic,
    may_be_tagged,
)
from dwarfgpu.dwarf.types.type_sizes import (
    extent_bits,
    lost_length,
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
    MemberPointer,
    Pointer,
    Range,
    Struct,
    Type,
    Unspecified,
    renamed,
    strip,
)
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    LimitExceeded,
    RemovedPointee,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.expr.wide_registers import in_wide_register
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import ImplicitPointer, Memory
from dwarfgpu.model.value import Value
from dwarfgpu.session.bit_field import read_field
from dwarfgpu.session.object_contents import location_bits, object_bits
from dwarfgpu.session.type_attributes import EnclosingObject, LocatedObject, TypeAttributes

RESOLUTIONS: Final = 20_000
"""Types resolved for one answer."""
NESTING: Final = 32
"""Types resolved inside one another."""


@frozen(eq=False)
class TypedObject:
    """An object: its type and where its data is."""

    type: Type | None
    location: Location
    is_whole: bool = True
    """Whether it is no part of an object of Ada whose tag cannot be followed."""


def may_point(type_: Type | None) -> bool:
    """Return whether an object of the type can be an implicit pointer: it has the size of one."""
    return isinstance(strip(type_), Pointer | MemberPointer | Base)


class Resolver:
    """Resolves types in one context, with one limit for all of them."""

    def __init__(
        self,
        context: Callable[[], Context],
        code_objects: Callable[[], Iterable[CodeObject]] | None = None,
    ) -> None:
        """`context` returns that of the focus; called when something must be evaluated.
        `code_objects` returns the files with the types of Ada that tags name."""
        self._attributes = TypeAttributes(context)
        self._code_objects = code_objects
        self.unknown_tags: dict[str, None] = {}
        """Which objects may have other types."""
        self._resolutions_left = RESOLUTIONS
        self._depth = 0

    @property
    def limits(self) -> Limits:
        """The limits of the context."""
        return self._attributes.context.limits

    def assumed(self) -> tuple[str, ...]:
        """Return the assumptions about registers on which the types so far depend, and which
        objects may have other types."""
        return (*self._attributes.assumed(), *self.unknown_tags)

    def range(self, values: ComputedRange) -> Range:
        """Return the values of a subtype; `UndefinedBits` if a bound is optimized out."""
        return self._attributes.range(values)

    def bound(self, values: ComputedRange, end: str) -> int:
        """Return the "lower" or "upper" bound of a subtype; `UndefinedBits` if it is optimized
        out."""
        return self._attributes.bound(values, end)

    # Objects

    def at(self, address: int) -> Location:
        """Return the memory location of an address in the default address space."""
        context = self._attributes.context
        space = require(context.architecture, "target architecture").address_space(0)
        return memory_location(context, space, address)

    def contents(self, placed: TypedObject) -> Bits:
        """Return the bits of an object; for an array that is too large to be read, the first
        ones."""
        location, context = placed.location, self._attributes.context
        size, bare = size_bits(placed.type), strip(placed.type)
        if size is None and isinstance(bare, Array) and (why := lost_length(bare)) is not None:
            raise UndefinedBits(why)
        if size is None:
            raise UsageError("The type of the object is incomplete: its size is unknown.")
        return object_bits(placed.type, size, location, context)

    def pointer(self, type_: Type | None, location: Location) -> ImplicitPointer | None:
        """Return the implicit pointer that an object is (A.2.5.4.4.5); None for any other
        contents."""
        size = size_bits(type_) if may_point(type_) else None
        return None if size is None else self._attributes.context.access.pointer(location, size)

    def bit_field(self, location: Location, bit_size: int, type_: Type | None) -> Bits:
        """Return the number of a bit-field of a type."""
        return read_field(self._attributes.context.access, location, bit_size, type_)

    def resolved(
        self, type_: Type | None, location: Location, around: EnclosingObject | None = None
    ) -> TypedObject:
        """Return the object at a location: its static type, and the location of its data."""
        if not is_dynamic(type_):
            return TypedObject(type_, location)
        if self._depth >= NESTING:
            raise LimitExceeded(f"types resolved more than {NESTING} levels deep")
        self._resolutions_left -= 1
        if self._resolutions_left < 0:
            raise LimitExceeded(f"more than {RESOLUTIONS} types resolved for one answer")
        self._depth += 1
        try:
            placed = self._resolved(type_, LocatedObject(location, around))
        finally:
            self._depth -= 1
        return TypedObject(renamed(type_, placed.type), placed.location)

    def referent(self, type_: Type | None, location: Location) -> TypedObject:
        """Return the object to which a pointer or reference leads: of a tagged type of Ada the
        whole one."""
        is_placed = self._code_objects is not None and not location.is_undefined
        if not is_placed or not may_be_tagged(type_):
            return self.resolved(type_, location)
        from dwarfgpu.session.tagged_objects import (
            TaggedObject,
            class_wide_root,
            is_tagged,
            unknown_tag,
        )

        is_known, type_ = True, class_wide_root(type_) or type_
        if self._code_objects is not None and is_tagged(type_):
            try:
                tagged = TaggedObject(type_, location, self._attributes.context, self.at)
                type_, location = tagged.whole(self._code_objects())
            except DwarfGpuError as error:
                self.unknown_tags[unknown_tag(type_, location, error)], is_known = None, False
        return evolve(self.resolved(type_, location), is_whole=is_known)

    def variable(self, type_: Type | None, location: Location) -> TypedObject:
        """Return the object of a variable, resolved; an object in a register has its low bits, and
        one that is larger is in the wider register that begins with it.

        One of an unspecified type without a size is as large as its location, if that ends. A
        reference to an array of C has the length that the array has now.
        """
        root = None
        form = type_.form if type(type_) is Dynamic else type_
        if type(form) is Struct and form.name is not None and is_decimal(form.name[-2:-1]):
            from dwarfgpu.session.tagged_objects import class_wide_root  # few names end so

            root = None if self._code_objects is None else class_wide_root(type_)
        resolved = self.referent(root, location) if root else self.resolved(type_, location)
        bare = strip(resolved.type)
        if isinstance(bare, Pointer) and bare.kind != "pointer" and is_dynamic(bare.target):
            resolved = evolve(resolved, type=self._with_length(resolved, bare))
        if isinstance(bare, Unspecified) and bare.size_bytes is None:
            size = location_bits(location)
            if size is not None:
                sized = evolve(bare, size_bytes=(size + 7) // 8)
                resolved = TypedObject(sized, resolved.location)
        size = size_bits(resolved.type) if resolved.location is location else None
        if size is None:
            return resolved
        location = in_wide_register(self._attributes.architecture, location, size)
        return TypedObject(resolved.type, location.of_object(size, self._attributes.endian))

    def _with_length(self, reference: TypedObject, bare: Pointer) -> Type | None:
        """Return the type of a reference with the length of the array to which it leads, if that is
        known, and no descriptor has it."""
        array_type = strip(bare.target)
        if isinstance(array_type, Dynamic) and has_descriptor(array_type):
            return reference.type
        try:
            address = self.contents(reference)
            if not address.is_complete:
                return reference.type
            target = self.resolved(bare.target, self.at(address.value)).type
        except DwarfGpuError:
            return reference.type  # what reads the array reports the error
        if not isinstance(strip(target), Array):
            return reference.type
        return renamed(reference.type, evolve(bare, target=target))

    def member(
        self,
        struct_type: Struct,
        location: Location,
        member: Member,
        outer: EnclosingObject | None = None,
    ) -> TypedObject:
        """Return a member or base class of the structure at a location (A.5.7.3)."""
        member_location = self.member_location(location, member)
        if member.bit_size is not None:
            return TypedObject(member.type, member_location)
        return self.resolved(
            member.type, member_location, EnclosingObject(struct_type, location, outer)
        )

    def member_location(self, location: Location, member: Member) -> Location:
        """Return where a member of the structure at a location begins."""
        return self._attributes.member_location(location, member)

    def slot(self, method: Method, instance: Location) -> Location:
        """Return the slot of a virtual function in the table of an object (A.5.7.8)."""
        if method.slot is None:
            raise UndefinedBits(f"{method.name} has no DW_AT_vtable_elem_location")
        return self._attributes.part_location(method.slot, instance)

    def pointed(self, kind: MemberPointer, value: Value, instance: Location) -> Location:
        """Return the member of an object to which a pointer to member points (A.5.14)."""
        if kind.use_location is None:
            raise Unsupported("a pointer to member without DW_AT_use_location")
        return self._attributes.part_location(kind.use_location, instance, (value,))

    def _resolved(self, type_: Type | None, about: LocatedObject) -> TypedObject:
        bare = strip(type_)
        if not isinstance(bare, Dynamic):
            assert isinstance(bare, Array | Struct)
            if isinstance(bare, Struct):
                return TypedObject(self._sized(bare, about), about.location)
            return TypedObject(self._with_element(bare, about.location, about), about.location)
        form, properties = bare.form, bare.properties
        if isinstance(form, Array) and (attribute := _attribute(properties)):
            form = evolve(form, attribute=attribute)
        if properties.associated is not None and not self._attributes.number(
            properties.associated, about
        ):
            return TypedObject(Absent(form, "not associated"), about.location)
        if properties.allocated is not None and not self._attributes.number(
            properties.allocated, about
        ):
            return TypedObject(Absent(form, "not allocated"), about.location)
        data = about.location
        if properties.data_location is not None:
            source = properties.data_location.source
            if isinstance(source, Die):
                raise IllFormed("DW_AT_data_location is a reference, not an expression")
            from dwarfgpu.session.data_in_constants import displaced_in_constant  # few types

            try:
                data = displaced_in_constant(about.location, source) or (
                    self._attributes.evaluate_location(source, object=about.location)
                )
            except RemovedPointee as error:
                raise UndefinedBits(error.message) from None
        if isinstance(form, Array):
            return self._array(form, properties, about, data)
        if properties.size_bits is not None and isinstance(form, Struct | Unspecified):
            size = (self._attributes.size(properties.size_bits, about) + 7) // 8
            return TypedObject(evolve(form, size_bytes=size), data)
        if isinstance(form, Struct) and is_dynamic(form):
            return TypedObject(self._sized(form, evolve(about, location=data)), data)
        return TypedObject(form, data)

    def _sized(self, struct_type: Struct, about: LocatedObject) -> Struct:
        """Return a structure that ends where its last member ends, with the lengths of its arrays,
        and with its members where they are in this object."""
        end = 0
        unplaced = next((part.error for part in struct_type.members if part.error), None)
        if unplaced is not None:
            raise unplaced.anew()
        members: list[Member] = []
        around = EnclosingObject(struct_type, about.location, about.around)
        for member in struct_type.members:
            members.append(member)
            if member.is_static:
                continue
            member_location = self.member_location(about.location, member)
            first, base = member_location.single_locations[0], about.location.single_locations[0]
            if first.storage != base.storage:
                continue
            size = member.declared_bit_size
            if size is None:
                resolved = self.resolved(member.type, member_location, around)
                array = resolved.type if isinstance(resolved.type, Array) else None
                if array is not None and (why := lost_length(array)) is not None:
                    raise UndefinedBits(why)
                size = size_bits(resolved.type)
                is_inside = resolved.location is member_location
                if is_inside and array is not None and is_dynamic(member.type):
                    members[-1] = evolve(member, type=array)
                if member.location is not None and not member.is_base_class:
                    offset = first.bit_offset - base.bit_offset
                    members[-1] = evolve(members[-1], location=None, bit_offset=offset)
            if size is None:
                raise IllFormed(
                    f"{struct_type.name or 'a structure'} has no size, nor has {member.name}"
                )
            end = max(end, first.bit_offset - base.bit_offset + size)
        end = max(end, self._end_of_variants(struct_type, about))
        return evolve(struct_type, size_bytes=(end + 7) // 8, members=tuple(members))

    def _end_of_variants(self, struct_type: Struct, about: LocatedObject) -> int:
        """Return where the last member ends, in bits, that an object has from its variant parts at
        a constant place; 0 if it has none."""
        parts, end = struct_type.declared.variant_parts, 0
        if not parts:
            return end
        from dwarfgpu.session.variants import variant_members  # few types have any

        def read(member: Member) -> Bits:
            placed = self.member(struct_type, about.location, member, about.around)
            if member.bit_size is not None:
                return self.bit_field(placed.location, member.bit_size, member.type)
            return self.contents(placed)

        for member in variant_members(parts, read):  # what is unknown has an error where it is
            if isinstance(member, Member) and member.location is None:
                bits = None if is_dynamic(member.type) else extent_bits(member)
                end = max(end, (member.bit_offset or 0) + (bits or 0))
        return end

    # Arrays

    def _array(
        self, form: Array, properties: Properties, about: LocatedObject, data: Location
    ) -> TypedObject:
        """Return the array that a descriptor describes, from its lowest address on."""
        from dwarfgpu.session.array_dimensions import ArrayDimensions  # most arrays are constant

        dimensions, lost_count = ArrayDimensions(self._attributes).measured(properties, about)
        if not dimensions:  # DWARF 5 5.5: rank 0 is a scalar
            return self.resolved(form.element, data, about.around)
        declared = form.declared_bits
        if properties.size_bits is not None:
            declared = self._attributes.size(properties.size_bits, about)
        lower_bounds = tuple(dimension.lower for dimension in dimensions)
        lasts = tuple(dimension.last_of_none for dimension in dimensions)
        strides = tuple(dimension.stride_bits for dimension in dimensions)
        kind = evolve(
            form,
            dimensions=tuple(dimension.count for dimension in dimensions),
            strides_bits=strides if any(stride is not None for stride in strides) else (),
            # The declared size is that of the descriptor, if there is one.
            declared_bits=declared if properties.data_location is None else None,
            lower_bounds=lower_bounds if any(bound != 0 for bound in lower_bounds) else (),
            lasts_of_none=lasts if any(last is not None for last in lasts) else (),
            lost_length=lost_count,
        )
        kind = self._with_element(kind, data, about)
        return TypedObject(kind, _lowest(kind, data))

    def _with_element(self, array_type: Array, data: Location, about: LocatedObject) -> Array:
        """Resolve elements that all have the same size; others stay as they are: descriptors, and
        records of Ada that are as large as their variant, at the stride of the array."""
        element = array_type.element
        bare = strip(element)
        if not is_dynamic(element):
            return array_type
        has_stride = array_type.strides_bits[-1:] not in ((), (None,))
        is_sized_by_parts = isinstance(bare, Struct) or (
            isinstance(bare, Dynamic) and bare.properties.size_bits is not None
        )
        if is_descriptor(bare) or (has_stride and is_sized_by_parts):
            return array_type
        return evolve(array_type, element=self.resolved(element, data, about.around).type)


def _attribute(properties: Properties) -> Literal["", "allocatable", "pointer"]:
    """Return which attribute of Fortran an array has by its descriptor."""
    if properties.allocated is not None:
        return "allocatable"
    return "" if properties.associated is None else "pointer"


def _lowest(array_type: Array, first: Location) -> Location:
    """Return the start of an array from its first element: strides may be negative.

    Addresses wrap around: a pointer of Fortran that is not associated yet has any descriptor, and
    its type is known all the same.
    """
    is_empty = 0 in array_type.dimensions
    if is_empty or not any(stride is not None and stride < 0 for stride in array_type.strides_bits):
        return first
    strides = strides_of(array_type) or ()
    steps = zip(array_type.dimensions, strides, strict=False)
    bits = -sum(offset_bits(stride, count or 0, 0) for count, stride in steps)
    single = first.single_locations[0]
    if isinstance(single.storage, Memory):
        bits = (single.bit_offset + bits) % single.storage.size_bits - single.bit_offset
    return first.displaced(bits)
