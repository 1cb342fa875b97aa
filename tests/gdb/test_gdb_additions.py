"""What a user has set in GDB, or added to it, changes no value, register or frame."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

DEMO = Path("fixtures/x86_64/demo.gcc.O0.v5")
COMMANDS = (
    "dwarfgpu bt -compare", "dwarfgpu compare -all-frames", "dwarfgpu print *sp",
    "dwarfgpu print sp", "dwarfgpu print $rsp", "dwarfgpu print $st0", "dwarfgpu print $kept",
    "dwarfgpu eval-ops call_frame_cfa",
)  # fmt: skip
PRINTERS = """
class Printer:
    def __init__(self, value):
        self.value = value
    def to_string(self):
        return "by a printer"
gdb.pretty_printers.insert(0, Printer)
"""
"""For every value: libraries have printers for numbers and pointers."""
ANSWERS = """
import json
def answers():
    return [said(command) for command in {commands!r}]
before = answers()
{change}
after = answers()
gdb.execute("set trace-commands off", to_string=True)
print(json.dumps([before, after]))
"""


@pytest.mark.parametrize("change", [PRINTERS, 'gdb.execute("set trace-commands on")'])
def test_answers_stay(debugger: Debugger, repository: Path, change: str) -> None:
    """GDB's manual: with trace-commands, each command is printed before it is executed."""
    code = ANSWERS.format(commands=COMMANDS, change=change)
    started = ("break leaf", "run", "set var $kept = (long) 5")
    before, after = json.loads(debugger.python(code, *started, file=repository / DEMO))
    traces = [[line for line in text.split("\n") if line.startswith("+")] for text in after]
    assert all(len(lines) <= 1 for lines in traces), "only the user's own command is traced"
    shown = [text.partition("\n")[2] if text.startswith("+") else text for text in after]
    assert shown == before
    assert not any("error" in text for text in before)
    assert ", 0 differ" in before[1]
