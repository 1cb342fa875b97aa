"""What names the function in focus names the inlined one, as `frame` does."""

from __future__ import annotations

import pytest

from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal.bottom_bar import bar_text
from dwarfgpu.service.frame.argument_words import focused_frame_line
from tests.cli.command import FIXTURES, Done, run, run_json
from tests.repl.repl_shell import made, output_of
from tests.session.test_read_lanes import sessions

STATE = FIXTURES / "states/dispatch.gfx1100.json"
NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
"""The first instruction of its kernel is of a function that is inlined from device.h."""
LAUNCH = (
    "--grid",
    64,
    "--workgroup",
    64,
    "--arg",
    "in=zeros:256",
    "--arg",
    "out=zeros:4096",
    "--arg",
    "limit=3",
)


def shell() -> Shell:
    return made(sessions(STATE.name)[0])


def debugged(*commands: str) -> Done:
    arguments = [argument for command in commands for argument in ("-ex", command)]
    return run("debug", NEST, "--dispatch", "nest", *LAUNCH, "--batch", *arguments)


def test_the_first_line_and_the_bar() -> None:
    kernel = shell()
    assert output_of(kernel, "frame").startswith("#0  item () at opencl/kernels.cl:26")
    assert focused_frame_line(kernel.session) == "item () at opencl/kernels.cl:26"
    assert "  item  kernels.cl:26  " in bar_text(kernel, 200)
    output_of(kernel, "up")
    assert focused_frame_line(kernel.session).startswith("diverge (")
    assert "  diverge  kernels.cl:30  " in bar_text(kernel, 200)


def test_info_frame() -> None:
    output = run("debug", "--state", STATE, "--batch", "-ex", "info frame", "-ex", "info frame 1")
    places = [line.partition(" in ")[2] for line in output.lines if " in " in line]
    assert places == ["item (opencl/kernels.cl:26)", "diverge (opencl/kernels.cl:30)"]


def test_lines_before_the_run_are_of_the_file_of_the_kernel() -> None:
    """The first instruction is of a function that is inlined from device.h; GDB's default source is
    that of `main`."""
    commands = ["frame", "break 14", "list", "info line 14", "info source", "list device.h:15"]
    commands += ["break 15", "run", "break 14"]
    output = debugged(*commands)
    assert " at hip/device.h:15" in output.lines[0]
    breakpoints = [line for line in output.lines if line.startswith("Breakpoint ")]
    assert [line.partition("file ")[2] for line in breakpoints] == [
        "hip/nest.hip, line 14.",
        "hip/device.h, line 15.",
        "hip/device.h, line 15.",
    ]
    assert "Current source file is hip/nest.hip" in output.lines
    assert any(line.startswith('Line 14 of "hip/nest.hip" starts at') for line in output.lines)


def stopped(*commands: str) -> list[str]:
    """The lines with frames."""
    return [line for line in debugged(*commands).lines if " at hip/" in line]


def test_a_breakpoint_of_a_function_stops_before_its_inlined_calls() -> None:
    """GDB's `skip_inline_frames`: the inlined function is entered by `step` alone, without an
    instruction. A breakpoint in it, even one of several, is one in the inlined function."""
    stop, entered, back = stopped("break nest", "run", "step", "step")
    assert ", nest (in=" in stop and stop.endswith(" at hip/nest.hip:9")
    assert entered == "block_x () at hip/device.h:15"
    assert back.startswith("nest (") and back.endswith(" at hip/nest.hip:9")
    assert stopped("break nest", "run", "stepi")[1].endswith(" in block_x () at hip/device.h:15")
    assert stopped("break *0x7f0000001600", "run")[0].endswith(", block_x () at hip/device.h:15")
    [stop] = stopped("break nest", "break *0x7f0000001600", "run")
    assert stop.endswith(", block_x () at hip/device.h:15")


@pytest.mark.parametrize(
    "commands", [("starti",), ("catch dispatch", "run"), ("catch workgroup", "run")]
)
def test_a_wave_that_begins_is_before_the_inlined_calls(commands: tuple[str, ...]) -> None:
    """As a program of GDB is after `starti`: lines are in the file of the kernel."""
    stop, entered = stopped(*commands, "step")
    assert "nest (in=" in stop and stop.endswith(" at hip/nest.hip:9")
    assert entered == "block_x () at hip/device.h:15"
    output = debugged(*commands, "break 14", "advance 14").out
    assert "file hip/nest.hip, line 14." in output


def of_two_waves() -> list[object]:
    """Return the words that debug a dispatch of two waves."""
    words = ["debug", NEST, "--dispatch", "nest", "--grid", 128, *LAUNCH[2:], "--batch"]
    return ["in=zeros:4096" if word == "in=zeros:256" else word for word in words]


def test_the_next_wave_is_before_the_inlined_calls() -> None:
    """To which the focus moves where a step ends a wave."""
    lines = run(*of_two_waves(), "-ex", "starti", "-ex", "next 1000").lines
    switched = next(number for number, line in enumerate(lines) if "thread 2, lane 0" in line)
    assert lines[switched + 1].startswith("nest (in=")
    assert lines[switched + 1].endswith(" at hip/nest.hip:9")


@pytest.mark.parametrize("watch", [[], ["watch a if a == 77"]])
def test_a_watchpoint_ends_where_a_body_begins(watch: list[str]) -> None:
    """The next wave: its breakpoint stops it before the inlined calls, as without the
    watchpoint."""
    commands = ["break nest", "run", "next", *watch, "continue"]
    done = run(*of_two_waves(), *(word for command in commands for word in ("-ex", command)))
    assert ("Watchpoint 2 deleted" in done.out) == bool(watch)
    [line] = [line for line in done.lines if line.startswith("Thread 2 hit Breakpoint 1, ")]
    assert ", nest (in=" in line and line.endswith(" at hip/nest.hip:9")


@pytest.mark.parametrize("command", ["next", "until"])
def test_a_line_whose_inlined_call_is_not_entered_is_stepped_over(command: str) -> None:
    """Line 9 of the kernel calls two functions that are inlined there."""
    _, frame = stopped("break nest", "run", command, "frame")
    assert frame.startswith("#0  nest (") and frame.endswith(" at hip/nest.hip:10")


def test_a_step_from_an_outer_frame_is_one_of_the_innermost() -> None:
    """As in GDB: `up` does not change what is stepped."""
    lines = stopped("break *0x7f0000001600", "run", "up", "next")
    assert lines[-1].startswith("nest (") and lines[-1].endswith(" at hip/nest.hip:9")


def test_a_run_names_the_function_of_its_breakpoint() -> None:
    """As the prompt does; the inlined function is that of breakpoints in its code."""
    frames = {"nest": "nest (in=", "*0x7f0000001600": "block_x () at hip/device.h:15"}
    for place, frame in frames.items():
        arguments = "run", NEST, "nest", *LAUNCH, "--break", place, "--stops", 1
        assert run(*arguments).lines[2].startswith(f"  {frame}")
        record = run_json(*arguments).json["stops"][0]["frame"]
        assert (record["level"], record["func"]) == (0, frame.partition(" ")[0])
