"""Vectors of characters, whose elements are numbers as those of others, against the installed
GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = """\
#include <stdint.h>
typedef char plain __attribute__((vector_size(16)));
typedef unsigned char positive __attribute__((vector_size(8)));
typedef signed char negative __attribute__((vector_size(8)));
typedef int8_t small __attribute__((vector_size(8)));
typedef __WCHAR_TYPE__ wide __attribute__((vector_size(16)));
const plain a = {'h', 'e', 'l', 0, -1, 65}, many[2] = {{1}};
const positive b = {200, 65, 1}; const negative c = {-1, 65, 2}; const small d = {65, -66};
const wide e = {65, 66, -1};
const plain f = {65};
const struct { plain of; int n; struct { negative of; } in; } inside = {{'a', 2}, 3, {{'b', -1}}};
int main(void) { return 0; }
"""
NAMES = ("a", "b", "c", "d", "e", "f", "many", "inside", "-a", "a + a")
SETTINGS = (
    "set output-radix 16", "set output-radix 8", "set output-radix 10", "set print max-depth 0",
    "set print max-depth 1", "set print max-depth 2", "set print max-depth -1",
    "set print elements 3", "set print elements 200", "set print repeats 2", "set print array on",
)  # fmt: skip


def test_settings_of_numbers(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files = [str(tmp_path / "a")]
    commands = [f"p {name}" for name in NAMES]
    commands += [line for setting in SETTINGS for line in (setting, *commands)]
    commands += [f"p/{letter} a" for letter in "sduxcr"]
    commands += ["p a[1]", "p &a[1]", "whatis a[1]", "p inside.of[0]", "p a[1]@3", "p (a + a)[0]"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "{0x68, 0x65, 0x6c, 0x0, 0xff," in ours[len(NAMES) + 1]
    assert "{...}" in ours[len(NAMES) * 4 + 4]
