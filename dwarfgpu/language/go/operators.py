"""Operators that Go has otherwise than C (its specification, "Operators")."""

from __future__ import annotations

from fractions import Fraction

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.go_kinds import SLICE, STRING, go_kind
from dwarfgpu.dwarf.types.types import Struct, Type, strip
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.c_numbers import spelled
from dwarfgpu.language.contents import arrays_compared, have_parts
from dwarfgpu.language.go.slices_and_strings import (
    array_of,
    as_size,
    compared_with_nil,
    element_of,
    is_string,
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

    def size(self, size_bytes: int) -> TypedValue:
        return as_size(self.arithmetic, size_bytes)

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

    def becoming(
        self, node: ast.Node, type_: Type | None, *, is_assigned: bool
    ) -> TypedValue | None:
        """Return a constant that becomes a string, which no type may hold; None for another value
        or type."""
        rules = self.evaluation.rules
        if is_assigned or rules is None or go_kind(type_) != STRING:
            return None
        constant = rules.constant(node)
        if not isinstance(constant, int):
            return None
        from dwarfgpu.language.go.converted_structures import encoded  # few expressions

        return self._string(encoded(constant))

    def converted(self, value: TypedValue, to: Type | None) -> TypedValue | None:
        """Return an integer or a slice as a string, a string as a slice, and `nil` as a slice or an
        interface; None for another conversion, and `UsageError` for one to a structure that Go has
        not."""
        if not isinstance(strip(to), Struct):
            return None
        from dwarfgpu.language.go import converted_structures as conversions  # few expressions

        if conversions.have_one_form(value.type, to):
            return None
        result = conversions.as_nil_or_interface(value, TypedValue(to, unit=value.unit))
        if result is None and go_kind(to) == SLICE:
            result = conversions.as_slice(self.objects, value, element_of(to))
        elif go_kind(to) == STRING and is_string(value):
            result = value
        elif go_kind(to) == STRING and conversions.has_text(self.objects, value):
            is_read = not isinstance(self.objects, Unevaluated)
            text = conversions.bytes_of_string(self.arithmetic, value) if is_read else b""
            result = self._string(text)
        if result is None:
            raise UsageError(conversions.no_conversion(value, to))
        if isinstance(self.objects, Unevaluated):
            return TypedValue(to, UNDEFINED_LOCATION, unit=value.unit)
        return result

    def _string(self, text: bytes) -> TypedValue:
        """Return a string that is in no memory."""
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
