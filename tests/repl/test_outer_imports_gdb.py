"""Names that a function around a lambda or a nested function imports, beside GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

CPLUSPLUS = """\
namespace N { int nvar = 5; namespace M { int mvar = 6; } }
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
program host
  use fm
  implicit none
  integer :: k
  k = 3
  allocate(grid(2, 2)); grid = 2.5
  call inner(k)
contains
  subroutine inner(n)
    integer n
    k = n + modv
    call abort()
  end subroutine
end program
"""


def test_a_lambda(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.cpp": CPLUSPLUS}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    files = with_core(tool, tmp_path)
    names = ["nvar", "kv", "Z::mvar", "M::mvar", "N::nvar", "sizeof(T)", "sizeof(K::T)", "z"]
    commands = [f"p {name}" for name in names]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert ours[0].endswith("= 5\n") and ours[1].endswith("= 8\n")


def test_a_nested_procedure(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.f90": FORTRAN}, [[tool("gfortran"), "-g", "-O0", "-o", "a", "a.f90"]])
    files = with_core(tool, tmp_path)
    commands = ["frame function inner", "p modv", "p grid(1,1)", "p n", "up", "p modv"]
    ours = answers(None, files, commands)
    assert ours[1].endswith("= 12\n") and ours[2].endswith("= 2.5\n")
    assert ours[3].endswith("= 3\n") or ours[3].endswith("= 15\n")
    assert ours[5].endswith("= 12\n")
