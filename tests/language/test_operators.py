"""Operators by the kind of their operands: complex numbers, then vectors, then numbers."""

from __future__ import annotations

import math
import struct

import pytest

from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.dwarf.types.types import Array, Base, Type
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.complexes import COMPLEX
from dwarfgpu.language.evaluation_options import DEFAULT
from dwarfgpu.language.evaluator import Evaluator
from dwarfgpu.language.kinds_of_operands import OperandKind
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.vectors import VECTOR
from dwarfgpu.model.object import Bits
from tests.language.sessions import FIXTURES, demo, program, text

INT = Base(BaseType("int", "signed", 32))
PAIR = Array(INT, (2,), is_vector=True)
FLOATS = Base(
    BaseType("complex float", "complex_float", 64, float_format=float_format("float", 32, x87=True))
)


def arithmetic() -> Arithmetic:
    return Evaluator(demo(), DEFAULT).arithmetic


def value(kind: Type, data: bytes) -> TypedValue:
    return TypedValue(kind, bits=Bits(int.from_bytes(data, "little"), 8 * len(data)))


def complex_number(real: float, imaginary: float) -> TypedValue:
    return value(FLOATS, struct.pack("<ff", real, imaginary))


def pair(first: int, second: int) -> TypedValue:
    return value(PAIR, struct.pack("<ii", first, second))


def number(found: int) -> TypedValue:
    return value(INT, struct.pack("<i", found))


def contents(form: str, found: TypedValue) -> tuple[float, ...]:
    assert found.bits is not None
    return struct.unpack(form, found.bits.to_bytes("little"))


@pytest.mark.parametrize(
    ("kind", "included", "others"),
    [(COMPLEX, FLOATS, (PAIR, INT, None)), (VECTOR, PAIR, (FLOATS, INT, None))],
)
def test_a_kind_includes_its_types_alone(
    kind: OperandKind, included: Type, others: tuple[Type | None, ...]
) -> None:
    assert kind.includes(included)
    assert not any(kind.includes(other) for other in others)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [("+", (4.0, 1.0)), ("-", (-2.0, 3.0)), ("*", (5.0, 5.0)), ("/", (0.1, 0.7))],
)
def test_complex_numbers(operator: str, expected: tuple[float, float]) -> None:
    """(1 + 2i) with (3 - i)."""
    path = arithmetic().binary(operator, complex_number(1, 2), complex_number(3, -1))
    assert contents("<ff", path) == pytest.approx(expected, rel=1e-6)


def test_a_wider_real_operand_widens_the_parts() -> None:
    """C 6.3.1.8: `float _Complex * double` is `double _Complex`; GDB names it `_Complex double`."""
    form = float_format("double", 64, x87=True)
    tenth = value(Base(BaseType("double", "float", 64, float_format=form)), struct.pack("<d", 0.1))
    product = arithmetic().binary("*", complex_number(1, 2), tenth)
    assert isinstance(product.type, Base)
    assert product.type.base.name == "_Complex double"
    assert contents("<dd", product) == (0.1, 0.2)


@pytest.mark.parametrize(
    ("divisor", "expected"),
    [(1e30, (1e-30, 2e-30)), (1e-30, (1e30, 2e30)), (0.0, (math.inf, math.inf)), (2.0, (0.5, 1.0))],
)
def test_a_real_divisor_divides_each_part(divisor: float, expected: tuple[float, float]) -> None:
    """Its square would not fit a float."""
    kind = Base(BaseType("float", "float", 32, float_format=float_format("float", 32, x87=True)))
    by = value(kind, struct.pack("<f", divisor))
    quotient = arithmetic().binary("/", complex_number(1, 2), by)
    assert contents("<ff", quotient) == pytest.approx(expected, rel=1e-6)


def test_a_real_operand_is_a_complex_number_without_an_imaginary_part() -> None:
    path = arithmetic().binary("*", number(2), complex_number(1, 2))
    assert contents("<ff", path) == (2, 4)


@pytest.mark.parametrize(
    ("left", "right", "is_equal"),
    [
        (complex_number(1, 2), complex_number(1, 2), True),
        (complex_number(1, 2), complex_number(1, 3), False),
        (complex_number(1, 2), complex_number(2, 2), False),
        (complex_number(1, 0), number(1), True),
        (pair(1, 2), pair(1, 2), True),
        (pair(1, 2), pair(1, 3), False),
    ],
)
def test_equality(left: TypedValue, right: TypedValue, is_equal: bool) -> None:
    assert arithmetic().compared("==", left, right) is is_equal
    assert arithmetic().compared("!=", left, right) is not is_equal


@pytest.mark.parametrize(
    ("operator", "left", "right", "message"),
    [
        ("<", complex_number(1, 2), complex_number(3, 4), "Invalid type combination in ordering"),
        ("<", pair(1, 2), pair(3, 4), "Invalid type combination in ordering comparison"),
        ("==", pair(1, 2), number(1), "Invalid type combination in equality test"),
    ],
)
def test_what_cannot_be_compared(
    operator: str, left: TypedValue, right: TypedValue, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        arithmetic().compared(operator, left, right)


@pytest.mark.parametrize("operator", ["%", "<<", "&"])
def test_operators_that_complex_numbers_have_not(operator: str) -> None:
    with pytest.raises(UsageError, match="not a number"):
        arithmetic().binary(operator, complex_number(1, 2), complex_number(3, 4))


def test_vectors_by_element() -> None:
    path = arithmetic().binary("+", pair(1, 2), number(10))
    assert path.bits is not None and struct.unpack("<ii", path.bits.to_bytes("little")) == (
        11,
        12,
    )
    negated = arithmetic().unary("-", pair(1, -2))
    assert contents("<ii", negated) == (-1, 2)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(_Complex double)3 + 1", "4 + 0i"),
        ("(double _Complex)3", "3 + 0i"),
        ("$_creal((_Complex float)3.5)", "3.5"),
        ("sizeof(_Complex long double) / sizeof(long double)", "2"),
        ("_Alignof(_Complex double)", "8"),
        ("(2.0+1.0i)/(1.0-1.0i)", "0.5 + 1.5i"),
        ("$_cimag(0x1.8p1i)", "3"),
        ("sizeof(1.5fi)", "8"),
        ("sizeof(1e3li) / sizeof(1.0l)", "2"),
        ("(_Complex float *)16", "(complex *) 0x10"),
        ("(_Complex double *)16", "(double complex *) 0x10"),
        ("(long double _Complex *)16", "(_Complex long double *) 0x10"),
    ],
)
def test_the_complex_types_of_c_have_the_names_of_gdb(expression: str, expected: str) -> None:
    """C 6.2.5: no object of the program has them."""
    assert text(demo(), expression) == expected


def test_imaginary_numbers_are_those_of_c() -> None:
    shown = text(demo("demo.gcc.O0.v5"), "1.5i")
    assert shown == "0 + 1.5i"
    fortran = program(FIXTURES / "fortran/shapes.gcc.O0.v5")
    assert "are those of C" in text(fortran, "1.5i")


@pytest.mark.parametrize("number", ["2i", "0x1i", "017i", "2ui"])
def test_complex_integers_have_no_literals(number: str) -> None:
    """gcc's have an encoding that does not say that there are two parts."""
    expected = {"2ui": 'Invalid number "2ui".'}
    message = "Complex integers are not supported; write a point, as in 2.0i."
    assert text(demo(), number) == expected.get(number, message)


@pytest.mark.parametrize("words", ["_Complex", "_Complex int", "_Complex _Complex double"])
def test_words_that_are_no_complex_type(words: str) -> None:
    assert text(demo(), f"sizeof({words})") == f"No type named {words}."
