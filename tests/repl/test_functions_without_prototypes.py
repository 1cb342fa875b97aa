"""Types of functions of C without a prototype, `int f()`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

NOTE = "note: no state is given: writable memory has its initial contents\n"
SOURCE = """\
int old(); int (*pointer)() = old; int (*of_none)(void); int (*variadic)(int, ...);
int (*table[2])(); typedef int callback(); callback *call = old;
struct s { void (*m)(); } s;
int old() { return 1; }
int main(void) { return pointer(1) + call(2); }
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_parameters_are_not_variable(
    compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Compilers describe the unknown parameters as they do `...`, which was shown."""
    build(tmp_path, {"a.c": SOURCE}, [[tool(compiler), "-g", "-std=c11", "-w", "a.c", "-o", "a"]])
    files = [str(tmp_path / "a")]
    names = "pointer", "of_none", "variadic", "table", "call", "s", "s.m", "old"
    commands = [f"{word} {name}" for word in ("whatis", "ptype") for name in names]
    commands += ["print pointer", "ptype callback"]
    commands += ["info variables pointer", "info types callback"]
    shown = [text.replace(NOTE, "") for text in answers(None, files, commands)]
    assert shown == answers(tool("gdb"), files, commands)
