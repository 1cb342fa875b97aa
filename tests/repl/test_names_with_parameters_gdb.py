"""Names with parameters: those of `info address NAME(...)`, and rvalue references, against the
installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

CPLUSPLUS = """\
namespace n { int over(int a) { return a; } int over(long a) { return (int)a; } }
struct C { int get(int a) const { return a; } void operator()(int) {} };
static int own = 4;
int f(int v) {
  int list[4] = {1, 2, 3};
  static int kept = v;
  C c;
  c(c.get(v));
  *(volatile int *)0 = list[1] + kept++ + n::over(v) + n::over(1L) + own;
  return v;
}
int main() { return f(3); }
"""
FORTRAN = """\
module m
  integer :: of_module(3) = 1
end module
program p
  use m
  integer, pointer :: to_nothing
  integer :: list(3)
  list = 2
  to_nothing => null()
  call inner(1)
contains
  subroutine inner(k)
    integer :: k, own(2)
    own = list(1) + of_module(2)
    to_nothing = own(1) + k
  end subroutine
end program
"""
CASES = {
    "g++": ("a.cc", CPLUSPLUS, [
        "list(3)", "list (3)", "c(1)", "kept(1)", "own(1)", "v(int)", "f(int)", "f(3)", "f",
        "n::over(int)", "n::over(long)", "n::over(char)", "C::get(int) const", "f(int)::kept(1)",
        "C::operator()(int)", "C::operator()",
    ]),
    "gcc": ("a.c", "int f(int v) { int list[4] = {v}; *(volatile int *)0 = list[1]; return v; }\n"
        "int main(void) { return f(3); }\n", ["list(3)", "v(int)", "f(3)", "f"]),
    "gfortran": ("a.f90", FORTRAN, [
        "list(2)", "own(1)", "k(1)", "of_module(1)", "m::of_module(1)", "inner(1)", "own",
        "m::of_module",
    ]),
}  # fmt: skip


@pytest.mark.parametrize("compiler", CASES)
def test_variables_have_no_parameters(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    name, text, names = CASES[compiler]
    build(tmp_path, {name: text}, [[tool(compiler), "-g", "-O0", "-o", "a", name]])
    files = with_core(tool, tmp_path)
    commands = [f"info address {word}" for word in names]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


RVALUES = """\
struct S { int v; };
typedef S TS;
struct J { int v; template <class T> int t() { return v; } };
int g(S&& s) { return s.v; }
int g(S& s) { return s.v + 1; }
int a5(const TS& a, S&& b) { return a.v + b.v; }
template <class... T> int many(T&&... x) { return sizeof...(x); }
template <class T> struct Box { int n; };
Box<S&&> box;
int a = 1, b = 2, c = 3, d = 0;
int main() { S s{3}; J j{4}; many(s, S{1}, 3); g(S{1}); return g(s) + a5(s, S{2}) + j.t<int&&>(); }
"""


def test_rvalue_references_are_parameters(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.cc": RVALUES}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cc"]])
    commands = [
        "p a5(const S&, S&&)", "p a5(const TS&, S&&)", "break a5(const TS&, S&&)",
        "p J::t<int&&>", "p sizeof(Box<S&&>)", "info scope g(S&&)", "info address g(S&&)",
    ]  # fmt: skip
    files = [str(tmp_path / "a")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    one, two, *ands = answers(
        None, files, ["p g(S&&)", "p g(S &)", "p a<b && c>d", "p (a<b&&c>d)", "p a < b && c > d"]
    )
    assert "<g(S&&)>" in one and "<g(S&)>" in two  # GDB has the second for both
    assert all("= true" in answer for answer in ands)


TYPEDEFS = """\
namespace ns {
template <class T> struct Ring { T d[4]; };
typedef Ring<char> Chars;
struct K {
  int m(Chars& r, int k) { return r.d[0] + k; }
  int c(unsigned long u) const { return u; }
};
int g(const Chars* p) { static int kept = p->d[0]; return kept; }
}
typedef int number;
typedef unsigned long size;
typedef const char* text;
typedef ns::Ring<char> chars;
typedef struct { int a; } U;
typedef struct { int b; } W;
typedef W X;
int f(ns::Ring<char>& r) { return r.d[0]; }
int f(number i) { return i + 1; }
int f(chars* p) { return p->d[1]; }
int f(unsigned long u) { return u; }
int f(const char* a, int b) { return *a + b; }
int f(const char* a, ...) { return *a; }
int h(U* v) { return v->a; }
int h(X* x) { return x->b; }
static int s(number n) { return n; }
static int s(size n) { return n; }
chars r{{1, 2, 3, 4}};
U uu;
W ww;
text t;
int main(int c, char**) {
  ns::K k;
  return f(r) + f(c) + f(&r) + f(3ul) + f("a", 1) + f("b", 1.0) + k.m(r, 1) + k.c(3) + ns::g(&r)
    + h(&uu) + h(&ww) + s(1) + s((size)2);
}
"""


def test_parameters_may_be_written_with_typedefs(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    build(tmp_path, {"a.cc": TYPEDEFS}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cc"]])
    files = [str(tmp_path / "a")]
    functions = [
        "f(chars&)", "f(number)", "f(const number)", "f(size)", "f(text, number)", "f(text, ...)",
        "ns::K::m(chars&, number)", "K::m(chars &, number)", "m(chars&, number)", "a.cc:f(size)",
        "'f(chars&)'", "ns::K::c(size) const", "g(chars const*)", "ns::g(const chars*)", "h(U*)",
        "h(W*)", "h(X*)", "s(number)", "s(size)", "s(int)", "f(nosuch)", "f(number&)", "f(W*)",
        "nosuch(number)",
    ]  # fmt: skip
    commands = [f"{command} {name}" for name in functions for command in ("break", "info scope")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    texts = answers(
        None, files,
        ["p f(chars&)", "p f(size)", "p f(text, ...)", "p ns::K::m(chars&, number)", "p h(W*)"],
    )  # fmt: skip
    for text, name in zip(  # GDB has one of them for all of f
        texts,
        [
            "f(ns::Ring<char>&)", "f(unsigned long)", "f(char const*, ...)",
            "ns::K::m(ns::Ring<char>&, int)", "h(W*)",
        ],
        strict=True,
    ):  # fmt: skip
        assert f"<{name}>" in text
    (kept,) = answers(None, files, ["whatis ns::g(chars const*)::kept"])
    assert "type = int" in kept
