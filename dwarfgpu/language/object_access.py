"""Read and write objects of a program, and select their parts.

Law: everything is read on demand: the location of a part is computed without reading the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.access.location_access import NO_BITS, too_large
from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.parameters import passed_parameters, with_parameters
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.dynamic_types import is_descriptor, is_dynamic
from dwarfgpu.dwarf.types.type_sizes import (
    element_type,
    extent_bits,
    lost_length,
    member_error,
    offset_bits,
    padding_bits,
    size_bits,
    strides_of,
)
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    Member,
    Pointer,
    Struct,
    Type,
    Unspecified,
    strip,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    LimitExceeded,
    MissingContext,
    OutOfRange,
    Unavailable,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.expr.implicit_conversions import constant_location, memory_location
from dwarfgpu.language.dereference import GENERIC_POINTER, Dereference
from dwarfgpu.language.member_lookup import no_member, path_to
from dwarfgpu.language.other_units import static_member
from dwarfgpu.language.typed_value import (
    TypedValue,
    is_in_register,
    is_of_memory,
    memory_in_gdbs_words,
    no_memory_access,
    own_bits,
    packed,
    why_no_address,
)
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, narrowed, single_location_in
from dwarfgpu.model.object import REASON_LOST, REASON_UNDESCRIBED, Bits
from dwarfgpu.model.storage import ImplicitPointer, Memory, Register
from dwarfgpu.session.bit_field import (
    as_stored,
    bit_order,
    has_turned_parts,
    read_field,
    stored_field,
    with_padding,
    write_field,
)
from dwarfgpu.session.object_contents import described_bits, object_bits, write_object
from dwarfgpu.session.read_variable import require_one_reading
from dwarfgpu.session.session import Session
from dwarfgpu.session.type_attributes import (
    PART_OF_COPY,
    VIRTUAL_OF_COPY,
    EnclosingObject,
    displaced,
)

_MOST_PARTS: Final = 1 << 14
"""Elements and components that one expression takes one by one: a second of processor time."""
_BITS_OF_A_PART: Final = 8 << 14
"""Contents of an object that take no longer than an element."""
_COMPONENTS: Final = {name: index for index, name in enumerate("xyzw")} | {
    f"{letter}{digit}": int(digit, 16) for letter in "sS" for digit in "0123456789abcdefABCDEF"
}
"""Components of vectors, as OpenCL and HIP call them."""


class ObjectAccess(Dereference):
    """Objects as the focus of a session sees them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.variables: dict[Variable, Session] = {}
        """The accessed variables, in order, and the session of the frame of each."""
        self._assumed: dict[str, None] = {}
        """What is assumed about the registers where variables are."""
        self._parts = 0

    # Contents

    def variable(self, variable: Variable, frame: Session | None = None) -> TypedValue:
        """Return a variable, not read yet unless it can only be evaluated as a whole; `frame` is
        its frame if that is not the one in focus."""
        if frame is None and variable.kind == "global" and self.session.is_absent:
            frame = self.session.focused(None)  # it needs no call frame
        self.variables[variable] = frame or self.session
        if frame is not None and frame is not self.session:
            objects = ObjectAccess(frame)
            value = evolve(objects.variable(variable), frame=frame)
            self._assumed |= dict.fromkeys(objects.assumed())
            return value
        kind = variable.type
        value = TypedValue(kind, unit=variable.unit, variable=variable)
        attribute = variable.location
        symbol = self.session.at_symbol(variable)
        if attribute is not None or symbol is not None:
            try:
                variable_location = (
                    None
                    if symbol or not attribute
                    else self.session.locate_variable(attribute, variable)
                )
                location = variable_location.location if variable_location else symbol
                if variable_location and variable_location.frame.preserved_by_callees:
                    notes = variable_location.frame.notes_on_preserved_registers()
                    self._assumed |= dict.fromkeys(notes)
                if variable_location and not isinstance(kind, Base):
                    require_one_reading(
                        variable, variable_location.location, variable_location.context.pc
                    )
                if location is not None and not location.is_undefined:
                    resolved = self.resolver.variable(kind, location)
                    if variable_location is not None:
                        variable_location = evolve(variable_location, object=resolved)
                    return evolve(
                        value,
                        type=resolved.type,
                        location=resolved.location,
                        variable_location=variable_location,
                    )
            except UndefinedBits as error:
                return evolve(value, error=error)
        return self._sized(self.read(value))

    def assumed(self) -> tuple[str, ...]:
        """Return the assumptions about registers on which the objects so far depend."""
        return tuple(dict.fromkeys((*self._assumed, *self.resolver.assumed())))

    def _sized(self, value: TypedValue) -> TypedValue:
        """Return an object without a location with its size, or with the error that explains why
        the size is unknown. As in GDB, an array keeps its `[variable length]` then."""
        if not is_dynamic(value.type):
            return value
        try:
            resolved = self.resolver.resolved(value.type, UNDEFINED_LOCATION)
        except DwarfGpuError as error:
            return evolve(value, error=value.error or error)
        bare = strip(resolved.type)
        if isinstance(bare, Array) and (why := lost_length(bare)) is not None:
            return evolve(value, error=value.error or UndefinedBits(why))
        return evolve(value, type=resolved.type)

    def read(self, value: TypedValue) -> TypedValue:
        """Return the value with its contents, or with the error in their place."""
        if value.bits is not None or value.pointer is not None or value.error is not None:
            return value
        if value.type is None:
            return evolve(value, bits=Bits(0, 0))
        try:
            self._refuse_turned(value)
            if isinstance(strip(value.type), Function):
                return self._read_function(value)
            if value.variable is not None and value.frame is not None:
                return ObjectAccess(value.frame)._read_variable(value, value.variable)
            if value.variable is not None:
                return self._read_variable(value, value.variable)
            return self._read(value)
        except OutOfRange as error:
            return evolve(value, error=_beyond_memory(value) or error)
        except DwarfGpuError as error:
            return evolve(value, error=error)

    def _read_function(self, value: TypedValue) -> TypedValue:
        """Read a function, which has no contents; as in GDB, its first byte must be readable."""
        location = value.location
        single = single_location_in(location)
        if location is not None and single is not None and isinstance(single.storage, Memory):
            try:
                self.context.access.read_bytes(location, 1)
            except Unavailable as error:
                where = self.address_text(single.storage.space, single.bit_offset // 8)
                _, _, reason = error.message.partition(": ")
                text = f"Cannot access memory at address {where}"
                raise Unavailable(f"{text}: {reason}" if reason else text) from None
        return evolve(value, bits=Bits(0, 0))

    def _read_variable(self, value: TypedValue, variable: Variable) -> TypedValue:
        reading = self.session.read(variable, variable_location=value.variable_location)
        value = evolve(
            value,
            type=reading.type,
            bits=reading.bits,
            pointer=reading.pointer,
            error=reading.failure,
            location=reading.location or value.location,
            notes=reading.notes,
        )
        if isinstance(value.error, OutOfRange):
            return evolve(value, error=_beyond_memory(value) or value.error)
        return self._checked(value)

    def _read(self, value: TypedValue) -> TypedValue:
        size, bare = value.size_bits, strip(value.type)
        is_symbol = isinstance(bare, Unspecified) and bare.is_of_symbol
        if size is None and (is_symbol or isinstance(bare, Array | Struct | Enum)):
            size = 0  # as GDB: an array of unknown length is where it is, others are incomplete
        if size is None:
            raise UsageError("The type of the object is incomplete: its size is unknown.")
        if value.location is None:
            raise UndefinedBits("value has been optimized out")
        location = narrowed(value.location, size)
        access = self.context.access
        is_pointer = any(
            isinstance(single.storage, ImplicitPointer) for single in location.single_locations
        )
        if is_pointer and not _has_parts(value.type):
            pointer = access.retrieve(location, size)
            assert isinstance(pointer, ImplicitPointer)
            return evolve(value, pointer=pointer)
        if value.bit_size is not None and bit_order(value.type, access.endian) != access.endian:
            bits = read_field(access, value.location, size, value.type)
            return self._checked(evolve(value, bits=as_stored(bits, value.type, access.endian)))
        kind = value.type if value.bit_size is None else None
        if isinstance(bare, Base):  # a piece of a register is no register
            location = value.location
        return self._checked(evolve(value, bits=object_bits(kind, size, location, self.context)))

    def _checked(self, value: TypedValue) -> TypedValue:
        """Turn a completely unreadable object into an error, with GDB's wording for memory."""
        bits = value.bits
        if bits is None or not bits.size_bits:
            return value
        if not bits.is_complete and value.bit_size is None:
            bits = with_padding(bits, strip(value.type))
            value = evolve(value, bits=bits)
        everything = (1 << bits.size_bits) - 1
        if bits.undefined == everything:
            why = _why_lost(bits)
            return evolve(value, error=UndefinedBits(f"value has been optimized out{why}"))
        if bits.unavailable != everything:
            missing = next(filter(is_of_memory, bits.reasons), None)
            if not bits.unavailable or missing is None or _has_parts(value.type):
                return value
            # As in GDB, a number has no value if one of its bytes cannot be read.
            return evolve(value, error=Unavailable(f"C{missing[1:]}"))
        if NO_BITS in bits.reasons and _has_parts(value.type):
            return value  # they may be implicit pointers
        location = value.location
        message = bits.why_unavailable or "the contents are not available"
        single = None if location is None else location.single_locations[0]
        if single is not None and isinstance(single.storage, Memory):
            where = self.address_text(single.storage.space, single.bit_offset // 8)
            message = no_memory_access(where, message)
        return evolve(value, error=Unavailable(message))

    def known(self, value: TypedValue) -> Bits:
        """Return the contents, with every bit known; an error otherwise."""
        bits = self.beginning(value)
        size_bits, limit = value.size_bits, self.context.limits.read_bytes
        if size_bits is not None and bits.size_bits < size_bits and size_bits > 8 * limit:
            raise too_large(size_bits, limit)
        return bits

    def beginning(self, value: TypedValue) -> Bits:
        """Return the contents as far as they are read, with every bit known: of an array that is
        too large, the first ones; an error otherwise."""
        value = self.read(value)
        if value.error is not None:
            raise value.error
        if value.pointer is not None:
            raise EvaluationError("a synthetic pointer has no number: it can only be dereferenced")
        assert value.bits is not None
        if value.bits.undefined:
            why = _why_lost(value.bits)
            raise UndefinedBits(f"value has been optimized out, at least in part{why}")
        if value.bits.unavailable:
            reason = value.bits.why_unavailable
            why = "" if reason is None else f": {reason}"
            raise Unavailable(f"value is not available, at least in part{why}")
        self.count_parts(value.bits.size_bits // _BITS_OF_A_PART)
        return value.bits

    def write(self, value: TypedValue, bits: int) -> TypedValue:
        """Write all single locations of an object; return the object without its old contents."""
        location, size = value.location, value.size_bits
        if location is None or isinstance(strip(value.type), Function):
            if value.error is not None:
                raise value.error
            raise UsageError("Left operand of assignment is not an lvalue.")
        if size is None:
            raise UsageError("The type of the object is incomplete: its size is unknown.")
        if value.variable is not None and not isinstance(
            location.single_locations[0].storage, Memory
        ):
            self._refuse_unread(self.read(value))
        self._refuse_turned(value)
        own = own_bits(value, Bits(bits, size), self.context.endian)
        bits, size = own.value, own.size_bits
        whole_bits = described_bits(value.type, size, location)
        if whole_bits < size - padding_bits(value.type):
            raise UndefinedBits(
                f"{REASON_UNDESCRIBED} {whole_bits} of {size} bits: the rest cannot be written"
            )
        try:
            if value.bit_size is None:
                write_object(value.type, whole_bits, location, bits, self.context)
            else:
                write_field(self.context.access, location, whole_bits, value.type, bits)
            self.session.forget_frames()
        except OutOfRange as error:
            raise _beyond_memory(value) or error from None
        except Unavailable as error:
            single = location.single_locations[0]
            if not isinstance(single.storage, Memory):
                raise
            where = self.address_text(single.storage.space, single.bit_offset // 8)
            raise Unavailable(no_memory_access(where, error.message)) from error
        return evolve(value, bits=None, pointer=None, error=None)

    def _refuse_turned(self, value: TypedValue) -> None:
        """Refuse a part of a packed object with components in the other byte order (DWARF 5
        5.7.6): its bits are no run of the object's."""
        if value.packed_bits is None or not isinstance(strip(value.type), Array | Struct):
            return
        if has_turned_parts(value.type, self.context.endian):
            raise Unsupported(
                "components that share bytes, in another byte order than the program's, are read "
                "and set one by one"
            )

    def _refuse_unread(self, value: TypedValue) -> None:
        """Refuse to write what cannot even be read as described: something else would change."""
        error = value.error
        if error is not None and (value.bits is None or not isinstance(error, Unavailable)):
            raise error

    # Parts

    def check_parts(self, count: int) -> None:
        """Raise `LimitExceeded` if the operators of the expression take too many elements and
        components with those that are to come, before they are taken one by one."""
        if self._parts + count > _MOST_PARTS:
            raise LimitExceeded(
                f"an expression takes more than {_MOST_PARTS} elements and components one by one, "
                f"each {_BITS_OF_A_PART >> 13} KiB of an object counted as one"
            )

    def count_parts(self, count: int) -> None:
        """Count elements and components; `element` and `step` do so. Raises as `check_parts`."""
        self.check_parts(count)
        self._parts += count

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
                raise _beyond_memory(value, first_bit) or error from None
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
            raise Unavailable(
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
        """Return the member of a structure at the end of a path."""
        for step in path:
            value = self.step(value, step)
        return value

    def step(self, value: TypedValue, member: Member) -> TypedValue:
        """Return a member or base class of the structure itself."""
        self.count_parts(1)
        bare = strip(value.type)
        assert isinstance(bare, Struct)
        if member.is_static:
            static = static_member(self.session, member)
            if static is not None:
                return self.variable(static)
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

    # Addresses

    def address_of(self, value: TypedValue) -> TypedValue:
        """Return `&object`: the address of an object in memory, as a pointer to its address
        space."""
        is_apart = value.bit_size is not None or is_in_register(value)
        single = None if is_apart else single_location_in(value.location)
        if single is None or not isinstance(single.storage, Memory):
            variable = None if is_apart else value.variable
            if variable is not None and variable.die.flag(dw.AT_DECLARATION):
                declared = self.read(value).error
                if isinstance(declared, MissingContext):
                    raise declared  # no file defines it
            constant = None if variable is None else self._address_of_constant(variable)
            if constant is not None:
                return constant
            raise UsageError(why_no_address(value))
        if single.byte_address is None:
            raise UsageError("Attempt to take address of value that does not start at a byte.")
        space, unit = single.storage.space, value.unit
        source_space = self.source_space(value, space)
        if space.number and space.number != source_space and single.byte_address == space.null:
            raise EvaluationError(
                f"{self.address_text(space, space.null)} is null: no object is there"
            )
        return self.pointer(value.type, space, single.byte_address, unit, source_space)

    def _address_of_constant(self, variable: Variable) -> TypedValue | None:
        """Return `&constant` of one that has a symbol, but no location."""
        from dwarfgpu.dwarf.scope.linked_variables import (
            address_of_constant,
        )  # few are described so

        address = address_of_constant(self.session.loaded_objects(), variable)
        if address is None:
            return None
        space = self.architecture.address_space(0)
        return self.pointer(variable.type, space, address, variable.unit)

    def source_space(self, value: TypedValue, space: AddressSpace) -> int:
        """Return the address space that the type of `&x` has in the source: that of the pointer
        which leads to the object, or of a pointer without qualifiers."""
        if value.source_space is not None:
            return value.source_space
        return self.declared_space(space, value.unit)

    def pointer(
        self,
        target: Type | None,
        space: AddressSpace,
        address: int,
        unit: CompilationUnit | None = None,
        source_space: int | None = None,
    ) -> TypedValue:
        """Return a pointer to an address of a space; its type may have another one in the
        source."""
        size = space.address_bits // 8
        other = source_space if space.number and source_space != space.number else None
        kind = Pointer(target, size_bytes=size, address_space=space.number, source_space=other)
        bits = Bits(address & (1 << 8 * size) - 1, 8 * size)
        return TypedValue(kind, bits=bits, unit=unit)

    def function(self, die: Die) -> TypedValue:
        """Return a function, located at its code."""
        start = Subprogram(die).entry
        assert start is not None  # it has code
        space = self.architecture.address_space(0)
        location = memory_location(self.context, space, start)
        return TypedValue(function_type(die), location, Bits(0, 0), unit=die.unit)


def function_type(die: Die) -> Function:
    """Return the type of a function from its entry."""
    types = types_of(die.unit)
    declared = declaration_of(die) if die.tag == dw.TAG_INLINED_SUBROUTINE else die
    described = with_parameters(declared)
    kind = types.build(described)
    assert isinstance(kind, Function)
    parameters = passed_parameters(declared, described, kind.parameters)
    result = types.type_of(declared)  # only the declaration may have it
    return Function(result, parameters, kind.is_prototyped, kind.is_variadic)


def _has_parts(type_: Type | None) -> bool:
    return isinstance(strip(type_), Struct | Array)


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


def _beyond_memory(value: TypedValue, skipped_bits: int = 0) -> DwarfGpuError | None:
    from dwarfgpu.language.beyond_memory import beyond_memory  # few objects

    return beyond_memory(value.location, value.size_bits, skipped_bits)


def _why_lost(bits: Bits) -> str:
    """Return `: ` and why a register with bits of the value is lost; empty if none is."""
    reason = next((text for text in bits.reasons if text.startswith(REASON_LOST)), None)
    return "" if reason is None else f": {reason.removeprefix(REASON_LOST)}"
