"""Names that using-directives make visible, beside private ones of other files, as in GDB."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.gdb.debugger import Debugger
from tests.gdb.test_gdb_name_lookup import COMPARE
from tests.repl.side_by_side import answers, build, with_core

MAIN = """\
namespace app { int run(int); }
namespace alias = app;
extern "C" int of_c(int);
int of_file(int);
#ifdef UNIT
using namespace app;
#endif
int inner(int x) {
  { using namespace app; if (x > 3) __builtin_trap(); }
  return x;
}
int main() { return inner(app::run(2) + of_c(3) + of_file(3)); }
"""
APP = """\
namespace app {
static int level = 3, exported = 4;
int depth = 5, several = 6;
typedef int Value;
struct Node { int app; };
enum Kind { LOW = 1 };
int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
Node node = {3}; Kind kind = LOW; Value value = 2;
int run(int x) {
  return x + level + depth + exported + several + node.app + kind + value + twice(2) + thrice(3);
}
}
"""
OF_C = """\
static int level = 103, depth = 105, other = 109;
typedef double Value;
struct Node { char c; };
enum { LOW = 100 };
static int twice(int x) { return x - 3; }
static int thrice(int x) { return x - 4; }
static struct Node node = {7};
static Value value = 4.5;
int of_c(int x) {
  return x + level + depth + other + LOW + twice(x) + thrice(x) + node.c + value;
}
"""
OF_FILE = """\
int exported = 204, several = 206;
int of_file(int x) { return x + exported + several; }
"""
NAMES = [
    "level", "depth", "exported", "several", "other", "sizeof(Value)", "sizeof(struct Node)",
    "sizeof(Node)", "(int)LOW", "twice", "thrice", "node", "value", "::level", "::depth",
    "alias::depth", "app::exported",
]  # fmt: skip


def _built(tool: Callable[[str], str], folder: Path, *options: str) -> None:
    sources = {"a.cpp": MAIN, "app.cpp": APP, "c.c": OF_C, "file.cpp": OF_FILE}
    build(folder, sources, [
        [tool("gcc"), "-g", "-O0", "-c", "c.c"],
        [tool("g++"), "-g", "-O0", *options, "-o", "a", "c.o", "a.cpp", "app.cpp", "file.cpp"],
    ])  # fmt: skip


def test_of_a_unit_and_of_a_block(tool: Callable[[str], str], tmp_path: Path) -> None:
    commands = [f"p {name}" for name in NAMES]
    for index, option in enumerate(("-DUNIT", "-DBLOCK")):
        folder = tmp_path / str(index)
        folder.mkdir()
        _built(tool, folder, option)
        files = with_core(tool, folder)
        commands = [*commands, "frame function main", *commands[:2], "p sizeof(struct Node)"]
        ours = answers(None, files, commands)
        assert ours == answers(tool("gdb"), files, commands)
        assert ours[0].endswith("= 3\n") and ours[1].endswith("= 5\n")
        assert ours[2].endswith("= 204\n") and ours[13].endswith("= 103\n")
        assert ours[-2].endswith("= 105\n" if index else "= 5\n")


def test_inside_gdb(debugger: Debugger, tool: Callable[[str], str], tmp_path: Path) -> None:
    _built(tool, tmp_path, "-DUNIT")
    code = COMPARE.format(expressions=NAMES)
    document = json.loads(debugger.python(code, "run", file=tmp_path / "a"))
    assert [item for item in document if item[1] != item[2]] == []
