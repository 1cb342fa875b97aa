"""Operators, casts and strings of D, at the prompt: GDB has no `is` between arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import build, last_lines, with_core

SOURCE = """\
module m;
enum Color { red = 1, blue = 5 }
struct Point { int x; }
class Held { int id; }
int main() {
    string text = "abc"; string none; string empty = text[0 .. 0]; int[] few = [1, 2]; int[] more;
    int[2] fixed = [3, 4]; string[] texts = ["a", "bc"]; Held held = new Held; Held nothing;
    int k = 5; int delegate() get = () => k; int delegate() no; Point point; void* raw = &k;
    wchar wide = 'w'; int[string] table; auto color = Color.red;
    int* nowhere; *nowhere = 1;
    return cast(int) (text.length + none.length + empty.length + few.length + more.length + k
        + fixed[0] + texts.length + held.id + nothing.id + get() + no() + point.x + wide + color)
        + (raw is null) + cast(int) table.length;
}
"""
VALUES = {
    '"abc" ~ "def"': '"abcdef"', "text ~ `d\\e`": '"abcd\\\\e"','r"a\\b"': '"a\\\\b"',
    "text ~ 'd'": '"abcd"',
    "few ~ 5": "{1, 2, 5}", "5 ~ few": "{5, 1, 2}", "few ~ fixed": "{1, 2, 3, 4}",
    "texts[0] ~ texts[1]": '"abc"', "few ~ more": "{1, 2}",
    'few ~ "x"': "Concatenation is of arrays of one type, or of one and an element.",
    'text == "abc"': "true", 'text == "abd"': "false", "text == null": "false",
    "none == null": "true", "empty == null": "true", "null != few": "true", 'empty == ""': "true",
    "none is null": "true", "empty is null": "false", "few is few": "true", "few !is more": "true",
    "held is nothing": "false", "nothing is null": "true", "held is held": "true",
    "get is null": "false", "no is null": "true", "table is null": "true",
    "point is null": '"is" is between pointers, dynamic arrays or integers; == compares contents.',
    "text < null": "Invalid type combination in ordering comparison.",
    "*cast(int*) raw": "5", "cast(m.Color) 5 == m.Color.blue": "true", "m.Point.sizeof": "4",
    "*fixed.ptr": "3", "fixed.ptr == &fixed[0]": "true",
    "fixed.length": "2", "few.length": "2", "m.Color.red + 1": "2", "wide + 1": "120",
    "point.sizeof": "4", "text.length.sizeof": "8",
}  # fmt: skip
TYPES = {"k > 1 ? text.length : few.length": "ulong",
         "wide % 10u": "uint", "wide ^^ 2": "int", "k > 1 ? wide : wide": "wchar",
         "k > 1 ? cast(char) wide : wide": "dchar",
         "int.sizeof": "ulong", "fixed.ptr": "int *",
         "text ~ 'd'": "struct string", "few is more": "bool", '"abc"': "char [3]"}  # fmt: skip


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_operators(tool: Callable[[str], str], tmp_path: Path, compiler: str) -> None:
    tool("gcc")  # which ldc2 links with
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    build(tmp_path, {"m.d": SOURCE}, [[tool(compiler), "-g", *options, "m.d"]])
    files = with_core(tool, tmp_path)
    frame = "frame function m.main"
    assert last_lines(files, [frame, *(f"output {text}" for text in VALUES)])[1:] == [
        *VALUES.values()
    ]
    types = last_lines(files, [frame, *(f"whatis {text}" for text in TYPES)])[1:]
    assert types == [f"type = {name}" for name in TYPES.values()]
