"""Functions of templates of D: what lists show and completion offers is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
module app.tp;
struct Stack(T) { T[4] a; int n; void push(T v) { a[n++] = v; } }
struct Pair(T, int k) { T a; void put(T v) { a = v + k; } }
T gen(T)(T a, T b) { return a > b ? a : b; }
T two(T, int k)(T a) { return a * k; }
int main() { Stack!int s; s.push(gen!int(2, 3)); Pair!(int, 3) p; p.put(two!(int, 7)(1));
  Stack!(Stack!int) z; z.push(s); return s.n; }
"""
METHODS = {"app.tp.Stack!int.push": 2, "Stack!int.push": 2, "app.tp.Stack!(Stack!int).push": 2,
           "app.tp.Pair!(int, 3).put": 3, "app.tp::Pair!(int, 3)::put": 3}  # fmt: skip
FUNCTIONS = {"app.tp.gen!int": 4, "gen!int": 4, "app.tp.two!(int, 7)": 5, "two!(int, 7)": 5}
"""By name, their lines; gdc leaves out the arguments of functions."""


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_names_with_arguments(tmp_path: Path, tool: Callable[[str], str], compiler: str) -> None:
    tool("gcc")  # which ldc2 links with
    options = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    build(tmp_path, {"tp.d": SOURCE}, [[tool(compiler), "-g", *options, "tp.d"]])
    files = [str(tmp_path / "a")]
    names = METHODS if compiler == "gdc" else {**METHODS, **FUNCTIONS}
    for word, begin in (("break", "Breakpoint"), ("info line", "Line"), ("info scope", "S")):
        shown = answers(None, files, [f"{word} {name}" for name in names])
        for text, line in zip(shown, names.values(), strict=True):
            said = text.partition("\n")[2]
            assert said.startswith(begin) or "contains no locals" in said, text
            assert word == "info scope" or re.search(rf"\b[Ll]ine {line}\b", said), text
    [offered] = answers(None, files, ["complete break app.tp."])
    completed = offered.splitlines()[1:]
    for text in answers(None, files, completed):
        assert "\nBreakpoint " in text, text
    assert len(completed) == 6
