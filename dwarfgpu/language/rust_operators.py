"""Operators that Rust has otherwise than C (The Rust Reference, "Operator expressions")."""

from __future__ import annotations

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Base, Pointer, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import is_integer, is_unicode_character
from dwarfgpu.language.array_expressions import indexed_array
from dwarfgpu.language.contents import arrays_compared, have_parts
from dwarfgpu.language.dynamic_indexing import array_of
from dwarfgpu.language.own_operators import OwnOperators
from dwarfgpu.language.typed_value import TypedValue


class OperatorsOfRust(OwnOperators):
    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        """Apply `!`: of an integer the complement of its bits, in its own type, and of a bool its
        negation. `UsageError` for other types, which Rust does not negate."""
        if operator != "!":
            return None
        bare = strip(value.type)
        if is_integer(bare) and not is_unicode_character(bare):
            return self.arithmetic.cast(self.arithmetic.unary("~", value), value.type)
        if value.type is None or (isinstance(bare, Base) and bare.base.encoding == "boolean"):
            return self.evaluation.truth(not self.arithmetic.truth(value))
        hint = "; compare it with 0" if isinstance(bare, Base | Pointer) else ""
        name = type_name(value.type)
        raise UsageError(f"Rust has ! of integers and of bool, not of the type {name}{hint}.")

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        if not have_parts(left, right):
            return None
        unit = self.evaluation.names.current_unit
        left, right = (
            array_of(self.objects, indexed_array(self.objects, side, unit))
            for side in (left, right)
        )
        return arrays_compared(self.arithmetic, operator, left, right)
