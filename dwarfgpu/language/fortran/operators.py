"""Operators that Fortran has otherwise than C (Fortran 2018 10.1)."""

from __future__ import annotations

from functools import partial

from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.types import Array, Base, Pointer, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_boolean
from dwarfgpu.language.c_numbers import NOT_A_NUMBER, not_comparable
from dwarfgpu.language.concatenation import strings_joined
from dwarfgpu.language.contents import Comparison, strings_compared
from dwarfgpu.language.fortran.scalar_pointers import target_of
from dwarfgpu.language.language_operators import Evaluation, LanguageOperators
from dwarfgpu.language.logical_operators import holds
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.fortran_tokens import CONCATENATION, EQUIVALENCES
from dwarfgpu.language.typed_value import TypedValue


class FortranOperators(LanguageOperators):
    widens = True

    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        value = target_of(self.arithmetic, value)
        if operator == "!":
            return self._logical(not self.arithmetic.truth(value), value.type)
        if operator not in ("-", "+", "~"):
            return None
        return self.evaluation.of_one(operator, value)

    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        """Apply a logical operator; the result has the larger kind of the operands (10.1.5.4.2)."""
        if node.operator not in (*EQUIVALENCES, "&&", "||"):
            return None
        types: list[Type | None] = []

        def side(evaluation: Evaluation, operand: ast.Node) -> TypedValue:
            value = target_of(evaluation.arithmetic, evaluation.object(operand))
            types.append(value.type)
            return value

        left = side(self.evaluation, node.left)
        right = partial(side, self.evaluation, node.right)
        if node.operator in EQUIVALENCES:
            is_same = self.arithmetic.truth(left) == self.arithmetic.truth(right())
            return self._logical(is_same == (node.operator == ".eqv."), *types)
        unread, refuse = self.evaluation.unread(), self.evaluation.refuse_overloaded
        is_true = holds(
            self.arithmetic, node.operator, left, right, partial(side, unread, node.right), refuse
        )
        return self._logical(is_true, *types)

    def _logical(self, is_true: bool, *types: Type | None) -> TypedValue:
        """Return a logical value of the larger of the types, or of default kind beside others."""
        kinds = [bare for type_ in types if isinstance(bare := strip(type_), Base)]
        value = self.evaluation.truth(is_true)
        if not kinds or len(kinds) != len(types) or not all(map(is_boolean, kinds)):
            return value
        return self.arithmetic.cast(value, max(kinds, key=lambda kind: kind.base.bit_size))

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        """Return the targets of pointers; beside an address, as `&x` and what a convenience
        variable has, a pointer is one, too."""
        sides = ((node.left, left), (node.right, right))
        if any(_is_address(*side) for side in sides):
            return left, right
        return target_of(self.arithmetic, left), target_of(self.arithmetic, right)

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        return _compared(self.arithmetic, operator, left, right)

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        if operator == CONCATENATION:
            return strings_joined(self.objects, left, right)
        if any(isinstance(strip(side.type), Array) for side in (left, right)):
            raise UsageError(NOT_A_NUMBER)
        return None


def _is_address(node: ast.Node, value: TypedValue) -> bool:
    if not isinstance(strip(value.type), Pointer):
        return False
    return value.location is None or isinstance(node, ast.Dollar)


def _compared(
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
    return Comparison(arithmetic, pads=True).holds(operator, left, right)
