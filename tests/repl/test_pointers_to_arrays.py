"""Elements behind smart pointers to arrays, against the installed GDB with the xmethods of
libstdc++."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

PROGRAM = """\
#include <cstdlib>
#include <memory>
struct Pair { int first; short second; };
static int use(int n) {
  std::unique_ptr<int[]> numbers(new int[3]{7, 8, 9});
  std::unique_ptr<Pair[]> pairs(new Pair[2]{{1, 2}, {3, 4}});
  std::unique_ptr<int[]> empty;
  std::unique_ptr<int> one(new int(4));
  if (n) abort();
  return numbers[1] + pairs[1].first + *one;
}
int main() { return use(1); }
"""
COMMANDS = [
    "frame function use", "p numbers[0]", "p numbers[1] + 1", "p &numbers[2]", "p numbers[n]",
    "whatis numbers[1]", "p pairs[1]", "p pairs[1].second", "p empty[0]", "p one[0]", "p *one",
]  # fmt: skip


def test_elements(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.cpp": PROGRAM}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    files = with_core(tool, tmp_path)
    of_gdb, of_dwarfgpu = answers(tool("gdb"), files, COMMANDS), answers(None, files, COMMANDS)
    if "= 7" not in of_gdb[1]:
        pytest.skip("GDB has no xmethods of libstdc++ here")
    assert [text.partition(": nothing is mapped")[0].split() for text in of_dwarfgpu] == [
        text.split() for text in of_gdb
    ]
