"""Entries of location lists by program location (A.2.5.5), against comparing each."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from dwarfgpu.errors import EvaluationError
from dwarfgpu.expr.context import LocList
from dwarfgpu.expr.location_list_entry import LocationListEntry, matching_entries
from tests.expr.hostile import context
from tests.work import calls_of


def made(chance: random.Random, *, in_order: bool) -> tuple[LocationListEntry, ...]:
    entries, pc = [], 0
    for number in range(chance.randrange(60)):
        begin = pc + chance.choice((0, 0, 1, 5))
        pc = begin + chance.choice((1, 2, 9))
        entries.append(LocationListEntry(bytes([number]), begin, pc))
        if chance.random() < 0.05:
            entries.append(LocationListEntry(b"default", None, None))
        if not in_order and chance.random() < 0.3:
            pc = chance.randrange(100)
    return tuple(entries)


@pytest.mark.parametrize("seed", range(40))
def test_the_same_entries_match(seed: int) -> None:
    chance = random.Random(seed)
    unit = context().unit
    assert unit is not None
    listed = LocList(made(chance, in_order=seed % 2 == 0), unit)
    for pc in range(-1, 400):
        assert listed.matching(pc) == matching_entries(listed.entries, pc)
    with pytest.raises(EvaluationError):
        listed.matching(None)


def test_long_lists_in_order_are_searched_by_halves() -> None:
    unit = context().unit
    assert unit is not None
    entries = tuple(LocationListEntry(b"", 2 * n, 2 * n + 2) for n in range(1000))
    in_order = LocList(entries, unit).by_pc
    assert in_order is not None
    assert in_order.is_ordered
    not_in_order, overlapping = LocList(entries[::-1], unit), LocList((*entries, *entries), unit)
    for listed in (not_in_order, overlapping):
        assert listed.by_pc is not None
        assert not listed.by_pc.is_ordered
    assert LocList(entries[:8], unit).by_pc is None, "a short one"


@pytest.mark.parametrize("step", [1, -1])
def test_variables_that_share_a_list_compare_its_entries_once(step: int) -> None:
    """In any order, whether the program location is in many ranges or in none."""
    unit = context().unit
    assert unit is not None
    numbers = range(1000)[::step]
    entries = tuple(LocationListEntry(bytes([n % 3]), 500, 600 + n) for n in numbers)
    listed = LocList(entries, unit)
    assert listed.expressions(550) == tuple(dict.fromkeys(bytes([n % 3]) for n in numbers))
    for pc in (550, 499):
        first = calls_of(lambda pc=pc: listed.expressions(pc))
        assert first <= 20
        assert listed.matching(pc) is listed.matching(pc)
        assert listed.expressions(pc) is listed.expressions(pc)


@pytest.mark.parametrize("count", [1, 30, 3000])
def test_long_lists_in_no_order_get_an_index(count: int) -> None:
    """However many of the entries cover a location, also without a default entry."""
    unit = context().unit
    assert unit is not None
    chance = random.Random(count)
    begins = [chance.randrange(10_000) for _ in range(3000)]
    entries = [LocationListEntry(bytes([n % 7]), n, n + chance.randrange(3)) for n in begins]
    entries += [LocationListEntry(bytes([n % 5]), 20_000 - n, 30_000) for n in range(count)]
    chance.shuffle(entries)
    for ended in (entries, [*entries, LocationListEntry(b"default", None, None)]):
        listed = LocList(tuple(ended), unit)
        for pc in (*range(0, 10_000, 97), 10_000, 15_000, 19_990, 20_000, 29_999, 30_000):
            assert listed.matching(pc) == matching_entries(listed.entries, pc)


def test_frames_do_not_go_through_a_list_in_no_order() -> None:
    """Each asks what is at its program location, and where its function begins."""
    unit = context().unit
    assert unit is not None

    class Counted(tuple[LocationListEntry, ...]):
        read = 0

        def __iter__(self) -> Iterator[LocationListEntry]:
            for entry in tuple.__iter__(self):
                Counted.read += 1
                yield entry

    entries = [LocationListEntry(bytes([n % 7]), n, n + 2) for n in range(3000, 0, -1)]
    listed = LocList(Counted(entries), unit)
    for pc in range(3000):
        assert len(listed.matching(pc)) == sum(0 < n <= 3000 for n in (pc - 1, pc))
        assert listed.first_from(1) == bytes([1])
    assert Counted.read <= 10 * 3000
