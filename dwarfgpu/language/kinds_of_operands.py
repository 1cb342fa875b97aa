"""Select operators by the kinds of their operands.

Law: values of several parts use `Operators`, which are independent of those kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue


class Operators(Protocol):
    """Operators on the parts of a value; `dwarfgpu.language.arithmetic.Arithmetic` has them."""

    @property
    def objects(self) -> ObjectAccess: ...

    @property
    def numbers(self) -> Numbers: ...

    def value(self, number: Number) -> TypedValue:
        """Return a number as a value without a location."""
        ...

    def number(self, value: TypedValue) -> Number:
        """Return the number of a value; `UsageError` if its type has none."""
        ...

    def binary(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue: ...

    def unary(self, operator: str, value: TypedValue) -> TypedValue: ...

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool: ...

    def truth(self, value: TypedValue) -> bool: ...

    def cast(self, value: TypedValue, type_: Type | None) -> TypedValue:
        """Convert a value as `(kind) value`."""
        ...


@frozen
class OperandKind:
    """The operators on one kind of operands; one operand of the kind is enough."""

    includes: Callable[[Type | None], bool]
    """Whether a type belongs to the kind."""
    binary: Callable[[Operators, str, TypedValue, TypedValue], TypedValue]
    unary: Callable[[Operators, str, TypedValue], TypedValue]
    compared: Callable[[Operators, str, TypedValue, TypedValue], bool]
