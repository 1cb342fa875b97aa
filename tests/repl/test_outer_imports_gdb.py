"""Names that a function around a lambda or a nested function imports, beside GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

CPLUSPLUS = """\
int both = 100;
namespace N { int nvar = 5; int both = 1; namespace M { int mvar = 6; } }
namespace K { int kv = 8; struct T { int q = 3; }; }
int main() {
  using namespace N; using K::kv; using K::T; namespace Z = N::M; int loc = 3;
  auto lambda = [&](int z) { if (z) __builtin_trap(); return z + nvar + kv + Z::mvar + loc; };
  return lambda(sizeof(T));
}
"""
FORTRAN = """\
module fm
  integer :: modv = 12
  real, allocatable :: grid(:,:)
end module
module inner_module
  integer :: twice = 2, own = 22
end module
module outer_module
  integer :: twice = 1, hosts = 11
end module
program host
  use fm
  use outer_module, only: twice, hosts
  implicit none
  integer :: k
  k = 3
  allocate(grid(2, 2)); grid = 2.5
  call inner(k + twice - hosts + 10)
contains
  subroutine inner(n)
    use inner_module
    integer n
    k = n + modv + twice + own
    call abort()
  end subroutine
end program
"""


def test_a_lambda(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.cpp": CPLUSPLUS}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    files = with_core(tool, tmp_path)
    names = ["nvar", "kv", "::both", "Z::mvar", "M::mvar", "N::nvar", "sizeof(T)", "z"]
    commands = [f"p {name}" for name in names]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert ours[0].endswith("= 5\n") and ours[1].endswith("= 8\n")
    assert ours[2].endswith("= 100\n")
    [alone] = answers(None, files, ["p ::nvar"])
    assert 'No symbol "nvar" in current context.' in alone


def test_a_nested_procedure(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.f90": FORTRAN}, [[tool("gfortran"), "-g", "-O0", "-o", "a", "a.f90"]])
    files = with_core(tool, tmp_path)
    names = ["modv", "grid(1,1)", "n", "hosts", "twice", "own"]
    commands = ["frame function inner", *(f"p {name}" for name in names), "up", "p modv", "p twice"]
    shown = answers(None, files, commands)
    ours = [answer.partition("= ")[2].partition("\n")[0] for answer in shown]
    assert ours[1:7] == ["12", "2.5", "3", "11", "2", "22"]  # GDB 13: 1 for the second of the name
    assert ours[8:] == ["12", "1"]


INLINED = """\
namespace N { int nvar = 12; namespace M { int mvar = 13; } }
int nvar = 2;
volatile int sink;
__attribute__((noinline)) int opaque(int n) { asm volatile(""); return n + 1; }
__attribute__((noinline)) void stop(int n) {
  sink = n;
  if (n == WHERE) __builtin_trap();
  asm volatile("");
}
static inline __attribute__((always_inline)) int f(int n) {
  stop(1);
  {
    using N::nvar;
    using namespace N::M;
    int y = opaque(n + 1);
    stop(2);
    sink = y + nvar + mvar;
  }
  stop(3);
  return n;
}
int main(int argc, char **) { return f(argc) + f(argc + 3); }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
@pytest.mark.parametrize(("where", "value"), [(1, 2), (2, 12), (3, 2)])
def test_a_block_of_an_inlined_function(
    where: int, value: int, compiler: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Only the abstract instance has what it imports. clang does not say by DW_AT_abstract_origin
    that it is that of the block: the variables of both do. The values are those of the program."""
    make = [tool(compiler), f"-DWHERE={where}", "-g", "-O2", "-o", "a", "a.cpp"]
    build(tmp_path, {"a.cpp": INLINED}, [make])
    own = answers(None, with_core(tool, tmp_path), ["up", "print nvar", "print mvar"])
    assert " in f (" in own[0] and own[1].endswith(f"= {value}\n")
    if where == 2:
        assert own[2].endswith("= 13\n")
    else:
        assert 'No symbol "mvar" in current context.' in own[2]
