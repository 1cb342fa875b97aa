"""How languages compute that convert no operand."""

from __future__ import annotations

from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.constant_expressions import Constant
from dwarfgpu.language.number_rules import (
    NumberRules,
    name_of,
    unqualified,
)
from dwarfgpu.language.syntax import words


class StrictRules(NumberRules):
    """Rust and Go convert no operand: the type is that of one that holds all numbers of the
    other; beside a number that is none of the program, as that of a register, C's."""

    has_untyped = True

    def beside(self, constant: Constant, type_: Type, operator: str = "") -> Number:
        """Return a constant in the type of the other operand (The Rust Reference, "Literal
        expressions"; Go, "Constant expressions")."""
        if self._is_foreign(type_):
            return self.alone(constant)
        return self.within(constant, type_, is_real=self.name == "Go")

    def of_two(self, operator: str, left: Number, right: Number) -> Type:
        if any(self._is_foreign(side.type) for side in (left, right)):
            return self.numbers.usual(left, right)[0].type
        for kind, other in ((left, right), (right, left)):
            if name_of(unqualified(left.type)) == name_of(unqualified(right.type)):
                return kind.type
            if _holds_all(kind, other):
                return kind.type
        names = f"{name_of(left.type)} and {name_of(right.type)}"
        raise UsageError(f"{self.name} does not compute with {names}: write a cast.")

    def _is_foreign(self, type_: Type) -> bool:
        bare = strip(type_)
        assert isinstance(bare, Base)
        known = self.named(bare.name)
        if known is not None:
            return known.base.bit_size != bare.base.bit_size
        return bare.name.endswith("_t") or set(bare.name.split()) <= words.TYPE_WORDS


def _holds_all(kind: Number, other: Number) -> bool:
    a, b = kind.value.type, other.value.type
    if kind.is_float or other.is_float:
        return kind.is_float and other.is_float and a.bit_size >= b.bit_size
    if a.is_signed == b.is_signed:
        return a.bit_size >= b.bit_size
    return a.is_signed and a.bit_size > b.bit_size
