"""Variables that several files define, in a core file: the dynamic linker chose one for all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, build_with_library, with_core

HEADER = """\
struct Reg { int n; const char *who; };
inline Reg &registry() { static Reg whole{1, "init"}; whole.n++; return whole; }
template <class T> T &slot() { static T summed = T(5); summed += 1; return summed; }
inline int counter() { static int id = 100; return ++id; }
inline int lane() { static thread_local int mine = 7; return ++mine; }
struct K { static int make() { static int made = 0; return ++made; } };
int work(int n);
"""
LIBRARY = """\
#include <csignal>
#include "h.h"
static int own() { static int id = 50; return ++id; }
int work(int n) {
  Reg &r = registry(); r.who = "library";
  int sum = slot<long>() + counter() + lane() + K::make() + own() + n;
  raise(SIGTRAP);
  return sum + r.n;
}
"""
PROGRAM = """\
#include "h.h"
int main() { registry(); slot<long>(); counter(); counter(); lane(); K::make(); return work(1); }
"""


@pytest.mark.parametrize(
    ("compiler", "options"),
    [("g++", ["-O0"]), ("g++", ["-O0", "-gsplit-dwarf"]), ("clang++-19", ["-O0"])],
    ids=["g++", "split", "clang++"],
)
def test_static_variables_of_inline_functions(
    tool: Callable[[str], str], tmp_path: Path, compiler: str, options: list[str]
) -> None:
    """They have no linkage names; the symbols at their addresses do (STB_GNU_UNIQUE). clang says
    that they are external: no global variable of the name is meant."""
    command = [tool(compiler), "-std=c++17", *options]
    text = (
        LIBRARY if compiler == "g++" else f"{LIBRARY}int id = 1, made = 2, summed = 3, whole = 4;\n"
    )
    (tmp_path / "h.h").write_text(HEADER)
    build_with_library(tmp_path, "cpp", text, PROGRAM, command)
    files = with_core(tool, tmp_path)
    names = [
        "registry()::whole",
        "slot<long>()::summed",
        "counter()::id",
        "K::make()::made",
        "own()::id",
    ]
    commands = ["frame function work", *(f"p {mark}{name}" for name in names for mark in ("", "&"))]
    commands += ["frame function main", *(f"p {name}" for name in names[:-1])]
    ours = answers(None, files, commands)
    if compiler == "g++":
        assert ours == answers(tool("gdb"), files, commands)
    assert "= {n = 3, who = " in ours[1] and '"library"}' in ours[1]
    numbers = [ours[index].rpartition("= ")[2] for index in (3, 5, 7, 9)]
    assert numbers == ["7\n", "103\n", "2\n", "51\n"]
    [mine] = answers(None, files, ["p lane()::mine"])
    assert mine.endswith("= 9\n")


def test_a_copy_of_a_variable_that_the_library_binds_itself(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """-Bsymbolic: the library's code uses its own one, and the program the copy."""
    library = "#include <signal.h>\nint level = 1; void set(int n) { level = n; raise(SIGTRAP); }\n"
    program = "extern int level; void set(int);\nint main(void) { level = 3; set(7); }\n"
    build_with_library(tmp_path, "c", library, program, [tool("gcc"), "-O0"], "-Wl,-Bsymbolic")
    files = with_core(tool, tmp_path)
    ours = answers(None, files, ["frame function set", "p level", "frame function main", "p level"])
    assert ours[1].endswith("= 7\n")  # GDB: 3
    assert ours[3].endswith("= 3\n")


def test_a_common_block_of_fortran(tool: Callable[[str], str], tmp_path: Path) -> None:
    library = """\
subroutine work()
  integer :: ja
  real :: rc
  common /shared/ ja, rc
  ja = ja + 70; rc = 1.25
  call abort()
end subroutine
"""
    program = """\
program host
  integer :: ia
  real :: rb
  common /shared/ ia, rb
  ia = 7; rb = 0.5
  call work()
end program
"""
    build_with_library(tmp_path, "f90", library, program, [tool("gfortran"), "-O0"])
    files = with_core(tool, tmp_path)
    commands = ["frame function work", "p ja", "p rc", "p &rc", "frame function host", "p &rb"]
    ours = answers(None, files, commands)
    assert ours[1].endswith("= 77\n") and ours[2].endswith("= 1.25\n")
    assert ours[3].rpartition("0x")[2].split()[0] == ours[5].rpartition("0x")[2].split()[0]


def test_another_variable_of_the_name_that_a_file_names(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The program has a variable of its own, and no copy."""
    library = "#include <signal.h>\nint level = 1; void set(int n) { level = n; raise(SIGTRAP); }\n"
    program = "int level = 3; void set(int);\nint main(void) { set(7); return level; }\n"
    build_with_library(tmp_path, "c", library, program, [tool("gcc"), "-O0"], "-Wl,-Bsymbolic")
    files = with_core(tool, tmp_path)
    commands = ["frame function main", "p level", "p 'lib.c'::level", "p 'a.c'::level"]
    ours = answers(None, files, commands)
    assert [answer.rpartition("= ")[2] for answer in ours[1:]] == ["3\n", "7\n", "3\n"]


OF_A_FUNCTION = """\
#include <csignal>
extern int count; int leave(int);
struct A { int &f() { static int count = 30; return count; } };
int main() { leave(1); A().f() += 100; raise(SIGTRAP); return A().f() + count; }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_static_variables_of_functions_whose_calls_are_inlined(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """GCC describes the variable in an abstract instance, clang in a function without a name; a
    global variable of the name is another one."""
    command = [tool(compiler), "-O2"]
    library = "int count = 1000; int leave(int n) { return n + count; }\n"
    build_with_library(tmp_path, "cpp", library, OF_A_FUNCTION, command)
    commands = ["frame function main", "print A::f()::count", "print A::f::count", "print count"]
    shown = answers(None, with_core(tool, tmp_path), commands)
    values = [text.partition("=")[2].strip() for text in shown[1:]]
    assert values == ["130", "130", "1000"]


OF_INSTANCES = """\
#include <csignal>
int only(), leave(int);
template <class T> int next(T n) { static int count = 7; return count += n; }
int main() {
  int sum = next<int>(1) + next<long>(2) + only() + leave(1);
  raise(SIGTRAP); return sum;
}
"""
OF_ONE = """\
template <class T> int last(T n) { static int mine = 40; return mine += n; }
int only() { return last<int>(1); }
"""


def test_static_variables_of_the_instances_of_a_template(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Clang describes them in functions without names, and says that they are external; a global
    variable of the name is meant in all files."""
    library = "int count = 1000, mine = 2000; int leave(int n) { return n + count + mine; }\n"
    command = [tool("clang++-19"), "-O1", "-g"]
    build(tmp_path, {"lib.cpp": library, "1.cpp": OF_ONE, "2.cpp": OF_INSTANCES}, [
        [*command, "-fPIC", "-shared", "-o", "libown.so", "lib.cpp"],
        [*command, "-o", "a", "1.cpp", "2.cpp", f"{tmp_path}/libown.so"],
    ])  # fmt: skip
    files = with_core(tool, tmp_path)
    commands = ["frame function main", "p count", "p ::count", "p mine", "p ::mine"]
    ours = answers(None, files, commands)[1:]
    assert [text.rpartition("= ")[2].strip() for text in ours] == ["1000", "1000", "2000", "2000"]
    [ours] = answers(None, files, ["p '2.cpp'::count"])
    assert "the instances of the function around it, at 2.cpp:3, have one each" in ours


def test_a_static_variable_of_another_file_is_not_meant(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The variable of an inlined function of the unit has the name, and no note says otherwise."""
    program = """\
#include <csignal>
int peek();
inline int shared() { static int once = 3; return ++once; }
int main(int count, char **) { int n = count + shared(); raise(SIGTRAP); return n + peek(); }
"""
    library = "static int once = 44; int peek() { return ++once; }\n"
    build_with_library(tmp_path, "cpp", library, program, [tool("clang++-19"), "-O2"])
    own = answers(None, with_core(tool, tmp_path), ["frame function main", "print once"])[1]
    assert "= 4\n" in own and "note: once" not in own
