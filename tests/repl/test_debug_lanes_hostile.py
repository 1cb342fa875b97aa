"""Commands about lanes and places, given what they do not expect: errors, and no traceback."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest

from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.open_files import focused
from dwarfgpu.repl.opened_machine import OpenedMachine
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from tests.cli.command import FIXTURES, run
from tests.cli.test_lane_values import session

ARGUMENTS = (
    "", "(", "*", "x/", "-", "--", "-s", "-q -c", "[", "\x1b[31m", "\u0663", "a\0b", "3", "0-3 x",
    "5-3 x", "99999999999999999999", "0-99999999999 x", "all", "all p x", "0-1 -q p x", "level",
    "$", "$$9", "$1", "$nosuch", "x =", "x = 1", "x++", "&x", "*x", "x@0", "x@99999999", "at.",
    "at->x",
    "*(char(*)[1000000])0", "*(char(*)[1000000000])0", "private_lane#0xffffffff", "nosuch#0",
    "(int)x", "1.5", '"abc"', "'a'", "{", "x | cat", "9" * 500, "(" * 500, "at.x" + ".x" * 200,
)  # fmt: skip
NAMES = (
    "lanes", "lanes/x -table", "location", "where", "explain", "check", "lane", "lane apply",
    "lane find", "thread", "thread apply", "thread find", "wave", "frame apply", "laas", "taas",
    "faas", "info lanes", "info threads", "info waves", "info agents", "info dispatches",
)  # fmt: skip


@pytest.fixture(scope="module")
def shell() -> Shell:
    looking = focused(session("divergent.gfx942").focused(None))
    machine = OpenedMachine({1: "AMDGPU Wave 1:1:1:1 (0,0,0)/0"})
    return Shell(looking, COMMANDS, Streams(io.StringIO(), io.StringIO()), machine)


HALVES = {"lanes": 0, "lanes/x -table": 1}
"""Every second argument, from this one on: they evaluate each in 64 lanes."""


@pytest.mark.parametrize("name", NAMES)
def test_nothing_but_answers_and_errors(name: str, shell: Shell) -> None:
    err = shell.console.streams.err
    assert isinstance(err, io.StringIO)
    for argument in ARGUMENTS[HALVES[name] :: 2] if name in HALVES else ARGUMENTS:
        before = len(err.getvalue())
        worked = shell.execute(f"{name} {argument}")
        output = err.getvalue()[before:]
        assert worked or output, (name, argument)
        assert len(output) < 2_000_000
    assert "Traceback" not in err.getvalue()
    assert "\x1b" not in err.getvalue()


def test_apply_inside_apply_ends(shell: Shell) -> None:
    err = shell.console.streams.err
    assert isinstance(err, io.StringIO)
    assert not shell.execute("thread apply 1 " * 6 + "p 1")
    assert "apply inside apply more than 4 deep" in err.getvalue()
    assert shell.script.applied == 0
    assert shell.execute("thread apply 1 " * 4 + "p 1")
    assert not shell.execute("lane apply 0 1 2 -s " * 90 + "p 1")  # not again for each lane
    assert not shell.execute("laas " * 90 + "p 1")
    assert err.getvalue().count("apply inside apply more than 4 deep") == 3


def test_a_kernel_that_begins_outside_of_its_code_object(tmp_path: Path) -> None:
    """The commands that need the line of the frame in focus find none."""
    data = bytearray((FIXTURES / "run/integers.gfx942.O2.v5.co").read_bytes())
    entry = struct.Struct("<q")
    at = data.index(entry.pack(6080))  # `kernel_code_entry_byte_offset` of vadd
    data[at : at + 8] = entry.pack(6080 + (1 << 40))
    path = tmp_path / "outside.co"
    path.write_bytes(data)
    done = run(
        "debug", path, "--dispatch", "vadd", "--grid", 64, "--workgroup", 64, "--batch",
        *(f"--arg={number}=zeros:256" for number in range(3)), "-ex", "advance *$pc+32",
        "-ex", "break *$pc+16",
    )  # fmt: skip
    assert "Breakpoint 1 at 0x800000006910" in done.out, (done.out, done.err)
