"""Ctrl-C amid a command inside GDB: the next answer is that of a GDB that was never interrupted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gdb.debugger import Debugger

SAMPLES = 12
CODE = """
import json, sys
from inspect import CO_GENERATOR
calls = 0
def interrupted(command, at):
    def profile(frame, *_):
        global calls
        calls += 1
        # Python itself drops what a callback of its imports raises, and a generator that is freed.
        code = frame.f_code
        is_dropped = code.co_filename.startswith("<frozen") or code.co_flags & CO_GENERATOR
        if 0 < at <= calls and not is_dropped:
            sys.setprofile(None)
            raise KeyboardInterrupt
    sys.setprofile(profile)
    try:
        return said(command)
    except KeyboardInterrupt:
        return "interrupted"
    finally:
        sys.setprofile(None)
def around():
    return said("show"), gdb.selected_frame().level(), gdb.selected_thread().num
"""


def _ask(debugger: Debugger, file: Path, command: str, at: int) -> list[Any]:
    """What a command is that is interrupted at a call; what it is afterwards; whether GDB is as it
    was; and how many calls there were."""
    code = f"""{CODE}
said("set print elements 77"); said("set print symbol off"); said("set language pascal")
before = around()
first = interrupted({command!r}, {at})
print(json.dumps([first, said({command!r}), around() == before, calls]))
"""
    out = debugger.python(code, "break leaf", "run", file=file)
    answer: list[Any] = json.loads(out.splitlines()[-1])
    return answer


@pytest.mark.parametrize(
    "command", ["dwarfgpu bt", "dwarfgpu compare -all-frames", "dwarfgpu explain -depth all lost"]
)
def test_what_is_asked_after_an_interruption(
    debugger: Debugger, optimized: Path, command: str
) -> None:
    whole, again, is_same, calls = _ask(debugger, optimized, command, 0)
    assert whole == again and is_same and calls > 1000
    for sample in range(SAMPLES):
        at = calls * (2 * sample + 1) // (2 * SAMPLES)
        first, again, is_same, _ = _ask(debugger, optimized, command, at)
        assert (first, again, is_same) == ("interrupted", whole, True), at


SEARCH = """
import gdb.unwinder
class Interrupted(gdb.unwinder.Unwinder):
    left = 0
    def __call__(self, pending):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt  # GDB ends the search for a caller as after Ctrl-C
search = Interrupted("interrupted")
gdb.unwinder.register_unwinder(None, search)
def in_frame_1():
    gdb.invalidate_cached_frames()
    gdb.newest_frame().older().select()
    search.left = 1  # that for the caller of a frame beyond it
def ask_interrupted(command):
    in_frame_1()
    try:
        return said(command)
    except KeyboardInterrupt:
        return "interrupted"
gdb.execute("frame 1")
"""
"""GDB 13 keeps a frame without a caller whose search was interrupted: its own stack ends there."""


@pytest.mark.parametrize(
    "command", ["dwarfgpu bt", "dwarfgpu compare -all-frames", "dwarfgpu save-state state.json"]
)
def test_gdb_finds_all_its_frames_after_an_interrupted_search(
    debugger: Debugger, demo: Path, tmp_path: Path, command: str
) -> None:
    command = command.replace("state.json", str(tmp_path / "state.json"))
    code = f"""{CODE}{SEARCH}
before = said("bt"), said("dwarfgpu bt"), around()
first = ask_interrupted({command!r})
print(json.dumps([first, (said("bt"), said("dwarfgpu bt"), around()) == before]))
"""
    out = debugger.python(code, "break 63", "run", file=demo)
    assert json.loads(out.splitlines()[-1]) == ["interrupted", True]


def test_gdb_finds_all_its_frames_after_an_interrupted_script(
    debugger: Debugger, demo: Path
) -> None:
    code = f"""{CODE}{SEARCH}
import dwarfgpu.gdb as dg
before = said("bt"), said("dwarfgpu bt"), around()
levels = [each.level for each in dg.frames()]
in_frame_1()
first = ""
try:
    list(dg.frames())
except KeyboardInterrupt:
    first = "interrupted"
now = said("bt"), said("dwarfgpu bt"), around()
print(json.dumps([first, now == before, [each.level for each in dg.frames()] == levels]))
"""
    out = debugger.python(code, "break 63", "run", file=demo)
    assert json.loads(out.splitlines()[-1]) == ["interrupted", True, True]


def test_a_stack_that_gdb_cut_short_before(debugger: Debugger, demo: Path) -> None:
    code = f"""{CODE}{SEARCH}
commands = ["dwarfgpu bt", "dwarfgpu bt -compare", "dwarfgpu compare -all-frames"]
before = [said(command) for command in commands]
again = []
for command in commands:
    first = ask_interrupted("bt")
    again.append([first, said(command), gdb.selected_frame().level()])
print(json.dumps([again, before]))
"""
    out = debugger.python(code, "break 63", "run", file=demo)
    again, before = json.loads(out.splitlines()[-1])
    assert again == [["interrupted", text, 1] for text in before]
