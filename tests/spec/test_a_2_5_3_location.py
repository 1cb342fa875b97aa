"""A.2.5.2 values and A.2.5.3 location descriptions: reading, writing, places, staleness."""

from __future__ import annotations

import pytest

from dwarfgpu.access.compare_single_locations import Comparison
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import (
    EvaluationError,
    IllFormed,
    OutOfRange,
    StaleLocation,
    Unavailable,
    UndefinedBits,
    Unsupported,
)
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.model.location import Location, SingleLocation, composite
from dwarfgpu.model.storage import Part
from tests.spec.machine import (
    BIG_WORLD,
    CPU,
    GPU,
    PATTERN,
    Fact,
    World,
    breaks,
    facts,
    keeps,
    raises,
    shown,
    world,
)

V = "A.2.5.2/"
C = "A.2.5.3/"


@facts("fact", [
    keeps(V + "generic-size", "lit0; not", "0xffffffffffffffff"),
    keeps(V + "generic-size", "lit0; not", "0xffffffff", at=BIG_WORLD),
    breaks(V + "generic-size", "lit0; not; const(u64,-1); eq", IllFormed, "same type",
           note="of the size of u64, but another type"),
    *(keeps(V + "integral", f"const({name},5); const({name},3); and", f"{name} 1")
      for name in ("i5", "i8", "i32", "i128", "u8", "u12", "u64", "u128", "bool", "char", "uchar")),
    *(breaks(V + "integral", f"const({name},1); const({name},1); and", IllFormed, "integral", name)
      for name in ("f16", "f32", "f64", "f128", "x87", "ptr", "utf")),
    *(breaks(V + "integral", f"addr 0x1000; const({name},1); LLVM_offset", IllFormed, "integral")
      for name in ("f64", "ptr", "utf", "complex")),
    breaks(V + "integral", "const(vec4,1); const(vec4,1); and", Unsupported, "vector type",
           note="a vector is not an integral type; DWARF defines no arithmetic on it"),
])  # fmt: skip
def test_values(fact: Fact) -> None:
    fact.check()


def both() -> World:
    """A variable in memory and in s0 at once, with the same value."""
    return world(
        registers={"s0": 0x13121110},
        memory=((0, None, 0x1010, b"\x10\x11\x12\x13"),),
        lane=3,
    )


def of(made: World, *texts: str) -> Location:
    return made.loclist(*((0, 0x10000, text) for text in texts))


@pytest.mark.clause(C + "read-any", "keeps")
@pytest.mark.parametrize("texts", [
    ("addr 0x1010", "regx s0"),
    ("regx s0", "addr 0x1010"),
    ("regx s1", "addr 0x1010"),  # s1 is not in the state: the other location is read
    ("LLVM_undefined", "regx s0"),
    ("addr 0x9999", "LLVM_undefined", "addr 0x1010"),
    ("regx s0; piece 2; LLVM_undefined; piece 2", "LLVM_undefined; piece 2; addr 0x1012; piece 2"),
    ("addr 0x1010; piece 2; regx s1; piece 2", "regx s0"),
])  # fmt: skip
def test_read_any(texts: tuple[str, ...]) -> None:
    made = both()
    access = made.context.access
    location = of(made, *texts)
    assert access.read_bytes(location, 4) == b"\x10\x11\x12\x13"
    assert access.read_bytes(location.displaced(16), 2) == b"\x12\x13"
    assert access.retrieve(location, 32) == 0x13121110


@pytest.mark.clause(C + "read-any", "breaks")
def test_no_single_location_can_be_read() -> None:
    made = both()
    access = made.context.access
    raises(lambda: access.read_bytes(of(made, "regx s1", "addr 0x99"), 4), Unavailable, "s1")
    raises(lambda: access.read_bytes(of(made, "LLVM_undefined", "LLVM_undefined; piece 4"), 4),
           UndefinedBits)  # fmt: skip
    # An offset past the end of any place is an error, whatever the others hold (A.2.5.4.3.4).
    raises(lambda: access.retrieve(of(made, "addr 0x1010", "regx s0"), 64), OutOfRange, "s0")


@pytest.mark.clause(C + "write-all", "keeps")
def test_write_all() -> None:
    made = both()
    access = made.context.access
    location = of(made, "addr 0x1010", "regx s0")
    access.write_bytes(location, b"\xa0\xa1\xa2\xa3")
    access.write(location.displaced(4), 8, 0x55)
    for text in ("addr 0x1010", "regx s0"):
        assert access.read_bytes(made.location(text), 4) == b"\x50\xa5\xa2\xa3"


@pytest.mark.clause(C + "write-all", "breaks")
@pytest.mark.parametrize(("texts", "error"), [
    (("addr 0x1010", "addr 0x9999"), Unavailable),
    (("addr 0x1010", "LLVM_undefined"), UndefinedBits),
    (("regx s0", "lit5; stack_value"), EvaluationError),
    (("regx s0; piece 2; LLVM_undefined; piece 2", "addr 0x1010"), UndefinedBits),
    (("addr 0x1010; piece 2; regx s0; piece 1; implicit_value 1 7; piece 1",), EvaluationError),
])  # fmt: skip
def test_write_all_or_nothing(texts: tuple[str, ...], error: type[EvaluationError]) -> None:
    made = both()
    access = made.context.access
    raises(lambda: access.write_bytes(of(made, *texts), b"\xa0\xa1\xa2\xa3"), error)
    for text in ("addr 0x1010", "regx s0"):
        assert access.read_bytes(made.location(text), 4) == b"\x10\x11\x12\x13"


@pytest.mark.clause(C + "same-value", "keeps")
@pytest.mark.clause(C + "same-value", "breaks")
def test_same_value_is_checked_on_request() -> None:
    """Reading uses any single location; on request, the differing ones are reported, bit by bit."""
    made = both()
    comparison = Comparison()
    access = evolve(made.context, comparison=comparison).access
    same = of(made, "addr 0x1010", "regx s0", "LLVM_undefined; piece 2; addr 0x1012; piece 2")
    assert access.retrieve(same, 32) == 0x13121110 and comparison.take_findings() == ()
    access.write_bytes(made.location("regx s0"), b"\x10\x11\xff\x13")
    assert access.retrieve(same, 32) == 0x13121110
    (result,) = comparison.take_findings()
    assert (result.index, result.earlier_index) == (
        1,
        0,
    ) and result.single == same.single_locations[1]
    assert access.retrieve(same, 16) == 0x1110 and comparison.take_findings() == ()
    assert made.context.access.retrieve(same, 32) == 0x13121110


def test_places_are_compared_with_all_before_them() -> None:
    made = both()
    comparison = Comparison()
    access = evolve(made.context, comparison=comparison).access
    access.write_bytes(made.location("regx s0"), b"\x10\x11\xff\x13")
    late = of(made, "LLVM_undefined", "addr 0x1010", "regx s0", "regx s99")
    assert access.read(late, 32).value == 0x13121110
    assert [(finding.index, finding.earlier_index) for finding in comparison.take_findings()] == [
        (2, 1),
        (3, None),
    ]
    inside = composite([Part(late, 32), Part(made.location("regx s0"), 32)])
    access.read(Location((SingleLocation(inside.single_locations[0].storage),)), 64)
    assert [(finding.index, finding.earlier_index) for finding in comparison.take_findings()] == [
        (2, 1),
        (3, None),
    ]


@pytest.mark.clause(C + "position", "keeps")
@pytest.mark.parametrize(("text", "first", "count", "value"), [
    ("addr 0x1010", 0, 8, 0x10),
    ("addr 0x1010", 4, 8, 0x11),  # the high half of 0x10, the low half of 0x11
    ("addr 0x1010; lit3; LLVM_bit_offset", 0, 5, 0b00010),
    ("regx s0; lit3; LLVM_bit_offset", 0, 21, 0x11223344 >> 3 & 0x1FFFFF),
    ("implicit_value 2 0x34 0x12", 4, 8, 0x23),
    ("const(u12,0xabc); stack_value", 4, 8, 0xAB),
    ("regx s0; bit_piece 3 1; regx s1; bit_piece 5 2; LLVM_piece_end", 0, 8,
     0x44 >> 1 & 7 | (0x55667788 >> 2 & 0x1F) << 3),
    ("regx s0; bit_piece 3 1; regx s1; bit_piece 5 2; LLVM_piece_end", 2, 3,
     0x44 >> 3 & 1 | (0x55667788 >> 2 & 3) << 1),
])  # fmt: skip
def test_position(text: str, first: int, count: int, value: int) -> None:
    location = GPU.location(text)
    assert GPU.context.access.read(location.displaced(first), count).value == value


@pytest.mark.clause(C + "position", "breaks")
@pytest.mark.parametrize(("text", "first"), [
    ("regx s0", 1), ("implicit_value 4 1 2 3 4", 1), ("const(i32,5); stack_value", 8),
    ("regx s0; piece 4; LLVM_piece_end", 1), ("regx s0; LLVM_extend 8 4", 8),
])  # fmt: skip
def test_past_the_end(text: str, first: int) -> None:
    location = GPU.location(text).displaced(first)
    access = GPU.context.access
    raises(lambda: access.read(location, 32), OutOfRange, "32 bits needed", f"offset {first}")
    raises(lambda: access.write(location, 32, 0), OutOfRange, "32 bits needed")


@pytest.mark.clause(C + "implicit-read-only", "keeps")
@pytest.mark.clause(C + "implicit-read-only", "breaks")
def test_implicit_storage_can_only_be_read() -> None:
    access = GPU.context.access
    for text in ("lit5; stack_value", "implicit_value 8 5 0 0 0 0 0 0 0", "call2 0x10c"):
        location = GPU.location(text)
        assert access.read(location, 8).value in (1, 5)
        raises(lambda: access.write(location, 8, 1), EvaluationError, "can only be read")  # noqa: B023
    pointer = GPU.location("implicit_pointer 0x114 0")
    raises(lambda: access.write(pointer, 64, 1), EvaluationError, "can only be read")


@pytest.mark.clause(C + "undefined-neither", "keeps")
@pytest.mark.clause(C + "undefined-neither", "breaks")
def test_undefined_storage_is_marked_bit_by_bit() -> None:
    access = GPU.context.access
    partly = GPU.location("regx s0; bit_piece 3 0; bit_piece 6 0; regx s0; bit_piece 7 9")
    data = access.read(partly, 16)
    assert data.undefined == 0b0000000111111000
    assert data.value & ~data.undefined == 0x44 & 7 | (0x11223344 >> 9 & 0x7F) << 9
    assert data.undefined_ranges("little") == [(3, 6)]
    raises(lambda: access.retrieve(partly, 16), UndefinedBits, "bits 3 to 8 of 16")
    raises(lambda: access.write(partly, 16, 0), UndefinedBits, "cannot be written")
    assert access.read(GPU.location("LLVM_undefined"), 1000).undefined == (1 << 1000) - 1
    raises(lambda: access.write(GPU.location("LLVM_undefined"), 8, 0), UndefinedBits)


@pytest.mark.clause(C + "undefined-neither", "keeps")
def test_the_defined_bits_of_a_partly_undefined_object_can_be_written() -> None:
    made = both()
    access = made.context.access
    partly = made.location("regx s0; bit_piece 12 4; LLVM_undefined; bit_piece 4 0")
    access.write(partly, 12, 0xABC)
    assert access.retrieve(made.location("regx s0"), 32) == 0x1312ABC0


@pytest.mark.clause(C + "created-with", "keeps")
@pytest.mark.clause(C + "created-with", "breaks")
def test_storage_is_that_of_the_context_it_was_made_in() -> None:
    """Lane 3's memory, pushed as an object while the lane is 4, is still lane 3's."""
    text = "lit16; constu private_lane; LLVM_form_aspace_address"
    lane3 = GPU.location(text)
    lane4 = GPU.changed(lane=4)
    as_object = lane4.changed(object=lane3)
    assert shown(as_object.result("push_object_address")) == "private_lane[3]#0x10"
    assert shown(as_object.result("push_object_address; deref_size 1")) == "160"
    assert shown(lane4.result(text)) == "private_lane[4]#0x10"
    assert shown(lane4.result(f"{text}; deref_size 1")) == "176"


STALE = [
    ("addr 0x1000", "memory"),
    ("regx s0", "register"),
    ("regx s0; piece 4", "composite"),
    ("lit8; regx s0; piece 4; LLVM_piece_end; LLVM_extend 8 4", "repeated"),
    ("regx s0; regx s1; lit1; LLVM_select_bit_piece 8 4", "selected"),
    ("bregx pc 0; deref_size 1; stack_value", "a value that was read from the machine"),
    ("bregx pc 0; bra a; implicit_value 1 1; skip e; a: implicit_value 1 2; e:", "a choice"),
    ("implicit_value 2 1 2; bregx pc 0; lit16; shr; lit1; and; LLVM_offset", "an offset"),
    ("addr 0x1000; regx s0; lit1; lit1; LLVM_overlay", "overlay"),
    ("call2 0x108", "several places"),
]


@pytest.mark.clause(C + "stale", "keeps")
@pytest.mark.clause(C + "stale", "breaks")
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for text, name in STALE])
def test_stale(text: str) -> None:
    made = world(
        registers={"s0": 5, "s1": 6, "pc": 0x1000},
        memory=((0, None, 0x1000, PATTERN),),
        dies={0x108: ((0, 0x2000, "implicit_value 1 5"), (0, 0x2000, "regx s0"))},
    )
    location = made.location(text)
    access = made.context.access
    access.read(location, 8)
    made.target.stop += 1
    raises(lambda: access.read(location, 8), StaleLocation, "moved")
    raises(lambda: access.retrieve(location, 8), StaleLocation, "moved")
    raises(lambda: access.write(location, 8, 0), StaleLocation, "moved")
    assert access.read(made.location(text), 8).is_complete, "evaluated again it is fresh"


@pytest.mark.clause(C + "stale", "breaks")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_one_stale_place_among_several(order: tuple[int, int]) -> None:
    """A frame kept from an earlier stop: the union of a location list is as old as its oldest."""
    made = world(registers={"s0": 5, "s1": 5})
    s1 = 33
    kept = ExplicitFrame(entry_registers={s1: made.location("regx s1")})
    made.target.stop += 1
    entries = [(0, 0x2000, "regx s0"), (0, 0x2000, f"LLVM_call_frame_entry_reg {s1}")]
    location = made.changed(frame=kept).loclist(*(entries[index] for index in order))
    assert len(location.single_locations) == 2
    raises(lambda: made.context.access.read(location, 8), StaleLocation, "moved")


@pytest.mark.clause(C + "stale", "breaks")
def test_what_a_location_list_chose_is_stale_too() -> None:
    """Which entry applies depends on the program location, constant though it may be."""
    made = world(memory=((0, None, 0x1000, PATTERN),))
    for entries in (
        [(0, 0x2000, "implicit_value 1 5")],
        [(0, 0x2000, "implicit_value 1 5"), (0, 0x2000, "addr 0x1005")],
        [(0, 0x2000, "LLVM_undefined")],
        [(5, 6, "regx s0")],
    ):
        location = made.loclist(*entries)
        made.context.access.read(location, 8)
        made.target.stop += 1
        raises(lambda: made.context.access.read(location, 8), StaleLocation)  # noqa: B023


BYTES: list[tuple[World, str, int, str]] = [
    (CPU, "regx rax", 8, "8877665544332211"),
    (BIG_WORLD, "regx 0", 8, "1122334455667788"),
    (BIG_WORLD, "regx 0", 2, "1122"),  # the first bits are the most significant ones
    (BIG_WORLD, "regx 0; lit4; LLVM_offset", 4, "55667788"),
    (BIG_WORLD, "regx 1; piece 4; regx 2; piece 2", 6, "a1a2a3a41000"),
    (BIG_WORLD, "regx 0; bit_piece 12 4; regx 3; bit_piece 4 4", 2, "122a"),
    (BIG_WORLD, "lit5; stack_value", 4, "00000005"),
    (BIG_WORLD, "const(u16,0x1234); stack_value", 2, "1234"),
    (BIG_WORLD, "const(swapped32,0x11223344); stack_value", 4, "44332211"),
    (CPU, "const(swapped32,0x11223344); stack_value", 4, "11223344"),
    (BIG_WORLD, "implicit_value 3 1 2 3", 3, "010203"),
    (BIG_WORLD, "addr 0x1010", 4, "10111213"),
    (BIG_WORLD, "addr 0x1010; lit4; LLVM_bit_offset", 2, "0111"),
]


@pytest.mark.clause(C + "position", "keeps")
@pytest.mark.parametrize(("made", "text", "count", "expected"), BYTES)
def test_bytes(made: World, text: str, count: int, expected: str) -> None:
    """On a big-endian machine bit 0 of a storage is the most significant bit of its first byte."""
    assert made.context.access.read_bytes(made.location(text), count).hex() == expected
