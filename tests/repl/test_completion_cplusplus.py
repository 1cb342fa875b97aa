"""Completion of names of C++ without linkage names, and in unnamed namespaces, as in the installed
GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import build
from tests.repl.test_breakpoints_gdb import both, built

SOURCE = """\
namespace {
int hidden(int a) { return a + 1; }
struct Anon { int m(int x) { return x; } static int made(int); };
int Anon::made(int q) { return q; }
namespace inner { int deep(int a) { return a; } int held = 4; }
template<int N> struct T { int operator()(int) const { return N; } T() {} };
}
namespace ns {
int plain(int a) { return a; }
namespace { int half(int a) { return a * 2; } int inside = 5; }
template<class V> V same(V a) { return a; }
}
static void over(int) {}
static void over(double, char *) {}
static int fixed = 6;
int main(int argc, char **argv)
{
  Anon a; T<3> t;
  over(1); over(1., 0);
  return hidden(argc) + a.m(argc) + Anon::made(argc) + inner::deep(argc) + ns::plain(argc)
    + ns::half(argc) + ns::same(argc) + t(1) + fixed + ns::inside + inner::held;
}
"""
TEXTS = [
    "break a.cpp:", "break a.cpp:h", "break a.cpp:(", "break a.cpp:(anon", "break a.cpp:ns::",
    "break a.cpp:ns::(", "break a.cpp:A", "break a.cpp:d", "break 'a.cpp':h", "tbreak a.cpp:h",
    "until a.cpp:h", "break hid", "break (anon", "break (anonymous namespace)::", "break ns::",
    "break ns::(", "break deep", "break half", "break inner::", "break sam", "break A", "break T",
    "break ov", "break op", "break 'hid", "break '(anon", 'break "(anon', "list '(anon",
    "break -function (", "break -function hid", "break -source a.cpp -function ",
    "break -qualified hid", "break -q (anon", "frame function mai", "list mai", "list hid",
    "print hid", "print ns::", "print '(anon", "print '(anonymous namespace)::i", "print ov",
    "print fix", "info line ov", "info scope hid", "info address ov",
]  # fmt: skip


@pytest.mark.parametrize("version", ["-gdwarf-5", "-gdwarf-4"])
def test_names_are_those_of_gdb(tmp_path: Path, version: str) -> None:
    gdb = built(tmp_path, SOURCE, "-g", version, "-O0", name="a.cpp")
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [f"complete {text}" for text in TEXTS])
    assert of_dwarfgpu == of_gdb
    assert "break a.cpp:(anonymous namespace)::inner::deep(int)\n" in of_gdb
    assert "break deep(int)\n" in of_gdb  # alone: from what was typed on


INTEGERS = """
template <class T> struct Box { T value; };
Box<short> a; Box<unsigned short> b; Box<long> c; Box<unsigned long> d; Box<long long> e;
Box<unsigned long long> f; Box<Box<unsigned long> *> g; Box<unsigned> h; Box<signed char> i;
int main() {}
"""


def test_integers_in_templates_are_spelled_as_by_gdb(tmp_path: Path) -> None:
    gdb = built(tmp_path, INTEGERS, "-g", name="a.cpp")
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, ["complete print Box"])
    assert of_dwarfgpu == of_gdb
    assert "Box<unsigned long long>" in of_gdb


METHODS = """
struct Base { Base() {} virtual ~Base() {} virtual int used(int a) { return a; } int held; };
struct Host : Base {
  int call(int n) { return n; } static int made() { return 1; } int operator+(int n) { return n; }
  template <class T> T same(T t) { return t; } int carried;
};
struct Text { Text &operator=(const Text &) { return *this; } ~Text() {} };
struct Implicit : virtual Text { Text text; };
struct Converted {
  operator int() const { return 1; } explicit operator bool() const { return true; }
  int operator()(int n) { return n; } int operator[](int n) { return n; } Host *operator->();
  void *operator new(decltype(sizeof 0)) { return nullptr; } void operator delete(void *) {}
};
namespace ns { struct In {}; }
struct Spelled {
  operator const char *() { return ""; } operator unsigned long() { return 1; } ns::In in;
  operator const ns::In &() { return in; } operator short *const *() { return nullptr; }
  template <class T> T as() { return T(); }
};
Spelled spelled;
Host host; Host *to = &host; Implicit implicit, copied; Converted converted;
auto lambda = [](int k) { return k; }; auto generic = [](auto k) { return k; };
int main() {
  spelled.as<unsigned long>(); spelled.as<const char *>();
  implicit = copied; new Converted; delete &converted;
  return host.call(1) + Host::made() + (host + 1) + host.same(1) + lambda(1) + generic(1)
    + generic('c') + int(converted) + bool(converted) + converted(1) + converted[1]; }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_member_functions(tmp_path: Path, tool: Callable[[str], str], compiler: str) -> None:
    """Those of base classes too, and those that the compiler makes; constructors, which no
    expression can call, are not offered."""
    gdb = tool("gdb")
    build(tmp_path, {"a.cpp": METHODS}, [[tool(compiler), "-g", "-O0", "-o", "a", "a.cpp"]])
    texts = [
        "host.", "host.ca", "to->", "(*to).us", "(&host)->h", "host.op", "implicit.", "converted.",
        "converted.op", "lambda.o", "generic.op", "spelled.",
    ]  # fmt: skip
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [f"complete print {text}" for text in texts])
    assert of_dwarfgpu == of_gdb
    assert "print host.call\n" in of_gdb and "print (*to).used\n" in of_gdb
    assert "print implicit.operator=\n" in of_gdb and "print lambda.operator()\n" in of_gdb
    assert "print implicit.~Implicit\n" in of_gdb and "print converted.operator new\n" in of_gdb
    assert "print generic.operator()<char>\n" in of_gdb
    assert "print spelled.operator char const*\n" in of_gdb


SPACED = """\
template <class T, int N> struct Box {
  T data[N];
  __attribute__((noinline)) int size() const { return N; }
  __attribute__((noinline)) T &operator[](int i) { return data[i]; }
};
template <class T> struct Held { T t; int take(int a, const char *b) { return a + *b; } };
namespace outer { namespace inner { int deep(int a, char *b) { return a + *b; } } }
int two(Box<int, 4> &a, Held<int> b) { return a[1] + b.t; }
int main(int argc, char **argv)
{
  Box<int, 4> a = {{1}}; Held<Box<int, 4> > b = {a}; Held<int> c = {1};
  return a.size() + a[argc] + b.take(1, "") + c.take(2, "") + two(a, c)
    + outer::inner::deep(argc, *argv);
}
"""
SPACED_TEXTS = (
    "b Box<int,4>::", "b Box<int, 4>::", "b Box< int , 4 >::", "b Box <int,4>::", "b Box<int,4",
    "tbreak Box<int,4>::op", "b 'Box<int,4>::", "b -function Box<int,4>::", "b Box<int,5>::",
    "b Box<int,4>::operator[](i", "b Held<Box<int,4>>::", "b Held<Box<int,4> >::",
    "b outer :: in", "b outer::inner ::", "b outer::inner::deep(int,c", "b two(Box<int,4>&,H",
    "b two( Box", "until Box<int,4>::si", "b a.cpp:Box<int,4>::", "p Box<int,4>::",
)  # fmt: skip


def test_blanks_may_be_those_of_a_program(tmp_path: Path) -> None:
    """GDB keeps those that are typed where one name alone is offered."""
    gdb = built(tmp_path, SPACED, "-g", "-O0", name="a.cpp")
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [f"complete {text}" for text in SPACED_TEXTS])
    assert of_dwarfgpu.replace(" ", "") == of_gdb.replace(" ", "")
    assert "tbreak Box<int, 4>::operator[](int)\n" in of_gdb
