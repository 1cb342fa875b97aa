"""Strings that functions of the debugger read."""

from __future__ import annotations

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Array, Base
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.language import Options, TypedValue, evaluate
from dwarfgpu.language.read_strings import up_to_nul
from dwarfgpu.model.object import Bits
from tests.language.sessions import demo
from tests.work import calls_of


@pytest.mark.parametrize(
    ("data", "width", "expected"),
    [
        (b"ab\0c\0", 1, b"ab"),
        (b"\0", 1, b""),
        (b"ab", 1, b"ab"),
        (b"", 1, b""),
        (b"a\0\0b\0\0c\0", 2, b"a\0\0b"),  # the first zeros are of two units
        (b"a\0\0bc\0", 2, b"a\0\0bc\0"),
        (b"a\0\0\0\0\0b\0\0\0\0\0", 4, b"a\0\0\0\0\0b\0"),
        (b"ab\0", 2, b"ab\0"),
    ],
)
def test_a_string_ends_with_a_unit_of_zeros(data: bytes, width: int, expected: bytes) -> None:
    assert up_to_nul(data, width) == expected


def test_characters_are_not_looked_at_one_by_one() -> None:
    def work(count: int) -> int:
        return calls_of(lambda: up_to_nul(b"a" * count, 1))

    assert work(10_000) == work(10)


def test_the_strings_of_an_expression_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 8)
    size = 1 << 16
    char = Base(BaseType("char", "signed_char", 8))
    text = Bits(int.from_bytes(b"a" * size, "little"), 8 * size)
    options = Options({"x": TypedValue(Array(char, (size,)), bits=text)}.get)
    equal = evaluate("$_streq($x, $x)", demo(), options)
    assert equal.bits is not None and equal.bits.value == 1
    with pytest.raises(LimitExceeded, match="each 16 KiB of an object counted as one"):
        evaluate("$_streq($x, $x) + $_strlen($x)", demo(), options)
