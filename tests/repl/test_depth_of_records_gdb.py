"""What of objects is below the depth that is shown, as in GDB: records of Ada and Fortran are in
parentheses there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers, build, fortran_with_core, with_core

ADA = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Inner is record A : Integer := 1; end record;
   type Outer is record B : Inner; C : Integer := 2; end record;
   X : Outer;
   Y : array (1 .. 2) of Outer;
begin
   if X.C + Y (1).C = 4 then C_Abort; end if;
end Example;
"""
FORTRAN = """\
program main
  call example()
end program
subroutine example()
  type inner
    integer :: a
  end type
  type outer
    type(inner) :: b
    integer :: c
  end type
  type(outer) :: x, y(2)
  x%b%a = 1; x%c = 2; y(1) = x; y(2) = x
  call abort()
end subroutine
"""
SHOWN = [
    command
    for depth in range(3)
    for command in (f"set print max-depth {depth}", "output x", "output y")
]


START = "frame function example"


def test_of_ada(tool: Callable[[str], str], tmp_path: Path) -> None:
    files = ada_with_core(tool, tmp_path, ADA)
    own = answers(None, files, [START, *SHOWN])[1:]
    assert own == answers(tool("gdb"), files, [START, *SHOWN])[1:]
    assert own[1] == "output x\n(...)"


def test_of_fortran(tool: Callable[[str], str], tmp_path: Path) -> None:
    """GDB selects no frame by the name of a Fortran subroutine; in the frame it shows this."""
    files = fortran_with_core(tool, tmp_path, FORTRAN)
    own = answers(None, files, [START, *SHOWN])[1:]
    assert [answer.partition("\n")[2] for answer in own if answer.startswith("output")] == [
        "(...)", "(...)", "( b = (...), c = 2 )",
        "(( b = (...), c = 2 ), ( b = (...), c = 2 ))",
        "( b = ( a = 1 ), c = 2 )", "(( b = ( a = 1 ), c = 2 ), ( b = ( a = 1 ), c = 2 ))",
    ]  # fmt: skip


STATICS = """\
struct Inner { int a; struct Deep { int z; } deep; };
union Either { int i; float f; };
struct Outer { static Inner in; static Either either; static Inner row[2]; Inner own; };
Inner Outer::in = {1, {2}}; Either Outer::either = {3};
Inner Outer::row[2] = {{4, {5}}, {6, {7}}}; Outer x = {{8, {9}}};
struct Many { int n; static Many a, b, c, d; };
Many Many::a = {1}, Many::b = {2}, Many::c = {3}, Many::d = {4}, many[2] = {{5}, {6}};
struct Pair { Many p, q; static Many s; } pair; Many Pair::s = {7};
struct Row { int n; static Row row[2], one; } row = {1}; Row Row::row[2] = {{2}, {3}}, Row::one;
struct B; struct A { int n; static B b; }; struct B { int m; static A a; A own; };
B A::b = {1, {2}}; A B::a = {3}, a = {4}; B b = {5, {6}};
struct Derived : Many { int k; static Derived me; Many own; } derived; Derived Derived::me;
struct C3 { int w; }; struct C2 { static C3 c; int v; };
struct C1 { static C2 c; C2 o; int u; }; struct C0 { static C1 c; C1 o; } chain;
C3 C2::c = {1}; C2 C1::c = {2}; C1 C0::c = {{3}, 4};
int main() { __builtin_abort(); }
"""


def test_static_members(tool: Callable[[str], str], tmp_path: Path) -> None:
    """One of a class shows its fields at any depth, and once in a structure that is none itself;
    a second array of the same class is not shown."""
    build(tmp_path, {"a.cpp": STATICS}, [[tool("g++"), "-g", "-o", "a", "a.cpp"]])
    files = with_core(tool, tmp_path)
    names = ("x", "many", "pair", "row", "a", "b", "derived", "chain", "chain.o", "Many::a")
    shown = [
        command
        for depth in (20, 0, 1, 2, 3)
        for command in (
            f"set print max-depth {depth}", *(f"output {name}" for name in names)
        )
    ]  # fmt: skip
    own = answers(None, files, shown)
    assert own == answers(tool("gdb"), files, shown)
    assert "static in = {a = 1, deep = {...}}" in own[shown.index("set print max-depth 1") + 1]


def test_the_work_of_static_members(tool: Callable[[str], str], tmp_path: Path) -> None:
    """A class of 40 static members of itself shows each once, not in every order."""
    names = [f"s{number}" for number in range(40)]
    own = f"struct Many {{ static Many {', '.join(names)}; int n; }} many;\n"
    defined = "".join(f"Many Many::{name};\n" for name in names)
    text = f"{own}{defined}int main() {{ __builtin_abort(); }}\n"
    build(tmp_path, {"a.cpp": text}, [[tool("g++"), "-g", "-o", "a", "a.cpp"]])
    [answer] = answers(None, with_core(tool, tmp_path), ["output -max-depth 1 -- many"])
    assert answer.count("{") == 41 and answer.count("static s7 = {") == 1


SECOND_ARRAYS = """\
struct A { int a; static A one, two; static A all[2]; };
A A::one = {1}, A::two = {2}; A A::all[2] = {{3}, {4}};
struct B : A { int b; static B me; };
B B::me = {{9}, 8};
struct H { A h; B g; static H hh; };
H H::hh = {{5}, {{6}, 7}};
int main() { A a{10}; B b{{20}, 21}; H h{{30}, {{31}, 32}}; A more[2] = {{40}, {41}};
  __builtin_trap(); }
"""


def test_a_second_array_of_collapsed_members(tool: Callable[[str], str], tmp_path: Path) -> None:
    """It is not shown again where the elements of the first one were collapsed."""
    build(tmp_path, {"a.cc": SECOND_ARRAYS}, [[tool("g++"), "-g", "-std=c++17", "a.cc", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = [
        f"print -max-depth {depth} -- {name}" for name in ("h", "b") for depth in (1, 3, 4, 5)
    ]
    for command in (*commands, "print -max-depth 3 -- more"):
        # Each alone: GDB keeps some of what it has shown.
        assert answers(None, files, [command]) == answers(tool("gdb"), files, [command])
