"""Types and values of Fortran, Ada and Rust: as compilers describe them, as GDB shows them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import ada_enumerator, ada_name
from dwarfgpu.dwarf.types.class_parts import Declarations, Variant, VariantPart
from dwarfgpu.dwarf.types.types import Array, Base, Member, Pointer, Struct
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language import addresses
from dwarfgpu.language.addresses import address_of
from dwarfgpu.language.evaluation_options import DEFAULT
from dwarfgpu.language.evaluator import evaluate, type_of
from dwarfgpu.language.member_lookup import path_to
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.service.frame.focus import contents
from dwarfgpu.service.symbol.type_definition import name_of_type
from dwarfgpu.session.session import Session
from dwarfgpu.view.type_text import type_text
from dwarfgpu.view.values import FormatOptions, format_value
from tests.language.sessions import FIXTURES, program, stopped, text
from tests.repl.side_by_side import answers, build
from tests.work import at_most

VALUES = {
    "fortran.1": """explicit = (1, 2, 3, 4)
        assumed = ((1, 2) (3, 4) (5, 6))
        any_length = 'hello it\\'s '
        vector = (0.5, 1.5, 2.5)
        place = ( x = 1, y = 2.5 )
        strided = (1, 3)
        automatic = (2, 4, 6, 8)
        store::counter = 7
        store::table = (1, 2, 3)
        store::limit = 2.5""",
    "fortran.2": """total = 42
        tiny = -3
        large = 1234567890123
        half = 0.5
        third = 0.33333333333333331
        z = (1,-2)
        zz = (0.5,3)
        yes = .TRUE.
        no = .FALSE.
        flag1 = .TRUE.
        flag8 = .FALSE.
        text = 'hello it\\'s '
        letter = 'x'
        *grown = 'deferred'
        row = (1, 2, 3, 4)
        grid = ((1, 2) (3, 4) (5, 6))
        grid[3][2] = 6
        grid(2,3) = 6
        grid(1,3) = 5
        labelled%point%x = 3
        held%items(2) = 9
        held%corner(1)%x + 1 = 2
        total /= 42 = .FALSE.
        total/=41 = .TRUE.
        total .eq. 42 = .TRUE.
        total == 41 .or. yes .and. .not. no = .TRUE.
        .not. total .eq. 42 = .FALSE.
        yes .AND. no .eqv. .false. = .TRUE.
        yes .xor. yes .neqv. yes = .TRUE.
        42.eq.total = .TRUE.
        1.5d1 + total = 57
        z + (1.0, 2) = (2,0)
        ((0,1)) * (0,1) = (-1,0)
        (total, 2) == (42,2.0) = .TRUE.
        (1,2) = (1,2)
        'it''s' = 'it\\'s'
        text == 'hello it''s' = .TRUE.
        text .lt. 'help' = .TRUE.
        letter /= 'x' = .FALSE.
        total = 42
        words(2) = 'two'
        row(2:3) = (2, 3)
        row(:) = (1, 2, 3, 4)
        row(1:4:3) = (1, 4)
        row(4:1:-1) = (4, 3, 2, 1)
        row(4:2:-2)(2) = 2
        grid(:,3) = (5, 6)
        grid(2,:) = (2, 4, 6)
        grid(1,1:3:2) = (1, 5)
        grid(:,2:3)(2,1) = 4
        shifted(-1:1:2,0) = (1, 3)
        shifted(0,:) = (2, 5)
        window(2:3) = (30, 50)
        window(3:1:-2) = (50, 10)
        words(2)(2:3) = 'wo'
        words(1:2) = ('one', 'two')
        text(7:11) = 'it\\'s '
        text(:5) = 'hello'
        grown(1:3) = 'def'
        held%items(1:2) = (8, 9)
        held%corner(2)%y = 2
        LABELLED%Point%X = 3
        GRID(2,3) = 6
        Total = 42
        labelled%name(1:2) = 'ab'
        flags(2:3) = (.FALSE., .TRUE.)
        dynamic(:2) = (0.5, 1.5)
        2**10 = 1024
        2**3**2 = 512
        2.0**(-1) = 0.5
        total**2 = 1764
        2*3**2 = 18
        half**2 = 0.25
        4**0.5 = 2
        abs(tiny) = 3
        abs(third) = 0.33333333333333331
        mod(total,5) = 2
        mod(tiny,2) = -1
        modulo(tiny,2) = 1
        modulo(-7.5d0,2.0d0) = 0.5
        floor(-0.5) = -1
        ceiling(half) = 1
        floor(2.5d0, 8) = 2
        cmplx(total) = (42,0)
        cmplx(1.5,half) = (1.5,0.5)
        kind(large) = 8
        kind(zz) = 8
        kind(flags) = 4
        size(grid) = 6
        size(grid,2) = 3
        shape(grid) = (2, 3)
        shape(window) = (3)
        shape(total) = ()
        lbound(shifted) = (-1, 0)
        ubound(shifted) = (1, 1)
        ubound(shifted,1) = 1
        lbound(shifted,2,8) = 0
        rank(grid) = 2
        rank(total) = 0
        allocated(dynamic) = .TRUE.
        allocated(row) = .TRUE.
        associated(window) = .TRUE.
        associated(nothing) = .FALSE.
        loc(row) == loc(row(1)) = .TRUE.
        sizeof(grid(:,1)) = 8
        sizeof(grid(1:1,1:3:2)) = 8
        sizeof(grid(2:1:-1,3:1:-2)) = 16
        sizeof(grid(2,:)) = 12
        sizeof(window) = 12
        (real*8) total = 42
        (integer(kind=8)) half = 0
        sizeof(double precision) = 8
        -total**2 = -1764
        shifted = ((1, 2, 3) (4, 5, 6))
        dynamic = (0.5, 1.5, 2.5)
        window = (10, 30, 50)
        nothing = (PTR TO -> ( integer(kind=4) )) 0x0
        spot = ( x = 1, y = 2.5 )
        labelled = ( point = ( x = 3, y = 4.5 ), name = 'abc  ', known = .TRUE. )
        held = ( items = (8, 9), spot = 0x0, corner = (( x = 1, y = 1 ), ( x = 2, y = 2 )) )
        words = ('one', 'two')
        flags = (.TRUE., .FALSE., .TRUE.)
        first = 11
        second = 1.25""",
    "fortran_rank.1": "any_rank = ((1, 2) (3, 4) (5, 6))",
    "ada.1": """run_time = (3 => 1.0, 2.0, 3.0)
        run_time(4) = 2.0
        run_time(4..5) = (4 => 2.0, 3.0)
        local = (1.0, 2.0, 3.0, 4.0)
        text = "abcd"
        size = 4""",
    "ada.2": """paint = green
        little = -3
        round = 200
        price = 12.34
        turn = -1.125
        line = (1, 2, 3, 4)
        line(2) = 2
        Line(4) = 4
        matrix(2,3) = 6
        little=-3 = true
        paint=GREEN = true
        Little = -3
        little /= -3 = false
        line(2..3) = (2 => 2, 3)
        name(1..3) = "hel"
        name="hello" = false
        where=NULL = false
        where.all = (x => 1, y => 2.5)
        where.All.x = 1
        not flag = false
        flag=True = true
        not TRUE = false
        False = false
        flag and then little=-3 = true
        false or else little/=-3 = false
        16#f_f# = 255
        1E2 mod 7 = 2
        16#1E#E1 + 2#1#E8 + 1_0e+1 = 836
        16#F.8# + 2#1.1#E3 + 1_0.5E+1 = 132.5
        10#1.5#e2 = 150.0
        1_000 + 2#101#  = 1005
        -7 rem 4 = -3
        2**3 = 8
        matrix = ((1, 2, 3), (4, 5, 6))
        tally = (7, 8, 9)
        mask = (true, false, true, false, false, false, false, false, false, false)
        packed = (1, 2, 3, 4, 5, 15)
        mask[3] = true
        mask[4] = false
        packed[2] = 2
        packed[6] = 15
        sizeof(mask) = 2
        name = "hello ""it\"""
        letter = 120 'x'
        flag = true
        spot = (x => 1, y => 2.5)
        circle = (kind => red, area => 1, radius => 2)
        box = (kind => green, area => 3, width => 4, height => 5)
        dot = (kind => blue, area => 6, center => (x => 7, y => 8.5))
        three = (length => 3, last => 9, items => (0.5, 1.5, 2.5))
        marked = (id => 4)
        nowhere = (access shapes.point) 0x0
        wide = 1099511627776
        real = 0.33333333333333331
        byte = 255
        floats = (3 => 1.0, 2.0, 3.0)""",
}
ROWS = [
    (place, *line.strip().split(" = ", 1)) for place in VALUES for line in VALUES[place].split("\n")
]
TYPES = {
    ("fortran.2", "shifted"): "integer(kind=4) (-1:1,0:1)",
    ("fortran.2", "dynamic"): "real(kind=4), allocatable (:)",
    ("fortran.2", "text"): "character*11",
    ("fortran.2", "words"): "character*3 (2)",
    ("fortran.2", "labelled"): "Type named",
    ("fortran.1", "any_length"): "character*(*)",
    ("fortran_rank.1", "any_rank"): "integer(kind=4) (..)",
    ("ada.2", "spot"): "shapes.point",
    ("ada.2", "where"): "shapes.point_access",
}


def frame_of(place: str) -> Session:
    state, level = place.split(".")
    return stopped(f"{state}.gcc.O0").at_level(int(level))


@pytest.mark.parametrize(("place", "name", "expected"), ROWS)
def test_values(place: str, name: str, expected: str) -> None:
    assert text(frame_of(place), name) == expected


FORTRAN_TYPES = {
    "row(2:3)": "integer(kind=4) (2)",
    "dynamic": "real(kind=4), allocatable (3)",
    "shape(grid)": "integer*4 (2)",
    "lbound(shifted,2,8)": "integer*8",
    "integer*8": "integer*8",
}
FORTRAN_ERRORS = {
    "associated(first)": "ASSOCIATED can only be applied to pointers",
    "row(0:2)": "array subscript out of bounds",
    "row(1:2:0)": "stride must not be 0",
    "grid(1:2)": "Wrong number of subscripts",
    "size(total)": "SIZE can only be applied to arrays",
    "size(grid,3)": "DIM argument to SIZE must be between 1 and 2",
    "lbound(shifted,3)": "LBOUND dimension must be from 1 to 2",
    "mod(1,0)": "calling MOD (N, 0) is undefined",
    "mod(1,1.5)": "non-matching types for parameters to MOD ()",
    "abs(row)": "ABS of type <unnamed type> not supported",
    "floor(2)": "argument to FLOOR must be of type float",
    "ceiling(2.5,3)": "unsupported kind 3 for type integer*4",
    "associated(row)": "ASSOCIATED can only be applied to pointers",
    "allocated(total)": "ALLOCATED can only be applied to arrays",
    "row + 1": "Argument to arithmetic operation not a number or boolean.",
    "*row": "Attempt to take contents of a non-pointer value.",
    "held%corner%x": "Attempt to extract a component of a value that is not a structure.",
    "0**(-1)": "Attempt to raise 0 to negative power.",
    "yes**2": "Invalid operation on booleans.",
}
"""As GDB has them."""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("total**2", "integer(kind=4)"),
        ("tiny**2", "integer*4"),
        ("half**2", "real(kind=4)"),
        ("half**2.0", "real(kind=4)"),
        ("-total", "integer(kind=4)"),
        ("-tiny", "integer(kind=1)"),
        ("total*2", "integer(kind=4)"),
        ("total*2_8", "integer*8"),
        ("half*total", "real(kind=4)"),
        ("half*third", "real(kind=8)"),
        ("1.5", "real*4"),
        ("1.5_8", "real*8"),
        ("1.5d0", "real*8"),
        ("2", "integer*4"),
        ("(1, 2.5)", "complex*4"),
        ("'abc'", "character*3"),
    ],
)
def test_types_of_results_in_fortran(expression: str, expected: str) -> None:
    """As in Fortran (2018 10.1.9.3): GDB 13 calculates in `long` and `double`, except powers."""
    found = type_of(expression, frame_of("fortran.2"))
    assert found.unit is not None
    assert type_text(found.type, style=found.unit.style) == expected


def test_products_of_fortran() -> None:
    session = frame_of("fortran.2")
    doubtful = evaluate("total*2000000000", session)
    assert doubtful.notes[-1] == (
        "the result overflows integer(kind=4), which Fortran does not define"
    )
    assert text(session, "total*2000000000") == "-1899345920"
    assert text(session, "total*2000000000_8") == "84000000000"
    assert text(session, "third*1.0 - third") == "0"


def test_what_fortran_refuses() -> None:
    session = frame_of("fortran.2")
    for expression, message in FORTRAN_ERRORS.items():
        with pytest.raises(DwarfGpuError) as raised:
            evaluate(expression, session)
        assert (expression, raised.value.message) == (expression, message)
    for expression, name in FORTRAN_TYPES.items():
        assert (expression, name_of_type(session, expression, DEFAULT)) == (expression, name)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(1.5,2)", "Value can't be converted to integer."),
        ("(__int128)5", "That operation is not available on integers of more than 8 bytes."),
    ],
)
def test_what_is_no_address(expression: str, message: str) -> None:
    """As GDB's `x`."""
    session = frame_of("fortran.2")
    with pytest.raises(DwarfGpuError) as raised:
        address_of(session, DEFAULT, ObjectAccess(session), expression)
    assert raised.value.message == message


def test_a_complex_integer_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of `_Complex int`, whose encoding in DWARF is GCC's own."""
    kind = Base(BaseType("complex int", "encoding 0x80", 64))
    value = TypedValue(kind, bits=Bits(3, 64))
    monkeypatch.setattr(addresses, "evaluate", lambda *_: value)
    session = frame_of("fortran.2")
    with pytest.raises(UsageError, match="Value can't be converted to integer"):
        address_of(session, DEFAULT, ObjectAccess(session), "ci")


ADA_ERRORS = {
    "line'image": "unrecognized attribute: `image'",
    "line'range": "'range is no value",
    "color'(1, 2)": "aggregates of Ada",
    "(1, 2)": "aggregates of Ada",
    "line(2..9)": "array subscript out of bounds",
    "17#1#": 'Invalid number "17#1#".',
}


def test_what_ada_refuses_by_its_name() -> None:
    session = frame_of("ada.2")
    for expression, message in ADA_ERRORS.items():
        with pytest.raises(DwarfGpuError) as raised:
            evaluate(expression, session)
        assert raised.value.message.startswith(message), expression


@pytest.mark.parametrize(("place", "name"), list(TYPES))
def test_types(place: str, name: str) -> None:
    assert frame_of(place).variable(name).type_text == TYPES[place, name]


DEFINITIONS = {
    ("fortran.2", "spot"): """Type point
    integer(kind=4) :: x
    real(kind=4) :: y
End Type point""",
    ("fortran.2", "held"): """Type holder
    integer(kind=4), allocatable :: items(:)
    PTR TO -> ( real(kind=4) :: spot )
    Type point :: corner(2)
End Type holder""",
    ("fortran.2", "labelled"): """Type named
    Type point :: point
    character*5 :: name
    logical(kind=4) :: known
End Type named""",
    ("fortran.2", "grid"): "integer(kind=4) (2,3)",
    ("fortran.2", "dynamic"): "real(kind=4), allocatable (:)",
    ("fortran.2", "nothing"): "PTR TO -> ( integer(kind=4) )",
    ("fortran.2", "corners"): """Type point
    integer(kind=4) :: x
    real(kind=4) :: y
End Type point (2)""",
    ("ada.2", "spot"): """record
    x: integer;
    y: float;
end record""",
    ("ada.2", "box"): """record
    kind: shapes.color;
    area: integer;
    case kind is
        when red =>
            radius: integer;
        when green =>
            width: integer;
            height: integer;
        when others =>
            center: shapes.point;
    end case;
end record""",
    ("ada.2", "paint"): "(red => 1, green => 5, blue)",
    ("ada.2", "line"): "array (1 .. 4) of integer",
    ("ada.2", "where"): """access record
    x: integer;
    y: float;
end record""",
    ("ada.2", "price"): "<4-byte fixed point (small = 1/100)>",
    ("ada.2", "mask"): "array (1 .. 10) of boolean <packed: 1-bit elements>",
}


@pytest.mark.parametrize(("place", "name"), list(DEFINITIONS))
def test_definitions(place: str, name: str) -> None:
    """As GDB's `ptype`, but for shapes that only the program determines, and the margin of
    strings."""
    variable = frame_of(place).variable(name)
    assert type_text(variable.type, style=variable.unit.style) == DEFINITIONS[place, name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NOTHING", "{Nothing = {<No data fields>}}"),
        ("NUMBER", "{Number = {__0 = -5}}"),
        ("PLACE", "{Place = {at = {x = 1, y = 2.5}, name = 110}}"),
        ("NONE", "{None = {<No data fields>}}"),  # the discriminant is the pointer itself
        ("SMALL", "{Some = {__0 = 9}}"),
        ("PLAIN", "shapes::Plain::Green"),
        ("PAIR", "{__0 = 3, __1 = true}"),
    ],
)
def test_rust(name: str, expected: str) -> None:
    assert text(program(FIXTURES / "rust/shapes.rustc.O0"), f"shapes::{name}") == expected


def test_types_of_rust_by_their_names() -> None:
    """They have no tags, as those of C have."""
    session = program(FIXTURES / "rust/shapes.rustc.O0")
    assert text(session, "sizeof(shapes::Point)") == "8"
    assert text(session, "sizeof(shapes::Choice)") == "12"
    assert text(session, "(shapes::Plain)1") == "shapes::Plain::Red"


UNSIGNED = Base(BaseType("u8", "unsigned", 8))
TAG = Member("tag", UNSIGNED, 0)


def test_a_local_access_value_of_ada_has_no_type_before_it() -> None:
    """As in GDB's `info locals`; `print` shows the type."""
    session = frame_of("ada.2")
    nowhere = session.variable("nowhere")
    assert text(session, "nowhere") == "(access shapes.point) 0x0"
    assert contents(session, session.read(nowhere)) == "0x0"


def test_types_that_gnat_has_made_up() -> None:
    """GDB shows what they are: their names in the file are not those of the source."""
    letter = Base(BaseType("character", "unsigned_char", 8))
    for own_name, expected in (
        ("s__r2__T8b", "array (1 .. 4) of character"),
        ("s__line", "s.line"),
        ("s__line___XP1", "s.line"),
    ):
        kind = Array(letter, (4,), lower_bounds=(1,), own_name=own_name)
        assert ada_name(kind) == expected
    assert ada_name(Array(letter, (None,), lower_bounds=(1,))) == "array (<>) of character"


def test_a_variant_without_components() -> None:
    """As GDB's `ptype`: on the line of its choice."""
    kind = varied(Variant(member("x"), ((1, 1),)), Variant((), ()))
    assert type_text(kind, style="ada").endswith(
        "        when 1 =>\n            x: u8;\n"
        "        when others => null;\n    end case;\nend record"
    )


def varied(*variants: Variant, discriminant: Member | None = TAG) -> Struct:
    part = VariantPart(discriminant, variants)
    return Struct("struct", "s", 2, (TAG,), declared=Declarations(variant_parts=(part,)))


def member(name: str) -> tuple[Member, ...]:
    return (Member(name, UNSIGNED, 8),)


RANGES = varied(
    Variant(member("low"), ((0, 9), (20, 20))),
    Variant(member("high"), ((-56, -1),)),  # 200 to 255, as a signed number
    Variant(member("other"), ()),
)
INNER = VariantPart(
    Member("second", UNSIGNED, 8), (Variant((), ((7, 7),)), Variant(member("x"), ()))
)


@pytest.mark.parametrize(
    ("kind", "tag", "expected"),
    [
        (RANGES, 0, "{tag = 0, low = 7}"),
        (RANGES, 9, "{tag = 9, low = 7}"),
        (RANGES, 20, "{tag = 20, low = 7}"),
        (RANGES, 10, "{tag = 10, other = 7}"),
        (RANGES, 200, "{tag = 200, high = 7}"),
        (RANGES, 255, "{tag = 255, high = 7}"),
        (varied(Variant(member("one"), ((1, 1),))), 2, "{tag = 2}"),
        (varied(Variant(member("a"), ((9, 5),)), Variant(member("b"), ())), 7, "{tag = 7, b = 7}"),
        (varied(Variant(member("only"), ()), discriminant=None), 5, "{tag = 5, only = 7}"),
        (varied(Variant((), ((1, 1),), (INNER,))), 1, "{tag = 1}"),
        (varied(Variant(member("a"), ()), Variant(member("b"), ()), discriminant=None), 5,
         "{tag = 5, <error: the variants have no discriminant>}"),
        (varied(Variant(member("a"), ((5, 5),)), discriminant=None), 5,
         "{tag = 5, <error: the variants have no discriminant>}"),
        (varied(Variant(member("a"), ((5, 5),)), Variant(member("b"), ((4, 6),))), 5,
         "{tag = 5, <error: 2 variants have the value 5 of the discriminant>}"),
        (varied(Variant(member("a"), ((5, 5),)), Variant(member("b"), ((6, 6),))), 6,
         "{tag = 6, b = 7}"),
        (varied(Variant(member("a"), ()), Variant(member("b"), ())), 5,
         "{tag = 5, <error: 2 variants have no value>}"),
        (varied(Variant(member("a"), ((5, 5),)), Variant((), ()), Variant((), ())), 5,
         "{tag = 5, a = 7}"),
        (varied(Variant(member("a"), ((5, 5),)), discriminant=evolve(TAG, is_artificial=True)), 6,
         "{tag = 6, <error: no variant has the value 6 of the discriminant>}"),
    ],
)  # fmt: skip
def test_variants(kind: Struct, tag: int, expected: str) -> None:
    """DWARF 5 5.7.10: the variant of the value, else the default one."""
    shown = format_value(Bits(0x700 | tag, 16), kind)
    assert shown.replace("7 '\\a'", "7").split(" '")[0] == expected or _plain(shown) == expected


def test_values_in_many_ranges() -> None:
    """As the ranges say one by one: they may overlap, be empty, and pass the largest number."""
    random = Random(1)
    for _ in range(20):
        ranges = [
            tuple(
                (low, low + random.randrange(-3, 20))
                for low in random.choices(range(-300, 300), k=3)
            )
            for _ in range(5)
        ]
        kind = varied(*(Variant(member(f"m{n}"), values) for n, values in enumerate(ranges)))
        for tag in range(256):
            having = [
                number
                for number, values in enumerate(ranges)
                if any(tag in (n % 256 for n in range(low, high + 1)) for low, high in values)
            ]
            shown = _plain(format_value(Bits(0x700 | tag, 16), kind)).removeprefix(f"{{tag = {tag}")
            if len(having) > 1:
                assert f"{len(having)} variants have the value {tag} of" in shown
            else:
                assert shown == (f", m{having[0]} = 7}}" if having else "}")


def _plain(shown: str) -> str:
    """Without what is beside numbers of one byte."""
    return re.sub(r" '(\\.\d*|.)'", "", shown)


def test_a_discriminant_that_is_not_known() -> None:
    shown = format_value(Bits(0x700, 16, undefined=0xFF), RANGES)
    assert "<error: the discriminant tag is unknown>" in shown
    unnamed = varied(Variant(member("a"), ((5, 5),)), discriminant=Member(None, UNSIGNED, 0))
    shown = format_value(Bits(0x700, 16, undefined=0xFF), unnamed)  # as Rust's
    assert "<error: the discriminant is unknown>" in shown


@pytest.mark.parametrize(
    ("language", "stop", "frames"),
    [("fortran", "stop_here", 2), ("fortran", "stop_rank", 1), ("ada", "shapes.stop", 2)],
)
def test_same_as_gdb(
    tool: Callable[[str], str], tmp_path: Path, language: str, stop: str, frames: int
) -> None:
    """Every variable of the frames, where GDB can run the program; addresses differ."""
    program = FIXTURES / language / "shapes.gcc.O0.v5"
    commands = ["set width 0", f"break {stop}", "run"]
    for _ in range(frames):
        commands += ["up", "echo @@\\n", "info args", "info locals", "echo @@\\n"]
    done = subprocess.run(
        [tool("gdb"), "-nx", "-q", "-batch", *(x for c in commands for x in ("-ex", c)), program],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    if "Breakpoint 1, " not in done.stdout:
        pytest.skip("GDB cannot run the program: it needs the libraries of its compiler")
    state = "fortran_rank" if stop == "stop_rank" else language
    compared = 0
    for level in range(1, frames + 1):
        session = frame_of(f"{state}.{level}")
        for line in done.stdout.split("@@\n")[2 * level - 1].splitlines():
            name, equals, theirs = line.partition(" = ")
            if not equals or "0x" in line or not name.isidentifier():
                continue
            try:
                ours = text(session, name)
            except DwarfGpuError:
                assert name in ("red", "green", "blue")  # enumerators, which GDB lists as locals
                continue
            assert (name, ours) == (name, theirs)
            compared += 1
    assert compared > 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("p__red", "red"),
        ("a__b__red", "red"),
        ("red", "red"),
        ("p__red__2", "red__2"),
        ("__", "__"),
    ],
)
def test_enumerators_of_ada(name: str, expected: str) -> None:
    assert ada_enumerator(name) == expected


def test_a_component_of_the_variant_that_an_object_has() -> None:
    """As GDB: a name that only other variants have is no component of the object."""
    session = frame_of("ada.2")
    box = text(session, "box")
    assert box == "(kind => green, area => 3, width => 4, height => 5)"
    assert text(session, "box.width") == "4"
    assert text(session, "BOX.Height + 1") == "6"
    assert type_of("box.width", session).type is not None
    with pytest.raises(UsageError, match=r"There is no member named radius\."):
        evaluate("box.radius", session)
    with pytest.raises(UsageError, match=r"Type shapes\.shape has no component named radius"):
        type_of("box.radius", session)
    rust = program(FIXTURES / "rust/shapes.rustc.O0")
    assert text(rust, "shapes::PLACE.Place.at.y") == "2.5"


def test_a_reference_of_ada_is_shown_as_its_object() -> None:
    """GNAT passes records by reference: GDB shows no address, and `<ref>` in the type."""
    reference = Pointer(Base(BaseType("shapes__count", "unsigned", 8)), "reference")
    shown = format_value(
        Bits(0x1000, 64), reference, FormatOptions(style="ada"),
        read_memory=lambda space, address, size: bytes([7] * size),
    )  # fmt: skip
    assert shown == "7"
    assert type_text(reference, style="ada") == "<ref> <1-byte integer>"


def test_a_derived_type_of_ada_has_the_components_of_its_parent() -> None:
    """gnat puts them into a component `_parent`, which GDB does not show as one."""
    number = Base(BaseType("integer", "signed", 32))
    tag = Member("_tag", Pointer(None))
    shape = Struct("struct", "shape", 16, (tag, Member("x", number, 64), Member("y", number, 96)))
    circle = Struct("struct", "circle", 24, (Member("_parent", shape), Member("r", number, 128)))
    shown = format_value(
        Bits(3 << 128 | 2 << 96 | 1 << 64 | 0xFFFF, 192), circle, FormatOptions(style="ada")
    )
    assert shown == "(x => 1, y => 2, r => 3)"
    assert [step.name for step in path_to(circle, "y") or ()] == ["_parent", "y"]
    assert type_text(circle, style="ada").startswith("new shape with record\n    r: integer;")


def test_records_of_ada_have_one_parent() -> None:
    """A second component of that name is one more component, so that the work does not double with
    each of the records that are derived from one another."""
    number = Base(BaseType("integer", "signed", 32))
    record = Struct("struct", "root", 8, (Member("x", number),))
    for _ in range(40):
        record = Struct("struct", "leaf", 8, (Member("_parent", record), Member("_parent", record)))
    with at_most(100_000):
        shown = format_value(Bits(7, 64), record, FormatOptions(style="ada", characters=1_000))
    assert shown.startswith("(x => 7, _parent => (x => 7), _parent => (x => 7, _parent => (x => 7)")
    assert len(path_to(record, "x") or ()) == 41


def test_a_member_of_c_may_have_the_name_that_gnat_uses(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """`_parent` is a member like any other there."""
    source = "struct { struct { int x; } _parent; } s; int main(void) { return s._parent.x; }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "a.c", "-o", "a"]])
    commands = ["whatis s", "whatis s._parent.x", "print s.x"]
    of_gdb = answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert answers(None, [str(tmp_path / "a")], commands) == of_gdb
    assert of_gdb[2].endswith("There is no member named x.\n")
