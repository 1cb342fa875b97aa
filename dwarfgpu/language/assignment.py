"""The assignment operator `=`: write to the machine, or keep a value under a name."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.bits import signed
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.constants import LANG_D, LANG_GO, WITH_TYPES_OF_C
from dwarfgpu.dwarf.types.type_sizes import size_bits, unpacked
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Function,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import (
    EvaluationError,
    Unavailable,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_fixed_point, is_floating
from dwarfgpu.language.array_expressions import require_same_array
from dwarfgpu.language.base_classes import is_same_class
from dwarfgpu.language.evaluation_options import Options, require_writable
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import INTERNAL, TypedValue, own_bits
from dwarfgpu.language.vectors import is_vector, why_sizes_differ
from dwarfgpu.model.location import Location, single_location_in
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.model.storage import Implicit, Memory
from dwarfgpu.session.bit_field import bit_order


def store(
    arithmetic: Arithmetic, options: Options, target: TypedValue, value: TypedValue
) -> TypedValue:
    """Write a value, converted to the type of the target."""
    objects = arithmetic.objects
    require_writable(options)
    if target.is_fixed:
        raise UsageError("Left operand of assignment is not a modifiable lvalue.")
    if target.type is INTERNAL:
        raise UsageError(f"Cannot overwrite convenience function {target.convenience}")
    if target.convenience is not None and options.keep is not None:
        copied = _copied(objects, decayed_in_memory(arithmetic, value), target.convenience)
        options.keep(target.convenience, copied)
        return copied
    if target.location is None and (target.part_of is None or options.keep is None):
        raise UsageError("Left operand of assignment is not an lvalue.")
    bare = strip(target.type)
    if isinstance(bare, Struct | Array):
        if _have_equal_elements(target, value):
            value = evolve(objects.read(value), location=None, variable=None)
            return _store_parts(options, objects, target, [
                (objects.element(target, n), arithmetic.cast(objects.element(value, n), kind))
                for n, kind in enumerate(_element_types(target))
            ])  # fmt: skip
        try:
            bits = objects.known(value)
        except (UndefinedBits, Unavailable):
            if target.location is None or not is_same_class(strip(value.type), bare):
                raise
            return _store_parts(options, objects, target, [*_members(objects, target, value)])
        is_of_parts = isinstance(strip(value.type), Struct | Array)
        if not is_of_parts or isinstance(bare, Struct) and isinstance(strip(value.type), Array):
            if is_vector(bare):
                raise UsageError("can only cast scalar to vector of same size")
            raise UsageError("Invalid cast.")
        require_same_array(value, bare)
        if bits.size_bits != target.size_bits:
            raise UsageError(
                why_sizes_differ(value.type, bare)
                if is_vector(bare)
                else "Assignment of an object of another size."
            )
        number = bits.value
    elif isinstance(bare, Base | Enum | Pointer | MemberPointer):
        number = arithmetic.stored(value, target)
        if options.warn is not None and not _fits(arithmetic, value, target):
            options.warn(f"Value does not fit in {target.size_bits} bits.")
    else:
        raise EvaluationError("Left operand of assignment is not a modifiable lvalue.")
    if target.location is None:
        return _with_part(objects, options, target, number)
    if target.is_register and _is_computed(target.location):
        raise UsageError("Attempt to assign to an unmodifiable value.")
    written = objects.write(target, number)
    if options.wrote is not None:
        options.wrote()
    return objects.read(written)


def _is_computed(location: Location) -> bool:
    """Return whether call frame information only computes a register, as the stack pointer of an
    outer frame, and nothing holds it (DWARF 5, 6.4.1)."""
    return any(isinstance(single.storage, Implicit) for single in location.single_locations)


def _have_equal_elements(target: TypedValue, value: TypedValue) -> bool:
    """Return whether a vector in the program has as many elements as the one that is assigned, and
    padding after them, as one of three elements."""
    to, from_ = strip(target.type), strip(value.type)
    return (
        target.location is not None
        and isinstance(to, Array)
        and isinstance(from_, Array)
        and (to.is_vector and from_.is_vector and to.dimensions == from_.dimensions)
        and None not in to.dimensions
        and _is_padded(target)
    )


def _is_padded(vector: TypedValue) -> bool:
    """Return whether an object is a vector with padding after its elements."""
    bare = strip(vector.type)
    if not isinstance(bare, Array) or not bare.is_vector or len(bare.dimensions) != 1:
        return False
    return (bare.dimensions[0] or 0) * (size_bits(bare.element) or 0) != vector.size_bits


def _element_types(vector: TypedValue) -> list[Type | None]:
    bare = strip(vector.type)
    assert isinstance(bare, Array) and bare.dimensions[0] is not None
    return [bare.element] * bare.dimensions[0]


def _store_parts(
    options: Options,
    objects: ObjectAccess,
    target: TypedValue,
    pairs: list[tuple[TypedValue, TypedValue]],
) -> TypedValue:
    """Write parts of an object that is not known as a whole: its padding, which has no value, stays
    as it is. Nothing is written if a part is unknown."""
    known = [(part, objects.known(of_value).value) for part, of_value in pairs]
    for part, number in known:
        objects.write(part, number)
    if options.wrote is not None:
        options.wrote()
    return objects.read(evolve(target, bits=None))


def _members(
    objects: ObjectAccess, target: TypedValue, value: TypedValue
) -> Iterator[tuple[TypedValue, TypedValue]]:
    """Yield the members of two objects of a type, those of members instead of these; a union is
    one."""
    pending = [iter([(target, value)])]
    while pending:
        pair = next(pending[-1], None)
        if pair is None:
            pending.pop()
            continue
        inner = _inner(objects, *pair)
        if inner is None:
            yield pair
        else:
            pending.append(inner)


def _inner(
    objects: ObjectAccess, target: TypedValue, value: TypedValue
) -> Iterator[tuple[TypedValue, TypedValue]] | None:
    """Return the members or elements of two objects; None for one that is set as a whole."""
    bare = strip(target.type)
    if isinstance(bare, Struct) and bare.kind != "union":
        if bare.declared.variant_parts:
            raise Unsupported("parts of an object with variants are not set together")
        members = (member for member in bare.members if not member.is_static)
        return ((objects.step(target, one), objects.step(value, one)) for one in members)
    if isinstance(bare, Array) and (isinstance(strip(bare.element), Struct) or _is_padded(target)):
        first, count = bare.lower_bound or 0, bare.dimensions[0] or 0
        indices = range(first, first + count)
        return ((objects.element(target, n), objects.element(value, n)) for n in indices)
    return None


def _with_part(
    objects: ObjectAccess, options: Options, target: TypedValue, number: int
) -> TypedValue:
    """Keep a convenience variable with another number in a part of it; return the part."""
    assert target.part_of is not None and options.keep is not None
    whole, first_bit = target.part_of
    size, endian = target.size_bits, objects.context.endian
    read = objects.read(whole)
    bits = objects.known(whole) if read.bits is None else read.bits  # the rest may be unknown
    assert whole.convenience is not None and size is not None
    if target.bit_size is not None and "big" in (endian, bit_order(target.type, endian)):
        raise Unsupported("bit-fields of convenience variables are not set in big-endian order")
    own = own_bits(target, Bits(number, size), endian)
    end = first_bit + own.size_bits
    before = bits.slice(0, first_bit, endian)
    behind = bits.slice(end, bits.size_bits - end, endian)
    changed = concatenate([before, own, behind], endian)
    options.keep(whole.convenience, evolve(whole, bits=changed))
    return evolve(target, bits=Bits(number, size))


def _fits(arithmetic: Arithmetic, value: TypedValue, target: TypedValue) -> bool:
    """Return whether a bit-field or a packed element can hold a number, with a sign or without one,
    as GDB has it."""
    bare, size = strip(target.type), target.bit_size or target.packed_bits
    if size is None or not isinstance(bare, Base | Enum) or is_floating(bare):
        return True
    if is_fixed_point(bare):
        return True
    if isinstance(bare, Base) and bare.base.encoding == "boolean":
        return True
    cast = arithmetic.number(arithmetic.cast(value, unpacked(bare))).value.integer
    number = signed(cast, 64)  # GDB's LONGEST
    return -(1 << size - 1) <= number < 1 << size


def decayed_in_memory(arithmetic: Arithmetic, value: TypedValue) -> TypedValue:
    """Return an array or function in memory as a pointer, as GDB keeps it in the languages with
    arrays of C; an array that is elsewhere, as a string, and a slice of D or Go stay arrays."""
    bare = strip(value.type)
    if not isinstance(bare, Array | Function):
        return value
    has_slices = value.unit is not None and value.unit.language in (LANG_D, LANG_GO)
    if has_slices and isinstance(bare, Array) and bare.is_value:
        return value
    if value.unit is not None and value.unit.style not in WITH_TYPES_OF_C:
        return value
    single = single_location_in(value.location)
    if single is None or not isinstance(single.storage, Memory) or single.byte_address is None:
        return value
    return arithmetic.decayed(value)


def _copied(objects: ObjectAccess, value: TypedValue, name: str) -> TypedValue:
    """Return a value as that of a convenience variable: contents and type, without a location."""
    if value.unit is not None and value.unit.style == "ada":
        from dwarfgpu.language.ada.indexing import array_unless_null  # few programs are in Ada

        if isinstance(strip(value.type), Struct):
            array = array_unless_null(objects, value)
            value = value if array is None else array
    value = objects.read(value)
    if value.error is not None and not isinstance(value.error, UndefinedBits):
        raise value.error
    from dwarfgpu.language.settled_values import settled  # most commands assign nothing

    value = settled(value, objects.session)
    return evolve(value, convenience=name, location=None, variable=None, is_fixed=False)
