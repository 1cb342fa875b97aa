"""Which members `ptype/o` shows with their own members, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = """\
struct Vec { double x, y; };
typedef Vec Same;
template <class T> struct Holder {
  int a; T t; const T fixed; T arr[2]; T *p; Same same; typedef Vec Own; Own own;
  struct In { T inside; } in; struct { T u; } nameless;
};
template <class A, class B> struct Two { A f; B second; Holder<B> h; };
template <class T> struct Derived : T { T again; };
struct Plain { const Vec c; volatile const Vec cv; const union { int q; float f; } both; };
Holder<Vec> h = {0, {1, 2}, {3, 4}};
Two<int, Vec> two = {1, {1, 2}, {0, {1, 2}, {3, 4}}};
Derived<Vec> derived;
Plain plain = {{1, 2}, {3, 4}, {5}};
int main() { return h.a + two.f + (int)derived.x + (int)plain.c.x; }
"""


def test_members_of_structures(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A qualified structure has its members; what is named by a parameter of a template, not."""
    build(tmp_path, {"a.cpp": SOURCE}, [[tool("g++"), "-g", "-O0", "a.cpp", "-o", "a"]])
    names = ("h", "two", "derived", "plain")
    commands = [f"{word} {name}" for name in names for word in ("ptype/o", "ptype/or", "ptype")]
    files = [str(tmp_path / "a")]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "    T t;\n" in ours[0] and "    const struct Vec {\n" in ours[9]
    assert ": public T {" in ours[8]
