"""`frame address`, where functions are inlined into the one with the address."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#define INLINED static inline __attribute__((always_inline)) void
INLINED inner(int k) { *(volatile int *) 0 = k; }
INLINED outer(int k) { inner(k + 1); }
__attribute__((noinline)) int calls(int k) { outer(k); return k; }
int main(int count, char **words) { return calls(count); }
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads $rbp")
def test_the_function_itself_is_taken(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """All have the same address."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = ["up 2", "frame address $rbp + 16", "up", "frame address $rbp + 16"]
    own, gdb = (answers(program, files, commands) for program in (None, tool("gdb")))
    assert own == gdb
    assert "#2  calls (k=1) at a.c:4" in own[1]
    assert "main (" in own[3]
