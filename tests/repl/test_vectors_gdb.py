"""Casts and conditions of vectors (an extension of GCC), against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = """\
typedef float float4 __attribute__((vector_size(16)));
typedef int int4 __attribute__((vector_size(16)));
typedef int int2 __attribute__((vector_size(8)));
const int4 four = {1, 2, 3, 0}, none = {0};
const float4 fractions = {1.5f, 2.5f, -3.5f, 4};
const int2 two = {1, 2};
const int number = 7;
const float fraction = 2.5f;
const double wide = 3.25;
const long long longer = 5;
const enum { E } kind = E;
int main(void) { return 0; }
"""
COMMANDS = [
    "p (float4) number", "p (int4) 1", "p (float4) fraction", "p (int4) wide", "p (int2) kind",
    "p (int4) fractions", "p (float4) four", "p (int2) four", "p (int4) two", "p (int2) longer",
    "p (int2) wide", "p (long long) two", "p (double) two", "p (int2) 0L",
    "p (int2) 'c'", "p !four", "p !none", "p !!fractions", "p four && 1", "p none || 0",
    "p two ? 1 : 2", "whatis !four", "whatis (long) two", "p !(int2) 0L", "p -four", "p ~two",
]  # fmt: skip


def test_casts_and_conditions(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files = [str(tmp_path / "a")]
    of_gdb = answers(tool("gdb"), files, COMMANDS)
    assert answers(None, files, COMMANDS) == of_gdb
    assert "same size" in of_gdb[0]


def test_a_cast_that_c_refuses(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    shown = answers(None, [str(tmp_path / "a")], ["p (int) four", "p (char *) two", "p four < two"])
    assert "Invalid cast." in shown[0] and all(" = " not in text for text in shown)


def test_results_have_no_qualifiers(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A result is no object; GDB leaves out the typedef, too."""
    source = f"{SOURCE}typedef const int2 constant; volatile int2 loud; constant kept = {{1, 2}};\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    commands = ["whatis four + 1", "whatis -two", "whatis 2 * loud", "whatis kept + kept"]
    shown = answers(None, [str(tmp_path / "a")], [*commands, "whatis four"])
    types = ("int4", "int2", "int2", "int2", "const int4")
    assert [text.splitlines()[-1] for text in shown] == [f"type = {name}" for name in types]
