"""Frames, CFAs and registers of a live x86-64 program against GDB's own unwinder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.gdb.debugger import Debugger

HERE = Path(__file__).parent
STOPS = 40
FLAGS = {
    "O0": ("-O0",),
    "O1": ("-O1", "-fomit-frame-pointer"),
    "O2": ("-O2",),
    "O3": ("-O3", "-march=x86-64-v2"),
    "O2.debug_frame": ("-O2", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"),
}


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("flags", FLAGS.values(), ids=FLAGS)
def test_every_frame(
    debugger: Debugger,
    tool: Callable[[str], str],
    tmp_path: Path,
    compiler: str,
    flags: tuple[str, ...],
) -> None:
    program = tmp_path / "unwound"
    command = [tool(compiler), str(HERE / "unwound.c"), "-g", *flags, "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    report = debugger.report(
        f"source {HERE / 'unwinding.py'}",
        "handle SIGUSR1 nostop noprint pass",
        "python unwinding = Unwinding()",
        "break interrupted",
        "run",
        f"python unwinding.walk({len(flags)}, {STOPS // 2}, 60)",
        "delete",
        "break handler",
        "continue",
        f"python unwinding.walk({len(flags)}, {STOPS // 4}, 20)",
        "delete",
        "break order",
        "continue",
        f"python unwinding.walk({len(flags)}, {STOPS // 4}, 30)",
        "python unwinding.report()",
        file=program,
    )
    assert report["differences"] == [], report["differences"]
    stops, frames, signals = (report[key] for key in ("stops", "frames", "signals"))
    assert isinstance(stops, int) and isinstance(frames, int) and isinstance(signals, int)
    assert stops >= STOPS - 5 and frames > 4 * stops and signals > 5


def test_a_saved_stack_tells_of_tail_calls(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, repository: Path
) -> None:
    """main calls tail1, which jumps to tail2, which jumps to deep."""
    program, state = tmp_path / "unwound", tmp_path / "state.json"
    command = [tool("gcc"), str(HERE / "unwound.c"), "-g", "-O2", "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    debugger.run(
        f"source {repository / 'tools/save_state.py'}",
        "break tail2",
        "run",
        "break deep",
        "continue",
        f"save-state {state}",
        file=program,
    )
    frames = run_json("bt", "--state", state).json["frames"]
    found = [(each["func"], each["called_by_jump"]) for each in frames[:2]]
    assert found == [("deep", True), ("main", False)]
    assert "deep (n=1, a=1, b=2" in run("bt", "--state", state).lines[0]
