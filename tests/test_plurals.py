"""Counted nouns in messages: `errors.counted` and `errors.plural` make every plural."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dwarfgpu.errors import counted, plural

LOCAL = re.compile(r"""['"]e?s['"] (?:if|\*).*[=<>]|else ['"]e?s['"]""")
"""A plural that is made in place: `'s' if n > 1 else ''`."""


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes"), (1 << 128, "of 129 bits bytes")],
)
def test_counted(count: int, text: str) -> None:
    assert counted(count, "byte") == text
    assert plural(count, "byte") == ("byte" if count == 1 else "bytes")


def test_one_function_makes_plurals(repository: Path) -> None:
    texts = {path: path.read_text("utf-8") for path in (repository / "dwarfgpu").rglob("*.py")}
    found = [
        f"{path.relative_to(repository)}: {line.strip()}"
        for path, text in texts.items()
        for line in text.splitlines()
        if LOCAL.search(line)
    ]
    assert not found
