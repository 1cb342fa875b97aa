"""Operators that Rust has otherwise than C (The Rust Reference, "Operator expressions")."""

from __future__ import annotations

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.dynamic_arrays import dynamic_array
from dwarfgpu.dwarf.types.type_sizes import element_type
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Array,
    Base,
    Dynamic,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import Unsupported, UsageError, counted
from dwarfgpu.language.arithmetic_conversions import is_boolean, is_integer, is_unicode_character
from dwarfgpu.language.array_expressions import elements, indexed_array
from dwarfgpu.language.c_numbers import not_comparable
from dwarfgpu.language.contents import arrays_compared, have_parts
from dwarfgpu.language.dynamic_indexing import array_of, smaller_slice
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.rust.types import named_pointer
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.words import BYTE
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.untyped_operands import written_array
from dwarfgpu.model.location import UNDEFINED_LOCATION


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
        if len(written) > 1 and any(map(_is_text, written)):
            self._require_one_length([*values.values()])
        names = {"()" if one.type is None else type_name(one.type) for one in values.values()}
        if len(names) > 1:
            raise UsageError(f"The elements of an array have one type, not {_listed(names)}.")
        return [values[index] for index in range(len(written))] * node.repeats

    def _require_one_length(self, values: list[TypedValue]) -> None:
        """Raise `Unsupported` for texts that are no elements of one array: each that is written out
        is an array in no memory, so that no `&str` leads to it."""
        if len({type_name(one.type) if one.type else "" for one in values}) > 1:
            raise Unsupported("a text that is written out is in no memory: only == and != take it")

    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        """Compare an array of texts that are written out, element by element."""
        sides = [written_array(side) for side in (node.left, node.right)]
        if node.operator not in ("==", "!=") or not any(map(_has_texts, sides)):
            return None
        first, second = (
            self._parts(side, array)
            for side, array in zip((node.left, node.right), sides, strict=True)
        )
        if isinstance(self.objects, Unevaluated):
            return self.evaluation.truth(False)
        is_same = len(first) == len(second)
        for left, right in zip(first, second, strict=True) if is_same else ():
            alike = self.compared("==", left, right)
            if alike is None:
                raise not_comparable(node.operator)
            is_same = is_same and alike
        return self.evaluation.truth(is_same == (node.operator == "=="))

    def _parts(self, node: ast.Node, written: ast.Elements | None) -> list[TypedValue]:
        """Return the elements of an operand; none where only types are wanted."""
        if written is not None:
            elements = [self.evaluation.object(element) for element in written.elements]
            self.objects.count_parts(len(elements) * written.repeats)
            return elements * written.repeats
        value = self._array_of(self.evaluation.object(node))
        bare = strip(value.type)
        if not isinstance(bare, Array) or len(bare.dimensions) != 1:
            raise not_comparable("==")
        count = 0 if isinstance(self.objects, Unevaluated) else bare.dimensions[0] or 0
        self.objects.check_parts(count)
        return [self.objects.element(value, index) for index in range(count)]

    def as_type(self, node: ast.Node, type_: Type | None) -> TypedValue | None:
        """Return an array that is written out where one of a type is expected. No element is
        evaluated where that is refused."""
        array, written = self._array_type(type_), written_array(node)
        if written is None or array is None:
            return None
        length, count = len(written.elements) * written.repeats, array.dimensions[0]
        if count not in (None, length):
            raise UsageError(f"The array has {counted(count or 0, 'element')}, not {length}.")
        kind = element_type(array)
        if not isinstance(self.objects, Unevaluated):
            RustOperators(self.evaluation.unread()).elements(written, kind)
        return elements(self.objects, self.elements(written, kind))

    def becoming(
        self, node: ast.Node, type_: Type | None, *, is_assigned: bool
    ) -> TypedValue | None:
        """Return a constant before `as char`, which is a u8 there."""
        rules = self.evaluation.rules
        if is_assigned or rules is None or not is_unicode_character(type_):
            return None
        if not self.evaluation.is_untyped(node):
            return None
        return self.evaluation.assigned(node, rules.integer(8, is_signed=False))

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        """Return the operands. `UsageError` for a reference to a number: Rust computes with what it
        leads to."""
        for side in (left, right):
            bare = strip(side.type)
            is_reference = isinstance(bare, Pointer) and (bare.own_name or "").startswith("&")
            if isinstance(bare, Pointer) and is_reference and isinstance(strip(bare.target), Base):
                what = f"Rust has {node.operator} of what a reference leads to: write *."
                raise UsageError(what)
        return left, right

    def require_assignable(self, node: ast.Node, type_: Type | None) -> None:
        """Raise `UsageError` for an array that is written out where a reference to one is assigned:
        it is in no memory."""
        is_reference = isinstance(strip(type_), Pointer) or dynamic_array(type_) is not None
        if is_reference and written_array(node) is not None:
            raise UsageError(
                "No reference leads to an array that is written out: it is in no memory."
            )

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
        """Return `&x[1..3]`, which is the slice, and `&[1, 2]`, which is the array: it is in no
        memory, so that only its type is that of the reference."""
        if isinstance(node, ast.Elements):
            array = self.evaluation.object(node)
            if not isinstance(self.objects, Unevaluated):
                return array
            pointer = self.arithmetic.numbers.builtins.pointer(array.type)
            return TypedValue(named_pointer(pointer, "&"), UNDEFINED_LOCATION, unit=array.unit)
        if isinstance(node, ast.Index) and isinstance(node.index, ast.Slice):
            return self.evaluation.object(node)
        return None

    def slice(
        self, value: TypedValue, low: int, high: int | None, limit: int | None
    ) -> TypedValue | None:
        return smaller_slice(self.objects, value, low, high)

    def target(self, node: ast.Node, value: TypedValue) -> TypedValue | None:
        """Return the object to which a pointer to a trait object leads, in its own type, which is
        read, too, where only that is wanted. An error for any other structure."""
        if not isinstance(strip(value.type), Struct | Dynamic):
            return None
        from dwarfgpu.language.rust import trait_objects  # few expressions

        if not trait_objects.is_trait_pointer(value.type):
            raise trait_objects.no_target(value.type)
        counting = self.evaluation.counting()
        read = value if counting is self.evaluation else counting.object(node)
        return self.objects.dereferenced(trait_objects.pointer_to_object(counting.objects, read))

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        if not have_parts(left, right):
            return None
        left, right = self._array_of(left), self._array_of(right)
        return arrays_compared(self.arithmetic, operator, left, right)

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        return self.of_booleans(operator, left, right)

    def _array_of(self, value: TypedValue) -> TypedValue:
        """Return the array of a reference or a slice; any other value as it is."""
        unit, bare = self.evaluation.names.current_unit, strip(value.type)
        if isinstance(bare, Pointer) and bare.own_name is None and _is_array(bare.target):
            value = self.objects.dereferenced(value)  # `&x`
        return array_of(self.objects, indexed_array(self.objects, value, unit))


def _is_text(node: ast.Node) -> bool:
    """Return whether an element is a text that is written out."""
    return isinstance(node, ast.String) and node.prefix != BYTE


def _is_array(type_: Type | None) -> bool:
    return isinstance(strip(type_), Array)


def _has_texts(written: ast.Elements | None) -> bool:
    return written is not None and any(map(_is_text, written.elements))


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))
