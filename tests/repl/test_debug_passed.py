"""Breakpoints that are passed without a stop change nothing: neither a step, nor the focus."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import made, output_of
from tests.repl.stepping import CALL, Stepping
from tests.repl.test_debug_simulated import talk


@pytest.mark.parametrize("passed", ["break fibonacci if n == 99", "break fibonacci\nignore 2 9999"])
def test_next_passes_over_a_call(passed: str, tmp_path: Path) -> None:
    """GDB steps over the call; the function that is called has a breakpoint that does not stop."""
    lines = talk(
        tmp_path, "recursion", "tbreak integers.hip:129", "run", "lane 7", *passed.split("\n"),
        "next", "p $_lane", "p $_thread", a=[1] * 128,
    )  # fmt: skip
    assert lines[-3:] == ["130\tin run/integers.hip", "$1 = 7", "$2 = 1"]


def test_the_lane_in_focus_stays(tmp_path: Path) -> None:
    """Lane 2 does not execute line 65, where a condition is evaluated on the way."""
    lines = talk(
        tmp_path, "nest", "tbreak nest", "run", "lane 2", "break integers.hip:65 if x == 99999",
        "tbreak integers.hip:80", "continue", "p $_lane",
    )  # fmt: skip
    assert "with lanes [0-63], nest (" in lines[-3]
    assert lines[-1] == "$1 = 2"


def test_until_is_about_the_frame_in_focus() -> None:
    """GDB's `until 66` in factorial(3) does not stop in factorial(1), which is first there, and
    `advance` does; where the location is not reached any more, they end with the function."""
    target = Stepping()
    program = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5")
    shell = made(Session(target.architecture, (program,), target, wave=1, pc=CALL))
    output_of(shell, "tbreak factorial", "run")
    assert output_of(shell, "until 66").startswith("factorial (n=3) at x86_64/demo.c:66\n")
    assert output_of(shell, "until 60").startswith("0x0000000000001467 in main (")
    output_of(shell, "tbreak factorial", "run")
    assert output_of(shell, "advance 66").startswith("factorial (n=2) at x86_64/demo.c:66\n")
    output_of(shell, "tbreak factorial if n == 2", "run")
    assert output_of(shell, "until 60").startswith("0x0000000000001181 in factorial (n=3) at ")


@pytest.mark.parametrize("command", ["next", "until"])
def test_until_stops_in_a_caller_at_a_lower_address(command: str) -> None:
    """As in GDB, it passes lines of the function in focus alone: `x` is before `y` in the file."""
    done = run(
        "debug", "--state", FIXTURES / "states/nested_if_call.gfx942.json", "--fill", 0,
        "--reg", "mode=0xf0", "--lane", 1, "--batch",
        *(word for line in ("bt 1", command, command, command) for word in ("-ex", line)),
    )  # fmt: skip
    assert done.lines[0] == "#0  y (c3=true) at asm/nested_if.hip:23"
    assert "x (c1=true, c2=true) at asm/nested_if.hip:10" in done.lines
