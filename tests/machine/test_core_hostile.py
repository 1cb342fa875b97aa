"""Mutated core files: an answer or one of our errors, of one line, and soon.

`tools/fuzz.py --files` runs more rounds.
"""

from __future__ import annotations

import pytest

from tests.work import sometimes_at_most
from tools.fuzz_files import core_round


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_mutated_cores(first: int) -> None:
    for seed in range(first, first + 10):
        with sometimes_at_most(seed, 20_000_000):
            core_round(seed)
