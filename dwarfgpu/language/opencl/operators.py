"""Operators of OpenCL C on vectors (OpenCL C 6.3), and its null pointer constants."""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.types.types import UNKNOWN_SPACE, Array, Enum, Pointer, Struct, Type, strip
from dwarfgpu.language.arithmetic_conversions import is_boolean, is_integer
from dwarfgpu.language.conditional import (
    Arm,
    conditional,
    conditional_by_element,
    is_null_constant,
    is_to_void,
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
        bare = strip(type_)
        if generic is None or not isinstance(bare, Pointer | Array) or is_vector(bare):
            return None
        if not self._is_null_constant(node):
            return None
        unit = self.evaluation.names.current_unit
        if isinstance(bare, Pointer):
            self.objects.null_of(bare, unit)  # where it is unknown, that is the error
        null = self.objects.pointer(None, generic, 0, unit)
        if isinstance(bare, Array):
            return null
        if bare.is_unqualified:
            type_ = evolve(bare, is_unqualified=False)
        return evolve(self.arithmetic.cast(null, type_), unit=unit)

    def _is_null_constant(self, node: ast.Node) -> bool:
        """Return whether a tree is a null pointer constant: in OpenCL C an integer constant
        expression that is 0, also as `void *` (C 6.3.2.3); in C++ for OpenCL a literal."""
        if self.evaluation.language.is_cplusplus:
            return isinstance(node, ast.Integer) and not node.number
        if is_null_constant(node):
            return True
        if is_to_void(node):
            node = node.operand
        return self._is_constant(node) and not self.arithmetic.truth(self.evaluation.object(node))

    def _is_constant(self, node: ast.Node) -> bool:
        """Return whether a tree is an integer constant expression (C 6.6)."""
        match node:
            case ast.Integer() | ast.Character() | ast.SizeOf() | ast.Unary(operator="sizeof"):
                return True
            case ast.Unary(operator="+" | "-" | "~" | "!"):
                return self._is_constant(node.operand)
            case ast.Binary(operator=operator) if operator not in (",", "@"):
                return self._is_constant(node.left) and self._is_constant(node.right)
            case ast.Conditional():
                return all(map(self._is_constant, (node.condition, node.yes, node.no)))
            case ast.Cast(is_memory=False):
                is_number = isinstance(node.operand, ast.Floating) or self._is_constant(
                    node.operand
                )
                return is_number and self._is_of_integers(node)
            case ast.Name():
                meaning = self.evaluation.names.meaning(node.name)
                return any(isinstance(m, Die) and m.tag == dw.TAG_ENUMERATOR for m in meaning)
            case _:
                return False

    def _is_of_integers(self, node: ast.Node) -> bool:
        type_ = self.evaluation.unread().object(node).type
        return is_integer(type_) or is_boolean(type_) or isinstance(strip(type_), Enum)

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
        is_of_vectors = is_vector(condition.type)
        if is_of_vectors or not self.evaluation.language.is_cplusplus:
            require_condition(condition.type)
        if not is_of_vectors:
            return None
        arms = self.evaluation.object(node.yes), self.evaluation.object(node.no)
        return conditional_by_element(self.arithmetic, condition, *arms)

    def of_arms(self, chosen: Arm, unchosen: Arm) -> TypedValue:
        pointer = self.arithmetic.decayed(unchosen.value)
        null = self._null(chosen.node, pointer.type)
        if null is not None:
            return null
        own = self.arithmetic.decayed(chosen.value)
        if isinstance(strip(own.type), Pointer) and self._is_null_constant(unchosen.node):
            return evolve(own, is_fixed=True)
        keeps = self.evaluation.language.is_cplusplus  # C++ for OpenCL
        value = conditional(
            self.arithmetic, chosen, unchosen, keeps_objects=keeps, widens_to_vectors=True
        )
        return self._as_generic(value, pointer)

    def _as_generic(self, value: TypedValue, other: TypedValue) -> TypedValue:
        """Return a pointer to a named address space as a generic one if the other arm is that
        (OpenCL C 2.0 6.5.5)."""
        bare, other_bare = strip(value.type), strip(other.type)
        if not isinstance(bare, Pointer) or not isinstance(other_bare, Pointer):
            return value
        space = self.objects.space_of(bare, value.unit)
        to = self.arithmetic.space_beside(value, other)
        if space.number in (0, to) or space.name == "generic" or bare.source_space is not None:
            return value
        if to == UNKNOWN_SPACE:
            return evolve(value, type=evolve(bare, source_space=to), is_fixed=True)
        kind = evolve(other_bare, target=bare.target)
        generic = self.objects.architecture.address_space(to)
        pointer = self.arithmetic.in_space(value, generic, kind)
        return evolve(pointer, unit=other.unit, is_fixed=True)
