"""The types that operators of classes give, which are functions of the program, against GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <stdlib.h>
namespace ns {
struct P {
  int x;
  P operator-() const { return {-x}; }
  bool operator!() const { return !x; }
  P &operator++() { x++; return *this; }
  P operator++(int) { P p = *this; x++; return p; }
};
P operator+(P a, P b) { return {a.x + b.x}; }
int operator+(P a, long b) { return a.x + b; }
bool operator==(P a, P b) { return a.x == b.x; }
long operator*(const P &a, int n) { return a.x * n; }
}
struct Small { int d[3]; int &operator[](int i) { return d[i]; } };
struct Inherits : Small { int more; };
struct Two {
  int d[3];
  int &operator[](int i) { return d[i]; }
  char *operator[](const char *) { return 0; }
  double operator+(int) { return 0; }
  float operator+(unsigned) { return 0; }
};
template <class T> struct Ring {
  T data[3];
  T &operator[](int i) { return data[i]; }
  const T &operator[](int i) const { return data[i]; }
};
struct It {
  ns::P *p;
  ns::P &operator*() const { return *p; }
  ns::P *operator->() const { return p; }
};
int main(int argc, char **)
{
  ns::P p{1}, q{2};
  Small small{};
  const Small *constant = &small;
  Inherits inherits{};
  Two two{};
  Ring<long> ring{};
  const Ring<long> constant_ring{};
  It it{&p};
  -p; !p; ++p; p++; p + q; p + 1l; p == q; p * 2; two + 1; two + 1u;
  small[1] = inherits[1] = two[1] = 1; two["a"]; ring[1] = constant_ring[1]; (*it).x = it->x;
  if (argc) abort();
}
"""
ASKED = (
    "small[1]", "&small[1]", "small[1] + 1.5f", "inherits[1]", "(*constant)[1]", "two[1]",
    'two["a"]', "ring[1]", "constant_ring[1]", "-p", "!p", "p++", "p + q", "p + 1", "p == q",
    "p * 2", "(p + q).x", "*it", "&*it", "it->x", "small[1][2]", "two + 1", "two + 1u",
)  # fmt: skip


def test_the_type_of_the_result(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """As of other functions: the operator was refused where only its type was wanted."""
    build(tmp_path, {"a.cc": SOURCE}, [[tool("g++"), "-g", "-O0", "-w", "-o", "a", "a.cc"]])
    files = with_core(tool, tmp_path)
    commands = ["frame function main", *(f"whatis {text}" for text in ASKED), "ptype p + q"]
    commands += ["print sizeof(small[1])", "print sizeof(p + q)"]
    of_gdb, own = answers(tool("gdb"), files, commands), answers(None, files, commands)
    reads = 1 + ASKED.index("small[1] + 1.5f")  # at address 0 in GDB
    assert own[reads].endswith("type = float\n")
    assert own[:reads] + own[reads + 1 :] == of_gdb[:reads] + of_gdb[reads + 1 :]


def test_what_is_not_known(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Two overloads with several types of results fit after a conversion."""
    build(tmp_path, {"a.cc": SOURCE}, [[tool("g++"), "-g", "-O0", "-w", "-o", "a", "a.cc"]])
    files = with_core(tool, tmp_path)
    refused = "functions of the program cannot be called"
    commands = ["frame function main", "whatis two + 1l", "print small[1]", "print sizeof(*it)"]
    shown = answers(None, files, commands)
    assert refused in shown[1] and refused in shown[2]
    assert shown[3].endswith(" = 4\n")
