"""What is true of every Target (tests/machine/contract.py), of the one inside GDB."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

PROGRAM = Path(__file__).parents[2] / "fixtures/core/crash.x86_64.O0"
SCRIPT = """
import sys
sys.path.insert(0, {root!r})
import gdb
from dwarfgpu.gdb.machine.gdb_target import GdbTarget
from tests.machine.contract import FACTS, TEXT, WORD, Known, register

# The memory of the program ends with the page of its last variable: it has no heap.
gdb.execute("set $rax = " + hex(int.from_bytes(WORD, "little")))
end = (int(gdb.parse_and_eval("(long) (&stack + 1)")) + 4095) // 4096 * 4096
gdb.selected_inferior().write_memory(end - 8, TEXT)
known = Known(GdbTarget(), end - 8, register("tr"), 0x5000)
for check in FACTS:
    check(known)
    print("@@", check.__name__)
"""


def test_contract(debugger: Debugger, tmp_path: Path) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("the program is for x86-64")
    script = tmp_path / "contract.py"
    script.write_text(SCRIPT.format(root=str(PROGRAM.parents[2])))
    out, err = debugger.run("break leaf", "run", f"source {script}", file=PROGRAM)
    from tests.machine.contract import FACTS

    data = [line.removeprefix("@@ ") for line in out.splitlines() if line.startswith("@@ ")]
    assert data == [fact.__name__ for fact in FACTS], err
