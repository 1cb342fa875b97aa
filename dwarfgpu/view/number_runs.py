"""Numbers of lanes, waves or source lines as a short text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_MAX_RUNS: Final = 4


def runs_text(numbers: Sequence[int]) -> str:
    """Return `14-16,19`; of many runs, only the first ones."""
    breaks = [index for index, (a, b) in enumerate(pairwise(numbers), 1) if b != a + 1]
    runs = [numbers[a:b] for a, b in pairwise([0, *breaks, len(numbers)])]
    texts = [f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ",".join(texts[:_MAX_RUNS]) + (",…" if len(texts) > _MAX_RUNS else "")
