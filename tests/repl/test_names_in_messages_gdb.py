"""The names of symbols in messages are those that GDB gives them, whatever is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <string>
namespace outer { namespace deep {
enum Flags { F_A = 1 };
enum class Mode { On };
struct K { enum In { C1 }; enum class Sc { C2 }; };
template<class T> struct B { enum In { TB }; };
namespace { enum Hidden { AN }; }
} }
using namespace outer::deep;
enum { NAMELESS = 3 };
namespace outer { namespace deep {
static int ns(K &k, const char *s) { static int w = 4; return w + (s == nullptr); }
} }
static int own(int q) { static int calls = 3; return q + calls; }
template<class T> static T tm(T a) { static T kept = 9; return kept + a; }
extern "C" int cfn(int a) { static int inc = 9; return inc + a; }
static int fp(int (*f)(int), std::string s) { return f(3); }
static int none() { int z = 4; return z; }
int main() {
  enum Own { L1 };
  K k; B<int> b; Mode mode = Mode::On; K::Sc sc = K::Sc::C2;
  int r = F_A + AN + NAMELESS + L1 + K::C1 + B<int>::TB + (int)mode + (int)sc;
  r += ns(k, "") + own(1) + tm(2) + tm(2L) + cfn(1) + fp(cfn, "") + none();
  __builtin_trap();
  return r;
}
"""


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("names")
    build(folder, {"a.cpp": SOURCE}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    return with_core(tool, folder)


def test_an_enumerator_is_named_with_its_scopes(
    tool: Callable[[str], str], files: list[str]
) -> None:
    names = ["F_A", "NAMELESS", "::NAMELESS", "K::C1", "outer::deep::K::C1", "B<int>::TB", "AN"]
    names += ["L1", "Mode::On", "K::Sc::C2", "(F_A)", "'F_A'", "'a.cpp'::F_A"]
    commands = [*(f"p &{name}" for name in names), "whatis &F_A", "p *&F_A"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "outer::deep::F_A" in ours[0]


def test_a_function_without_a_frame_has_parameters(
    tool: Callable[[str], str], files: list[str]
) -> None:
    names = [
        "own::q",
        "own(int)::q",
        "tm<int>::a",
        "tm<long>::a",
        "cfn::a",
        "none::z",
        "fp::s",
        "ns::s",
    ]
    commands = [f"p {name}" for name in names]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "in block own(int)." in ours[0]


def test_a_variable_of_a_function_has_its_own_name(
    tool: Callable[[str], str], files: list[str]
) -> None:
    names = [
        "own::calls",
        "own(int)::calls",
        "tm<int>::kept",
        "cfn::inc",
        "ns::w",
        "own::q",
        "main::k",
    ]
    commands = [f"info address {name}" for name in names]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert 'Symbol "calls" is static storage' in ours[0]


def test_an_enumerator_of_c_has_no_scopes(tool: Callable[[str], str], tmp_path: Path) -> None:
    source = """\
struct s { enum in { INNER = 2 } e; };
int main(void) { enum own { OWN = 1 } o = OWN; struct s v = { INNER };
                 __builtin_trap(); return o + v.e; }
"""
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-O0", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    commands = ["p &INNER", "p &OWN", "p &main::OWN"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_a_file_in_quotes_is_no_symbol(tool: Callable[[str], str], files: list[str]) -> None:
    commands = [f"info address {name}" for name in ("'a.cpp'", "'main()'", "'none'")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
