"""Numbers in messages."""

from __future__ import annotations

import pytest

from dwarfgpu.errors import counted


@pytest.mark.parametrize(
    ("count", "noun", "expected"),
    [
        (1, "byte", "1 byte"),
        (0, "byte", "0 bytes"),
        (2, "note", "2 notes"),
        (-1, "byte", "-1 bytes"),
    ],
)
def test_a_count_and_its_noun(count: int, noun: str, expected: str) -> None:
    assert counted(count, noun) == expected
