"""Instances of templates whose arguments are values, by their types and by their numbers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.names.comparable import comparable, exact, has_values
from tests.cli.command import run
from tests.repl.side_by_side import answers as answers_with
from tests.repl.side_by_side import build_with_library, with_core

SOURCE = """
template <auto V> struct W { decltype(V) v; int tail; int get() const { return tail; }
  static int sm; };
template <auto V> int W<V>::sm = 10 * (int)sizeof(V);
template <auto V> int tx = (int)sizeof(V);
template <auto V> int func(W<V> *p) { return p->tail + V; }
template <unsigned N> struct Only { char c[N]; };
template <double D> struct F { double d = D; int x = 1; };
template <float G> int tf = 9;
int gi; template <int *P> int tp = 6; void fn() {} template <void (*P)()> int tn = 7;
W<3> a{1, 2}; W<3l> b{3, 4}; W<(short)3> c{5, 6}; void *vp = &b; Only<7> only;
F<1.5> f; F<-.25> g;
int main() {
  return a.get() + b.get() + c.get() + tx<3> + tx<3u> + tx<3l> + tx<(short)3> + tx<'x'> + tx<true>
    + W<3>::sm + W<3l>::sm + W<(short)3>::sm + func<3>(&a) + func<3l>(&b) + func<(short)3>(&c)
    + tf<2.5f> + tf<-0.5f> + tp<&gi> + tn<fn>;
}
"""
MEANT = {
    "output sizeof(W<3>)": "8",
    "output sizeof(W<3l>)": "16",
    "output sizeof(W<3L>)": "16",
    "output *(W<3l> *) vp": "{v = 3, tail = 4, static sm = 80}",
    "output W<3l>::sm": "80",
    "output W<(short)3>::sm": "20",
    "output W<3l>::get == 'W<3l>::get() const'": "true",
    "output tx<3l>": "8",
    "output tx<(short)3>": "2",
    "output tx<(bool)1>": "1",
    "output tx<(bool) 1> == tx<true>": "true",
    "output &tx<3u> == &tx<3>": "false",
    "info symbol &tx<3u>": "tx<3u> in section .data",
    "info symbol func<3l>": "func<3l>(W<3l>*) in section .text",
    "output sizeof(Only<7>)": "7",
    "output sizeof(Only<7u>)": "7",
    "output sizeof(Only<0x7>)": "7",
    "output sizeof(F<1.5>)": "16",
    "output sizeof(F<1.500000e+00>)": "16",
    "output sizeof(F<15e-1>)": "16",
    "output sizeof(F<-.25>)": "16",
    "output tf<2.5f>": "9",
    "output tf<2.5>": "9",
    "info symbol &tf<-0.5f>": "tf<(float)[bf000000]> in section .data",
}
REFUSED = {
    "print sizeof(W<3u>)": '"W<3u>" is ambiguous: W<(short)3>, W<3>, W<3l>',
    "print W<3u>::sm": '"W<3u>" is ambiguous: W<(short)3>, W<3>, W<3l>',
    "print tx<3ll>": '"tx<3ll>" is ambiguous: tx<(short)3>, tx<3>, tx<3l>, tx<3u>',
    "print W<3>::nothing": "There is no field named nothing",
    "print sizeof(F<1.25>)": 'No symbol "F<1.25>" in current context.',
    "break func<3u>": (
        '"func<3u>" is ambiguous: func<(short)3>(W<(short)3>*), func<3>(W<3>*), func<3l>(W<3l>*)'
    ),
}
LISTED = """\
int tf<(float)[40200000]>
int tf<(float)[bf000000]>
int tn<&(fn())>
int tp<&gi>
int tx<(char)120>
int tx<(short)3>
int tx<3>
int tx<3l>
int tx<3u>
int tx<true>
"""


@pytest.fixture(scope="module", params=["g++", "clang++-19", "clang++-19 -gsimple-template-names"])
def program(
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
    request: pytest.FixtureRequest,
) -> Path:
    folder = tmp_path_factory.mktemp("values")
    (folder / "values.cpp").write_text(SOURCE)
    compiler, *more = request.param.split()
    flags = ["-std=c++20", "-g", "-O0", "-w", "-no-pie", "values.cpp", "-o", "values"]
    subprocess.run([tool(compiler), *more, *flags], cwd=folder, check=True)
    return folder / "values"


def test_the_types_of_values_decide_which_instance_is_meant(program: Path) -> None:
    """gcc calls the classes `W<3>`: the entries of their arguments have the types. Where one
    instance alone has a value, its type need not be written; numbers are compared as such."""
    words = [word for line in MEANT for word in ("-ex", "echo @@", "-ex", line)]
    done = run("debug", "--batch", "-q", program, "--pc", "main", *words)
    said = [text.strip() for text in done.out.split("@@")[1:]]
    meant = {command: text.removeprefix("int ") for command, text in zip(MEANT, said, strict=True)}
    assert meant == MEANT


@pytest.mark.parametrize("command", REFUSED)
def test_of_several_instances_none_is_taken_by_its_value(program: Path, command: str) -> None:
    done = run("debug", program, "--batch", "-ex", command)
    assert done.err.splitlines()[-1] == REFUSED[command]


def test_a_function_is_that_of_its_instance(program: Path) -> None:
    words = ("-ex", "break W<3l>::get", "-ex", "break func<3l>", "-ex", "break func")
    done = run("debug", "--batch", "-q", program, *words)
    one, other, every = done.lines
    assert "values.cpp, line 2." in one and "values.cpp, line 6." in other
    assert every.endswith("func. (3 locations)")


def test_instances_of_variable_templates_are_listed_as_gdb_lists_them(program: Path) -> None:
    done = run("debug", "--batch", "-q", program, "-ex", "info variables ^t[xfpn]\\b")
    lines = [line.partition("\t")[2].rstrip(";") for line in done.lines if "\t" in line]
    assert "\n".join(lines) + "\n" == LISTED


def test_each_answer_has_the_name_that_is_written(program: Path) -> None:
    done = run("eval", "--file", program, "tx<3>", "tx<(short)3>", "W<3l>::sm", "gi")
    assert done.lines == ["tx<3> = 4", "tx<(short)3> = 2", "W<3l>::sm = 80", "gi = 0"]


@pytest.mark.parametrize(
    ("name", "same", "with_types"),
    [
        ("f<0x7>", "f<7>", "f<7>"),
        ("f<07>", "f<7>", "f<7>"),
        ("f<0b11u>", "f<3>", "f<3u>"),
        ("f<1'000LU>", "f<1000>", "f<1000ul>"),
        ("f<5000000000>", "f<5000000000>", "f<5000000000l>"),
        ("f<(long) 3>", "f<3>", "f<3l>"),
        ("f<L'x'>", "f<120>", "f<(wchar_t)120>"),
        ("f<'x'>", "f<(char)120>", "f<(char)120>"),
        ("f<(unsigned char)'\\377'>", "f<255>", "f<(unsigned char)255>"),
        ("f<(float)[40200000]>", "f<2.500000e+00>", "f<(float)2.5>"),
        ("f<(double)[1.5e+0]>", "f<1.500000e+00>", "f<(double)1.5>"),
        ("f<3, (decltype(nullptr))0>", "f<3, nullptr>", "f<3, nullptr>"),
        ("W<decltype(nullptr)>::st<1>", "W<nullptr>::st<1>", "W<nullptr>::st<1>"),
        ("f<(long double)-[1.5e+0]>", "f<-1.500000e+00>", "f<(long double)-1.5>"),
        ("f<2.5F, -1L>", "f<2.500000e+00,-1>", "f<(float)2.5,-1l>"),
        ("f<(& x)>", "f<x>", "f<&x>"),
        ("f<(& x[1])>", "f<x[1]>", "f<&x[1]>"),
        ("f<&x[1]>", "f<x[1]>", "f<&x[1]>"),
        ("f<&(x [1])>", "f<x[1]>", "f<&x[1]>"),
        ("f<&(x[1l])>", "f<x[1]>", "f<&x[1]>"),  # in a linkage name
    ],
)
def test_a_value_is_compared_with_its_type_and_without(
    name: str, same: str, with_types: str
) -> None:
    assert has_values(name)
    assert (comparable(name), exact(name)) == (same, with_types)


SCOPES = """
template <int N> struct Buf { int g[100]; static int s; }; template <int N> int Buf<N>::s = 1;
template <int N> int vt = 11;
namespace n {
  template <unsigned N> struct Buf { char c[N]; static int s; };
  template <unsigned N> int Buf<N>::s = 2;
  template <unsigned N> int vt = 12;
  int f() { Buf<4> b{}; return b.c[0] + Buf<4>::s + vt<4>; }
}
struct Cls {
  template <unsigned N> struct Buf { char d[2 * N]; static int s; };
  template <unsigned N> static int vt;
  int run() { Buf<4> b{}; return b.d[0] + Buf<4>::s + vt<4>; }
};
template <unsigned N> int Cls::Buf<N>::s = 4;
template <unsigned N> int Cls::vt = 14;
template <auto V> struct W {
  decltype(V) v; int tail;
  template <auto U> static int st;
  template <auto U> int mem() { return U; }
  operator int() const { return tail; }
};
template <auto V> template <auto U> int W<V>::st = 100 * (int)sizeof(V) + (int)sizeof(U);
W<3> a{1, 2}; W<3l> b{3, 4};
int main() {
  Buf<4> buf{}; Cls c;
  return buf.g[0] + Buf<4>::s + vt<4> + n::f() + c.run() + W<3>::st<1> + W<3l>::st<1l>
    + a.mem<1>() + a.mem<1l>() + b.mem<1>() + (int)a + (int)b;
}
"""
OF_SCOPES = {
    ("n::f", "sizeof(Buf<4>)"): "4",
    ("n::f", "Buf<4>::s"): "2",
    ("n::f", "vt<4>"): "12",
    ("n::f", "::Buf<4>::s"): "1",
    ("Cls::run", "sizeof(Buf<4>)"): "8",
    ("Cls::run", "Buf<4>::s"): "4",
    ("Cls::run", "Cls::vt<4>"): "14",
    ("main", "sizeof(Buf<4>)"): "400",
    ("main", "n::vt<4>"): "12",
    ("main", "b.mem<1> == 'W<3l>::mem<1>'"): "true",
    ("main", "b.operator int == a.operator int"): "false",
    ("main", "W<3>::st<1>"): "404",
    ("main", "a.st<1>"): "404",
    ("main", "b.st<1l>"): "808",
    ("main", "W<3l>::st<1>"): "808",
}


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_the_nearest_scope_has_the_instance(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """An instance of an outer template with the type of the value is no reason to pass over the one
    of a nearer scope, or of the class that is named."""
    (tmp_path / "a.cpp").write_text(SCOPES)
    flags = ["-std=c++20", "-g", "-w", "-no-pie", "a.cpp", "-o", "a"]
    subprocess.run([tool(compiler), *flags], cwd=tmp_path, check=True)
    answers = {}
    for function, expression in OF_SCOPES:
        command = f"output {expression}"
        done = run("debug", tmp_path / "a", "--batch", "-q", "--pc", function, "-ex", command)
        answers[function, expression] = done.out.splitlines()[-1]
    assert answers == OF_SCOPES


@pytest.mark.parametrize("option", ["-gno-simple-template-names", "-gsimple-template-names"])
def test_a_declaration_is_completed_by_its_own_instance(
    tmp_path: Path, tool: Callable[[str], str], option: str
) -> None:
    """Another unit defines `W<3>` before `W<3L>`, which the first one only declares."""
    template = "template <auto V> struct W"
    used = f"{template}; extern W<3L> *far; W<3L> *own = far; int main() {{ return own == far; }}\n"
    defining = f"{template} {{ decltype(V) v; int tail; }}; W<3> i; W<3L> l, *far = &l;\n"
    (tmp_path / "a.cpp").write_text(used)
    (tmp_path / "b.cpp").write_text(defining)
    flags = [tool("clang++-19"), "-std=c++20", "-g", option, "a.cpp", "b.cpp", "-o", "a"]
    subprocess.run(flags, cwd=tmp_path, check=True)
    done = run("debug", "--batch", "-q", tmp_path / "a", "-ex", "output sizeof(*own)")
    assert done.lines == ["16"]


TEMPLATES = """
template <auto V> struct W { decltype(V) v; int tail; };
template <class T> struct Tr { T t; int q; };
"""
DECLARING = """
template <auto V> struct W; template <class T> struct Tr;
extern W<3> *one; extern W<3l> *other; extern W<4> *only; extern Tr<W<3l>> *of;
W<3> *one; W<3l> *other; W<4> *only; Tr<W<3l>> *of;
int main() { return one == 0; }
"""

DEFINING = (
    "W<3> i3{7, 8}; W<3l> l3; W<4> i4; Tr<W<3>> ti;",
    "W<(short)3> s3; Tr<W<3l>> tl; Tr<W<(short)3>> ts;",
)
INCOMPLETE = {
    "sizeof(W<3>)": "8",
    "sizeof(W<3l>)": "16",
    "sizeof(*only)": "8",
    "sizeof(Tr<W<3>>)": "12",
    "sizeof(Tr<W<3l>>)": "24",
    "sizeof(Tr<W<3u>>)": '"Tr<W<3u>>" is ambiguous: Tr<W<(short)3> >, Tr<W<3> >, Tr<W<3l> >',
    "sizeof(*one)": '"W<3>" is ambiguous: W<(short)3>, W<3>, W<3l>',
    "sizeof(*other)": '"W<3>" is ambiguous: W<(short)3>, W<3>, W<3l>',
    "other->tail": '"W<3>" is ambiguous: W<(short)3>, W<3>, W<3l>',
    "other + 1": '"W<3>" is ambiguous: W<(short)3>, W<3>, W<3l>',
    "other - (W<3> *)&i3": '"W<3>" is ambiguous: W<(short)3>, W<3>, W<3l>',
    # The class does not matter, or is written:
    "*(W<3> *)&i3": "{v = 7, tail = 8}",
    "*(int *)(W<3> *)&i3": "7",
    "(long)(char *)other": "0",
    "one == other": "true",
    "one == &i3": "false",
    "one - other": "0",
    "(W<3l> *)one": "(W<3> *) 0x0",
    "&*one": "(W<3> *) 0x0",
    "(1 ? one : other) == 0": "true",
    "sizeof(one)": "8",
    "sizeof(*of)": '"Tr<W<3> >" is ambiguous: Tr<W<(short)3> >, Tr<W<3> >, Tr<W<3l> >',
}


def compiled(compiler: str, folder: Path, *sources: str, options: str = "") -> Path:
    names = [f"{number}.cpp" for number, _ in enumerate(sources)]
    for name, source in zip(names, sources, strict=True):
        (folder / name).write_text(source)
    flags = ["-std=c++17", "-g", "-O0", "-w", "-no-pie", *options.split(), *names, "-o", "program"]
    subprocess.run([compiler, *flags], cwd=folder, check=True)
    return folder / "program"


def answer(program: Path, expression: str) -> str:
    done = run("debug", "--batch", "-q", program, "-ex", f"output {expression}")
    return (done.lines or done.err.splitlines())[-1]


WITH_TYPE_UNITS = ("", "-fdebug-types-section", "-gsplit-dwarf -fdebug-types-section")


@pytest.mark.parametrize("options", [*WITH_TYPE_UNITS, "-gdwarf-4 -fdebug-types-section"])
def test_a_declaration_without_types_is_no_instance_of_several(
    options: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """gcc calls all of them `W<3>`, also as arguments of others, and what it only declares has no
    entries for the types (DWARF 5 2.23: they are children of the instance)."""
    sources = [DECLARING, *(TEMPLATES + objects for objects in DEFINING)]
    program = compiled(tool("g++"), tmp_path, *sources, options=options)
    assert {one: answer(program, one) for one in INCOMPLETE} == INCOMPLETE
    done = run("debug", "--batch", "-q", program, "-ex", "whatis *one")
    assert done.lines == ["type = W<3>"]


HOLDING = """
template <auto V> struct W; extern char store[]; W<3l> &lr = *(W<3l> *)store;
struct Hold { W<3l> &hr; W<3l> *hp; int z; } hold{lr, &lr, 4}; struct Undef;
Undef &undefined = *(Undef *)store;
int main() { return hold.z; }
"""
OF_HOLDING = {
    "lr": '(W<3> &) @STORE: <error: "W<3>" is ambiguous: W<3>, W<3l>>',
    "hold.hr": '(W<3> &) @STORE: <error: "W<3>" is ambiguous: W<3>, W<3l>>',
    "undefined": "(Undef &) @STORE: <incomplete type>",
    "sizeof(*hold.hp)": '"W<3>" is ambiguous: W<3>, W<3l>',
    "hold.hp->tail": '"W<3>" is ambiguous: W<3>, W<3l>',
    "sizeof(W<3>)": "8",
    "sizeof(W<3l>)": "16",
}


@pytest.mark.parametrize("options", WITH_TYPE_UNITS)
def test_what_a_type_unit_declares_is_no_instance_of_several(
    options: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Type units do not say that they are of gcc. A reference to an object of such a class shows
    why its members are not known."""
    defining = f"{TEMPLATES} char store[64] = {{3, 0, 0, 0, 7}}; W<3> i3; W<3l> l3;"
    program = compiled(tool("g++"), tmp_path, HOLDING, defining, options=options)
    store = f"{int(answer(program, '(long) &store')):#x}"
    said = {one: answer(program, one).replace(store, "STORE") for one in OF_HOLDING}
    assert said == OF_HOLDING


def test_more_units_of_one_instance_do_not_hide_another(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """However many units define `W<3>`, the last one may define the instance that is meant."""
    same = [f"{TEMPLATES} W<3> i{number};" for number in range(33)]
    last = f"{TEMPLATES} W<3l> l3;"
    program = compiled(tool("g++"), tmp_path, DECLARING, *same, last)
    assert answer(program, "sizeof(*other)") == '"W<3>" is ambiguous: W<3>, W<3l>'


@pytest.mark.parametrize("options", WITH_TYPE_UNITS)
def test_a_declaration_beside_a_definition_is_another_instance(
    options: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """A unit has one entry of a class, perhaps a type unit: its `W<3>` with values of `int` does
    not complete another `W<3>` there, nor does that of another unit."""
    program = compiled(
        tool("g++"),
        tmp_path,
        f"{TEMPLATES} W<3> own; extern W<3l> *other; W<3l> *other; int main() {{ return own.v; }}",
        f"{TEMPLATES} W<3> i3; W<3l> l3;",
        options=options,
    )
    answers = [answer(program, one) for one in ("sizeof(own)", "sizeof(*other)", "sizeof(W<3l>)")]
    assert answers == ["8", "16", "16"]


NESTED = f"""{TEMPLATES}
template <class... T> struct Of {{ char c[(sizeof(T) + ... + 0)]; }};
Of<W<3>, W<3l>> a; Of<W<3l>, W<3>, Tr<W<3>>> b; Of<W<3>, W<3>> c; Of<W<3l>, W<3l>> d;
Of<Tr<W<3>> *, int> e; Of<Tr<W<3l>> *, char> f; Of<int (*)(W<3>, W<3l>), char> g;
Of<int (*)(W<3l>, W<3>), char[2]> h;
int main() {{ return sizeof(a) + sizeof(b) + sizeof(c) + sizeof(d) + sizeof(e) + sizeof(f); }}
"""
OF_NESTED = {
    "sizeof(Of<W<3>, W<3l>>)": "24",
    "sizeof(Of<W<3>, W<3>>)": "16",
    "sizeof(Of<W<3l>, W<3l>>)": "32",
    "sizeof(Of<W<3l>, W<3>, Tr<W<3>>>)": "36",
    "sizeof(Of<Tr<W<3>> *, int>)": "12",
    "sizeof(Of<Tr<W<3l>> *, char>)": "9",
    "sizeof(Of<int (*)(W<3>, W<3l>), char>)": "9",
    "sizeof(Of<int (*)(W<3l>, W<3>), char [2]>)": "10",
    "sizeof(Of<W<3u>, W<3>>)": (
        '"Of<W<3u>, W<3>>" is ambiguous: Of<W<3>, W<3> >, Of<W<3>, W<3l> >, Of<W<3l>, W<3l> >'
    ),
}


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_the_types_of_values_in_nested_arguments_count(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    program = compiled(tool(compiler), tmp_path, NESTED)
    assert {one: answer(program, one) for one in OF_NESTED} == OF_NESTED


METHODS = "template <auto V> struct W { decltype(V) v; int fn() { return V; } };\n"
OF_A_LIBRARY = f"""{METHODS}
#include <stdlib.h>
W<(short)3> s3;
int lib() {{ int n = s3.fn(); if (n == 3) abort(); return n; }}
"""
USING_IT = f"""{METHODS}
int lib(); W<3> i3; W<3l> l3;
int main() {{ return i3.fn() + l3.fn() + lib(); }}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_the_files_together_have_the_instance(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The program has two instances with the value, a library the one with its type."""
    command = [tool(compiler), "-std=c++17", "-O0"]
    build_with_library(tmp_path, "cpp", OF_A_LIBRARY, USING_IT, command)
    files = with_core(tool, tmp_path)
    names = ("W<(short)3>::fn", "W<3l>::fn", "W<3u>::fn")
    own, other, none = answers_with(None, files, [f"info line {name}" for name in names])
    assert "<W<(short)3>::fn()>" in own and "<W<3l>::fn()>" in other
    assert '"W<3u>::fn" is ambiguous: W<3>::fn(), W<3l>::fn()' in none


OF_REALS = """
template <auto V> struct W { static int sm; template <int N> static int st; int m = V != 0;
  struct I { char c[sizeof(V)]; static int ip; } i; int get() { return m; } };
template <auto V> int W<V>::sm = sizeof(V); template <auto V> int W<V>::I::ip = 10 * sizeof(V);
template <auto V> template <int N> int W<V>::st = N * sizeof(V);
W<2.5> d; W<2.5f> f; W<-1.5f> nf; W<-1.5> nd;
W<nullptr> null;
int main() { return d.get() + f.get() + W<2.5>::st<3> + W<2.5f>::st<3> + W<-1.5f>::st<3>
  + null.st<3> + nd.st<3> + W<2.5>::I::ip + W<2.5f>::I::ip + W<2.5>::sm + W<2.5f>::sm; }
"""
BY_TYPE_OF_REAL = {
    "W<2.5>::sm": "8",
    "W<2.5f>::sm": "4",
    "W<2.5f>::I::ip": "40",
    "sizeof(W<2.5f>::I)": "4",
    "W<2.5>::st<3>": "24",
    "W<2.5f>::st<3>": "12",
    "W<-1.5f>::st<3>": "12",
    "W<-1.5>::st<3>": "24",
    "d.st<3>": "24",
    "f.st<3>": "12",
    "nf.st<3>": "12",
    "nd.st<3>": "24",
    "null.st<3>": "24",
    "W<nullptr>::st<3>": "24",
}


@pytest.mark.parametrize("compiler", ["g++", "clang++-19", "clang++-19 -gsimple-template-names"])
def test_numbers_of_floating_point_have_types_too(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """clang calls both `W<2.500000e+00>`, and describes no value: the type of the parameter
    decides."""
    command, *more = compiler.split()
    (tmp_path / "a.cpp").write_text(OF_REALS)
    flags = [*more, "-std=c++20", "-g", "-O0", "-w", "-no-pie", "a.cpp", "-o", "a"]
    subprocess.run([tool(command), *flags], cwd=tmp_path, check=True)
    said = {one: answer(tmp_path / "a", one) for one in BY_TYPE_OF_REAL}
    assert said == BY_TYPE_OF_REAL
    ambiguous = answer(tmp_path / "a", "sizeof(W<2.5l>)")
    assert ambiguous.startswith('"W<2.5l>" is ambiguous: W<(double)[')
    assert ">, W<(float)[" in ambiguous
    commands = [f"whatis {name}" for name in ("d", "f", "nf", "nd")]
    files = [str(tmp_path / "a")]
    assert answers_with(None, files, commands) == answers_with(tool("gdb"), files, commands)


@pytest.mark.parametrize("index", ["[1]", "[1][2]", "[0][1][2]"])
def test_an_element_of_an_array_is_an_argument_as_in_gdb(
    index: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    element = f"row{index}"
    text = (
        f"int row{'[3]' * index.count('[')};\n"
        "template <int *P> struct To { int v; static int st; int get() { return *P + v; } };\n"
        f"template <int *P> int To<P>::st = 4; To<&{element}> to;\n"
        f"int main() {{ return to.get() + To<&{element}>::st; }}\n"
    )
    path = compiled(tool("g++"), tmp_path, text, options="-std=c++20")
    spelled = f"To<&{element}>", f"To<&({element})>", f"To<&(row {index})>", f"To<(& {element})>"
    asked = ["whatis to", *(f"print {name}::st" for name in spelled)]
    asked += [f"whatis {name}" for name in spelled[:3]]
    of_gdb = subprocess.run(
        [tool("gdb"), "-nx", "-q", "-batch", *(f"-ex={line}" for line in asked), path],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    own = run("debug", path, "--batch", *(f"-ex={line}" for line in asked)).out
    assert own == of_gdb.stdout
    assert own.startswith(f"type = To<&(row {index})>\n$1 = 4\n")


OF_PARAMETERS = """
template <auto V> struct W { decltype(V) v; int tail; int get(W<V> *o) { return o->tail; } };
template <auto V> struct Not; template <class T> struct Tr { T t; int q; };
enum E { A, B = 5 }; enum class EC { X, Y }; typedef W<3l> WL; typedef int my_int;
int p(W<3> *w) { return 1; }          int p(W<3l> *w) { return 2; }
int p(W<3u> *w) { return 3; }         int p(W<3ul> *w) { return 4; }
int p(W<(short)3> *w) { return 5; }   int p(W<true> *w) { return 6; }
int p(W<1> *w) { return 7; }          int p(W<'x'> *w) { return 8; }
int p(W<120> *w) { return 9; }        int p(W<B> *w) { return 10; }
int p(W<5> *w) { return 11; }         int p(W<EC::Y> *w) { return 12; }
int r(const W<3> &w) { return 13; }   int r(const W<3l> &w) { return 14; }
int r(W<3> &w) { return 15; }         int r(W<3l> &w) { return 16; }
int n(Tr<W<3>> *w) { return 17; }     int n(Tr<W<3l>> *w) { return 18; }
int m(int W<3>::*w) { return 19; }    int m(int W<3l>::*w) { return 20; }
static int s(W<3> *w, my_int) { return 21; } static int s(W<3l> *w, my_int) { return 22; }
static int d(Not<3> *w) { return 23; } static int d(Not<3l> *w) { return 24; }
template <auto V> static int t() { return 25 + V; }
struct K { int f(W<3> *w) { return 26; } int f(W<3l> *w) { return 27; } };
struct KD : K { using K::f; int f(W<3> *w) { return 28; } };
W<3> a; W<3l> b; WL *wl; KD k;
int main() {
  return s(&a, 1) + s(&b, 1) + d((Not<3> *)0) + d((Not<3l> *)0) + t<3>() + t<3l>() + k.f(&a)
    + k.f(&b) + k.K::f(&a) + a.get(&a) + b.get(&b);
}
"""
OVERLOADS = {
    "p(W<3>*)": "p(W<3>*)",
    "p(W<3l>*)": "p(W<3l>*)",
    "p(W<3L> *)": "p(W<3l>*)",
    "p(WL*)": "p(W<3l>*)",
    "p(W<3u>*)": "p(W<3u>*)",
    "p(W<3ul>*)": "p(W<3ul>*)",
    "p(W<(short)3>*)": "p(W<(short)3>*)",
    "p(W<true>*)": "p(W<true>*)",
    "p(W<(bool)1>*)": "p(W<true>*)",
    "p(W<1>*)": "p(W<1>*)",
    "p(W<(char)120>*)": "p(W<(char)120>*)",
    "p(W<120>*)": "p(W<120>*)",
    "p(W<(E)5>*)": "p(W<(E)5>*)",
    "p(W<5>*)": "p(W<5>*)",
    "p(W<(EC)1>*)": "p(W<(EC)1>*)",
    "r(const W<3>&)": "r(W<3> const&)",
    "r(W<3l> const&)": "r(W<3l> const&)",
    "r(W<3l>&)": "r(W<3l>&)",
    "n(Tr<W<3l>>*)": "n(Tr<W<3l> >*)",
    "n(Tr<W<3> >*)": "n(Tr<W<3> >*)",
    "m(int W<3l>::*)": "m(int W<3l>::*)",
    "K::f(W<3l>*)": "K::f(W<3l>*)",
    "W<3l>::get(W<3l>*)": "W<3l>::get(W<3l>*)",
    "s(W<3>*, my_int)": "s(W<3>*, int)",
    "s(W<3l>*, int)": "s(W<3l>*, int)",
    "d(Not<3l>*)": "d(Not<3l>*)",
    "t<3l>": "t<3l>()",
}
"""The symbols of the functions that names with parameters mean."""
NO_OVERLOADS = {
    "print 'p(W<3ll>*)'": (
        '"p(W<3ll>*)" is ambiguous: p(W<(short)3>*), p(W<3>*), p(W<3l>*), p(W<3u>*), p(W<3ul>*)'
    ),
    "break n(Tr<W<3u>>*)": '"n(Tr<W<3u>>*)" is ambiguous: n(Tr<W<3> >*), n(Tr<W<3l> >*)',
    "info address s(W<3u>*, int)": '"s(W<3u>*, int)" is ambiguous: s(W<3>*, int), s(W<3l>*, int)',
    "list s(W<3u>*, int)": '"s(W<3u>*, int)" is ambiguous: s(W<3>*, int), s(W<3l>*, int)',
    "print s": '"s" is overloaded; say which: s(W<3>*,my_int); s(W<3l>*,my_int)',
}


@pytest.fixture(scope="module", params=["g++", "clang++-19", "clang++-19 -gsimple-template-names"])
def overloads(
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
    request: pytest.FixtureRequest,
) -> Path:
    folder = tmp_path_factory.mktemp("overloads")
    (folder / "a.cpp").write_text(OF_PARAMETERS)
    compiler, *more = request.param.split()
    flags = ["-std=c++20", "-g", "-O0", "-w", "-no-pie", "a.cpp", "-o", "a"]
    subprocess.run([tool(compiler), *more, *flags], cwd=folder, check=True)
    return folder / "a"


def test_the_types_of_values_in_parameters_choose_the_overload(overloads: Path) -> None:
    """gcc calls the classes of all of them `W<3>`: linkage names, the entries of the arguments or
    symbols have the types."""
    said = answers_with(None, [str(overloads)], [f"info symbol '{name}'" for name in OVERLOADS])
    meant = [text.splitlines()[-1].partition(" in section")[0] for text in said]
    symbols = [symbol.removeprefix("int ") for symbol in meant]
    assert dict(zip(OVERLOADS, symbols, strict=True)) == OVERLOADS


@pytest.mark.parametrize("command", ["break", "info line", "info scope", "info address", "list"])
def test_one_overload_is_meant_in_each_command(overloads: Path, command: str) -> None:
    """Each name with parameters is answered by the lines, or the address, of that function."""
    files, names = [str(overloads)], [name for name in OVERLOADS if "(" in name]
    said = answers_with(None, files, [f"{command} {name}" for name in names])
    wrong = ("locations)", " is ambiguous", "not defined", "No symbol")
    assert [text for text in said if any(word in text for word in wrong)] == []
    if command in ("info line", "info address"):
        entries = answers_with(None, files, [f"output/x (long) '{name}'" for name in names])
        for entry, text in zip(entries, said, strict=True):
            assert entry.splitlines()[-1] in text


@pytest.mark.parametrize("command", NO_OVERLOADS)
def test_of_overloads_with_other_types_none_is_taken(overloads: Path, command: str) -> None:
    done = run("debug", overloads, "--batch", "-ex", command)
    assert done.err.splitlines()[-1] == NO_OVERLOADS[command]


def test_a_function_hides_those_with_its_types_of_values(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """gcc describes the using-declaration: it names both functions, of which the class itself has
    one ([namespace.udecl])."""
    program = compiled(tool("g++"), tmp_path, OF_PARAMETERS)
    said = answer(program, "k.f")
    assert said == '"KD::f" is overloaded; say which: K::f(W<3l>*); KD::f(W<3>*)'


def test_overloads_of_defined_classes_are_those_of_gdb(
    overloads: Path, tool: Callable[[str], str]
) -> None:
    """But for the typedef: of gcc's, GDB takes the class `W<3>` of any type."""
    names = [name for name in OVERLOADS if name[0] in "prnmK" and name != "p(WL*)"]
    asked = [f"{command} {name}" for name in names for command in ("tbreak", "info scope")]
    files = [str(overloads)]
    assert answers_with(None, files, asked) == answers_with(tool("gdb"), files, asked)


OF_TABLES = """
template <auto V> struct W { int v; static int st; constexpr W(int x) : v(x) {}
  virtual int f() const { return V; } };
template <auto V> int W<V>::st = 100 * sizeof(V);
struct Y { virtual int g() const { return 1; } };
struct D : Y, W<3> { int d; constexpr D() : W<3>(2), d(3) {} };
struct E : W<3l> { constexpr E() : W<3l>(4) {} };
"""
DECLARING_TABLES = """
template <auto V> struct W; extern char d[], e[], plain[]; W<3> *one = (W<3> *)(d + 8);
W<3l> *other = (W<3l> *)e, *null; W<3> &whole = *(W<3> *)plain;
W<3> *hold[] = {(W<3> *)(d + 8)}; W<3> *function(W<3> *p) { return p; }
int main() { return one == (void *)other && null && &whole; }
"""
DEFINING_TABLES = (
    f"{OF_TABLES} constinit D d; constinit W<3> plain(5); int one_use() {{ return W<3>::st; }}",
    f"{OF_TABLES} constinit E e; int use() {{ return W<3l>::st; }}",
)
AMBIGUOUS_W = '"W<3>" is ambiguous: W<3>, W<3l>'
BY_TABLES = {
    # The table of virtual functions names the class of the object:
    "one->st": "400",
    "other->st": "800",
    "(D *)one == &d": "true",
    "one == &d": "true",
    "((D *)one)->d": "3",
    "dynamic_cast<D *>(one) == &d": "true",
    "dynamic_cast<D *>(other)": "(D *) 0x0",
    "(*one@1)[0].v": "2",
    "whole.st": "400",
    "one->f == 'W<3>::f'": "true",
    "other->f == 'W<3l>::f'": "true",
    "-object on -- one == &d": "true",
    # All instances have these:
    "sizeof(*null)": "16",
    "sizeof(**hold)": "16",
    "(long)(null + 1)": "16",
    "(long)&null->v": "8",
    "sizeof(null->v)": "4",
    "(long)(E *)null": "0",
    "null->st": AMBIGUOUS_W,
    "null->f": AMBIGUOUS_W,
    "*null": AMBIGUOUS_W,
    "*null@2": "Cannot access memory at address 0x0: not in the state",
    "hold[0] == one": "true",
    "null == &d": AMBIGUOUS_W,
}


SHOWN_TABLES = (
    "info vtbl one",
    "info vtbl other",
    "print -object on -- one",
    "print -object on -- *one",
    "print -object on -- other",
    "print (D *) one",
    "whatis one",
)


@pytest.mark.parametrize("options", WITH_TYPE_UNITS)
def test_the_object_or_all_instances_decide_what_a_declaration_is(
    options: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    sources = (DECLARING_TABLES, *DEFINING_TABLES)
    program = compiled(tool("g++"), tmp_path, *sources, options=f"-std=c++20 {options}")
    assert {one: answer(program, one) for one in BY_TABLES} == BY_TABLES
    if not options:  # GDB does not find the class D in type units
        files = [str(program)]
        note = "note: no state is given: writable memory has its initial contents\n"
        own = [one.replace(note, "") for one in answers_with(None, files, SHOWN_TABLES)]
        assert own == answers_with(tool("gdb"), files, SHOWN_TABLES)


MEMBERS = """
enum E { A, B = 5 };
template <auto V> struct W { decltype(V) v; static int sm; template <auto U> static int st;
  struct In { template <auto T> struct Deep { int d; static int ds; };
    Deep<1> dd; Deep<1l> dl; }; };
template <auto V> int W<V>::sm = 10 * (int)sizeof(V) + (int)V;
template <auto V> template <auto U> int W<V>::st = 100 * (int)V + (int)U;
template <auto V> template <auto T> int W<V>::In::Deep<T>::ds = 7 * (int)sizeof(T) + (int)V;
template <bool b> struct Of { static int s; int m; }; template <bool b> int Of<b>::s = b + 1;
struct H { template <auto U> struct M { static int s; int k; }; M<1> one; M<1l> two; } h;
template <auto U> int H::M<U>::s = 3 * sizeof(U) + 200;
W<3>::In a; W<3l>::In al; W<true> w1; W<1> w2; W<B> wb; Of<true> yes; Of<false> no;
int main() {
  return W<true>::sm + W<1>::sm + W<B>::sm + W<true>::st<1> + W<B>::st<A> + W<1>::st<true>
    + W<3>::In::Deep<1>::ds + W<3l>::In::Deep<1>::ds + W<3>::In::Deep<1l>::ds
    + Of<true>::s + Of<false>::s + H::M<1>::s + H::M<1l>::s;
}
"""
OF_MEMBERS = {
    "W<(bool)1>::sm": "11",
    "W<1>::sm": "41",
    "W<(bool)1>::st<1>": "101",
    "W<1>::st<(bool)1>": "101",
    "Of<(bool)0>::s": "1",
    "Of<(bool)1>::s": "2",
    "W<(E)5>::st<(E)0>": "500",
    "W<E::B>::sm": 'No symbol "W<E::B>" in current context.',  # as in GDB
    "W<E::B>::st<1>": 'No symbol "W<E::B>" in current context.',
    "W<B>::st<A>": 'No symbol "W<B>" in current context.',
    "H::M<1l>::s": "224",
    "h.two.s": "224",
    "h.M<1l>::s": "There is no field named s",  # it is no member of H ([expr.ref])
    "h.M<(bool)1>::s": 'No symbol "M<(bool)1>" in current context.',
    "a.In::Deep<1>::ds": "There is no field named ds",
    "a.Deep<1l>::ds": "There is no field named ds",
    "&al.dd.ds == &W<3l>::In::Deep<1>::ds": "true",
    "&a.dd.ds == &W<3l>::In::Deep<1>::ds": "false",
    "&a.dl.ds == &W<3>::In::Deep<1l>::ds": "true",
}


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_members_of_instances_by_their_values(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """No variable defines `W<3l>::In::Deep<1l>::ds`: that of `W<3>` does not."""
    program = compiled(tool(compiler), tmp_path, MEMBERS)
    assert {one: answer(program, one) for one in OF_MEMBERS} == OF_MEMBERS
    whole = answer(program, "al")
    assert whole.startswith("{dd = {d = 0, static ds = 31}, dl = {d = 0") and "59" not in whole
    assert " = 59" not in answer(program, "al.dl.ds")
