"""How Pascal computes with numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.language.arithmetic_conversions import Number, is_floating
from dwarfgpu.language.constant_expressions import Constant
from dwarfgpu.language.number_rules import (
    NumberRules,
    larger_real,
    shifted_bits,
)
from dwarfgpu.language.pascal.integers import (
    INT64,
    Kind,
    PascalConstant,
    folded,
    kind_beside,
    kind_of_shift,
    kind_of_two,
)
from dwarfgpu.language.syntax import ast

_ALIASES: Final = {
    "cardinal": "LongWord", "dword": "LongWord", "uint64": "QWord",
    "int8": "ShortInt", "int16": "SmallInt", "int32": "LongInt",
    "uint8": "Byte", "uint16": "Word", "uint32": "LongWord",
    "nativeint": "Int64", "ptrint": "Int64", "sizeint": "Int64",
    "nativeuint": "QWord", "ptruint": "QWord", "sizeuint": "QWord",
}  # fmt: skip
"""Names of integer types of the unit `system` that are other names of one."""
_CHARACTERS: Final = {"char": 8, "ansichar": 8, "widechar": 16, "unicodechar": 16}
"""Bits of types of characters."""


class PascalRules(NumberRules):
    """Free Pascal on machines of 64 bits (Reference guide, "Ordinal types"); `integers` says
    in which type it computes integers."""

    name = "Pascal"
    compares_exactly = False
    compares_constants = True
    refuses_large_reals = False
    integer_names = ("ShortInt Byte", "SmallInt Word", "LongInt LongWord", "Int64 QWord")
    real_names: ClassVar = {32: "Single", 64: "Double"}

    def is_same_name(self, one: str, other: str) -> bool:
        return one.lower() == other.lower()

    def named(self, name: str) -> Base | None:
        """Return the type of a name, of numbers, characters or Booleans; None for another name, as
        for Integer, which the mode of the program decides."""
        folded = name.lower()
        size = _CHARACTERS.get(folded)
        if size is not None:
            spelled = "WideChar" if size == 16 else "Char"
            return Base(BaseType(spelled, "unsigned_char", size, self.numbers.endian))
        return super().named(_ALIASES.get(folded, name))

    def real(self, size: int) -> Base:
        kind = super().real(size)
        return kind if size in self.real_names else Base(evolve(kind.base, name="Extended"))

    def real_of(self, constant: Fraction) -> Base:
        """Return Single where it holds the number exactly, and Extended otherwise."""
        single = self.real(32)
        form = self.numbers.plain(single.base).float_format
        if form is not None and form.decode(form.encode(constant)) == constant:
            return single
        return self.real(self.numbers.builtins.floating("long double").base.bit_size)

    def constant(self, node: ast.Node) -> Constant | None:
        return folded(node, self._kind_named)

    def result(self, node: ast.Node, constant: Constant) -> Number:
        """Return the constant that an expression is: what is computed is Int64."""
        assert isinstance(constant, PascalConstant)
        match node:
            case ast.Binary() if INT64.has(constant):
                return self._in_kind(constant, INT64)
            case _:
                return self._in_kind(constant, constant.kind)

    def beside(self, constant: Constant, type_: Type, operator: str = "") -> Number:
        """Return a constant in its type."""
        if not isinstance(constant, PascalConstant):
            return self.alone(constant)
        bare = strip(type_)
        assert isinstance(bare, Base)
        is_integer = not is_floating(bare)
        kind = kind_beside(operator, constant, _kind(bare.base)) if is_integer else constant.kind
        return self._in_kind(constant, kind)

    def of_two(self, operator: str, left: Number, right: Number) -> Type:
        real = larger_real(left, right)
        if real is not None:
            return real
        kind = kind_of_two(operator, _kind(left.value.type), _kind(right.value.type))
        return self.integer(kind.size, is_signed=kind.is_signed)

    def of_one(self, operator: str, number: Number) -> Type:
        has_sign = operator in ("-", "+") and not number.is_float
        return self.integer(64) if has_sign else number.type

    def shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift by the count modulo the size, without a sign."""
        kind = kind_of_shift(_kind(left.value.type))
        left = self.numbers.cast(left, self.integer(kind.size, is_signed=kind.is_signed))
        return shifted_bits(operator, left.value.bits, left, right.value.integer & kind.size - 1)

    def _kind_named(self, name: str) -> Kind | None:
        named = self.named(name)
        is_number = named is not None and named.base.encoding in ("signed", "unsigned")
        return _kind(named.base) if named is not None and is_number else None

    def _in_kind(self, constant: int, kind: Kind) -> Number:
        return self.integer_number(kind.of(constant), kind.size, is_signed=kind.is_signed)


def _kind(base: BaseType) -> Kind:
    return Kind(base.bit_size, base.is_signed)
