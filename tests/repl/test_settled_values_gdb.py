"""Pointers that are kept, or of another function, mean the same in every frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

ROWS = """\
#include <stdlib.h>
int sum(int rows, int cols, int (*m)[cols]) {
  int s = 0; volatile int pad[30];
  for (int i = 0; i < 30; i++) pad[i] = 77 + i;
  int inner(int k) { if (k) abort(); return k + (*m)[0]; }
  for (int i = 0; i < rows; i++) for (int j = 0; j < cols; j++) s += m[i][j];
  return inner(s) + pad[3];
}
int middle(int n) {
  volatile long a[9];
  for (int i = 0; i < 9; i++) a[i] = i * 1000;
  int v[2][3] = {{1, 2, 3}, {4, 5, 6}};
  return sum(2, 3, v) + a[n];
}
int main(void) { return middle(5); }
"""
IMPLICIT = """\
#include <stdlib.h>
struct P { int a, b; };
__attribute__((noinline, noclone)) static void stop(int n) { if (n) abort(); }
static inline __attribute__((always_inline)) int use(struct P *p, int *q) {
  stop(p->a);
  return p->b + *q;
}
__attribute__((noinline)) int middle(int n) {
  struct P x = {n, n * 2}; int y = n + 7;
  int r = use(&x, &y);
  stop(r);
  return r + n;
}
__attribute__((noinline)) int top(int n) {
  volatile int filled[20];
  for (int i = 0; i < 20; i++) filled[i] = 500 + i;
  return middle(n) + filled[2];
}
int main(int c, char **v) { return top(c + 2); }
"""


def made(tool: Callable[[str], str], folder: Path, text: str, optimization: str) -> list[str]:
    compile_it = [tool("gcc"), "-g", optimization, "a.c", "-o", "a"]
    build(folder, {"a.c": text}, [compile_it])
    return with_core(tool, folder)


def printed(texts: list[str]) -> list[str]:
    return [text.partition("\n")[2].partition(" = ")[2].strip() for text in texts]


def test_a_row_keeps_its_length(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Which an expression of its frame has (C 6.7.6.2)."""
    files = made(tool, tmp_path, ROWS, "-O0")
    start = ["frame function middle", "down", "print m", "set $kept = m", "print *m"]
    there = printed(answers(None, files, start))[2:]
    assert there[0].startswith("(int (*)[variable length]) 0x") and there[-1] == "{1, 2, 3}"
    kept = ["print *$1", "print $1[1]", "print *($1 + 1)", "print *$kept", "print sizeof(*$1)"]
    for moves in (["up"], ["up 2"], ["frame 0"], ["frame function middle"]):
        shown = printed(answers(None, files, [*start, *moves, *kept]))[len(start) + 1 :]
        assert shown == ["{1, 2, 3}", "{4, 5, 6}", "{4, 5, 6}", "{1, 2, 3}", "12"]


def test_a_pointer_keeps_the_name_of_its_type(tmp_path: Path, tool: Callable[[str], str]) -> None:
    text = ROWS.replace(
        "int inner(", "typedef int (*const Rows)[cols]; Rows named = m;\n  int inner("
    )
    files = made(tool, tmp_path, text, "-O0")
    commands = ["frame function middle", "down", "print named", "whatis $1", "up", "print *$1"]
    shown = answers(None, files, commands)
    assert shown[3].endswith("type = Rows\n") and shown[5].endswith("= {1, 2, 3}\n")


LARGE = """\
#include <cstdlib>
struct Wide { int many[40000], tail; } wide = {{}, 5}; Wide &one = wide;
int some[60000], big[600000] = {1, 2, 3};
int (&part)[60000] = some, (&all)[600000] = big;
Wide &lost = *(Wide *)0x10; int (&none)[60000] = *(int (*)[60000])0x10;
int main() { some[30000] = 7; big[599999] = 9; abort(); return part[0] + all[0] + one.tail; }
"""


def test_references_to_large_objects(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """As where the objects are printed themselves, up to the limit in use; GDB refuses them
    (`max-value-size`)."""
    build(tmp_path, {"a.cc": LARGE}, [[tool("g++"), "-g", "a.cc", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = ["print part", "print one", "print all", "print lost", "print none"]
    part, one, all_, lost, none = answers(None, files, commands)
    assert ": {0 <repeats 30000 times>, 7, 0 <repeats 29999 times>}" in part
    assert ": {many = {0 <repeats 40000 times>}, tail = 5}" in one
    assert ": {1, 2, 3, 0 <repeats 16381 times>..." in all_
    unread = "<error reading variable: Cannot access memory at address 0x10>\n"
    assert lost.endswith(f"= (Wide &) {unread}") and none.endswith(f"= (int (&)[60000]) {unread}")
    fewer = ["--max-bytes", "65536", *files]
    part, one, lost = answers(None, fewer, ["print part", "print one", "print lost"])
    assert ": {0 <repeats 16384 times>...}" in part
    too_large = ": <error: an object of 160004 bytes: more than 65536 (--max-bytes)>\n"
    assert one.endswith(too_large) and lost.endswith(too_large)
    [all_] = answers(None, ["--max-bytes", "4194304", *files], ["print all"])
    assert all_.endswith(": {1, 2, 3, 0 <repeats 599996 times>, 9}\n")


def test_a_row_of_an_enclosing_function(tmp_path: Path, tool: Callable[[str], str]) -> None:
    files = made(tool, tmp_path, ROWS, "-O0")
    moves = ["frame function middle", "down", "down"]
    commands = ["print k", "print *m", "print m[1]", "print *sum::m"]
    shown = printed(answers(None, files, [*moves, *commands]))[len(moves) :]
    assert shown == ["21", "{1, 2, 3}", "{4, 5, 6}", "{1, 2, 3}"]


@pytest.mark.parametrize("moves", [[], ["up"], ["up 2"], ["frame 0"]])
def test_an_implicit_pointer_keeps_its_frame(
    moves: list[str], tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB 13 looks for the object in the selected frame."""
    files = made(tool, tmp_path, IMPLICIT, "-O2")
    start = ["frame function use", "print p", "print q", "set $kept = q"]
    kept = ["print *$1", "print *$2", "print $1->b", "print *$kept"]
    shown = printed(answers(None, files, [*start, *moves, *kept]))
    assert shown[1:3] == ["(struct P *) <synthetic pointer>", "(int *) <synthetic pointer>"]
    assert shown[len(start) + len(moves) :] == ["{a = 3, b = 6}", "10", "6", "10"]
