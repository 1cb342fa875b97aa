"""The targets of coverage-guided fuzzing, on their seeds and on a few mutations of each.

`tools/fuzz_coverage.py` goes on from here for as long as it is let.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.work import at_most, sometimes_at_most
from tools.fuzz_targets import TARGETS, mutated, seeds

ROUNDS = 150
MAX_CALLS = 3_000_000
"""For an input of a few kilobytes."""


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_answered(name: str) -> None:
    valid = list(seeds(name))
    assert valid
    for data in valid[::4]:
        with at_most(MAX_CALLS):
            assert TARGETS[name](data)["answer"]


@pytest.mark.parametrize("name", TARGETS)
def test_mutations_are_answered_or_refused(name: str) -> None:
    """No other exception, and no endless work."""
    rng = Random(name)
    valid = list(seeds(name))
    for number in range(ROUNDS):
        data = mutated(rng, rng.choice(valid))
        with sometimes_at_most(number, MAX_CALLS):
            TARGETS[name](data)
