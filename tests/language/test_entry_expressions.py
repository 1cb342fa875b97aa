"""`n@entry`: what the caller passed, as GDB 13 shows it of the same core file."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, run

CRASH = (FIXTURES / "core/crash.x86_64.O2", FIXTURES / "core/crash.x86_64.O2.core")


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("outer@entry", "$1 = (struct node *) 0x7fffffffed80"),
        ("*outer@entry", None),
        ("outer @ entry == outer", "$1 = 1"),
        ("n@entry - 1", "$1 = -1"),
        ("sizeof(n@entry)", "$1 = 4"),
        ("here@entry", '@entry can be used only for function parameters, not for "here"'),
        ("nosuch@entry", '@entry can be used only for function parameters, not for "nosuch"'),
        ("n@entry = 3", "Left operand of assignment is not an lvalue."),
        ("&n@entry", "Attempt to take address of value not located in memory."),
    ],
)
def test_values_on_entry(expression: str, shown: str | None) -> None:
    done = run("debug", *CRASH, "--batch", "-ex", "frame 1", "-ex", f"p {expression}")
    last = (done.err or done.out).splitlines()[-1]
    if shown is None:
        assert last.startswith("$1 = {key = ")
    else:
        assert last == shown
