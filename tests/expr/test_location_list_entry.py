"""Entries of location lists by program location (A.2.5.5), against comparing each."""

from __future__ import annotations

import random

import pytest

from dwarfgpu.errors import EvaluationError
from dwarfgpu.expr.context import LocList
from dwarfgpu.expr.location_list_entry import LocationListEntry, matching_entries
from tests.expr.hostile import context


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
    assert LocList(entries, unit).by_pc is not None
    assert LocList(entries[::-1], unit).by_pc is None, "not in order"
    assert LocList((*entries, entries[-1]), unit).by_pc is None, "they overlap"
    assert LocList(entries[:8], unit).by_pc is None, "a short one"
