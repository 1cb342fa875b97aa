"""Code behind the end of a symbol, as in a stripped program: GDB names no function of it, but where
an outer symbol covers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

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


ASSEMBLY = """\
 .text
 .globl _start
 .type _start,@function
_start: nop
 .type unsized,@function
unsized: nop
label: nop
 .size _start, .-_start
 .type outer,@function
outer: nop
 .type inner,@function
inner: nop
 .size inner, 1
 nop
 nop
 .size outer, .-outer
 nop
 .type behind,@function
behind: nop
untyped: nop
 .type part,@function
part: nop
 .size part, 1
 nop
 .size untyped, .-untyped
 .data
 .type table,@object
table: .long 1
 .type row,@object
row: .byte 1
 .size row, 1
 .byte 2, 3, 4
 .size table, .-table
plain: .long 1, 2
 .size plain, 8
"""
PLACES = ["unsized", "unsized+1", "label", "inner", "inner+1", "outer", "outer+4", "behind",
          "part", "part+1", "untyped"]  # fmt: skip


def test_an_outer_symbol_contains_it(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB remembers the function of the last address, and so is asked for each anew."""
    pytest.importorskip("capstone")
    command = [tool("gcc"), "-nostdlib", "-static", "a.s", "-o", "a"]
    build(tmp_path, {"a.s": ASSEMBLY}, [command])
    files = [str(tmp_path / "a")]
    commands = ["x/15i _start", "disassemble _start,+10", "p (void*)((char*)&row+1)",
                "p (void*)((char*)&plain+4)", "info symbol (char*)&row+1"]  # fmt: skip
    commands += [f"info symbol {place}" for place in PLACES]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "<outer+2>" in own[0] and "<table+5>" in own[2]
    for place in PLACES:
        own = answers(None, files, [f"disassemble {place}"])
        assert own == answers(tool("gdb"), files, [f"disassemble {place}"])
