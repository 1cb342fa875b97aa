"""Entries of location lists by program location (A.2.5.5), against comparing each."""

from __future__ import annotations

import random

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
