"""Static variables of classes and functions of D, which compilers describe as variables of the
module; the values are those that the program gives its variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import pytest

from dwarfgpu.cli.main import main
from tests.repl.side_by_side import build, last_lines, with_core

SOURCE = """\
module app.core;
struct S { static __gshared int cnt = 1; static __gshared int made = 3;
  static __gshared int core = 4;
  struct In { static __gshared int cnt = 5; static __gshared int made = 44;
    int g() { return base(1) + made + cnt; } }
  int h() { In i; return i.g() + made; } }
class B { static __gshared int inh = 70; static __gshared int cnt = 71; int made = 72; }
class C : B { static __gshared int made = 9; int f() { S s; return s.h() + made + cnt + inh; }
  static int sf(C c) { int delegate() call = () => c.f() + made; return call(); } }
struct T(U) { static __gshared U made; static __gshared U tt = 6;
  int t(C c) { return C.sf(c) + cast(int) (made + tt); } }
class D : G!int { int d(C c) { T!int t; return t.t(c) + both; } }
class G(U) { static __gshared U both = 21; }
extern(C++) struct Cpp { static __gshared int cm = 88; int k(C c) { return (new D).d(c) + cm; } }
extern(C++) __gshared int cm = 89;
extern(C++, "space") __gshared int spaced = 90;
__gshared int made = 100; __gshared int both = 101; __gshared int core = 102;
int fun(int a) { static __gshared int made = 500; static __gshared int loc = 501; Cpp c;
  int nested(int made) { static __gshared int loc = 502; return c.k(new C) + made + loc; }
  return nested(8) + made + loc; }
int base(int a) { int* none; return *none + a; }
int main() { T!int.made = 12; T!long tl; T!long.made = 13;
  return fun(1) + cm + spaced + S.core + both + core + made + S.cnt; }
"""
VALUES = {
    0: {"made": 100, "both": 101, "core": 102, "cm": 89, "spaced": 90, "S.made": 3, "S.In.made": 44,
        "C.made": 9, "C.inh": 70, "C.cnt": 71, "S.core": 4, "Cpp.cm": 88, "app.core.S.In.cnt": 5,
        "app.core.made": 100, "app.core.core": 102, "D.both": 21},
    1: {"made": 44, "cnt": 5, "both": 101, "core": 4, "In.made": 44},
    2: {"made": 3, "cnt": 1},
    3: {"made": 9, "cnt": 71, "inh": 70, "core": 102},
    4: {"made": 9, "cnt": 71},
    5: {"made": 9, "cnt": 71},
    6: {"made": 12, "tt": 6, "both": 101},
    7: {"both": 21, "made": 100},
    8: {"cm": 88},
}  # fmt: skip
"""By the number of the frame."""
OF_FUNCTIONS = {9: {"made": 8, "loc": 502}, 10: {"made": 500, "loc": 501},
                0: {"fun.made": 500, "app.core.fun.made": 500}}  # fmt: skip


Built: TypeAlias = Callable[[str], tuple[str, list[str]]]
"""Takes a source; returns the compiler, and the program with its core."""


@pytest.fixture(scope="module", params=["gdc", "ldc2"])
def built(
    tool: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Built:
    compiler = request.param
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]

    def build_source(source: str) -> tuple[str, list[str]]:
        folder = tmp_path_factory.mktemp(compiler)
        tool("gcc")  # which ldc2 links with
        build(folder, {"m.d": source}, [[tool(compiler), "-g", *options, "m.d"]])
        return compiler, with_core(tool, folder)

    return build_source


@pytest.fixture(scope="module")
def files(built: Built) -> tuple[str, list[str]]:
    return built(SOURCE)


def shown(files: list[str], number: int, names: Iterable[str]) -> list[str]:
    """Return what is shown for some names in a frame."""
    commands = ["frame function app.core.base", f"frame {number}"]
    return last_lines(files, [*commands, *(f"output {name}" for name in names)])[2:]


@pytest.mark.parametrize("number", VALUES)
def test_members_of_the_class_around_the_code(files: tuple[str, list[str]], number: int) -> None:
    values = VALUES[number]
    assert shown(files[1], number, values) == [str(value) for value in values.values()]


@pytest.mark.parametrize("number", VALUES)
def test_a_name_is_one_variable_in_every_command(
    files: tuple[str, list[str]], number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    program, core = files[1]
    values = {name: value for name, value in VALUES[number].items() if "." not in name}
    focus = ["--file", program, "--core", core, "--frame", str(number)]
    assert main(["eval", *focus, *values]) == 0
    answers = [line for line in capsys.readouterr().out.splitlines() if " = " in line]
    assert answers == [f"{name} = {value}" for name, value in values.items()]
    for name, value in values.items():
        assert main(["explain", *focus, name]) == 0
        assert f"=> {name} = {value}" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("number", OF_FUNCTIONS)
def test_static_variables_of_functions(files: tuple[str, list[str]], number: int) -> None:
    """gdc does not describe them: no value is shown, and that of the module least of all."""
    compiler, program = files
    values = OF_FUNCTIONS[number]
    answers = shown(program, number, values)
    if compiler == "ldc2":
        assert answers == [str(value) for value in values.values()]
    elif number:
        whose = "app.core.fun" if number == 10 else "app.core.fun.nested"
        assert f'the static variable "loc" of {whose}: its symbol is _D3app4core3fun' in answers[1]
        assert (answers[0] == "8") is (number == 9)
    else:
        assert not any(answer.isalnum() for answer in answers)


def test_a_member_of_several_classes_outside_of_them(files: tuple[str, list[str]]) -> None:
    """The code cannot name it so, and GDB takes any."""
    compiler, program = files
    (answer,) = shown(program, 0, ["cnt"])
    scopes = "app.core.S, app.core.S.In, app.core.B"
    of_gdc = f'"cnt" is a static variable of several scopes: {scopes}'
    of_ldc = 'No symbol "cnt" in current context. Did you mean "app.core.S.cnt"?'
    assert answer == (of_gdc if compiler == "gdc" else of_ldc)


LOCAL_SOURCE = """\
module app.mine;
__gshared int made = 100; __gshared int cnt = 200; __gshared int own = 300;
struct L { __gshared int cnt = 1; }
extern(C++) class Far { __gshared int made = 94; }
extern(C) int mine(int a) { __gshared int made = 89; return cfun(a) + made; }
extern(C) int cfun(int a) { __gshared int made = 90; return cppfun(a) + made; }
extern(C++) int cppfun(int a) { __gshared int made = 91; return nsfun(a) + made; }
extern(C++, ns) int nsfun(int a) { __gshared int made = 92; return spfun(a) + made; }
extern(C++, "space") int spfun(int a) { __gshared int made = 93; return TT!5.tf(a) + made; }
template TT(int n) { __gshared int made = 200 + n;
  template In(U) { __gshared int cnt = 10; int h(int a) { return outer(a) + made + cnt; } }
  int tf(int a) { return In!long.h(a) + made; } }
int outer(int a) { __gshared int own = 83;
  struct Bare { __gshared int own = 86; int b; }
  struct L { __gshared int cnt = 84; int f(int a) { return (new XC).m(a) + cnt + own; } }
  L l; Bare bare; return l.f(a) + own + bare.own; }
class XC { int cnt = 2; int m(int a) {
  class Y { __gshared int cnt = 85; int k(int a) { return (new K!int).m(a) + cnt; } }
  return (new Y).k(a); } }
class K(T) { __gshared int made = 11;
  int m(U)(U u) { __gshared int cnt = 12; return mf(u) + made + cnt; } }
mixin template MX() { __gshared int mixed = 13; int mf(int a) { return crash(a) + mixed + made; } }
mixin MX;
int crash(int a) { int* none; return *none + a; }
int main() { L l; return mine(1) + made + cnt + own + L.cnt + Far.made; }
"""  # fmt: skip
IN_FRAMES = {
    1: {"mixed": 13, "made": 100},
    2: {"made": 11, "cnt": "KTiZQf__T1mTiZQfMFiZ3cnti"},
    3: {"cnt": "2XC1mMFiZ1Y3cnti", "made": 100},
    5: {"cnt": "5outerFiZ1L3cnti", "own": "5outerFiZ3owni", "made": 100},
    6: {"own": "5outerFiZ3owni", "cnt": 200, "outer.Bare.own": "5outerFiZ4Bare3owni",
        "outer.L.cnt": "5outerFiZ1L3cnti"},
    7: {"made": 205, "cnt": 10, "own": 300},
    8: {"made": 205, "cnt": 200},
    9: {"made": "5spfunRiZ4madei", "cnt": 200},
    10: {"made": "2ns5nsfunRiZ4madei", "cnt": 200},
    11: {"made": "6cppfunRiZ4madei", "cnt": 200},
    12: {"made": "4cfunUiZ4madei", "cnt": 200},
    13: {"made": "mineQfUiZ4madei", "cnt": 200},
    14: {"cfun.made": "4cfunUiZ4madei", "cppfun.made": "6cppfunRiZ4madei",
         "nsfun.made": "2ns5nsfunRiZ4madei", "outer.own": "5outerFiZ3owni", "L.cnt": 1},
}  # fmt: skip
"""By the number of the frame: the value, or how the symbol ends of what gdc does not describe."""
VALUES_OF_LDC = {
    "KTiZQf__T1mTiZQfMFiZ3cnti": 12, "2XC1mMFiZ1Y3cnti": 85, "5outerFiZ1L3cnti": 84,
    "5outerFiZ3owni": 83, "5outerFiZ4Bare3owni": 86, "5spfunRiZ4madei": 93,
    "2ns5nsfunRiZ4madei": 92, "6cppfunRiZ4madei": 91, "4cfunUiZ4madei": 90,
    "mineQfUiZ4madei": 89,
}  # fmt: skip


@pytest.fixture(scope="module")
def local_files(built: Built) -> tuple[str, list[str]]:
    return built(LOCAL_SOURCE)


@pytest.mark.parametrize("number", IN_FRAMES)
def test_static_variables_of_the_scopes_around_the_code(
    local_files: tuple[str, list[str]], number: int
) -> None:
    """gdc does not describe those of functions, nor those of classes in functions."""
    compiler, program = local_files
    wanted = IN_FRAMES[number]
    commands = ["frame function app.mine.crash", f"frame {number}"]
    answers = last_lines(program, [*commands, *(f"output {name}" for name in wanted)])[2:]
    for (name, value), answer in zip(wanted.items(), answers, strict=True):
        if isinstance(value, int) or compiler == "ldc2":
            assert answer == str(VALUES_OF_LDC.get(str(value), value)), name
        else:
            assert answer.startswith("the compiler does not describe the static variable"), name
            assert answer.endswith(value), name


SPACES_SOURCE = """\
module app.sp;
import app.two;
__gshared int made = 100; __gshared int v = 1; __gshared int w = 2; __gshared int own = 3;
struct S { int a = 7; __gshared int made = 55; long b; }
enum Col { red, green = 5 }
extern(C) int cfun(int x) { S s; Col c = Col.green; s.a = x; return crash(x) + s.a + c; }
mixin("extern(C) int mixed(int x) { S s; return cfun(x) + s.a; }");
extern(C++, "sp") {
  struct NS { __gshared int made = 33; int n(int x) { return mixed(x) + made; }
    static int s(int x) { NS t; return t.n(x) + made; } }
  struct Bare { __gshared int made = 34; __gshared int own = 35; } }
extern(C++, n2) { __gshared int v = 44; extern(D) __gshared int w = 45;
  int g2(int x) { return NS.s(x) + v + w; }
  extern(D) int d2(int x) { return g2(x) + v + w; }
  class K { __gshared int made = 46; static int k(int x) { return d2(x) + made + v; } }
  extern(C++, "in") int g3(int x) { return K.k(x) + v + w; }
  struct Bare2 { __gshared int own = 47; extern(D) int b(int x) { return g3(x) + own; } } }
extern(C++, n3) extern(C++, n4) { __gshared int w = 48;
  int g4(int x) { Bare2 b; return b.b(x) + w + made; } }
extern(C++) class P { __gshared int made = 37; int p(int x) { return (new n5.Q).q(x) + made + v; } }
class Q { __gshared int made = 50; }
extern(C++, n5) class Q { int q(int x) { return g4(x) + made; } }
int outer(int x) { __gshared int made = 38;
  int inner(T)(T y) { __gshared int made = 39; return (new P).p(y) + made + x; }
  return inner!int(x) + made; }
int crash(int a) { int* none; return *none + a; }
int main() { return two(&outer, 1) + made + app.sp.v + app.sp.w + own + Bare.own + Bare.made
  + S.made + app.sp.Q.made; }
"""
TWO_SOURCE = """\
module app.two;
__gshared int made = 200; __gshared int v = 201;
struct S { int a; __gshared int made = 202; short c; }
alias F = int function(int);
extern(C) int two(F f, int x) { S s; return f(x) + made + v + S.made; }
"""
OF_MODULE = {"sizeof(S)": 16, "S.made": 55, "cast(int) Col.green": 5}
OF_TWO = {"sizeof(S)": 8, "S.made": 202}
"""`sizeof(S)` is `S.sizeof` of D."""


@pytest.fixture(scope="module", params=["gdc", "ldc2"])
def files_with_spaces(
    tool: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> tuple[str, list[str]]:
    compiler, folder = request.param, tmp_path_factory.mktemp(request.param)
    tool("gcc")  # which ldc2 links with
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    (folder / "app").mkdir()
    sources = {"m.d": SPACES_SOURCE, "app/two.d": TWO_SOURCE}
    build(folder, sources, [[tool(compiler), "-g", *options, *sources]])
    return compiler, with_core(tool, folder)


@pytest.mark.parametrize("number", range(1, 16))
def test_types_of_the_module_around_functions(
    files_with_spaces: tuple[str, list[str]], number: int
) -> None:
    """gdc describes functions that are extern(C) or extern(C++) beside their module: two are in one
    unit."""
    wanted = OF_TWO if number == 15 else OF_MODULE
    commands = ["frame function app.sp.crash", f"frame {number}"]
    program = files_with_spaces[1]
    answers = last_lines(program, [*commands, *(f"output {name}" for name in wanted)])[2:]
    assert answers == [str(value) for value in wanted.values()]


MODULE_VALUES = {"made": 100, "v": 1, "w": 2, "own": 3}
IN_SPACES = {
    0: {"n2.v": 44, "app.sp.n2.v": 44, "n2.K.made": 46, "n3.n4.w": 48, "NS.made": 33,
        "app.sp.NS.made": 33, "Bare.own": 35, "Bare2.own": 47, "n2.Bare2.own": 47, "P.made": 37},
    1: {},
    2: {"NS.made": 33, "P.made": 37},
    3: {"made": 33},
    4: {"made": 33},
    5: {"v": 44, "w": 45},
    6: {"v": 44, "w": 45},
    7: {"v": 44, "w": 45, "made": 46},
    8: {"v": 44, "w": 45},
    9: {"v": 44, "w": 45, "own": 47},
    10: {"w": 48},
    11: {},
    12: {"made": 37},
    13: {"made": 39},
    14: {"made": 38},
    15: {"made": 200, "v": 201, "w": None, "own": None},
}  # fmt: skip
"""By the number of the frame, what is not as in the module; None where the code has no such
name."""
NOT_DESCRIBED = {13: "5outerFiZ__T5innerTiZQjMFiZ4madei", 14: "5outerFiZ4madei"}
"""How the symbol of `made` ends, which gdc does not describe."""


@pytest.mark.parametrize("number", IN_SPACES)
def test_scopes_around_functions_of_other_conventions(
    files_with_spaces: tuple[str, list[str]], number: int
) -> None:
    """`extern(C++, n2)` is a scope, `extern(C++, "sp")` is none."""
    compiler, program = files_with_spaces
    wanted = MODULE_VALUES | IN_SPACES[number]
    commands = ["frame function app.sp.crash", f"frame {number}"]
    answers = last_lines(program, [*commands, *(f"output {name}" for name in wanted)])[2:]
    for (name, value), answer in zip(wanted.items(), answers, strict=True):
        if name == "made" and number in NOT_DESCRIBED and compiler == "gdc":
            assert answer.startswith("the compiler does not describe the static variable"), name
            assert answer.endswith(NOT_DESCRIBED[number]), name
        elif value is not None:
            assert answer == str(value), name


INNER_SPACES_SOURCE = """\
module app.sp;
__gshared int v = 1; __gshared int w = 2; __gshared int deep = 3; __gshared int u = 4;
extern(C++, out1) {
  extern(C++, in1) { __gshared int v = 11; __gshared int deep = 12;
    struct S1 { __gshared int u = 13; static int f(int x) { return crash(x) + v + deep + u; } }
    extern(C++, in2) { __gshared int w = 14; __gshared int v = 15; } }
  __gshared int deep = 16;
  int fo(int x) { return S1.f(x) + v + w + deep + u; } }
extern(C++, out2) { int again(int x) { return fo(x) + v + w + deep + u; } }
int crash(int a) { int* none; return *none + a; }
int main() { return again(1); }
"""
IN_INNER_SPACES = {
    0: {"v": 1, "w": 2, "deep": 3, "u": 4},
    1: {"v": 11, "w": 14, "deep": 12, "u": 13},
    2: {"v": 11, "w": 14, "deep": 16, "u": 4},
    3: {"v": 1, "w": 2, "deep": 3, "u": 4},
}
"""By the number of the frame."""


@pytest.fixture(scope="module")
def files_with_inner_spaces(built: Built) -> list[str]:
    return built(INNER_SPACES_SOURCE)[1]


@pytest.mark.parametrize("number", IN_INNER_SPACES)
def test_a_namespace_has_the_names_of_those_in_it(
    files_with_inner_spaces: list[str], number: int
) -> None:
    wanted = IN_INNER_SPACES[number]
    commands = ["frame function app.sp.crash", f"frame {number}"]
    outputs = [f"output {name}" for name in wanted]
    answers = last_lines(files_with_inner_spaces, [*commands, *outputs])[2:]
    assert answers == [str(value) for value in wanted.values()]


def test_several_namespaces_in_one_have_a_name(built: Built) -> None:
    """Compilers refuse it in `fo`."""
    source = INNER_SPACES_SOURCE.replace(
        "  __gshared int deep = 16;", '  extern(C++, "in3") __gshared int v = 17;\n'
    ).replace("S1.f(x) + v +", "S1.f(x) +")
    commands = ["frame function app.sp.crash", "frame 2", "output v"]
    answer = last_lines(built(source)[1], commands)[-1]
    assert answer == '"v" is a static variable of several scopes: out1.in1, out1.in3'


INTERFACES_SOURCE = """\
module app.faces;
__gshared int v = 1; __gshared int u = 2; __gshared int w = 3;
interface J { __gshared int u = 50; }
interface If : J { __gshared int v = 51; }
class Base { int first; __gshared int w = 60; int b(int x) { return crash(x) + v + u + w; } }
class Imp : Base, If { int k(int x) { return b(x) + v + u + w; } }
class Sub : Imp { long last; int s(int x) { return k(x) + v + u + w; } }
int crash(int a) { int* none; return *none + a; }
int main() { return (new Sub).s(1) + v + u + w; }
"""
IN_FACES = {
    1: {"v": 1, "u": 2, "w": 60},
    2: {"v": "app.faces.If", "u": "app.faces.J", "w": 60, "If.v": 51, "J.u": 50},
    3: {"v": "app.faces.If", "u": "app.faces.J", "w": 60},
    4: {"v": 1, "u": 2, "w": 3},
}
"""By the number of the frame: the value, or the interface that may have it."""


@pytest.fixture(scope="module")
def files_with_interfaces(built: Built) -> list[str]:
    return built(INTERFACES_SOURCE)[1]


@pytest.mark.parametrize("number", IN_FACES)
def test_members_of_interfaces(files_with_interfaces: list[str], number: int) -> None:
    """No compiler describes which interfaces a class has; one without room for them has none."""
    wanted = IN_FACES[number]
    commands = ["frame function app.faces.crash", f"frame {number}"]
    outputs = [f"output {name}" for name in wanted]
    answers = last_lines(files_with_interfaces, [*commands, *outputs])[2:]
    for (name, value), answer in zip(wanted.items(), answers, strict=True):
        if isinstance(value, int):
            assert answer == str(value), name
        else:
            assert answer.startswith(f'"{name}" may be that of the interface {value}: '), name
