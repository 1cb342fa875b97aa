"""Every option of every command has a help text, and a page of the documentation names it."""

from __future__ import annotations

import argparse
import re
from functools import cache

import pytest

from dwarfgpu.cli.main import COMMANDS
from tests.cli.command import REPOSITORY, run
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
def test_every_option_has_a_help_text_and_documentation(command: str) -> None:
    for action in actions_of(command):
        assert action.help, action.option_strings
        assert documented() & {*action.option_strings}, action.option_strings


@cache
def documented() -> frozenset[str]:
    """Return the words of the documents, options among them."""
    pages = [path for path in (REPOSITORY / "docs").glob("*.md") if path.stem != "changelog"]
    return frozenset(re.findall(r"[\w-]+", "\n".join(path.read_text("utf-8") for path in pages)))


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        ("debug", "1 a command of a script or a pipe failed"),
        ("run", "1 a wave could not continue, a file of --out is not written, or an expression"),
        ("conformance", "1 some failed"),
        ("completion", ""),
        ("info", "1 a part is unreadable"),
        ("frames", "1 a part is unreadable or the address is not described"),
        ("waves", "1 some waves are not read"),
        ("bt", "1 neither"),
        ("eval", "1 no result or unknown bits"),
    ],
)
def test_help_says_what_the_exit_status_of_the_command_means(command: str, failure: str) -> None:
    """As the page of the command does: only evaluation has unknown bits."""
    status = " ".join(run(command, "--help").out.partition("exit status: ")[2].split())
    assert failure in status and status.startswith("0 ") and "2 " in status
    assert failure or " 1 " not in status
    assert ("unknown bits" in status) == (command == "eval")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_terminal(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but what cannot be wrapped: the names of an option of GDB, and lines of a shell."""
    monkeypatch.setenv("COLUMNS", "80")
    usage, _, options = run(command, "--help").out.partition("\n\n")
    wide = [line for line in (usage + options).splitlines() if len(line) > 80]
    assert not [line for line in wide if "{" in line or "exit status" in line]
    assert "EXCEEDING" not in options.upper() or "Exceeding one is" in options
