"""What expressions of Go have besides those of C: elements of slices and strings, `len`, `cap` and
`unsafe.Sizeof`, promoted fields, comparisons with `nil`, and `^x` (The Go Programming Language
Specification).

gc describes slices, strings and interfaces as structures, and says in attributes of its own what
they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.go_kinds import SLICE, STRING, go_kind
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import (
    MAX_TYPE_BITS,
    Array,
    Base,
    Function,
    Member,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import EvaluationError, LimitExceeded, Malformed, Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.c_numbers import holds
from dwarfgpu.language.concatenation import joined
from dwarfgpu.language.dynamic_indexing import require_range, sliced_elements, with_members
from dwarfgpu.language.go.types import go_type
from dwarfgpu.language.member_lookup import is_embedded
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION

INTERFACES: Final = ("runtime.eface", "runtime.iface")
"""The structures of interfaces, without methods and with some."""
_LENGTHS: Final = {"len": ("count", "used", "qcount"), "cap": ("dataqsiz",)}
"""The members of the runtime's maps and channels that have the length or capacity."""
_MAPS: Final = ("hash<", "map<")
_OF_RUNTIME: Final = (*_MAPS, "hchan<")
"""How the names of these structures begin, before the types of the keys and elements."""
BUILTINS: Final = frozenset(_LENGTHS)
_MOST_FIELDS: Final = 10_000


def array_of(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the elements of a slice or the bytes of a string together; any other value as it is.
    Where nothing is evaluated, their number is unknown."""
    bare = strip(value.type)
    if not isinstance(bare, Struct) or go_kind(bare) not in (SLICE, STRING):
        return value
    return _elements(objects, value, bare, _at(bare, 1))


def _elements(objects: ObjectAccess, value: TypedValue, bare: Struct, length: Member) -> TypedValue:
    """Return as many elements as a member of a slice or string says."""
    first = _at(bare, 0)
    pointer = strip(first.type)
    if not isinstance(pointer, Pointer):
        return value
    element = pointer.target
    if isinstance(objects, Unevaluated):
        return TypedValue(Array(element, (None,)), UNDEFINED_LOCATION, unit=value.unit)
    address = objects.known(objects.read(objects.step(value, first))).value
    count = _number(objects, objects.step(value, length))
    if not 0 <= count <= MAX_TYPE_BITS // (size_bits(element) or 1):
        raise Malformed(f"the length of the {bare.name} is {count}")
    location = objects.resolver.at(address)
    return TypedValue(Array(element, (count,), is_value=True), location, unit=value.unit)


def require_no_map(pointer: Pointer) -> None:
    """Raise `Unsupported` for what a map is: a pointer to its header, which is no array."""
    target = strip(pointer.target)
    if isinstance(target, Struct) and (target.name or "").startswith(_MAPS):
        raise Unsupported("no key of a map of Go is looked up: print *m shows the header of m")


def element_of(type_: Type | None) -> Type | None:
    """Return the type of the elements of a slice or a string."""
    bare = strip(type_)
    pointer = strip(_at(bare, 0).type) if isinstance(bare, Struct) else None
    return pointer.target if isinstance(pointer, Pointer) else None


def slice_expression(
    objects: ObjectAccess, value: TypedValue, low: int, high: int | None, limit: int | None
) -> TypedValue:
    """Return `value[low:high]` ("Slice expressions"): of a string one, and of a slice or an array
    the elements, with their capacity.

    What is sliced may be a slice expression, too. `limit`: the third index. `UsageError` for a part
    that it has not.
    """
    bare = strip(value.type)
    if is_string(value):
        if limit is not None:
            raise UsageError("A string of Go has no slices with three indices.")
        return _part_of_string(objects, value, low, high)
    if isinstance(objects, Unevaluated) and (go_kind(bare) == SLICE or value.capacity is not None):
        return _part_of_unknown(objects, array_of(objects, value), low, high)
    room = _with_room(objects, value)
    whole = strip(room.type)
    if not isinstance(whole, Array) or not whole.dimensions or whole.dimensions[0] is None:
        return sliced_elements(objects, value, low, high)
    capacity = whole.dimensions[0] if limit is None else limit
    high = _count_of(objects, value) if high is None else high
    assert high is not None
    require_range(high, capacity, whole.dimensions[0])
    return evolve(sliced_elements(objects, room, low, high), capacity=capacity - low)


def _part_of_unknown(
    objects: ObjectAccess, array: TypedValue, low: int, high: int | None
) -> TypedValue:
    """Return a part of a slice, or of a slice expression, where nothing is evaluated: whether it
    has that part is unknown."""
    bare = strip(array.type)
    if not isinstance(bare, Array):
        return sliced_elements(objects, array, low, high)
    high = bare.dimensions[0] if high is None else high
    of_any_length = evolve(bare, dimensions=(None, *bare.dimensions[1:]))
    return evolve(
        sliced_elements(objects, evolve(array, type=of_any_length), low, high), capacity=0
    )


def _part_of_string(
    objects: ObjectAccess, value: TypedValue, low: int, high: int | None
) -> TypedValue:
    bare = strip(value.type)
    if not isinstance(bare, Struct):
        return sliced_elements(objects, value, low, high)
    if isinstance(objects, Unevaluated):
        return TypedValue(value.type, UNDEFINED_LOCATION, unit=value.unit)
    count = _number(objects, objects.step(value, _at(bare, 1)))
    high = count if high is None else high
    require_range(low, high, count)
    start = objects.known(objects.read(objects.step(value, _at(bare, 0)))).value
    return with_members(objects, value, [start + low, high - low])


def _with_room(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the elements of a slice, an array or a slice expression up to its capacity; any other
    value as it is."""
    bare = strip(value.type)
    if isinstance(bare, Struct) and go_kind(bare) == SLICE:
        return _elements(objects, value, bare, _at(bare, 2))
    room = capacity_of(value)
    if room is None or not isinstance(bare, Array):
        return value
    return evolve(value, type=evolve(bare, dimensions=(room, *bare.dimensions[1:])), bits=None)


def capacity_of(value: TypedValue) -> int | None:
    """Return the capacity of a slice expression whose elements have a place; None for another
    value, and where it was kept."""
    is_kept = value.is_fixed or value.location is None
    return None if is_kept else value.capacity


def _count_of(objects: ObjectAccess, value: TypedValue) -> int | None:
    """Return the length of a slice or an array."""
    bare = strip(value.type)
    if isinstance(bare, Array):
        return bare.dimensions[0]
    assert isinstance(bare, Struct)
    return _number(objects, objects.step(value, _at(bare, 1)))


def is_string(value: TypedValue) -> bool:
    """Return whether a value is a string of the program, a literal, or one made of these."""
    bare = strip(value.type)
    if isinstance(bare, Array):
        is_text = bare.is_value and size_bits(bare.element) == 8
        return is_text and value.location is None and value.capacity is None
    return go_kind(bare) == STRING


def strings_joined(objects: ObjectAccess, left: TypedValue, right: TypedValue) -> TypedValue | None:
    """Return two strings as one, which is in no memory ("String concatenation"); None for other
    operands.

    Where nothing is evaluated, it is a string of the program if an operand is one. `UsageError` for
    a string beside something else.
    """
    are_strings = {is_string(left), is_string(right)}
    if len(are_strings) > 1:
        raise UsageError('"+" of Go is between two strings or two numbers.')
    if are_strings == {False}:
        return None
    require_one_type(left, right)
    if isinstance(objects, Unevaluated):
        for side in (left, right):
            if isinstance(strip(side.type), Struct):
                return TypedValue(side.type, UNDEFINED_LOCATION, unit=side.unit)
    first, second = (array_of(objects, side) for side in (left, right))
    whole = joined(objects, first, second, 0)
    bare = strip(whole.type)
    assert isinstance(bare, Array)
    return evolve(whole, type=evolve(bare, is_value=True))


def strings_ordered(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare two strings by `<` and its like: by their bytes ("Comparison operators"); None for
    other operands."""
    if operator in ("==", "!=") or not (is_string(left) and is_string(right)):
        return None
    require_one_type(left, right)
    if isinstance(objects, Unevaluated):
        return False
    endian = objects.context.endian
    first, second = (
        objects.known(array_of(objects, side)).to_bytes(endian) for side in (left, right)
    )
    return holds(operator, (first > second) - (first < second))


def require_one_type(left: TypedValue, right: TypedValue) -> None:
    """Raise `UsageError` for two strings of the program whose types are not one."""
    names = [type_name(side.type) for side in (left, right) if isinstance(strip(side.type), Struct)]
    if len({*names}) > 1:
        spelled = " and ".join(name.removeprefix("struct ") for name in names)
        raise UsageError(f"Go does not compute with {spelled}: write a conversion.")


def _at(struct_type: Struct, index: int) -> Member:
    """Return a member that structures of gc have; `Malformed` where this one has not."""
    if index >= len(struct_type.members):
        raise Malformed(f"the type {struct_type.name} has too few members")
    return struct_type.members[index]


def _number(objects: ObjectAccess, value: TypedValue) -> int:
    """Return the number in a member of the type int."""
    bits = objects.known(objects.read(value))
    return bits.value - (bits.value >> bits.size_bits - 1 << bits.size_bits)


def length(arithmetic: Arithmetic, name: str, value: TypedValue) -> TypedValue:
    """Return `len(x)` or `cap(x)` ("Length and capacity"); `UsageError` where it has none."""
    objects, bare = arithmetic.objects, strip(value.type)
    integer = go_type(arithmetic.numbers.builtins, "int")
    assert integer is not None
    if isinstance(bare, Pointer):
        if isinstance(array := strip(bare.target), Array):
            bare = array
        elif (counted := _counter(bare, name)) is not None:
            is_nil = not isinstance(objects, Unevaluated) and not objects.known(value).value
            if is_nil:
                return arithmetic.cast(arithmetic.value(arithmetic.numbers.integer(0)), integer)
            return arithmetic.cast(objects.step(objects.dereferenced(value), counted), integer)
    if name == "cap" and value.capacity is not None:
        room = capacity_of(value)
        if room is None:
            raise UsageError("The capacity of a slice expression is not kept in the history.")
        return arithmetic.cast(arithmetic.value(arithmetic.numbers.integer(room, 64)), integer)
    if isinstance(bare, Array) and bare.dimensions and bare.dimensions[0] is not None:
        count = arithmetic.numbers.integer(bare.dimensions[0], 64)
        return arithmetic.cast(arithmetic.value(count), integer)
    has_length = go_kind(bare) == SLICE or (go_kind(bare) == STRING and name == "len")
    if isinstance(bare, Struct) and has_length:
        member = next((member for member in bare.members if member.name == name), None)
        if member is None:
            raise Malformed(f"the type {bare.name} has no member {name}")
        return arithmetic.cast(objects.step(value, member), integer)
    raise UsageError(f"Invalid argument of {name}: the type is {_spelled(value.type)}.")


def size_of(arithmetic: Arithmetic, operand: TypedValue) -> TypedValue:
    """Return `unsafe.Sizeof(x)` of an operand that was not evaluated ("Package unsafe"): a string
    that is written out has two words, a slice expression three, and a function is a pointer."""
    words = 1 if isinstance(strip(operand.type), Function) else 0
    if isinstance(strip(operand.type), Array):
        words = 2 if is_string(operand) else 0 if operand.capacity is None else 3
    size = size_bits(operand.type)
    if words:
        size = words * _uintptr(arithmetic).base.bit_size
    if size is None:
        raise operand.error or UsageError("The type is incomplete: its size is unknown.")
    return as_size(arithmetic, size // 8)


def as_size(arithmetic: Arithmetic, size_bytes: int) -> TypedValue:
    """Return a size as a `uintptr`."""
    number = arithmetic.value(arithmetic.numbers.integer(size_bytes, 64))
    return arithmetic.cast(number, _uintptr(arithmetic))


def _uintptr(arithmetic: Arithmetic) -> Base:
    kind = go_type(arithmetic.numbers.builtins, "uintptr")
    assert kind is not None
    return kind


def _counter(pointer: Pointer, name: str) -> Member | None:
    """Return the member with the length or capacity of a map or channel, to which its value is a
    pointer; None of another pointer."""
    target = strip(pointer.target)
    if not isinstance(target, Struct):
        return None
    is_of_runtime = (target.name or "").startswith(_OF_RUNTIME)
    members = target.members if is_of_runtime else ()
    return next((member for member in members if member.name in _LENGTHS[name]), None)


def promoted_field(objects: ObjectAccess, value: TypedValue, name: str) -> TypedValue | None:
    """Return the field of an embedded structure, or of one to which an embedded pointer leads; None
    where there is none.

    The field at the least depth is meant; `UsageError` for several ("Selectors").
    """
    bare = strip(value.type)
    level: list[tuple[Struct, tuple[Member, ...]]] = []
    if isinstance(bare, Struct):
        level.append((bare, ()))
    visited, left = {current for current, _ in level}, _MOST_FIELDS
    while level:
        deeper: list[tuple[Struct, tuple[Member, ...]]] = []
        fields: list[tuple[Member, ...]] = []
        for current, path in level:
            left -= len(current.members)
            if left < 0:
                raise LimitExceeded(f"more than {_MOST_FIELDS} fields of embedded structures")
            for member in current.members:
                inner = _embedded(member)
                if path and member.name == name:
                    fields.append((*path, member))
                elif inner is not None and inner not in visited:
                    deeper.append((inner, (*path, member)))
        if len(fields) > 1:
            ways = ", ".join(".".join(step.name or "" for step in path) for path in fields)
            raise UsageError(f"Ambiguous selector {name}: write one of {ways}.")
        if fields:
            return _followed(objects, value, fields[0])
        visited |= {inner for inner, _ in deeper}
        level = deeper
    return None


def _embedded(member: Member) -> Struct | None:
    """Return the structure that a field embeds, or that to which a pointer leads."""
    if not is_embedded(member):
        return None
    bare = strip(member.type)
    bare = strip(bare.target) if isinstance(bare, Pointer) else bare
    return bare if isinstance(bare, Struct) else None


def _followed(objects: ObjectAccess, value: TypedValue, path: Sequence[Member]) -> TypedValue:
    for number, member in enumerate(path):
        value = objects.step(value, member)
        if number + 1 < len(path) and isinstance(strip(value.type), Pointer):
            if not isinstance(objects, Unevaluated) and not objects.known(value).value:
                embedding = ".".join(step.name or "" for step in path[: number + 1])
                raise EvaluationError(
                    f"the embedded pointer {embedding} is nil: there is no {path[-1].name}"
                )
            value = objects.dereferenced(value)
    return value


def compared_with_nil(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare a slice or an interface with `nil`; None for other operands ("Comparison
    operators")."""
    for value, other in ((left, right), (right, left)):
        bare, nil = strip(value.type), strip(other.type)
        is_slice = go_kind(bare) == SLICE
        if not isinstance(bare, Struct) or not (is_slice or bare.name in INTERFACES):
            continue
        is_nil = isinstance(nil, Pointer) and nil.target is None and is_constant_nil(other)
        if is_slice and not is_nil:
            raise UsageError("A slice of Go is compared with nil only; compare its elements.")
        if not is_nil or operator not in ("==", "!="):
            return None
        if isinstance(arithmetic.objects, Unevaluated):
            return False
        first = arithmetic.objects.step(value, _at(bare, 0))
        return (not arithmetic.objects.known(first).value) == (operator == "==")
    return None


def is_constant_nil(value: TypedValue) -> bool:
    """Return whether a value is a pointer that is a constant, and null."""
    is_pointer = isinstance(strip(value.type), Pointer)
    return is_pointer and value.location is None and value.bits is not None and not value.bits.value


def _spelled(type_: Type | None) -> str:
    return "void" if type_ is None else type_name(type_)
