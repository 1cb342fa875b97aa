"""The arms of `?:`: both determine the type of the result (C 6.5.15, C++ [expr.cond]).

Law: the arm that is not chosen has a type and no contents: nothing of it is read.
"""

from __future__ import annotations

from typing import TypeGuard

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import element_type, size_bits
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Array,
    Base,
    Enum,
    Function,
    MemberPointer,
    Pointer,
    Qualified,
    Struct,
    Type,
    denoted,
    strip,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import Number, is_floating, is_number
from dwarfgpu.language.base_class_casts import converted_pointer, way_up
from dwarfgpu.language.complexes import as_common, is_complex
from dwarfgpu.language.member_pointers import composite_member, converted_member
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.vectors import is_floating_vector, is_vector, selected, widened
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import NUMBERS_NOT_READ

_VOID_POINTER = ast.TypeName(("void",), declarators=(ast.Declarator("*"),))
_UNCHANGED = NUMBERS_NOT_READ | {"float"}
"""Encodings of arithmetic types that no promotion makes another."""


@frozen
class Arm:
    """One arm: its tree, and its value, with references resolved."""

    node: ast.Node
    value: TypedValue

    @property
    def is_null(self) -> bool:
        """Whether it is a null pointer constant (C 6.3.2.3): `0`, `(void *) 0`."""
        return is_null_constant(self.node)


def conditional(
    arithmetic: Arithmetic,
    chosen: Arm,
    unchosen: Arm,
    *,
    keeps_objects: bool = False,
    widens_to_vectors: bool = False,
) -> TypedValue:
    """Return the value of the chosen operand, converted to the common type of both.

    Raises `UsageError` where the language gives them none. `keeps_objects`: arms of one type stay
    what they are, as in C++ and D; in C the result is not an object that can be assigned.
    `widens_to_vectors`: a number becomes a vector where the other arm is one, as in OpenCL.
    """
    first, two = chosen.value, unchosen.value
    if any(arm.type is None and arm.convenience is not None for arm in (first, two)):
        return first  # a variable that was never set: of no type of the language
    is_object = keeps_objects and _is_same(first.type, two.type)
    if is_object and not isinstance(strip(first.type), Pointer):
        return arithmetic.of_whole_type(first)
    if is_number(first.type) and is_number(two.type):
        return _number(arithmetic, first, two)
    if widens_to_vectors and is_number(first.type) and is_vector(two.type):
        return widened(arithmetic, first, two)
    if widens_to_vectors and is_vector(first.type) and is_number(two.type):
        return evolve(first, is_fixed=True)
    first, two_type = _decayed(arithmetic, first), _decayed_type(arithmetic, two.type)
    kind, other_kind = strip(first.type), strip(two_type)
    if isinstance(other_kind, Pointer | MemberPointer) and chosen.is_null and is_number(kind):
        return evolve(arithmetic.cast(first, two_type), unit=two.unit)
    if isinstance(kind, Pointer) and isinstance(other_kind, Pointer):
        pointer = _pointer(arithmetic.objects, chosen, kind, unchosen, other_kind)
        if pointer is not None:
            if pointer is not kind:
                first = converted_pointer(arithmetic.objects, first, pointer.target)
                return evolve(first, type=pointer, variable=None, is_fixed=True)
            return first if is_object else evolve(first, is_fixed=True)
    if isinstance(kind, MemberPointer) and isinstance(other_kind, MemberPointer):
        members = composite_member(arithmetic.objects, first.type, two_type)
        if members is not None:
            first = converted_member(arithmetic.objects, first, members)
            return evolve(first, is_fixed=True)
    is_null = isinstance(kind, Pointer | MemberPointer) and unchosen.is_null
    if is_null or _is_same(_decayed_type(arithmetic, first.type), two_type):
        return evolve(first, is_fixed=True)
    names = [f"`{type_name(arm.type, cplusplus=keeps_objects)}'" for arm in (chosen.value, two)]
    raise UsageError(f"Type mismatch in conditional expression: {' and '.join(names)}; cast one.")


def require_condition(type_: Type | None) -> None:
    """Raise `UsageError` for a condition that OpenCL has not, of floats (OpenCL C 6.3.i)."""
    if is_floating(type_) or is_floating_vector(type_):
        raise UsageError("A condition of OpenCL is of integers, not of floats: compare them.")


def conditional_by_element(
    arithmetic: Arithmetic, condition: TypedValue, yes: TypedValue, no: TypedValue
) -> TypedValue:
    """Return `?:` of OpenCL for a condition that is a vector (OpenCL C 6.3.i)."""
    if not all(is_vector(arm.type) or is_number(arm.type) for arm in (yes, no)):
        raise UsageError("Cannot perform conditional operation on incompatible types")
    if is_number(yes.type) and is_number(no.type) and not _is_same(yes.type, no.type):
        yes, no = _number(arithmetic, yes, no), _number(arithmetic, no, yes)
    return selected(arithmetic, condition, yes, no)


def _pointer(
    objects: ObjectAccess, chosen: Arm, pointer_type: Pointer, unchosen: Arm, other_kind: Pointer
) -> Pointer | None:
    """Return, as C 6.5.15p6 requires, a pointer to the composite type of both targets, or void,
    with the qualifiers of both; in C++ also to their common base class.

    It has the kind of the chosen arm, so that the address stays in its address space, as in casts.
    """
    if unchosen.is_null:
        return pointer_type
    if chosen.is_null:
        return evolve(pointer_type, target=other_kind.target)
    first_target, two = objects.completed(pointer_type.target), objects.completed(other_kind.target)
    if _is_to_void(other_kind) or way_up(first_target, two) is not None:
        target = _qualified(other_kind.target, pointer_type.target)
    elif _is_to_void(pointer_type) or way_up(two, first_target) is not None:
        target = _qualified(pointer_type.target, other_kind.target)
    elif _is_same(pointer_type.target, other_kind.target):
        target = _qualified(_composite(pointer_type.target, other_kind.target), other_kind.target)
    else:
        return None
    return pointer_type if target is pointer_type.target else evolve(pointer_type, target=target)


def _composite(first: Type | None, two: Type | None) -> Type | None:
    """Return the more complete of two compatible types: with the length of an array or the
    parameters of a function."""
    a, b = strip(first), strip(two)
    if isinstance(a, Array) and isinstance(b, Array):
        return two if None in a.dimensions and None not in b.dimensions else first
    if isinstance(a, Function) and isinstance(b, Function):
        return two if b.is_prototyped and not a.is_prototyped else first
    return first


def _qualified(type_: Type | None, by: Type | None) -> Type | None:
    """Return a type with the qualifiers of another too."""
    own = denoted(type_).qualifiers
    for qualifier in denoted(by).qualifiers:
        if qualifier not in own:
            type_ = Qualified(qualifier, type_)
    return type_


def _number(arithmetic: Arithmetic, first: TypedValue, two: TypedValue) -> TypedValue:
    """Apply the usual arithmetic conversions (C 6.5.15p5)."""
    bare = strip(first.type)
    is_same = _is_same(first.type, two.type)
    if is_same and isinstance(bare, Base) and bare.base.encoding in _UNCHANGED:
        return evolve(first, is_fixed=True)
    if is_complex(first.type) or is_complex(two.type):
        return as_common(arithmetic, first, _unread(two))
    target = arithmetic.numbers.usual(_zero(arithmetic, first), _zero(arithmetic, two))[0].type
    is_whole = first.bit_size is None and first.constant_type is None
    if is_whole and _is_same(first.type, target):
        return evolve(first, is_fixed=True)
    number, _ = arithmetic.numbers.usual(arithmetic.number(first), _zero(arithmetic, two))
    return arithmetic.value(number)


def _zero(arithmetic: Arithmetic, value: TypedValue) -> Number:
    """Return a number of the type of a value, which is not read."""
    return arithmetic.number(_unread(value))


def _unread(value: TypedValue) -> TypedValue:
    """Return a value of the same type, with bits that are 0."""
    return evolve(value, bits=Bits(0, value.size_bits or 0), pointer=None, error=None)


def _decayed(arithmetic: Arithmetic, value: TypedValue) -> TypedValue:
    """Convert an array to a pointer, as C 6.3.2.1 does; an array without a location, such as a
    string, stays an array."""
    return value if value.location is None else arithmetic.decayed(value)


def _decayed_type(arithmetic: Arithmetic, type_: Type | None) -> Type | None:
    bare = strip(type_)
    pointer = arithmetic.numbers.builtins.pointer
    if isinstance(bare, Array) and not bare.is_vector:
        return pointer(element_type(bare))
    return pointer(bare) if isinstance(bare, Function) else type_


def _is_to_void(pointer_type: Pointer) -> bool:
    return strip(pointer_type.target) is None


def is_null_constant(node: ast.Node) -> bool:
    """Return whether a tree is a null pointer constant (C 6.3.2.3): `0`, `(void *) 0`."""
    while is_to_void(node):
        node = node.operand
    return isinstance(node, ast.Integer) and not node.number


def is_to_void(node: ast.Node) -> TypeGuard[ast.Cast]:
    """Return whether a tree is `(void *) x`."""
    return isinstance(node, ast.Cast) and not node.is_memory and node.type == _VOID_POINTER


def _is_same(left: Type | None, right: Type | None) -> bool:
    """Return whether two types are one, qualifiers aside: units have their own of one name each."""
    a, b = strip(left), strip(right)
    for _ in range(MAX_CHAIN):
        if not isinstance(a, Pointer) or not isinstance(b, Pointer) or a.kind != b.kind:
            break
        if a is b:
            return True
        a, b = strip(a.target), strip(b.target)
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if not isinstance(a, Array) and size_bits(a) != size_bits(b):
        return False
    if isinstance(a, Base) and isinstance(b, Base):
        return a.base.encoding == b.base.encoding and _words(a.name) == _words(b.name)
    if isinstance(a, Struct | Enum) and a.name is None:
        return False
    if isinstance(a, Array) and isinstance(b, Array):
        same = denoted(a.element).qualifiers == denoted(b.element).qualifiers
        same = same and len(a.dimensions) == len(b.dimensions) and _is_same(a.element, b.element)
        pairs = zip(a.dimensions, b.dimensions, strict=False)
        return same and all(m is None or n is None or m == n for m, n in pairs)
    if isinstance(a, Function) and isinstance(b, Function):
        if not _is_same(a.result, b.result):
            return False
        if a.is_prototyped and b.is_prototyped:
            return type_name(a) == type_name(b)
        return True
    return type_name(a) == type_name(b)


def _words(name: str) -> list[str]:
    """Return the sorted words of a type: `long unsigned int` and `unsigned long` are one type."""
    return sorted(word for word in name.split() if word != "int")
