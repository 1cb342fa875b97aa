"""The commands inside GDB change nothing: no setting, breakpoint, variable of GDB, byte of memory,
register, thread or frame, and they call no function of the program; also where they fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

EXPRESSIONS = (
    "n", "*sp", "&n", "nope", "*(int *) 0", "n +", "leaf", "leaf(1, sp)", "n@3", "1/0", "$rax",
    "$pc", "$fp", "$xmm0", "$1", "$foo", "$nope", "$_exitcode", "$_siginfo", '"abc"',
    '$_strlen("abc")', "sp->in[1]", "(int[2]){1, 2}", "main",
)  # fmt: skip
COMMANDS = (
    *(f"dwarfgpu {name} {text}" for name in ("print", "print/x", "explain -depth all", "location",
                                              "where", "lanes") for text in EXPRESSIONS),
    *(f"dwarfgpu {name} {text}".strip() for name in (
        "print", "explain", "location", "where", "eval-ops", "lanes", "disassemble", "info-locals",
        "bt", "compare", "save-state", "foo", "") for text in ("", "-x", "nope (")),
    *(f"dwarfgpu eval-ops {text}" for text in (
        "call_frame_cfa", "breg7 8; deref", "lit0; deref", "entry_value(reg5)", "deref")),
    "dwarfgpu bt 1", "dwarfgpu bt leaf(1, sp)", "dwarfgpu bt -compare",
    "dwarfgpu compare -all-frames", "dwarfgpu info-locals --json", "show dwarfgpu",
    "set dwarfgpu nope", "complete dwarfgpu print s", "dwarfgpu save-state /nonexistent/file",
    *(f"output $dwarfgpu({json.dumps(text)})" for text in EXPRESSIONS),
)  # fmt: skip
CODE = """
import hashlib, json
calls, changed = [], []
gdb.events.inferior_call.connect(calls.append)
SHOWN = ("show", "show convenience", "show values", "show user", "info breakpoints", "info display",
         "info all-registers", "info threads", "info inferiors", "info source", "info signals")
def around():
    inferior, parts = gdb.selected_inferior(), []
    for line in open(f"/proc/{inferior.pid}/maps"):
        area, rights, *_ = line.split()
        first, end = (int(number, 16) for number in area.split("-"))
        if rights.startswith("rw"):
            data = bytes(inferior.read_memory(first, end - first))
            parts.append((line, hashlib.sha256(data).hexdigest()))
    frame = gdb.selected_frame()
    return [parts, frame.level(), frame.pc(), gdb.selected_thread().num, *map(said, SHOWN)]
around()  # it sets `$_`
before = around()
for command in COMMANDS:
    said(command)
    after = around()
    if after != before or calls:
        changed.append(command)
    calls.clear()
    before = after
print(json.dumps(changed))
"""


@pytest.mark.parametrize(
    "settings", [("frame 0",), ("up", "set language pascal", "set print symbol off")]
)
def test_nothing_is_changed(debugger: Debugger, demo: Path, settings: tuple[str, ...]) -> None:
    """`$nope` of GDB's own expressions makes a variable; one of dwarfgpu does not."""
    before = ("break leaf", "run", "watch global_struct.a", "display 1", "set $foo = 3", "print 5",
              "set print elements 77", "set listsize 7", *settings)  # fmt: skip
    out = debugger.python(f"COMMANDS = {COMMANDS!r}\n{CODE}", *before, file=demo)
    assert json.loads(out.splitlines()[-1]) == []
