"""Operators that Rust has otherwise than C (The Rust Reference, "Operator expressions")."""

from __future__ import annotations

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.dynamic_arrays import dynamic_array
from dwarfgpu.dwarf.types.type_sizes import element_type
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Array, Base, Pointer, Type, strip
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.language.arithmetic_conversions import is_boolean, is_integer, is_unicode_character
from dwarfgpu.language.array_expressions import elements, indexed_array
from dwarfgpu.language.contents import arrays_compared, have_parts
from dwarfgpu.language.dynamic_indexing import array_of, slice_of_slice
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue


class RustOperators(LanguageOperators):
    def elements(self, node: ast.Elements, of: Type | None = None) -> list[TypedValue]:
        """Return the elements of an array, which have one type: that of the first one that has one
        by itself, unless another is expected. Each is evaluated once."""
        evaluation, written = self.evaluation, node.elements
        values: dict[int, TypedValue] = {}
        if of is None:
            typed = (i for i, element in enumerate(written) if not evaluation.is_untyped(element))
            first = next(typed, 0)
            values[first] = evaluation.object(written[first])
            of = values[first].type
        for index, element in enumerate(written):
            if index not in values:
                values[index] = evaluation.assigned(element, of)
        names = {"()" if one.type is None else type_name(one.type) for one in values.values()}
        if len(names) > 1:
            raise UsageError(f"The elements of an array have one type, not {_listed(names)}.")
        return [values[index] for index in range(len(written))] * node.repeats

    def as_type(self, node: ast.Node, type_: Type | None) -> TypedValue | None:
        """Return an array that is written out where one of a type is expected."""
        array = self._array_type(type_)
        if not isinstance(node, ast.Elements) or array is None:
            return None
        values, count = self.elements(node, element_type(array)), array.dimensions[0]
        if count not in (None, len(values)):
            raise UsageError(f"The array has {counted(count or 0, 'element')}, not {len(values)}.")
        return elements(self.objects, values)

    def _array_type(self, type_: Type | None) -> Array | None:
        """Return the type of the array that a reference, a `Box` or a slice leads to."""
        for _ in range(MAX_CHAIN):
            bare = strip(type_)
            if isinstance(bare, Array):
                return bare
            if not isinstance(bare, Pointer):
                parts = dynamic_array(bare)
                return None if parts is None else parts.with_length(None)
            type_ = bare.target
        return None

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

    def slice(
        self, value: TypedValue, low: int, high: int | None, limit: int | None
    ) -> TypedValue | None:
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
