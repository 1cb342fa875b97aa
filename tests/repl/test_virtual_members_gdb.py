"""Pointers to virtual functions whose parameters are instances of templates, beside GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
template <class X, int N = 2> struct T { X x; };
struct P {
  virtual int e(const T<int> &) = 0; virtual int f(T<char, 3> *) = 0;
  virtual int g(int, const T<T<int>>) = 0; virtual int h(T<int> &) const = 0;
  virtual int i(const char *) = 0; virtual int j(T<int> const *const *) = 0;
};
struct D : P {
  int e(const T<int> &t) override { return t.x; } int f(T<char, 3> *) override { return 1; }
  int g(int, const T<T<int>>) override { return 1; } int h(T<int> &) const override { return 1; }
  int i(const char *) override { return 2; } int j(T<int> const *const *) override { return 3; }
};
int main() { D d; P *p = &d; T<int> t{1}; return p->e(t); }
"""


@pytest.fixture(scope="module")
def program(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("virtual")
    build(folder, {"a.cpp": SOURCE}, [[tool("g++"), "-g", "-O0", "-o", "a", "a.cpp"]])
    return str(folder / "a")


def test_types_of_pointers_to_members(tool: Callable[[str], str], program: str) -> None:
    commands = [f"whatis &{owner}::{name}" for owner in "PD" for name in "efghij"]
    assert answers(None, [program], commands) == answers(tool("gdb"), [program], commands)


def test_each_is_its_own_slot(program: str) -> None:
    """GDB 13 shows the first function of the class for each of them."""
    first, second = answers(None, [program], ["p &P::e", "p &P::j"])
    assert first.endswith("= &virtual P::e(const T<int, 2> &)\n")
    assert second.endswith("= &virtual P::j(const T<int, 2> * const *)\n")
