"""Operators that Fortran has otherwise than C (Fortran 2018 10.1)."""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.types import Array, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.c_numbers import NOT_A_NUMBER, not_comparable
from dwarfgpu.language.concatenation import strings_joined
from dwarfgpu.language.contents import Comparison, strings_compared
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.fortran_tokens import CONCATENATION, EQUIVALENCES
from dwarfgpu.language.typed_value import TypedValue


class FortranOperators(LanguageOperators):
    widens = True

    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        if node.operator not in EQUIVALENCES:
            return None
        left, right = (self.evaluation.object(side) for side in (node.left, node.right))
        is_same = self.arithmetic.truth(left) == self.arithmetic.truth(right)
        return self.evaluation.truth(is_same == (node.operator == ".eqv."))

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        return _compared(self.arithmetic, operator, left, right)

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        if operator == CONCATENATION:
            return strings_joined(self.objects, left, right)
        if any(isinstance(strip(side.type), Array) for side in (left, right)):
            raise UsageError(NOT_A_NUMBER)
        return None


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
