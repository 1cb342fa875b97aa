"""Static members of a base class that an object has several times (C++ class.member.lookup)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, last_lines

SOURCE = """\
struct Base {
  static int shared; static const int same = 7; int own = 1;
  static int of_class() { return 1; } int of_object() { return own; }
};
int Base::shared = 9;
struct Left : Base { static int side; }; struct Right : Base { static int side; };
int Left::side = 1, Right::side = 2;
struct Both : Left, Right {};
namespace other {
  struct Base { static int shared; static int of_class() { return 2; } };
  int Base::shared = 4;
  struct Own { int data = 3; static int f() { return data_of; } static const int data_of = 6; };
  struct Derived : Own {};
  namespace inner { struct Own : other::Own { int g() { return 5; } }; }
}
other::Derived derived; other::inner::Own inmost;
struct Own { static int f() { return 7; } int g() { return 8; } };
struct Mixed : Left, other::Base {};
Both both; Both *to = &both; Mixed mixed;
int main() {
  return both.shared + to->shared + both.same + Base::of_class() + other::Base::of_class()
    + static_cast<Left &>(both).of_object() + other::Own::f()
    + inmost.Own::g() + inmost.Own::f() + Own::f() + Own().g();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    build(folder, {"a.cc": SOURCE}, [[tool("g++"), "-g", "-O0", "a.cc", "-o", "a"]])
    return folder / "a"


def test_a_static_member_is_not_ambiguous(program: Path) -> None:
    """It is in none of the objects of its class; GDB 13 refuses it."""
    assert last_lines(
        [str(program)],
        ["p both.shared", "p to->shared", "p both.same", "p both.Base::shared", "p both.Left::own",
         "p both.Right::Base::same", "whatis both.shared"],
    ) == ["$1 = 9", "$2 = 9", "$3 = 7", "$4 = 9", "$5 = 1", "$6 = 7", "type = int"]  # fmt: skip


def test_a_static_member_function_is_not_either(program: Path) -> None:
    asked = ["whatis both.Base::of_class()", "output both.Base::of_class == Base::of_class"]
    asked += ["output to->Base::of_class == Base::of_class", "output &both.Base::of_class"]
    said = [text.splitlines()[-1] for text in answers(None, [str(program)], asked)]
    assert said[:3] == ["type = int", "true", "true"]
    assert said[3].startswith("(int (*)(void)) 0x") and said[3].endswith(" <Base::of_class()>")


def test_a_class_has_its_own_name_in_itself(program: Path) -> None:
    """Whatever has that name in the focus (C++ class.pre, the injected class name), also a base
    class of the class."""
    asked = [f"p derived.{name}" for name in ("Own::data", "Own::f", "other::Own::f")]
    asked += ["p inmost.Own::f", "p inmost.Own::data", "p inmost.Own::g"]
    said = last_lines([str(program)], asked)
    plain = [re.sub("0x[0-9a-f]+", "ADDRESS", text) for text in said]
    function = "= {int (void)} ADDRESS <other::Own::f()>"
    method = "{int (other::inner::Own * const)} ADDRESS <other::inner::Own::g()>"
    expected = ["$1 = 3", f"$2 {function}", f"$3 {function}", f"$4 {function}", "$5 = 3"]
    assert plain == [*expected, f"$6 = {method}"]


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("both.own", "Request for member 'own' is ambiguous in type 'Both'."),
        ("both.side", "Request for member 'side' is ambiguous in type 'Both'."),
        ("mixed.shared", "Request for member 'shared' is ambiguous in type 'Mixed'."),
        ("both.Base::own", "base class 'Base' is ambiguous in type 'Both'"),
        ("both.other::Base::shared", "There is no field named shared"),
        ("both.other::Base::of_class", "There is no field named of_class"),
        ("derived.Base::of_class", "There is no field named of_class"),
        ("both.Base::of_object", "base class 'Base' is ambiguous in type 'Both'"),
    ],
)
def test_members_of_several_objects_or_classes_are(
    expression: str, error: str, program: Path
) -> None:
    assert error in answers(None, [str(program)], [f"print {expression}"])[0]


HEADER = """\
struct B0 { static inline int si = 4; virtual ~B0(); int m = 1; }; struct DD : B0 { int d = 3; };
struct C0 { static inline int ci = 5; int m = 1; }; struct CD : C0 { int d = 3; };
struct K { static inline int ki = 6; virtual void f(); template <int N> static inline int kt = N; };
struct KD : virtual K { int k = 2; };
struct E0 { enum { EA = 3, EB }; enum N { NA = 8 }; int m = 1; }; struct ED : E0 { int d = 3; };
"""
UNITS = {
    "h.h": HEADER,
    "a.cc": '#include "h.h"\nDD dd; K k; KD kd; CD cd; ED ed; E0 e0; E0::N n; int other(); '
    "int main() { return B0::si + K::ki + dd.d + cd.d + E0::EB + ed.d + other(); }\n",
    "b.cc": '#include "h.h"\nB0::~B0() {} void K::f() {}\n',
    "c.cc": '#include "h.h"\nint other() { return C0::ci + K::kt<2>; }\n',
}
OF_OTHER_UNITS = {
    **dict.fromkeys(("B0::si", "DD::si", "dd.si", "dd.B0::si"), "4"),
    **dict.fromkeys(("K::ki", "KD::ki", "k.ki", "*&K::ki"), "6"),
    **dict.fromkeys(("C0::ci", "CD::ci"), "5"),
    **dict.fromkeys(("K::kt<2>", "KD::kt<2>", "kd.kt<2>"), "2"),
    **dict.fromkeys(("E0::EB", "ED::EB", "ed.EB"), "E0::EB"),
    **dict.fromkeys(("ED::NA", "ed.NA", "ED::N::NA"), "E0::NA"),
}


@pytest.mark.parametrize("option", ["-fno-debug-types-section", "-fdebug-types-section"])
def test_members_that_the_definition_of_the_class_lacks(
    option: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """gcc describes inline static members in units that use them: beside a class that is declared,
    with their class in the linkage name alone. Enumerations have type units of their own."""
    command = [tool("g++"), "-g", option, "-O0", "-w", "-std=c++17", "a.cc", "b.cc", "c.cc"]
    build(tmp_path, UNITS, [[*command, "-o", "a"]])
    said = answers(None, [str(tmp_path / "a")], [f"output {name}" for name in OF_OTHER_UNITS])
    shown = [text.splitlines()[-1] for text in said]
    assert dict(zip(OF_OTHER_UNITS, shown, strict=True)) == OF_OTHER_UNITS
    (alone,) = answers(None, [str(tmp_path / "a")], ["output ki"])
    assert 'No symbol "ki" in current context.' in alone
    (symbol,) = answers(None, [str(tmp_path / "a")], ["info symbol &K::ki"])
    assert "K::ki in section .data" in symbol


HIDING = """\
struct A { int ki = 1; static inline int si = 2; int fn() { return 3; } enum { En = 4 };
  int data = 9; };
struct B : A { static inline int ki = 70; static inline int si = 71; static inline int fn = 72;
  static inline int En = 73; template <int N> static inline int kt = N; virtual void f(); };
struct C : B { int c = 6; };
template <class T> struct T1 : A { static inline T ki = 80; virtual void f(); };
namespace n { struct \u00c4 : A { static inline int ki = 90; virtual void f(); }; }
struct K { static inline int ki = 6; static inline int kj = 61; virtual void f();
  static constexpr int kc = 9; static int ko; int m = 8; };
struct KD : virtual K { int k = 2; }; struct KE : KD { int e = 3; };
struct KF : virtual K { static inline int kj = 62; virtual void g(); }; struct KG : KD, KF {};
"""
HIDING_UNITS = {
    "h.h": HIDING,
    "a.cc": '#include "h.h"\nextern template struct T1<int>;\n'
    "B b; C c; T1<int> t; n::\u00c4 u; KD kd; KE ke; KF kf; KG kg; KD *pk = &kd; int other();\n"
    "int K::ko = 7; int main() { return c.c + t.data + u.data + kd.k + ke.e + other(); }\n",
    "b.cc": '#include "h.h"\nvoid B::f() {} void n::\u00c4::f() {} void K::f() {} '
    "void KF::g() {}\n",
    "c.cc": '#include "h.h"\nint other() { return B::ki + B::si + B::fn + B::En + B::kt<1> + A::si'
    " + T1<int>::ki + n::\u00c4::ki + K::ki + K::kj + KF::kj + K::kc; }\n",
    "d.cc": '#include "h.h"\ntemplate <class T> void T1<T>::f() {} template struct T1<int>;\n',
}
HIDDEN = {
    **dict.fromkeys(("b.ki", "c.ki", "B::ki", "C::ki", "c.B::ki", "(&c)->ki"), "70"),
    **dict.fromkeys(("b.si", "C::si"), "71"),
    **dict.fromkeys(("b.fn", "c.fn", "B::fn"), "72"),
    **dict.fromkeys(("b.En", "B::En"), "73"),
    **dict.fromkeys(("t.ki", "T1<int>::ki"), "80"),
    **dict.fromkeys(("u.ki", "n::\u00c4::ki"), "90"),
    **dict.fromkeys(("c.A::ki", "t.A::ki"), "1"),
    **dict.fromkeys(("kf.kj", "kg.kj", "KG::kj"), "62"),
    "b.kt<1>": "1",
    "b.data": "9",
}
OF_VIRTUAL = {
    **dict.fromkeys(("kd.ki", "ke.ki", "kg.ki", "pk->ki", "kd.K::ki", "ke.KD::ki"), "6"),
    **dict.fromkeys(("kd.kj", "ke.kj"), "61"),
    **dict.fromkeys(("kd.kc", "KD::kc"), "9"),
    **dict.fromkeys(("kd.ko", "kg.ko"), "7"),
    "&kd.ki == &K::ki": "true",
}


@pytest.mark.parametrize("option", ["-fno-debug-types-section", "-fdebug-types-section"])
def test_static_members_need_no_object(
    option: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """One that the definition of its class lacks hides members of base classes; that of a virtual
    base class needs no object to say where this is."""
    command = [tool("g++"), "-g", option, "-O0", "-w", "-std=c++17", "a.cc", "b.cc", "c.cc", "d.cc"]
    build(tmp_path, HIDING_UNITS, [[*command, "-o", "a"]])
    asked = {**HIDDEN, **OF_VIRTUAL}
    said = answers(None, [str(tmp_path / "a")], [f"output {name}" for name in asked])
    shown = [text.splitlines()[-1] for text in said]
    assert dict(zip(asked, shown, strict=True)) == asked


TEMPLATES = {
    "h.h": "struct V { template <int N> static int vt; int m; virtual void f(); };\n"
    "struct VD : V { int d; }; struct VV : virtual V { int e; };\n"
    "template <class T> struct TD : V { T t; };\n"
    "struct VH : V { template <int N> static int vt; virtual void f(); }; struct VI : VH {};\n"
    "struct VF : V { int vt(); int h; };\n",
    "a.cc": '#include "h.h"\nV v; VD vd; VV vv; TD<int> td; VI vi; VF vf; int other();\n'
    "int main() { return v.m + vd.d + vv.e + td.t + vi.m + vf.h + other(); }\n",
    "b.cc": '#include "h.h"\ntemplate <int N> int V::vt = 10 * N;\n'
    "template <int N> int VH::vt = 100 * N; int other() { return V::vt<2> + VH::vt<2>; }\n",
    "c.cc": '#include "h.h"\nvoid V::f() {} void VH::f() {}\n',
}
OF_TEMPLATES = {
    **dict.fromkeys(("V::vt<2>", "v.vt<2>", "vi.V::vt<2>"), "20"),
    **dict.fromkeys(("VD::vt<2>", "vd.vt<2>", "VV::vt<2>", "vv.vt<2>"), "20"),
    **dict.fromkeys(("TD<int>::vt<2>", "td.vt<2>"), "20"),
    **dict.fromkeys(("VI::vt<2>", "vi.vt<2>", "VH::vt<2>"), "200"),
    "&VD::vt<2> == &V::vt<2>": "true",
    "VD::vt<5>": "There is no field named vt<5>",
}


@pytest.mark.parametrize("compiler", ["g++", "clang++-19", "clang++-19 -fdebug-types-section"])
def test_templates_that_only_another_unit_declares_are_inherited(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """clang declares a static member template in the units that use it; the linkage names of its
    instances have the class."""
    command, *more = compiler.split()
    flags = [*more, "-g", "-O0", "-w", "-std=c++17", "a.cc", "b.cc", "c.cc", "-o", "a"]
    build(tmp_path, TEMPLATES, [[tool(command), *flags]])
    said = answers(None, [str(tmp_path / "a")], [f"output {name}" for name in OF_TEMPLATES])
    shown = [text.splitlines()[-1] for text in said]
    assert dict(zip(OF_TEMPLATES, shown, strict=True)) == OF_TEMPLATES


INLINE = """
inline int loose = NUMBER; namespace n { inline int in[2] = {1, NUMBER}; inline const int c = 4; }
struct A { inline static int a = NUMBER; static constexpr int k = 10; int x; };
struct B : virtual A { inline static double real = NUMBER; inline static int unused = NUMBER; };
template<class T> struct W { inline static T w = NUMBER; template<class U> inline static U v = 1; };
"""
USED = {
    "loose": "7", "n::in": "{1, 7}", "n::c": "4", "A::a": "7", "a.a": "7", "b.a": "7", "A::k": "10",
    "a": "{static a = 7, static k = 10, x = 0}", "w": "{static w = 7}", "b.real": "7",
    "b.unused": "2", "W<int>::w": "7",
}  # fmt: skip


@pytest.mark.parametrize("options", [(), ("-gdwarf-4",), ("-O2",), ("-fdebug-types-section",)])
def test_inline_variables_have_the_value_in_memory(
    tmp_path: Path, tool: Callable[[str], str], options: tuple[str, ...]
) -> None:
    """gcc -gsplit-dwarf has only the first value, here 2, in units that do not use one. The other
    unit begins with another value, to know which of the two is read without a state."""
    sources = {
        "a.cc": INLINE + "A a; B b; W<int> w; int use(); int main() { return use(); }",
        "b.cc": INLINE
        + "int use() { return ++loose + ++n::in[1] + ++A::a + ++B::real + ++W<int>::w; }",
    }
    for number, file in (("2", "a.cc"), ("7", "b.cc")):
        sources[file] = sources[file].replace("NUMBER", number)
    make = [tool("g++"), "-std=c++17", "-g", "-O0", "-gsplit-dwarf", *options, "-o", "a"]
    build(tmp_path, sources, [[*make, "a.cc", "b.cc"]])
    commands = [f"output {name}" for name in USED]
    for focus in ("main", "use"):
        program = [str(tmp_path / "a"), "--pc", focus]
        assert last_lines(program, commands) == [*USED.values()], focus
        said = last_lines(program, ["output &b.a == &A::a", "output &loose == &'b.cc'::loose"])
        assert said == ["true", "true"]
        (described,) = last_lines(program, ["info address n::in"])
        assert described.startswith('Symbol "n::in" is static storage at address 0x')


def test_inline_variables_are_no_static_ones_of_c(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """A local symbol without a namespace in its name is of something else."""
    sources = {
        "a.cc": 'inline int level = 31, total = 32; extern "C" int use(); int main() { use(); }',
        "b.c": "static int level = 99; static short total;\n"
        "int use(void) { return ++level + ++total; }",
    }
    compiled = [tool("gcc"), "-g", "-O0", "-c", "b.c"]
    linked = [tool("g++"), "-std=c++17", "-g", "-O0", "-gsplit-dwarf", "-o", "a", "a.cc", "b.o"]
    build(tmp_path, sources, [compiled, linked])
    program = [str(tmp_path / "a"), "--pc", "main"]
    said = last_lines(program, ["output level", "output total", "output level == 99"])
    assert said == ["31", "32", "false"]
