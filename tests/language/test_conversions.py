"""Promotions of C and C++, and what the arms of `?:` become: a table of their sentences."""

from __future__ import annotations

import pytest

from dwarfgpu import language
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import signed
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Base, Enum, Pointer, Type
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session
from tests.language.sessions import demo

MISMATCH = "Type mismatch in conditional expression: `{}' and `{}'; cast one."
CPLUSPLUS = "bases.gcc.O0.v5"


def base(name: str, size_bits: int) -> Base:
    encoding = "unsigned" if "unsigned" in name else "signed"
    return Base(BaseType(name, encoding, size_bits))


INT, UNSIGNED = base("int", 32), base("unsigned int", 32)
LONG, UNSIGNED_LONG = base("long int", 64), base("unsigned long", 64)
SMALL = Enum("small", 4, (("A", 0), ("B", 1)))
LARGE = Enum("large", 4, (("A", 1), ("B", 0x80000000)))
WIDE = Enum("wide", 8, (("A", 1), ("B", 1 << 32)))
FIXED = Enum("fixed", 8, (("A", 1),))
SCOPED = Enum("scoped", 4, (("A", 1),), is_scoped=True)
VALUES: dict[str, tuple[Type, int, int | None]] = {
    "b": (UNSIGNED, 29, 5),
    "i": (LONG, -5, 31),
    "j": (UNSIGNED_LONG, 77, 20),
    "f": (UNSIGNED, 7, 32),
    "l": (LONG, -9, 32),
    "m": (UNSIGNED_LONG, 7, 32),
    "k": (UNSIGNED_LONG, 7, 40),
    "e": (SMALL, 1, 3),
    "small": (SMALL, 1, None),
    "large": (LARGE, 1, None),
    "wide": (WIDE, 1, None),
    "fixed": (FIXED, 1, None),
    "scoped": (SCOPED, 1, None),
    "sc": (Base(BaseType("signed char", "signed_char", 8)), -3, None),
    "ui": (UNSIGNED, 7, None),
    "in": (INT, -7, None),
    "lo": (LONG, -5, None),
    "longlong": (base("long long int", 64), -5, None),
    "ulonglong": (base("long long unsigned int", 64), 5, None),
    "wideint": (base("_BitInt", 256), 5, None),  # as clang describes _BitInt(200)
    "uwideint": (base("unsigned _BitInt", 256), 5, None),
    "ip": (Pointer(INT, size_bytes=8), 16, None),
    "up": (Pointer(UNSIGNED, size_bytes=8), 16, None),
    "vp": (Pointer(None, size_bytes=8), 32, None),
}


def options(session: Session) -> Options:
    """`$b` is a bit-field, and so on, of the language of the session's program."""
    (unit, *_) = session.code_objects[0].info.units

    def dollar(name: str) -> TypedValue | None:
        if name == "unread":
            return TypedValue(INT, error=Unavailable("nobody may read this"), unit=unit)
        if name not in VALUES:
            return None
        kind, number, bit_size = VALUES[name]
        size = bit_size or 8 * (kind.size_bytes if not isinstance(kind, Base) else 0)
        size = size or (kind.base.bit_size if isinstance(kind, Base) else 0)
        bits = Bits(number & (1 << size) - 1, size)
        assert signed(bits.value, size) in (number, number - (1 << size))
        return TypedValue(kind, bits=bits, bit_size=bit_size, unit=unit)

    return Options(dollar)


def shown(expression: str, *, cplusplus: bool = False) -> str:
    session = demo(CPLUSPLUS) if cplusplus else demo()
    try:
        value = language.evaluate(expression, session, options(session))
        return language.format(value, session)
    except DwarfGpuError as error:
        return error.message


def kind_of(expression: str, *, cplusplus: bool = False) -> str:
    session = demo(CPLUSPLUS) if cplusplus else demo()
    return type_name(language.type_of(expression, session, options(session)).type)


@pytest.mark.parametrize("cplusplus", [False, True])
@pytest.mark.parametrize(
    ("expression", "promoted"),
    [
        # C 6.3.1.1p2, C++ [conv.prom]: an int holds all values
        ("$b", "int"),
        ("$i", "int"),
        ("$j", "int"),
        ("$e", "int"),
        # all 32 bits: int or unsigned
        ("$f", "unsigned int"),
        ("$l", "int"),
        ("$m", "unsigned int"),
        # neither holds them: the declared type
        ("$k", "unsigned long"),
        ("$sc", "int"),
        ("$large", "unsigned int"),
        ("$scoped", "unsigned int"),
        ("$fixed", "unsigned long"),
    ],
)
def test_promotions(expression: str, promoted: str, cplusplus: bool) -> None:
    assert kind_of(f"+{expression}", cplusplus=cplusplus) == promoted


@pytest.mark.parametrize("cplusplus", [False, True])
@pytest.mark.parametrize(
    ("expression", "common"),
    [
        # C 6.3.1.8p1 by the rank of 6.3.1.1p1, as `_Generic` of gcc and clang has it
        ("$longlong * 1", "long long"),
        ("1 ? $longlong : 1", "long long int"),  # its own type, as the file names it
        ("1 ? 1 : $ulonglong", "unsigned long long"),
        ("$ulonglong ^ 1", "unsigned long long"),
        ("$ulonglong + $ulonglong", "unsigned long long"),
        ("$ulonglong / $lo", "unsigned long long"),
        ("$lo - $longlong", "long long"),
        ("1ul | $longlong", "unsigned long long"),
        ("$longlong + 1u", "long long"),
        ("1ull % 1ul", "unsigned long long"),
        ("(long long) 1 + 1", "long long"),
        ("$k + 1ll", "unsigned long long"),
        ("$lo + 1", "long"),
        ("1ul + 1", "unsigned long"),
        ("$longlong + 1.0", "double"),
        # wider than any other integer of C
        ("$wideint + 1ull", "_BitInt"),
        ("2 * $uwideint", "unsigned _BitInt"),
        ("$wideint - $uwideint", "unsigned _BitInt"),
    ],
)
def test_types_of_one_size(expression: str, common: str, cplusplus: bool) -> None:
    assert kind_of(expression, cplusplus=cplusplus) == common


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("$b - 30 < 0", "1"),
        ("$b < $in", "0"),
        ("$b * -1 < 0", "1"),
        ("-$b", "-29"),
        ("~$b", "-30"),
        ("-$b % 4", "-1"),
        ("$i + 0u < 0", "0"),
        ("$j - 78", "-1"),
        ("$f - 8 < 0", "0"),
        ("global_struct.b1", "5"),
        ("global_struct.b1 - 6", "-1"),
    ],
)
def test_bit_fields(expression: str, expected: str) -> None:
    assert shown(expression) == expected


@pytest.mark.parametrize(
    ("expression", "c", "cplusplus"),
    [
        ("$small", "unsigned int", "int"),
        ("$large", "unsigned int", "unsigned int"),
        ("$wide", "unsigned long", "long"),
    ],
)
def test_enumerations(expression: str, c: str, cplusplus: str) -> None:
    assert kind_of(f"+{expression}") == c
    assert kind_of(f"+{expression}", cplusplus=True) == cplusplus


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # C 6.7.2.2p3: they are int, whatever the enumeration is
        ("GREEN", "GREEN"),
        ("kind: GREEN - 2", "int"),
        ("GREEN > -1", "1"),
        ("READ - 2 < 0", "1"),
        ("sizeof(GREEN)", "4"),
        # C 6.4.4.4p10
        ("'a'", "97 'a'"),
        ("sizeof('a')", "4"),
        ("sizeof(L'a' + 0)", "No type named wchar_t."),
        ("'\\377'", "-1 '\\377'"),
        ("'\\377' + 0u", "4294967295"),
    ],
)
def test_constants_of_c(expression: str, expected: str) -> None:
    _, is_kind, text = expression.rpartition("kind: ")
    assert (kind_of(text) if is_kind else shown(text)) == expected


def test_a_character_of_cplusplus_is_a_char() -> None:
    assert shown("sizeof('a')", cplusplus=True) == "1"


@pytest.mark.parametrize(
    ("expression", "c", "cplusplus"),
    [
        # 6.5.15p5: the usual arithmetic conversions, whichever is taken
        ("(1 ? $in : $ui) < 0", "0", "false"),
        ("(0 ? $ui : $in) < 0", "0", "false"),
        ("(sizeof($in) ? -1 : 0u) / 2", "2147483647", "2147483647"),
        ("sizeof(1 ? $sc : $lo)", "8", "8"),
        ("(1 ? 1 : 2.0) / 2", "0.5", "0.5"),
        ("sizeof(1 ? 'a' : 'b')", "4", "1"),
        ("(1 ? $b : $b) - 30 < 0", "1", "false"),  # C++: of the declared type
        ("sizeof(1 ? $sc : $sc)", "4", "1"),
        # p4: the arm that is not taken is not evaluated
        ("1 ? 2 : $unread", "2", "2"),
        ("1 ? 2 : *(int *) 0", "2", "2"),
        ("1 ? 2 : 1 / 0", "2", "2"),
        ("0 ? 1 % 0 : 2", "2", "2"),
        ("1 ? 2 : $nosuch", "2", "2"),
        ("0 ? 2 : $nosuch", "void", "void"),
        ("1 ? 2 : $unread + 1.5", "2", "2"),
        ("sizeof(1 / 0)", "4", "4"),
        # it must be of a type that goes with the other
        ("1 ? 2 : nosuch", 'No symbol "nosuch" in current context.', None),
        ("1 ? $unread : 2", "nobody may read this", "nobody may read this"),
        # 6.5.13p4, 6.5.14p4: nor is the right operand of && and ||, which has a meaning as well
        ("0 && $unread", "0", "false"),
        ("1 || $unread", "1", "true"),
        ("1 || 1 / 0", "1", "true"),
        ("1 || main(1)", "1", None),
        ("1 || nosuch", 'No symbol "nosuch" in current context.', None),
        ("0 && nosuch[1] > 2", 'No symbol "nosuch" in current context.', None),
        ("0 && 1 && nosuch", 'No symbol "nosuch" in current context.', None),
        ("sizeof(0 && nosuch)", 'No symbol "nosuch" in current context.', None),
        ("0 && *1.5", "Attempt to take contents of a non-pointer value.", None),
        # 6.5.15p6: pointers
        ("1 ? $ip : 0", "(int *) 0x10", "(int *) 0x10"),
        ("0 ? $ip : 0", "(int *) 0x0", "(int *) 0x0"),
        ("0 ? $ip : (void *) 0", "(int *) 0x0", "(int *) 0x0"),
        ("1 ? $ip : (void *) 0", "(int *) 0x10", "(int *) 0x10"),
        ("1 ? $ip : $vp", "(void *) 0x10", "(void *) 0x10"),
        ("0 ? $ip : $vp", "(void *) 0x20", "(void *) 0x20"),
        ("0 ? (const int *) 1 : $ip", "(const int *) 0x10", "(const int *) 0x10"),
        ("1 ? (const int *) 1 : $vp", "(const void *) 0x1", "(const void *) 0x1"),
        ("0 ? (void *) 0 : (const int *) 1", "(const int *) 0x1", "(const int *) 0x1"),
        ("1 ? (void *) 0 : (const int *) 1", "(const int *) 0x0", "(const int *) 0x0"),
        ("1 ? 0 : $vp", "(void *) 0x0", "(void *) 0x0"),
        ("1 ? (void *) 0 : (void *) 0", "(void *) 0x0", "(void *) 0x0"),
        ("1 ? $ip : $up", MISMATCH.format("int *", "unsigned int *"), None),
        ("1 ? $ip : 1", MISMATCH.format("int *", "int"), None),
        ("1 ? (void) 1 : (void) 2", "void", "void"),
        ("1 ? (void) 1 : 2", MISMATCH.format("void", "int"), None),
        ("sizeof(1 ? numbers : 0)", "8", None),
        ("*(0 ? 0 : &numbers[12]) == numbers[12]", "1", None),
        ("sizeof(1 ? global_struct : global_struct) == sizeof(struct outer)", "1", None),
        ("(1 ? global_struct : *global_struct.next).b2", "-3", None),
        ("(1 ? main : 0) == main", "1", None),
        ("1 ? global_struct : 1", MISMATCH.format("outer_t", "int"), None),
        ('1 ? "abc" : "de"', '"abc"', '"abc"'),
    ],
)
def test_the_arms_of_a_condition(expression: str, c: str, cplusplus: str | None) -> None:
    assert shown(expression) == c
    if cplusplus is not None:
        assert shown(expression, cplusplus=True) == cplusplus


def test_what_is_chosen_in_c_cannot_be_assigned() -> None:
    assert shown("(1 ? numbers[0] : numbers[1]) = 1") == (
        "Left operand of assignment is not a modifiable lvalue."
    )
