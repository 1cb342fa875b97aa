"""Counted nouns in messages: `errors.counted` and `errors.plural` make every plural."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import counted, plural
from dwarfgpu.expr.static_check.extent import Extent
from dwarfgpu.machine.sparse_memory import NOT_IN_STATE
from dwarfgpu.machine.state.register_bytes import RegisterBytes, missing_bytes, unknown_register
from dwarfgpu.view.location_sentence import extent_text

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


def test_one_bit_or_byte_that_is_missing() -> None:
    assert extent_text(Extent("partly", ((31, 1),))) == "bit 31 optimized out"
    assert extent_text(Extent("partly", ((0, 1), (31, 1)))) == "bits 0,31 optimized out"
    x86_64 = architecture("x86_64")
    rax, stored = x86_64.by_name["rax"], RegisterBytes(bytes(8), b"\xff\0" * 4)
    assert missing_bytes(0, rax, NOT_IN_STATE, stored, 0, 8).message.endswith(", byte 1")
    assert missing_bytes(0, rax, NOT_IN_STATE, unknown_register(8), 0, 8).message.endswith(
        ", bytes 0 to 7"
    )
