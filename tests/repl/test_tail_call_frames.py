"""What is shown of functions that have jumped to their callees."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.cfi_rows_by_pc import CallFrames, Description
from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
struct Big { long a[5]; };
int kept = 4; int *volatile nowhere;
__attribute__((noinline)) int leaf(int n) { *nowhere = n; return kept; }
__attribute__((noinline)) int rec(struct Big big, int d) {
  static int fixed = 5;
  volatile int loc[4] = {d, d * 2, d * 3, 4};
  kept += loc[1] + fixed;
  if (d == 0) return leaf(loc[0] + kept);
  big.a[1] += kept;
  return rec(big, d - 1) + loc[1];
}
int main(int c, char **v) { struct Big big = {{c, 2, 3, 4, 5}}; return rec(big, 1) + kept; }
"""


@pytest.mark.parametrize("option", ["-fomit-frame-pointer", "-fno-omit-frame-pointer"])
@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_the_frame_was_given_back(
    tmp_path: Path, tool: Callable[[str], str], compiler: str, option: str
) -> None:
    """Its memory belongs to other functions: what was in it has no value and no address."""
    build(tmp_path, {"a.c": SOURCE}, [[tool(compiler), "-g", "-O2", option, "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = [
        "frame function rec", "info frame", "p loc", "p &loc", "p big.a[2]", "p fixed",
        "info locals", "explain loc", "up", "p loc",
    ]  # fmt: skip
    shown = answers(None, files, commands)
    texts = [text.partition("\n")[2] for text in shown]
    assert "[tail call]\n" in texts[0] and "tail call frame" in texts[1]
    why = "loc is optimized out: rec gave its frame back before it jumped to its callee\n"
    assert texts[2].startswith("$1 = <optimized out>\n")
    assert texts[3] == "Can't take address of \"loc\" which isn't an lvalue.\n"
    assert "= <optimized out>\n" in texts[4] and texts[5].endswith("= 5\n")
    assert "\nloc = <optimized out>\n" in texts[6] and texts[7].endswith(f"note: {why}")
    assert "[tail call]" not in texts[8] and texts[9].endswith("= {1, 2, 3, 4}\n")


SPILLED = """\
volatile int sink;
struct P { int a; int b; };
__attribute__((noinline)) int leaf(int x) { sink = x; *(volatile int *)0 = 1; return x + sink; }
__attribute__((noinline)) int id(int x) { __asm__ volatile("" : "+r"(x) :: "memory"); return x; }
__attribute__((noinline)) int mid(int n) {
  int a = id(n + 100), b = id(n + 2), c = id(n + 3), d = id(n + 4);
  int e = id(n + 5), f = id(n + 6), g = id(n + 7), h = id(n + 8);
  struct P p; p.a = a; p.b = 5;
  sink = a; sink = b; sink = c; sink = d; sink = e; sink = f; sink = g; sink = h;
  __asm__ volatile("" :: "g"(a), "g"(b), "g"(c), "g"(d), "g"(e), "g"(f), "g"(g), "g"(h));
  return leaf(n + 1);
}
__attribute__((noinline)) int outer(int n) {
  volatile int guard = n, big[50];
  for (int i = 0; i < 50; i++) big[i] = 1000 + i;
  return mid(n) + 1 + guard + big[n];
}
int main(int c, char **v) { return outer(c) + 1; }
"""
"""`mid` has more variables than registers that calls preserve."""


@pytest.mark.parametrize("option", ["-fomit-frame-pointer", "-fno-omit-frame-pointer"])
def test_spilled_variables_of_a_frame_that_was_given_back(
    tmp_path: Path, tool: Callable[[str], str], option: str
) -> None:
    """They are at distances from a frame pointer, too, which the function has restored. A constant
    in a piece of an object is there as before."""
    command = [tool("clang-19"), "-g", "-O2", option, "a.c", "-o", "a"]
    build(tmp_path, {"a.c": SPILLED}, [command])
    shown = answers(None, with_core(tool, tmp_path), ["frame 1", "info locals", "p p", "p p.b"])
    texts = [text.partition("\n")[2] for text in shown]
    assert "[tail call]\n" in texts[0]
    values = dict(line.split(" = ", 1) for line in texts[1].splitlines() if " = " in line)
    assert {values[name] for name in "abcdefgh"} == {"<optimized out>"}
    assert texts[2].startswith("$1 = {a = <optimized out>, b = 5}\n")
    assert texts[3] == "$2 = 5\n"


PASSED = """\
int *volatile nowhere; volatile int sink;
struct Big { long a[6]; };
__attribute__((noinline, noclone)) int leaf(
    int x, int y, int p3, int p4, int p5, int p6, long s7, long s8, long s9, long s10) {
  sink = x + y + p3 + p4 + p5 + p6 + s7 + s8 + s9 + s10; x = y = 0;
  __asm__ volatile("movq $999, %0" : "=m"(s10) :: "memory", "rdi", "rsi"); *nowhere = s10;
  return sink;
}
__attribute__((noinline, noclone)) int mid(int n, struct Big b) {
  return leaf(n, b.a[3], 3, 4, 5, 6, b.a[0], b.a[1], b.a[2], b.a[3]);
}
__attribute__((noinline, noclone)) int outer(int n) {
  volatile int guard = n; struct Big b = {{1, 2, 3, 44, 5, 6}};
  return mid(n, b) + 1 + guard;
}
int main(int c, char **v) { return outer(c) + 1; }
"""
"""`mid` passes the fourth word of its argument on in a register and in the place of that word,
where `leaf` writes 999."""


def test_what_a_call_passed_from_a_frame_that_was_given_back(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Values that the call site computes from memory of the frame are gone with it; constants and
    values of registers are known."""
    if platform.machine() != "x86_64":
        pytest.skip("the program has instructions of x86-64")
    build(tmp_path, {"a.c": PASSED}, [[tool("gcc"), "-g", "-O2", "a.c", "-o", "a"]])
    commands = ["p y@entry", "explain y@entry", "p x@entry", "p p3@entry", "bt 1"]
    shown = answers(None, with_core(tool, tmp_path), commands)
    texts = [text.partition("\n")[2] for text in shown]
    assert texts[0].startswith("$1 = <optimized out>\n")
    assert "mid gave its frame back before it jumped to its callee" in texts[1]
    assert texts[2] == "$2 = 1\n" and texts[3] == "$3 = 3\n"
    assert "y@entry" not in texts[4] and "x@entry=1" in texts[4]


def test_the_saved_registers_of_a_function_are_sought_once(
    tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function may have thousands of variables, and of rows of call frame information."""
    build(tmp_path, {"a.c": SPILLED}, [[tool("clang-19"), "-g", "-O2", "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    described, count = CallFrames.description_at, 0

    def counted(self: CallFrames, address: int) -> Description | None:
        nonlocal count
        count += 1
        return described(self, address)

    def sought(*commands: str) -> int:
        before = count
        answers(None, files, ["frame 1", *commands])
        return count - before

    monkeypatch.setattr(CallFrames, "description_at", counted)
    assert sought("p a", "p b", "p c", "info locals") == sought("p a") > 0


LENGTHS = """\
int *volatile nowhere; volatile int sink; int st[9];
__attribute__((noinline, noclone)) int leaf(
    int x, int a, int b, int c, int d, int e, long last) {
  sink = x + a + b + c + d + e + last;
  __asm__ volatile("" ::: "memory"); *nowhere = sink; return sink;
}
__attribute__((noinline, noclone)) int mid(int n, int a2, long a3, long a4, long a5, long a6,
                                           long k, int (*rows)[k]) {
  sink = rows[0][1]; return leaf(n + 1, 2, 3, 4, 5, 6, 777);
}
__attribute__((noinline, noclone)) int outer(int n) {
  volatile int guard = n; return mid(n, 1, 2, 3, 4, 5, 3, (int (*)[3])st) + 1 + guard;
}
int main(int c, char **v) { return outer(c) + 1; }
"""


def test_lengths_of_a_frame_that_was_given_back(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The bound of a type is read from memory as a variable is: it is gone, too."""
    if platform.machine() != "x86_64":
        pytest.skip("other machines pass the length in a register")
    build(tmp_path, {"a.c": LENGTHS}, [[tool("gcc"), "-g", "-O2", "a.c", "-o", "a"]])
    commands = ["frame 1", "p k", "p sizeof(*rows)", "ptype *rows"]
    texts = [text.partition("\n")[2] for text in answers(None, with_core(tool, tmp_path), commands)]
    assert "mid (" in texts[0] and "[tail call]\n" in texts[0]
    assert texts[1].startswith("$1 = <optimized out>\n") and "[777]" not in "".join(texts)
    assert "optimized out" in texts[2] and texts[3].startswith("type = int []\n")
