"""Parameters of one name: clang declares the elements of a pack so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.command import run
from tests.repl.side_by_side import build, with_core

SOURCE = """\
template <typename... A> __attribute__((noinline)) int all(A... args) {
  int sum = (args + ... + 0);
  { int sum = 4; __builtin_trap(); return sum; }
}
int main() { return all(1, 7L, 2.5); }
"""


def test_the_first_one_and_the_number_of_them(tmp_path: Path, tool: Callable[[str], str]) -> None:
    command = [tool("clang++-19"), "-g", "-O0", "-std=c++17", "-o", "a", "a.cpp"]
    build(tmp_path, {"a.cpp": SOURCE}, [command])
    program, core = with_core(tool, tmp_path)
    everything = run("eval", "--core", core, "--file", program).out
    marks = {line.partition(" = ")[0] + line.rpartition("of all<int, long, double>")[2]
             for line in everything.splitlines()}  # fmt: skip
    assert {
        "int args)",
        "long args, after another of its name)",
        "double args, after another of its name)",
        "int sum)",
        "int sum, hidden by an inner declaration)",
    } <= marks
    done = run("eval", "--core", core, "--file", program, "args")
    assert done.out == "args = 1\n"
    assert "note: 3 parameters are named args: this is the first one\n" in done.err
