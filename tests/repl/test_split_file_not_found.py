"""Values in a frame whose caller is of a unit without its split file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

LIBRARY = """\
__attribute__((noinline)) int twice(volatile int n) { return n + n; }
int stop(int first, int second) {
  int sum = twice(first) + twice(second);
  return *(volatile int *)8 + sum + first * second;
}
"""
PROGRAM = """\
int stop(int first, int second);
int main(int argc, char **argv) { return stop(argc + 1, 7) + 1; }
"""


def test_each_value_has_a_short_reason(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The note behind the trace has the paths that were tried."""
    gcc = [tool("gcc"), "-O2"]
    build(tmp_path, {"lib.c": LIBRARY, "a.c": PROGRAM}, [
        [*gcc, "-g", "-fPIC", "-shared", "lib.c", "-o", "libown.so"],
        [*gcc, "-g", "-gsplit-dwarf", "-c", "a.c"],
        [*gcc, "a.o", "-o", "a", f"{tmp_path}/libown.so"],
    ])  # fmt: skip
    files = with_core(tool, tmp_path)
    (tmp_path / "a.dwo").unlink()
    trace, _, listed = answers(None, files, ["bt", "frame function stop", "info args"])
    (line,) = (line for line in trace.splitlines() if " stop (" in line)
    reason = "<error reading variable: split file a.dwo is not found>"
    assert reason in line and "tried" not in line and "debug_info" not in line
    assert "tried" not in listed
    described, *_ = answers(None, files, ["frame 1", "info frame"])[-1:]
    assert " Arglist at 0x" in described and "Saved registers:" in described, described
    assert "source language" not in described
