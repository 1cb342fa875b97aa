"""Names that a using-directive makes visible and another unit or a library defines, against the
installed GDB (C++ [namespace.udir]: they are names of all units that declare the namespace)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.test_indirect_functions import answers

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
    gdb, compiler = tool("gdb"), tool("g++")
    for name, text in (("lib.cpp", LIBRARY), ("a.cpp", PROGRAM), ("b.cpp", OTHER)):
        (tmp_path / name).write_text(text)
    for words in (
        ["-fPIC", "-shared", "-o", "libgeo.so", "lib.cpp"],
        ["-o", "a", "a.cpp", "b.cpp", f"{tmp_path}/libgeo.so"],
    ):
        subprocess.run([compiler, "-g", "-O0", *words], cwd=tmp_path, check=True, timeout=60)
    made = [gdb, "-nx", "-q", "-batch", "-ex", "run", "-ex", f"gcore {tmp_path}/core", "a"]
    subprocess.run(made, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    if not (tmp_path / "core").exists():
        pytest.skip("GDB writes no core file here")
    files = [str(tmp_path / "a"), str(tmp_path / "core")]
    of_gdb, of_dwarfgpu = answers(gdb, files, COMMANDS), answers(None, files, COMMANDS)
    assert [text.partition(" Did you mean")[0].split() for text in of_dwarfgpu] == [
        text.split() for text in of_gdb
    ]
    assert "<double_it(int)>" in of_dwarfgpu[2]
