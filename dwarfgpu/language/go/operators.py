"""Operators that Go has otherwise than C (its specification, "Operators")."""

from __future__ import annotations

from fractions import Fraction

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.go_kinds import STRING, go_kind
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.c_numbers import spelled
from dwarfgpu.language.contents import arrays_compared, have_parts
from dwarfgpu.language.go.slices_and_strings import (
    array_of,
    compared_with_nil,
    slice_expression,
    strings_joined,
    strings_ordered,
)
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.number_rules import SHIFTS
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION


class GoOperators(LanguageOperators):
    def index(self, node: ast.Node) -> TypedValue:
        """Return an index: a constant is an integer, also as `1.0` ("Index expressions")."""
        rules = self.evaluation.rules
        constant = None if rules is None else rules.constant(node)
        if rules is None or not isinstance(constant, Fraction):
            return super().index(node)
        if constant.denominator != 1:
            raise UsageError(f"A constant index of Go is an integer, not {spelled(constant)}.")
        return self.arithmetic.value(rules.alone(int(constant)))

    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        if operator != "~":
            return None
        if not is_integer(value.type):
            name = "void" if value.type is None else type_name(value.type)
            raise UsageError(f"Go has ^ of integers, not of the type {name}.")
        return self.evaluation.of_one(operator, value)

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        """Return the operands, of a shift with a constant count as an integer; `UsageError` for a
        constant that cannot be shifted or divided."""
        rules = self.evaluation.rules
        if rules is None or node.operator not in (*SHIFTS, "/", "%"):
            return left, right
        constant, by = rules.constant(node.left), rules.constant(node.right)
        if node.operator not in SHIFTS:
            if constant is not None and by == 0:
                raise EvaluationError("Division by zero")
            return left, right
        if isinstance(constant, Fraction):
            if constant.denominator != 1:
                raise UsageError(
                    f"A shifted constant of Go is an integer, not {spelled(constant)}."
                )
            left = self.arithmetic.value(rules.alone(int(constant)))
        if isinstance(by, Fraction):
            if by.denominator != 1:
                raise UsageError(f"A shift count of Go is an integer, not {spelled(by)}.")
            right = self.arithmetic.value(rules.alone(int(by)))
        return left, right

    def slice(
        self, value: TypedValue, low: int, high: int | None, limit: int | None
    ) -> TypedValue | None:
        return slice_expression(self.objects, value, low, high, limit)

    def as_stored(self, target: TypedValue, value: TypedValue) -> TypedValue:
        """Return what a slice, string or interface becomes."""
        from dwarfgpu.language.go.assigned_values import as_stored  # few expressions

        return as_stored(self.arithmetic, target, value)

    def converted(self, value: TypedValue, to: Type | None) -> TypedValue | None:
        """Return an integer or a slice as a string; None for another conversion."""
        if go_kind(to) != STRING or go_kind(value.type) == STRING:
            return None
        from dwarfgpu.language.go.assigned_values import bytes_of_string  # few expressions

        if isinstance(self.objects, Unevaluated):
            return TypedValue(to, UNDEFINED_LOCATION, unit=value.unit)
        text = bytes_of_string(self.arithmetic, value)
        if text is None:
            return None
        return self.evaluation.object(ast.String(tuple(text), is_counted=True))

    def of_parts(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        return strings_joined(self.objects, left, right) if operator == "+" else None

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        if not have_parts(left, right):
            return None
        is_so = strings_ordered(self.objects, operator, left, right)
        if is_so is not None:
            return is_so
        is_so = compared_with_nil(self.arithmetic, operator, left, right)
        if is_so is not None:
            return is_so
        left, right = (array_of(self.objects, side) for side in (left, right))
        return arrays_compared(self.arithmetic, operator, left, right)
