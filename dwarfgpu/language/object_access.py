"""Read and write objects of a program, select their parts, and take their addresses."""

from __future__ import annotations

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.parameters import passed_parameters, with_parameters
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.undecided_class import may_be_several_instances
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import (
    Function,
    Pointer,
    Type,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import (
    EvaluationError,
    MissingContext,
    UsageError,
)
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.language.object_parts import ObjectParts
from dwarfgpu.language.other_units import requalified
from dwarfgpu.language.typed_value import (
    TypedValue,
    is_in_register,
    why_no_address,
)
from dwarfgpu.model.location import single_location_in
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory


class ObjectAccess(ObjectParts):
    """Objects as the focus of a session sees them."""

    def dereferenced(self, value: TypedValue) -> TypedValue:
        """Return the object to which a pointer or reference points: of a class that may be several
        instances of a template, as that which the object says that it is."""
        pointed = super().dereferenced(value)
        if not may_be_several_instances(pointed.type):
            return pointed
        from dwarfgpu.language.created_class import instance_of_object  # few classes are so

        instance = instance_of_object(self, pointed)
        return evolve(pointed, type=requalified(instance, pointed.type)) if instance else pointed

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
        # Few are described so.
        from dwarfgpu.dwarf.scope.linked_variables import address_of_constant

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
