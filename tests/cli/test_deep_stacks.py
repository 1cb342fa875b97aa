"""Stacks of many frames: their numbers, and the values on entry through all of them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.command import run
from tests.objfile.deep_stacks import deep_core


def test_numbers_have_a_blank_after_them(tmp_path: Path) -> None:
    lines = run("bt", *deep_core(tmp_path / "core", 101)).lines[1:]
    numbers = [re.match(r"#\d+ +", each) for each in lines]
    assert [None if each is None else each[0] for each in numbers] == [
        *(f"#{n}  " for n in range(10)), *(f"#{n} " for n in range(10, len(lines))),
    ]  # fmt: skip
