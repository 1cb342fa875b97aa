"""Comparisons of arrays and records by what they contain, as Ada and Fortran have them; and D, Go,
Rust and Pascal for arrays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.type_sizes import size_bits, strides_of
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Dynamic,
    Enum,
    Member,
    Pointer,
    Struct,
    Type,
    Unspecified,
    strip,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import LimitExceeded, UsageError, counted
from dwarfgpu.language.ada_indexing import array_unless_null, is_parameter, stands_for_array
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.array_expressions import indexed_array
from dwarfgpu.language.c_numbers import not_comparable
from dwarfgpu.language.fortran_operators import strings_compared
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits
from dwarfgpu.session.variants import variant_members

_NO_ARRAY: Final = "Attempt to compare array with non-array"
_MAX_PARTS: Final = 1 << 15
"""Elements and components that are compared one by one: it takes a few seconds."""
_DEEPEST: Final = 64
"""Levels of arrays and records in each other: those of programs are fewer."""


def compared_in_ada(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare two arrays, or two records by `=` and `/=`; None for other operands.

    A parameter of an unconstrained type, and an access value beside an array, is the array that it
    leads to; null is equal to itself only. Two access values are equal if they lead to one object
    (Ada 2012 4.5.2).
    """
    objects = arithmetic.objects
    if all(_is_access_to_array(side.type) for side in (left, right)):
        return _is_same_object(objects, operator, left, right)
    arrays = [
        array_unless_null(objects, side) if isinstance(strip(side.type), Struct) else side
        for side in (left, right)
    ]
    for index, other in enumerate((right, left)):
        if _is_access_to_array(other.type) and _is_null((left, right)[index]):
            arrays[index] = None
    are_arrays = [side is None or _is_array(side.type) for side in arrays]
    if any(are_arrays) and not all(are_arrays):
        raise UsageError(_NO_ARRAY)
    is_equality = operator in ("==", "!=")
    if not any(are_arrays) and not (is_equality and _has_record(left, right)):
        return None
    if isinstance(objects, Unevaluated):
        return False  # only the type is wanted, and the bounds of some are not known
    first, second = arrays
    if (
        first is not None
        and second is not None
        and is_string(first.type)
        and is_string(second.type)
    ):
        return strings_compared(objects, operator, first, second, pads=False)
    if not is_equality:
        raise not_comparable(operator)
    if first is None or second is None:
        return (first is second) == (operator == "==")
    return _Comparison(arithmetic, pads=False).holds(operator, first, second)


def compared_in_fortran(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare two arrays of the same shape: as in GDB, the result is one for all elements; None for
    operands that are no arrays."""
    sides = strip(left.type), strip(right.type)
    if not any(isinstance(side, Array) for side in sides):
        return None
    if is_string(left.type) and is_string(right.type):
        return strings_compared(arithmetic.objects, operator, left, right, pads=True)
    shapes = {side.dimensions if isinstance(side, Array) else () for side in sides}
    are_mixed = len({is_string(side) for side in sides}) > 1
    if operator not in ("==", "!=") or len(shapes) > 1 or are_mixed:
        raise not_comparable(operator)
    return _Comparison(arithmetic, pads=True).holds(operator, left, right)


def arrays_compared(
    arithmetic: Arithmetic,
    unit: CompilationUnit | None,
    operator: str,
    left: TypedValue,
    right: TypedValue,
) -> bool | None:
    """Compare two arrays in a unit of D, Go, Rust or Pascal; None in one of another language, where
    they are addresses, and for other operands."""
    if unit is None or unit.language not in dw.WITH_WHOLE_ARRAYS:
        return None
    if unit.language in (dw.LANG_D, dw.LANG_RUST):
        from dwarfgpu.language.dynamic_indexing import array_of  # few programs have them

        left, right = (
            array_of(arithmetic.objects, indexed_array(arithmetic.objects, side, unit))
            for side in (left, right)
        )
    if unit.language == dw.LANG_GO:
        from dwarfgpu.language import go_values  # few programs

        is_same = go_values.compared(arithmetic, operator, left, right)
        if is_same is not None:
            return is_same
        left, right = (go_values.array_of(arithmetic.objects, side) for side in (left, right))
    if any(not isinstance(strip(side.type), Array) for side in (left, right)):
        return None
    if unit.language == dw.LANG_PASCAL83 and is_string(left.type) and is_string(right.type):
        return strings_compared(arithmetic.objects, operator, left, right, pads=False)
    if operator not in ("==", "!="):
        raise not_comparable(operator)
    return _Comparison(arithmetic, pads=False).holds(operator, left, right)


def _is_access_to_array(type_: Type | None) -> bool:
    """Return whether a type of Ada is one of access values to an unconstrained array."""
    return isinstance(strip(type_), Struct) and stands_for_array(type_) and not is_parameter(type_)


def _is_same_object(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue
) -> bool:
    if operator not in ("==", "!="):
        raise not_comparable(operator)
    if isinstance(objects, Unevaluated):
        return False  # only the type is wanted
    first, second = (
        objects.known(objects.read(objects.member(side, "P_ARRAY"))).value for side in (left, right)
    )
    return (first == second) == (operator == "==")


def _is_null(value: TypedValue) -> bool:
    """Return whether a value is the literal `null`, which is of no access type."""
    bare = strip(value.type)
    return isinstance(bare, Pointer) and bare.target is None and value.location is None


def _is_array(type_: Type | None) -> bool:
    bare = strip(type_)
    return isinstance(bare.form if isinstance(bare, Dynamic) else bare, Array)


def _has_record(*sides: TypedValue) -> bool:
    return any(isinstance(strip(side.type), Struct) for side in sides)


class _Comparison:
    """One comparison of two objects by their contents."""

    def __init__(self, arithmetic: Arithmetic, *, pads: bool) -> None:
        self.arithmetic = arithmetic
        self.pads = pads
        """Whether the shorter of two strings has blanks at its end."""
        self.parts = 0
        """How many parts were compared."""

    def holds(self, operator: str, left: TypedValue, right: TypedValue) -> bool:
        """Return whether they are equal, or different for `!=`; False where only the type of the
        result is wanted."""
        if isinstance(self.arithmetic.objects, Unevaluated):
            return False
        return self._is_same(left, right) == (operator == "==")

    def _is_same(self, left: TypedValue, right: TypedValue, depth: int = 0) -> bool:
        self.parts += 1
        if self.parts > _MAX_PARTS:
            raise LimitExceeded(f"a comparison of more than {_MAX_PARTS} elements and components")
        if depth > _DEEPEST:
            raise LimitExceeded(f"a comparison of more than {_DEEPEST} levels")
        first, second = strip(left.type), strip(right.type)
        if isinstance(first, Array) and isinstance(second, Array):
            return self._same_arrays(left, right, depth)
        if isinstance(first, Struct) and isinstance(second, Struct):
            return self._same_records(left, right, depth)
        if isinstance(first, Array | Struct) or isinstance(second, Array | Struct):
            raise not_comparable("==")
        if all(isinstance(side, Unspecified) and side.size_bytes == 0 for side in (first, second)):
            return True  # `()` of Rust
        if left.bit_size == right.bit_size and _as_bits(first, second):
            objects = self.arithmetic.objects
            return objects.known(left).value == objects.known(right).value
        return self.arithmetic.compared("==", left, right)

    def _same_arrays(self, left: TypedValue, right: TypedValue, depth: int) -> bool:
        objects, first, second = self.arithmetic.objects, strip(left.type), strip(right.type)
        assert isinstance(first, Array) and isinstance(second, Array)
        if self.pads and is_string(first) and is_string(second):
            return bool(strings_compared(objects, "==", left, right, pads=True))
        if None in first.dimensions or None in second.dimensions:
            raise UsageError("The number of the array's elements is unknown.")
        if first.dimensions != second.dimensions:
            return False
        if 0 in first.dimensions:
            return True
        if _as_bits(first.element, second.element) and (size := _without_gaps(first, second)):
            endian = objects.context.endian
            known = [objects.known(side) for side in (left, right)]
            if any(bits.size_bits < size for bits in known):  # their first elements were read
                raise LimitExceeded(f"a comparison of arrays of {counted(size // 8, 'byte')}")
            contents = [bits.slice(0, size, endian) for bits in known]
            return contents[0].value == contents[1].value
        starts = first.lower_bound or 0, second.lower_bound or 0
        return all(
            self._is_same(
                objects.element(left, starts[0] + number),
                objects.element(right, starts[1] + number),
                depth + 1,
            )
            for number in range(first.dimensions[0] or 0)
        )

    def _same_records(self, left: TypedValue, right: TypedValue, depth: int) -> bool:
        objects, first, second = self.arithmetic.objects, strip(left.type), strip(right.type)
        assert isinstance(first, Struct) and isinstance(second, Struct)
        if [member.name for member in first.members] != [member.name for member in second.members]:
            raise not_comparable("==")
        if "union" in (first.kind, second.kind):  # no component says which one it has
            return objects.known(left).value == objects.known(right).value
        pairs = zip_longest(self._components(left), self._components(right))
        return all(
            one is not None
            and other is not None
            and one.name == other.name
            and self._is_same(objects.step(left, one), objects.step(right, other), depth + 1)
            for one, other in pairs
        )

    def _components(self, value: TypedValue) -> Iterator[Member]:
        """Yield the components of a record, those of its variants last."""
        objects, bare = self.arithmetic.objects, strip(value.type)
        assert isinstance(bare, Struct)

        def read(discriminant: Member) -> Bits:
            return objects.known(objects.step(value, discriminant))

        for member in bare.members:
            is_padding = member.name is None and member.bit_size is not None
            if not member.is_static and not is_padding:
                yield member
        for part in variant_members(bare.declared.variant_parts, read):
            if not isinstance(part, Member):
                raise part
            yield part


def _as_bits(first: Type | None, second: Type | None) -> bool:
    """Return whether values of two types are equal if and only if their bits are: not -0.0 and 0.0,
    nor a synthetic pointer."""
    one, two = strip(first), strip(second)
    if isinstance(one, Base) and isinstance(two, Base):
        has_format = one.base.float_format is not None or "float" in one.base.encoding
        return one.base == two.base and not has_format and one.base.vector_size is None
    return isinstance(one, Enum) and isinstance(two, Enum) and one.value_bits == two.value_bits


def _without_gaps(*arrays: Array) -> int | None:
    """Return the size in bits of two arrays whose elements are one behind the other, if they have
    the same; None for others."""
    sizes = set()
    for array in arrays:
        own, count = size_bits(array.element), 1
        expected = []
        for dimension in reversed(array.dimensions):
            expected.append((own or 0) * count)
            count *= dimension or 0
        if not own or strides_of(array) != tuple(reversed(expected)):
            return None
        sizes.add(own * count)
    return sizes.pop() if len(sizes) == 1 else None
