"""Code behind the end of a symbol, as in a stripped program: GDB names no function of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <stdlib.h>
int shown(int a) { return a + 1; }
static __attribute__((noinline)) int hidden(int a) { if (a > 2) abort(); return a; }
int main(void) { return hidden(shown(4)); }
"""
COMMANDS = [
    "disassemble", "disassemble $pc", "disassemble /r $pc", "info symbol $pc",
    "disassemble shown + 14", "disassemble shown + 15", "output (long) shown - (long) $pc",
]  # fmt: skip


def test_no_function_contains_it(tmp_path: Path, tool: Callable[[str], str]) -> None:
    command = [tool("gcc"), "-O0", "-rdynamic", "-s", "a.c", "-o", "a"]
    build(tmp_path, {"a.c": SOURCE}, [command])
    files = with_core(tool, tmp_path)
    frame = next(
        line.split()[0].removeprefix("#")
        for line in reversed(answers(None, files, ["bt"])[0].splitlines())
        if "in ?? ()" in line
    )
    own, of_gdb = (
        answers(gdb, files, [f"frame {frame}", *COMMANDS])[1:] for gdb in (None, tool("gdb"))
    )
    for command, one, other in zip(COMMANDS, own, of_gdb, strict=True):
        if "shown + 14" in command:  # in the assembly of capstone
            one, other = (text.splitlines()[0] for text in (one, other))
        assert one == other, command
    assert "No function contains program counter" in own[0]
