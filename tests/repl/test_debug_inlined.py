"""What names the function in focus names the inlined one, as `frame` does."""

from __future__ import annotations

from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal.bottom_bar import bar_text
from dwarfgpu.service.frame.focus import focused_frame_line
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
