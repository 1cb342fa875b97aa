"""Operators of OpenCL C on vectors (OpenCL C 6.3)."""

from __future__ import annotations

from dwarfgpu.dwarf.types.types import Struct, strip
from dwarfgpu.language.conditional import (
    Arm,
    conditional,
    conditional_by_element,
    require_condition,
)
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.vectors import is_vector, negated, related, shift_count


class OpenCLOperators(LanguageOperators):
    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        is_negation = operator == "!" and is_vector(value.type)
        return negated(self.arithmetic, value) if is_negation else None

    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        """Apply `&&` or `||` to vectors; the right operand is always evaluated."""
        if node.operator not in ("&&", "||"):
            return None
        types = [self.evaluation.unread().object(side).type for side in (node.left, node.right)]
        if not any(map(is_vector, types)):
            return None
        left, right = self.evaluation.object(node.left), self.evaluation.object(node.right)
        return related(self.arithmetic, node.operator, left, right)

    def of_parts(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        sides = left.type, right.type
        has_class = any(isinstance(strip(side), Struct) for side in sides)  # C++ for OpenCL
        if operator not in COMPARISONS or has_class or not any(map(is_vector, sides)):
            return None
        return related(self.arithmetic, operator, left, right)

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        if operator not in ("<<", ">>"):
            return None
        right = shift_count(self.arithmetic, left, right)
        return self.evaluation.computed(operator, left, right)

    def by_element(self, node: ast.Conditional, condition: TypedValue) -> TypedValue | None:
        require_condition(condition.type)
        if not is_vector(condition.type):
            return None
        arms = self.evaluation.object(node.yes), self.evaluation.object(node.no)
        return conditional_by_element(self.arithmetic, condition, *arms)

    def of_arms(self, chosen: Arm, unchosen: Arm) -> TypedValue:
        keeps = self.evaluation.language.is_cplusplus  # C++ for OpenCL
        return conditional(
            self.arithmetic, chosen, unchosen, keeps_objects=keeps, widens_to_vectors=True
        )
