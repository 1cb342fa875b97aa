"""`&*p` is the pointer itself, with the type that was declared, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """
typedef struct { int x, y; } pair;
typedef const volatile pair *pointer;
pair pairs[2] = {{1, 2}, {3, 4}};
pointer second = &pairs[1];
void *any = &pairs[1];
int *null = 0;
const char *const words[] = {"one", "two"};
int twice(int n) { return 2 * n; }
int (*functions[2])(int) = {twice, twice};
int main(void) { return *null + twice(second->x) + (any != 0) + words[0][0]; }
"""
NAMES = [
    "second", "(second)", "*&second", "(second + 1)", "any", "null", "pairs", "words", "words[0]",
    "functions", "functions[0]", "twice", "&twice", "&*second", "(pointer)0", "(int *)8",
]  # fmt: skip
OTHERS = [
    "whatis &second[0]", "whatis &pairs[1]", "whatis &*&pairs", "print (&*second)->y",
    "print *&*second", "print sizeof(*&*second)", "whatis &(*second).y", "output &*any",
]  # fmt: skip


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_the_address_of_a_target_is_the_pointer(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    name = "a.c" if compiler == "gcc" else "a.cc"
    build(tmp_path, {name: SOURCE}, [[tool(compiler), "-g", "-o", "a", name]])
    files = with_core(tool, tmp_path)
    commands = [f"{word} &*{text}" for text in NAMES for word in ("whatis", "print")] + OTHERS
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


VALUES = """
struct base { int first; int of(int n) { return n; } };
enum kind { one, two };
bool is_set = true;
kind which = two;
float half = 0.5f;
int base::*member = &base::first;
int (base::*method)(int) = &base::of;
int main() { base b = {1}; return *(int *)(is_set - 1) + b.*member + (b.*method)(which) + half; }
"""


def test_the_address_of_the_target_of_any_scalar_is_its_value(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(tmp_path, {"a.cc": VALUES}, [[tool("g++"), "-g", "-o", "a", "a.cc"]])
    files = with_core(tool, tmp_path)
    names = [
        "is_set", "which", "half", "member", "method", "true", "two", "1.5", "&base::first",
        "(kind)1", "(half + 1)", "&*is_set",
    ]  # fmt: skip
    commands = [f"{word} &*{text}" for text in names for word in ("whatis", "print")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
