"""Operators that D has otherwise than C (D Language Specification, "Arrays")."""

from __future__ import annotations

from dwarfgpu.language.contents import arrays_compared, have_parts
from dwarfgpu.language.dynamic_indexing import array_of
from dwarfgpu.language.own_operators import OwnOperators
from dwarfgpu.language.typed_value import TypedValue


class OperatorsOfD(OwnOperators):
    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        if not have_parts(left, right):
            return None
        left, right = (array_of(self.objects, side) for side in (left, right))
        return arrays_compared(self.arithmetic, operator, left, right)
