"""Names that a using-directive makes visible and another unit or a library defines, against the
installed GDB (C++ [namespace.udir]: they are names of all units that declare the namespace)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

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


INLINED = """\
namespace first { int n = 7; struct pair { int a, b; } both; namespace inner { int near = 9; } }
namespace second { int n = 8; }
static inline __attribute__((always_inline)) void f(int k) {
  using namespace first;
  { using namespace first::inner; volatile int q = n + near + k; *(volatile int *)0 = q; }
}
int main(int c, char **) { f(c); return 0; }
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_directives_of_an_inlined_function(
    tmp_path: Path, tool: Callable[[str], str], level: str
) -> None:
    """Only the abstract instance of a function has them, and not the inlined ones."""
    build(tmp_path, {"a.cpp": INLINED}, [[tool("g++"), "-g", level, "-o", "a", "a.cpp"]])
    files = with_core(tool, tmp_path)
    commands = ["p n", "p near", "p sizeof(pair)"]
    of_gdb, of_dwarfgpu = answers(tool("gdb"), files, commands), answers(None, files, commands)
    assert [text.partition(" Did you mean")[0].split() for text in of_dwarfgpu] == [
        text.split() for text in of_gdb
    ]
    assert [text.split()[-1] for text in of_dwarfgpu] == ["7", "9", "8"]


MODULES = """\
module m
  real :: pi = 2.5
  integer :: counter = 3
contains
  subroutine stop_here(n)
    integer, pointer :: n
    n = counter
  end subroutine
end module
program prog
  use m
  integer, pointer :: k
  k => null()
  call stop_here(k)
end program
"""


def test_modules_of_an_inlined_program(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """gfortran -O2 inlines the program unit into `main`; libm has static variables `pi`."""
    compiler = [tool("gfortran"), "-g", "-O2", "-fno-backtrace"]
    build(tmp_path, {"a.f90": MODULES}, [[*compiler, "-o", "a", "a.f90"]])
    files = with_core(tool, tmp_path)
    commands = ["up", "p pi", "p counter"]
    of_gdb, of_dwarfgpu = answers(tool("gdb"), files, commands), answers(None, files, commands)
    assert of_dwarfgpu == of_gdb
    assert [text.split()[-1] for text in of_dwarfgpu[1:]] == ["2.5", "3"]
