"""`info frame` around a signal handler, as in GDB."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import REPOSITORY
from tests.repl.plain_gdb import NO_DEBUG_FILES

SOURCE = """
#include <signal.h>
#include <stdlib.h>
static void handler(int n) { abort(); }
static inline __attribute__((always_inline)) int crash(volatile int *p) { return *p; }
int main(void) { signal(SIGSEGV, handler); return crash((int *) 8); }
"""


def crashed(tool: Callable[[str], str], tmp_path: Path) -> tuple[list[str], Path, Path]:
    """Return the command of GDB, a program and a core file of it."""
    gdb = [tool("gdb"), "-nx", "-q", "-batch", "-iex", NO_DEBUG_FILES]
    (tmp_path / "a.c").write_text(SOURCE)
    program, core = tmp_path / "a", tmp_path / "core"
    command = [tool("gcc"), "-g", "-O2", str(tmp_path / "a.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    steps = ["handle SIGSEGV nostop noprint", "run", f"gcore {core}", "kill"]
    options = [word for step in steps for word in ("-ex", step)]
    subprocess.run([*gdb, *options, program], capture_output=True, check=False)
    if not core.exists():
        pytest.skip("GDB writes no core file here")
    return gdb, program, core


def test_variables_of_all_frames(tool: Callable[[str], str], tmp_path: Path) -> None:
    """A signal frame has no function: it is called as GDB's backtrace calls it."""
    gdb, program, core = crashed(tool, tmp_path)
    words = ["-ex", f"source {REPOSITORY}/dwarfgpu/gdb/source.py", "-ex", "dwarfgpu info-locals"]
    done = subprocess.run([*gdb, program, core, *words], capture_output=True, check=True)
    frames = [line for line in done.stdout.decode().splitlines() if line.startswith("#")]
    handler = next(count for count, line in enumerate(frames) if line.endswith(" handler"))
    assert frames[handler + 1].endswith("  <signal handler called>")
    assert frames[handler + 2].endswith("  crash")


def test_an_inlined_function_that_a_signal_interrupts(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The signal frame keeps the stack pointer in memory: it is not among the saved registers."""
    gdb, program, core = crashed(tool, tmp_path)
    answers: list[list[str]] = []
    own = [sys.executable, "-m", "dwarfgpu", "debug", "-q", "--batch", "-iex", NO_DEBUG_FILES]
    for debugger in (gdb, own):
        words = ["-ex", "frame function crash", "-ex", "echo @@\\n", "-ex", "info frame"]
        done = subprocess.run([*debugger, *words, program, core], capture_output=True, check=True)
        answers.append(done.stdout.decode().partition("@@\n")[2].splitlines())
    theirs, ours = answers
    assert " Saved registers:" in theirs
    assert theirs == ours
