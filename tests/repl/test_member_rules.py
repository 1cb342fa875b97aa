"""Names of members of classes, rule by rule of C++20: a table, whose answers are those of the
standard. A line with `=` has GDB's answer, too; GDB 13 has another one for a line with `!`.

What no object has, as static members, types and enumerators, GDB does not find with an object, or
takes to be ambiguous; neither does it find a class by the name that it has in itself, where the
focus has none, nor what hides a member of a virtual base class on one way alone.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
struct One {
  int x = 1; static int s; enum { e = 2 }; typedef short T; struct In { static int q; };
  int f() { return x; } static int sf() { return 3; } int over = 4; int named = 5;
};
int One::s = 6, One::In::q = 7;
struct Hides : One { int x = 8; int over(int) { return 9; } static int named; } hides;
int Hides::named = 10;
struct Passes : One {} passes;
struct Left { int x = 11; }; struct Right { float x = 12; };
struct Both : Left, Right {} both;
struct ViaD : virtual Both {}; struct ViaE : virtual Both { char x = 'e'; };
struct Dominated : ViaD, ViaE {} dominated;
struct V { int v = 13; };
struct Middle : One, virtual V {}; struct Other : One, virtual V {};
struct Twice : Middle, Other {} twice, *at = &twice, &ref = twice;
struct W { int y = 14; int g() { return 15; } };
struct B : virtual V, W { int v = 16; int f() { return 17; } int y = 18; int g() { return 19; } };
struct C : virtual V, W { int h() { return W::g(); } };
struct D : B, C {} d;
struct S1 { static int t; }; struct S2 { static int t; }; int S1::t = 20, S2::t = 21;
struct Statics : S1, S2 {} statics;
struct M1 { static int z; }; int M1::z = 22;
struct M2 : virtual M1 {}; struct M3 : virtual M1 { int z = 23; }; struct M4 : M2, M3 {} m4;
struct Direct : Passes, One {} direct;
namespace n {
struct L { int l = 30; }; namespace deep { struct L { int l = 31; }; }
inline namespace v2 { struct I { int k = 32; static int ks; }; int I::ks = 33; }
struct From : L, deep::L, I {};
typedef I Alias;
}
namespace al = n; n::From from; n::Alias alias;
namespace { struct Anon { int an = 34; static int as; }; int Anon::as = 35; }
struct FromAnon : Anon {} fa;
namespace p {
struct S { int n = 36; static int st; static int g() { return 37; } }; int S::st = 38;
}
namespace r { struct S : p::S { int n = 39; static int st; }; int S::st = 40; }
struct S { int n = 41; static int st; }; int S::st = 42;
r::S rs;
template<class T> struct Box { T v = T(50); static T sv; struct Item { T i = T(51); } item; };
template<class T> T Box<T>::sv = T(52);
struct Boxes : Box<int>, Box<long> {} boxes;
template<class T> struct Derive : T { T inner; int own = 53; };
Derive<One> derive; Derive<Box<int>> dbox; Box<char> cbox; typedef Box<int> BoxOfInt;
template<class T, int N> struct Arr { int n = N; }; struct Arrs : Arr<int, 2>, Arr<int, 3> {} arrs;
struct Base {
  int n = 60; int only = 61; static int st; struct Deep { int d = 62; static int ds; } deep;
  enum class Sc { blue = 63 }; virtual int vf() { return 64; } int nm() { return 65; }
};
int Base::st = 66, Base::Deep::ds = 67;
struct Der : Base {
  typedef Base Super; int n = 68; struct Deep2 : Deep { int d = 69; } deep2;
  virtual int vf() { return 70; }
  int m() { Super::Sc sc = Sc::blue; __builtin_trap(); return int(sc); }
} der, *to = &der;
typedef Der DerT;
struct Last : Der { typedef Der Super; int n = 71; } last;
struct Ctx { int c = 80; };
namespace cx { struct Ctx { int c = 81; }; struct Own : Ctx {}; struct Outside : ::Ctx {}; }
cx::Own own; cx::Outside outside;
struct Var { int Base = 82; } var;
struct Parts { union { int u = 83; float fl; }; struct { int w = 84; }; };
struct OfParts : Parts {} parts;
struct K { template<class T> static T iw; }; template<class T> T K::iw = T(85);
struct KD : K { int k = 86; } kd;
struct Loc { static int f() { return 1; } int g() { return 2; } static int only() { return 3; } };
auto local() {
  struct Loc {
    int l = 90; static int f(char c) { return c; } int g(char c) { return l + c; }
    enum { e = 91 }; enum class Sc { red = 92 };
  };
  struct More : Loc { typedef Loc Super; int l = 93; } more;
  return more;
}
auto local(int) {
  struct Loc : ::Loc { static int f(long l) { return l; } static int only(long) { return 94; } };
  Loc loc;
  return loc;
}
auto more = local(); auto loc = local(1); Loc global;
struct F {
  static int f(char) { return 1; } int g(char) { return 2; } static int only() { return 3; }
};
namespace r { struct F { static int f(long) { return 4; } int g(long) { return 5; } }; }
struct FromF : r::F {} ff;
struct HasF { struct F : ::F { static int f(short) { return 6; } } f; } hf;
struct Nums { int e = 95, T = 96; };
struct HidesAll : Nums { enum { e = 97 }; struct T {}; } hidesall;
struct Below : HidesAll {} below;
struct Enums { enum { e = 98 }; }; struct Mixed : Nums, Enums {} mixed;
int main() {
  DerT::Super *up = &der; n::Alias *a = &alias; cx::Own *o = &own; BoxOfInt *b = 0;
  One::T t = One::e;
  return passes.f() + One::sf() + hides.over(1) + d.f() + d.B::g() + d.h() + p::S::g() + der.nm()
    + up->vf() + up->Base::vf() + int(K::iw<long>) + int(Box<int>::sv + Box<long>::sv)
    + a->k + o->c + t + der.m() + Loc::f() + global.g() + Loc::only() + more.f(1) + more.g(1)
    + loc.f(1) + loc.only(1) + F::f(1) + F().g(1) + F::only() + ff.f(1) + ff.g(1) + hf.f.f(1);
}
"""
RULES = """\
[class.member.lookup/4] a declaration hides those of base classes, whatever they are
  hides.x = 8
  hides.One::x = 1
  hides.over ! {int (Hides * const, int)} <Hides::over(int)>
  hides.named = 10
  hides.One::named = 5
  hidesall.e ! HidesAll::e
  below.e ! HidesAll::e
  below.Nums::e = 95
  below.T ! There is no member named T.
[class.member.lookup/5] otherwise it is what the base classes declare
  passes.x = 1
  passes.s = 6
  passes.e ! One::e
  passes.f = {int (One * const)} <One::f()>
  passes.sf = {int (void)} <One::sf()>
  Passes::e = One::e
  Passes::In::q = 7
  sizeof(Passes::T) = 2
  parts.u = 83
  parts.Parts::w ! 84
  parts.OfParts::u ! 83
[class.member.lookup/6] different declarations in base classes are ambiguous, static ones, too
  both.x = 'x' is ambiguous in type 'Both'
  both.Left::x = 11
  mixed.e ! 'e' is ambiguous in type 'Mixed'
  both.Both::x ! 'x' is ambiguous in type 'Both'
  both.Both::Right::x = 12
  statics.t = 't' is ambiguous in type 'Statics'
  statics.S2::t ! 21
  Statics::t ! 't' is ambiguous in type 'Statics'
[class.member.lookup/6] unless one is in a base class of the other's part of the object
  dominated.x ! 101 'e'
  dominated.ViaD::x ! 'x' is ambiguous in type 'ViaD'
  dominated.Left::x = 11
  m4.z ! 23
  M4::z ! Cannot reference non-static field "z"
  M2::z = 22
[class.member.lookup/10] what no object has may be in several parts
  twice.v = 13
  at->v = 13
  twice.s ! 6
  at->e ! One::e
  twice.sf ! {int (void)} <One::sf()>
  Twice::s = 6
  Twice::sf = {int (void)} <One::sf()>
  Twice::e = One::e
  sizeof(Twice::T) = 2
  &Twice::x = &One::x
[class.member.lookup/11] virtual base classes: a part that is hidden on one way is hidden
  d.v ! 16
  d.f = {int (B * const)} <B::f()>
  d.y = 'y' is ambiguous in type 'D'
  d.g ! 'g' is ambiguous in type 'D'
  D::v ! Cannot reference non-static field "v"
  D::y ! 'y' is ambiguous in type 'D'
  &D::v ! &B::v
[class.member.lookup/13] what objects have is ambiguous in several parts
  twice.x = 'x' is ambiguous in type 'Twice'
  twice.f = base class 'One' is ambiguous in type 'Twice'
  direct.x = 'x' is ambiguous in type 'Direct'
[class.access.base/5] the class before `::` has to be one part of the object
  twice.One::x = base class 'One' is ambiguous in type 'Twice'
  twice.Middle::x = 1
  at->Other::x = 1
  (*at).Other::One::x = base class 'One' is ambiguous in type 'Twice'
  ref.Twice::Middle::f ! {int (One * const)} <One::f()>
  direct.One::x ! base class 'One' is ambiguous in type 'Direct'
  direct.Passes::x = 1
  d.W::y = base class 'W' is ambiguous in type 'D'
  d.C::y = 14
  d.C::h = {int (C * const)} <C::h()>
  d.B::V::v = 13
  twice.Middle::V::v = 13
[expr.ref/6] static members and enumerators are in no part
  twice.One::s ! 6
  twice.One::sf ! {int (void)} <One::sf()>
  twice.One::e ! One::e
  der.Sc::blue ! Base::Sc::blue
  der.Base::Sc::blue ! Base::Sc::blue
  der.Base::vf ! {int (Base * const)} <Base::vf()>
[class.qual/1] a name after `::` is looked up in that class and its base classes
  der.Base::n = 60
  to->Base::n = 60
  der.Base::only = 61
  Der::Base::st = 66
  DerT::Base::Deep::ds = 67
  der.Base::st ! 66
  der.Base::m = There is no field named m
  Der::Base::only = 61
[class.pre/2] a class has its own name in itself
  der.Der::Base::n = 60
  rs.S::n ! 39
  rs.S::st ! 40
  rs.S::g ! {int (void)} <p::S::g()>
  r::S::S::st ! 40
  rs.p::S::n = 36
  rs.r::S::n = 39
  rs.::S::n ! There is no field named n
  outside.Outside::c ! 80
  ff.F::f ! {int (long)} <r::F::f(long)>
  ff.F::g ! {int (r::F * const, long)} <r::F::g(long)>
  ff.F::only ! There is no field named only
  hf.f.F::f ! {int (short)} <HasF::F::f(short)>
  hf.f.::F::f ! {int (char)} <F::f(char)>
[class.local/1] a class of a function has no name outside of it
  more.f ! {int (char)} <Loc::f(char)>
  more.g ! {int (Loc * const, char)} <Loc::g(char)>
  more.More::f ! {int (char)} <Loc::f(char)>
  more.Loc::f ! {int (char)} <Loc::f(char)>
  more.Loc::g ! {int (Loc * const, char)} <Loc::g(char)>
  more.Loc::l ! 90
  more.Super::l ! 90
  more.e ! Loc::e
  more.Loc::e ! Loc::e
  more.Sc::red ! Loc::Sc::red
  more.only = There is no member or method named only.
  more.Loc::only ! There is no field named only
  more.::Loc::f ! There is no field named f
  loc.Loc::f ! {int (long)} <Loc::f(long)>
  loc.Loc::only ! {int (long)} <Loc::only(long)>
  loc.::Loc::f ! {int (void)} <Loc::f()>
  global.Loc::f ! {int (void)} <Loc::f()>
  global.Loc::only ! {int (void)} <Loc::only()>
[temp.local/1] so has an instance of a template the name of the template
  derive.Derive<One>::own = 53
  derive.Derive::own ! 53
  derive.Derive::One::x ! 1
  dbox.Box::v ! 50
  cbox.Box::v ! 50 '2'
[temp.local/4] which is ambiguous in several base classes
  boxes.v = 'v' is ambiguous in type 'Boxes'
  boxes.Box::v ! base class 'Box' is ambiguous in type 'Boxes'
  boxes.Box<int>::v = 50
  boxes.Box<long int>::v = 50
  boxes.Box<long>::sv ! 52
  boxes.BoxOfInt::v = 50
  Boxes::Box<int>::sv = 52
  arrs.Arr<int,3>::n = 3
  arrs.Arr<int, 2>::n = 2
  arrs.Arr::n ! base class 'Arr' is ambiguous in type 'Arrs'
[basic.lookup.classref/4] the class before `::` is looked up in that of the object
  own.Ctx::c = 81
  outside.Ctx::c = 80
  from.L::l ! base class 'L' is ambiguous in type 'n::From'
  from.I::k ! 32
  from.n::L::l ! 30
  from.al::deep::L::l = 31
  from.n::I::ks ! 33
  from.al::v2::I::k = 32
  n::From::I::ks ! 33
  der.Super::n = 60
  der.Super::st ! 66
  last.Super::n ! 68
  last.Super::Super::n ! 60
  last.Der::Super::n = 60
  der.deep2.Deep::d = 62
  der.deep2.Base::Deep::d = 62
  der.deep2.Der::Deep::d = 62
  Der::Super::st = 66
  &Der::Super::only = &Base::only
[basic.lookup.classref/4] then in the context
  der.DerT::n = 68
  from.n::Alias::k ! 32
  dbox.BoxOfInt::v = 50
  own.cx::Ctx::c = 81
  &DerT::only = &Base::only
[basic.lookup.classref/4] and is one of the object's
  der.One::x ! There is no field named x
  own.::Ctx::c ! There is no field named c
  outside.cx::Ctx::c ! There is no field named c
  outside.::Ctx::c = 80
  var.Base::n ! There is no field named n
  boxes.Box<int>::Item::i ! There is no field named i
  der.Deep::ds ! There is no field named ds
  der.Nothing::n ! No symbol "Nothing" in current context.
  var.Base = 82
  var.Var::Base = 82
[namespace.unnamed/1] members of unnamed namespaces are those of the namespace around it
  fa.an = 34
  fa.Anon::an = 34
  FromAnon::as = 35
  FromAnon::Anon::as ! 35
[temp.mem/1] instances of member templates
  kd.iw<long> ! 85
  kd.K::iw<long> ! 85
  KD::iw<long> = 85
[class.mfct.non-static/3] in a member function, names are members of `*this`
  n = 68
  Base::n = 60
  this->Base::n = 60
  Super::n = 60
  Deep::ds = 67
  this->Super::Deep::d ! There is no field named d
  sc = Base::Sc::blue
[expr.prim.id/2] outside of one, an object is missing
  One::x ! Cannot reference non-static field "x"
  One::f = {int (One * const)} <One::f()>
  &Der::n = &Der::n
  &Der::Base::n = &Base::n
"""


def rows() -> list[tuple[str, bool, str]]:
    """Return the expressions, whether GDB has the answer, and the answers."""
    lines = [line for line in RULES.splitlines() if not line.startswith("[")]
    parted = [re.split(" ([=!]) ", line.strip(), maxsplit=1) for line in lines]
    return [(expression, sign == "=", answer) for expression, sign, answer in parted]


def asked(gdb: str | None, files: list[str]) -> list[str]:
    """Return the answers without addresses and without the candidates of an ambiguous name."""
    said = answers(gdb, files, [f"print {expression}" for expression, _, _ in rows()])
    shown = [" ".join(text.split("\n", 1)[1].split()) for text in said]
    shown = [re.sub(r"^\$\d+ = |0x[0-9a-f]+ ", "", text) for text in shown]
    return [re.sub(r"Request for member (.*)\. Candidates.*", r"\1", text) for text in shown]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("rules")
    flags = ["-g", "-O0", "-w", "-std=c++17", "-fno-eliminate-unused-debug-types"]
    build(folder, {"a.cc": SOURCE}, [[tool("g++"), *flags, "a.cc", "-o", "a"]])
    return with_core(tool, folder)


def test_the_rules_of_the_standard(files: list[str]) -> None:
    expected = [f"{expression} = {answer}" for expression, _, answer in rows()]
    shown = zip(rows(), asked(None, files), strict=True)
    assert [f"{expression} = {answer}" for (expression, _, _), answer in shown] == expected


def test_what_gdb_answers_otherwise(files: list[str], tool: Callable[[str], str]) -> None:
    shown = zip(rows(), asked(tool("gdb"), files), strict=True)
    same = [expression for (expression, _, answer), said in shown if said == answer]
    assert same == [expression for expression, is_same, _ in rows() if is_same]


USING = """
struct L { int x = 1; static int s; int f() { return 3; } enum E { e = 7 }; };
struct R { int x = 2; static int s; int f() { return 4; } enum E { e = 8 }; };
int L::s = 10, R::s = 20;
struct D : L, R { using L::x; using R::s; using L::f; using R::e; };
struct Most : D { int own = 5; } d;
struct U { union { int u = 51; }; struct { int v = 61; }; };
struct V { int u = 2, v = 3; };
struct W : V, U { using U::u; using U::v; } w;
template <class T> struct X : U { using U::u; T t = 1; };
struct Y : X<int> {} y;
typedef int number;
struct F {
  int f(int) { return 1; }
  int g() { return 1; }
  int h() & { return 1; }
  virtual int k() { return 1; }
};
struct G : F {
  using F::f;
  using F::g;
  using F::h;
  using F::k;
  int f(number) { return 2; }
  char g() const { return 2; }
  char h() && { return 2; }
  int k() override { return 2; }
} g;
int main() {
  d.x += D::s + d.f() + L().f() + R().f() + g.f(1) + g.F::f(1);
  d.x += g.g() + static_cast<const G &>(g).g() + g.h() + G().h() + g.k() + g.F::k();
  return w.u + w.v + y.u + d.x;
}
"""
USED = {
    "d.x": "1",
    "d.R::x": "2",
    "(&d)->D::x": "1",
    "d.s": "20",
    "D::s": "20",
    "Most::s": "20",
    "D::e == R::e": "true",
    "&D::x == &L::x": "true",
    "&d.x == &d.L::x": "true",
    "D::f == L::f": "true",
    "d.f == L::f": "true",
    "w.u": "51",  # of an anonymous union, which is no base class
    "(&w)->v": "61",
    "w.W::v": "61",
    "w.V::u": "2",
    "y.u": "51",
    "&w.u == &w.U::u": "true",
    "G::f == F::f": "false",  # a function of the class hides one of the same parameters
    "g.f == G::f": "true",
    "sizeof(g.f(1))": "4",
    "sizeof(g.k())": "4",
    "G::g": '"G::g" is overloaded; say which: F::g(void); G::g(void) const',
    "G::h": "\"G::h\" is overloaded; say which: 'F::h(void) &'; 'G::h(void) &&'",
}


@pytest.mark.parametrize("expression", USED)
def test_a_using_declaration_names_the_member(using: Path, expression: str) -> None:
    """It is a declaration of the class, which hides those of its base classes (C++
    [namespace.udecl], [class.member.lookup]); GDB takes one of them, or calls it ambiguous."""
    done = run("debug", "--batch", "-q", using, "-ex", f"output {expression}")
    assert (done.lines or done.err.splitlines())[-1] == USED[expression]


@pytest.fixture(scope="module")
def using(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    folder = tmp_path_factory.mktemp("using")
    (folder / "a.cpp").write_text(USING)
    subprocess.run([tool("g++"), "-g", "-O0", "a.cpp", "-o", "a"], cwd=folder, check=True)
    return folder / "a"
