"""Static member templates of C++: gcc describes their instances outside of the classes, with the
whole name in the linkage name alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
struct K { template<class T> static T iw; int k = 1; static int f(); };
template<class T> T K::iw = T(151);
struct KD : K { int g() { return iw<int> + f(); } };
namespace n { struct Z { template<class T> static T zz; }; template<class T> T Z::zz = T(8); }
template<class T> struct O { template<class U> static U w; };
template<class T> template<class U> U O<T>::w = U(9);
int other();
int K::f() { int i = iw<long> + n::Z::zz<int> + O<int>::w<char>; __builtin_trap(); return i; }
KD kd; O<int> o;
int main() { return kd.g() + other(); }
"""
OTHER = """\
struct A { template<class T> static T only; }; template<class T> T A::only = T(3); A a;
int other() { return A::only<int>; }
"""
INSTANCES = [
    *("K::iw<long>", "KD::iw<int>", "KD::K::iw<long>", "&KD::iw<long>", "n::Z::zz<int>"),
    *("O<int>::w<char>", "A::only<int>", "sizeof(KD::iw<long>)", "n::zz<int>", "KD::iw<short>"),
    *("'a.cc'::K::iw<long>", "'a.cc'::KD::iw<int>", "'a.cc'::n::Z::zz<int>"),
    *("'b.cc'::A::only<int>", "'a.cc'::iw<long>"),
]


TYPE_UNITS = ("g++", "-fdebug-types-section"), ("clang++-19", "-fdebug-types-section")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    return built(tmp_path_factory.mktemp("instances"), tool, tool("g++"))


def built(folder: Path, tool: Callable[[str], str], *compiler: str) -> list[str]:
    options = ["-g", "-O0", "-w", "-std=c++17", "a.cc", "b.cc", "-o", "a"]
    build(folder, {"a.cc": SOURCE, "b.cc": OTHER}, [[*compiler, *options]])
    return with_core(tool, folder)


def test_instances_are_members_of_their_class(files: list[str], tool: Callable[[str], str]) -> None:
    """Derived classes and source files did not have them."""
    commands = [f"output {name}" for name in INSTANCES]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


@pytest.mark.parametrize("frame", [0, 1])
def test_instances_in_methods(files: list[str], tool: Callable[[str], str], frame: int) -> None:
    commands = [f"frame {frame}", "output iw<long>", "output iw<int>"]
    shown = answers(None, files, commands)[1:]
    assert shown == answers(tool("gdb"), files, commands)[1:]


@pytest.mark.parametrize(("compiler", "option"), TYPE_UNITS)
def test_instances_are_members_of_classes_of_type_units(
    compiler: str, option: str, files: list[str], tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Methods, and source files that do not define the class, did not have them; of some, GDB says
    that it does not know the class."""
    of_type_units = built(tmp_path, tool, tool(compiler), option)
    in_methods = ["output iw<long>", "output iw<int>"] if compiler == "g++" else []
    commands = ["frame 0", *in_methods]
    commands += (f"output {name}" for name in INSTANCES if "n::" not in name and name[0] != "&")
    assert answers(None, of_type_units, commands)[1:] == answers(None, files, commands)[1:]


@pytest.mark.parametrize("name", ["iw<long>", "::iw<long>", "zz<int>", "w<char>", "only<int>"])
def test_instances_are_nothing_outside_of_their_class(files: list[str], name: str) -> None:
    """They were variables of the global namespace."""
    (_, said) = answers(None, files, ["frame 2", f"output {name}"])
    unknown = f'No symbol "{name.removeprefix("::")}" in current context.'
    assert unknown in said


INHERITED = """
template <int N> struct T { template <int M> static int bt; int a = N; };
template <int N> template <int M> int T<N>::bt = 30 + N;
struct BL : T<1> {} b; typedef T<1> Alias; Alias al; template <int N> struct D : T<N> {}; D<2> d;
int main() { return T<1>::bt<1> + T<2>::bt<1> + b.a + al.a + d.a; }
"""
OF_BASE_CLASSES = {
    "BL::bt<1>": "31",
    "Alias::bt<1>": "31",
    "D<2>::bt<1>": "32",
    "b.bt<1>": "31",
    "d.bt<1>": "32",
    "al.bt<1>": "31",
}


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_a_base_class_or_a_typedef_has_the_template(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    (tmp_path / "a.cpp").write_text(INHERITED)
    command = [tool(compiler), "-std=c++17", "-g", "-O0", "-w", "a.cpp", "-o", "a"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = {}
    for name in OF_BASE_CLASSES:
        done = run("debug", "--batch", "-q", tmp_path / "a", "-ex", f"output {name}")
        said[name] = (done.lines or done.err.splitlines())[-1]
    assert said == OF_BASE_CLASSES


BARE = """
struct P { template <int N> static int st; int z = 1; static int plain; }; int P::plain = 3;
template <int N> int P::st = N * 7;
struct Q : P {} q; P p;
template <class T> struct C { template <class U> static U v; int m = 1; } ; C<int> c;
template <class T> template <class U> U C<T>::v = U(5);
int main() { return P::st<1> + P::st<2> + C<int>::v<int> + C<int>::v<long> + q.z + p.z + c.m; }
"""
OF_P = ". Instances of a template of that name: P::st<1>, P::st<2>"
OF_C = ". Instances of a template of that name: C<int>::v<int>, C<int>::v<long>"
OF_TEMPLATES = {
    "P::st": f"There is no field named st{OF_P}",
    "&Q::st": f"There is no field named st{OF_P}",
    "p.st": f"There is no member named st{OF_P}",
    "q.st": f"There is no member named st{OF_P}",
    "sizeof(C<int>::v)": f"There is no field named v{OF_C}",
    "c.v": f"There is no member named v{OF_C}",
    "p": "{z = 1, static plain = 3, static st = <optimized out>}",
    "q.plain + Q::st<2>": "17",
}


def test_the_bare_name_of_a_template_is_none_of_its_instances(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """clang declares the template as a member, which each of them completes."""
    command = [tool("clang++-19"), "-std=c++17", "-g", "-O0", "-w", "a.cc", "-o", "a"]
    build(tmp_path, {"a.cc": BARE}, [command])
    said = {}
    for name in OF_TEMPLATES:
        done = run(
            "debug", "--batch", "-q", tmp_path / "a", "--pc", "main", "-ex", f"output {name}"
        )
        said[name] = (done.lines or done.err.splitlines())[-1]
    assert said == OF_TEMPLATES
