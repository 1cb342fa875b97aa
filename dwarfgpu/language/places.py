"""Objects of a program: reading, writing, their parts, and what they point to.

Law: nothing is read before it is needed: the location of a part is worked out, the whole is not
read. Addresses mean what AMD text A.5.3 says, and `docs/language.md` where it leaves a choice.
"""

from __future__ import annotations

from typing import Final, cast

from attrs import evolve

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.arch.model import NO_APERTURES, AddressSpace, Apertures
from dwarfgpu.backends.image import ImageTarget
from dwarfgpu.backends.state import StateTarget
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scopes import Subprogram, Variable
from dwarfgpu.dwarf.types import (
    MAX_CHAIN,
    Array,
    BareType,
    Base,
    Function,
    Member,
    Pointer,
    Struct,
    Type,
    size_bits,
    strip,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    OutOfRange,
    Unavailable,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.expr.context import Context, Unit
from dwarfgpu.expr.convert import memory_location
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.upstream import ADDRESS_SPACES
from dwarfgpu.language.value import TypedValue
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, narrowed
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Composite, ImplicitPointer, Memory, Register
from dwarfgpu.session import Session
from dwarfgpu.target import Target

_CLASSES_OF_2020: Final = {1: "global", 2: "region", 3: "local", 4: "global", 5: "private_lane"}
_CLASSES_TODAY: Final = {1: "global", 2: "global", 3: "local", 4: "private_lane", 0x8000: "region"}
"""DW_AT_address_class of AMD's compilers: the numbers became those of memory spaces."""
_LAST_OF_2020: Final = 14
"""The last LLVM whose AMD compilers wrote the address classes of the 2020 text."""
_COMPONENTS: Final = {name: index for index, name in enumerate("xyzw")} | {
    f"s{index:x}": index for index in range(16)
}
"""Components of vectors, as OpenCL and HIP call them."""
_DEPTH: Final = 64
"""Anonymous structures and base classes inside one another in which a member is looked for."""


class Places:
    """Objects as the focus of a session sees them."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.architecture = session.architecture
        # Memory can be read where the program location is in no code: this needs no frame.
        self.context = Context(
            architecture=session.architecture,
            wave=session.wave,
            lane=session.lane,
            target=session.target,
            limits=session.limits,
        )

    # Contents

    def variable(self, variable: Variable) -> TypedValue:
        """A variable, not read yet unless it can only be understood as a whole."""
        kind = variable.type
        value = TypedValue(kind, unit=variable.unit, variable=variable)
        attribute = variable.location
        if attribute is not None:
            location = self.session.locate(attribute)
            if not location.is_undefined:
                return evolve(value, location=location)
        return self.read(value)

    def read(self, value: TypedValue) -> TypedValue:
        """The value with its contents, or with the error in their place."""
        if value.bits is not None or value.pointer is not None or value.error is not None:
            return value
        if value.type is None or isinstance(strip(value.type), Function):
            return evolve(value, bits=Bits(0, 0))
        try:
            if value.variable is not None:
                return self._read_variable(value, value.variable)
            return self._read(value)
        except DwarfGpuError as error:
            return evolve(value, error=error)

    def _read_variable(self, value: TypedValue, variable: Variable) -> TypedValue:
        found = self.session.read(variable)
        value = evolve(
            value,
            bits=found.bits,
            pointer=found.pointer,
            error=found.error,
            location=found.location or value.location,
            notes=found.notes,
        )
        return self._checked(value)

    def _read(self, value: TypedValue) -> TypedValue:
        size = value.size_bits
        if size is None:
            raise UsageError("The type of the object is incomplete: its size is not known.")
        if value.location is None:
            raise UndefinedBits("value has been optimized out")
        location = narrowed(value.location, size)
        access = self.context.access
        if any(isinstance(place.storage, ImplicitPointer) for place in location.places):
            pointer = access.retrieve(location, size)
            assert isinstance(pointer, ImplicitPointer)
            return evolve(value, pointer=pointer)
        held = self._held_bits(value.type, size, location)
        bits = access.read(location, held)
        if held != size and not isinstance(location.places[0].storage, Composite):
            return self._checked(evolve(value, bits=evolve(bits, size_bits=size)))
        return self._checked(evolve(value, bits=bits.slice(0, size, access.endian)))

    def _held_bits(self, kind: Type | None, size: int, location: Location) -> int:
        """How many bits of an object its location has: composites may end early."""
        described = location.remaining_bits
        if described is None or described >= size:
            return size
        if all(isinstance(place.storage, Composite) for place in location.places):
            return described
        bare = strip(kind)
        form = bare.base.float_format if isinstance(bare, Base) else None
        return described if form is not None and form.size_bits == described else size

    def _checked(self, value: TypedValue) -> TypedValue:
        """An object none of whose bits can be read is an error, in GDB's words for memory."""
        bits = value.bits
        if bits is None or not bits.size_bits:
            return value
        everything = (1 << bits.size_bits) - 1
        if bits.undefined == everything:
            return evolve(value, error=UndefinedBits("value has been optimized out"))
        if bits.unavailable != everything:
            return value
        location = value.location
        message = next(iter(bits.reasons), "the contents are not available")
        place = None if location is None else location.places[0]
        if place is not None and isinstance(place.storage, Memory):
            where = self.address_text(place.storage.space, place.bit_offset // 8)
            message = f"Cannot access memory at address {where}"
        return evolve(value, error=Unavailable(message))

    def known(self, value: TypedValue) -> Bits:
        """The contents, every bit of them known; an error otherwise."""
        value = self.read(value)
        if value.error is not None:
            raise value.error
        if value.pointer is not None:
            raise EvaluationError("a synthetic pointer has no number: it can only be dereferenced")
        assert value.bits is not None
        if value.bits.undefined:
            raise UndefinedBits("value has been optimized out, at least in part")
        if value.bits.unavailable:
            raise Unavailable("value is not available, at least in part")
        return value.bits

    def write(self, value: TypedValue, bits: int) -> TypedValue:
        """Write all places of an object; the object again, to be read anew."""
        location, size = value.location, value.size_bits
        if location is None or isinstance(strip(value.type), Function):
            if value.error is not None:
                raise value.error
            raise UsageError("Left operand of assignment is not an lvalue.")
        if size is None:
            raise UsageError("The type of the object is incomplete: its size is not known.")
        if value.variable is not None and not isinstance(location.places[0].storage, Memory):
            self._refuse_unread(self.read(value))
        held = self._held_bits(value.type, size, location)
        try:
            self.context.access.write(location, held, bits)
        except Unavailable as error:
            place = location.places[0]
            if not isinstance(place.storage, Memory):
                raise
            where = self.address_text(place.storage.space, place.bit_offset // 8)
            raise Unavailable(f"Cannot access memory at address {where}") from error
        return evolve(value, bits=None, pointer=None, error=None)

    def _refuse_unread(self, value: TypedValue) -> None:
        """Writing what cannot even be read as described would change something else."""
        error = value.error
        if error is not None and (value.bits is None or not isinstance(error, Unavailable)):
            raise error

    # Parts

    def part(
        self, value: TypedValue, kind: Type | None, first_bit: int, bit_size: int | None = None
    ) -> TypedValue:
        """The part of an object at a bit offset, not read."""
        size = size_bits(kind) if bit_size is None else bit_size
        out = TypedValue(kind, bit_size=bit_size, unit=value.unit, notes=value.notes)
        if value.location is None:
            value = self.read(value)
            if value.bits is None:
                if value.error is not None:
                    return evolve(out, error=value.error)
                raise EvaluationError("a synthetic pointer has no parts")
            if first_bit < 0 or first_bit + (size or 0) > value.bits.size_bits:
                raise UsageError("no such vector element")
            bits = value.bits.slice(first_bit, size or 0, self.context.endian)
            return evolve(out, bits=bits)
        self._check_upstream(value, first_bit + (size or 0))
        return evolve(out, location=self._displaced(value.location, first_bit))

    def _displaced(self, location: Location, bits: int) -> Location:
        try:
            return location.displaced(bits)
        except OutOfRange:
            if all(isinstance(place.storage, Composite) for place in location.places) and bits > 0:
                return UNDEFINED_LOCATION  # producers leave out the last pieces: spec-notes.md
            raise

    def _check_upstream(self, value: TypedValue, end_bit: int) -> None:
        """Upstream clang: a vector register is one lane's dword, so its neighbours are others'."""
        assert value.location is not None
        storage = value.location.places[0].storage
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
        """A member by name, also of anonymous structures and base classes."""
        bare = strip(value.type)
        is_vector = isinstance(bare, Array) and bare.is_vector
        if name in _COMPONENTS and (is_vector or isinstance(bare, Base)):
            return self.element(value, _COMPONENTS[name])
        if not isinstance(bare, Struct):
            raise UsageError(
                f"Attempt to extract a component of a value that is not a structure"
                f"{' pointer' if isinstance(bare, Pointer) else ''}."
            )
        path = _path_to(bare, name)
        if path is None:
            raise UsageError(f"There is no member named {name}.")
        for step in path:
            value = self._step(value, step)
        return value

    def _step(self, value: TypedValue, member: Member) -> TypedValue:
        if member.bit_offset is not None:
            return self.part(value, member.type, member.bit_offset, member.bit_size)
        if member.location_expression is None or value.unit is None:
            raise Unsupported(f"the static member {member.name}: name it as Class::{member.name}")
        if value.location is None:
            raise EvaluationError(f"the place of {member.name} is told for objects in places only")
        # A.5.7.3: the object is unspecified, the location of the container is the initial stack.
        context = evolve(
            self.session.context(),
            unit=value.unit,
            result_kind="location",
            initial_stack=(value.location,),
        )
        location = evaluate(member.location_expression, context)
        assert isinstance(location, Location)
        return TypedValue(
            member.type, location, bit_size=member.bit_size, unit=value.unit, notes=value.notes
        )

    def element(self, value: TypedValue, index: int) -> TypedValue:
        """An element of an array or a vector."""
        bare = strip(value.type)
        if isinstance(bare, Array):
            kind = element_type(bare)
            stride = stride_bits(bare)
        elif isinstance(bare, Base) and bare.base.vector_size:
            stride = bare.base.bit_size // bare.base.vector_size
            name = bare.name.partition("[")[0]
            kind = Base(evolve(bare.base, name=name, bit_size=stride, vector_size=None))
        else:
            raise UsageError("Attempt to extract a component of a value that is not a structure.")
        if not stride:
            raise UsageError("The size of the array's elements is not known.")
        location = value.location
        in_memory = location is not None and isinstance(location.places[0].storage, Memory)
        whole = size_bits(bare)
        if not in_memory and whole is not None and not 0 <= index * stride <= whole - stride:
            raise UsageError("no such vector element")
        return self.part(value, kind, index * stride)

    # Addresses

    def space_of(self, kind: Pointer, unit: CompilationUnit | None) -> AddressSpace:
        """The address space of what a pointer points to (A.5.3; docs/language.md)."""
        arch = self.architecture
        if kind.address_space:
            return arch.address_space(kind.address_space)
        if arch.machine != "AMDGPU":
            return arch.address_space(0)
        if kind.address_class and unit is not None:
            return self._space_of_class(kind.address_class, unit)
        generic = arch.address_space_named("generic")
        if kind.memory_space or self.session.strict or generic is None:
            return arch.address_space(0)
        return generic

    def _space_of_class(self, address_class: int, unit: CompilationUnit) -> AddressSpace:
        """DW_AT_address_class, in its producer's numbers."""
        if unit.dialect.upstream_clang:
            space = self.architecture.address_spaces.get(ADDRESS_SPACES.get(address_class, -1))
        else:
            version = parse_producer(unit.producer).version
            is_old = version is not None and version <= _LAST_OF_2020
            name = (_CLASSES_OF_2020 if is_old else _CLASSES_TODAY).get(address_class)
            space = None if name is None else self.architecture.address_space_named(name)
        if space is None:
            raise IllFormed(f"DW_AT_address_class {address_class} is no AMDGPU address class")
        return space

    def resolved(self, space: AddressSpace, address: int) -> tuple[AddressSpace, int]:
        """The address in the space where it really is: generic ones are in an aperture or global.

        Other spaces, and generic null, stay as they are.
        """
        arch = self.architecture
        generic = arch.address_space_named("generic")
        if generic is None or space is not generic or not address:
            return (arch.address_space(0), 0) if space is generic else (space, address)
        apertures = apertures_of(self.session.target)
        everywhere, local = arch.address_space(0), arch.address_space_named("local")
        private = arch.address_space_named("private_lane")
        assert local is not None and private is not None
        for each in (local, everywhere):
            try:
                found, _ = arch.convert(
                    address, generic.number, each.number, self.session.lane, apertures
                )
            except DwarfGpuError:
                continue
            if each is local or found == address:
                return each, found
        found, _ = arch.convert(address, generic.number, private.number, None, apertures)
        return private, found

    def at(self, space: AddressSpace, address: int) -> Location:
        """The place of an address; `MissingContext` where it needs a lane and there is none."""
        space, address = self.resolved(space, address)
        return memory_location(self.context, space, address)

    def address_text(self, space: AddressSpace, address: int) -> str:
        """`0x10`, `private_lane#0x10`."""
        return f"{space.name}#{address:#x}" if space.number else f"{address:#x}"

    def dereferenced(self, value: TypedValue) -> TypedValue:
        """What a pointer or reference points to."""
        bare = strip(value.type)
        if not isinstance(bare, Pointer):
            raise UsageError("Attempt to take contents of a non-pointer value.")
        target = bare.target
        if strip(target) is None:
            raise UsageError("Attempt to take contents of a non-pointer value.")
        read = self.read(value)
        if read.pointer is not None:
            return TypedValue(target, self._pointee(read.pointer), unit=value.unit)
        number = self.known(read).value
        location = self.at(self.space_of(bare, value.unit), number)
        return TypedValue(target, location, unit=value.unit)

    def _pointee(self, pointer: ImplicitPointer) -> Location:
        """What a removed pointer points to (A.2.5.4.4.5)."""
        unit = cast(Unit, pointer.die.unit)
        attribute = unit.location_at(pointer.die.section_offset)
        if attribute is None:
            raise UndefinedBits("value has been optimized out: what a synthetic pointer points to")
        return self.session.locate(attribute).displaced(pointer.displacement_bytes * 8)

    def address_of(self, value: TypedValue) -> TypedValue:
        """`&`: the address of an object in memory, as a pointer to its address space."""
        location = value.location
        place = None if location is None or len(location.places) != 1 else location.places[0]
        if place is None or not isinstance(place.storage, Memory) or value.bit_size is not None:
            raise UsageError("Attempt to take address of value not located in memory.")
        if place.byte_address is None:
            raise UsageError("Attempt to take address of value that does not start at a byte.")
        return self.pointer(value.type, place.storage.space, place.byte_address, value.unit)

    def pointer(
        self,
        target: Type | None,
        space: AddressSpace,
        address: int,
        unit: CompilationUnit | None = None,
    ) -> TypedValue:
        """A pointer to an address of a space."""
        size = space.address_bits // 8
        kind = Pointer(target, size_bytes=size, address_space=space.number)
        bits = Bits(address & (1 << 8 * size) - 1, 8 * size)
        return TypedValue(kind, bits=bits, unit=unit)

    def function(self, die: Die) -> TypedValue:
        """A function, which is where its code is."""
        unit = die.unit
        kind = unit.info.types.build(die)
        assert isinstance(kind, Function)
        start = Subprogram(die).ranges[0].begin
        space = self.architecture.address_space(0)
        location = memory_location(self.context, space, start)
        return TypedValue(evolve(kind, name=None), location, Bits(0, 0), unit=unit)


def element_type(kind: Array) -> Type | None:
    """An element: of an array of several dimensions, an array of the others."""
    if len(kind.dimensions) == 1:
        return kind.element
    return evolve(kind, dimensions=kind.dimensions[1:], name=None, declared_bytes=None)


def stride_bits(kind: Array) -> int | None:
    """The distance of two elements."""
    if len(kind.dimensions) == 1 and kind.stride_bits is not None:
        return kind.stride_bits
    return size_bits(element_type(kind))


def apertures_of(target: Target | None) -> Apertures:
    """Where the machine's apertures are; those of gfx9 and later where it does not tell."""
    match target:
        case StateTarget():
            return target.apertures
        case ImageTarget():
            return apertures_of(target.machine)
        case _:
            return NO_APERTURES


def _path_to(kind: Struct, name: str) -> list[Member] | None:
    """The members from a structure to one of a name: its own first, then those of its parts."""
    pending: list[tuple[Struct, list[Member]]] = [(kind, [])]
    for _ in range(MAX_CHAIN):
        if not pending:
            return None
        current, path = pending.pop(0)
        inner: list[tuple[Struct, list[Member]]] = []
        for member in current.members:
            if member.name == name:
                return [*path, member]
            bare: BareType | None = None
            if (member.name is None or member.is_base_class) and len(path) < _DEPTH:
                bare = strip(member.type)
            if isinstance(bare, Struct):
                inner.append((bare, [*path, member]))
        pending += inner
    return None
