"""Fields of `printf` are those of C's library, which Python's `%` calls."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import BINARY64, X87_EXTENDED
from dwarfgpu.model.value import Value
from dwarfgpu.service.value.printf_fields import FieldFormat

DOUBLE = BaseType("double", "float", 64, "little", float_format=BINARY64)
LONG_DOUBLE = BaseType("long double", "float", 128, "little", float_format=X87_EXTENDED)
SPECIAL = [0, 1, 1 << 63, 0x3FF << 52, 0x10 << 48, (1 << 63) - (1 << 52) - 1]


def _modifiers(chance: random.Random, flags: str) -> tuple[str, int, int | None]:
    typed = "".join(flag for flag in flags if chance.random() < 0.3)
    return typed, chance.choice((0, 1, 12, 30)), chance.choice((None, 0, 1, 6, 25))


@pytest.mark.parametrize("seed", range(4))
def test_doubles(seed: int) -> None:
    chance = random.Random(seed)
    numbers = SPECIAL + [chance.getrandbits(64) for _ in range(300)]
    numbers += [struct.unpack("<Q", struct.pack("<d", n / 8))[0] for n in range(-40, 40)]
    for bits in numbers:
        (number,) = struct.unpack("<d", bits.to_bytes(8, "little"))
        if not math.isfinite(number):
            continue
        flags, width, precision = _modifiers(chance, "-+ #0")
        for kind in "eEfgG":
            form = f"%{flags}{width or ''}{'' if precision is None else f'.{precision}'}{kind}"
            printed = FieldFormat(flags, width, precision).floating(Value(bits, DOUBLE), kind)
            assert printed == form % number, (form, bits)


@pytest.mark.parametrize(
    ("flags", "precision", "kind", "number", "expected"),
    [
        ("", 0, "x", 0, ""), ("#", None, "x", 0, "0"), ("#", None, "o", 8, "010"),
        ("#", 0, "o", 0, "0"), ("0", 3, "d", -7, "    -007"), ("0", None, "d", -7, "-0000007"),
        ("#0", None, "X", 255, "0X0000FF"), ("+", None, "d", 5, "+5"), (" ", None, "d", 5, " 5"),
        ("+ ", None, "i", 5, "+5"), ("-0", None, "u", 5, "5       "),
    ],
)  # fmt: skip
def test_integers(flags: str, precision: int | None, kind: str, number: int, expected: str) -> None:
    width = 8 if "0" in flags else 0
    assert FieldFormat(flags, width, precision).integer(number, kind) == expected


def test_nan_and_infinity_have_a_sign_and_no_zeros() -> None:
    form = FieldFormat("0", 6, None)
    for bits, expected in (
        (0x7FF << 52, "   inf"),
        (0xFFF << 52, "  -inf"),
        (0xFFF8 << 48, "  -nan"),
    ):
        assert form.floating(Value(bits, DOUBLE), "f") == expected
    assert form.floating(Value(0x7FF8 << 48, DOUBLE), "G") == "   NAN"


def test_long_double_is_exact() -> None:
    third = X87_EXTENDED.encode(Fraction(1, 3))
    text = FieldFormat("", 0, 25).floating(Value(third, LONG_DOUBLE), "f")
    assert text == "0.3333333333333333333423684"  # GDB's
    least = FieldFormat("", 0, 3).floating(Value(1, LONG_DOUBLE), "g")
    assert least == "3.65e-4951"
