"""Ranges around an address: the same answer as a search of all, in few steps."""

from __future__ import annotations

from random import Random

import pytest

from dwarfgpu.base.span_index import SpanIndex
from tests.work import calls_of


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 1_500])
def test_covering_is_what_a_search_of_all_finds(count: int) -> None:
    random = Random(count)
    begins = [random.randrange(300) for _ in range(count)]
    spans = [
        ((begin, begin + random.choice((0, 1, 2, 50, 300))), number)
        for number, begin in enumerate(begins)
    ]
    index = SpanIndex(spans)
    ordered = sorted((span for span in spans if span[0][0] < span[0][1]), key=lambda span: span[0])
    assert list(index) == ordered and len(index) == len(ordered)
    for address in range(-1, 620, 7):
        expected = [owner for (begin, end), owner in reversed(ordered) if begin <= address < end]
        assert list(index.covering(address)) == expected
        for end in (address, address + 1, address + 9, address + 400):
            expected = [
                owner for (begin, stop), owner in reversed(ordered) if begin < end > address < stop
            ]
            assert list(index.overlapping(address, end)) == expected


def test_ranges_that_end_before_cost_nothing() -> None:
    """A range of everything, and many short ones in it."""
    work = []
    for count in (100, 10_000):
        short = [((number, number + 1), number) for number in range(1, count)]
        index = SpanIndex([((0, 1 << 20), -1), *short])
        assert list(index.covering(count)) == [-1]
        work.append(calls_of(lambda asked=index, at=count: list(asked.covering(at))))
    assert work[1] < work[0] + 20, work
