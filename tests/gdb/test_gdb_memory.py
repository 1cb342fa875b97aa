"""Memory of a live process that cannot be read: how it is shown, and by how many reads."""

from __future__ import annotations

import json
from pathlib import Path

from tests.gdb.debugger import Debugger

CODE = """
import json
from dwarfgpu.gdb.machine.gdb_target import GdbTarget
reads, read = 0, GdbTarget.read_memory
def counted(*arguments):
    global reads
    reads += 1
    return read(*arguments)
GdbTarget.read_memory = counted
with open(f"/proc/{gdb.selected_inferior().pid}/maps") as maps:
    [end] = [int(line.split()[0].split("-")[1], 16) for line in maps if "[stack]" in line]
gdb.execute(f"set var *(int *){end - 4} = 0x01020304")
shown = said(f"dwarfgpu print/x *(unsigned char (*)[0x10000])({end - 4})")
print(json.dumps([shown, reads]))
"""


def test_an_object_that_runs_past_a_mapping(debugger: Debugger, repository: Path) -> None:
    """By halves down to each byte would take more reads than are spent on it."""
    program = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    shown, reads = json.loads(debugger.python(CODE, "break main", "run", file=program))
    assert "= {0x4, 0x3, 0x2, 0x1, <unavailable> <repeats 65532 times>}" in shown
    assert "were not read" not in shown
    assert reads < 100
