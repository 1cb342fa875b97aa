"""What a session says of files without debugging information."""

from __future__ import annotations

import pytest

from dwarfgpu.session.unknown_name import undescribed


@pytest.mark.parametrize(
    ("files", "text"),
    [
        (["a.co"], "a.co has no debugging information"),
        (["a.co", "b.co"], "a.co, b.co have no debugging information"),
    ],
)
def test_their_number(files: list[str], text: str) -> None:
    assert undescribed(files) == text
