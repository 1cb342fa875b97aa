"""What names the function in focus names the inlined one, as `frame` does."""

from __future__ import annotations

from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal.bottom_bar import bar_text
from dwarfgpu.service.frame.argument_words import focused_frame_line
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import made, output_of
from tests.session.test_read_lanes import sessions

STATE = FIXTURES / "states/dispatch.gfx1100.json"


def shell() -> Shell:
    return made(sessions(STATE.name)[0])


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
    arguments = [argument for command in commands for argument in ("-ex", command)]
    launch = ["--grid", "64", "--workgroup", "64", "--arg", "in=zeros:256"]
    launch += ["--arg", "out=zeros:256", "--arg", "limit=3"]
    file = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    output = run("debug", file, "--dispatch", "nest", *launch, "--batch", *arguments)
    assert " at hip/device.h:15" in output.lines[0]
    breakpoints = [line for line in output.lines if line.startswith("Breakpoint ")]
    assert [line.partition("file ")[2] for line in breakpoints] == [
        "hip/nest.hip, line 14.",
        "hip/device.h, line 15.",
        "hip/device.h, line 15.",
    ]
    assert "Current source file is hip/nest.hip" in output.lines
    assert any(line.startswith('Line 14 of "hip/nest.hip" starts at') for line in output.lines)
