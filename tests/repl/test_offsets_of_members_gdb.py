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
struct Own : Vec {}; struct Less : Own { static int count; }; Own own; Less less; struct {} none;
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
    names = ("h", "two", "derived", "plain", "own", "less", "none")
    commands = [f"{word} {name}" for name in names for word in ("ptype/o", "ptype/or", "ptype")]
    files = [str(tmp_path / "a")]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "    T t;\n" in ours[0] and "    const struct Vec {\n" in ours[9]
    assert ": public T {" in ours[8]


LEADING = """\
struct P { char c; int i; };
typedef P PT; typedef P (*Fn)(P, PT *); typedef Fn Fn2;
struct Q { P m(P x) { return x; } P p; Fn f; };
P made(P a, PT b) { return a; }
PT *pointer(int) { return 0; }
Fn twice(int) { return 0; }
const P fixed() { return P(); }
Fn fn; Fn2 fns[3]; P &ref = *new P; P (*both[2])(P); P (&to)(P, PT) = made; int (*none)(P);
P Q::*data = &Q::p; P (Q::*method)(P) = &Q::m;
Q q;
int main() { return q.m(P()).i + fixed().i; }
"""


def test_types_that_lead_to_a_structure(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Functions that return one, and pointers to members, have its offsets too."""
    build(tmp_path, {"a.cpp": LEADING}, [[tool("g++"), "-g", "-O0", "a.cpp", "-o", "a"]])
    names = ("made", "pointer", "twice", "fixed", "fn", "fns", "ref", "both", "to", "data")
    names += ("method", "Fn2", "q.m", "Q::m", "&Q::m", "none")
    commands = [f"ptype/o {name}" for name in names]
    files = [str(tmp_path / "a")]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert all("/* XXX  3-byte hole      */" in text for text in ours[:-1])


DECLARING = """\
struct T {
  typedef int num; num a;
  struct In { num c; long d; int f(); } in;
  T(); int g(num n) const; static num s;
  union { int q; char r; };
private: num p;
protected: int h();
};
template <class K> struct Box { typedef K own; own a; struct N { K n; own g(); } n; own f(K k); };
struct Abstract {
  struct { int a; char c; } pairs[2]; typedef struct { int k; } anon;
  virtual int f() = 0; static int of(anon); operator int();
};
struct Made : Abstract { int f() { return 1; } } made;
class Closed { int a; typedef int t; void m(); public: t b; } closed;
struct Bare { typedef int t; } bare;
T::T() {}
T t; Box<int> box; Abstract *of = &made;
int main() { return made.f(); }
"""
LETTERS = ("oM", "oT", "oMT", "Mo", "To", "omM", "oMm", "oxM", "oMTr", "oMo", "oTd", "mt")


def test_functions_and_typedefs_beside_offsets(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Letters after the `o` ask for them."""
    build(tmp_path, {"a.cpp": DECLARING}, [[tool("g++"), "-g", "-O0", "a.cpp", "-o", "a"]])
    names = ("t", "box", "of", "closed", "bare", "made")
    commands = [f"ptype/{letters} {name}" for name in names for letters in LETTERS]
    off = ("set print type methods off", "set print type typedefs off")
    commands += [*off, "ptype/o t", "ptype/oM t", "ptype/oT t", "ptype/M t", "ptype/T t", "ptype t"]
    files = [str(tmp_path / "a")]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "int g(num) const;" in ours[0] and "typedef int num;" in ours[1]
