"""Arrows beside code."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dwarfgpu.view.branch_arrows import ASCII, MAX_COLUMNS, arrows, glyphs_for
from tests.work import assert_linear


def test_forwards_and_backwards() -> None:
    assert list(arrows(4, {0: 3})) == ["╭─ ", "│  ", "│  ", "╰▶ "]
    assert list(arrows(3, {2: 0})) == ["╭▶ ", "│  ", "╰─ "]


def test_shorter_ones_are_further_in() -> None:
    assert list(arrows(5, {0: 4, 1: 3})) == ["╭── ", "│╭─ ", "││  ", "│╰▶ ", "╰─▶ "]


def test_branches_to_one_place_share_a_column() -> None:
    assert list(arrows(4, {0: 3, 1: 3})) == ["╭─ ", "├─ ", "│  ", "╰▶ "]


def test_a_branch_to_itself() -> None:
    assert list(arrows(1, {0: 0})) == ["╭▶ "]


def test_too_many_have_none() -> None:
    count = 2 * MAX_COLUMNS + 4
    rows = arrows(count, {line: count - 1 - line for line in range(count // 2)})
    assert {len(row) for row in rows} == {MAX_COLUMNS + 2}
    assert rows[0].strip() == "" == rows[-1].strip()  # the longest


def test_none_and_ascii() -> None:
    assert list(arrows(2, {})) == ["", ""]
    assert list(arrows(2, {0: 1}, ASCII)) == [",- ", "'> "]
    assert glyphs_for("ascii") == ASCII == glyphs_for(None)


@pytest.mark.parametrize("step", [1, 7])
def test_many_branches_are_placed_at_once(step: int) -> None:
    """None is compared with all that are in its column."""

    def drawn(count: int) -> Callable[[], object]:
        branches = {line: min(line + step, count - 1) for line in range(count)}
        return lambda: arrows(count, branches)

    assert_linear(drawn, 200)
