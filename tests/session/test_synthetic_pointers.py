"""Removed pointers in structures and arrays (A.2.5.4.4.5): as one alone; nothing else is one."""

from __future__ import annotations

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Base, Member, Pointer, Struct, Type
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.language import TypedValue
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Composite, Part
from dwarfgpu.service.value.expression_answer import of_value
from dwarfgpu.service.value.reading_answer import of_reading
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.resolve_type import Resolver, TypedObject
from dwarfgpu.session.synthetic_pointers import implicit_pointers_as_known
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.printers.standard import STANDARD
from dwarfgpu.view.value_data import value_data
from dwarfgpu.view.values import format_value
from tests.language.sessions import stopped
from tests.spec.machine import BIG_WORLD, GPU

INT = Base(BaseType("int", "signed", 32))
INT_POINTER = Pointer(INT)
REFERENCE = Pointer(INT, "reference")
PAIR = Struct("struct", "pair", 16, (Member("n", INT, 0), Member("p", INT_POINTER, 64)))
NUMBERS = Struct("struct", "numbers", 8, (Member("a", INT, 0), Member("b", INT, 32)))
CAPTURE = Struct("struct", "capture", 8, (Member("r", REFERENCE, 0),))
MISPLACED = Struct("struct", "misplaced", 12, (Member("n", INT, 0), Member("p", INT_POINTER, 32)))
OUTER = Struct("struct", "outer", 24, (Member("s", PAIR, 0), Member("q", INT_POINTER, 128)))
POINTER = "implicit_pointer 0x114 4; piece 8"
SEVEN = "implicit_value 8 7 0 0 0 0 0 0 0; piece 8"
ABSENT = "const8u 0x6000000000000; piece 8"  # memory that is not there
REMOVED = {"unknown": "synthetic pointer"}
ONES = (1 << 64) - 1
UNKNOWN = {"unknown": "unavailable"}


def members(**values: object) -> dict[str, object]:
    return {"members": [{"name": n, "base_class": False, "value": v} for n, v in values.items()]}


@pytest.mark.parametrize(
    ("expression", "kind", "text", "data", "left"),
    [
        (SEVEN + "; " + POINTER, PAIR, "{n = 7, p = <synthetic pointer>}",
         members(n=7, p=REMOVED), 0),
        (POINTER + "; " + POINTER, Array(INT_POINTER, (2,)),
         "{<synthetic pointer>, <synthetic pointer>}", {"elements": [REMOVED, REMOVED]}, 0),
        (POINTER + "; " + ABSENT, Array(INT_POINTER, (2,)),
         "{<synthetic pointer>, <unavailable>}", {"elements": [REMOVED, UNKNOWN]}, ONES << 64),
        (ABSENT + "; " + POINTER, Array(INT_POINTER, (2,)),
         "{<unavailable>, <synthetic pointer>}", {"elements": [UNKNOWN, REMOVED]}, ONES),
        (f"{SEVEN}; {POINTER}; {POINTER}", OUTER,
         "{s = {n = 7, p = <synthetic pointer>}, q = <synthetic pointer>}",
         members(s=members(n=7, p=REMOVED), q=REMOVED), 0),
        # A structure of one: its place may be that of the pointer, or a piece of it.
        (POINTER, CAPTURE, "{r = <synthetic pointer>}", members(r=REMOVED), 0),
        ("implicit_pointer 0x114 4", CAPTURE, "{r = <synthetic pointer>}", members(r=REMOVED), 0),
        # Exactly those bits are retrieved, or none.
        (POINTER, NUMBERS, "{a = <unavailable>, b = <unavailable>}",
         members(a=UNKNOWN, b=UNKNOWN), ONES),
        (POINTER + "; implicit_value 4 1 0 0 0; piece 4", MISPLACED,
         "{n = <unavailable>, p = <unavailable>}", members(n=UNKNOWN, p=UNKNOWN), ONES),
    ],
)  # fmt: skip
def test_parts(expression: str, kind: Type, text: str, data: dict[str, object], left: int) -> None:
    location, resolver = GPU.location(expression), Resolver(lambda: GPU.context)
    bits = resolver.contents(TypedObject(kind, location))
    assert format_value(bits, kind, location=location, resolver=resolver) == text
    assert value_data(bits, kind, location=location, resolver=resolver) == data
    rest = implicit_pointers_as_known(bits, kind, location, resolver, "little")
    assert (rest.unavailable, rest.undefined, rest.value) == (left, 0, bits.value)
    assert bool(rest.reasons) == bool(left)


def test_neighbours_that_are_unknown_for_other_reasons_are_not_equal() -> None:
    kind = Array(INT_POINTER, (24,))
    location = GPU.location("; ".join([POINTER] * 12 + [ABSENT] * 12))
    resolver = Resolver(lambda: GPU.context)
    bits = resolver.contents(TypedObject(kind, location))
    assert format_value(bits, kind, location=location, resolver=resolver) == (
        "{<synthetic pointer> <repeats 12 times>, <unavailable> <repeats 12 times>}"
    )


LONG = Base(BaseType("long", "signed", 64))
EXTENT = Struct("struct", "extent", 8, (Member("_M_extent_value", LONG, 0),))
PARTS = Member("_M_ptr", INT_POINTER, 0), Member("_M_extent", EXTENT, 64)
SPAN = Struct("class", "span<int>", 16, PARTS, scope="std::")


@pytest.mark.parametrize("count", [3, 12])
def test_a_span_of_what_was_optimized_out(count: int) -> None:
    """As in GDB, it has its length; where something is left, its members are shown."""
    session = stopped("locations.gfx942", 3)
    pointer = session.read(session.variable("pointer_implicit_4")).pointer
    assert pointer is not None and isinstance(pointer.die.unit, CompilationUnit)
    length = GPU.location(f"implicit_value 8 {count} 0 0 0 0 0 0 0")
    resolver, options = Resolver(lambda: GPU.context), FormatOptions(printers=STANDARD)
    shown = []
    for offset in pointer.die.unit.root.offset, pointer.die.section_offset:
        removed = evolve(pointer, die=evolve(pointer.die, section_offset=offset))
        parts = Part(Location((SingleLocation(removed),)), 64), Part(length, 64)
        location = Location((SingleLocation(Composite(parts, (0, 64), 128)),))
        bits = resolver.contents(TypedObject(SPAN, location))
        shown.append(format_value(bits, SPAN, options, location=location, resolver=resolver))
    raw = f"{{_M_ptr = <synthetic pointer>, _M_extent = {{_M_extent_value = {count}}}}}"
    assert shown == [
        f"std::span of length {count} = {{{', '.join(['<optimized out>'] * count)}}}",
        raw,
    ]


def test_bits_are_counted_in_storage_order() -> None:
    world, kind = (
        BIG_WORLD,
        Struct(
            "struct", "s", 8, (Member("p", Pointer(INT, size_bytes=4), 0), Member("n", INT, 32))
        ),
    )
    location = world.location("implicit_pointer 0x114 4; piece 4; const4u 0x7000; piece 4")
    resolver = Resolver(lambda: world.context)
    bits = resolver.contents(TypedObject(kind, location))
    assert bits.unavailable == ONES
    rest = implicit_pointers_as_known(bits, kind, location, resolver, "big")
    assert rest.unavailable == (1 << 32) - 1
    assert "implicit pointer" not in rest.reasons[0]


def test_an_implicit_pointer_in_a_structure_is_answered_as_alone() -> None:
    session = stopped("locations.gfx942", 3)
    alone = session.read(session.variable("pointer_implicit_4"))
    location = GPU.location(f"{SEVEN}; {POINTER}")
    bits = GPU.context.access.read(location, 128)
    both = evolve(alone, type=PAIR, location=location, bits=bits, pointer=None)
    answers = (
        of_reading(both, session),
        of_value(session, "pair", TypedValue(PAIR, location, bits, unit=alone.variable.unit)),
    )
    for answer in answers:
        assert (answer.text, answer.status, answer.notes) == (
            "{n = 7, p = <synthetic pointer>}", 0, ()
        )  # fmt: skip
        assert answer.record["data"] == members(n=7, p=REMOVED)
        assert answer.record["bytes"] == "07" + "00" * 7 + "??" * 8
    assert of_reading(alone, session).status == 0


def test_a_reading_with_implicit_pointers_is_complete() -> None:
    """As one alone is; bits that nothing knows are counted without them."""
    session = stopped("locations.gfx942", 3)
    alone = session.read(session.variable("pointer_implicit_4"))
    assert alone.is_complete

    def reading(kind: Type, text: str) -> Reading:
        location, resolver = GPU.location(text), Resolver(lambda: GPU.context)
        bits = resolver.contents(TypedObject(kind, location))
        return evolve(
            alone, type=kind, location=location, bits=bits, pointer=None, resolver=lambda: resolver
        )

    for whole in (
        reading(PAIR, f"{SEVEN}; {POINTER}"), reading(CAPTURE, POINTER),
        reading(Array(INT_POINTER, (2,)), f"{POINTER}; {POINTER}"),
    ):  # fmt: skip
        assert whole.is_complete and whole.error is None
    partial = reading(Array(INT_POINTER, (2,)), f"{POINTER}; {ABSENT}")
    assert not partial.is_complete
    assert "64 of 128 bits of pointer_implicit_4 are unavailable: " in str(partial.error)
    assert "implicit pointer" not in str(partial.error)


def test_an_array_of_implicit_pointers_is_not_an_error() -> None:
    session = stopped("locations.gfx942", 3)
    unit = session.variable("pointer_implicit_4").unit
    location = GPU.location(f"{POINTER}; {POINTER}")
    value = TypedValue(Array(INT_POINTER, (2,)), location, unit=unit)
    answer = of_value(session, "q", ObjectAccess(session).read(value))
    assert answer.text == "{<synthetic pointer>, <synthetic pointer>}"
    assert (answer.status, answer.notes) == (0, ())


def test_a_reference_to_no_entry_costs_its_own_text_only() -> None:
    """GCC writes entry 0 in files of -gsplit-dwarf; the variables behind it are shown."""
    session = stopped("locations.gfx942", 3)
    variable = session.variable("pointer_implicit_4")
    read = session.read(variable)
    assert read.pointer is not None
    pointer = evolve(read.pointer, die=evolve(read.pointer.die, section_offset=0))
    made = evolve(read, type=REFERENCE, pointer=pointer)
    error = "no entry of the unit at 0x0 starts at offset 0x0"
    assert of_reading(made, session).text == f"(int &) <synthetic pointer>: <error: {error}>"
