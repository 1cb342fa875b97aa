"""Objects that have a number and are none: Python would say that they differ from every number."""

from __future__ import annotations

import operator
from fractions import Fraction

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.errors import UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import Value
from dwarfgpu.session.reading import Reading

INT = BaseType("int", "signed", 32)
NUMBERS = (3, True, 3.5, 1j, Fraction(1, 2))


@pytest.mark.parametrize(
    ("subject", "attribute"),
    [(Value.of(3, INT), "number"), (Bits(3, 32), "value"), (TypedValue(None), "bits")],
)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_comparison_with_a_number(subject: object, attribute: str, number: object) -> None:
    message = f"{type(subject).__name__} == number: compare its {attribute}"
    for compare in (operator.eq, operator.ne):
        for sides in ((subject, number), (number, subject)):
            with pytest.raises(TypeError, match=message) as raised:
                compare(*sides)
            assert isinstance(raised.value, UsageError)
    with pytest.raises(TypeError, match=message):
        assert subject in [number]


def test_a_comparison_with_a_number_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    for number in (numpy.int32(3), numpy.float64(3)):
        with pytest.raises(TypeError, match="Value == number: compare its number"):
            assert Value.of(3, INT) == number


def test_other_comparisons_and_hashes_are_those_of_records() -> None:
    one, same, other = Value.of(3, INT), Value.of(3, INT), Value.of(4, INT)
    assert one == same and one != other and hash(one) == hash(same) and one in {same}
    assert Bits(3, 4) == Bits(3, 4) != Bits(3, 5) and hash(Bits(3, 4)) == hash(Bits(3, 4))
    for object_ in (one, Bits(3, 4)):
        assert object_ != None and object_ != "3" and object_ != [3]  # noqa: E711
    assert Bits(3, 4) != Value.of(3, INT)
    void = TypedValue(None)
    assert void == void and void != TypedValue(None) and len({void, void, TypedValue(None)}) == 2


def test_what_is_neither_true_nor_false() -> None:
    assert Value.of(3, INT) and not Value.of(0, INT)  # A.2.5.4.2
    assert Bits(0, 4)  # there are some
    with pytest.raises(TypeError, match="TypedValue: it is neither true nor false: use its bits"):
        assert TypedValue(None)
    reading = Reading.__new__(Reading)
    with pytest.raises(TypeError, match="Reading: it is neither true nor false: use its value"):
        assert reading
    with pytest.raises(TypeError, match="Reading == number: compare its value"):
        assert reading == 3
