"""How Fortran computes with numbers."""

from __future__ import annotations

from fractions import Fraction

from dwarfgpu.dwarf.types.types import Base, Type
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.fortran.types import intrinsic_type
from dwarfgpu.language.number_rules import (
    NumberRules,
    larger_real,
)


class FortranRules(NumberRules):
    """Fortran 2018 10.1.9.3: the type of the operand with the larger kind."""

    name = "Fortran"
    overflow = "which Fortran does not define"
    assigns_fractions = True

    def integer(self, size: int, *, is_signed: bool = True) -> Base:
        if is_signed and size <= 128:
            return intrinsic_type(self.numbers.builtins, "integer", size // 8)
        return super().integer(size, is_signed=is_signed)

    def real(self, size: int) -> Base:
        return intrinsic_type(self.numbers.builtins, "real", size // 8)

    def real_of(self, constant: Fraction) -> Base:
        return self.real(32)

    def of_two(self, operator: str, left: Number, right: Number) -> Type:
        real = larger_real(left, right)
        if real is not None:
            return real
        if not (left.value.type.is_signed and right.value.type.is_signed):  # none of Fortran
            return self.numbers.usual(left, right)[0].type
        return left.type if left.value.type.bit_size >= right.value.type.bit_size else right.type
