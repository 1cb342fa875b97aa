"""Containers whose element class a unit only declares, beside GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

HEADER = """\
#include <list>
#include <memory>
#include <vector>
namespace ns { struct C { int c = 2; }; template <class T> struct Box { T t, u; }; }
struct Held {
  int n = 4;
  std::vector<std::shared_ptr<ns::C>> shared;
  std::vector<std::vector<ns::Box<ns::C>>> nested;
  std::list<ns::Box<ns::C>> listed;
  ns::Box<ns::C> *box = nullptr;
  Held();
  ~Held();
};
"""
USER = """\
#include "held.h"
int use(Held &held) { if (held.n) __builtin_trap(); return held.n; }
"""
MAIN = """\
#include "held.h"
int use(Held &);
Held::~Held() {}
Held::Held() : shared(1), nested(2), listed(2) { nested[1].resize(1); box = &listed.front(); }
int main() { Held held; return use(held); }
"""


def test_classes_with_namespaces_in_their_arguments(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    build(tmp_path, {"held.h": HEADER, "use.cpp": USER, "a.cpp": MAIN}, [
        [tool("g++"), "-g", "-O0", "-std=c++17", "-o", "a", "use.cpp", "a.cpp"],
    ])  # fmt: skip
    files = with_core(tool, tmp_path)
    members = ["held.shared", "held.nested", "held.nested[1]", "held.listed", "*held.box"]
    commands = [f"p {name}" for name in (*members, "held.shared[0]")]
    commands += ["p sizeof(*held.box)", "up", *commands]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "std::vector of length 1, capacity 1 = {std::shared_ptr<ns::C> (empty)" in ours[0]
    assert ours[6].endswith("= 8\n")
