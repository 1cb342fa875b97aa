"""Errors are equal if they say the same, as the records that have them are compared."""

from __future__ import annotations

import pytest

from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Site, Unavailable, WhollyUnavailable


def test_an_error_equals_another_that_says_the_same() -> None:
    first, second = Unavailable("register 3"), Unavailable("register 3")
    assert first == second and len({first, second}) == 1
    second.site = Site(2, "DW_OP_deref")
    assert first != second
    assert second == second.anew() and hash(second) == hash(second.anew())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Unavailable("register 3"), Unavailable("register 4")),
        (Unavailable("register 3"), WhollyUnavailable("register 3")),  # the same `kind`
        (LimitExceeded("steps"), LimitExceeded("steps", "--max-steps")),
        (LimitExceeded("steps (--max-steps)"), LimitExceeded("steps", "--max-steps")),
    ],
)
def test_errors_that_differ(first: DwarfGpuError, second: DwarfGpuError) -> None:
    assert first != second


def test_an_error_equals_nothing_else() -> None:
    assert Unavailable("register 3") != "register 3"
    assert Unavailable("register 3") != OSError("register 3")
