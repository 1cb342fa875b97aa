"""Compound storages are equal when they are made alike (`dwarfgpu.model.storage`)."""

from __future__ import annotations

from dwarfgpu.model.location import Location, SingleLocation, narrowed
from dwarfgpu.model.storage import Composite, Implicit, Part, Repeated, Selected, Storage

BITS = Implicit(0x1234, 16)


def at(storage: Storage, bit_offset: int = 0) -> Location:
    return Location((SingleLocation(storage, bit_offset),))


def composite(*locations: Location, size_bits: int = 8) -> Composite:
    parts = tuple(Part(location, size_bits) for location in locations)
    starts = tuple(size_bits * index for index in range(len(parts)))
    return Composite(parts, starts, size_bits * len(parts))


def inside(storage: Storage) -> list[Storage]:
    """A storage as a part of every kind of compound."""
    location = at(storage)
    return [
        composite(at(BITS), location),
        Repeated(location, 8, 2),
        Selected(1, location, at(BITS), 8, 2),
        Selected(1, at(BITS), location, 8, 2),
    ]


def test_equal_when_made_alike() -> None:
    assert inside(BITS) == inside(Implicit(0x1234, 16))
    assert list(map(hash, inside(BITS))) == list(map(hash, inside(Implicit(0x1234, 16))))


def test_every_difference_makes_storages_unequal() -> None:
    two_places = Location((*at(BITS).single_locations, *at(BITS, 4).single_locations))
    distinct = [
        *inside(BITS),
        *inside(Implicit(0x1235, 16)),
        composite(at(BITS)),
        composite(at(BITS, 4), at(BITS)),
        composite(at(BITS), at(BITS, 4)),
        composite(at(BITS), at(BITS), size_bits=4),
        composite(at(BITS), two_places),
        Repeated(at(BITS, 4), 8, 2),
        Repeated(at(BITS), 4, 2),
        Repeated(at(BITS), 8, 3),
        Selected(2, at(BITS), at(BITS, 4), 8, 2),
        Selected(1, at(BITS), at(BITS, 4), 8, 2),
        Selected(1, at(BITS, 4), at(BITS), 8, 2),
        Selected(1, at(BITS), at(BITS), 4, 2),
        Selected(1, at(BITS), at(BITS), 8, 3),
        BITS,
    ]
    unlike = [storage for storage in distinct if distinct.count(storage) > 1]
    # The two that select from equal locations are one.
    assert unlike == [Selected(1, at(BITS), at(BITS), 8, 2)] * 2


def test_differences_inside_compounds_make_them_unequal() -> None:
    for one, other in zip(inside(BITS), inside(Implicit(0x1235, 16)), strict=True):
        for outer, outer_of_other in zip(inside(one), inside(other), strict=True):
            assert outer != outer_of_other
            assert outer != BITS
    assert inside(inside(BITS)[0]) == inside(inside(BITS)[0])


def test_shared_parts_are_compared_once() -> None:
    """Two to the 60th paths lead to the innermost parts."""
    one, other, third = composite(at(BITS)), composite(at(BITS)), composite(at(BITS, 1))
    for _ in range(60):
        one, other, third = (composite(at(made), at(made)) for made in (one, other, third))
    assert one == other
    assert one != third


def test_depth_is_that_of_the_deepest_part() -> None:
    flat = composite(at(BITS))
    assert [storage.depth for storage in inside(BITS)] == [1, 1, 1, 1]  # type: ignore[union-attr]
    assert [storage.depth for storage in inside(flat)] == [2, 2, 2, 2]  # type: ignore[union-attr]
    assert Composite((), (), 0).depth == 1
    assert (
        Repeated(Location((*at(BITS).single_locations, *at(flat).single_locations)), 8, 2).depth
        == 2
    )


def test_narrowed_returns_the_part_that_contains_the_object() -> None:
    four = at(Selected(0b0101, at(BITS), at(Implicit(0x99, 16)), 4, 4))
    assert narrowed(four, 4, 8) == at(BITS, 8)
    assert narrowed(four, 2, 9) == at(BITS, 9)
    assert narrowed(four, 4, 12) == at(Implicit(0x99, 16), 12)
    assert narrowed(four, 4, 6) == at(four.single_locations[0].storage, 6), "two elements"
    repeated = at(Repeated(at(BITS, 2), 4, 3))
    assert narrowed(repeated, 4, 8) == at(BITS, 2)
    assert narrowed(repeated, 3, 5) == at(BITS, 3)
    assert narrowed(repeated, 4, 5) == at(repeated.single_locations[0].storage, 5)
    parts = at(composite(at(BITS, 3), at(BITS, 1), size_bits=5))
    assert narrowed(parts, 5, 5) == at(BITS, 1)
    assert narrowed(parts, 4, 6) == at(BITS, 2)
    assert narrowed(parts, 5, 6) == at(parts.single_locations[0].storage, 6)
