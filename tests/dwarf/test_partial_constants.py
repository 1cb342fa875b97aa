"""Constants that LLVM writes for one member: it drops DW_OP_LLVM_fragment of floating-point
ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.command import run
from tests.repl.side_by_side import build

SOURCE = """\
struct F { float x, y; }; struct Whole { F p; }; struct List { F p[1]; }; struct Derived : F {};
union Either { F f; double d; }; struct Empty {};
struct Alone : Empty { float v; static const int k = 5; };
volatile float sum;
int main() {
  F p; p.y = 3.5f; Whole w; w.p.y = 4.5f; List l; l.p[0].y = 5.5f; Derived d; d.y = 6.5f;
  Either e; e.f.y = 7.5f; _Complex float c; __imag__ c = 8.5f; Alone a; a.v = 9.5f;
  sum = p.y + w.p.y + l.p[0].y + d.y + e.f.y + __imag__ c + a.v;
  return 0;
}
"""


def test_each_object_of_several_numbers_has_a_note(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """All but `a`, which is one number: an empty base class and static members have no bits."""
    build(tmp_path, {"a.cpp": SOURCE}, [[tool("clang++-19"), "-g", "-O2", "a.cpp", "-o", "a"]])
    noted = []
    for name in "pwldeca":
        done = run("eval", str(tmp_path / "a"), name, "--pc", "main")
        assert done.status == 0 and ".5" in done.out
        noted += [name] if "the others may be optimized out" in done.err else []
    assert noted == [*"pwldec"]
