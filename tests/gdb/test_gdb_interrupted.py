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
calls = 0
def interrupted(command, at):
    def profile(frame, *_):
        global calls
        calls += 1
        # Python itself drops what a callback of its imports raises.
        if 0 < at <= calls and not frame.f_code.co_filename.startswith("<frozen"):
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
