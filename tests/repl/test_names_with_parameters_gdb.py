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
