"""Operators that Rust has otherwise than C (The Rust Reference, "Operator expressions")."""

from __future__ import annotations

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import element_type
from dwarfgpu.dwarf.types.types import Array, Base, Pointer, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import is_boolean, is_integer, is_unicode_character
from dwarfgpu.language.array_expressions import elements, indexed_array
from dwarfgpu.language.contents import arrays_compared, have_parts
from dwarfgpu.language.dynamic_indexing import array_of, slice_of_slice
from dwarfgpu.language.own_operators import OwnOperators
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue


class OperatorsOfRust(OwnOperators):
    def elements(self, node: ast.Elements, of: Type | None = None) -> list[TypedValue]:
        """Return the elements of an array, which have one type: that of the first one that has one
        by itself, unless another is expected."""
        evaluation = self.evaluation
        if of is None:
            typed = [one for one in node.elements if not evaluation.is_untyped(one)]
            of = evaluation.unread().object((typed or node.elements)[0]).type
        values = [evaluation.object_as(element, of) for element in node.elements]
        names = {"()" if value.type is None else type_name(value.type) for value in values}
        if len(names) > 1:
            raise UsageError(f"The elements of an array have one type, not {_listed(names)}.")
        return values

    def as_type(self, node: ast.Node, type_: Type | None) -> TypedValue | None:
        """Return an array that is written out where one of a type is expected."""
        bare = strip(type_)
        if not isinstance(node, ast.Elements) or not isinstance(bare, Array):
            return None
        return elements(self.objects, self.elements(node, element_type(bare)))

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        if isinstance(node.right, ast.Elements):
            right = self.evaluation.object_as(node.right, self._array_of(left).type)
        elif isinstance(node.left, ast.Elements):
            left = self.evaluation.object_as(node.left, self._array_of(right).type)
        return left, right

    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        """Apply `!`: of an integer the complement of its bits, in its own type, and of a bool its
        negation. `UsageError` for other types, which Rust does not negate."""
        if operator != "!":
            return None
        bare = strip(value.type)
        if is_integer(bare) and not is_unicode_character(bare):
            return self.arithmetic.cast(self.arithmetic.unary("~", value), value.type)
        if value.type is None or is_boolean(bare):
            return self.evaluation.truth(not self.arithmetic.truth(value))
        hint = "; compare it with 0" if isinstance(bare, Base | Pointer) else ""
        name = type_name(value.type)
        raise UsageError(f"Rust has ! of integers and of bool, not of the type {name}{hint}.")

    def address(self, node: ast.Node) -> TypedValue | None:
        """Return `&x[1..3]`, which is the slice."""
        if isinstance(node, ast.Index) and isinstance(node.index, ast.Slice):
            return self.evaluation.object(node)
        return None

    def slice(self, value: TypedValue, low: int, high: int | None) -> TypedValue | None:
        return slice_of_slice(self.objects, value, low, high)

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        if not have_parts(left, right):
            return None
        left, right = self._array_of(left), self._array_of(right)
        return arrays_compared(self.arithmetic, operator, left, right)

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        return self.of_booleans(operator, left, right)

    def _array_of(self, value: TypedValue) -> TypedValue:
        """Return the array of a reference or a slice; any other value as it is."""
        unit = self.evaluation.names.current_unit
        return array_of(self.objects, indexed_array(self.objects, value, unit))


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))
