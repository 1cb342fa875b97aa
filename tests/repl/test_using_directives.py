"""Names that a using-directive makes visible and another unit or a library defines, against the
installed GDB (C++ [namespace.udir]: they are names of all units that declare the namespace)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

LIBRARY = """\
namespace geo {
int (*scale_hook)(int);
int counter = 3;
static int hidden = 9;
int make() { return hidden; }
namespace inner { int deep = 8; }
}
static int double_it(int x) { return 2 * x; }
int lib_entry(int x) { geo::scale_hook = double_it; return double_it(x); }
"""
OTHER = """\
namespace geo { int of_other_unit = 6; }
namespace outer { using namespace geo; int unused; }
"""
PROGRAM = """\
#include <cstdlib>
int lib_entry(int);
namespace geo { int here = 1; namespace inner { int near = 2; } using namespace inner; }
namespace outer { using namespace geo; }
using namespace geo;
static int use(int n) { if (n == 4) abort(); return n; }
int main() { return use(lib_entry(2)); }
"""
COMMANDS = [
    "p counter", "frame function use", "p scale_hook", "p counter", "p hidden", "p make",
    "p double_it", "ptype make", "whatis counter", "p here", "p near", "p deep",
    "p of_other_unit", "p outer::counter", "p outer::of_other_unit",
    "p geo::deep", "p missing", "p geo::missing",
]  # fmt: skip


def test_names(tmp_path: Path, tool: Callable[[str], str]) -> None:
    compiler = [tool("g++"), "-g", "-O0"]
    build(
        tmp_path,
        {"lib.cpp": LIBRARY, "a.cpp": PROGRAM, "b.cpp": OTHER},
        [
            [*compiler, "-fPIC", "-shared", "-o", "libgeo.so", "lib.cpp"],
            [*compiler, "-o", "a", "a.cpp", "b.cpp", f"{tmp_path}/libgeo.so"],
        ],
    )
    files = with_core(tool, tmp_path)
    of_gdb, of_dwarfgpu = answers(tool("gdb"), files, COMMANDS), answers(None, files, COMMANDS)
    assert [text.partition(" Did you mean")[0].split() for text in of_dwarfgpu] == [
        text.split() for text in of_gdb
    ]
    assert "<double_it(int)>" in of_dwarfgpu[2]
