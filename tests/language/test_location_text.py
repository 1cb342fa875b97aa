"""Locations of code as text: read again, they mean the same."""

from __future__ import annotations

import pytest

from dwarfgpu.language.explicit_location import IN_FILE, location_text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("'a.c':3", "a.c:3"),
        ("h.h : 3", "h.h:3"),
        ("'helper'", "helper"),
        ("'a(b).c':3", "'a(b).c':3"),
        ('"a<b>.c" : 3', "'a<b>.c':3"),
        ("'a:b.c':f", "'a:b.c':f"),
        ("'looped(int)':again", "looped(int):again"),
        ('"it\'s.c":f', "it's.c:f"),
        ('"it\'s (b).c":f', '"it\'s (b).c":f'),
    ],
)
def test_quotes_stay_where_they_are_needed(written: str, shown: str) -> None:
    assert location_text(written) == shown
    if shown.endswith(":again"):
        return  # of a function, not in a file
    before, after = IN_FILE.fullmatch(written), IN_FILE.fullmatch(shown)
    assert (before is None) == (after is None)
    if before is not None and after is not None:
        assert before["file"].strip("'\"") == after["file"].strip("'\"")
        assert before["inside"] == after["inside"]
