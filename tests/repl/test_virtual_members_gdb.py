"""Pointers to virtual functions whose parameters are instances of templates, beside GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
template <class X, int N = 2> struct T { X x; };
struct P {
  virtual int e(const T<int> &) = 0; virtual int f(T<char, 3> *) = 0;
  virtual int g(int, const T<T<int>>) = 0; virtual int h(T<int> &) const = 0;
  virtual int i(const char *) = 0; virtual int j(T<int> const *const *) = 0;
};
struct D : P {
  int e(const T<int> &t) override { return t.x; } int f(T<char, 3> *) override { return 1; }
  int g(int, const T<T<int>>) override { return 1; } int h(T<int> &) const override { return 1; }
  int i(const char *) override { return 2; } int j(T<int> const *const *) override { return 3; }
};
int main() { D d; P *p = &d; T<int> t{1}; return p->e(t); }
"""


@pytest.fixture(scope="module")
def program(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("virtual")
    build(folder, {"a.cpp": SOURCE}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    return str(folder / "a")


def test_types_of_pointers_to_members(tool: Callable[[str], str], program: str) -> None:
    commands = [f"whatis &{owner}::{name}" for owner in "PD" for name in "efghij"]
    assert answers(None, [program], commands) == answers(tool("gdb"), [program], commands)


def test_each_is_its_own_slot(program: str) -> None:
    """GDB 13 shows the first function of the class for each of them."""
    first, second = answers(None, [program], ["p &P::e", "p &P::j"])
    assert first.endswith("= &virtual P::e(const T<int, 2> &)\n")
    assert second.endswith("= &virtual P::j(const T<int, 2> * const *)\n")


PURE = (
    "print P::e", "whatis P::e", "ptype P::h", "print P::e(T<int> const&)", "print sizeof(P::e)",
    "whatis D::P::h", "print P::e == 0", "print D::e", "whatis D::e",
)  # fmt: skip


def test_a_pure_virtual_function_by_its_class(tool: Callable[[str], str], program: str) -> None:
    """It has a type without code, and no value."""
    assert answers(None, [program], PURE) == answers(tool("gdb"), [program], PURE)


REFERENCES = """\
struct S {
  virtual int v() & { return 1; } virtual int v() && { return 2; }
  virtual int c(int) const & { return 3; } virtual int c(int) const volatile && { return 4; }
};
int (S::*l)() & = &S::v; int (S::*r)() && = &S::v;
int (S::*lc)(int) const & = &S::c; int (S::*rc)(int) const volatile && = &S::c;
int main() { S s; return (s.*l)() + s.c(0); }
"""


def test_functions_of_lvalues_or_rvalues_alone(tool: Callable[[str], str], tmp_path: Path) -> None:
    for compiler in ("g++", "clang++-19"):
        command = [tool(compiler), "-g", "-O0", "-no-pie", "-o", "a", "a.cpp"]
        build(tmp_path, {"a.cpp": REFERENCES}, [command])
        files = [str(tmp_path / "a")]
        shown = [f"print {name}" for name in ("l", "r", "lc", "rc")]
        ours = [answer.partition("note: ")[0] for answer in answers(None, files, shown)]
        assert ours == answers(tool("gdb"), files, shown)


BASES = """\
#include <stdlib.h>
struct A { virtual int fa() { return 1; } virtual int fa2() { return 11; } };
struct B { virtual int fb() { return 2; } virtual int fb2() { return 22; } };
struct C : A, B { };
struct M1 { virtual int f1() { return 1; } virtual int f1b() { return 15; } int m1 = 11; };
struct M2 { virtual int f2() { return 2; } virtual int g2() { return 22; } int m2 = 22; };
struct M3 : M1, M2 {
  int f1() override { return 3; } int f2() override { return 4; } virtual int own() { return 9; } };
struct Deep : C, M3 { };
struct { int (C::*first)(); long words[2]; } behind = { &A::fa, { -1, 4 } };
int main() {
  C c; M3 m; Deep d;
  int (C::*cb)() = &B::fb, (C::*cb2)() = &B::fb2, (C::*ca)() = &A::fa, (C::*ca2)() = &A::fa2;
  int (M3::*f2)() = &M2::f2, (M3::*own2)() = &M3::f2, (M3::*g2)() = &M2::g2;
  int (M3::*f1)() = &M3::f1, (M3::*base1)() = &M1::f1, (M3::*f1b)() = &M1::f1b;
  int (M3::*own)() = &M3::own;
  int (Deep::*db)() = &B::fb2, (Deep::*da)() = &A::fa2, (Deep::*dg)() = &M2::g2;
  int (Deep::*d1)() = &M1::f1b, (Deep::*d3)() = &M3::own;
  if ((c.*cb)() + (c.*cb2)() + (c.*ca)() + (c.*ca2)() == 36 && (m.*f2)() == 4) abort();
}
"""
NAMED = {
    "cb": "B::fb()", "cb2": "B::fb2()", "ca": "A::fa()", "ca2": "A::fa2()", "f2": "M2::f2()",
    "own2": "M3::f2()", "g2": "M2::g2()", "f1": "M3::f1()", "base1": "M3::f1()",
    "f1b": "M1::f1b()", "own": "M3::own()", "db": "B::fb2()", "da": "A::fa2()", "dg": "M2::g2()",
    "d1": "M1::f1b()", "d3": "M3::own()",
}  # fmt: skip
"""The functions of the source; `base1` has the slot that M3 overrides, at no adjustment."""


def test_a_slot_is_of_the_table_at_the_adjustment(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB names them so, too, where it finds a function at all."""
    build(tmp_path, {"a.cpp": BASES}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    files = with_core(tool, tmp_path)
    commands = ["frame function main", *(f"print {name}" for name in NAMED)]
    ours, theirs = answers(None, files, commands)[1:], answers(tool("gdb"), files, commands)[1:]
    shown = [answer.rstrip("\n").partition(" = ")[2] for answer in ours]
    assert shown == [f"&virtual {name}" for name in NAMED.values()]
    for own, gdb in zip(ours, theirs, strict=True):
        assert own == gdb or "&virtual table offset" in gdb
    odd = ["print behind.first@2"]
    assert answers(None, files, odd) == answers(tool("gdb"), files, odd)
