"""Follow pointers: the address space of a pointer, the location of an address, and the object to
which a pointer, a reference or an implicit pointer points.

Law: addresses are interpreted as in AMD text A.5.3, and as in `docs/language.md` where it leaves a
choice. `dwarfgpu.expr.implicit_conversions` follows implicit pointers on the DWARF stack.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, cast

from dwarfgpu.arch.model import NO_APERTURES, AddressSpace, Apertures
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.address_class import space_of_class
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import UNKNOWN_SPACE, MemberPointer, Pointer, Type, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import EvaluationError, UndefinedBits, UsageError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.language.other_units import completed, several_completions
from dwarfgpu.language.typed_value import TypedValue, address_in, memory_in_gdbs_words
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session

GENERIC_POINTER: Final = "Attempt to dereference a generic pointer."
_LANGUAGE: Final = "the language, HIP or C++ for OpenCL"
NO_POINTER: Final = "Attempt to take contents of a non-pointer value."


def require_known_space(pointer_type: Pointer, unit: CompilationUnit | None) -> None:
    """Raise `EvaluationError` for a type that is generic in some languages or versions of OpenCL
    only."""
    if pointer_type.source_space == UNKNOWN_SPACE:
        is_opencl = unit is not None and unit.is_opencl
        what = "the version of OpenCL" if is_opencl else _LANGUAGE
        raise EvaluationError(
            f"whether the pointer is generic or private depends on {what}, which is unknown"
        )


class Dereference(ABC):
    """Pointers as the focus of a session sees them."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.architecture = session.architecture
        self.resolver = session.resolver()
        self.remarks: dict[str, None] = {}
        """Whose the classes are that only other files define, several of them."""

    def check_size(self, size_bits: int) -> None:
        """Raise `LimitExceeded` for a larger object than may be read, before it is made."""
        self.session.limits.check_object(size_bits)

    @cached_property
    def context(self) -> Context:
        """The context for memory, which can be read where the program location is in no code: it
        has no frame."""
        session = self.session
        return Context(
            architecture=session.architecture,
            wave=session.wave,
            lane=session.lane,
            target=session.target,
            limits=session.limits,
            comparison=session.comparison,
            x87_as_compilers=not session.strict,
        )

    @abstractmethod
    def read(self, value: TypedValue) -> TypedValue:
        """Return the value with its contents, or with the error in their place."""

    @abstractmethod
    def known(self, value: TypedValue) -> Bits:
        """Return the contents, with every bit known; an error otherwise."""

    def space_of(self, pointer_type: Pointer, unit: CompilationUnit | None) -> AddressSpace:
        """Return the address space of the target of a pointer (A.5.3; docs/language.md)."""
        arch = self.architecture
        if pointer_type.address_space:
            return arch.address_space(pointer_type.address_space)
        if arch.machine != "AMDGPU":
            return arch.address_space(0)
        if pointer_type.address_class and unit is not None:
            return space_of_class(pointer_type.address_class, unit, arch)
        generic = arch.address_space_named("generic")
        if pointer_type.memory_space or self.session.strict or generic is None:
            return arch.address_space(0)
        return generic

    def resolved(self, space: AddressSpace, address: int) -> tuple[AddressSpace, int]:
        """Return the address in its actual space (`actual_address`)."""
        if space is not self.architecture.address_space_named("generic"):
            return space, address
        from dwarfgpu.expr.generic_addresses import actual_address  # of GPUs alone

        lane, apertures = self.session.lane, self._apertures()
        return actual_address(self.architecture, space, address, lane, apertures)

    def in_space(self, address: int, from_: AddressSpace, to: AddressSpace) -> int:
        """Return the address of the same memory in another space; `EvaluationError` if there is
        none."""
        generic = self.architecture.address_space_named("generic")
        if generic is not None and {from_.number, to.number} == {0, generic.number}:
            return address  # global addresses are the same
        lane, apertures = self.session.lane, self._apertures()
        return self.architecture.convert(address, from_.number, to.number, lane, apertures)[0]

    def in_source(self, pointer: TypedValue) -> TypedValue:
        """Return a pointer in the address space that its type has in the source.

        `EvaluationError` if it has no address there; `Unavailable` where the aperture is unknown.
        """
        bare = strip(pointer.type)
        assert isinstance(bare, Pointer) and bare.source_space is not None
        require_known_space(bare, pointer.unit)
        space, source = map(
            self.architecture.address_space, (bare.address_space, bare.source_space)
        )
        address = self.known(pointer).value
        is_beyond = 2 * address >= space.end  # no GPU has that much: an index below 0 has wrapped
        if is_beyond and address != space.null:
            raise EvaluationError(
                f"{address_in(space, address)} is not in memory: it has no {source} address"
            )
        size_bytes = source.address_bits // 8
        is_default = source is self.space_of(Pointer(None), pointer.unit)
        kind = evolve(
            bare,
            address_space=0 if is_default else source.number,
            size_bytes=size_bytes,
            source_space=None,
        )
        bits = Bits(self.in_space(address, space, source), 8 * size_bytes)
        return TypedValue(kind, bits=bits, unit=pointer.unit)

    def declared_space(self, space: AddressSpace, unit: CompilationUnit | None) -> int:
        """Return the address space in the source of `&x` for a variable in a space: variables of
        OpenCL have qualifiers, which their pointers keep; `UNKNOWN_SPACE` where it is unknown
        whether the unit is of OpenCL."""
        if space.number and unit is not None and unit.is_opencl is not False:
            return UNKNOWN_SPACE if unit.is_opencl is None else space.number
        return self.unqualified_space(space, unit)

    def unqualified_space(self, space: AddressSpace, unit: CompilationUnit | None) -> int:
        """Return the address space in the source of `int *`, to which a pointer to a space is cast;
        `UNKNOWN_SPACE` where the version of OpenCL decides and is unknown."""
        if not space.number or unit is None:
            return space.number
        if unit.is_opencl is not False:
            from dwarfgpu.language.opencl.versions import has_generic_pointers  # few casts

            is_generic = has_generic_pointers(unit.sections.program.loaded)
            if not is_generic:
                is_known = unit.is_opencl and is_generic is not None
                return space.number if is_known else UNKNOWN_SPACE
        return self.space_of(Pointer(None), unit).number

    def null_of(self, pointer_type: Pointer, unit: CompilationUnit | None) -> int:
        """Return the number of null: in LDS and private memory an object may be at 0. A pointer of
        HIP whose type names an address space is null at 0 nevertheless, as clang has it."""
        is_opencl = False if unit is None else unit.is_opencl
        if pointer_type.source_space is None and is_opencl is False:
            return 0
        null = self.space_of(pointer_type, unit).null
        if null and pointer_type.source_space is None and is_opencl is None:
            raise EvaluationError(f"what null is depends on {_LANGUAGE}, which is unknown")
        return null

    def _apertures(self) -> Apertures:
        target = self.session.target
        return NO_APERTURES if target is None else target.apertures_of(self.session.wave)

    def at(self, space: AddressSpace, address: int) -> Location:
        """Return the location of an address; `MissingContext` if it needs a lane and there is
        none."""
        space, address = self.resolved(space, address)
        return memory_location(self.context, space, address)

    def address_text(self, space: AddressSpace, address: int) -> str:
        """Return `0x10` or `private_lane#0x10`."""
        return address_in(space, address)

    def dereferenced(self, value: TypedValue) -> TypedValue:
        """Return the object to which a pointer or reference points."""
        bare = strip(value.type)
        if isinstance(bare, MemberPointer):
            raise UsageError("Attempt to dereference pointer to member without an object")
        if not isinstance(bare, Pointer):
            raise UsageError(NO_POINTER)
        target = self.completed(bare.target)
        if strip(target) is None:
            raise UsageError(GENERIC_POINTER)
        if value.unit is not None:
            self.remarks.update(
                dict.fromkeys(several_completions(self.session, target, value.unit))
            )
        read, source_space = self.read(value), None
        if read.pointer is not None:
            try:
                location = self.pointee(read)
            except UndefinedBits as error:
                return TypedValue(target, error=error, unit=value.unit)
        else:
            number = self.known(read).value
            space = self.space_of(bare, value.unit)
            location = self.at(space, number)
            source_space = space.number if bare.source_space is None else bare.source_space
        with memory_in_gdbs_words():
            target_value = self.resolver.referent(target, location)
        return TypedValue(
            target_value.type,
            target_value.location,
            unit=value.unit,
            source_space=source_space,
        )

    def referred(self, value: TypedValue) -> TypedValue:
        """Return the object to which a reference refers, not read; another value as it is."""
        bare = strip(value.type)
        is_reference = isinstance(bare, Pointer) and bare.kind != "pointer"
        return self.dereferenced(value) if is_reference else value

    def completed(self, type_: Type | None) -> Type | None:
        """Return a class that is only declared in its unit as another unit defines it."""
        return completed(self.session, type_)

    def _frame_of(self, pointer: TypedValue) -> Session:
        """Return the session in the frame of an implicit pointer, which may be a kept one."""
        frame = pointer.frame or self.session
        if pointer.frame_stop is not None and pointer.frame_stop != frame.stop:
            raise UndefinedBits("the frame of the synthetic pointer has run since it was kept")
        return frame

    def pointee(self, value: TypedValue) -> Location:
        """Return the object to which a value that is an implicit pointer points (A.2.5.4.4.5)."""
        pointer, frame = value.pointer, self._frame_of(value)
        assert pointer is not None
        unit = cast(CompilationUnit, pointer.die.unit)
        die = unit.referred(pointer.die.section_offset)
        if (attribute := die.unit.location_attribute(die)) is None:
            raise UndefinedBits("value has been optimized out: what a synthetic pointer points to")
        size = size_bits(types_of(unit).type_of(die)) or 0
        from dwarfgpu.session.own_frame import require_frame_with  # few pointers are implicit

        its_frame, context = frame.focus()
        require_frame_with(die, attribute, its_frame, context.pc)
        location = frame.locate(attribute).of_object(size, self.context.endian)
        return location.displaced(pointer.displacement_bytes * 8)
