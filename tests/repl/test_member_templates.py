"""Static member templates of C++: gcc describes their instances outside of the classes, with the
whole name in the linkage name alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("instances")
    compiler = [tool("g++"), "-g", "-O0", "-w", "-std=c++17", "a.cc", "b.cc", "-o", "a"]
    build(folder, {"a.cc": SOURCE, "b.cc": OTHER}, [compiler])
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


@pytest.mark.parametrize("name", ["iw<long>", "::iw<long>", "zz<int>", "w<char>", "only<int>"])
def test_instances_are_nothing_outside_of_their_class(files: list[str], name: str) -> None:
    """They were variables of the global namespace."""
    (_, said) = answers(None, files, ["frame 2", f"output {name}"])
    unknown = f'No symbol "{name.removeprefix("::")}" in current context.'
    assert unknown in said
