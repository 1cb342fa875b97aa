"""How Ada, D, Fortran, Go, Pascal and Rust compute, a class each."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.type_sizes import unpacked
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_floating
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.constant_expressions import Constant
from dwarfgpu.language.fortran_types import intrinsic_type
from dwarfgpu.language.language_rules import (
    LanguageRules,
    fits,
    larger_real,
    name_of,
    unqualified,
)
from dwarfgpu.language.pascal_integers import (
    INT64,
    Kind,
    PascalConstant,
    folded,
    kind_beside,
    kind_of_shift,
    kind_of_two,
)
from dwarfgpu.language.syntax import ast, words
from dwarfgpu.model.value import Value


class RulesOfAda(LanguageRules):
    """Ada 2012 4.5; of two types, which Ada does not compute with, at least `long` or `double`, as
    GDB has it."""

    name = "Ada"
    folding = "all"
    compares_constants = True
    overflow = "where Ada raises Constraint_Error"
    _standard: Final = {8: "short_short_integer", 16: "short_integer", 32: "integer",
                        64: "long_long_integer", 128: "long_long_long_integer"}  # fmt: skip
    _reals: Final = {32: "float", 64: "long_float"}

    def integer(self, size: int, *, is_signed: bool = True) -> Base:
        if is_signed:
            return self.base(self._standard[size], size, is_signed=True)
        return super().integer(size, is_signed=is_signed)

    def real(self, size: int) -> Base:
        kind = super().real(size)
        return Base(evolve(kind.base, name=self._reals.get(size, "long_long_float")))

    def real_of(self, constant: Fraction) -> Base:
        """Return the first type, from Long_Float on, whose numbers are large enough."""
        kind = self.real(64)
        form = kind.base.float_format
        if form is not None and not isinstance(form.decode(form.encode(constant)), str):
            return kind
        return self.real(self.numbers.builtins.floating("long double").base.bit_size)

    def beside(self, constant: Constant, type_: Type, operator: str = "") -> Number:
        """Return a constant in the type of the other operand (4.9.1)."""
        if isinstance(constant, Fraction) != is_floating(type_):
            return self.alone(constant)
        return self.within(constant, type_, is_real=False)

    def wraps_constants(self, type_: Type) -> bool:
        """Return whether a type is modular: its operators wrap in static expressions, too
        (4.9)."""
        bare = strip(type_)
        whole = None if bare is None else unpacked(bare)
        return isinstance(whole, Base) and whole.base.encoding == "unsigned"

    def of_two(self, operator: str, left: Number, right: Number) -> Type:
        first, second = self._base_of_subtype(left.type), self._base_of_subtype(right.type)
        one, other = strip(first), strip(second)
        assert isinstance(one, Base) and isinstance(other, Base)
        if one.base == other.base and one.modulus == other.modulus:
            return first
        operands, builtins = self.numbers.usual(left, right), self.numbers.builtins
        base = operands[0].value.type
        target = builtins.floating("double")
        if not operands[0].is_float:
            target = builtins.integer(builtins.long_bits, is_signed=base.is_signed)
        return operands[0].type if base.bit_size > target.base.bit_size else target

    def of_one(self, operator: str, number: Number) -> Type:
        if operator == "~" and number.value.type.is_signed:
            raise UsageError("not of Ada is for Booleans and modular numbers.")
        return self._base_of_subtype(number.type)

    def of_shift(self, left: Number, result: Number) -> Type:
        return self._base_of_subtype(left.type)

    def _base_of_subtype(self, type_: Type) -> Type:
        """Return the type of results where operands are of a subtype of Standard, as Natural."""
        bare = strip(type_)
        is_subtype = isinstance(bare, Base) and bare.name in ("natural", "positive")
        return self.integer(32) if is_subtype else type_


class RulesOfFortran(LanguageRules):
    """Fortran 2018 10.1.9.3: the type of the operand with the larger kind."""

    name = "Fortran"
    overflow = "which Fortran does not define"
    assigns_fractions = True

    def integer(self, size: int, *, is_signed: bool = True) -> Base:
        if is_signed and size <= 64:
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


class RulesOfPascal(LanguageRules):
    """Free Pascal on machines of 64 bits (Reference guide, "Ordinal types"); `pascal_integers` says
    in which type it computes integers."""

    name = "Pascal"
    compares_exactly = False
    compares_constants = True
    refuses_large_reals = False
    integer_names = ("ShortInt Byte", "SmallInt Word", "LongInt LongWord", "Int64 QWord")
    real_names: ClassVar = {32: "Single", 64: "Double"}

    def is_same_name(self, one: str, other: str) -> bool:
        return one.lower() == other.lower()

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
            case ast.Cast() | ast.Unary(operator="~" | words.COMPLEMENT):
                return self._in_kind(constant, constant.kind)
            case _:
                return self.alone(constant)

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
        return _shifted(operator, left.value.bits, left, right.value.integer & kind.size - 1)

    def _kind_named(self, name: str) -> Kind | None:
        named = self.named(name)
        return None if named is None or is_floating(named) else _kind(named.base)

    def _in_kind(self, constant: int, kind: Kind) -> Number:
        return self.integer_number(kind.of(constant), kind.size, is_signed=kind.is_signed)


class RulesOfD(LanguageRules):
    """D computes as C does, with names of its own (D Language Specification, "Usual Arithmetic
    Conversions")."""

    name = "D"
    compares_exactly = False
    has_real_remainder = True
    integer_names = ("byte ubyte", "short ushort", "int uint", "long ulong", "cent ucent")

    def applies(self, *types: Type | None) -> bool:
        """Return whether values of all these types are numbers, characters or Booleans."""
        return super().applies(*(type_ for type_ in types if not _is_promoted(type_)))

    def real(self, size: int) -> Base:
        kind = super().real(size)
        return kind if size in (32, 64) else Base(evolve(kind.base, name="real"))

    def literal(self, node: ast.Integer | ast.Floating) -> Number:
        number = self.numbers.literal(node)
        self.require_finite(number, node.number)
        return self.numbers.cast(number, self.in_d(number))

    def of_two(self, operator: str, left: Number, right: Number) -> Type:
        return self.in_d(self.numbers.usual(left, right)[0])

    def of_one(self, operator: str, number: Number) -> Type:
        return self.in_d(self.numbers.promoted(number))

    def of_shift(self, left: Number, result: Number) -> Type:
        return self.in_d(result)

    def shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift; `>>>` shifts zeros in, also to negative numbers ("Shift Expressions")."""
        if operator != words.SHIFT_OF_BITS:
            return super().shifted(operator, left, right)
        kind = self.in_d(self.numbers.promoted(left))
        size = self.numbers.cast(left, kind).value.type.bit_size
        bits = self.numbers.cast(left, self.integer(size, is_signed=False))
        return self.numbers.cast(super().shifted(">>", bits, right), kind)

    def in_d(self, number: Number) -> Base:
        """Return the type of a number of C as D names it."""
        base = number.value.type
        if base.encoding == "float":
            return self.real(base.bit_size)
        return self.integer(base.bit_size, is_signed=base.is_signed)


def _is_promoted(type_: Type | None) -> bool:
    """Return whether a type is one of characters or Booleans."""
    bare = strip(type_)
    if not isinstance(bare, Base) or bare.base.vector_size is not None:
        return False
    return bare.base.encoding in ("UTF", "signed_char", "unsigned_char", "boolean")


class _StrictRules(LanguageRules):
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


class RulesOfGo(_StrictRules):
    name = "Go"
    folding = "all"
    compares_constants = True
    integer_names = ("int8 uint8", "int16 uint16", "int32 uint32", "int64 uint64")
    address_names = "int uint"
    real_names: ClassVar = {32: "float32", 64: "float64"}

    def literal(self, node: ast.Integer | ast.Floating) -> Number:
        return (
            self.result(node, node.number) if node.suffix == words.RUNE else super().literal(node)
        )

    def result(self, node: ast.Node, constant: Constant) -> Number:
        """Return the constant that an expression is: of characters, an int32 ("Constants")."""
        if isinstance(constant, int) and _is_of_runes(node):
            return self.within(constant, self.integer(32), is_real=False)
        return self.alone(constant)

    def type_of_untyped(self, node: ast.Binary) -> Type | None:
        """Return the type that the operands would have without the shifts ("Operators")."""
        sides = _without_shifts(node.left), _without_shifts(node.right)
        constants = [self.constant(side) for side in sides]
        if not all(isinstance(constant, int) for constant in constants):
            return None
        return self.result(ast.Binary("+", *sides), 0).type

    def alone(self, constant: Constant) -> Number:
        if isinstance(constant, int) and fits(constant, self._int_bits, is_signed=True):
            return self.integer_number(constant, self._int_bits, is_signed=True)
        return super().alone(constant)

    def integer(self, size: int, *, is_signed: bool = True) -> Base:
        if size == self._int_bits:
            return self.base("int" if is_signed else "uint", size, is_signed=is_signed)
        return super().integer(size, is_signed=is_signed)

    @property
    def _int_bits(self) -> int:
        return self.numbers.builtins.long_bits

    def shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift: a count that the type does not have shifts all bits out."""
        left = self.numbers.cast(left, unqualified(left.type))
        count = right.value.integer
        if count < 0:
            if self.numbers.is_evaluated:
                raise EvaluationError("negative shift amount")
            return left
        count = min(count, left.value.type.bit_size)
        return _shifted(operator, left.value.integer, left, count)


def _without_shifts(node: ast.Node) -> ast.Node:
    """Return an expression with the left operand of each shift in its place."""
    match node:
        case ast.Binary(operator="<<" | ">>"):
            return _without_shifts(node.left)
        case ast.Binary(operator=operator, left=left, right=right):
            return ast.Binary(operator, _without_shifts(left), _without_shifts(right))
        case ast.Unary(operator=operator, operand=operand):
            return ast.Unary(operator, _without_shifts(operand))
        case _:
            return node


def _is_of_runes(node: ast.Node) -> bool:
    """Return whether a constant of Go is a rune: its kind is the later one of two operands."""
    match node:
        case ast.Integer():
            return node.suffix == words.RUNE
        case ast.Unary():
            return _is_of_runes(node.operand)
        case ast.Binary(operator="<<" | ">>"):
            return _is_of_runes(node.left)
        case ast.Binary():
            return _is_of_runes(node.left) or _is_of_runes(node.right)
        case _:
            return False


class RulesOfRust(_StrictRules):
    name = "Rust"
    folding = "signs"
    overflow = "where debug builds of Rust panic"
    unsigned_wraps = False
    has_real_remainder = True
    integer_names = ("i8 u8", "i16 u16", "i32 u32", "i64 u64", "i128 u128")
    address_names = "isize usize"
    real_names: ClassVar = {32: "f32", 64: "f64"}
    sizes_of_literals = (32, 64, 128)

    def of_one(self, operator: str, number: Number) -> Type:
        bare = strip(number.type)
        assert isinstance(bare, Base)
        if operator == "-" and not (bare.base.is_signed or number.is_float):
            raise UsageError(f"Rust has no operator - of the type {name_of(number.type)}.")
        return number.type

    def of_integers(self, operator: str, a: int, b: int, type_: Type) -> Number:
        """Apply an operator: that the quotient of the least number and -1 overflows is no question
        of the build, and the remainder panics with it."""
        bare = strip(type_)
        assert isinstance(bare, Base)
        if (
            operator not in ("/", "%")
            or b != -1
            or fits(-a, bare.base.bit_size, is_signed=bare.base.is_signed)
        ):
            return super().of_integers(operator, a, b, type_)
        self.doubt(f"the quotient overflows {name_of(type_)}, where all builds of Rust panic")
        return Number(Value.of(a if operator == "/" else 0, bare.base), type_)

    def shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift by the count modulo the size, with a warning where that is another count."""
        kind, count = unqualified(left.type), right.value.integer
        left = self.numbers.cast(left, kind)
        size = left.value.type.bit_size
        if not 0 <= count < size:
            self.doubt(f"the shift count {count} is not one of {name_of(kind)}, {self.overflow}")
        return _shifted(operator, left.value.integer, left, count & size - 1)


def _kind(base: BaseType) -> Kind:
    return Kind(base.bit_size, base.is_signed)


def _shifted(operator: str, number: int, left: Number, count: int) -> Number:
    result = number << count if operator == "<<" else number >> count
    return Number(Value.of(result, left.value.type), left.type)


def _holds_all(kind: Number, other: Number) -> bool:
    a, b = kind.value.type, other.value.type
    if kind.is_float or other.is_float:
        return kind.is_float and other.is_float and a.bit_size >= b.bit_size
    if a.is_signed == b.is_signed:
        return a.bit_size >= b.bit_size
    return a.is_signed and a.bit_size > b.bit_size


_BY_LANGUAGE: Final[dict[int, type[LanguageRules]]] = {
    **dict.fromkeys(dw.ADA, RulesOfAda),
    **dict.fromkeys(dw.FORTRAN, RulesOfFortran),
    dw.LANG_D: RulesOfD,
    dw.LANG_GO: RulesOfGo,
    dw.LANG_PASCAL83: RulesOfPascal,
    dw.LANG_RUST: RulesOfRust,
}


def rules_of(language: int | None) -> type[LanguageRules] | None:
    """Return the rules of a DW_LANG code; None for those of C."""
    return None if language is None else _BY_LANGUAGE.get(language)


def number_type(builtins: Builtins, language: int | None, name: str) -> Base | None:
    """Return the number type that a name is in a language; None for another name."""
    rules = rules_of(language)
    return None if rules is None else rules(Numbers(builtins), _ignored).named(name)


def _ignored(doubt: str) -> None:
    """Take no doubt: nothing is computed."""
