"""What GDB on this machine cannot show: unknown bits, GPU types, hostile types, errors."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import cast

import pytest

from dwarfgpu.arch.model import AddressSpace, Architecture
from dwarfgpu.arch.registry import architecture as architecture_of_name
from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
    Unspecified,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, IllFormed, Unavailable, UndefinedBits, UsageError
from dwarfgpu.expr.context import ExprLoc, Unit
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.model.storage import Memory
from dwarfgpu.view.scalars import enum_text
from dwarfgpu.view.values import FormatOptions, format_value
from tests.work import at_most


def base(name: str, encoding: str, bits: int, endian: Endian = "little") -> Base:
    form = float_format(name, bits) if encoding == "float" else None
    return Base(BaseType(name, encoding, bits, endian, float_format=form))


INT = base("int", "signed", 32)
CHAR = base("char", "signed_char", 8)
FLOAT = base("float", "float", 32)
PAIR = Struct("struct", "pair", 8, (Member("a", INT, 0), Member("b", INT, 32)))
NODE = Struct("struct", "node", 8, lambda: (Member("next", Pointer(lambda: NODE), 0),))
NOWHERE = ExprLoc(b"\x96", cast(Unit, None))
LOOP: Typedef = Typedef("loop", lambda: LOOP)
ITSELF = Struct("struct", "itself", 8, lambda: (Member("i", ITSELF, 0), Member("j", ITSELF, 0)))
ONES = (1 << 32) - 1
ARCH = Architecture("test", "AMDGPU", 64, {}, {5: AddressSpace(5, "private_lane", 32)})


def vector(name: str, encoding: str, bits: int, count: int) -> Base:
    return Base(BaseType(name, encoding, bits * count, vector_size=count))


@pytest.mark.parametrize(
    ("bits", "kind", "text"),
    [
        (Bits(0, 32, undefined=ONES), INT, "<optimized out>"),
        (Bits(0, 32, undefined=1), INT, "<optimized out>"),
        (Bits(0, 32, unavailable=ONES), INT, "<unavailable>"),
        (Bits(0, 32, undefined=1, unavailable=2), INT, "<optimized out>"),
        (Bits(0, 64, undefined=2**64 - 1), PAIR, "<optimized out>"),
        (Bits(7, 64, undefined=ONES << 32), PAIR, "{a = 7, b = <optimized out>}"),
        (Bits(7, 64, unavailable=1 << 40), PAIR, "{a = 7, b = <unavailable>}"),
        (Bits(7, 32), PAIR, "{a = 7, b = <optimized out>}"),  # fewer bits than the type has
        (Bits(0, 96, undefined=ONES), Array(INT, (3,)), "{<optimized out>, 0, 0}"),
        (
            Bits(1, 32 * 13, undefined=(1 << 32 * 12) - 1 << 32),
            Array(INT, (13,)),
            "{1, <optimized out> <repeats 12 times>}",
        ),
        (
            Bits(0x6261, 32, undefined=0xFF << 16),
            Array(CHAR, (4,)),
            "{97 'a', 98 'b', <optimized out>, 0 '\\000'}",
        ),
        (
            Bits(0x05, 8, undefined=0x08),
            Struct("struct", None, 1, (Member("a", INT, 0, 3), Member("b", INT, 3, 5))),
            "{a = -3, b = <optimized out>}",
        ),
    ],
)
def test_unknown_bits_are_never_numbers(bits: Bits, kind: Type, text: str) -> None:
    assert format_value(bits, kind) == text


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0x3FC0, base("__bf16", "float", 16), "1.5"),
        (0x7F80, base("__bf16", "float", 16), "inf"),
        (0x3C, base("fp8_e5m2", "float", 8), "1"),
        (0x38, base("fp8_e4m3", "float", 8), "1"),
        (0x7E, base("fp8_e4m3", "float", 8), "448"),  # OCP: no infinity
        (0xFF, base("fp8_e4m3", "float", 8), "-nan(0x7)"),
        (0x01, base("fp8_e4m3", "float", 8), "0.00195"),
        # GDB shows payloads as words: only the bits above them have no leading zeros.
        (0x7F81, base("__bf16", "float", 16), "nan(0x1)"),
        (0xFFC0000F, base("float", "float", 32), "-nan(0x40000f)"),
        (0x7FF8 << 48, base("double", "float", 64), "nan(0x8000000000000)"),
        (0x7FF0 << 48 | 1, base("double", "float", 64), "nan(0x000000001)"),
        (0x7FF00000_FFFFFFFF, base("double", "float", 64), "nan(0x0ffffffff)"),
        (0x7FFF << 64 | 1 << 63 | 1, base("long double", "float", 80), "nan(0x8000000000000001)"),
        (0x7FFF << 112 | 1 << 32, base("_Float128", "float", 128), f"nan(0x{1 << 32:025x})"),
        (
            0x38,
            base("fp8_e4m3_fnuz", "float", 8),
            "0x38 <the name fp8_e4m3_fnuz does not determine the format of 8 bits>",
        ),
        (0x12, base("d", "packed_decimal", 8), "0x12 <packed_decimal is not decoded>"),
        (0x2_0000_0001, vector("int2", "signed", 32, 2), "{1, 2}"),
        (0x0201, vector("char2", "signed_char", 8, 2), "{1, 2}"),
        (0xC0000000_3F800000, vector("float2", "float", 32, 2), "{1, -2}"),
        (5, vector("bad", "signed", 33, 1), "{5}"),
        (0x10, Pointer(INT, size_bytes=4, address_space=5), "(int *) private_lane#0x10"),
        (0x10, Pointer(CHAR, size_bytes=4, address_space=5), "private_lane#0x10"),
        (0x10, Pointer(INT, size_bytes=4, address_space=77), "(int *) aspace(77)#0x10"),
        (0x10, Pointer(INT, kind="reference"), "(int &) @0x10"),
        (0x10, Pointer(Typedef("wchar_t", INT)), "0x10"),
        (0x10, Pointer(Typedef("other_t", INT)), "(other_t *) 0x10"),
        # int a : 40 of C++: the bits beyond those of the type are padding ([class.bit]).
        (1 << 40 | 2 << 32 | 3, Struct("struct", "s", 8, (Member("a", INT, 0, 40),)), "{a = 3}"),
        (
            7,
            Struct(
                "class",
                "D",
                4,
                (
                    Member(
                        "B", Struct("class", "B", None, is_declaration=True), 0, is_base_class=True
                    ),
                ),
            ),
            "{<B> = {<No data fields>}, <No data fields>}",
        ),
        (
            7,
            Struct(
                "struct",
                "n",
                4,
                (
                    Member("gone", None, error=UndefinedBits("nothing describes it")),
                    Member("i", INT, 0),
                    Member("far", INT, 0, error=UsageError("no frame")),
                ),
            ),
            "{gone = <optimized out>, i = 7, far = <error: no frame>}",
        ),
        (
            7,
            Struct("union", "u", 1, (Member("c", CHAR, 0), Member("i", INT, 0))),
            "{c = 7 '\\a', i = <error: the member i is at bytes 0 to 3 of a union of 1 byte>}",
        ),
        (0x10, Pointer(PAIR), "(struct pair *) 0x10"),
        (3, Struct("struct", "d", None, is_declaration=True), "<incomplete type>"),
        (3, Unspecified("decltype(nullptr)", 8), "0x3"),
        (0, Struct("struct", "Ok", 0, (Member("__0", Unspecified("()", 0), 0),)), "{__0 = ()}"),
        (3, None, "void"),
        (2**64 - 1, MemberPointer(INT, PAIR), "NULL"),
        (8, MemberPointer(INT, PAIR), "8"),
        (3, Enum("E", 4, (("X", 3),), is_scoped=True), "E::X"),
        (3, Enum("E", 4, (("X", 3),), scope="a::B<short int, 3>::"), "a::B<short, 3>::X"),
        (
            3,
            Enum("E", 4, (("X", 3),), is_scoped=True, scope="B<const char *>::"),
            "B<char const*>::E::X",
        ),
        (
            7,
            Struct("class", "D", 4, (Member("B", Struct("class", "B", 4), 0, is_base_class=True),)),
            "{<B> = {<No data fields>}, <No data fields>}",
        ),
        (
            7,
            Struct("struct", "V", 4, (Member("x", INT, 0, None, NOWHERE),)),
            "{x = <error: it is found by the address of the object, and a copy has none>}",
        ),
    ],
)
def test_types_of_other_machines_and_languages(value: int, kind: Type | None, text: str) -> None:
    size = size_bytes(kind) or 8
    assert format_value(Bits(value, 8 * size), kind, architecture=ARCH) == text


def test_big_endian_objects_and_members_of_other_byte_order() -> None:
    other = base("le", "unsigned", 16)
    kind = Struct(
        "struct",
        "s",
        4,
        (Member("b", base("be", "unsigned", 16, "big"), 0), Member("l", other, 16)),
    )
    assert format_value(Bits(0x0001_0100, 32), kind, endian="big") == "{b = 1, l = 1}"


def test_bit_fields_of_big_endian_objects_start_at_the_most_significant_bit() -> None:
    number = base("int", "signed", 32, "big")
    kind = Struct("struct", "s", 1, (Member("a", number, 0, 3), Member("b", number, 3, 5)))
    assert format_value(Bits(0b011_11111, 8), kind, endian="big") == "{a = 3, b = -1}"


@pytest.mark.parametrize(
    ("machine", "first", "second", "text"),
    [
        ("x86_64", 0, 0, "NULL"),
        ("x86_64", 0, 97, "NULL"),  # of a base class: the adjustment does not count
        ("aarch64", 0, 96, "NULL"),
        ("aarch64", 0, 97, "&virtual table offset 0, this adjustment 48"),
        ("x86_64", 1, 0, "&virtual table offset 0"),
        ("x86_64", 0x40, 8, "(int (pair::*)(void)) 0x40, this adjustment 8"),
    ],
)
def test_null_pointers_to_member_functions(
    machine: str, first: int, second: int, text: str
) -> None:
    """Itanium C++ ABI 2.3, C++ ABI of Arm 3.2.1."""
    bits, kind = Bits(second << 64 | first, 128), MemberPointer(Function(INT), PAIR, 16)
    options = FormatOptions(cplusplus=True)
    here = architecture_of_name(machine)
    assert format_value(bits, kind, options, architecture=here) == text


def test_references_and_strings_are_read() -> None:
    memory = {0x10: b"\x07\0\0\0", 0x20: b"a", 0x21: b"b"}

    def read(address: int, space: int, size_bytes: int) -> bytes:
        if address not in memory:
            raise Unavailable("nothing there")
        return memory[address]

    reported: list[DwarfGpuError] = []
    options = FormatOptions(report=reported.append)

    def text(value: int, kind: Type) -> str:
        return format_value(Bits(value, 64), kind, options, read_memory=read, architecture=ARCH)

    assert text(0x10, Pointer(INT, kind="reference")) == "(int &) @0x10: 7" and not reported
    unread = "<error reading variable: Cannot access memory at address 0x30>"  # GDB 13
    assert text(0x30, Pointer(INT, kind="reference")) == f"(int &) {unread}"
    assert [error.message for error in reported] == ["Cannot access memory at address 0x30"]
    assert text(0x20, Pointer(CHAR)) == '0x20 "ab"<error: Cannot access memory at address 0x22>'
    assert (
        text(0x30, Pointer(CHAR, address_space=5))
        == "private_lane#0x30 <error: Cannot access memory at address private_lane#0x30>"
    )


def test_strings_are_read_in_blocks() -> None:
    start, end, sizes = 0x1010, 0x1400, list[int]()
    data = bytes(range(0x41, 0x5B)) * 4

    def read(address: int, space: int, size_bytes: int) -> bytes:
        sizes.append(size_bytes)
        if not start <= address <= address + size_bytes <= end:
            raise Unavailable("nothing there")
        return (data + b"\0" * 900 + data)[address - start :][:size_bytes]

    def text(address: int) -> str:
        return format_value(Bits(address, 64), Pointer(CHAR), read_memory=read, architecture=ARCH)

    assert text(start) == f'0x1010 "{data.decode()}"'
    assert sizes == [48, 64]
    unreadable = "<error: Cannot access memory at address 0x1400>"
    assert text(0x13FE) == f'0x13fe "CD"{unreadable}'  # not known up to the end of the block
    long = FormatOptions(elements=50)
    cut = format_value(Bits(start, 64), Pointer(CHAR), long, read_memory=read, architecture=ARCH)
    assert cut == f'0x1010 "{data[:50].decode()}"...'


BASE = Struct("struct", "Base", 4, (Member("a", INT, 0),))
EMPTY = Struct("struct", "Empty", 1)
DERIVED = Struct(
    "struct",
    "D",
    8,
    (
        Member("Base", BASE, 0, is_base_class=True),
        Member("Empty", EMPTY, 0, is_base_class=True),
        Member("z", INT, 32),
        Member("st", INT, None, is_static=True),
    ),
)
PRETTY_DERIVED = """{
  <Base> = {
    a = 1
  }, 
  <Empty> = {<No data fields>}, 
  members of D:
  z = 2
}"""  # noqa: W291 (GDB leaves these blanks)


def test_base_classes_have_their_full_names() -> None:
    base = Struct("struct", "Box<short int, char const *>", 4, BASE.members, scope="ns::")
    derived = Struct("struct", "D", 4, (Member(None, base, 0, is_base_class=True),), scope="ns::")
    text = "{<ns::Box<short, char const*>> = {a = 1}, <No data fields>}"
    assert format_value(Bits(1, 32), derived) == text
    own = Struct("struct", "E", 8, (*derived.members, Member("z", INT, 32)), scope="ns::")
    pretty = format_value(Bits(1, 64), own, FormatOptions(pretty=True, cplusplus=True))
    assert "  members of ns::E:\n" in pretty


def test_base_classes_without_names() -> None:
    """As in GDB: a lambda is one of an overload set."""
    nameless = Struct("struct", None, 4, BASE.members)
    base = Member(None, nameless, 0, is_base_class=True)
    derived = Struct("struct", None, 8, (base, Member("z", INT, 32)))
    assert format_value(Bits(1, 64), derived) == "{<> = {a = 1}, z = 0}"
    pretty = format_value(Bits(1, 64), derived, FormatOptions(pretty=True, cplusplus=True))
    assert "  <> = {\n" in pretty and "  members of :\n" in pretty


@pytest.mark.parametrize("name", ["_vptr.V", "_vptr$V"])
def test_table_pointers_keep_their_form(name: str) -> None:
    kind = Struct("struct", "V", 12, (Member(name, Pointer(INT), 0), Member("v", INT, 64)))
    bits = Bits(10 << 64 | 0x1234, 96)
    assert format_value(bits, kind, FormatOptions("d")) == f"{{{name} = 0x1234, v = 10}}"


def test_base_classes_and_references_as_gdb_prints_them() -> None:
    bits = Bits(0x2_0000_0001, 64)

    def read(address: int, space: int, size_bytes: int) -> bytes:
        return bits.to_bytes("little")[:size_bytes]

    one_line = "{<Base> = {a = 1}, <Empty> = {<No data fields>}, z = 2}"
    assert format_value(bits, DERIVED) == one_line
    pretty = FormatOptions(pretty=True, cplusplus=True)
    assert format_value(bits, DERIVED, pretty) == PRETTY_DERIVED
    reference = Pointer(DERIVED, kind="reference")
    whole = format_value(Bits(16, 64), reference, pretty, read_memory=read)
    assert whole == f"(D &) @0x10: {PRETTY_DERIVED}"
    to_pointer = Pointer(Pointer(INT), kind="reference")
    text = format_value(Bits(16, 64), to_pointer, read_memory=read)
    assert text == "(int *&) @0x10: 0x200000001"
    inside = Struct("struct", "R", 8, (Member("r", Pointer(INT, kind="reference"), 0),))
    assert format_value(Bits(16, 64), inside, read_memory=read) == "{r = @0x10}"
    hexadecimal = FormatOptions("x")
    to_int = Pointer(INT, kind="reference")
    assert format_value(Bits(16, 64), to_int, hexadecimal, read_memory=read) == "(int &) @0x10: 0x1"


def nested(levels: int) -> Type:
    kind: Type = INT
    for _ in range(levels):
        kind = Struct("struct", None, 4, (Member(None, kind, 0),))
    return kind


def chain(levels: int) -> Type:
    kind: Type = INT
    for _ in range(levels):
        kind = Array(kind, (2, 2))
    return kind


HOSTILE: tuple[Callable[[], Type], ...] = (
    lambda: Array(INT, (2**60,)),
    lambda: Array(INT, (2**100_000,)),
    lambda: Array(Array(Array(INT, (2**60, 2**60)), (2**60, 2**60)), (2**60, 2**60)),
    lambda: Struct("struct", None, 4, (Member("x", INT, 2**100_000, 2**100_000),)),
    lambda: Array(CHAR, (2**60,)),
    lambda: Array(Struct("struct", None, 0), (2**60,)),
    lambda: Array(INT, (2**31, 2**31, 2**31)),
    lambda: Array(INT, (1,) * 100_000),
    lambda: Array(Array(INT, (2,), strides_bits=(3,)), (2**50,), strides_bits=(5,)),
    lambda: Array(INT, (-5,)),
    lambda: Array(INT, (None, 3)),
    lambda: nested(10_000),
    lambda: chain(900),
    lambda: ITSELF,
    lambda: NODE,
    lambda: Base(BaseType("wide", "signed", 2**60)),
    lambda: Base(BaseType("wide", "signed", 2**100_000)),
    lambda: Base(BaseType("wide", "signed", 2**100_000, vector_size=3)),
    lambda: Base(BaseType("wide", "unsigned", 2**60, vector_size=2**59)),
    lambda: Base(BaseType("none", "unsigned", 0)),
    lambda: Struct("struct", None, 4, (Member("x", INT, -64), Member("y", INT, 2**70))),
    lambda: Struct("struct", None, 4, (Member("x", INT, 0, 2**60), Member("y", INT, 0, 0))),
    lambda: Struct("struct", None, 4, tuple(Member(f"m{n}", INT, 0) for n in range(20_000))),
    lambda: Enum(None, 4, tuple((f"e{n}", n) for n in range(20_000))),
    lambda: Pointer(lambda: Array(lambda: LOOP, (2,))),
    lambda: Pointer(Function(None, tuple(lambda: NODE for _ in range(100_000)))),
)


@cache
def hostile_type(number: int) -> Type:
    return HOSTILE[number]()


@pytest.mark.parametrize("number", range(len(HOSTILE)))
@pytest.mark.parametrize("letter", [None, "x", "c", "f"])
def test_hostile_types_are_bounded(number: int, letter: str | None) -> None:
    kind = hostile_type(number)
    bits = Bits(0x0123456789ABCDEF, 64, undefined=1 << 63)
    with at_most(40_000_000):
        for pretty in (False, True):
            text = format_value(bits, kind, FormatOptions(letter, pretty=pretty, max_depth=10_000))
            assert len(text) <= 100_003
        assert len(type_name(kind)) < 100_000


def test_large_objects_of_equal_elements_take_linear_work() -> None:
    bits = Bits(1, 8 << 24)
    with at_most(40_000_000):
        text = format_value(bits, Array(INT, (1 << 22,)))
    assert text == f"{{1, 0 <repeats {(1 << 22) - 1} times>}}"


def test_members_without_names_are_bounded() -> None:
    """They are no levels, and are shorter than what it takes to show them; a piece of the text
    does not go through all the structures around it."""
    kind: Type = INT
    for _ in range(60):
        kind = Struct("struct", None, 4, (Member(None, kind, 0), Member(None, kind, 0)))
    with at_most(3_000_000):
        text = format_value(Bits(0, 32), kind)
    assert text.startswith("{" * 60 + "0, 0}, {0, 0}}, {{")
    assert len(text) < 60_000
    assert text.endswith("...")


def test_members_with_names_are_not_bounded_beside_their_text() -> None:
    count = 10_000
    union = Struct("union", None, 4, (Member("a", INT, 0),))
    element = Struct("struct", "s", 4, (Member(None, union, 0),))
    value = Bits(sum(1 << 32 * index for index in range(0, count, 2)), 32 * count)
    whole = FormatOptions(elements=count, characters=200_000)
    text = format_value(value, Array(element, (count,)), whole)
    assert text == "{" + ", ".join(["{{a = 1}}", "{{a = 0}}"] * (count // 2)) + "}"


def test_a_cycle_of_typedefs_is_ill_formed() -> None:
    with pytest.raises(IllFormed):
        strip(LOOP)
    kind = Struct("struct", None, 8, (Member("x", LOOP, 0), Member("y", INT, 32)))
    text = format_value(Bits(5 << 32, 64), kind)
    assert text.startswith("{x = <error: ") and text.endswith(">, y = 5}")


def test_an_unknown_letter_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        FormatOptions(letter="q")


@pytest.mark.parametrize(
    ("kind", "c", "cplusplus"),
    [
        (Pointer(PAIR), "struct pair *", "pair *"),
        (Array(INT, (3, 4)), "int [3][4]", "int [3][4]"),
        (Array(INT, (None,)), "int []", "int []"),
        (Pointer(Array(CHAR, (4,))), "char (*)[4]", "char (*)[4]"),
        (Array(Pointer(CHAR), (4,)), "char *[4]", "char *[4]"),
        (Pointer(Function(None, (INT,))), "void (*)(int)", "void (*)(int)"),
        (Pointer(Function(is_prototyped=False)), "void (*)()", "void (*)(void)"),
        (Pointer(Qualified("const", CHAR)), "const char *", "const char *"),
        (Qualified("const", Pointer(CHAR)), "char * const", "char * const"),
        (
            Pointer(Qualified("const", Pointer(Qualified("const", CHAR)))),
            "const char * const *",
            "const char * const *",
        ),
        (
            Qualified("volatile", Qualified("const", INT)),
            "const volatile int",
            "const volatile int",
        ),
        (Qualified("restrict", Pointer(INT)), "int * restrict", "int * __restrict__"),
        (Qualified("const", Array(CHAR, (2,))), "const char [2]", "const char [2]"),
        (
            Pointer(Function(Pointer(Array(INT, (3,))), (INT,))),
            "int (*(*)(int))[3]",
            "int (*(*)(int))[3]",
        ),
        (
            Pointer(Function(INT, (Pointer(CHAR),), is_variadic=True)),
            "int (*)(char *, ...)",
            "int (*)(char *, ...)",
        ),
        (Pointer(INT, kind="rvalue_reference"), "int &&", "int &&"),
        (MemberPointer(INT, PAIR), "int pair::*", "int pair::*"),
        (Struct("struct", None, 0), "struct {...}", "struct {...}"),
        (Enum(None, 4), "enum {...}", "enum {...}"),
        (Typedef("loop", LOOP), "loop", "loop"),
        (None, "void", "void"),
        (Pointer(None), "void *", "void *"),
    ],
)
def test_type_name(kind: Type | None, c: str, cplusplus: str) -> None:
    assert (type_name(kind), type_name(kind, cplusplus=True)) == (c, cplusplus)


def test_a_function_has_its_type_and_not_the_name_of_a_typedef() -> None:
    numbers = Typedef("on_numbers", Function(Typedef("number", INT), (INT,)))
    assert format_value(Bits(0, 0), numbers) == "{number (int)}"


@pytest.mark.parametrize(
    ("bits", "endian", "digits"),
    [
        (Bits(0x1234, 16), "little", "3412"),
        (Bits(0x1234, 16), "big", "1234"),
        (Bits(0x1234, 16, undefined=0xFF), "little", "??12"),
        (Bits(0x1234, 16, undefined=0x80), "little", "?412"),
        (Bits(0x1234, 16, unavailable=0x01), "little", "3?12"),
        (Bits(0x1234, 16, undefined=0xFF), "big", "12??"),
        (Bits(0x5, 4), "big", "50"),  # the last byte is padded with zero bits
        (Bits(0x5, 4, undefined=0xF), "little", "??"),
        (Bits(0, 0), "little", ""),
    ],
)
def test_bits_hex(bits: Bits, endian: Endian, digits: str) -> None:
    assert bits.hex(endian) == digits


def test_bits_slices_and_joins() -> None:
    bits = Bits(0x1234, 16, undefined=0x00F0, unavailable=0x0F00, reasons=("why",))
    for endian in ("little", "big"):
        pieces = [bits.slice(first, 5, endian) for first in (0, 5, 10)]
        assert concatenate([*pieces, bits.slice(15, 1, endian)], endian) == bits
    assert bits.slice(12, 4, "little") == Bits(1, 4)
    assert bits.slice(12, 8, "little") == Bits(1, 8, undefined=0xF0, reasons=("why",))
    assert bits.undefined_ranges("little") == [(4, 4)]
    assert bits.undefined_ranges("big") == [(8, 4)]
    assert bits.unavailable_ranges("big") == [(4, 4)]


def test_bits_that_are_not_known_have_no_bytes() -> None:
    with pytest.raises(UndefinedBits, match="bits 4 to 7 of 16 are undefined: why"):
        Bits(0, 16, undefined=0xF0, reasons=("why",)).to_bytes("little")
    with pytest.raises(Unavailable, match="bits 0 to 0 of 16 are unavailable"):
        Bits(0, 16, undefined=0xF0, unavailable=1).to_bytes("little")
    assert evolve(Bits(0x1234, 16)).to_bytes("big") == b"\x12\x34"


def test_a_structure_in_itself_is_an_error_that_names_it() -> None:
    """Malformed DWARF: it was shown a hundred levels deep."""
    bits = Bits(0, 64)
    error = "<error: struct itself contains itself>"
    assert format_value(bits, ITSELF) == f"{{i = {error}, j = {error}}}"
    twice = Struct("struct", "twice", 16, (Member("a", PAIR, 0), Member("b", PAIR, 64)))
    assert "error" not in format_value(Bits(0, 128), twice)


COMPLEX = base("complex float", "complex_float", 64)
UNKNOWN_ENCODING = base("complex int", "encoding 0x80", 64)
METHOD = MemberPointer(Function(INT, ()), size_bytes=16)


@pytest.mark.parametrize(
    ("value", "kind", "letter", "text"),
    [
        (3, UNKNOWN_ENCODING, "f", "0x0000000000000003 <encoding 0x80 is not decoded>"),
        (3, UNKNOWN_ENCODING, "x", "0x3"),
        (2**64 - 1, MemberPointer(INT), "c", "-1 '\\377'"),
        (12, MemberPointer(INT), "a", "0xc"),
    ],
)
def test_letters_of_numbers_in_several_parts(
    value: int, kind: Type, letter: str, text: str
) -> None:
    bits = Bits(value, 8 * (size_bytes(kind) or 8))
    assert format_value(bits, kind, FormatOptions(letter), architecture=ARCH) == text


DECIMAL64 = base("_Decimal64", "decimal_float", 64)


def test_members_of_function_types_are_at_their_own_addresses() -> None:
    """Go has them; each was shown at the address of its structure."""
    members = Member("f", Function(None, ()), 0), Member("g", Function(None, ()), 64)
    memory = Location((SingleLocation(Memory(AddressSpace(0, "default", 64)), 8 * 0x1000),))
    text = format_value(Bits(0, 128), Struct("struct", "s", 16, members), location=memory)
    assert text == "{f = {void (void)} 0x1000, g = {void (void)} 0x1008}"


def test_a_reference_to_an_object_that_is_known_in_part() -> None:
    """A kernel never writes the padding of its structures."""
    pair = Struct("struct", "pair", 8, (Member("a", CHAR, 0), Member("b", INT, 32)))
    unwritten = {0x11, 0x12, 0x13}

    def read(address: int, _space: int, size_bytes: int) -> bytes:
        if unwritten & set(range(address, address + size_bytes)):
            raise Unavailable("nothing wrote it")
        return bytes(n - 0x10 & 0xFF for n in range(address, address + size_bytes))

    def text(kind: Type, machine: str = "gfx942") -> str:
        reference = Pointer(kind, kind="reference")
        architecture = architecture_of_name(machine)
        return format_value(Bits(0x10, 64), reference, read_memory=read, architecture=architecture)

    assert text(pair) == "(struct pair &) @0x10: {a = 0 '\\000', b = 117835012}"
    whole = Struct("struct", "whole", 8, (Member("a", INT, 0), Member("b", INT, 32)))
    assert text(whole) == "(struct whole &) @0x10: {a = <unavailable>, b = 117835012}"
    error = "<error reading variable: Cannot access memory at address 0x10>"
    assert text(pair, "x86_64") == f"(struct pair &) {error}"  # as in GDB
    large = Struct("struct", "large", 4096, (Member("a", CHAR, 0), Member("z", CHAR, 8 * 4095)))
    assert text(large) == "(struct large &) @0x10: {a = 0 '\\000', z = -1 '\\377'}"
    unwritten.update(range(0x10, 0x18))
    assert text(pair) == f"(struct pair &) {error}"


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("nothing has written it", ": nothing has written it"),
        ("not in the state", ""),
        ("nothing is mapped there", ""),
    ],
)
def test_an_address_at_which_nothing_is_written_yet_is_not_wrong(reason: str, shown: str) -> None:
    """GDB's words are those for an address that is wrong."""

    def read(address: int, _space: int, _size_bytes: int) -> bytes:
        raise Unavailable(f"cannot access memory at address local#{address & 0xFFFF:#x}: {reason}")

    def text(kind: Type) -> str:
        architecture = architecture_of_name("gfx942")
        return format_value(Bits(0x10, 64), kind, read_memory=read, architecture=architecture)

    why = f"Cannot access memory at address 0x10{shown}"
    assert text(Pointer(INT, kind="reference")) == f"(int &) <error reading variable: {why}>"
    assert text(Pointer(CHAR)) == f"0x10 <error: {why}>"


@pytest.mark.parametrize(
    ("value", "bit_size", "text"),
    [
        (0x3200000F, 32, "1.5"),
        (0xB2800000, 32, "-0"),
        (0x3700000F, 32, "1.5E+10"),
        (0x2D8003E8, 32, "1.000E-7"),
        (0x77F8967F, 32, "9.999999E+96"),  # two bits of the coefficient are implied
        (0x6CF89680, 32, "0E+2"),  # 10000000 has more than seven digits
        (0xF8000000, 32, "-Infinity"),
        (0xFC000005, 32, "-NaN5"),
        (0x7E000000, 32, "sNaN"),
        (0x7C0FFFFF, 32, "NaN"),  # 1048575 has more than six digits
        (0x316000000001E23A, 64, "123.450"),
        (0x6C7386F26FC0FFFF, 64, "9999999999999999"),
        (0x2FFE3CDE6FFF9732DE825CD07E96AFF2, 128, "1.234567890123456789012345678901234"),
        (0x1, 128, "1E-6176"),
    ],
)
def test_decimal_numbers_of_x86(value: int, bit_size: int, text: str) -> None:
    """They are in the binary encoding of IEEE 754-2019 section 3.5.2."""
    kind = base("_Decimal", "decimal_float", bit_size)
    architecture = architecture_of_name("x86_64")
    assert format_value(Bits(value, bit_size), kind, architecture=architecture) == text


def test_a_scale_of_zero() -> None:
    """Each number is 0; it was shown without its scale."""
    kind = Base(BaseType("fixed", "signed_fixed", 32, scale=Fraction(0)))
    assert format_value(Bits(5, 32), kind, architecture=ARCH) == "0"


def test_decimal_numbers_as_integers() -> None:
    options = FormatOptions("a")
    architecture = architecture_of_name("x86_64")
    for value, text in ((0x31E0000000000001, "0xa"), (0xB1A00000000003ED, "0xffffffffffffff9c")):
        assert format_value(Bits(value, 64), DECIMAL64, options, architecture=architecture) == text


def test_decimal_numbers_of_other_machines() -> None:
    """Nothing says which of the two encodings they have."""
    text = format_value(Bits(0x316000000001E23A, 64), DECIMAL64, architecture=ARCH)
    assert text == "0x316000000001e23a <decimal_float is not decoded>"


@pytest.mark.parametrize("letter", ["a", "c"])
@pytest.mark.parametrize("kind", [COMPLEX, UNKNOWN_ENCODING, METHOD])
def test_numbers_in_several_parts_are_no_integer(kind: Type, letter: str) -> None:
    error = "Value can't be converted to integer."
    bits = Bits(3, 8 * (size_bytes(kind) or 8))
    with pytest.raises(UsageError, match=error):
        format_value(bits, kind, FormatOptions(letter), architecture=ARCH)


def test_an_integer_of_16_bytes_is_no_character() -> None:
    kind = base("__int128", "signed", 128)
    with pytest.raises(UsageError, match="not available on integers of more than 8 bytes"):
        format_value(Bits(65, 128), kind, FormatOptions("c"), architecture=ARCH)
    wide = base("long long", "signed", 64)
    assert format_value(Bits(65, 64), wide, FormatOptions("c"), architecture=ARCH) == "65 'A'"


def test_integers_of_16_bytes_amid_characters() -> None:
    """As in GDB, the error is in the place of the part, and the next parts are shown."""
    kind = base("__int128", "signed", 128)
    reason = "That operation is not available on integers of more than 8 bytes."
    why = f"<error reading variable: {reason}>"
    options = FormatOptions("c")
    bits = Bits(65 << 128, 256)
    assert format_value(bits, Array(kind, (2,)), options, architecture=ARCH) == f"{{{why}, {why}}}"
    pair = Struct("struct", "s", 20, (Member("q", kind, 0), Member("k", INT, 128)))
    text = format_value(Bits(65 << 128, 160), pair, options, architecture=ARCH)
    assert text == f"{{q = {why}, k = 65 'A'}}"


@pytest.mark.parametrize("dimensions", [(None,), (None, 3), (3, None)])
@pytest.mark.parametrize("style", ["fortran", "ada"])
def test_an_unknown_count_is_not_zero(dimensions: tuple[int | None, ...], style: Style) -> None:
    options = FormatOptions(style=style)
    text = format_value(Bits(0, 0), Array(INT, dimensions), options, architecture=ARCH)
    assert text == "<error reading variable: failed to get range bounds>"
    assert format_value(Bits(0, 0), Array(INT, (0,)), options, architecture=ARCH) == "()"
    empty = format_value(Bits(0, 0), Array(CHAR, (0,)), options, architecture=ARCH)
    assert empty == ("''" if style == "fortran" else '""')  # as GDB shows them


@pytest.mark.parametrize(
    ("dimensions", "text"), [((0,), '0x10 "az"'), ((0, 3), "0x10"), ((2, 0), "0x10")]
)
def test_rows_of_an_empty_array_are_no_characters(dimensions: tuple[int, ...], text: str) -> None:
    """As in GDB 13: C treats an array without elements as a pointer to the first of them."""

    def read(address: int, space: int, size_bytes: int) -> bytes:
        return b"az".ljust(64, b"\0")[address - 16 :][:size_bytes]

    reference = Pointer(Array(CHAR, dimensions), kind="reference")
    shown = format_value(Bits(16, 64), reference, read_memory=read, architecture=ARCH)
    assert shown.partition(": ")[2] == text


def test_an_array_that_is_known_to_be_empty() -> None:
    """As in GDB 13: in Pascal, Rust and Ada it is no pointer, whatever is at its address."""

    def shown(type_: Type, options: FormatOptions | None = None) -> str:
        reference = Pointer(type_, kind="reference")
        text = format_value(
            Bits(16, 64), reference, options or FormatOptions(), architecture=ARCH,
            read_memory=lambda address, space, size_bytes: b"a" * size_bytes,
        )  # fmt: skip
        return text.rpartition(": ")[2].removeprefix("(int (&)[0]) ")

    def value(element: Type, *dimensions: int) -> Array:
        return Array(element, dimensions, is_value=True)

    assert [shown(value(INT, 0)), shown(value(CHAR, 0))] == ["{}", '""']
    assert [shown(value(INT, 2, 0)), shown(value(CHAR, 12, 0))] == [
        "{{}, {}}", '{"" <repeats 12 times>}'
    ]  # fmt: skip
    nested = value(value(value(CHAR, 0), 2), 2)
    assert [shown(nested), shown(value(INT, 0, 2))] == ['{{"", ""}, {"", ""}}', "{}"]
    hexadecimal, flat = FormatOptions("x"), FormatOptions(max_depth=0)
    assert [shown(value(CHAR, 0), hexadecimal), shown(value(INT, 0), flat)] == ["{}", "{...}"]
    ada = FormatOptions(style="ada")
    rows = [Array(INT, (count, 0), lower_bounds=(1, 1)) for count in (2, 12)]
    assert [shown(Array(INT, (0,)), ada), *(shown(array, ada) for array in rows)] == [
        "()", "((), ())", "(() <repeats 12 times>)"
    ]  # fmt: skip


def test_an_array_without_elements_is_a_level() -> None:
    """As in GDB 13 with `set print max-depth 1`; whichever dimension is empty."""
    members = (Member("n", INT, 0), Member("tail", Array(INT, (None,)), 32))
    flexible = Struct("struct", "flexible", 4, members)
    assert format_value(Bits(1, 32), flexible) == "{n = 1, tail = {}}"
    one_level = FormatOptions(max_depth=1)
    assert format_value(Bits(1, 32), flexible, one_level) == "{n = 1, tail = {...}}"
    assert format_value(Bits(0, 0), Array(INT, (2, 0))) == "{}"
    assert format_value(Bits(0, 0), Array(INT, (2, 0)), FormatOptions(max_depth=0)) == "{...}"


@pytest.mark.parametrize(
    ("value", "number", "expected"),
    [(267, 11, "11"), (-129, 127, "127"), (255, 255, "A"), (-128, 128, "A"), (-1, 255, "A")],
)
def test_an_enumerator_that_the_type_cannot_have_names_no_value(
    value: int, number: int, expected: str
) -> None:
    """Its value is not reduced to the bits of the type."""
    assert (
        enum_text(Enum("e", 1, (("A", value), ("B", 3)), is_signed=value < 0), number) == expected
    )
