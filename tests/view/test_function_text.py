"""How a function that is inlined is named (`dwarfgpu.view.coverage_text`)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.coverage.coverage import CodeScope
from dwarfgpu.view.coverage_text import MAX_CALLS, function_text


def nested(calls: int) -> CodeScope:
    entry: Any = SimpleNamespace(abbreviation=SimpleNamespace(tag=dw.TAG_SUBPROGRAM))
    place = CodeScope(entry, None, (), "main", "main")
    for line in range(calls):
        place = CodeScope(entry, place, (), "f", "ns::f", line)
    return place


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        (0, "main"),
        (1, "ns::f, inlined into main"),
        (2, "ns::f, inlined into ns::f at line 1, inlined into main"),
    ],
)
def test_calls_from_the_inside(calls: int, text: str) -> None:
    assert function_text(nested(calls)) == text


def test_very_many_calls_are_counted() -> None:
    """Every variable shows them: all of them would be quadratic."""
    text = function_text(nested(1000))
    assert text.endswith(", … (968 more) in main")
    assert text.count("at line") == MAX_CALLS == 32
    assert function_text(nested(33)).endswith(", … (1 more) in main")
    assert function_text(nested(32)).endswith(", inlined into main")
