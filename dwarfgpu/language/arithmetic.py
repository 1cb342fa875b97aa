"""Operators on values: arithmetic of numbers by C's rules, of pointers by their target types."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.base_type import is_currency
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.scope.undecided_class import may_be_several_instances
from dwarfgpu.dwarf.types.dynamic_types import has_descriptor, is_dynamic
from dwarfgpu.dwarf.types.type_sizes import element_type, size_bits, spacing_bits
from dwarfgpu.dwarf.types.types import (
    UNKNOWN_SPACE,
    Array,
    BareType,
    Base,
    Dynamic,
    Enum,
    Function,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    Typedef,
    Unspecified,
    declared_name,
    strip,
    without_typedefs,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import EvaluationError, SeveralLines, UsageError
from dwarfgpu.language import complexes
from dwarfgpu.language.arithmetic_conversions import (
    Number,
    bounded,
    is_boolean,
    is_fixed_point,
    is_floating,
    is_integer,
    is_number,
)
from dwarfgpu.language.array_expressions import require_same_array
from dwarfgpu.language.base_class_casts import (
    converted,
    converted_pointer,
    kinship,
    pointed_class,
    require_defined,
    way_of_pointer,
)
from dwarfgpu.language.base_classes import is_same_class
from dwarfgpu.language.c_numbers import NOT_A_NUMBER, Numbers, holds, not_comparable
from dwarfgpu.language.complexes import COMPLEX, is_complex
from dwarfgpu.language.kinds_of_operands import OperandKind
from dwarfgpu.language.member_pointers import (
    are_same_members,
    converted_member,
    is_null,
    null_member,
)
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.other_units import require_one_instance
from dwarfgpu.language.pointer_addresses import PointerAddresses
from dwarfgpu.language.syntax.expression_language import language_of
from dwarfgpu.language.typed_value import TypedValue, why_no_address
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.vectors import VECTOR, is_vector, why_sizes_differ
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import ImplicitPointer, Memory
from dwarfgpu.model.value import is_nonzero

_NO_OPERAND = {
    "-": "Argument to negate operation not a number.",
    "+": "Argument to positive operation not a number.",
    "~": "Argument to complement operation not an integer, boolean.",
}


INVALID_FLOAT: Final = "Invalid floating value found in program."

_KINDS: Final = (COMPLEX, VECTOR)
"""Kinds of values of several parts; the first that includes an operand decides."""


def _kind_of(*operands: TypedValue) -> OperandKind | None:
    """Return the compound kind to which one of the operands belongs."""
    for kind in _KINDS:
        if any(kind.includes(operand.type) for operand in operands):
            return kind
    return None


def _is_currency(type_: Type | None) -> bool:
    bare = strip(type_)
    return isinstance(bare, Base) and is_currency(bare.base)


def _is_valid(number: Number) -> bool:
    """Return whether the bits are a number: some of x87's 80 bits are none."""
    form = number.value.type.float_format if number.is_float else None
    return form is None or form.is_valid(number.value.bits)


@frozen
class Arithmetic:
    """Operators for the focus of a session."""

    objects: ObjectAccess
    numbers: Numbers

    @property
    def pointer_addresses(self) -> PointerAddresses:
        """The addresses of pointers in the focus."""
        return PointerAddresses(self.objects)

    def value(self, number: Number) -> TypedValue:
        """Return a number as a value without a location."""
        return TypedValue(number.type, bits=self.numbers.bits(number))

    def number(self, value: TypedValue) -> Number:
        """Return the number of a known value; `UsageError` if its type has none, or if the bits are
        no number of x87."""
        number = self.unchecked_number(value)
        if not _is_valid(number):
            raise UsageError(INVALID_FLOAT)
        return number

    def unchecked_number(self, value: TypedValue) -> Number:
        """Return the number of a known value, even where it is no valid one of x87."""
        if value.type is None or not is_number(value.type):
            raise UsageError(NOT_A_NUMBER)
        number = self.numbers.of(value.type, self.objects.known(value))
        if value.constant_type is not None:
            return self.numbers.cast(number, value.constant_type)
        cplusplus = language_of(value.unit).is_cplusplus
        promoted = self.numbers.promotion(value.type, value.bit_size, cplusplus=cplusplus)
        return number if promoted is None else evolve(number, promotes_to=promoted)

    def of_whole_type(self, value: TypedValue) -> TypedValue:
        """Return a bit-field as a number with all bits of its type; any other value unchanged."""
        if value.bit_size is None:
            return value
        return evolve(self.cast(value, value.type), unit=value.unit)

    def address(self, value: TypedValue) -> int:
        """Return the number of an address: that of a pointer, an integer, or an array."""
        value = self.decayed(value)
        if isinstance(strip(value.type), Pointer):
            return self.objects.known(value).value
        number = self.number(value)
        if number.is_float:
            raise UsageError("An address must be an integer.")
        mask = (1 << self.numbers.builtins.architecture.address_bits) - 1
        return number.value.integer & mask

    def decayed(self, value: TypedValue) -> TypedValue:
        """Return an array as a pointer to its first element, and a function as a pointer to it (C
        6.3.2.1).

        And nullptr as a pointer to void (C++ [conv.ptr]).
        """
        bare = strip(value.type)
        if isinstance(bare, Unspecified) and bare.is_nullptr and bare.size_bytes is not None:
            void = Pointer(lambda: None, size_bytes=bare.size_bytes)
            return evolve(self.objects.read(value), type=void, variable=None)
        if isinstance(bare, Function):
            return self.objects.address_of(value)
        if not isinstance(bare, Array) or bare.is_vector:
            return value
        pointer_value = self.objects.address_of(value)
        pointer = pointer_value.type
        assert isinstance(pointer, Pointer)
        return evolve(pointer_value, type=evolve(pointer, target=element_type(bare)))

    def truth(self, value: TypedValue) -> bool:
        """Return whether a value is not 0; as in GDB, `void` is 0: a convenience variable that was
        never set is false. Of lanes the answer decides when it is used."""
        if value.type is None:
            return False
        if is_vector(value.type):  # C has no such condition; GDB's is that of all bits
            return self.objects.known(value).value != 0
        value = self.decayed(value)
        bare = strip(value.type)
        if isinstance(bare, Pointer | MemberPointer):
            value = self.objects.read(value)
            if isinstance(bare, MemberPointer):
                return not is_null(self.objects, value)
            return value.pointer is not None or not self._is_null_pointer(value, bare)
        if _is_currency(value.type):
            return self.objects.known(value).value != 0
        if is_complex(value.type):
            return any(bool(part.value) for part in complexes.parts_of(self, value))
        return is_nonzero(self.number(value).value)

    def _is_null_pointer(self, value: TypedValue, bare: Pointer) -> bool:
        return self.objects.known(value).value == self.objects.null_of(bare, value.unit)

    def binary(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
        """Apply an operator to two operands; pointers support `+` and `-`."""
        if operator in ("+", "-"):
            left, right = self.decayed(left), self.decayed(right)
            if operator == "+" and isinstance(strip(right.type), Pointer):
                left, right = right, left
            if isinstance(strip(left.type), Pointer):
                return self._moved(operator, left, right)
        kind = _kind_of(left, right)
        if kind is not None:
            return kind.binary(self, operator, left, right)
        return self.value(self.numbers.binary(operator, self.number(left), self.number(right)))

    def unary(self, operator: str, value: TypedValue) -> TypedValue:
        """Apply `-`, `+` or `~`."""
        kind = _kind_of(value)
        if kind is not None:
            return kind.unary(self, operator, value)
        if value.type is None or not is_number(value.type):
            raise UsageError(_NO_OPERAND[operator])
        return self.value(self.numbers.unary(operator, self.number(value)))

    def _moved(self, operator: str, pointer: TypedValue, by: TypedValue) -> TypedValue:
        """Return a pointer moved by elements, or the distance of two in elements."""
        bare = strip(pointer.type)
        assert isinstance(bare, Pointer)
        target = self._element(pointer)
        stride = 1 if target is None or isinstance(target, Function) else _spacing_bytes(target)
        if not stride:
            if operator == "-" and self._is_no_distance(pointer, by, target):
                return self.value(self.numbers.integer(0, self.numbers.builtins.long_bits))
            require_one_instance(target)
            name = declared_name(target)
            subject = "types" if name is None else f'type "{name}"'
            raise UsageError(
                f"Cannot perform pointer math on incomplete {subject}, "
                "try casting to a known type, or void *."
            )
        stride_type = strip(by.type)
        if isinstance(stride_type, Pointer):
            if operator == "+":
                raise UsageError(NOT_A_NUMBER)
            return self._distance(pointer, by, stride, _spacing_bytes(self._element(by)) or 1)
        number = self.number(by)
        if number.is_float:
            raise UsageError(NOT_A_NUMBER)
        count = number.value.integer * (stride if operator == "+" else -stride)
        kind = without_typedefs(pointer.type)  # as in GDB
        pointer = self.objects.read(pointer)
        if pointer.pointer is not None:
            moved = pointer.pointer.displacement_bytes + count
            removed = evolve(pointer.pointer, displacement_bytes=moved)
            return TypedValue(kind, pointer=removed, unit=pointer.unit)
        address = self.objects.known(pointer).value + count
        size = bounded(8 * bare.size_bytes)
        is_outside = address >> size != 0
        if (
            is_outside
            and bare.source_space is not None
            and not isinstance(self.objects, Unevaluated)
        ):
            return self._moved(operator, self.pointer_addresses.in_source(pointer), by)
        return TypedValue(kind, bits=Bits(address & (1 << size) - 1, size), unit=pointer.unit)

    def _element(self, pointer: TypedValue) -> BareType | None:
        """Return what a pointer points to, as an element of an array of such objects: a row of
        variable length (C 6.7.6.2) has the one that it has in the focus."""
        bare = strip(pointer.type)
        assert isinstance(bare, Pointer)
        target = strip(self.objects.completed(bare.target))
        form = target.form if isinstance(target, Dynamic) else target
        if not isinstance(form, Array) or not is_dynamic(target):
            return target
        if isinstance(target, Dynamic) and has_descriptor(target):
            return target
        return strip(self.objects.dereferenced(pointer).type)

    def _is_no_distance(self, left: TypedValue, right: TypedValue, target: Type | None) -> bool:
        """Return whether two pointers to one class are equal: their distance does not depend on
        which instance of a template that is."""
        other = strip(right.type)
        if not isinstance(other, Pointer) or not may_be_several_instances(target):
            return False
        if not is_same_class(target, self.objects.completed(other.target)):
            return False
        a, b = self.pointer_addresses.subtracted(left, right)
        return a == b

    def _distance(
        self, left: TypedValue, right: TypedValue, stride: int, other_stride: int
    ) -> TypedValue:
        if stride != other_stride:
            raise SeveralLines(
                "First argument of `-' is a pointer and second argument is neither\n"
                "an integer nor a pointer of the same type."
            )
        a, b = self.pointer_addresses.subtracted(left, right)
        distance = a - b
        count = abs(distance) // stride
        long_bits = self.numbers.builtins.long_bits
        return self.value(self.numbers.integer(count if distance >= 0 else -count, long_bits))

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool:
        """Compare two values; pointers compare with pointers and with integers. As in GDB, void is
        equal to void: a register that the processor lacks, and a variable that is not set."""
        if operator in ("==", "!=") and left.type is None and right.type is None:
            return operator == "=="
        if any(isinstance(strip(operand.type), MemberPointer) for operand in (left, right)):
            return self._are_same_members(operator, left, right)
        left, right = self._alike(self.decayed(left), self.decayed(right))
        removed = [self._removed(operand) for operand in (left, right)]
        if any(removed) and operator in ("==", "!="):
            return self._is_same(left, right, removed) == (operator == "==")
        are_pointers = [isinstance(strip(operand.type), Pointer) for operand in (left, right)]
        if all(are_pointers):
            if operator in ("==", "!="):
                return self.pointer_addresses.are_equal(left, right) == (operator == "==")
            x, y = self.pointer_addresses.ordered(left, right)
            return holds(operator, (x > y) - (x < y))
        if any(are_pointers):
            if is_floating(left.type) or is_floating(right.type):
                raise not_comparable(operator)
            addresses = self.pointer_addresses
            x, y = (self.address(addresses.in_source(operand)) for operand in (left, right))
            return holds(operator, (x > y) - (x < y))
        kind = _kind_of(left, right)
        if any(isinstance(strip(operand.type), Struct) for operand in (left, right)):
            raise not_comparable(operator)
        if kind is not None:
            return kind.compared(self, operator, left, right)
        return self.numbers.compared(operator, self.number(left), self.number(right))

    def _are_same_members(self, operator: str, left: TypedValue, right: TypedValue) -> bool:
        """Compare a pointer to member with another one, or with null."""
        if operator not in ("==", "!="):
            raise not_comparable(operator)
        if not isinstance(strip(left.type), MemberPointer):
            left, right = right, left
        assert left.type is not None
        if self._is_null_constant(right):
            right = null_member(self.objects, left.type)
        return are_same_members(self.objects, left, right) == (operator == "==")

    def _is_null_constant(self, value: TypedValue) -> bool:
        """Return whether a value that is assigned to a pointer to member, or compared with one, is
        null: 0 or nullptr."""
        bare = strip(value.type)
        if isinstance(bare, Unspecified):
            return bare.is_nullptr
        return is_integer(bare) and not self.number(value).value.integer

    def _member_pointer(
        self, value: TypedValue, type_: Type, *, is_cast: bool = True
    ) -> TypedValue:
        """Return a value as a pointer to member; `UsageError` unless it is one, or null."""
        if self._is_null_constant(value):
            return null_member(self.objects, type_)
        return converted_member(self.objects, value, type_, is_cast=is_cast)

    def _alike(self, left: TypedValue, right: TypedValue) -> tuple[TypedValue, TypedValue]:
        """Return two pointers to compare: one to a derived class becomes one to its base class."""
        left_type, right_type = strip(left.type), strip(right.type)
        if isinstance(left_type, Pointer) and isinstance(right_type, Pointer):
            left_target, right_target = (
                pointed_class(self.objects, left, left_type),
                pointed_class(self.objects, right, right_type),
            )
            way = way_of_pointer(left_target, right_target)
            if way is not None and way.is_up:
                return converted_pointer(self.objects, left, right_target), right
            if way is not None:
                return left, converted_pointer(self.objects, right, left_target)
        return left, right

    def _removed(self, value: TypedValue) -> ImplicitPointer | None:
        return self.objects.read(value).pointer if isinstance(strip(value.type), Pointer) else None

    def _is_same(
        self, left: TypedValue, right: TypedValue, removed: list[ImplicitPointer | None]
    ) -> bool:
        """Return whether two pointers, at least one of them synthetic, point to the same
        location."""
        if all(removed):
            return removed[0] == removed[1]
        other = right if removed[0] else left
        bare = strip(other.type)
        if isinstance(bare, Pointer):
            is_null = self._is_null_pointer(other, bare)
        else:
            is_null = self.address(other) == 0
        if is_null:
            return False  # an implicit pointer points to an object
        raise EvaluationError("a synthetic pointer has no number to compare")

    def cast(self, value: TypedValue, type_: Type | None) -> TypedValue:
        """Convert a value as `(kind) value`."""
        bare = strip(type_)
        if type_ is None or bare is None:
            return TypedValue(None, bits=Bits(0, 0))
        referred = bare.target if isinstance(bare, Pointer) and bare.kind != "pointer" else type_
        way = kinship(value.type, referred)
        if way is not None and referred is not None:
            part = converted(self.objects, value, way, referred)
            if isinstance(bare, Pointer) and referred is not type_:
                return self.referring(part, bare)
            return part
        keeps_bits = is_fixed_point(bare) or (is_boolean(bare) and value.bit_size is None)
        if keeps_bits and strip(value.type) == bare:
            return evolve(value, type=type_)
        if is_complex(type_) or (is_complex(value.type) and is_number(type_)):
            return complexes.cast(self, value, type_)
        if _is_currency(type_) or (_is_currency(value.type) and is_number(type_)):
            from dwarfgpu.language.pascal import (
                currency as currency_operators,  # few programs have them
            )

            return currency_operators.converted(self, value, type_)
        if referred is not type_:
            require_defined(value.unit, value.type, referred)
        is_of_vector = is_vector(value.type) and isinstance(bare, Base | Enum)
        if isinstance(bare, Struct | Array) or is_vector(type_) or is_of_vector:
            if isinstance(bare, Struct) != isinstance(strip(value.type), Struct):
                raise UsageError("Invalid cast.")
            require_same_array(value, bare)
            if size_bits(type_) != value.size_bits:
                raise UsageError(why_sizes_differ(value.type, type_))
            return evolve(value, type=type_, variable=None, unit=value.unit)
        if isinstance(bare, MemberPointer):
            return self._member_pointer(value, type_)
        if isinstance(bare, Pointer):
            if bare.kind != "pointer":
                return self.referring(value, bare)
            return self._pointer(value, type_, bare)
        if not isinstance(bare, Base | Enum):
            raise UsageError("Invalid cast.")
        if is_boolean(bare):
            value = self.decayed(value)
            kind = strip(value.type)
            if isinstance(kind, Pointer) and self.objects.null_of(kind, value.unit):
                is_true = self.numbers.integer(int(self.truth(value)))
                return self.value(self.numbers.cast(is_true, type_))
        number = self._scalar(value)
        if not _is_valid(number) and isinstance(bare, Base) and bare.base.encoding == "float":
            if bare.base.float_format != number.value.type.float_format:
                raise UsageError(INVALID_FLOAT)
            return TypedValue(type_, bits=self.objects.known(value))
        return self.value(self.numbers.cast(number, type_))

    def referring(self, value: TypedValue, kind: Pointer) -> TypedValue:
        """Return a reference of a type to an object in memory, in the address space of that, or to
        what is not evaluated; elsewhere, the object itself with the target type. A register is no
        object of the program: as in GDB, it is refused."""
        if value.is_register:
            raise UsageError(why_no_address(value))
        storage = None if value.location is None else value.location.single_locations[0].storage
        is_evaluated = not isinstance(self.objects, Unevaluated)
        if is_evaluated and storage is not None and not isinstance(storage, Memory):
            return evolve(value, type=kind.target, variable=None, bits=None)
        address = self.objects.address_of(value)
        source, target = strip(address.type), kind.target
        assert isinstance(source, Pointer)
        while isinstance(target, Typedef):  # as GDB names it
            target = target.target
        if source.address_space:
            kind = evolve(
                kind,
                size_bytes=source.size_bytes,
                address_space=source.address_space,
                address_class=None,
                source_space=source.source_space,
            )
        return evolve(address, type=evolve(kind, target=target))

    def _scalar(self, value: TypedValue) -> Number:
        """Return the number of a value; of a pointer or an array, its address as the source has
        it."""
        return self._number_of(self.pointer_addresses.in_source(self.decayed(value)))

    def _number_of(self, value: TypedValue) -> Number:
        """Return the number of a value that has decayed; of a pointer, its bits."""
        if isinstance(strip(value.type), Pointer | MemberPointer):
            assert value.type is not None
            return self.numbers.of(value.type, self.objects.known(value))
        if isinstance(strip(value.type), Struct):
            raise UsageError("Invalid cast.")
        return self.unchecked_number(value)

    def _pointer(self, value: TypedValue, type_: Type, bare: Pointer) -> TypedValue:
        """Return a cast to a pointer: it stays in the address space of the pointer that is cast,
        unless the type names one. A generic address is converted to that."""
        value = converted_pointer(self.objects, self.decayed(value), bare.target)
        value = self.objects.read(value)
        if value.pointer is not None:
            return evolve(value, type=type_, location=None, variable=None)
        source = strip(value.type)
        if bare.is_unqualified and (isinstance(source, Pointer) or self._is_long(value, bare)):
            type_ = bare = self.numbers.builtins.pointer(bare.target)
        if isinstance(source, Pointer):
            space = self.objects.space_of(source, value.unit)
            if bare.address_space or bare.address_class:
                return self._in_named_space(value, space, type_, bare)
            if space.number and space.name != "generic":
                type_ = self._in_space_of(source, space, bare, value.unit)
        return self.value(self.numbers.cast(self._number_of(value), type_))

    def _is_long(self, value: TypedValue, kind: Pointer) -> bool:
        """Return whether a number is more than an address of the kind of a pointer."""
        half = 1 << 8 * kind.size_bytes - 1
        return not -half <= self._number_of(value).value.integer < 2 * half

    def _in_space_of(
        self, source: Pointer, space: AddressSpace, bare: Pointer, unit: CompilationUnit | None
    ) -> Pointer:
        """Return a type without an address space as that of a pointer which is cast to it."""
        written = source.source_space
        if written is None:
            written = self.objects.unqualified_space(space, unit)
        if isinstance(self.objects, Unevaluated) and written not in (space.number, UNKNOWN_SPACE):
            return bare
        return evolve(
            bare,
            address_space=space.number,
            size_bytes=space.address_bits // 8,
            source_space=None if written == space.number else written,
        )

    def _in_named_space(
        self, value: TypedValue, space: AddressSpace, type_: Type, bare: Pointer
    ) -> TypedValue:
        """Return a pointer as one whose type names its address space."""
        objects, source = self.objects, strip(value.type)
        to = objects.space_of(bare, value.unit)
        assert isinstance(source, Pointer)
        is_generic = source.source_space is not None or "generic" in (space.name, to.name)
        if to is space or not is_generic or isinstance(objects, Unevaluated):
            return self.value(self.numbers.cast(self._number_of(value), type_))
        return self.in_space(value, to, type_)

    def in_space(self, value: TypedValue, to: AddressSpace, type_: Type) -> TypedValue:
        """Return a pointer converted to a pointer of an address space, as the program does it."""
        value = self.pointer_addresses.in_source(value)
        source = strip(value.type)
        assert isinstance(source, Pointer)
        from_ = self.objects.space_of(source, value.unit)
        address = self.objects.in_space(self.objects.known(value).value, from_, to)
        return self.value(
            self.numbers.cast(self.numbers.integer(address, 64, is_signed=False), type_)
        )

    def assigned(
        self, value: TypedValue, type_: Type | None, unit: CompilationUnit | None
    ) -> TypedValue:
        """Return a value converted to the type of an object of a unit. An address in another space
        is converted to that of the pointer, as in the program: of a private variable to a generic
        one.

        `EvaluationError` for spaces without a conversion.
        """
        if type_ is not None and isinstance(strip(type_), MemberPointer):
            return self._member_pointer(value, type_, is_cast=False)
        converted = self.cast(value, type_)
        source, bare = strip(converted.type), strip(type_)
        if type_ is None or not isinstance(source, Pointer) or not isinstance(bare, Pointer):
            return converted
        if converted.pointer is not None or source is bare:
            return converted
        objects = self.objects
        from_, to = objects.space_of(source, converted.unit), objects.space_of(bare, unit)
        if from_ is to or isinstance(objects, Unevaluated):
            return converted
        return self.in_space(converted, to, type_)

    def stored(self, value: TypedValue, target: TypedValue) -> int:
        """Return the bits of a value converted to the type of the object to which it is assigned.

        Of a bit-field its number, whatever its byte order.
        """
        converted = self.assigned(value, target.type, target.unit)
        bits = self.objects.known(converted).value
        if target.bit_size is not None and is_number(converted.type):
            bits = self.number(converted).value.bits
        size = target.size_bits
        assert size is not None
        if bits.bit_length() <= size:  # of an object that may be too large to write
            return bits
        return bits & (1 << size) - 1


def _spacing_bytes(type_: Type | None) -> int | None:
    bits = spacing_bits(type_)
    return None if bits is None else (bits + 7) // 8
