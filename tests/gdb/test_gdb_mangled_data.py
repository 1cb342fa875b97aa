"""Variables of C++ of files without debugging information, whose linkage names only the rules of
mangling tell: static members that a unit declares, static variables, ABI tags."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger
from tests.gdb.test_gdb_name_lookup import COMPARE
from tests.repl.side_by_side import answers, build, with_core

HEADER = """\
namespace ns { struct T { int t; }; struct Out { struct In { static int n, list[2]; }; }; }
namespace std { struct own { static int n; }; }
struct Api { static int count; static const int limit; int v; };
template <class A, unsigned N> struct Box { static int n; A a; };
"""
PLAIN = """\
#include <string>
#include "api.h"
int ns::Out::In::n = 2, ns::Out::In::list[2] = {3, 4}, std::own::n = 5, Api::count = 6;
const int Api::limit = 7;
template <class A, unsigned N> int Box<A, N>::n = N;
template struct Box<int, 8>;
template struct Box<ns::T, 9>;
template struct Box<Box<unsigned long, 3>, 10>;
static int hidden = 11, *volatile of_hidden = &hidden;
static int of_both = 12, *volatile of_of_both = &of_both;
std::string tagged = "abc";
int use(int x) { return x + *of_hidden + *of_of_both + tagged.size(); }
"""
MAIN = """\
#include "api.h"
int use(int), of_both = 100;
Api api = {Api::count + Api::limit};
int main() {
  Box<int, 8> box; Box<ns::T, 9> of_class; Box<Box<unsigned long, 3>, 10> of_box;
  ns::Out::In in; std::own own;
  if (use(box.n + of_class.n + of_box.n + in.n + in.list[1] + own.n)) __builtin_trap();
  return 0;
}
"""
NAMES = [
    "Api::count", "&Api::limit", "api", "api.limit + 1", "ns::Out::In::n", "ns::Out::In::list",
    "std::own::n", "in.list[1]", "&hidden", "(int)hidden", "of_both", "&tagged", "(int)_ZL6hidden",
    "Box<ns::T, 9>::n", "Box<int, 8>::n",
]  # fmt: skip
NOT_IN_GDB = ["box.n", "of_class.n", "of_box.n"]
"""GDB 13 compares the names of declarations and symbols letter by letter, also `9` with `9u`."""


def _built(tool: Callable[[str], str], folder: Path, compiler: str, option: str) -> Path:
    build(folder, {"api.h": HEADER, "plain.cpp": PLAIN, "a.cpp": MAIN}, [
        [tool("g++"), "-O0", "-c", "plain.cpp"],
        [tool(compiler), option, "-w", "-O0", "-c", "a.cpp"],
        [tool("g++"), "-o", "a", "a.o", "plain.o"],
    ])  # fmt: skip
    return folder / "a"


@pytest.mark.parametrize(
    ("compiler", "option"),
    [("g++", "-gdwarf-4"), ("g++", "-gdwarf-5"), ("clang++-19", "-gdwarf-5")],
)
def test_as_gdb(tool: Callable[[str], str], tmp_path: Path, compiler: str, option: str) -> None:
    _built(tool, tmp_path, compiler, option)
    files = with_core(tool, tmp_path)
    names = NAMES if (compiler, option) == ("g++", "-gdwarf-5") else NAMES[:-2]
    commands = [f"p {name}" for name in names] + ["info address tagged"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert ours[0].endswith("= 6\n") and ours[9].endswith("= 11\n")
    assert ours[10].endswith("= 100\n")
    alone = answers(None, files, [f"p {name}" for name in NOT_IN_GDB])
    assert [text.rpartition("= ")[2] for text in alone] == ["8\n", "9\n", "10\n"]


def test_inside_gdb(debugger: Debugger, tool: Callable[[str], str], tmp_path: Path) -> None:
    program = _built(tool, tmp_path, "g++", "-gdwarf-4")
    code = COMPARE.format(expressions=NAMES[:-3])
    document = json.loads(debugger.python(code, "run", file=program))
    assert [item for item in document if item[1] != item[2]] == []
