"""Every option of every command has a help text, and a page of the documentation names it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from dwarfgpu.cli.main import COMMANDS
from tools.gen_completion import whole_parser


def actions_of(command: str) -> list[argparse.Action]:
    """The options that the help of a command shows."""
    _, parsers = whole_parser()
    return [
        action
        for action in parsers[command]._actions
        if action.option_strings and action.help != argparse.SUPPRESS and action.dest != "help"
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_help_text_and_documentation(command: str, repository: Path) -> None:
    pages = [path for path in (repository / "docs").glob("*.md") if path.stem != "changelog"]
    text = "\n".join(path.read_text("utf-8") for path in pages)
    for action in actions_of(command):
        assert action.help, action.option_strings
        names = "|".join(map(re.escape, action.option_strings))
        assert re.search(rf"(?<![\w-])(?:{names})(?![\w-])", text), action.option_strings
