"""Deep recursion inside GDB: the work for a frame does not grow with the frames inside of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

_SOURCE = """
volatile int sink;
__attribute__((noinline)) int leaf(int n) { sink = n; return n; }
__attribute__((noinline)) int rec(int d)
{
    if (d == 0) return leaf(d);
    return rec(d - 1) + d;
}
int main(void) { return leaf(rec(30)) + leaf(rec(60)); }
"""
_COUNT = """
import json, sys
from collections import Counter
calls = Counter()
def profile(frame, event, function):
    if event == "c_call":
        calls[function.__name__] += 1
def counted(command):
    calls.clear()
    sys.setprofile(profile)
    try:
        text = said(command)
    finally:
        sys.setprofile(None)
    frames = 0
    frame = gdb.newest_frame()
    while frame is not None:
        frames, frame = frames + 1, frame.older()
    return text.splitlines()[-1], frames, dict(calls)
"""


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def program(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory, request: object
) -> Path:
    """A recursion that saves registers, or none but the frame pointer."""
    folder = tmp_path_factory.mktemp("deep")
    (folder / "deep.c").write_text(_SOURCE)
    options = [str(getattr(request, "param", "")), "-g", "-fno-optimize-sibling-calls"]
    options += ["-fno-ipa-cp", "-fno-inline"]
    command = [tool("gcc"), *options, "-o", "deep", "deep.c"]
    subprocess.run(command, cwd=folder, check=True, timeout=120)
    return folder / "deep"


@pytest.mark.parametrize("command", ["dwarfgpu bt -compare", "dwarfgpu compare -all-frames"])
def test_the_work_for_each_frame(debugger: Debugger, program: Path, command: str) -> None:
    """GDB asks all newer frames for a register that none has saved, and for `info frame`."""
    code = f"""{_COUNT}
counts = [counted({command!r})]
said("continue")  # the leaf that main calls
said("continue")
counts.append(counted({command!r}))
print(json.dumps(counts))
"""
    out = debugger.python(code, "break leaf", "run", file=program)
    (_, few, small), (last, many, large) = json.loads(out.splitlines()[-1])
    assert (few, many) == (33, 63)
    assert last.startswith("63 frames: ") or ", 0 differ for a known" in last
    more = {name: large.get(name, 0) - small.get(name, 0) for name in ("newer", "read_register")}
    assert max(more.values()) <= 10 * (many - few), more
    if "bt" in command:
        assert more["read_register"] <= 4 * (many - few), "also those that are only passed on"


def test_registers_that_are_passed_on(debugger: Debugger, program: Path) -> None:
    """They are what GDB has for each frame when it is asked for it alone."""
    code = """
from dwarfgpu.gdb.machine.gdb_target import frame_architecture, frame_register
from dwarfgpu.gdb.machine.registers_of_frames import RegistersOfFrames
for number, name in enumerate(("rbx", "r12", "r13", "r14", "r15")):
    gdb.execute(f"set var ${name} = {number + 77}")
said("tbreak leaf"); said("continue")
frame, same = gdb.newest_frame(), []
machine = frame_architecture(frame)
registers = RegistersOfFrames(machine.program_counter)
infos = [machine.register(number) for number in (3, 6, 7, 12, 13, 14, 15, 16)]
while frame is not None:
    same.append(registers.of(frame, infos) == {info: frame_register(frame, info) for info in infos})
    frame = frame.older()
print(len(same), all(same), len(registers._passed_on))
"""
    out = debugger.python(code, "break rec if d == 20", "run", file=program)
    assert out.splitlines()[-1] == "33 True 1"
