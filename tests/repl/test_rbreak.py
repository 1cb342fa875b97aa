"""`rbreak` sets breakpoints at the functions that it lists, and looks up none of their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from tests.cli.command import FIXTURES
from tests.repl.repl_shell import opened, output_of, program_shell
from tests.repl.side_by_side import answers, build
from tests.work import calls_of
from tools.bombs.entries import methods

LIBSTDCXX = "core/containers.x86_64.libstdcxx"
SOURCE = """\
int g(int a) { return a; }
int g(char a) { return a; }
namespace n {
int g(int a) { return a; }
template <class T> struct Box { T t; int g(int a) { return t + a; } operator T() { return t; } };
}
static int twin(int a) { return a; }
extern "C" int h(int a) { return a; }
struct S { int h(int a) { return a; } int main() { return 2; } };
int more(int);
int main(int argc, char **) {
  n::Box<int> box{argc};
  S s;
  return g(argc) + g('c') + n::g(2) + box.g(2) + box + h(2) + s.h(3) + s.main() + twin(3) + more(3);
}
"""
MORE = """\
static int twin(int a) { return a + 2; }
int more(int a) { return twin(a); }
"""


def test_the_work_is_that_of_the_list(tmp_path: Path) -> None:
    """A name took 2,900 calls to look up among 200 functions, and 5,900 among 3,200."""
    path = tmp_path / "methods"
    path.write_bytes(methods(400)["bomb"])
    shell = program_shell(CodeObject.open(path))
    assert calls_of(lambda: shell.execute("rbreak ^ns::")) < 400 * 1_800
    assert len(shell.breakpoints) == 400


def test_long_names_take_no_more_work() -> None:
    """80,000 calls each when they were looked up."""
    shell = program_shell(CodeObject.open(FIXTURES / LIBSTDCXX))
    output_of(shell, "info functions ^std::_V")
    assert calls_of(lambda: shell.execute("rbreak ^std::_V")) < 66 * 16_000
    assert len(shell.breakpoints) == 66


def test_every_function_of_a_program_with_templates() -> None:
    """GCC leaves default arguments out of the names of entries: what is printed has them."""
    shell = program_shell(opened(LIBSTDCXX))
    lines = output_of(shell, "rbreak ^std::_Destroy").splitlines()
    numbers = [line.split()[1] for line in lines if line.startswith("Breakpoint ")]
    assert numbers == [str(number) for number in range(1, len(lines) // 2 + 1)]
    assert all(line.startswith("void std::_Destroy") for line in lines[1::2])
    assert any("std::allocator<std::vector<int, std::allocator<int> > >" in line for line in lines)


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_a_function_has_one_breakpoint(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """GDB has a second one at `n::g(int)`, for `g(int)`."""
    command = [tool(compiler), "-g", "-o", "a", "a.cc", "b.cc"]
    build(tmp_path, {"a.cc": SOURCE, "b.cc": MORE}, [command])
    files = [str(tmp_path / "a")]
    [own] = answers(None, files, [r"rbreak ^\(.*::\)\?\(g\|h\|main\|twin\|operator.*\)("])
    named = [line for line in own.splitlines() if line.endswith(";")]
    assert sorted(named) == [
        "int S::h(int);", "int S::main();", "int g(char);", "int g(int);", "int h(int);",
        "int main(int, char**);", "int n::Box<int>::g(int);", "int n::Box<int>::operator int();",
        "int n::g(int);", "static int twin(int);", "static int twin(int);",
    ]  # fmt: skip
    assert own.count("Breakpoint ") == len(named) and "locations" not in own
    commands = [r"rbreak ^twin", r"rbreak b.cc:twin", r"rbreak ^n::Box<int>::", "rbreak ^_[is]"]
    own_answers, of_gdb = (answers(gdb, files, commands) for gdb in (None, tool("gdb")))
    assert own_answers == of_gdb
