"""The current source file without a frame, as GDB has it."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, run


@pytest.mark.parametrize(
    ("command", "is_current"),
    [
        ("info line 17", True),
        ("break 17", True),
        ("info scope 17", True),
        ("info line 9999", True),
        ("info line -line 17", True),
        ("break -line 17", True),
        ("tbreak -line +1", True),
        ("break -qualified 17", True),
        ("info scope -li 17", True),
        ("break -function main -line 17", False),
        ("break -source demo.c -line 17", False),
        ("break -qualified main", False),
        ("info line demo.c:17", False),
        ("info line main", False),
        ("break main", False),
    ],
)
def test_a_line_without_a_file_makes_the_default_file_current(
    command: str, is_current: bool
) -> None:
    program = FIXTURES / "x86_64/demo.gcc.O0.v4"
    done = run("debug", program, "--batch", "-ex", command, "-ex", "info source")
    assert ("No current source file." in done.lines) is not is_current
    assert any(line.startswith("Current source file is ") for line in done.lines) is is_current
