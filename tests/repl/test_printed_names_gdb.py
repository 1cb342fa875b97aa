"""Commands accept the names of functions that they print, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from tests.repl.side_by_side import answers, build

SOURCE = """\
namespace n {
template <class T> struct Al { T a; };
template <class T, class X = Al<T>> struct V { T a; int m(V<T> o) { return 1; }
  template <class Z> int z(Z q) { return 2; } };
struct B { int v; B(int a) : v(a) {} template <class T> B(T t, int q) : v(q) { v += t; } };
struct D : B { using B::B; };
struct C {
  typedef V<V<int>> VV;
  operator V<int>() const { return {}; }
  operator VV() { return {}; }
  operator int *() { return nullptr; }
  template <class Z> operator Z *() { return nullptr; }
};
}
template <class U> int f(U u) {
  struct L { int go(U v) { return sizeof v; } } l;
  return l.go(u) + [](auto q) { return sizeof q; }(u);
}
template <class U> bool operator<(const n::V<U> &a, const n::V<U> &b) { return a.a < b.a; }
template <int (*F)(int)> int call() { return F(3); }
int id(int a) { return a; }
int main() {
  n::V<int> v{3};
  n::C c;
  n::D d(3), e('c', 4);
  n::V<int> w = c;
  n::C::VV vv = c;
  int *p = c;
  double *q = c;
  return f(v) + f(&v) + v.m(w) + v.z(vv) + (v < w) + call<id>() + d.v + e.v;
}
"""
PLAIN = ("main", "id", "n::B")
AT = ("break {}", "info line {}", "info scope {}", "list {}", "print {}")


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_names_that_are_printed(tool: Callable[[str], str], tmp_path: Path, compiler: str) -> None:
    command = [tool(compiler), "-std=c++17", "-g", "-o", "a", "a.cc"]
    build(tmp_path, {"a.cc": SOURCE}, [command])
    listed = listed_symbols(CodeObject.open(tmp_path / "a").info, "functions")
    names = sorted(one.name for one in listed if not one.name.startswith(PLAIN))
    assert len(names) >= 15 and any("n::V<int, n::Al<int> >" in name for name in names)
    commands = [line.format(f"'{name}'") for name in names for line in AT]
    commands += [f"info address {name}" for name in names]
    commands += [f"print {name.partition('(')[0]}" for name in names if name.startswith("f<")]
    commands.insert(0, "set print asm-demangle on")
    own, of_gdb = (answers(gdb, [str(tmp_path / "a")], commands) for gdb in (None, tool("gdb")))
    assert own == of_gdb
    assert "not defined" not in "".join(own) and "No symbol" not in "".join(own)
