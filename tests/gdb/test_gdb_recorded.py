"""What changes registers without an event of GDB's Python: another time of a recorded program, and
`return`."""

from __future__ import annotations

from pathlib import Path

from tests.gdb.debugger import Debugger

MOVES = ("record goto begin", "record goto end", "reverse-stepi", "record goto begin")
CODE = f"""
import dwarfgpu.gdb as dg
gdb.execute("record full", to_string=True)
for _ in range(6):
    gdb.execute("stepi", to_string=True)
for move in {MOVES!r}:
    gdb.execute(move, to_string=True)
    frame = gdb.selected_frame()
    print("##", said("dwarfgpu print $rip").partition(" = ")[2] == said("output $rip"),
          dg.value("$rsp").bytes == int(frame.read_register("rsp")).to_bytes(8, "little"),
          said("dwarfgpu bt -compare").split("s: ")[1].split(" facts")[0])
"""


def test_frames_are_those_of_the_time(debugger: Debugger, repository: Path) -> None:
    file = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    out = debugger.python(CODE, "break leaf", "run", file=file)
    lines = [line[3:] for line in out.splitlines() if line.startswith("## ")]
    facts = {line.split(maxsplit=2)[2] for line in lines}
    assert [line.split()[:2] for line in lines] == [["True"] * 2] * len(MOVES)
    assert all(same == every for same, every in (text.split(" of ") for text in facts)), facts


RETURN = """
import dwarfgpu.gdb as dg
variable, register = dg.frame(1).variable("copy"), dg.frame(1).value("$eax")
print("##", said("dwarfgpu print n"), variable["a"].text)
register.text
gdb.execute("return 77", to_string=True)
print("##", said("dwarfgpu print copy.a"), variable["a"].text, register.text)
print("##", said("dwarfgpu print &copy").partition(" = ")[2] == said("output &copy"),
      said("dwarfgpu bt -compare").split("s: ")[1].split(" facts")[0])
gdb.execute("dwarfgpu print copy.a=4242", to_string=True)
print("##", said("output copy.a"))
"""


def test_a_frame_that_gdb_returns_from(debugger: Debugger, repository: Path) -> None:
    # GDB's `return` writes registers without an event.
    file = repository / "fixtures/x86_64/demo.gcc.O0.v5"
    out = debugger.python(RETURN, "break leaf", "run", file=file)
    lines = [line[3:] for line in out.splitlines() if line.startswith("## ")]
    assert lines[:2] == ["n = 42 41", "copy.a = 41 41 77"]
    address, facts = lines[2].split(maxsplit=1)
    same, every = facts.split(" of ")
    assert address == "True" and same == every, facts
    assert lines[3] == "4242"
