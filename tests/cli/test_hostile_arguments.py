"""Arguments that nobody meant."""

from __future__ import annotations

import shlex

import pytest

from tests.cli.command import run


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("eval --state '' lit0", "--state"),
        ("eval --file '' lit0", "--file"),
        ("bt --state ''", "--state"),
        ("info ''", "FILE"),
        ("dis --binary ''", "--binary"),
    ],
)
def test_an_empty_argument_is_not_an_absent_one(line: str, name: str) -> None:
    answer = run(*shlex.split(line))
    assert answer.status == 2
    assert answer.error == f"{name} is empty: leave it out, or give a value"
