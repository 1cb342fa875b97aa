"""The control word of the x87 in frames outside of the innermost one (x86-64 psABI 3.2.1)."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <signal.h>
#include <stdlib.h>
static void inner(int n) { abort(); }
int main(int argc, char **argv)
{
  unsigned short word = 0x27f;
  __asm__ volatile("fldcw %0" : : "m"(word));
  if (argc > SIGNALS) { signal(SIGCHLD, inner); raise(SIGCHLD); }
  inner(0);
  return 0;
}
"""


@pytest.mark.parametrize("by_signal", [False, True])
def test_calls_preserve_it(tmp_path: Path, tool: Callable[[str], str], by_signal: bool) -> None:
    """Linux sets it for the handler of a signal (one that GDB passes), and GDB shows that value in
    `main`."""
    if platform.machine() != "x86_64":
        pytest.skip("the program is for x86-64")
    signals = f"-DSIGNALS={0 if by_signal else 9}"
    command = [tool("gcc"), "-g", "-O0", "-w", signals, "-o", "a", "a.c"]
    build(tmp_path, {"a.c": SOURCE}, [command])
    files = with_core(tool, tmp_path)
    shown = ["print $fctrl", "info registers fctrl"]
    commands = ["frame function inner", *shown, "frame function main", *shown]
    of_gdb, own = answers(tool("gdb"), files, commands), answers(None, files, commands)
    assert own[1:3] == of_gdb[1:3]
    if by_signal:
        assert "fctrl of the frame at " in own[4] and "is set for the handler of a signal" in own[4]
        assert own[5].split()[-2:] == ["<not", "saved>"]
    else:
        assert own[4:] == of_gdb[4:]
        assert own[4].endswith(" = 639\n")
