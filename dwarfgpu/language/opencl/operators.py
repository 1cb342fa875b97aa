"""Operators of OpenCL C on vectors (OpenCL C 6.3), and its null pointer constants."""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Pointer, Struct, Type, strip
from dwarfgpu.language.conditional import (
    Arm,
    conditional,
    conditional_by_element,
    is_null_constant,
    require_condition,
)
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.vectors import is_vector, negated, related, shift_count


class OpenCLOperators(LanguageOperators):
    def becoming(
        self, node: ast.Node, type_: Type | None, *, is_assigned: bool
    ) -> TypedValue | None:
        return self._null(node, type_)

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        if node.operator not in COMPARISONS:
            return left, right
        left_null, right_null = self._null(node.left, right.type), self._null(node.right, left.type)
        if left_null is not None:
            return left_null, right
        return left, right if right_null is None else right_null

    def _null(self, node: ast.Node, type_: Type | None) -> TypedValue | None:
        """Return a null pointer constant beside a pointer as null of its type, which is not 0 in
        LDS and private memory, and beside an array as generic null."""
        generic = self.objects.architecture.address_space_named("generic")
        if generic is None or not is_null_constant(node):
            return None
        bare = strip(type_)
        if not isinstance(bare, Pointer | Array) or is_vector(bare):
            return None
        unit = self.evaluation.names.current_unit
        if isinstance(bare, Pointer):
            self.objects.null_of(bare, unit)  # where it is unknown, that is the error
        null = self.objects.pointer(None, generic, 0, unit)
        return (
            null
            if isinstance(bare, Array)
            else evolve(self.arithmetic.cast(null, type_), unit=unit)
        )

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
        pointer = self.arithmetic.decayed(unchosen.value)
        null = self._null(chosen.node, pointer.type)
        if null is not None:
            return null
        keeps = self.evaluation.language.is_cplusplus  # C++ for OpenCL
        return conditional(
            self.arithmetic, chosen, unchosen, keeps_objects=keeps, widens_to_vectors=True
        )
