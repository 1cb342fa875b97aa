"""What GNAT says in the names of Ada's types, as no GNAT writes it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.types.dynamic_properties import Computed
from dwarfgpu.dwarf.types.types import Array, Base, Dynamic, Struct, Type
from dwarfgpu.errors import Unsupported
from dwarfgpu.expr.context import ExprLoc
from tests.dwarf.builder import X86_64, Shape, debug_info, file_of
from tests.work import assert_linear

NAME = (dw.AT_NAME, dw.FORM_STRING)
TYPE = (dw.AT_TYPE, dw.FORM_REF4)
BYTE_SIZE = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
LOCATION = (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_UDATA)
EXPRESSION = (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_EXPRLOC)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
    Shape(dw.TAG_BASE_TYPE, (NAME, (dw.AT_ENCODING, dw.FORM_DATA1), BYTE_SIZE)),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, BYTE_SIZE), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, LOCATION)),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, EXPRESSION)),
    Shape(dw.TAG_POINTER_TYPE, (TYPE, BYTE_SIZE)),
    Shape(dw.TAG_ARRAY_TYPE, (NAME, TYPE), True),
    Shape(dw.TAG_SUBRANGE_TYPE),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_GNAT_DESCRIPTIVE_TYPE, dw.FORM_FLAG_PRESENT)), True),
    Shape(dw.TAG_TYPEDEF, (NAME,)),
    Shape(
        dw.TAG_SUBRANGE_TYPE,
        (TYPE, (dw.AT_LOWER_BOUND, dw.FORM_SDATA), (dw.AT_UPPER_BOUND, dw.FORM_SDATA)),
    ),
    Shape(
        dw.TAG_MEMBER,
        (NAME, TYPE, (dw.AT_BIT_SIZE, dw.FORM_DATA1), (dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1)),
    ),
    Shape(dw.TAG_SUBRANGE_TYPE, (TYPE, (dw.AT_UPPER_BOUND, dw.FORM_SDATA))),
    Shape(
        dw.TAG_ARRAY_TYPE,
        (NAME, TYPE, (dw.AT_GNAT_DESCRIPTIVE_TYPE, dw.FORM_REF4)),
        True,
    ),
]
INTEGER, STRUCTURE, MEMBER, EXPRESSED, POINTER, ARRAY, RANGE, RECORD, TYPEDEF = range(2, 11)
BOUNDED, BITS, UNBOUNDED, DESCRIBED = 11, 12, 13, 14
FIRST = 12 + 2
"""Where the first entry after the unit's is."""


class Entries:
    """The entries of a unit of Ada; the first one is the type `integer`."""

    def __init__(self) -> None:
        self.data = b""
        self.integer = self.add(INTEGER, "integer", bytes((5, 4)))

    @property
    def end(self) -> int:
        return FIRST + len(self.data)

    def add(self, code: int, name: str | None = None, rest: bytes = b"") -> int:
        """Add an entry and return where it is."""
        offset = self.end
        self.data += bytes((code,)) + (b"" if name is None else name.encode() + b"\0") + rest
        return offset

    def close(self) -> None:
        self.data += b"\0"

    def member(self, name: str, kind: int, place: int = 0) -> None:
        self.add(MEMBER, name, ref(kind) + encode_uleb(place))

    def array(self, name: str, element: int) -> int:
        """Add an array of one dimension."""
        offset = self.add(ARRAY, name, ref(element))
        self.add(RANGE)
        self.close()
        return offset

    def info(self) -> DebugInfo:
        root = b"\x01" + bytes((0x0D,))
        return debug_info(file_of(root + self.data, SHAPES, machine=X86_64))

    def die(self, offset: int) -> Die:
        return self.info().die_at(offset)


def ref(offset: int) -> bytes:
    return offset.to_bytes(4, "little")


def scaled(name: str) -> Base:
    entries = Entries()
    die = entries.die(entries.add(INTEGER, name, bytes((5, 4))))
    kind = die.unit.info.types.build(die)
    assert isinstance(kind, Base)
    return kind


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("t___XF_1_16", Fraction(1, 16)),
        ("t___XF_1_10_1_16", Fraction(1, 16)),
        (f"t___XF_1_{1 << 127}", Fraction(1, 1 << 127)),
        (f"t___XF_{'9' * 6000}_1_1_16", Fraction(1, 16)),
        ("t", None),
    ],
    ids=lambda value: None,
)
def test_a_scale(name: str, scale: Fraction | None) -> None:
    base = scaled(name).base
    assert base.scale == scale
    assert base.encoding == ("signed" if scale is None else "signed_fixed")


@pytest.mark.parametrize(
    "numbers",
    [
        "_1_" + "9" * 6000, "_" + "9" * 6000 + "_1", "_1_" + "0" * 6000, "_1_0", "_0_1", "_0_0", "",
        "_1", "__", "_1_", "_-1_2", "_1_-2", "_1_2x", "_\u0663_\u0664", "_\u00b2_1", "_1_2_3",
    ],
    ids=lambda value: None,
)  # fmt: skip
def test_a_scale_that_is_no_fraction(numbers: str) -> None:
    """Without its scale a number would be wrong."""
    with pytest.raises(Unsupported, match=r"the scale in t___XF.* is not decoded"):
        scaled(f"t___XF{numbers}")


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("tP", "other"),
        ("tP", None),
        ("t___XP1", "other"),
        ("t___XP1", None),
        ("t___XP", "t"),
        ("t___XP0", "t"),
        ("t___XP99999", "t"),
        ("t___XP1___XDX", "t"),
        ("tP", "t"),  # which has no bounds
        ("t___XP1", "t"),
    ],
)
def test_indexes_that_only_another_type_has(name: str, described: str | None) -> None:
    """GNAT's positions of enumerators are no indexes, and packed words are no elements."""
    entries = Entries()
    other = entries.integer if described is None else entries.array(described, entries.integer)
    array = entries.add(DESCRIBED, name, ref(entries.integer) + ref(other))
    entries.add(RANGE)
    entries.close()
    die = entries.die(array)
    with pytest.raises(Unsupported, match=f"GNAT's encoding of the array {name} is not decoded"):
        die.unit.info.types.build(die)


def behind(
    place: int, code: int = MEMBER, field: int = 0, implementation: str = "t"
) -> Array | Dynamic:
    """The array behind a pointer whose bounds are at a place in the structure of the pointer."""
    entries = Entries()
    bounds = entries.add(STRUCTURE, "t___XUB", b"\x08")
    for name, offset in (("LB0", field), ("UB0", field + 4)):
        entries.member(name, entries.integer, offset)
    entries.close()
    pointer = entries.add(POINTER, None, ref(bounds) + b"\x08")
    entries.add(STRUCTURE, f"{implementation}___XUP", b"\x10")
    located = encode_uleb(place)
    if code == EXPRESSED:
        located = b"\x23" + located
        located = encode_uleb(len(located)) + located
    entries.add(code, "P_BOUNDS", ref(pointer) + located)
    entries.close()
    die = entries.die(entries.array("t___XUA", entries.integer))
    kind = die.unit.info.types.build(die)
    assert isinstance(kind, Array | Dynamic)
    return kind


@pytest.mark.parametrize("code", [MEMBER, EXPRESSED])
@pytest.mark.parametrize("place", [0, 8, 127, 128, 1000])
@pytest.mark.parametrize("field", [0, 124])
def test_bounds_behind_a_pointer(code: int, place: int, field: int) -> None:
    """Before DWARF 4, GNAT writes places as expressions."""
    kind = behind(place, code, field)
    assert isinstance(kind, Dynamic)
    (bounds,) = kind.properties.bounds
    for bound, offset in ((bounds.lower, field), (bounds.upper, field + 4)):
        assert isinstance(bound, Computed) and isinstance(bound.source, ExprLoc)
        expected = b"\x97" + plus(place) + b"\x06" + plus(offset) + b"\x94\4"
        assert bound.source.expression == expected


@pytest.mark.parametrize(("implementation", "bits"), [("tP", None), ("t___XP3", 3)])
def test_arrays_behind_a_pointer_to_what_implements_them(
    implementation: str, bits: int | None
) -> None:
    kind = behind(8, implementation=implementation)
    assert isinstance(kind, Dynamic)
    (bounds,) = kind.properties.bounds
    assert isinstance(bounds.lower, Computed) and bounds.stride_bits == bits


@pytest.mark.parametrize("implementation", ["t___XP", "t___XP0", "t___XP99999"])
def test_packed_arrays_behind_a_pointer_that_has_no_bits(implementation: str) -> None:
    with pytest.raises(Unsupported, match=f"the array {implementation} is not decoded"):
        behind(8, implementation=implementation)


def plus(offset: int) -> bytes:
    return b"\x23" + encode_uleb(offset) if offset else b""


def test_bounds_at_no_place_in_a_structure() -> None:
    assert isinstance(behind(1 << 63), Array)


def record(count: int) -> Callable[[], object]:
    """A record whose components are behind as many other entries."""
    entries = Entries()
    offset = entries.add(RECORD, "r")
    for _ in range(count):
        entries.add(TYPEDEF, "t")
    for number in range(count):
        entries.member(f"m{number}", entries.integer)
    entries.close()
    die = entries.die(offset)

    def read() -> None:
        kind = die.unit.info.types.build(die)
        assert isinstance(kind, Struct)
        first, *others = (member.error for member in kind.members)
        assert first is None and None not in others

    return read


def arrays_alone(count: int) -> Callable[[], object]:
    """Arrays beside as many structures, which have no bounds of theirs."""
    entries = Entries()
    arrays = []
    for number in range(count):
        arrays.append(entries.array(f"t{number}___XUA", entries.integer))
        entries.add(STRUCTURE, f"q{number}", b"\x04")
        entries.close()
    return types(entries, arrays, Array)


def arrays_with_one_pointer(count: int) -> Callable[[], object]:
    """Arrays whose pointer, and whose bounds, have as many components."""
    entries = Entries()
    bounds = entries.add(STRUCTURE, "t___XUB", b"\x08")
    for number in range(count):
        entries.member(f"{'LU'[number % 2]}B{number // 2}", entries.integer, number)
    entries.close()
    pointer = entries.add(POINTER, None, ref(bounds) + b"\x08")
    entries.add(STRUCTURE, "t___XUP", b"\x10")
    for number in range(count):
        entries.member(f"m{number}", entries.integer)
    entries.member("P_BOUNDS", pointer, 8)
    entries.close()
    arrays = [entries.array("t___XUA", entries.integer) for _ in range(count)]
    return types(entries, arrays, Dynamic if count > 1 else Array)


def arrays_of_one_padded_type(count: int) -> Callable[[], object]:
    """Arrays of a structure that is padded by its name, and has as many components."""
    entries = Entries()
    padded = entries.add(STRUCTURE, "t___PAD", b"\x08")
    for _ in range(count):
        entries.member("F", entries.integer)
    entries.close()
    return types(entries, [entries.array("a", padded) for _ in range(count)], Array)


def types(entries: Entries, offsets: list[int], expected: type[Type]) -> Callable[[], object]:
    info = entries.info()

    def read() -> None:
        for offset in offsets:
            assert isinstance(info.types.build(info.die_at(offset)), expected)

    return read


@pytest.mark.parametrize(
    "work", [record, arrays_alone, arrays_with_one_pointer, arrays_of_one_padded_type]
)
def test_each_is_read_once(work: Callable[[int], Callable[[], object]]) -> None:
    assert_linear(work, 200)


@pytest.mark.parametrize(
    ("lower", "upper", "bits", "is_biased"),
    [
        (2000, 2031, 5, True),
        (100, 103, 2, True),
        (-10, -3, 3, True),
        (-4, 4, 3, True),
        (0, 7, 3, False),
        (-4, 3, 3, False),
        (100, 127, 7, False),
        (0, (1 << 62) - 1, 62, False),
        (5, 4, 1, False),  # no number at all
        (None, 2, 1, True),  # 1 .. 2
        (None, 16, 4, True),
        (None, 200, 8, False),
    ],
)
def test_a_component_of_fewer_bits_than_its_numbers(
    lower: int | None, upper: int, bits: int, is_biased: bool
) -> None:
    """GNAT stores them less the lower bound, and says it in DWARF for minimal encodings alone. It
    leaves out a lower bound of 1, the default of Ada (DWARF 5 5.13)."""
    entries = Entries()
    bounds = (b"" if lower is None else encode_sleb(lower)) + encode_sleb(upper)
    code = UNBOUNDED if lower is None else BOUNDED
    numbers = entries.add(code, None, ref(entries.integer) + bounds)
    record = entries.add(STRUCTURE, "r", b"\1")
    entries.add(BITS, "y", ref(numbers) + bytes((bits, 0)))
    entries.close()
    die = entries.die(record)
    kind = die.unit.info.types.build(die)
    assert isinstance(kind, Struct)
    error = kind.members[0].error
    message = "y has a bias, which is not decoded; -fgnat-encodings=minimal describes it in DWARF"
    assert (None if error is None else error.message) == (message if is_biased else None)


def test_an_array_without_bounds_has_no_first_index() -> None:
    """GCC leaves out both bounds where it has no variables for them: 1 is no default then."""
    entries = Entries()
    die = entries.die(entries.array("t", entries.integer))
    kind = die.unit.info.types.build(die)
    assert isinstance(kind, Array)
    assert (kind.dimensions, kind.lower_bounds) == ((None,), (None,))
    assert kind.lost_length == "the bounds of the array t are not described"
