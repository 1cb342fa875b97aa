"""Qualifiers after the name of a type, `(A const *)p`, in C and C++."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

NOTE = "note: no state is given: writable memory has its initial contents\n"
C = """\
typedef struct node { struct node *next; int v; } node;
typedef int num, mat[2][2]; typedef node *link; typedef enum en { X, Y } en;
node first = {0, 7}; node *list = &first; num n = 4; mat m; en e = Y; link q = &first;
int a = 5;
int main(void) { return a + list->v; }
"""
CPLUSPLUS = """\
struct A { int a = 1; };
namespace ns { struct A { int n = 3; }; template<class T> struct Box { T v; };
enum E { one, two }; }
typedef A Named; enum class S : short { x, y };
A a; ns::A na; ns::Box<int> box; Named named; A *p = &a; ns::E e; S s;
int main() { return a.a + na.n + box.v + named.a; }
"""
EXPRESSIONS = {
    "c": [
        "(node const*)list", "*(node const *)list", "(node const)first", "{node const}list",
        "sizeof(node const)", "_Alignof(node const)", "(num const)-4", "(num volatile)a*2",
        "(mat const*)&m", "(link const*)&q", "(node const *const)list", "(node const(*)[1])list",
        "(node const volatile*)list", "(en const)1", "((node const*)list)->v",
        "(node _Atomic*)list",
        "a const", "(a const)", "(a const*)&a", "sizeof(a const)", "{a const}&a", "list const",
    ],
    "cc": [
        "(A const*)&a", "(A const&)a", "(A const&&)a", "(A volatile const *const)&a",
        "(A const*const*)&p", "(ns::A const*)&na", "(ns::Box<int> const&)box", "{ns::A const}&na",
        "(Named const*)&named", "(ns::E const)1", "(S const)1", "sizeof(ns::Box<int> const*)",
        "alignof(A const)", "static_cast<A const&>(a)", "(A (*)(A const&))0",
        "(a const*)&a", "sizeof(a const)",
    ],
}  # fmt: skip


@pytest.mark.parametrize("ending", EXPRESSIONS)
def test_types_with_qualifiers_after_them(
    ending: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Only those after words such as `int` and `struct` were read; after a variable, none are."""
    sources = {f"a.{ending}": C if ending == "c" else CPLUSPLUS}
    compiler = "gcc" if ending == "c" else "g++"
    build(tmp_path, sources, [[tool(compiler), "-g", "-O0", "-w", f"a.{ending}", "-o", "a"]])
    files = [str(tmp_path / "a")]
    commands = [f"output {expression}" for expression in EXPRESSIONS[ending]]
    shown = [text.replace(NOTE, "") for text in answers(None, files, commands)]
    assert shown == answers(tool("gdb"), files, commands)
