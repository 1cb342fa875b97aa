"""Values and their arithmetic, a second time (DWARF 5 2.5.1.4 to 2.5.1.6, AMD text A.2.5.2)."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

SIGNED = ("signed", "signed_char")
FORMS = {16: "e", 32: "f", 64: "d"}
DIGITS = {16: 11, 32: 24, 64: 53}
INTEGRAL = (*SIGNED, "unsigned", "unsigned_char", "boolean", "generic")


class Fault(Exception):
    """No result; the classes are those that the text allows, nearly always one."""

    def __init__(self, *classes: str) -> None:
        super().__init__(" or ".join(classes))
        self.classes = frozenset(classes)


class Open(Exception):
    """The texts leave the answer open: nothing is to be compared."""


@dataclass(frozen=True)
class Type:
    """A base type; `encoding` is that of DW_ATE without prefix, or `generic`."""

    encoding: str
    bits: int

    @property
    def bytes(self) -> int:
        return (self.bits + 7) // 8


@dataclass(frozen=True)
class Value:
    """The bits of a value as an unsigned number, and its type."""

    type: Type
    bits: int

    def signed(self) -> int:
        top = 1 << self.type.bits - 1
        return self.bits - 2 * top if self.bits & top else self.bits

    def number(self) -> int:
        """The number of an integral value; the generic type is unsigned."""
        return self.signed() if self.type.encoding in SIGNED else self.bits


def of(number: int, kind: Type) -> Value:
    return Value(kind, number % (1 << kind.bits))


def to_float(value: Value) -> float:
    form = FORMS[value.type.bits]
    return float(struct.unpack("<" + form, value.bits.to_bytes(value.type.bytes, "little"))[0])


def from_float(number: float, kind: Type) -> Value:
    """Rounded to nearest even; which NaN an operation gives is open."""
    if math.isnan(number):
        raise Open
    form = FORMS[kind.bits]
    try:
        data = struct.pack("<" + form, number)
    except OverflowError:
        data = struct.pack("<" + form, math.copysign(math.inf, number))
    return Value(kind, int.from_bytes(data, "little"))


def integral(value: Value) -> Value:
    if value.type.encoding not in INTEGRAL:
        raise Fault("IllFormed")
    return value


def _quotient(a: int, b: int) -> int:
    """Truncating division."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _float_quotient(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _integer_arithmetic(name: str, a: Value, b: Value) -> int:
    if name in ("div", "mod") and b.bits == 0:
        raise Fault("EvaluationError")
    generic = a.type.encoding == "generic"
    match name:
        case "plus":
            return a.bits + b.bits
        case "minus":
            return a.bits - b.bits
        case "mul":
            return a.bits * b.bits
        case "div" if generic:
            return _quotient(a.signed(), b.signed())
        case "div":
            return _quotient(a.number(), b.number())
        case "mod":
            return a.number() - b.number() * _quotient(a.number(), b.number())
        case "and":
            return a.bits & b.bits
        case "or":
            return a.bits | b.bits
        case "xor":
            return a.bits ^ b.bits
        case "shl":
            return a.bits << b.bits if b.bits < a.type.bits else 0
        case "shr":
            return a.bits >> b.bits
        case "shra":
            return a.signed() >> min(b.bits, a.type.bits)
    raise AssertionError(name)


def binary(name: str, a: Value, b: Value) -> Value:
    """`a` is the former second entry, `b` the former top."""
    if name not in ("plus", "minus", "mul", "div"):
        integral(a), integral(b)
    if a.type != b.type:
        raise Fault("IllFormed")
    if a.type.encoding != "float":
        return of(_integer_arithmetic(name, integral(a), b), a.type)
    x, y = to_float(a), to_float(b)
    match name:
        case "plus":
            result = x + y
        case "minus":
            result = x - y
        case "mul":
            result = x * y
        case _:
            result = _float_quotient(x, y)
    return from_float(result, a.type)


def unary(name: str, a: Value) -> Value:
    if name == "not":
        return of(~integral(a).bits, a.type)
    if a.type.encoding == "float":
        sign = 1 << a.type.bits - 1
        return Value(a.type, a.bits & ~sign if name == "abs" else a.bits ^ sign)
    integral(a)
    return of(-a.bits if name == "neg" else abs(a.signed()), a.type)


def compare(name: str, a: Value, b: Value) -> bool:
    if a.type != b.type:
        raise Fault("IllFormed")
    x: float
    y: float
    if a.type.encoding == "float":
        x, y = to_float(a), to_float(b)
    elif a.type.encoding == "generic":
        x, y = a.signed(), b.signed()
    else:
        x, y = a.number(), b.number()
    return {
        "eq": x == y,
        "ne": x != y,
        "lt": x < y,
        "le": x <= y,
        "gt": x > y,
        "ge": x >= y,
    }[name]


def _rounded(number: int, digits: int) -> float:
    """An integer to the nearest float of that many binary digits, ties to even."""
    extra = max(abs(number).bit_length() - digits, 0)
    high, low = abs(number) >> extra, abs(number) & (1 << extra) - 1
    half = (1 << extra) >> 1
    if extra and (low > half or (low == half and high & 1)):
        high += 1
    return math.copysign(float(high << extra), number)


def convert(value: Value, to: Type) -> Value:
    """By value: low bits of an integer, truncated float, rounded to nearest even."""
    for kind in (value.type, to):
        if kind.encoding not in (*INTEGRAL, "float", "address"):
            raise Fault("IllFormed")
    if "address" in (value.type.encoding, to.encoding):
        return convert_address(value, to)
    if to.encoding == "float":
        if value.type.encoding == "float":
            return from_float(to_float(value), to)
        return from_float(_rounded(value.number(), DIGITS[to.bits]), to)
    if value.type.encoding != "float":
        return of(value.number(), to)
    if not math.isfinite(to_float(value)):
        raise Fault("EvaluationError")
    number = math.trunc(to_float(value))
    least = -1 if to.encoding in (*SIGNED, "generic") else 0
    beyond = 1 << (to.bits - 1 if to.encoding in SIGNED else to.bits)
    if not least * (1 << to.bits - 1) <= number < beyond:
        raise Fault("EvaluationError")  # no defined result
    return of(number, to)


def convert_address(value: Value, to: Type) -> Value:
    """An address is the unsigned number of its bits; what it is as a float is open."""
    if "float" in (value.type.encoding, to.encoding):
        raise Open
    return of(value.number(), to)


def reinterpret(value: Value, to: Type) -> Value:
    if value.type.bits != to.bits:
        raise Fault("IllFormed")
    return Value(to, value.bits)
