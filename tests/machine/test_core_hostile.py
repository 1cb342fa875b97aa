"""Mutated core files: an answer or one of our errors, of one line, and soon."""

from __future__ import annotations

import pytest

from tools.fuzz_files import core_round


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_mutated_cores(first: int) -> None:
    for seed in range(first, first + 10):
        core_round(seed)
