"""Errors of the command line itself: what was perhaps meant, and a command that works here."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.options.program_name import program_name
from tests.cli.command import run


def test_an_unknown_command_is_corrected() -> None:
    done = run("evl", "--demo", "t")
    assert done.status == 2
    advice = f"{program_name()} --help"
    assert done.error == f"evl is not a command; did you mean eval? See {advice}"
    assert run("rnu").error == f"rnu is not a command; did you mean run? See {advice}"
    assert run("backtrace").error == f"backtrace is not a command; did you mean bt? See {advice}"
    assert run("klingon").error == f"klingon is not a command; see {advice}"


def test_advice_names_a_command_that_works_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    assert run("eval", "--bogus").error.endswith("; see tools/dwarfgpu eval --help")


def test_help_lists_the_commands_and_says_how_to_go_on() -> None:
    assert run("--help").out.endswith("Run dwarfgpu COMMAND --help for details.\n")
    assert "\nSee docs/where.md.\n" in run("where", "--help").out


@pytest.mark.parametrize("columns", [40, 80])
def test_the_list_of_commands_fits_the_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    [_, listed] = run("--help").out.split("commands:\n")
    lines = listed.partition("\n\n")[0].splitlines()
    assert max(map(len, lines)) < columns
    assert " ".join(" ".join(lines).split()).startswith("eval evaluate a variable of a code ")
    assert all(line.startswith((" " * 15, "  ")) for line in lines)


def test_help_has_the_usage_wherever_it_is_asked_for() -> None:
    expected = run("eval", "--help").out
    assert "EXPRESSION" in expected.split("\n\n")[0].upper()
    for words in (["x", "-h"], ["--help", "--json"], ["x", "--lane", "3", "--help"]):
        assert run("eval", *words).out == expected


def test_a_missing_argument_is_called_as_in_the_help() -> None:
    for words in (["completion"], ["completion", "nosuch"]):
        error = run(*words).error
        assert "SHELL" in error and "kind" not in error
    assert "SHELL" in run("completion", "--help").out
