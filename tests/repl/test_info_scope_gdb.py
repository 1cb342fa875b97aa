"""`info scope` where a function has several frame bases, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#define CLOBBER __asm__ volatile("" ::: "rbx", "rbp", "r12", "r13", "r14", "r15")
extern int other(int, int, long *);
__attribute__((noinline)) int work(int n, int l, int k) {
  long room[8]; int sum = 0;
  __asm__ volatile("" : "+m"(n), "+m"(l));
  CLOBBER;
  for (int i = 0; i < n; i++) sum += other(i, n, room) * l + k + other(k, l, room);
  return sum + n * l + room[2];
}
__attribute__((noinline)) int other(int a, int b, long *p) { CLOBBER; p[a & 7] = b; return a ^ b; }
int main(int c, char **v) { return work(c, c + 1, c + 2); }
"""


def test_a_range_has_the_frame_base_of_its_beginning(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GCC describes the frame base of DWARF 2 by a list: it follows the stack pointer."""
    command = [tool("gcc"), "-gdwarf-2", "-gstrict-dwarf", "-O1", "a.c", "-o", "a"]
    build(tmp_path, {"a.c": SOURCE}, [command])
    by_gdb, by_us = (
        answers(gdb, [str(tmp_path / "a")], ["info scope work"]) for gdb in (tool("gdb"), None)
    )
    assert by_us == by_gdb
    assert "a variable at frame base reg" in by_us[0]


def test_a_line_before_the_first_one(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The first function of the file is not in its scope."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O1", "a.c", "-o", "a"]])
    lines = ("0", "a.c:0", "-line 0", "-source a.c -line 0", "-500", "a.c:1", "1")
    commands = ["list main", *(f"info scope {line}" for line in lines)]
    ours = answers(None, [str(tmp_path / "a")], commands)
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert ours[1].endswith("No line 0 in the current file.\n")
    assert ours[2].endswith('No line 0 in file "a.c".\n')


@pytest.mark.parametrize(
    ("compiler", "options"), [("gcc", []), ("g++", []), ("g++", ["-fdebug-types-section"])]
)
def test_a_class_that_is_only_declared_is_no_symbol(
    compiler: str, options: list[str], tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """But an enumeration is, and a class whose entry is in a type unit."""
    source = """int f(int k) {
  struct declared *a = 0; union also_declared *b = 0; struct defined { int x; } c = {k};
  typedef struct behind named; named *d = 0; enum listed { ONE = 1 } e = ONE;
  struct forward; struct forward *g = 0;
  { struct inner *h = 0; struct inside { int y; } i = {1}; k += i.y + (h != 0); }
  return k + (a != 0) + (b != 0) + c.x + (d != 0) + e + (g != 0);
}
int main(void) { return f(1); }
"""
    command = [tool(compiler), "-g", "-O0", *options, "-x"]
    command += ["c" if compiler == "gcc" else "c++", "a.c", "-o", "a"]
    build(tmp_path, {"a.c": source}, [command])
    ours = answers(None, [str(tmp_path / "a")], ["info scope f"])
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], ["info scope f"])
    assert "Symbol defined is a typedef." in ours[0] and "forward" not in ours[0]


INLINED = """\
volatile int sink;
__attribute__((noinline)) void stop(int v) { sink = v; __asm__ volatile(""); }
static inline __attribute__((always_inline)) int f(int n) {
  enum { en1 = 81, en2 };
  typedef char ty;
  struct st { char b[3]; };
  struct loc { short z; };
  struct st q;
  stop(n);
  struct loc w;
  stop(3);
  return n + sizeof q + sizeof w + sizeof(ty) + en1 + en2;
}
int main(int c, char **v) { return f(c); }
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_an_inlined_function_has_its_types(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """They are in the abstract instance alone, in the order of the file with variables that only
    that has. GDB 13 has the variables of gcc's block for a second time at the end."""
    build(tmp_path, {"a.c": INLINED}, [[tool(compiler), "-g", "-O2", "a.c", "-o", "a"]])
    files = [str(tmp_path / "a")]
    ours, by_gdb = (answers(gdb, files, ["info scope f"]) for gdb in (None, tool("gdb")))
    assert by_gdb[0].startswith(ours[0])
    assert "Symbol loc is a typedef.\n" in ours[0]
    assert ("Symbol en1 is a constant with value 81" in ours[0]) == (compiler == "gcc")


SAME_NAMES = {
    "m.c": "int fa(int), fb(int);\nint main(void) { return fa(1) + fb(2); }\n",
    "a.c": "static int st(int q)\n{\n  int only_a = q;\n  return only_a;\n}\n"
    "int fa(int v) { return st(v); }\n",
    "b.c": "static int st(int q)\n{\n  int only_b = q;\n  if (q == 2)\n    __builtin_trap();\n"
    "  return only_b;\n}\nint fb(int v) { return st(v); }\n",
}


def test_the_static_function_of_the_frame_is_meant(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """As where an expression has the name. In another file, the first is described, with a note."""
    build(tmp_path, SAME_NAMES, [[tool("gcc"), "-g", "-O0", "m.c", "a.c", "b.c", "-o", "a"]])
    arguments = with_core(tool, tmp_path)
    commands = ["p &st", "info scope st", "up", "info scope st"]
    ours = answers(None, arguments, commands)
    assert ours == answers(tool("gdb"), arguments, commands)
    assert "only_b" in ours[1] and "note" not in ours[1]
    (noted,) = answers(None, arguments[:1], ["info scope st"])
    assert "note: st has code at 2 places" in noted and "only_a" in noted
