"""`file` where no program, or another one, is looked at, and what is said without any."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.repl.gdb_sessions import FIXTURES


def debug(*commands: str, files: tuple[str, ...] = ()) -> tuple[list[str], list[str]]:
    """The lines of a conversation, and those on the error stream."""
    given = [word for each in commands for word in ("-ex", each)]
    done = subprocess.run(
        [sys.executable, "-m", "dwarfgpu", "debug", "--batch", *files, *given],
        cwd=FIXTURES, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.splitlines(), done.stderr.splitlines()


PROGRAM = "x86_64/demo.gcc.O0.v5"
KERNEL = "hip/nest.gfx942.O2.v5.co"


def test_a_program_where_nothing_is_open() -> None:
    out, errors = debug(f"file {PROGRAM}", "p sizeof(numbers)")
    assert (out, errors) == ([f"Reading symbols from {PROGRAM}...", "$1 = 1200"], [])


def test_a_program_after_a_kernel() -> None:
    out, errors = debug(f"file {KERNEL}", f"file {PROGRAM}", f"file {KERNEL}", "lane")
    assert errors == [] and out[-1].startswith("[Current thread is 0, lane 0 ")


def test_what_is_no_program() -> None:
    core = "core/crash.x86_64.O0.core"
    no_program = "not in executable format: file format not recognized"
    _, errors = debug("file .", f"file {core}")
    assert errors == [".: Is a directory.", f'"{FIXTURES / core}": {no_program}']


def test_memory_of_a_frame_that_cannot_be_read() -> None:
    """GDB's words for the core of a stack overflow: a frame's line has the name already."""
    files = ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core")
    out, _ = debug("set $rbp = 0x100000", "frame", "info locals -q sum", files=files)
    unreadable = "Cannot access memory at address 0xf"
    assert f"leaf (head=<error reading variable: {unreadable}" in out[-3]
    assert out[-1].startswith(f"sum = <error reading variable sum ({unreadable}")
    assert out[-1].endswith(")>")


@pytest.mark.parametrize(
    "command", ["info line main", "list main", "info scope main", "p main", "info line a.c:3"]
)
def test_a_name_without_a_program(command: str) -> None:
    assert debug(command) == ([], ['No symbol table is loaded.  Use the "file" command.'])
