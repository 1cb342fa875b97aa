"""The fields of `printf`: integers and floating-point numbers as C's library prints them.

Law: the digits are those of the exact number, rounded once, to even.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Final

from dwarfgpu.base.base_type import is_currency
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.types import Array, Base, Function, Struct, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.language.arithmetic import INVALID_FLOAT, Arithmetic
from dwarfgpu.model.value import Value

_EXACT: Final = Context(prec=20_000, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""For every number of the formats with 15 bits of exponent."""


@frozen
class FieldFormat:
    """What stands between `%` and the letter of a conversion, but for the length."""

    flags: str
    width: int
    precision: int | None

    def integer(self, number: int, kind: str) -> str:
        """Format for `d`, `i`, `u`, `o`, `x` or `X`."""
        digits = format(abs(number), kind if kind in "oxX" else "d")
        if self.precision is not None:
            digits = digits.rjust(self.precision, "0") if number or self.precision else ""
        prefix = self._sign(number < 0)
        if "#" in self.flags and kind == "o" and not digits.startswith("0"):
            digits = f"0{digits}"
        if "#" in self.flags and kind in "xX" and number:
            prefix += f"0{kind}"
        return self._padded(prefix, digits, zeros=self.precision is None)

    def floating(self, value: Value, kind: str) -> str:
        """Format for `e`, `f`, `g` or their capitals."""
        form = value.type.float_format
        assert form is not None
        number, sign = form.decode(value.bits), self._sign(bool(form.sign(value.bits)))
        precision = 6 if self.precision is None else self.precision
        if isinstance(number, str):
            digits = number.removeprefix("-")
        else:
            digits = _digits(abs(number), kind.lower(), precision, whole="#" in self.flags)
        digits = digits.upper() if kind.isupper() else digits
        return self._padded(sign, digits, zeros=not isinstance(number, str))

    def pointer(self, number: int) -> str:
        """Format for `p`."""
        return self._padded("", f"{number:#x}" if number else "(nil)", zeros=False)

    def text(self, data: bytes) -> bytes:
        """Format for `s` and `c`: width and precision count bytes, not characters."""
        data = data if self.precision is None else data[: self.precision]
        return data.ljust(self.width) if "-" in self.flags else data.rjust(self.width)

    def _sign(self, is_negative: bool) -> str:
        return "-" if is_negative else "+" if "+" in self.flags else " " * (" " in self.flags)

    def _padded(self, prefix: str, digits: str, *, zeros: bool) -> str:
        """Fill the width; `zeros`: with zeros after the prefix if a flag says so."""
        if "-" in self.flags:
            return (prefix + digits).ljust(self.width)
        if zeros and "0" in self.flags:
            digits = digits.rjust(self.width - len(prefix), "0")
        return (prefix + digits).rjust(self.width)


def _digits(number: Fraction, kind: str, precision: int, *, whole: bool) -> str:
    """Return a number that is not negative as `%e`, `%f` or `%g`; `whole` (`#`) keeps the point and
    the zeros after it."""
    if kind == "g":
        precision = max(precision, 1) - 1
        scientific = _scientific(number, precision)
        exponent = int(scientific.rpartition("e")[2])
        if -4 <= exponent <= precision:
            return _short(_fixed(number, precision - exponent), whole=whole)
        mantissa, _, rest = scientific.rpartition("e")
        return f"{_short(mantissa, whole=whole)}e{rest}"
    if kind == "f":
        return _pointed(_fixed(number, precision), whole=whole)
    mantissa, _, rest = _scientific(number, precision).rpartition("e")
    return f"{_pointed(mantissa, whole=whole)}e{rest}"


def _short(digits: str, *, whole: bool) -> str:
    """Omit the zeros after the point, as `%g` does without `#`."""
    if whole:
        return _pointed(digits, whole=True)
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _pointed(digits: str, *, whole: bool) -> str:
    return f"{digits}." if whole and "." not in digits else digits


def _fixed(number: Fraction, precision: int) -> str:
    return format(_decimal(number), f".{precision}f")


def _scientific(number: Fraction, precision: int) -> str:
    """Return `1.50e+00`."""
    if not number:
        return f"{_fixed(number, precision)}e+00"
    mantissa, _, exponent = format(_decimal(number), f".{precision}e").partition("e")
    return f"{mantissa}e{int(exponent):+03d}"


def _decimal(number: Fraction) -> Decimal:
    """Return a fraction whose denominator is a power of two."""
    places = number.denominator.bit_length() - 1
    return Decimal(number.numerator * 5**places).scaleb(-places, context=_EXACT)


def floating(arithmetic: Arithmetic, value: TypedValue, name: str) -> Value:
    """Return what `%f` prints of a value (`name`: double), or `%Lf` (long double).

    By GDB's rule, an object that is not a float is read as the float of its size, a bit-field as
    that of its type; a smaller or larger integer is converted. `UsageError` for a value that is
    neither.
    """
    objects, builtins = arithmetic.objects, arithmetic.numbers.builtins
    if value.bit_size is not None:
        value = arithmetic.cast(value, value.type)
    target, bare = builtins.floating(name), strip(value.type)
    if isinstance(bare, Array | Function) and _float_of_size(arithmetic, value) is None:
        value = arithmetic.decayed(value)
        if value.size_bits != target.base.bit_size:
            raise UsageError("Invalid cast.")
    if isinstance(bare, Base) and is_currency(bare.base):
        value = arithmetic.cast(value, target)
    elif not (isinstance(bare, Base) and bare.base.encoding == "float"):
        read_as = _float_of_size(arithmetic, value)
        if read_as is not None:
            value = TypedValue(read_as, bits=objects.known(value))
        elif isinstance(bare, Struct) and value.location is not None:
            value = TypedValue(target, location=value.location)
    kind = strip(value.type)
    if not isinstance(kind, Base):
        raise UsageError("Invalid cast.")
    form = kind.base.float_format
    if form is not None and form == target.base.float_format:
        return arithmetic.unchecked_number(value).value  # NaN keeps its sign, too
    if form is not None and not form.is_valid(objects.known(value).value):
        raise UsageError(INVALID_FLOAT)
    return arithmetic.number(arithmetic.cast(value, target)).value


def _float_of_size(arithmetic: Arithmetic, value: TypedValue) -> Base | None:
    """Return the C type of floating-point numbers that has the size of a value."""
    for name in ("float", "double", "long double"):
        floating_type = arithmetic.numbers.builtins.floating(name)
        if floating_type.base.bit_size == value.size_bits:
            return floating_type
    return None
