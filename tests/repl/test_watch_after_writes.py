"""Watchpoints whose objects were written at the prompt, or which were disabled: the previous value
is that which the program changes, as in GDB."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run

PRICES = (
    *("debug", FIXTURES / "run/prices.gfx942.O0.v5.co", "--dispatch", "prices", "--heuristic"),
    *("--scratch", 4096, "--grid", 128, "--workgroup", 64, "--arg", "in=range:128"),
    *("--arg", "out=zeros:512", "-q", "--batch"),
)


def values(*commands: str) -> list[str]:
    done = run(*PRICES, *(word for line in commands for word in ("-ex", line)))
    return [line for line in done.lines if line.startswith(("Old value", "New value"))]


@pytest.mark.parametrize(
    ("function", "variable"), [("prices.hip:17", "out[3]"), ("rounded", "result")]
)
def test_the_previous_value_is_the_written_one(function: str, variable: str) -> None:
    """Without it, the store of the value that was there before is no change."""
    watch = (f"break {function}", "run", "delete", f"watch {variable}")
    assert values(*watch, f"set var {variable} = 77", "continue") == [
        "Old value = 77",
        "New value = 0",
    ]


def test_a_pointer_that_is_written_leads_to_the_watched_object() -> None:
    watch = ("break prices.hip:17", "run", "delete", "set var $i = 3", "watch out[$i]")
    assert values(*watch, "set var out[3] = 55", "continue") == ["Old value = 55", "New value = 0"]


def test_a_watchpoint_that_was_disabled() -> None:
    watch = ("break prices.hip:17", "run", "delete", "watch out[3]", "disable 2")
    changed = (*watch, "set var out[3] = 77", "enable 2", "continue")
    assert values(*changed) == ["Old value = 77", "New value = 0"]


@pytest.mark.parametrize("before", [(), ("set var out[0] = 5",), ("set var out[0] = 5",) * 2])
def test_a_watchpoint_that_was_set_again(before: tuple[str, ...]) -> None:
    """How often something was written in the former machine does not count."""
    watch = ("break prices.hip:17", "run", "delete", "print &out[3]", *before, "watch *$1")
    again = (*watch, f"file {PRICES[1]}", "set var *$1 = 77", "continue")
    assert values(*again)[:2] == ["Old value = 77", "New value = 0"]


GDB_SOURCE = """\
int sum;
void at(void) {}
int main(void) {
  for (int i = 1; i < 10; i++) {
    sum += i;
    if (i == 5) at();
  }
  return 0;
}
"""


@pytest.mark.parametrize(
    ("commands", "old"),
    [(["set var sum = 40"], 40), (["disable 2", "set var sum = 55", "enable 2"], 55)],
)
def test_gdb(commands: list[str], old: int, tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The rule is that of its hardware watchpoints."""
    source, program = tmp_path / "w.c", tmp_path / "w"
    source.write_text(GDB_SOURCE)
    subprocess.run([tool("gcc"), "-g", "-O0", "-o", program, source], check=True)
    lines = ["break at", "run", "watch sum", *commands, "continue"]
    words = [word for line in lines for word in ("-ex", line)]
    done = subprocess.run(
        [tool("gdb"), "-nx", "-batch", *words, program],
        check=False,
        capture_output=True,
        text=True,
    )
    if "hit Hardware watchpoint 2" not in done.stdout:
        pytest.skip("gdb has no hardware watchpoints here")
    assert f"Old value = {old}\nNew value = {old + 6}" in done.stdout
