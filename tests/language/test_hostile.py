"""Whatever is written, only a `DwarfGpuError` comes out, soon."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwarfgpu import language
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Member,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    Typedef,
    Unspecified,
)
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.compound_literals import literal
from dwarfgpu.language.name_resolution import Names, Typed
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory
from tests.language.sessions import demo, stopped, text
from tests.work import calls_of

SPELLED = """global_struct numbers pi access main twice message GREEN factorial:: nosuch p
'demo.c':: . -> [ ] ( ) { } @ # * & - + ! ~ ++ -- / % << >> < > <= >= == != && || | ^ ? : , = +=
-= *= <<= sizeof int char unsigned long struct outer union word enum color (char *) (int) (struct
outer *) (outer_t) (float) (void) 0 1 2 7 300 0x10 4294967296 0xffffffffffffffff 1.5 1e300 2.5f
'a' "abc" L'a' u"x" .a .in .name .next .fn .b2 .un .mat [1] [0] $rip $pc $v0 $exec $_lane $ $1
local# generic# private_lane# void const @local t wide local_frame pointer_generic
pointer_implicit undefined half_undefined local_vector .at .low .x two_places by_reference
vector_whole $s8 bit_pieces true
"""
WORDS = SPELLED.split()
EXPRESSIONS = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


@given(EXPRESSIONS)
@settings(max_examples=400)
def test_words_of_c(expression: str) -> None:
    assert isinstance(text(demo(), expression), str)


@given(EXPRESSIONS)
@settings(max_examples=200)
def test_words_in_a_lane(expression: str) -> None:
    assert isinstance(text(SESSION, expression), str)


@given(st.text(max_size=40))
@settings(max_examples=200)
def test_any_text(expression: str) -> None:
    assert isinstance(text(demo(), expression), str)


@pytest.mark.parametrize(
    "expression",
    [
        "numbers[0]@0x7fffffff",
        "numbers[0]@0x7fffffffffffffff",
        "(char[281474976710655])numbers",
        "*(char (*)[281474976710655])numbers",
        "sizeof(char[281474976710655][281474976710655])",
        "1e300 * 1e300",
        "(int)1e300",
        "(int)(0.0/0)",
        "1 << 0xffffffffffffffff",
        "9" * 40,
        "0." + "1" * 900,
        "(long double)1e4900",
        "&numbers[0x7fffffffffffffff]",
        '"' + "a" * 9000 + '"',
        "-" * 98 + "1",
        "(" * 98 + "1" + ")" * 98,
        "1" + "+1" * 98,
        "(int " + "*" * 98 + ")numbers",
        "*" * 90 + "(long " + "*" * 90 + ")&numbers",
    ],
)
def test_large(expression: str) -> None:
    assert len(text(demo(), expression)) < 200_000


@pytest.mark.parametrize(
    "expression",
    [
        "(char[2000000000]){1}",
        "(char[1048577]){1} == 0",
        "{$x, $x}",
        "{{$x}, {$x}}",
    ],
)
def test_an_object_without_a_place_is_as_large_as_one_that_is_read(expression: str) -> None:
    options = Options({"x": language.evaluate("(char[1048576]){1}", demo())}.get)
    with pytest.raises(LimitExceeded, match="--max-bytes"):
        language.evaluate(expression, demo(), options)
    if "==" not in expression:
        size = language.evaluate(f"sizeof({expression})", demo(), options)
        assert size.bits is not None
        assert size.bits.value > 1 << 20


def test_sizeof_of_a_part_of_a_large_literal_makes_no_object() -> None:
    assert text(demo(), "sizeof(((char[2000000000]){1})[5])") == "1"


_TOO_MANY = "an expression takes more than 96 elements and components one by one"


@pytest.mark.parametrize(
    ("expression", "most"),
    [
        ("$x + 1", 48),
        ("2 * $x", 48),
        ("-$x", 96),
        ("$x << $x", 48),
        ("$x + $x + $x", 24),
        ("-$x, ~$x, +$x", 32),
        ("{-$x, ~$x}", 47),  # and the two of the array
    ],
)
@pytest.mark.parametrize("is_array", [True, False])
def test_operators_on_a_vector_of_many_elements(
    expression: str, most: int, is_array: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All operators of an expression share the limit, and another expression has its own."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 96)
    for length in (most, most, most + 1):
        base = BaseType("v", "signed", 8 * length, vector_size=length)
        byte = Base(BaseType("i", "signed", 8))
        kind = Array(byte, (length,), is_vector=True) if is_array else Base(base)
        value = TypedValue(kind, bits=Bits(1, 8 * length))
        options = Options({"x": value}.get)
        if length == most:
            size_bits = language.evaluate(expression, SESSION, options).size_bits
            assert size_bits is not None and size_bits % (8 * most) == 0
            continue
        with pytest.raises(LimitExceeded, match=_TOO_MANY):
            language.evaluate(expression, SESSION, options)


def test_a_vector_of_too_many_elements_has_no_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them is taken."""

    def work(count: int) -> int:
        kind = Array(Base(BaseType("i", "signed", 8)), (count,), is_vector=True)
        options = Options({"x": TypedValue(kind, bits=Bits(1, 8 * count))}.get)

        def refused() -> None:
            with pytest.raises(LimitExceeded, match=_TOO_MANY):
                language.evaluate("-$x", SESSION, options)

        return calls_of(refused)

    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 96)
    work(97)
    assert work(50_000) < work(97) + 20


def test_members_without_size_that_a_list_leaves_out_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A structure of two that have no size themselves has 2 ** 20 in 20 steps."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 96)
    struct_type = Struct("struct", "s", 0)
    for _ in range(20):
        struct_type = Struct("struct", "s", 0, (_member(struct_type), _member(struct_type)))
    objects = ObjectAccess(SESSION)
    arithmetic = Arithmetic(objects, Numbers(Names(SESSION).builtins))
    with pytest.raises(LimitExceeded, match=_TOO_MANY):
        literal(arithmetic, _not_evaluated, ast.Elements(()), Typed(struct_type, None))


def _member(type_: Type) -> Member:
    return Member("m", type_, bit_offset=0)


def _not_evaluated(node: ast.Node, type_: Type | None) -> TypedValue:
    raise AssertionError(node)


CYCLE = Typedef("cycle", lambda: CYCLE)
HUGE = 1 << 60
TYPES: list[Type] = [
    Enum("e", HUGE),
    Enum("none", 0),
    Pointer(None, size_bytes=HUGE),
    Pointer(lambda: CYCLE),
    Pointer(None, address_space=77),
    Base(BaseType("b", "signed", HUGE)),
    Base(BaseType("v", "signed", 96, vector_size=5)),
    Base(BaseType("z", "complex_float", 64)),
    Base(BaseType("odd", "float", 24)),
    Base(BaseType("text", "UTF", 8)),
    Base(BaseType("?", "encoding 0x99", 7)),
    Array(Base(BaseType("i", "signed", 32)), (HUGE, HUGE, None)),
    Array(None, (3,)),
    Array(lambda: CYCLE, (3,)),
    Struct("struct", "s", HUGE, (Member("m", lambda: CYCLE, -5), Member("n", None, HUGE))),
    Struct("struct", "s", None, (Member("x", Enum("e", 4), 1 << 80, HUGE),)),
    Unspecified("u"),
    MemberPointer(None, None, HUGE),
    CYCLE,
]
USES = """$x|$x+1|-$x|*$x|&$x|$x[0]|$x[-1]|$x.m|$x.n|$x.x|sizeof $x|$x=1|$x=$x|$x@3|!$x|(char)$x
$x==$x|(int*)$x|$x-$x|$x->m|$x++|{char}$x|$x?1:2|$x<<1|$x*1.5|1[$x]|sizeof($x[0])
&$x[1]|($x)|$x && $x|*&$x|(enum color)$x|$x@0x7fffffffff|$x.s1""".replace("\n", "|").split("|")


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("has_place", [True, False])
def test_types_that_make_no_sense(kind: Type, has_place: bool) -> None:
    memory = SESSION.architecture.address_space_named("private_lane")
    assert memory is not None
    place = Location((SingleLocation(Memory(memory, SESSION.wave, 3), 8 * 0x20),))
    for expression in USES:
        value = TypedValue(kind, place) if has_place else TypedValue(kind, bits=Bits(5, 64))
        options = Options({"x": value}.get)
        try:
            language.format(language.evaluate(expression, SESSION, options), SESSION)
        except DwarfGpuError:
            continue


SESSION = stopped("locations.gfx942", 3)


NESTED = [
    ("sizeof(*(char*)", ")"), ("&*(int*)", ""), ("typeof(", ") 1"), ("1?(", "):2"), ("f(", ")"),
    ("twice(", ")"), ("a::f(", ")"), ("int(", ")"), ("(int)(", ")"), ("sizeof(typeof(", "))"),
    ("alignof(typeof(", "))"), ("$_isvoid(", ")"), ("{", ", 2}"), ("*(int*)(", ")"), ("-(", ")"),
]  # fmt: skip
NESTED_OF_ADA = [
    ("integer(", ")"), ("integer'(", ")"), ("float(", ")"), ("boolean'pos(boolean'val(", "))"),
    ("integer'max(1, ", ")"), ("not (", ")"), ("sizeof(integer(", "))"), ("f(", ")"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("is_ada", "before", "after"),
    [(False, *pair) for pair in NESTED] + [(True, *pair) for pair in NESTED_OF_ADA],
)
def test_operands_in_one_another_are_evaluated_once(is_ada: bool, before: str, after: str) -> None:
    """Twice as many take at most about twice the work."""
    work = []
    for depth in (2, 5, 10):  # the first reads the program
        session = stopped("ada.gcc.O0") if is_ada else demo()
        expression = before * depth + "1" + after * depth
        work.append(calls_of(partial(text, session, expression)))
    assert work[2] < 3 * work[1] + 1_000, work
