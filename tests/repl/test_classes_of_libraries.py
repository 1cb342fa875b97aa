"""Classes that the program declares and a library defines, against the installed GDB.

gcc describes a class with virtual functions only beside the first of these (its key function).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, build_with_library, with_core

HEADER = """\
namespace geo {
struct Shape {
  virtual ~Shape();
  int sides = 4;
};
struct Square : Shape {
  virtual int area() const;
  int side = 5;
};
}
"""
LIBRARY = """\
#include "shapes.h"
namespace geo {
Shape::~Shape() {}
int Square::area() const { return side * side; }
}
"""
PROGRAM = """\
#include "shapes.h"
#include <cstdlib>
struct Pair { geo::Square first, second; };
static int use(const geo::Square &square, Pair *pair) {
  geo::Square own = square;
  if (pair->second.side == 5) abort();
  return own.side;
}
int main() {
  Pair pair;
  pair.first.side = 7;
  return use(pair.first, &pair);
}
"""
COMMANDS = [
    "frame function use", "info args", "info locals", "p own", "p own.side + own.sides",
    "p sizeof(own)", "p *pair", "p pair->first", "ptype own", "whatis square",
    "info scope use", "p/x own.side", "p -pretty -- *pair", "bt -frame-arguments all -2",
]  # fmt: skip


def test_objects(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Objects, references, members and base classes of such a class have its members and size."""
    compiler = [tool("g++"), "-g", "-O0"]
    build(
        tmp_path,
        {"shapes.h": HEADER, "lib.cpp": LIBRARY, "a.cpp": PROGRAM},
        [
            [*compiler, "-fPIC", "-shared", "-o", "libshapes.so", "lib.cpp"],
            [*compiler, "-o", "a", "a.cpp", f"{tmp_path}/libshapes.so"],
        ],
    )
    files = with_core(tool, tmp_path)
    of_gdb, of_dwarfgpu = answers(tool("gdb"), files, COMMANDS), answers(None, files, COMMANDS)
    assert [text.split() for text in of_dwarfgpu] == [text.split() for text in of_gdb]
    assert "sides = 4" in of_dwarfgpu[3]


def test_the_depth_at_which_base_classes_are_left_out(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Also one that a pretty-printer shows as a text, which has no depth as a member."""
    source = """\
#include <string>
#include <cstdlib>
struct Named : std::string { std::string other = "o"; int n = 2; } named;
int main() { named.append("text"); if (named.n) abort(); }
"""
    build(tmp_path, {"a.cpp": source}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    files = with_core(tool, tmp_path)
    commands = [f"p -max-depth {depth} -- named" for depth in (0, 1, 2)]
    ours = answers(None, files, commands)
    assert '> = {...}, other = "o", n = 2}' in ours[1] and '> = "text", ' in ours[2]
    theirs = answers(tool("gdb"), files, commands)
    if '"o"' in theirs[2]:  # with the pretty-printers of libstdc++
        assert ours == theirs


def test_the_size_of_an_opaque_type(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A typedef leads to the structure that only the library defines."""
    (tmp_path / "lib.h").write_text("typedef struct lib lib_t;\nlib_t *opened(void);\n")
    library = "struct lib { int a[8]; } one;\nlib_t *opened(void) { return &one; }\n"
    program = "#include <stdlib.h>\nlib_t *own;\nint main(void) { own = opened(); abort(); }\n"
    library, program = (f'#include "lib.h"\n{source}' for source in (library, program))
    build_with_library(tmp_path, "c", library, program, [tool("gcc"), "-O0"])
    files = with_core(tool, tmp_path)
    commands = ["p sizeof(lib_t)", "p sizeof(lib_t[2])", "p sizeof(*own)"]
    of_gdb, of_dwarfgpu = answers(tool("gdb"), files, commands), answers(None, files, commands)
    assert of_dwarfgpu == of_gdb
    assert "$1 = 32" in of_dwarfgpu[0]
