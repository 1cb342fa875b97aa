"""How much of the sections of a file may be read, by each thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from dwarfgpu.dwarf.section_budget import ALLOWANCE_BYTES, SectionBudget
from dwarfgpu.errors import LimitExceeded

SECTION_BYTES = 1000
MOST = ALLOWANCE_BYTES + 2 * SECTION_BYTES


def spent_by_one(budget: SectionBudget) -> str:
    """Spend all that a thread may read, and the message about the next byte."""
    for _ in range(MOST // 100):
        budget.spend(".debug_abbrev", SECTION_BYTES, 100)
    with pytest.raises(LimitExceeded) as raised:
        budget.spend(".debug_abbrev", SECTION_BYTES, 100)
    return str(raised.value)


def test_each_thread_may_read_what_one_may() -> None:
    """Threads that need a table at once each read it, and none has more to read than alone."""
    budget = SectionBudget(SECTION_BYTES)
    alone = spent_by_one(budget)
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(spent_by_one, [budget])) == [alone]
        assert list(threads.map(lambda one: one.entries_left, [budget])) == [budget.entries_left]
    budget.entries_left = 0
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(lambda: budget.entries_left).result() > 0
    assert budget.entries_left == 0
