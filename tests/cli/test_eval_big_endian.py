"""A machine with big-endian data; the values are those that GDB prints."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, run

PROGRAM = str(FIXTURES / "aarch64_be/fields.clang.O0.v5")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("s", "{a = 1, b = 2, c = 3, d = 4}"),
        ("s.a", "1"),
        ("s.b + 0", "2"),
        ("s.c", "3"),
        ("packed", "{wide = -5, flag = 1, tag = 120 'x'}"),
        ("packed.wide", "-5"),
        ("words", "{1, -2, 4660}"),
        ("real", "1.5"),
    ],
)
def test_values(expression: str, expected: str) -> None:
    assert run("eval", "--file", PROGRAM, expression).out == f"{expression} = {expected}\n"


def test_operations() -> None:
    address = run("eval", "--file", PROGRAM, "&words").out.split()[-2]
    done = run("eval", "--file", PROGRAM, "-e", f"addr {address}; lit4; plus; deref_size 2")
    assert done.out.startswith("4660 ")
