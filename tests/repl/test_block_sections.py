"""A function whose entry is not where its first range begins: clang -fbasic-block-sections lists
the range of the entry last, without DW_AT_entry_pc."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = """\
volatile int sink;
__attribute__((noinline)) int f(int n, int k)
{
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3 == k) s += i * n; else if (i > 100) sink = s; else s -= i;
  }
  return s + n;
}
int (*pointer)(int, int) = f;
int main(int argc, char **argv) { return pointer(argc, 1); }
"""


def test_a_function_is_entered_at_its_symbol(tmp_path: Path, tool: Callable[[str], str]) -> None:
    flags = ["-g", "-O2", "-fbasic-block-sections=all", "-no-pie"]
    build(tmp_path, {"a.c": SOURCE}, [[tool("clang-19"), *flags, "a.c", "-o", "a"]])
    commands = [
        "print pointer", "print f", "print &f", "info symbol f", "info address f", "break f",
        "info breakpoints", "print f == pointer",
    ]  # fmt: skip
    shown = answers(None, [str(tmp_path / "a")], commands)
    held = re.search(r"0x\w+ <f>", shown[0])
    assert held is not None and all(held[0] in text for text in shown[1:3])
    assert "f in section .text" in shown[3] and held[0].split()[0] in shown[4]
    assert "(2 locations)" not in shown[5] and "MULTIPLE" not in shown[6]
    assert "= 1" in shown[7]
