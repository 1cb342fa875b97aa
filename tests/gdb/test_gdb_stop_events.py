"""Functions that GDB calls for the event of a stop, before dwarfgpu knows of it."""

from __future__ import annotations

from pathlib import Path

from tests.gdb.debugger import Debugger

CODE = """
import dwarfgpu.gdb as dg
from dwarfgpu.gdb.script_objects import the_debugger
moved = the_debugger().target._moved
gdb.events.stop.disconnect(moved)
def early(event):
    frame = gdb.selected_frame()
    print("##", frame.name(), dg.frame().function, said("dwarfgpu bt -compare").split("s: ")[1],
          dg.value("$pc").bytes == frame.pc().to_bytes(8, "little"))
gdb.events.stop.connect(early)
gdb.events.stop.connect(moved)
gdb.execute('break mid if $dwarfgpu("$rsp") == 0')
gdb.execute("break leaf")
gdb.execute("run")
"""


def test_a_condition_that_was_false_before(debugger: Debugger, repository: Path) -> None:
    """GDB reports no stop for the condition: its frames are not those of the next stop."""
    file = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    out = debugger.python(CODE, file=file)
    (line,) = [line for line in out.splitlines() if line.startswith("##")]
    assert line.split()[1:3] == ["leaf", "leaf"] and line.endswith(" True")
    _, _, _, same, _, every, *_ = line.split()
    assert same == every
