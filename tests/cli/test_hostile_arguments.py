"""Hostile arguments."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dwarfgpu.base.printable import ESCAPES
from tests.cli.command import FIXTURES, REPOSITORY, run


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("eval --state '' lit0", "--state"),
        ("eval --file '' lit0", "--file"),
        ("bt --state ''", "--state"),
        ("info ''", "FILE"),
        ("dis --binary ''", "--binary"),
        ("check --report '' fixtures/hip/nest.gfx942.O2.v5.co", "--report"),
    ],
)
def test_an_empty_argument_is_not_an_absent_one(line: str, name: str) -> None:
    answer = run(*shlex.split(line))
    assert answer.status == 2
    assert answer.error == f"{name} is empty: leave it out, or give a value"


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ("--lane", "--lane --: expected a lane, several as in 0-3,7, or active, inactive or all"),
        ("--reg", "--reg --: expected NAME=VALUE"),
        ("--mem", "--mem --: expected SPACE#ADDRESS=HEX"),
        ("--max-steps", "--max-steps: expected an integer, not '--'"),
        ("--file", "-- cannot be read: No such file or directory"),
    ],
)
def test_a_value_of_two_hyphens_is_a_value(option: str, error: str) -> None:
    """argparse before Python 3.13 takes it for the end of the options, and gives an empty list."""
    answer = run("eval", "--demo", f"{option}=--", "a")
    assert (answer.status, answer.error) == (2, error)


@pytest.mark.parametrize("command", ["info", "eval --state", "disas"])
def test_bytes_of_a_name_that_are_not_text(command: str, tmp_path: Path) -> None:
    """They are shown as in the members of archives."""
    done = run(*command.split(), os.fsdecode(b"a\xffb\n.co"), *(["x"] if "eval" in command else []))
    assert done.status == 2
    assert "a\\xffb\\n.co" in done.error


def test_the_output_has_bytes_of_a_name_as_escapes(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"a\xffb.co")
    shutil.copyfile(FIXTURES / "hip/nest.gfx942.O2.v5.co", path)
    command = [sys.executable, "-m", "dwarfgpu", "info", path]
    done = subprocess.run(command, capture_output=True, cwd=REPOSITORY, check=False)
    assert done.returncode == 0
    assert b"/a\\xffb.co: ELF 64-bit" in done.stdout


def test_the_ellipsis_in_ascii_is_three_dots() -> None:
    """It marks what dwarfgpu has cut, and is no character of a name."""
    command = [sys.executable, "-m", "dwarfgpu", "lanes", "--demo", "--grid", "--lane", "0-15", "t"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "80"}
    done = subprocess.run(
        command, capture_output=True, cwd=REPOSITORY, env=environment, check=False
    )
    shown = b"lanes 0-1,4,7-8,10-11,...  active"
    assert shown in done.stdout
    command = [sys.executable, "-m", "dwarfgpu", "debug", "--demo", "--batch", "-ex", "lanes t"]
    done = subprocess.run(
        command, capture_output=True, cwd=REPOSITORY, env=environment, check=False
    )
    assert shown in done.stdout


def test_characters_that_an_encoding_lacks_are_read_as_in_c() -> None:
    """`L"\\xe41b"` has one character U+E41B in C, and `\\xe4` is a byte of a name otherwise."""
    shown = 'L"ä1b€😀" a\udce4b'.encode("ascii", ESCAPES)
    assert shown == rb'L"\u00e41b\u20ac\U0001f600" a\xe4b'
    assert "ä€".encode("latin-1", ESCAPES) == b"\xe4\\u20ac"
