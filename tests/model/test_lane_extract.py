"""The answer of one lane, out of one for all (`dwarfgpu.model.lane_extract`)."""

from __future__ import annotations

import numpy as np
import pytest

from dwarfgpu.model.lane_extract import NESTING, LaneExtractor
from dwarfgpu.model.lane_integers import Divergence, lanes


def nested(depth: int) -> object:
    """Lanes inside a number of tuples."""
    inside: object = lanes(np.array([5, 7]))
    for _ in range(depth):
        inside = (inside, "same")
    return inside


def innermost(answer: object) -> object:
    while isinstance(answer, tuple):
        answer = answer[0]
    return answer


def test_nesting_has_a_bound() -> None:
    pick = LaneExtractor((2,)).of(nested(NESTING))
    assert [innermost(pick(lane)) for lane in range(2)] == [5, 7]
    with pytest.raises(Divergence) as caught:
        LaneExtractor((2,)).of(nested(NESTING + 1))
    assert caught.value.key is None


def test_what_is_the_same_is_not_made_again() -> None:
    alike = (1, "two", (3,))
    assert LaneExtractor((2,)).of(alike)(1) is alike
