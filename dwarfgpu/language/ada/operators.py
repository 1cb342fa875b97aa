"""Operators that Ada has otherwise than C (Ada 2012 4.5)."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, neg, pos, sub
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import enumerated_character, is_string
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import unpacked
from dwarfgpu.dwarf.types.types import Array, Base, Dynamic, Enum, Pointer, Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.ada.indexing import (
    array_of,
    array_unless_null,
    is_parameter,
    stands_for_array,
)
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import bounded, is_boolean, is_fixed_point, is_integer
from dwarfgpu.language.c_numbers import holds, not_comparable
from dwarfgpu.language.concatenation import arrays_joined, first_index_of, is_of_arrays
from dwarfgpu.language.contents import Comparison, have_parts, strings_compared
from dwarfgpu.language.fortran.power import NO_LOGICAL_ARITHMETIC
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.logical_operators import of_truths
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.syntax.words import ABS, BITWISE, COMPLEMENT, LOGICAL
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits, concatenate

_OF_FIXED_POINT: Final[dict[str, Callable[[int], int]]] = {"+": pos, "-": neg, ABS: abs}
"""What the signs are on a multiple of the scale."""
_NO_ARRAY: Final = "Attempt to compare array with non-array"


class AdaOperators(LanguageOperators):
    widens = True

    def as_type(self, node: ast.Node, type_: Type | None) -> TypedValue | None:
        """Return the enumerator that a character literal is (Ada 2012 4.2)."""
        bare = strip(type_)
        if not isinstance(node, ast.Character) or not isinstance(bare, Enum):
            return None
        number, size = enumerated_character(bare, node.code), bounded(bare.value_bits)
        if number is None:
            raise UsageError(f"The enumeration has no character '{chr(node.code)}'.")
        return TypedValue(type_, bits=Bits(number & (1 << size) - 1, size))

    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        if operator in _OF_FIXED_POINT and is_fixed_point(value.type):
            from dwarfgpu.language.ada.conversions import of_multiples  # few numbers are so

            return of_multiples(
                self.arithmetic, self.evaluation.rules, _OF_FIXED_POINT[operator], value
            )
        if operator == "!" and is_integer(value.type):
            return self.evaluation.of_one("~", value)
        if operator == "!" and (_is_array(value.type) or _is_array_elsewhere(value.type)):
            return _negated_array(self.objects, value)
        return None

    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        """Apply `and`, `or` or `xor`, which evaluate both operands; `UsageError` for `and then` and
        `or else` of arrays and records."""
        if node.operator in ("&&", "||"):
            sides = (self.evaluation.unread().object(side) for side in (node.left, node.right))
            if have_parts(*sides):
                words = "and then" if node.operator == "&&" else "or else"
                raise UsageError(f"{words} of Ada is for Booleans.")
        if node.operator == "&" and isinstance(self.objects, Unevaluated):
            return self._unread_arrays_joined(node)
        if node.operator not in LOGICAL:
            return None
        operator, evaluation = node.operator, self.evaluation
        left, right = evaluation.operands(node)
        truth = self.of_booleans(operator, left, right)
        if truth is not None:
            return truth
        arrays = [array_of(self.objects, side) for side in (left, right)]
        if all(_is_array(side.type) for side in arrays):
            return _joined_arrays(self.objects, operator, arrays[0], arrays[1])
        if not (_is_modular(left.type) and _is_modular(right.type)):
            hint = (
                f"; write {BITWISE[operator]} between other numbers"
                if all(map(is_integer, (left.type, right.type)))
                else ""
            )
            raise UsageError(f"{_for_truths(operator)}{hint}.")
        return evaluation.combined(BITWISE[operator], left, right)

    def _unread_arrays_joined(self, node: ast.Binary) -> TypedValue:
        """Return `left & right` where only the type is wanted, whose bounds depend on those of
        arrays that have them in memory."""
        sides = self.evaluation.operands(node)
        if not is_of_arrays(*(side.type for side in sides)):
            return self.evaluation.applied(node, *sides)
        counting = self.evaluation.counting()
        left, right = (
            _with_bounds(counting.objects, counting.object(operand))
            if _is_array_elsewhere(side.type) or is_dynamic(side.type)
            else side
            for operand, side in zip((node.left, node.right), sides, strict=True)
        )
        return arrays_joined(self.objects, left, right, first_index_of(*sides))

    def target(self, node: ast.Node, value: TypedValue) -> TypedValue | None:
        is_array = _is_array_elsewhere(value.type)
        return array_of(self.objects, value) if is_array else None

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        if isinstance(node.left, ast.Character):
            left = self.evaluation.object_as(node.left, right.type)
        if isinstance(node.right, ast.Character):
            right = self.evaluation.object_as(node.right, left.type)
        return self._as_part(node, node.left, left, right), self._as_part(
            node, node.right, right, left
        )

    def _as_part(
        self, node: ast.Binary, side: ast.Node, value: TypedValue, other: TypedValue
    ) -> TypedValue:
        """Return an operand that is a constant in the type of the other one, if that is compared
        and a fixed-point number, or in that of its elements, if it is an array to which the
        constant is joined (Ada 2012 4.2, 4.9.1)."""
        rules = self.evaluation.rules
        constant = None if rules is None else rules.constant(side)
        if constant is None:
            return value
        if node.operator in (*COMPARISONS, "+", "-") and is_fixed_point(other.type):
            from dwarfgpu.language.ada.conversions import (
                fixed_point,  # few numbers are so
                in_base_range,
            )

            bare = strip(other.type)
            assert isinstance(bare, Base)
            whole = in_base_range(bare)
            type_ = other.type if whole is bare else whole
            return TypedValue(type_, bits=fixed_point(whole, constant), unit=other.unit)
        if node.operator == "&":
            bare = strip(array_of(self.objects, other).type)
            form = bare.form if isinstance(bare, Dynamic) else bare
            if isinstance(form, Array) and form.element is not None:
                return self.evaluation.object_as(side, unpacked(form.element))
        return value

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        if is_fixed_point(left.type) and is_fixed_point(right.type):
            return _fixed_point_compared(self.arithmetic, operator, left, right)
        for side in (left, right):
            if is_dynamic(side.type) and not isinstance(self.objects, Unevaluated):
                self.objects.known(side)  # it has no bounds, or no size, as it is lost
        if not have_parts(left, right):
            return None
        return _compared(self.arithmetic, operator, left, right)

    def of_parts(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        if operator != "&" or not is_of_arrays(left.type, right.type):
            return None
        first_index = first_index_of(left, right)
        left, right = (_with_bounds(self.objects, side) for side in (left, right))
        return arrays_joined(self.objects, left, right, first_index)

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        if all(map(is_boolean, (left.type, right.type))):
            raise UsageError(NO_LOGICAL_ARITHMETIC)
        if operator in ("+", "-") and all(map(is_fixed_point, (left.type, right.type))):
            from dwarfgpu.language.ada.conversions import of_multiples  # few numbers are so

            return of_multiples(
                self.arithmetic, self.evaluation.rules, add if operator == "+" else sub, left, right
            )
        return None


def _fixed_point_compared(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> bool:
    """Compare two fixed-point numbers as the numbers that they are."""
    from dwarfgpu.language.ada.conversions import exact_real  # few numbers are so

    if isinstance(arithmetic.objects, Unevaluated):
        return False  # only the type is wanted
    first, second = exact_real(arithmetic, left), exact_real(arithmetic, right)
    assert first is not None and second is not None
    return holds(operator, (first > second) - (first < second))


def _compared(
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
        if first is None or second is None:
            raise not_comparable(operator)
        numbers = [_discrete_numbers(arithmetic, operator, side) for side in (first, second)]
        return holds(operator, (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]))
    if first is None or second is None:
        return (first is second) == (operator == "==")
    return Comparison(arithmetic, pads=False).holds(operator, first, second)


def _discrete_numbers(arithmetic: Arithmetic, operator: str, array: TypedValue) -> list[int]:
    """Return the numbers of the components of an array, whose order is that of the first ones that
    differ; `UsageError` where they are of no discrete type (Ada 2012 4.5.2)."""
    bare = strip(array.type)
    if not isinstance(bare, Array) or len(bare.dimensions) != 1:
        raise not_comparable(operator)
    element = strip(bare.element)
    whole = None if element is None else unpacked(element)
    if not (isinstance(whole, Enum) or is_integer(whole) or is_boolean(whole)):
        raise not_comparable(operator)
    count, first = bare.dimensions[0] or 0, bare.lower_bound or 0
    arithmetic.objects.check_parts(count)
    return [
        arithmetic.number(arithmetic.objects.element(array, first + index)).value.integer
        for index in range(count)
    ]


def _is_access_to_array(type_: Type | None) -> bool:
    """Return whether a type of Ada is one of access values to an unconstrained array."""
    return _is_array_elsewhere(type_) and not is_parameter(type_)


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


def _with_bounds(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the array that is joined in place of an operand; the operand itself if that has its
    bounds or is no array. Raise why an array that is lost has none."""
    array = array_of(objects, value) if isinstance(strip(value.type), Struct) else value
    if _is_array_elsewhere(array.type) or is_dynamic(array.type):
        objects.known(array)
    return array


def _is_null(value: TypedValue) -> bool:
    """Return whether a value is the literal `null`, which is of no access type."""
    bare = strip(value.type)
    return isinstance(bare, Pointer) and bare.target is None and value.location is None


def _is_array(type_: Type | None) -> bool:
    bare = strip(type_)
    return isinstance(bare.form if isinstance(bare, Dynamic) else bare, Array)


def _is_array_elsewhere(type_: Type | None) -> bool:
    """Return whether a type is the structure that has the address of an array and its bounds."""
    return isinstance(strip(type_), Struct) and stands_for_array(type_)


def _has_record(*sides: TypedValue) -> bool:
    return any(isinstance(strip(side.type), Struct) for side in sides)


def _for_truths(operator: str) -> str:
    return f"{operator} of Ada is for Booleans and modular numbers"


def _is_modular(type_: Type | None) -> bool:
    bare = strip(type_)
    whole = None if bare is None else unpacked(bare)
    return isinstance(whole, Base) and whole.base.encoding == "unsigned"


def _negated_array(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the array of the negated components (Ada 2012 4.5.6)."""
    value = array_of(objects, value)
    components = _truths(objects, COMPLEMENT, value)
    return _with_truths(objects, value, [Bits(one.value ^ 1, one.size_bits) for one in components])


def _joined_arrays(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue
) -> TypedValue:
    """Return the array of what an operator makes of the components of two, with the bounds of the
    left one (Ada 2012 4.5.1); `UsageError` for arrays of different lengths."""
    first, second = (_truths(objects, operator, side) for side in (left, right))
    if len(first) != len(second):
        raise UsageError(f"{operator} of Ada is for arrays of the same length.")
    pairs = zip(first, second, strict=True)
    return _with_truths(objects, left, [
        Bits(of_truths(operator, one.value, other.value), one.size_bits) for one, other in pairs
    ])  # fmt: skip


def _truths(objects: ObjectAccess, operator: str, value: TypedValue) -> list[Bits]:
    """Return the components of an array; none where only the type is wanted. `UsageError` for an
    array of other components than Booleans."""
    bare = strip(value.type)
    form = bare.form if isinstance(bare, Dynamic) else bare
    if not isinstance(form, Array) or len(form.dimensions) != 1 or not is_boolean(form.element):
        raise UsageError(f"{_for_truths(operator)}.")
    if isinstance(objects, Unevaluated):
        return []
    numbers = range(form.dimensions[0] or 0)
    return [
        objects.known(objects.element(value, (form.lower_bound or 0) + number))
        for number in numbers
    ]


def _with_truths(objects: ObjectAccess, value: TypedValue, components: list[Bits]) -> TypedValue:
    """Return an array with other components."""
    if isinstance(objects, Unevaluated):
        return value
    size, endian = objects.known(value).size_bits, objects.context.endian
    rest = size - sum(one.size_bits for one in components)
    if rest:  # behind the components of a packed array
        components = [*components, Bits(0, rest)]
    bits = concatenate(components, endian)
    return evolve(value, bits=bits, location=None, variable=None)
