"""Pointers to members of base and derived classes (C++ [conv.mem], [expr.eq], Itanium ABI 2.3).

The expected values are those that the program computes, as `static_assert` and its output have
them: GDB compares and assigns the numbers, whatever the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, last_lines, with_core

SOURCE = """\
#include <cstdlib>
struct A { int a = 1; virtual int fa() { return 101; } };
struct B { int b = 2; virtual int fb() { return 102; } int plain() { return 103; } };
struct C : A, B { int c = 3; };
struct V : virtual A { int v = 4; };
struct L : B {}; struct R : B {}; struct Twice : L, R {};
struct Plain { int x = 5; };
typedef int (A::*Fa)(); typedef int (B::*Fb)(); typedef int (C::*Fc)(); typedef int (V::*Fv)();
typedef int A::*Da; typedef int B::*Db; typedef int C::*Dc; typedef int V::*Dv;
int main() {
  A a; B b; C c; V v; Twice twice; Plain other;
  int B::*m = &B::b, B::*no = nullptr; int C::*p = &B::b, C::*t = &C::c, C::*none = nullptr;
  int A::*first = &A::a; int Plain::*x = &Plain::x; int V::*own = &V::v; int Twice::*two = nullptr;
  Fb f = &B::fb, g0 = &B::plain, null = nullptr; Fc g = &B::fb, h = &B::plain, last = nullptr;
  Fa fa = &A::fa; Fv fv = nullptr; Da da; Db db; Dc dc; Dv dv;
  struct Low { int low; } low; int Low::*zero = &Low::low; bool yes = true;
  if (!(m == p && f == g && g0 == h && f != h && no == none && null == last && m != no && zero
        && (yes ? m : t) == p && c.*(yes ? m : t) == 2 && static_cast<int B::*>(p) == m
        && static_cast<Fb>(g) == f && (Fb)h == g0 && !none && !last && g != nullptr))
    return 1;
  abort();
}
"""


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("members")
    build(folder, {"a.cpp": SOURCE}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    return with_core(tool, folder)


def last_answers(files: list[str], commands: list[str]) -> list[str]:
    given = answers(None, files, ["frame function main", *commands])[1:]
    return [answer.rstrip("\n").split("\n")[-1].split(" = ")[-1] for answer in given]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("m == p", "true"), ("p == m", "true"), ("m != p", "false"), ("m == t", "false"),
        ("f == g", "true"), ("g != f", "false"), ("g0 == h", "true"), ("f == h", "false"),
        ("no == none", "true"), ("null == last", "true"), ("m == no", "false"),
        ("none == 0", "true"), ("p != 0", "true"), ("last == 0", "true"), ("0 == g", "false"),
        ("&B::b == p", "true"), ("p == &C::b", "true"), ("&A::a == p", "false"),
        ("c.*(yes ? m : t)", "2"), ("c.*(yes ? t : m)", "3"), ("(yes ? m : t) == p", "true"),
        ("!none", "true"), ("!last", "true"), ("!zero", "false"), ("no || null", "false"),
        ("(Db)p == m", "true"), ("static_cast<Db>(p) == m", "true"),
        ("c.*(Dc)m", "2"), ("c.*(Dc)first", "1"), ("(Db)none == no", "true"),
        ("static_cast<Fb>(g) == f", "true"), ("(Fb)h == g0", "true"), ("(Fc)f == g", "true"),
        ("(Fc)null == last", "true"), ("(Fb)last == null", "true"),
        ("c.*reinterpret_cast<Dc>(m) == c.*(Dc)m", "false"),
        ("sizeof((Dc)m)", "8"),
    ],
)  # fmt: skip
def test_values(files: list[str], expression: str, expected: str) -> None:
    assert last_answers(files, [f"print {expression}"]) == [expected]


@pytest.mark.parametrize(
    ("assignment", "expression", "expected"),
    [
        ("t = &B::b", "c.*t", "2"), ("t = &C::b", "c.*t", "2"), ("t = m", "c.*t", "2"),
        ("t = first", "c.*t", "1"), ("t = no", "t", "NULL"), ("t = 0", "t", "NULL"),
        ("g = f", "g == f", "true"), ("h = f", "h == g", "true"), ("g = null", "g", "NULL"),
        ("g = 0", "g", "NULL"), ("g = g0", "g == h", "true"), ("$x = m", "c.*$x", "2"),
        ("g = f", "c.*g == c.*h", "false"), ("$x = f", "$x == g", "true"),
    ],
)  # fmt: skip
def test_an_assignment(files: list[str], assignment: str, expression: str, expected: str) -> None:
    given = last_answers(
        files, ["set write on", f"set variable {assignment}", f"print {expression}"]
    )
    assert given[-1] == expected


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("print m = p", "A pointer to a member of C is none to a member of B: cast it."),
        ("print t = x", "A pointer to a member of Plain is none to a member of C: cast it."),
        ("print m == x", "Invalid type combination in equality test."),
        ("print m < p", "Invalid type combination in ordering comparison."),
        ("print (Dv)first", "pointer to member conversion via virtual base 'A'"),
        ("print own = first", "pointer to member conversion via virtual base 'A'"),
        ("print (Da)own", "pointer to member conversion via virtual base 'A'"),
        ("print fv = fa", "pointer to member conversion via virtual base 'A'"),
        ("print t = f", "Invalid cast."), ("print (Fc)m", "Invalid cast."),
        ("print t = 8", "Invalid cast."), ("print (Dc)8", "Invalid cast."),
    ],
)  # fmt: skip
def test_what_cplusplus_refuses(files: list[str], statement: str, error: str) -> None:
    assert last_answers(files, [statement]) == [error]


def test_an_ambiguous_base_class(files: list[str]) -> None:
    assert "ambiguous" in last_answers(files, ["print two = m"])[0]
    assert "ambiguous" in last_answers(files, ["print two == m"])[0]


UNNAMED = """\
struct U { union { int ua; float uf; }; struct { int sa; struct { int sb; }; }; int u; };
struct V : U { using U::ua; int v; };
int main() { V v{}; int V::*pa = &V::ua; float U::*pf = &U::uf; return v.*pa + (int)(v.*pf); }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_members_of_unnamed_members_have_names(
    compiler: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """They are members of the class around (C++ [class.union.anon]); GDB has no such pointers."""
    build(tmp_path, {"a.cc": UNNAMED}, [[tool(compiler), "-g", "-O0", "-w", "a.cc", "-o", "a"]])
    names = ("ua", "uf", "sa", "sb", "u", "v")
    shown = answers(None, [str(tmp_path / "a"), "--pc", "main"], [
        f"output &V::{name}" for name in names
    ])  # fmt: skip
    assert [text.splitlines()[-1] for text in shown] == [
        *(f"&U::{name}" for name in names[:-1]), "&V::v",
    ]  # fmt: skip


PARTS = """
union V { union { int ua; float uf; }; struct { int sb; struct { char sc; union { short sd;
  long se; }; }; }; double whole; };
struct Base { int b0; union { int bu; float bf; }; }; struct Derived : Base { int d0; };
template<class T> struct T1 { union { T a; struct { T b, c; }; }; };
namespace { struct N { union { int n1; struct { char n2, n3; }; }; }; }
typedef long Long;
float V::*p1 = &V::uf; Long V::*p2 = &V::se; double V::*p3 = &V::whole; float Base::*p4 = &Base::bf;
float Derived::*p5 = &Derived::bf; int T1<int>::*p6 = &T1<int>::c; char N::*p7 = &N::n2;
V v; N n; struct Holder { float V::*in; } holder = {&V::uf};
int main() { return v.*p2 + n.*p7; }
"""
TO_PARTS = {
    "p1": "&V::uf", "p2": "&V::se", "p3": "&V::whole", "p4": "&Base::bf", "p5": "&Base::bf",
    "p6": "&T1<int>::c", "p7": "&(anonymous namespace)::N::n2", "holder": "{in = &V::uf}",
}  # fmt: skip


@pytest.mark.parametrize("options", [(), ("-fdebug-types-section",), ("-gsplit-dwarf",)])
@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_pointers_to_members_of_unnamed_parts(
    tmp_path: Path, tool: Callable[[str], str], compiler: str, options: tuple[str, ...]
) -> None:
    """Of several members at one offset it is the one of the type; a part may be in a type unit."""
    build(tmp_path, {"a.cc": PARTS}, [[tool(compiler), "-g", "-O0", *options, "a.cc", "-o", "a"]])
    program, whole = (
        [str(tmp_path / "a")],
        TO_PARTS | {"p2 == &V::se": "true", "sizeof(V::se)": "8"},
    )
    asked = whole | {text: text for text in TO_PARTS.values() if text.startswith("&")}
    assert last_lines(program, [f"output {text}" for text in asked]) == [*asked.values()]
