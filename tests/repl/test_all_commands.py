"""Frequent commands are found without the modules of the others, and mean the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dwarfgpu.repl.command import parse
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.lazy_commands import ALL_COMMANDS, FREQUENT

WORDS = [word for words in FREQUENT.values() for word in words]
LOADED = """
import sys
from dwarfgpu.repl.lazy_commands import ALL_COMMANDS
from dwarfgpu.repl.command import parse
call = parse(ALL_COMMANDS, sys.argv[1])
print(call.argument, "dwarfgpu.repl.command_table" in sys.modules)
"""


@pytest.mark.parametrize("word", WORDS)
def test_a_frequent_command_is_that_of_the_table(word: str) -> None:
    assert parse(ALL_COMMANDS, f"{word} x").command is parse(COMMANDS, f"{word} x").command
    assert parse(ALL_COMMANDS, f"{word} x").argument == parse(COMMANDS, f"{word} x").argument


@pytest.mark.parametrize(
    ("line", "expected"),
    [("bt -full 3", "-full 3 False"), ("info  line main", "main False"), ("p/x t", "/x t False"),
     ("backtr 2", "2 True"), ("info reg", " True")],
)  # fmt: skip
def test_only_other_names_load_all_commands(line: str, expected: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, line], capture_output=True, text=True, check=True
    )
    assert done.stdout.rstrip("\n") == expected


def test_all_of_them_are_in_the_collection() -> None:
    assert tuple(ALL_COMMANDS) == tuple(COMMANDS) and len(ALL_COMMANDS) == len(COMMANDS)
    assert parse(COMMANDS, "bt").command in ALL_COMMANDS
