"""Frames of a unit that has lines, but describes no functions, beside the installed
GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <stdlib.h>
__attribute__((noinline)) void stop(int n) {
  if (n)
    abort();
}
__attribute__((noinline)) int work(int n) {
  stop(n);
  return n + 1;
}
int main(int argc, char **argv) { return work(argc); }
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("lines")
    command = [tool("clang-19"), "-gmlt", "-O2", "a.c", "-o", "a"]
    build(folder, {"a.c": SOURCE}, [command])
    return with_core(tool, folder)


@pytest.mark.parametrize("frame", ["1", "function main", "function work"])
@pytest.mark.parametrize("question", ["info frame", "info locals", "info args", "info locals n"])
def test_a_frame_with_a_line_alone(
    frame: str, question: str, files: list[str], tool: Callable[[str], str]
) -> None:
    commands = [f"frame {frame}", question, "down", question]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_a_full_backtrace_has_no_locals_there(files: list[str], tool: Callable[[str], str]) -> None:
    assert answers(None, files, ["bt -full -3"]) == answers(tool("gdb"), files, ["bt -full -3"])
