"""`forward-search` and `reverse-search` in long source files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run
from tests.work import calls_of

STATE = FIXTURES / "states/nest.gfx942.O0.json"
GOES_ON = "Expression not found up to line {}; the same command goes on there"


def searched(folder: Path, text: str, *commands: str) -> list[str]:
    """What commands say of the source file with another text: the lines, then the errors."""
    (folder / "hip").mkdir(exist_ok=True)
    (folder / "hip/nest.hip").write_text(text)
    words = [word for command in (f"directory {folder}", *commands) for word in ("-ex", command)]
    done = run("debug", "--state", STATE, "-q", "--batch", *words)
    said: str = done.out + done.err
    return [line for line in said.splitlines() if line[:1].isdigit() or "Expression" in line]


def test_lines_in_both_directions(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 301))
    said = searched(tmp_path, text, "list 5,5", "search 2[0-9]5$", "fo", "reverse-search 1.5$")
    assert said == ["5\tline 5", "205\tline 205", "215\tline 215", "195\tline 195"]


def test_the_same_command_goes_on_where_one_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work has a bound; nothing is left out."""
    monkeypatch.setattr("dwarfgpu.repl.files.search_commands.MOST_CHARACTERS", 120 * 16 - 1)
    text = "\n" * 299 + "x\n"
    said = searched(tmp_path, text, "list 1,1", *["search x"] * 4, "reverse-search y")
    ends = [GOES_ON.format(line) for line in (121, 241)]
    assert said == ["1\t", "300\tx", *ends, "Expression not found", GOES_ON.format(180)]


def test_a_line_costs_little(tmp_path: Path) -> None:
    """The file is not asked for each line whether it has changed."""
    assert searched(tmp_path, "\n" * 99, "search x") == ["Expression not found"]
    work = [
        calls_of(lambda count=count: searched(tmp_path, "\n" * count, "search x"))
        for count in (1_000, 5_000)
    ]
    assert work[1] < work[0] + 4_000 * 17, work
