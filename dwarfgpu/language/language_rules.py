"""The arithmetic of the languages that are not C: in which type two numbers are computed, what a
result that this type does not hold becomes, and which type a number has that is written out.

Law: one record for each language says how it differs; operands that are neither integers nor real
numbers, such as enumerations, follow the rules of C, and so does a register beside a number of
Rust or Go. A rule that a language does not have is refused, not guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.type_sizes import unpacked
from dwarfgpu.dwarf.types.types import Base, Qualified, Type, declared_name, strip
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_floating, is_integer
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.c_numbers import Numbers, holds
from dwarfgpu.language.constant_expressions import Constant, Folding, folded, literal_of
from dwarfgpu.language.fortran_types import intrinsic_type
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.syntax.words import ABS, AND_NOT, MOD, TYPE_WORDS
from dwarfgpu.model.value import Value

Common: TypeAlias = "Callable[[LanguageRules, str, Number, Number], Type]"
Beside: TypeAlias = "Callable[[LanguageRules, Constant, Type], Number]"
_SHIFTS: Final = ("<<", ">>")
_NUMBERS: Final = frozenset({"signed", "unsigned", "float"})
_NAMES: Final = {
    "D": ("byte ubyte", "short ushort", "int uint", "long ulong", "cent ucent"),
    "Go": ("int8 uint8", "int16 uint16", "int32 uint32", "int64 uint64"),
    "Pascal": ("ShortInt Byte", "SmallInt Word", "LongInt LongWord", "Int64 QWord"),
    "Rust": ("i8 u8", "i16 u16", "i32 u32", "i64 u64", "i128 u128"),
}
"""The integer types of 8, 16 … bits, with and without a sign."""
_REALS: Final = {
    "Ada": {32: "float", 64: "long_float"},
    "Go": {32: "float32", 64: "float64"},
    "Pascal": {32: "Single", 64: "Double"},
    "Rust": {32: "f32", 64: "f64"},
}
_OF_ADDRESSES: Final = {"Go": "int uint", "Rust": "isize usize"}
"""Integer types of the size of an address."""
_OF_STANDARD: Final = {8: "short_short_integer", 16: "short_integer", 32: "integer",
                       64: "long_long_integer", 128: "long_long_long_integer"}  # fmt: skip


@frozen
class Rules:
    """How one language computes."""

    name: str
    common: Common
    """Returns the type in which two numbers are computed or compared."""
    beside: Beside | None = None
    """Returns a constant as an operand beside one of a type; None: all constants have types."""
    folding: Folding = "none"
    shifts: Literal["C", "Pascal", "Rust", "Go"] = "C"
    overflow: str = ""
    """What the language says about a result that the type does not hold; empty where it wraps."""
    unsigned_wraps: bool = True
    """Whether that is said of signed types only."""
    compares_exactly: bool = True
    """Whether integers are compared as they are, whatever their types."""


@frozen
class LanguageRules:
    """The rules of a language on an architecture."""

    rules: Rules
    numbers: Numbers
    report: Callable[[str], None]
    """Takes what is to be known of a result."""

    @property
    def infers(self) -> bool:
        """Whether all numbers of an expression that is made of them have the type of what is
        beside it, as in Rust."""
        return self.rules.folding == "signs"

    @property
    def has_untyped(self) -> bool:
        """Whether a constant has the type of what is beside it, also where it is shifted."""
        return self.rules.name in ("Go", "Rust")

    def modulus(self, type_: Type) -> int:
        """Return how many values an integer type has."""
        bare = strip(type_)
        assert isinstance(bare, Base)
        return _modulus(type_) or 1 << self.numbers.plain(bare.base).bit_size

    def applies(self, *types: Type | None) -> bool:
        """Return whether values of all these types are integers or real numbers of the language."""
        return all(_is_number(type_) for type_ in types)

    # Constants

    def literal(self, node: ast.Integer | ast.Floating) -> Number:
        """Return a number that is written out, where nothing beside it has a type."""
        if self.rules.name == "D":
            number = self.numbers.literal(node)
            return self.numbers.cast(number, self._in_d(number.value.type, number.type))
        if node.suffix:  # of C
            return self.numbers.literal(node)
        return self.alone(literal_of(node))

    def result(self, node: ast.Node, constant: Constant) -> Number:
        """Return the constant that an expression is, by itself: what Pascal computes is Int64."""
        is_computed = isinstance(node, ast.Binary) and self.rules.name == "Pascal"
        if is_computed and isinstance(constant, int) and _fits(constant, 64, is_signed=True):
            kind = self.integer(64)
            return Number(Value.of(constant, kind.base), kind)
        return self.alone(constant)

    def alone(self, constant: Constant) -> Number:
        """Return a constant in the type that the language gives it by itself."""
        builtins, name = self.numbers.builtins, self.rules.name
        if isinstance(constant, Fraction):
            return self._real(constant, _default_real(self, constant))
        if name == "Go":
            sizes = [builtins.long_bits, 64]
        else:
            sizes = [32, 64, 128] if name == "Rust" else [32, 64]
        for size in sizes:
            for is_signed in (True, False):
                if _fits(constant, size, is_signed=is_signed) and (is_signed or size == 64):
                    kind = self.integer(size, is_signed=is_signed)
                    return Number(Value.of(constant, kind.base), kind)
        raise UsageError("Numeric constant too large.")

    def constant(self, node: ast.Node) -> Constant | None:
        """Return the constant that an expression is; None for any other."""
        folding = self.rules.folding
        if folding == "none":
            return None
        constant = folded(node, folding)
        return None if folding == "integers" and isinstance(constant, Fraction) else constant

    def as_type(self, constant: Constant, type_: Type) -> Number:
        """Return a constant with the type that is written behind it; `UsageError` if that has no
        such number."""
        return self._within(constant, type_, is_real=False)

    def beside(self, constant: Constant, type_: Type, *, is_natural: bool = False) -> Number:
        """Return a constant as an operand beside one of a type, or as it is assigned.

        `is_natural`: one of Pascal that is not negative has no sign beside a type without one.
        """
        if self.rules.beside is None:
            return self.alone(constant)
        if is_natural and self.rules.name == "Pascal" and isinstance(constant, int):
            bare = strip(type_)
            is_unsigned = isinstance(bare, Base) and not bare.base.is_signed
            if constant >= 0 and is_unsigned:
                return self._within(constant, self.integer(64, is_signed=False), is_real=False)
        return self.rules.beside(self, constant, type_)

    def _within(self, constant: Constant, type_: Type, *, is_real: bool) -> Number:
        if is_floating(type_):
            return self._real(Fraction(constant), type_)
        bare = strip(type_)
        assert isinstance(bare, Base)
        if isinstance(constant, Fraction) and (not is_real or constant.denominator != 1):
            raise UsageError(f"{_spelled(constant)} is no integer, as {_name(type_)} needs.")
        number, base = int(constant), self.numbers.plain(bare.base)
        if not _fits(number, base.bit_size, is_signed=base.is_signed):
            raise UsageError(f"The type {_name(type_)} does not hold {number}.")
        return Number(Value.of(number, base), type_)

    def _real(self, constant: Fraction, type_: Type) -> Number:
        bare = strip(type_)
        assert isinstance(bare, Base)
        base = self.numbers.plain(bare.base)
        assert base.float_format is not None
        return Number(Value(base.float_format.encode(constant), base), type_)

    # Types

    def integer(self, size: int, *, is_signed: bool = True) -> Base:
        """Return an integer type of the language."""
        name, builtins = self.rules.name, self.numbers.builtins
        if name == "Fortran" and is_signed and size <= 64:
            return intrinsic_type(builtins, "integer", size // 8)
        if name == "Ada" and is_signed:
            return _base(self, _OF_STANDARD[size], size, is_signed=True)
        if name == "Go" and size == builtins.long_bits:
            return _base(self, "int" if is_signed else "uint", size, is_signed=is_signed)
        rows = _NAMES.get(name, ())
        row = size.bit_length() - 4
        if row >= len(rows):
            return builtins.integer(size, is_signed=is_signed)
        return _base(self, rows[row].split()[not is_signed], size, is_signed=is_signed)

    def real(self, size: int) -> Base:
        """Return a real type of the language."""
        builtins, names = self.numbers.builtins, _REALS.get(self.rules.name, {})
        if self.rules.name == "Fortran":
            return intrinsic_type(builtins, "real", size // 8)
        kind = builtins.floating({32: "float", 64: "double"}.get(size, "long double"))
        spelled = "Extended" if self.rules.name == "Pascal" else kind.name
        return Base(evolve(kind.base, name=names.get(size, spelled)))

    def named(self, name: str) -> Base | None:
        """Return the number type of a name; None for another name."""
        language = self.rules.name
        known = str.lower if language == "Pascal" else str
        for index, row in enumerate(_NAMES.get(language, ())):
            for spelled in row.split():
                if known(spelled) == known(name):
                    return _base(self, spelled, 8 << index, is_signed=spelled == row.split()[0])
        for size, spelled in _REALS.get(language, {}).items() if language != "Ada" else ():
            if known(spelled) == known(name):
                return self.real(size)
        words = _OF_ADDRESSES.get(language, "").split()
        if name not in words:
            return None
        size = self.numbers.builtins.long_bits
        return _base(self, name, size, is_signed=name == words[0])

    # Operators

    def common(self, operator: str, left: Number, right: Number) -> Type:
        """Return the type in which two numbers are computed."""
        return _unqualified(self.rules.common(self, operator, left, right))

    def binary(self, operator: str, left: Number, right: Number) -> Number:
        """Apply an arithmetic, bitwise or shift operator."""
        left, right = self._whole(left), self._whole(right)
        has_real = left.is_float or right.is_float
        if operator in _SHIFTS and not has_real:
            return self._shifted(operator, left, right)
        kind = self.common(operator, left, right)
        if has_real or is_floating(kind):
            left, right = self.numbers.cast(left, kind), self.numbers.cast(right, kind)
            return Number(self.numbers.binary(operator, left, right).value, kind)
        left, right = self.numbers.cast(left, kind), self.numbers.cast(right, kind)
        a, b = left.value.integer, right.value.integer
        if operator in ("/", "%", MOD) and not b:
            if not self.numbers.is_evaluated:
                return right
            raise EvaluationError("Division by zero")
        return self.kept(_combined(operator, a, b), kind)

    def unary(self, operator: str, number: Number) -> Number:
        """Apply `-`, `+`, `abs`, or `~`: of the bits."""
        number = self._whole(number)
        kind = self._of_one(operator, number)
        number = self.numbers.cast(number, kind)
        if number.is_float:
            form = number.value.type.float_format
            is_negative = form is not None and form.sign(number.value.bits)
            if operator == "~":
                raise UsageError("Argument to complement operation not an integer, boolean.")
            flips = operator == "-" or (operator == ABS and is_negative)
            return Number(-number.value if flips else number.value, kind)
        value = number.value.integer
        if operator == "~":
            is_signed = number.value.type.is_signed
            return self.kept(~value if is_signed else self.modulus(kind) - 1 - value, kind)
        return self.kept({"-": -value, ABS: abs(value)}.get(operator, value), kind)

    def constants_compared(self, operator: str, left: ast.Node, right: ast.Node) -> bool | None:
        """Compare two constants of Go, which need not be of one kind; None for other operands."""
        if self.rules.name != "Go" or operator not in COMPARISONS:
            return None
        a, b = self.constant(left), self.constant(right)
        return None if a is None or b is None else holds(operator, (a > b) - (a < b))

    def compared(self, operator: str, left: Number, right: Number) -> bool:
        """Compare two numbers."""
        are_integers = not left.is_float and not right.is_float
        if are_integers and self.rules.compares_exactly:
            a, b = left.value.integer, right.value.integer
            return holds(operator, (a > b) - (a < b))
        kind = self.common(operator, left, right)
        first, second = self.numbers.cast(left, kind), self.numbers.cast(right, kind)
        return holds(operator, first.value.compare(second.value))

    def kept(self, exact: int, type_: Type) -> Number:
        """Return a result in its type, which may not hold it."""
        bare = strip(type_)
        assert isinstance(bare, Base)
        base, modulus = self.numbers.plain(bare.base), _modulus(type_)
        value = Value.of(exact if modulus is None else exact % modulus, base)
        is_checked = base.is_signed or not self.rules.unsigned_wraps
        if self.rules.overflow and is_checked and value.integer != exact:
            self._doubt(f"the result overflows {_name(type_)}, {self.rules.overflow}")
        return Number(value, type_)

    def _whole(self, number: Number) -> Number:
        """Return an element of a packed array in its declared type; any other number as it is."""
        bare = strip(number.type)
        kind = None if bare is None else unpacked(bare)
        return number if kind is None or kind is bare else self.numbers.cast(number, kind)

    def _doubt(self, doubt: str) -> None:
        if self.numbers.is_evaluated:
            self.report(doubt)

    def _of_one(self, operator: str, number: Number) -> Type:
        """Return the type of the result of an operator on one number."""
        bare, name = strip(number.type), self.rules.name
        assert isinstance(bare, Base)
        if name == "D":
            promoted = self.numbers.promoted(number)
            return self._in_d(promoted.value.type, promoted.type)
        if name == "Pascal" and operator == "-" and not number.is_float:
            return self.integer(64)
        if name == "Rust" and operator == "-" and not (bare.base.is_signed or number.is_float):
            raise UsageError(f"Rust has no operator - of the type {_name(number.type)}.")
        if name == "Ada" and operator == "~" and bare.base.is_signed:
            raise UsageError("not of Ada is for Booleans and modular numbers.")
        return _unqualified(_base_of_subtype(self, number.type))

    def _in_d(self, base: BaseType, type_: Type) -> Type:
        return type_ if base.encoding == "float" else self.integer(
            base.bit_size, is_signed=base.is_signed)  # fmt: skip

    def _shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift: in C's way a count that the type does not have shifts all bits out, and the caller
        is warned; in Go it is defined so."""
        shifts, count = self.rules.shifts, right.value.integer
        if shifts == "C":
            doubt = self.numbers.shift_doubt(operator, left, right)
            if doubt is not None:
                self._doubt(doubt)
            shifted = self.numbers.binary(operator, left, right)
            if self.rules.name == "D":
                return self.numbers.cast(shifted, self._in_d(shifted.value.type, shifted.type))
            kind = _unqualified(_base_of_subtype(self, left.type))
            return self.numbers.cast(shifted, kind)
        kind = _unqualified(left.type)
        if shifts == "Pascal":
            kind = self._shifted_in_pascal(left)
        left = self.numbers.cast(left, kind)
        size = left.value.type.bit_size
        if shifts == "Go":
            if count < 0:
                if self.numbers.is_evaluated:
                    raise EvaluationError("negative shift amount")
                return left
        elif shifts == "Rust" and not 0 <= count < size:
            self._doubt(f"the shift count {count} is not one of {_name(kind)}, "
                        f"{self.rules.overflow}")  # fmt: skip
        if shifts != "Go":
            count &= size - 1
        count = min(count, size)
        number = left.value.bits if shifts == "Pascal" else left.value.integer
        shifted_number = number << count if operator == "<<" else number >> count
        return Number(Value.of(shifted_number, left.value.type), kind)

    def _shifted_in_pascal(self, left: Number) -> Type:
        """Return the type in which Free Pascal shifts: 32 bits for what has no 64."""
        base = left.value.type
        size = 64 if base.bit_size > 32 else 32
        return self.integer(size, is_signed=base.is_signed or base.bit_size < 32)


def _is_number(type_: Type | None) -> bool:
    bare = strip(type_)
    whole = None if bare is None else unpacked(bare)
    if not isinstance(whole, Base) or whole.base.vector_size is not None:
        return False
    base = whole.base
    return base.encoding in _NUMBERS and (base.encoding == "float" or base.bit_size % 8 == 0)


def _fits(number: int, size: int, *, is_signed: bool) -> bool:
    least = -(1 << size - 1) if is_signed else 0
    return least <= number < least + (1 << size)


def _base(own: LanguageRules, name: str, size: int, *, is_signed: bool) -> Base:
    encoding = "signed" if is_signed else "unsigned"
    return Base(BaseType(name, encoding, size, own.numbers.endian), is_range=True)


def _unqualified(type_: Type) -> Type:
    while isinstance(type_, Qualified) and type_.target is not None:
        type_ = type_.target
    return type_


def _name(type_: Type | None) -> str:
    return (declared_name(type_) or "number").replace("__", ".")


def _spelled(constant: Constant) -> str:
    return str(float(constant)) if isinstance(constant, Fraction) else str(constant)


def _modulus(type_: Type | None) -> int | None:
    """Return how many values a modular type of Ada has, where that is not as many as its bits."""
    bare = strip(type_)
    return bare.modulus if isinstance(bare, Base) else None


def _combined(operator: str, a: int, b: int) -> int:
    """Return the exact result of an operator on two integers."""
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return _quotient(a, b)
        case "%":
            return a - b * _quotient(a, b)
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case _ if operator == MOD:
            return a % b
        case _ if operator == AND_NOT:
            return a & ~b
        case _:
            raise UsageError("Operation not valid with these operands.")


def _quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _larger_real(left: Number, right: Number) -> Type:
    """Return the larger of the real types of two numbers, or the only one."""
    reals = [side for side in (left, right) if side.is_float]
    return max(reals, key=lambda side: side.value.type.bit_size).type


def _default_real(own: LanguageRules, constant: Fraction) -> Base:
    """Return the type of a real number that is written out."""
    if own.rules.name == "Fortran":
        return own.real(32)
    if own.rules.name != "Pascal":
        return own.real(64)
    # Free Pascal takes the least precise type that holds the number, and Extended for others.
    for size in (32, 64):
        kind = own.real(size)
        form = own.numbers.plain(kind.base).float_format
        if form is not None and form.decode(form.encode(constant)) == constant:
            return kind
    return own.real(own.numbers.builtins.floating("long double").base.bit_size)


# Of each language


def _in_c(own: LanguageRules, operator: str, left: Number, right: Number) -> Type:
    kind = own.numbers.usual(left, right)[0]
    if own.rules.name == "D":
        return own._in_d(kind.value.type, kind.type)
    return kind.type


def _in_fortran(own: LanguageRules, operator: str, left: Number, right: Number) -> Type:
    """Return the type of the operand with the larger kind (Fortran 2018 10.1.9.3)."""
    if left.is_float or right.is_float:
        return _larger_real(left, right)
    if not (left.value.type.is_signed and right.value.type.is_signed):  # no integers of Fortran
        return _in_c(own, operator, left, right)
    return left.type if left.value.type.bit_size >= right.value.type.bit_size else right.type


def _in_pascal(own: LanguageRules, operator: str, left: Number, right: Number) -> Type:
    """Return the type in which Free Pascal computes on machines of 64 bits (Reference guide,
    "Ordinal types"): native integers, or QWord where one operand or two unsigned ones make it so.

    Beside a QWord an Int64 makes it Int64 but in `and`, and any signed operand in divisions, as
    the compiler has it.
    """
    if left.is_float or right.is_float:
        return _larger_real(left, right)
    sides = left.value.type, right.value.type
    are_signed = any(side.is_signed for side in sides)
    if not any(side.bit_size >= 64 and not side.is_signed for side in sides):
        return own.integer(64, is_signed=are_signed or operator not in ("+", "*"))
    has_int64 = any(side.bit_size >= 64 and side.is_signed for side in sides)
    is_signed = are_signed if operator in ("/", "%") else has_int64 and operator != "&"
    return own.integer(64, is_signed=is_signed)


def _in_ada(own: LanguageRules, operator: str, left: Number, right: Number) -> Type:
    """Return the type that both operands have (Ada 2012 4.5); of two, which Ada does not compute
    with, one that is at least `long` or `double`, as GDB has it."""
    first, second = _base_of_subtype(own, left.type), _base_of_subtype(own, right.type)
    one, other = strip(first), strip(second)
    assert isinstance(one, Base) and isinstance(other, Base)
    if one.base == other.base and one.modulus == other.modulus:
        return first
    operands, builtins = own.numbers.usual(left, right), own.numbers.builtins
    base = operands[0].value.type
    target = builtins.floating("double")
    if not operands[0].is_float:
        target = builtins.integer(builtins.long_bits, is_signed=base.is_signed)
    return operands[0].type if base.bit_size > target.base.bit_size else target


def _base_of_subtype(own: LanguageRules, type_: Type) -> Type:
    """Return the type of results where operands are of a subtype of Standard, as Natural."""
    bare = strip(type_)
    is_of_standard = isinstance(bare, Base) and bare.name in ("natural", "positive")
    if own.rules.name != "Ada" or not is_of_standard:
        return type_
    return own.integer(32)


def _strictly(own: LanguageRules, operator: str, left: Number, right: Number) -> Type:
    """Return the type of two numbers of Rust or Go, which convert none: that of one that holds all
    numbers of the other."""
    if any(_is_foreign(own, side.type) for side in (left, right)):
        return _in_c(own, operator, left, right)
    for kind, of_other in ((left, right), (right, left)):
        if _name(_unqualified(left.type)) == _name(_unqualified(right.type)):
            return kind.type
        if _holds_all(kind, of_other):
            return kind.type
    names = f"{_name(left.type)} and {_name(right.type)}"
    raise UsageError(f"{own.rules.name} does not compute with {names}: write a cast.")


def _is_foreign(own: LanguageRules, type_: Type) -> bool:
    """Return whether a type is none of the program, as that of a register."""
    bare = strip(type_)
    assert isinstance(bare, Base)
    known = own.named(bare.name)
    if known is not None:
        return known.base.bit_size != bare.base.bit_size
    return bare.name.endswith("_t") or set(bare.name.split()) <= TYPE_WORDS


def _holds_all(kind: Number, of_other: Number) -> bool:
    a, b = kind.value.type, of_other.value.type
    if kind.is_float or of_other.is_float:
        return kind.is_float and of_other.is_float and a.bit_size >= b.bit_size
    if a.is_signed == b.is_signed:
        return a.bit_size >= b.bit_size
    return a.is_signed and a.bit_size > b.bit_size


def _of_that_type(own: LanguageRules, constant: Constant, type_: Type) -> Number:
    """Return a constant in the type of the other operand (The Rust Reference, "Literal
    expressions"; Go, "Constant expressions"; Ada 2012 4.9.1)."""
    is_foreign = own.rules.name in ("Rust", "Go") and _is_foreign(own, type_)
    if is_foreign or (own.rules.name == "Ada" and not _is_ada_pair(constant, type_)):
        return own.alone(constant)
    return own._within(constant, type_, is_real=own.rules.name == "Go")


def _is_ada_pair(constant: Constant, type_: Type) -> bool:
    return isinstance(constant, Fraction) == is_floating(type_)


def _least(own: LanguageRules, constant: Constant, type_: Type) -> Number:
    """Return a constant of Pascal in the smallest type that has it."""
    if isinstance(constant, Fraction):
        return own.alone(constant)
    for size in (8, 16, 32, 64):
        for is_signed in (True, False):
            if _fits(constant, size, is_signed=is_signed):
                kind = own.integer(size, is_signed=is_signed)
                return Number(Value.of(constant, kind.base), kind)
    return own.alone(constant)


_ADA: Final = Rules(
    "Ada", _in_ada, _of_that_type, folding="all",
    overflow="where Ada raises Constraint_Error",
)  # fmt: skip
_FORTRAN: Final = Rules("Fortran", _in_fortran, overflow="which Fortran does not define")
_BY_LANGUAGE: Final = {
    **dict.fromkeys(dw.ADA, _ADA),
    **dict.fromkeys(dw.FORTRAN, _FORTRAN),
    dw.LANG_D: Rules("D", _in_c, compares_exactly=False),
    dw.LANG_GO: Rules("Go", _strictly, _of_that_type, folding="all", shifts="Go"),
    dw.LANG_PASCAL83: Rules(
        "Pascal", _in_pascal, _least, folding="integers", shifts="Pascal", compares_exactly=False
    ),
    dw.LANG_RUST: Rules(
        "Rust", _strictly, _of_that_type, folding="signs", shifts="Rust",
        overflow="where debug builds of Rust panic", unsigned_wraps=False,
    ),
}  # fmt: skip


def rules_of(language: int | None) -> Rules | None:
    """Return the rules of a DW_LANG code; None for those of C."""
    return None if language is None else _BY_LANGUAGE.get(language)


def require_integers(operator: str, *types: Type | None) -> None:
    """Raise `UsageError` for operands that `mod` of Ada or `&^` of Go is not for: of these, a
    character is an integer in Go alone."""
    if operator == MOD or not all(map(is_integer, types)):
        raise UsageError(f'"{operator}" is for two integers.')


def saturated(numbers: Numbers, number: Number, type_: Type) -> Number:
    """Return a real number as an integer of a type: the nearest that it has, and 0 for NaN."""
    form, bare = number.value.type.float_format, strip(type_)
    assert form is not None and isinstance(bare, Base)
    base, exact = numbers.plain(bare.base), form.decode(number.value.bits)
    least = -(1 << base.bit_size - 1) if base.is_signed else 0
    most = least + (1 << base.bit_size) - 1
    if isinstance(exact, str):
        whole = {"nan": 0, "-inf": least}.get(exact, most)
    else:
        whole = min(max(int(exact), least), most)
    return Number(Value.of(whole, base), type_)


def number_type(builtins: Builtins, language: int | None, name: str) -> Base | None:
    """Return the number type that a name is in a language; None for another name."""
    rules = rules_of(language)
    return None if rules is None else LanguageRules(rules, Numbers(builtins), _ignored).named(name)


def _ignored(doubt: str) -> None:
    """Take no doubt: nothing is computed."""
