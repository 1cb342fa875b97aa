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


LOCAL = """\
int en = 15, kept = 6;
volatile int sink;
__attribute__((noinline)) void stop(int n) {
  sink = n;
  if (n == WHERE) __builtin_trap();
  asm volatile("");
}
static inline __attribute__((always_inline)) int f(int n) {
  enum { en = 77 };
  static int kept = 60;
  stop(1);
  kept += n + en;
  auto lambda = [n](int q) __attribute__((always_inline)) { stop(2); return q + en + kept; };
  int sum = lambda(3);
  stop(3);
  return sum;
}
int main(int argc, char **) { return f(argc); }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
@pytest.mark.parametrize(("where", "kept"), [(1, 60), (2, 138), (3, 138)])
def test_what_an_inlined_function_declares(
    where: int, kept: int, compiler: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """It hides what is outside. clang puts it into a function without a name, and so says only by
    the lines of declarations where it is; the values are those of the program."""
    make = [tool(compiler), f"-DWHERE={where}", "-g", "-O2", "-o", "a", "a.cpp"]
    build(tmp_path, {"a.cpp": LOCAL}, [make])
    commands = ["up", "print en", "print en + 1", "print kept"]
    own = answers(None, with_core(tool, tmp_path), commands)
    assert own[1].splitlines()[1:2] == ["$1 = en"]
    assert own[2].splitlines()[1:2] == ["$2 = 78"]
    assert own[3].splitlines()[1:2] == [f"$3 = {kept}"]
    note = "note: en is the enumerator declared in f at line 9, if the code here is in its block"
    assert (note in own[1]) == (compiler != "g++")


INSTANCES = """\
int kind = 15;
volatile int sink;
__attribute__((noinline)) void stop(int n) {
  sink = n;
  if (n == 2) __builtin_trap();
  asm volatile("");
}
template <int N> static inline __attribute__((always_inline)) int f(int n) {
  enum { kind = N * 2 };
  stop(N);
  return n + kind;
}
int main(int argc, char **) { return f<1>(argc) + f<2>(argc); }
"""


def test_enumerators_of_instances_of_a_template(tool: Callable[[str], str], tmp_path: Path) -> None:
    """clang does not say which of the functions without a name is that of which instance."""
    make = [tool("clang++-19"), "-g", "-O2", "-o", "a", "a.cpp"]
    build(tmp_path, {"a.cpp": INSTANCES}, [make])
    own = answers(None, with_core(tool, tmp_path), ["up", "print kind", "up", "print kind"])
    assert own[1].endswith(
        '"kind" is ambiguous: enumerators with different values are declared at a.cpp:9\n'
    )
    assert own[3].endswith("$1 = 15\n")
