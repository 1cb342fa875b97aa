"""Frames, CFAs and registers of live x86-64 programs against GDB's own unwinder, at 1000 stops."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.gdb.debugger import Debugger

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "fixtures/native"
FLAGS = {
    "O0": ("-O0",),
    "O1": ("-O1", "-fomit-frame-pointer"),
    "O2": ("-O2",),
    "O3": ("-O3", "-march=x86-64-v2"),
    "O2.debug_frame": ("-O2", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"),
}
UNWOUND = ("order", "deep", "tail2", "variable", "interrupted raise", "handler")
"""Groups of functions to stop in, and behind."""
STOPS = 86
EVERY = 6
"""Of so many stops, all variables of all frames are compared at one."""
THROWN = ("thrown::round", "__cxa_throw", "_Unwind_RaiseException thrown::Guard::~Guard",
          "_Unwind_Resume __cxa_begin_catch")  # fmt: skip
THROWN_STOPS = 35


def walked(
    debugger: Debugger,
    program: Path,
    seed: int,
    stops: int,
    groups: tuple[str, ...],
    every: int = 0,
) -> dict[str, int]:
    """What was compared at stops in and behind some functions; nothing must differ."""
    report = debugger.report(
        f"source {HERE / 'unwinding.py'}",
        "handle SIGUSR1 nostop noprint pass",
        "break main",
        "run",
        f"python Unwinding({seed}, {every}).walk({stops}, {list(groups)}).report()",
        file=program,
    )
    assert report.pop("differences") == []
    assert report["stops"] == stops
    return {name: value for name, value in report.items() if isinstance(value, int)}


def build(compiler: str, source: str, flags: tuple[str, ...], program: Path) -> Path:
    command = [compiler, str(SOURCES / source), "-g", *flags, "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return program


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("flags", FLAGS)
def test_every_frame(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, compiler: str, flags: str
) -> None:
    """Recursion, alloca, callbacks from a library, tail calls, a signal handler."""
    program = build(tool(compiler), "unwound.c", FLAGS[flags], tmp_path / "unwound")
    seed = list(FLAGS).index(flags)
    result = walked(debugger, program, seed, STOPS, UNWOUND, EVERY)
    assert result["frames"] > 5 * STOPS and result["facts"] > 15 * result["frames"]
    assert result["signals"] > 3 and result["deepest"] > 9
    assert result["variables"] > 200 and result["outer"] > 150
    assert result["explained"] < result["variables"] / 10


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_exceptions(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, compiler: str, level: str
) -> None:
    """Inside the functions that throw, in destructors that they call, and in handlers."""
    program = build(tool(compiler), "thrown.cpp", (level,), tmp_path / "thrown")
    every = EVERY if level == "-O0" else 0  # GDB and we name parts of what is in pieces otherwise
    result = walked(debugger, program, 7, THROWN_STOPS, THROWN, every)
    assert result["frames"] > 5 * THROWN_STOPS and result["deepest"] > 12


def test_it_is_a_thousand_stops() -> None:
    assert 2 * len(FLAGS) * STOPS + 4 * THROWN_STOPS >= 1000


def test_a_saved_stack_has_its_tail_calls(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, repository: Path
) -> None:
    """main calls tail1, which jumps to tail2, which jumps to deep."""
    program, state = tmp_path / "unwound", tmp_path / "state.json"
    build(tool("gcc"), "unwound.c", ("-O2",), program)
    debugger.run(
        "break tail2",
        "run",
        "break deep",
        "continue",
        f"dwarfgpu save-state {shlex.quote(str(state))}",
        file=program,
    )
    frames = run_json("bt", "--state", state).json["frames"]
    outcome = [
        (frame["func"], frame["called_by_tail_call"], frame["is_tail_call"]) for frame in frames[:4]
    ]
    assert outcome == [
        ("deep", True, False), ("tail2", True, True), ("tail1", False, True), ("main", False, False)
    ]  # fmt: skip
    assert "deep (n=n@entry=1, a=a@entry=1" in run("bt", "--state", state).lines[0]


def test_no_function_of_the_program_is_called(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB calls `malloc` in the program for the address of an array that is not in memory: one that
    is optimized out, as `also` in the first instructions of `variable`."""
    program, state = tmp_path / "unwound", tmp_path / "state.json"
    build(tool("gcc"), "unwound.c", FLAGS["O1"], program)
    out = debugger.python(
        f"""
calls = []
gdb.events.inferior_call.connect(calls.append)
gdb.parse_and_eval("also").address
print(len(calls) > 0, end=" ")
calls.clear()
for setting in ("on", "off"):
    gdb.execute("set may-call-functions " + setting)
    gdb.execute("dwarfgpu compare", to_string=True)
    gdb.execute("dwarfgpu save-state {shlex.quote(str(state))}", to_string=True)
    print(len(calls), gdb.parameter("may-call-functions"), end=" ")
""",
        "break variable",
        "run",
        file=program,
    )
    assert out == "True 0 True 0 False "
