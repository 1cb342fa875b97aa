"""The arithmetic of a language that is not C: in which type two numbers are computed, what a result
that this type does not hold becomes, and which type a number has that is written out.

Law: a class in the folder of each language says how it differs; operands that are neither integers
nor real numbers, such as enumerations, follow the rules of C, and so does a register beside a
number of Rust or Go. A rule that a language does not have is refused, not guessed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import Special, remainder
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.type_sizes import unpacked
from dwarfgpu.dwarf.types.types import Base, Qualified, Type, declared_name, strip
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_floating, is_integer, width
from dwarfgpu.language.c_numbers import Numbers, holds, spelled
from dwarfgpu.language.constant_expressions import Constant, Folding, folded, literal_of
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.syntax.words import ABS, AND_NOT, MOD
from dwarfgpu.model.value import Value

SHIFTS: Final = ("<<", ">>")
_NUMBERS: Final = frozenset({"signed", "unsigned", "float"})


class NumberRules(ABC):
    """How a language computes on an architecture."""

    name: ClassVar[str]
    folding: ClassVar[Folding] = "none"
    """Which operators on constants make a constant."""
    overflow: ClassVar[str] = ""
    """What the language says about a result that the type does not hold; empty where it wraps."""
    unsigned_wraps: ClassVar[bool] = True
    """Whether that is said of signed types only."""
    compares_exactly: ClassVar[bool] = True
    """Whether integers are compared as they are, whatever their types."""
    compares_constants: ClassVar[bool] = False
    """Whether two constants are compared as they are, also those of two kinds."""
    assigns_fractions: ClassVar[bool] = False
    """Whether a real number may be assigned to an integer, without its fraction."""
    has_real_remainder: ClassVar[bool] = False
    """Whether `%` is for real numbers, too, as `fmod` of C."""
    has_untyped: ClassVar[bool] = False
    """Whether a constant, and an expression that is made of them with shifts by any count, has the
    type of what is beside it."""
    complements_in_type: ClassVar[bool] = False
    """Whether the complement of a constant has a value in the type of what is beside it alone."""
    integer_names: ClassVar[Sequence[str]] = ()
    """The integer types of 8, 16 … bits, with and without a sign."""
    address_names: ClassVar[str] = ""
    """The integer types of the size of an address, with and without a sign."""
    real_names: ClassVar[Mapping[int, str]] = {}
    """The real types by size in bits."""
    sizes_of_literals: ClassVar[Sequence[int]] = (32, 64)
    """The sizes in bits of the types that an integer has by itself, the first one that holds it."""

    refuses_large_reals: ClassVar[bool] = True
    """Whether a real number that its type does not hold is an error, not infinite."""

    def __init__(self, numbers: Numbers, report: Callable[[str], None]) -> None:
        self.numbers = numbers
        self.report = report
        """Takes what is to be known of a result."""

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
        if node.suffix:  # of C
            return self.numbers.literal(node)
        return self.alone(literal_of(node))

    def result(self, node: ast.Node, constant: Constant) -> Number:
        """Return the constant that an expression is, by itself."""
        return self.alone(constant)

    def of_constants(self, node: ast.Node) -> Number | None:
        """Return the number that an expression made of constants is by itself; None for any other
        expression."""
        constant = self.constant(node)
        if constant is None:
            return None
        self.require_operators(node)
        return self.result(node, constant)

    def alone(self, constant: Constant) -> Number:
        """Return a constant in the type that the language gives it by itself."""
        if isinstance(constant, Fraction):
            return self._real(constant, self.real_of(constant))
        for size in self.sizes_of_literals:
            for is_signed in (True, False):
                if fits(constant, size, is_signed=is_signed) and (is_signed or size >= 64):
                    return self.integer_number(constant, size, is_signed=is_signed)
        raise UsageError("Numeric constant too large.")

    def is_beyond_types(self, constant: int) -> bool:
        """Return whether no type that a constant may have by itself holds it."""
        try:
            self.alone(constant)
        except UsageError:
            return True
        return False

    def real_of(self, constant: Fraction) -> Base:
        """Return the type of a real number that is written out."""
        return self.real(64)

    def constant(self, node: ast.Node) -> Constant | None:
        """Return the constant that an expression is; None for any other."""
        if self.folding == "none":
            return None
        return folded(node, self.folding)

    def require_operators(self, node: ast.Node) -> None:
        """Raise `UsageError` for a constant with an operator that its numbers alone have not."""
        return

    def as_type(self, constant: Constant, type_: Type) -> Number:
        """Return a constant with the type that is written behind it; `UsageError` if that has no
        such number."""
        return self.within(constant, type_, is_real=False)

    def beside(self, constant: Constant, type_: Type, operator: str = "") -> Number:
        """Return a constant as an operand of an operator beside one of a type, or as it is
        assigned."""
        return self.alone(constant)

    def wraps_constants(self, type_: Type) -> bool:
        """Return whether constants beside a type are computed in it, with all its wrapping."""
        return False

    def within(self, constant: Constant, type_: Type, *, is_real: bool) -> Number:
        """Return a constant in a type; `UsageError` if that has no such number.

        `is_real`: a real number without a fraction is one of an integer type.
        """
        if is_floating(type_):
            return self._real(Fraction(constant), type_)
        bare = strip(type_)
        assert isinstance(bare, Base)
        if isinstance(constant, Fraction) and (not is_real or constant.denominator != 1):
            raise UsageError(f"{spelled(constant)} is no integer, as {name_of(type_)} needs.")
        number, base = int(constant), self.numbers.plain(bare.base)
        if not _type_holds(number, evolve(bare, base=base)):
            raise UsageError(f"The type {name_of(type_)} does not hold {spelled(number)}.")
        return Number(Value.of(number, base), type_)

    def integer_number(self, constant: int, size: int, *, is_signed: bool) -> Number:
        """Return a constant in an integer type of the language, which holds it."""
        kind = self.integer(size, is_signed=is_signed)
        return Number(Value.of(constant, kind.base), kind)

    def _real(self, constant: Fraction, type_: Type) -> Number:
        bare = strip(type_)
        assert isinstance(bare, Base)
        base = self.numbers.plain(bare.base)
        assert base.float_format is not None
        number = Number(Value(base.float_format.encode(constant), base), type_)
        self.require_finite(number, constant)
        return number

    def require_finite(self, number: Number, constant: Constant) -> None:
        """Raise `UsageError` where a type does not hold a real number that is written out."""
        form = number.value.type.float_format
        if form is None or not self.refuses_large_reals:
            return
        if isinstance(form.decode(number.value.bits), str):
            raise UsageError(f"The type {name_of(number.type)} does not hold {spelled(constant)}.")

    # Types

    def integer(self, size: int, *, is_signed: bool = True) -> Base:
        """Return an integer type of the language."""
        row = size.bit_length() - 4
        if row >= len(self.integer_names):
            return self.numbers.builtins.integer(size, is_signed=is_signed)
        return self.base(self.integer_names[row].split()[not is_signed], size, is_signed=is_signed)

    def real(self, size: int) -> Base:
        """Return a real type of the language."""
        name = {32: "float", 64: "double"}.get(size, "long double")
        kind = self.numbers.builtins.floating(name)
        return Base(evolve(kind.base, name=self.real_names.get(size, kind.name)))

    def named(self, name: str) -> Base | None:
        """Return the number type of a name; None for another name."""
        for index, row in enumerate(self.integer_names):
            for own in row.split():
                if self.is_same_name(own, name):
                    return self.base(own, 8 << index, is_signed=own == row.split()[0])
        for size, own in self.real_names.items():
            if self.is_same_name(own, name):
                return self.real(size)
        words = self.address_names.split()
        if name not in words:
            return None
        size = self.numbers.builtins.long_bits
        return self.base(name, size, is_signed=name == words[0])

    def is_same_name(self, one: str, other: str) -> bool:
        """Return whether two names of types are one."""
        return one == other

    def base(self, name: str, size: int, *, is_signed: bool) -> Base:
        """Return an integer type of a name."""
        encoding = "signed" if is_signed else "unsigned"
        return Base(BaseType(name, encoding, size, self.numbers.endian), is_range=True)

    # Operators

    @abstractmethod
    def of_two(self, operator: str, left: Number, right: Number) -> Type:
        """Return the type in which the language computes or compares two numbers."""

    def of_one(self, operator: str, number: Number) -> Type:
        """Return the type in which the language computes with one number."""
        return number.type

    def common(self, operator: str, left: Number, right: Number) -> Type:
        """Return the type of two numbers without `const` and `volatile`."""
        return unqualified(self.of_two(operator, left, right))

    def constants_compared(self, operator: str, left: ast.Node, right: ast.Node) -> bool | None:
        """Compare two constants as they are; None for other operands, and where the language does
        not."""
        if not self.compares_constants or operator not in COMPARISONS:
            return None
        a, b = self.constant(left), self.constant(right)
        return None if a is None or b is None else holds(operator, (a > b) - (a < b))

    def type_of_untyped(self, node: ast.Binary) -> Type | None:
        """Return the type of two operands that are constants or shifted constants; None where each
        has its own."""
        return None

    def binary(self, operator: str, left: Number, right: Number) -> Number:
        """Apply an arithmetic, bitwise or shift operator."""
        left, right = self._whole(left), self._whole(right)
        has_real = left.is_float or right.is_float
        if operator in SHIFTS and not has_real:
            return self.shifted(operator, left, right)
        kind = self.common(operator, left, right)
        left, right = self.numbers.cast(left, kind), self.numbers.cast(right, kind)
        form = left.value.type.float_format
        if operator == "%" and form is not None and self.has_real_remainder:
            bits = remainder(form, left.value.bits, right.value.bits)
            return Number(Value(bits, left.value.type), kind)
        if has_real or is_floating(kind):
            return Number(self.numbers.binary(operator, left, right).value, kind)
        a, b = left.value.integer, right.value.integer
        if operator in ("/", "%", MOD) and not b:
            if not self.numbers.is_evaluated:
                return right
            raise EvaluationError("Division by zero")
        return self.of_integers(operator, a, b, kind)

    def of_integers(self, operator: str, a: int, b: int, type_: Type) -> Number:
        """Apply an operator to two integers of a type; none is divided by zero."""
        return self.kept(_combined(operator, a, b), type_)

    def unary(self, operator: str, number: Number) -> Number:
        """Apply `-`, `+`, `abs`, or `~`: of the bits."""
        number = self._whole(number)
        kind = unqualified(self.of_one(operator, number))
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

    def has_power(self, base: Fraction | Special, exponent: Fraction | Special) -> bool:
        """Return whether a power of two real numbers is what IEEE 754 says, and not NaN."""
        return True

    def compared(self, operator: str, left: Number, right: Number) -> bool:
        """Compare two numbers."""
        are_integers = not left.is_float and not right.is_float
        if are_integers and self.compares_exactly:
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
        is_checked = base.is_signed or not self.unsigned_wraps
        if self.overflow and is_checked and value.integer != exact:
            self.doubt(f"the result overflows {name_of(type_)}, {self.overflow}")
        return Number(value, type_)

    def shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift: a count that the type does not have shifts all bits out, with a warning."""
        doubt = self.numbers.shift_doubt(operator, left, right)
        if doubt is not None:
            self.doubt(doubt)
        result = self.numbers.binary(operator, left, right)
        return self.numbers.cast(result, unqualified(self.of_shift(left, result)))

    def of_shift(self, left: Number, result: Number) -> Type:
        """Return the type of a shifted number, which C would give as `result`."""
        return left.type

    def doubt_assigned(self, number: Number, type_: Type) -> None:
        """Report that an object of a type becomes another number than is assigned to it."""
        bare = strip(type_)
        whole = None if bare is None else unpacked(bare)
        if not isinstance(whole, Base) or not self.numbers.is_evaluated:
            return
        exact, form = _finite(number), self.numbers.plain(whole.base).float_format
        if exact is None:
            return
        if form is not None:
            is_held = not isinstance(form.decode(form.encode(Fraction(exact))), str)
        else:
            is_whole = self.assigns_fractions or exact.denominator == 1
            is_held = is_whole and _type_holds(int(exact), whole)
        if not is_held:
            self.doubt(f"the type {name_of(type_)} does not hold {spelled(exact)}")

    def doubt(self, doubt: str) -> None:
        """Report a warning about a result, if there is one."""
        if self.numbers.is_evaluated:
            self.report(doubt)

    def _whole(self, number: Number) -> Number:
        """Return an element of a packed array in its declared type; any other number as it is."""
        bare = strip(number.type)
        kind = None if bare is None else unpacked(bare)
        return number if kind is None or kind is bare else self.numbers.cast(number, kind)


def fits(number: int, size: int, *, is_signed: bool) -> bool:
    """Return whether integers of a size in bits have a number."""
    least = -(1 << size - 1) if is_signed else 0
    return least <= number < least + (1 << size)


def _type_holds(number: int, kind: Base) -> bool:
    """Return whether an integer type has a number."""
    is_of_modulus = kind.modulus is None or 0 <= number < kind.modulus
    return is_of_modulus and fits(number, kind.base.bit_size, is_signed=kind.base.is_signed)


def _finite(number: Number) -> Constant | None:
    """Return what a number is; None for an infinity and NaN."""
    if not number.is_float:
        return number.value.integer
    form = number.value.type.float_format
    exact = None if form is None else form.decode(number.value.bits)
    return exact if isinstance(exact, Fraction) else None


def shifted_bits(operator: str, number: int, left: Number, count: int) -> Number:
    result = number << count if operator == "<<" else number >> count
    return Number(Value.of(result, left.value.type), left.type)


def unqualified(type_: Type) -> Type:
    """Return a type without `const` and `volatile`."""
    while isinstance(type_, Qualified) and type_.target is not None:
        type_ = type_.target
    return type_


def name_of(type_: Type | None) -> str:
    """Return the name of a number type as messages have it."""
    return (declared_name(type_ and unqualified(type_)) or "number").replace("__", ".")


def larger_real(left: Number, right: Number) -> Type | None:
    """Return the larger of the real types of two numbers, or the only one; None for integers."""
    reals = [side for side in (left, right) if side.is_float]
    return max(reals, key=width).type if reals else None


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


def _is_number(type_: Type | None) -> bool:
    bare = strip(type_)
    whole = None if bare is None else unpacked(bare)
    if not isinstance(whole, Base) or whole.base.vector_size is not None:
        return False
    base = whole.base
    return base.encoding in _NUMBERS and (base.encoding == "float" or base.bit_size % 8 == 0)


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
