"""Unnamed structures of C++ that a typedef names for linkage, beside GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = """\
namespace n {
typedef struct { int a; } Box;
Box box = {1};
namespace m { typedef union { int u; float f; } Either; Either either = {2}; }
struct Holder { typedef struct { int c; } Held; Held held; } holder;
}
typedef struct { struct { int z; } in; } Global;
Global global;
int main() { return n::box.a; }
"""


def test_namespaces_and_classes(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.cpp": SOURCE}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    names = ["n::box", "n::m::either", "n::holder", "n::holder.held", "global", "global.in"]
    names += ["n::Box", "n::m::Either", "n::Holder::Held", "Global", "*(n::Box *) &n::box"]
    commands = [f"{command} {name}" for name in names for command in ("ptype", "whatis")]
    ours = answers(None, [str(tmp_path / "a")], commands)
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert "type = struct n::Box {\n" in ours[0] and "union n::m::Either" in ours[2]
