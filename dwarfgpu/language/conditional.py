"""The arms of `?:`: the type of the result is that of both together (C 6.5.15, C++ [expr.cond]).

Law: the arm that is not taken has a type and no contents: nothing of it is read here.
"""

from __future__ import annotations

from attrs import evolve

from dwarfgpu.base.lazy_attrs import frozen
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Function,
    MemberPointer,
    Pointer,
    Qualified,
    Qualifier,
    Struct,
    Type,
    Typedef,
    element_type,
    size_bits,
    strip,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.base_class_casts import converted_pointer, way_up
from dwarfgpu.language.numbers import Number, is_number
from dwarfgpu.language.places import Places
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.value import TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import NUMBERS_NOT_READ

_VOID_POINTER = ast.TypeName(("void",), declarators=(ast.Declarator("*"),))
_UNCHANGED = NUMBERS_NOT_READ | {"float"}
"""Encodings of arithmetic types that no promotion makes another."""


@frozen
class Arm:
    """One arm: its tree, and its value, that of a reference being what it refers to."""

    node: ast.Node
    value: TypedValue

    @property
    def is_null(self) -> bool:
        """Whether it is a null pointer constant (C 6.3.2.3): `0`, `(void *) 0`."""
        return _is_null(self.node)


def conditional(
    arithmetic: Arithmetic, taken: Arm, other: Arm, *, cplusplus: bool = False
) -> TypedValue:
    """The value of the arm that is taken, in the type that both have together.

    Raises `UsageError` where the language gives them none. In C++ arms of one type stay what they
    are; in C the result is not an object that can be assigned.
    """
    one, two = taken.value, other.value
    if any(each.type is None and each.convenience is not None for each in (one, two)):
        return one  # a variable that was never set: of no type of the language
    is_object = cplusplus and _is_same(one.type, two.type)
    if is_object and not isinstance(strip(one.type), Pointer):
        is_part = one.bit_size is not None
        return evolve(arithmetic.cast(one, one.type), unit=one.unit) if is_part else one
    if is_number(one.type) and is_number(two.type):
        return _number(arithmetic, one, two)
    one, two_type = _decayed(arithmetic, one), _decayed_type(arithmetic, two.type)
    kind, other_kind = strip(one.type), strip(two_type)
    if isinstance(other_kind, Pointer) and taken.is_null and is_number(kind):
        return evolve(arithmetic.cast(one, two_type), unit=two.unit)
    if isinstance(kind, Pointer) and isinstance(other_kind, Pointer):
        pointer = _pointer(arithmetic.places, taken, kind, other, other_kind)
        if pointer is not None:
            if pointer is not kind:
                one = converted_pointer(arithmetic.places, one, pointer.target)
                return evolve(one, type=pointer, variable=None, is_fixed=True)
            return one if is_object else evolve(one, is_fixed=True)
    is_null = isinstance(kind, Pointer | MemberPointer) and other.is_null
    if is_null or _is_same(_decayed_type(arithmetic, one.type), two_type):
        return evolve(one, is_fixed=True)
    names = [f"`{type_name(each.type, cplusplus=cplusplus)}'" for each in (taken.value, two)]
    raise UsageError(f"Type mismatch in conditional expression: {' and '.join(names)}; cast one.")


def _pointer(
    places: Places, taken: Arm, kind: Pointer, other: Arm, other_kind: Pointer
) -> Pointer | None:
    """C 6.5.15p6: a pointer to what both point to, or void, with the qualifiers of both targets; in
    C++ also to the base class of both.

    It is of the kind that is taken, so that the address stays in its address space, as in casts.
    """
    if other.is_null:
        return kind
    if taken.is_null:
        return evolve(kind, target=other_kind.target)
    one, two = places.completed(kind.target), places.completed(other_kind.target)
    if _is_to_void(other_kind) or way_up(one, two) is not None:
        target = _qualified(other_kind.target, kind.target)
    elif _is_to_void(kind) or way_up(two, one) is not None:
        target = _qualified(kind.target, other_kind.target)
    elif _is_same(kind.target, other_kind.target):
        target = _qualified(_composite(kind.target, other_kind.target), other_kind.target)
    else:
        return None
    return kind if target is kind.target else evolve(kind, target=target)


def _composite(one: Type | None, two: Type | None) -> Type | None:
    """C 6.2.7p3: of two compatible types that which tells more, the length of an array or the
    parameters of a function."""
    a, b = strip(one), strip(two)
    if isinstance(a, Array) and isinstance(b, Array):
        return two if None in a.dimensions and None not in b.dimensions else one
    if isinstance(a, Function) and isinstance(b, Function):
        return two if b.is_prototyped and not a.is_prototyped else one
    return one


def _qualified(kind: Type | None, by: Type | None) -> Type | None:
    """A type with the qualifiers of another too."""
    own = _qualifiers(kind)
    for qualifier in _qualifiers(by):
        if qualifier not in own:
            kind = Qualified(qualifier, kind)
    return kind


def _qualifiers(kind: Type | None) -> list[Qualifier]:
    found: list[Qualifier] = []
    while isinstance(kind, Qualified | Typedef):  # not endless: `strip` was here before
        if isinstance(kind, Qualified):
            found.append(kind.qualifier)
        kind = kind.target
    return found


def _number(arithmetic: Arithmetic, one: TypedValue, two: TypedValue) -> TypedValue:
    """C 6.5.15p5: the usual arithmetic conversions."""
    bare = strip(one.type)
    is_same = _is_same(one.type, two.type)
    if is_same and isinstance(bare, Base) and bare.base.encoding in _UNCHANGED:
        return evolve(one, is_fixed=True)
    target = arithmetic.numbers.usual(_zero(arithmetic, one), _zero(arithmetic, two))[0].type
    is_whole = one.bit_size is None and one.constant_type is None
    if is_whole and _is_same(one.type, target):
        return evolve(one, is_fixed=True)
    number, _ = arithmetic.numbers.usual(arithmetic.number(one), _zero(arithmetic, two))
    return arithmetic.value(number)


def _zero(arithmetic: Arithmetic, value: TypedValue) -> Number:
    """A number of the type of a value, which is not read."""
    bits = Bits(0, value.size_bits or 0)
    return arithmetic.number(evolve(value, bits=bits, pointer=None, error=None))


def _decayed(arithmetic: Arithmetic, value: TypedValue) -> TypedValue:
    """As in C 6.3.2.1; an array that is nowhere, such as a string, stays one."""
    return value if value.location is None else arithmetic.decayed(value)


def _decayed_type(arithmetic: Arithmetic, kind: Type | None) -> Type | None:
    bare = strip(kind)
    pointer = arithmetic.numbers.builtins.pointer
    if isinstance(bare, Array) and not bare.is_vector:
        return pointer(element_type(bare))
    return pointer(bare) if isinstance(bare, Function) else kind


def _is_to_void(kind: Pointer) -> bool:
    return strip(kind.target) is None


def _is_null(node: ast.Node) -> bool:
    match node:
        case ast.Integer(number=0):
            return True
        case ast.Cast(type=kind, operand=operand, is_memory=False) if kind == _VOID_POINTER:
            return _is_null(operand)
        case _:
            return False


def _is_same(left: Type | None, right: Type | None) -> bool:
    """Whether two types are one, qualifiers aside: units have their own of one name each."""
    a, b = strip(left), strip(right)
    while isinstance(a, Pointer) and isinstance(b, Pointer) and a.kind == b.kind:
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
        same = _qualifiers(a.element) == _qualifiers(b.element)
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
    """`long unsigned int` and `unsigned long` are one type."""
    return sorted(word for word in name.split() if word != "int")
