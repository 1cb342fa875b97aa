"""Nested functions of GNU C by their names, as GDB finds one in its own frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, last_lines, with_core

SOURCE = """\
#include <stdlib.h>
int hidden(int z) { return z; }
int outer(int a) {
  int sibling(int z) { return z * a; }
  int inner(int k) {
    int hidden(int z) { return z + k; }
    if (k > 3) abort();
    return sibling(k) + hidden(k) + inner(k + 1);
  }
  extern int declared(int);
  return inner(a) + declared(a);
}
int declared(int z) { return z + hidden(z); }
int main(void) { return outer(2); }
"""
LIKE_GDB = [
    "p inner", "p &inner", "whatis inner", "ptype inner", "p *inner", "info address inner",
    "output inner == $pc", "p k",
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("nested")
    build(folder, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "a.c", "-o", "a"]])
    return with_core(tool, folder)


def test_a_nested_function_in_its_own_frame(files: list[str], tool: Callable[[str], str]) -> None:
    (frames,) = answers(None, files, ["bt"])
    inner = next(line.split()[0][1:] for line in frames.splitlines() if " in inner (" in line)
    commands = [f"frame {inner}", *LIKE_GDB]
    assert answers(None, files, commands)[1:] == answers(tool("gdb"), files, commands)[1:]


@pytest.mark.parametrize(
    ("function", "expression", "shown"),
    [
        ("inner", "whatis sibling", "type = int (int)"),
        ("inner", "output hidden == outer::inner::hidden", "1"),
        ("inner", "output hidden == ::hidden", "0"),
        ("outer", "output hidden == ::hidden", "1"),
        ("outer", "whatis inner", "type = int (int)"),
        ("outer", "output declared == ::declared", "1"),
        ("main", "whatis outer::sibling", "type = int (int)"),
        ("main", "p inner", 'No symbol "inner" in current context.'),
        ("inner", "complete p sibl", "p sibling"),
        ("inner", "complete p inner", "p inner"),
    ],
)
def test_what_the_text_sees(files: list[str], function: str, expression: str, shown: str) -> None:
    """The scopes of C decide (C 2018 6.2.1; the manual of GCC, "Nested Functions")."""
    assert last_lines(files, [f"frame function {function}", expression])[1] == shown


INLINED = """\
#include <stdlib.h>
int glob;
int outer(int a) {
  __attribute__((noinline)) int sibling(int z) { return z * a + glob; }
  int hinted(int z) { return z + a; }
  __attribute__((noinline)) int inner(int k) {
    int hidden(int z) { return z + k; }
    if (k > 3) abort();
    return sibling(k) + hidden(k) + hinted(k) + inner(k + 1);
  }
  return inner(a) + sibling(a);
}
int main(void) { return outer(2); }
"""


def test_functions_without_code_are_not_offered(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.c": INLINED}, [[tool("gcc"), "-g", "-O2", "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    (frames,) = answers(None, files, ["bt"])
    inner = next(line.split()[0][1:] for line in frames.splitlines() if " in inner (" in line)
    for name, has_code in {
        "hidden": False,
        "hinted": False,
        "sibling": True,
        "inner": True,
    }.items():
        commands = [f"frame {inner}", f"complete p {name}", f"p {name}"]
        for gdb in (None, tool("gdb")):
            _, offered, printed = answers(gdb, files, commands)
            assert (f"p {name}" in offered.splitlines()[1:]) == has_code
            assert ("No symbol" not in printed) == has_code
