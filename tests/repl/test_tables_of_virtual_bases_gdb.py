"""Parameters that GCC declares for constructors and destructors of classes with virtual bases, and
passes to some of them only, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
struct V { virtual ~V() {} int v = 1; };
struct D : virtual V { int d = 2; D(int x) { d = x; } ~D() { d = 0; } };
struct E : D { E(int a, char b = 1) : D(a) { d = b; } ~E() { d = 1; } };
int main() { D d(5); E e(1); return d.d; }
"""
COMMANDS = [
    "p D::D", "p D::~D", "p E::E", "p E::~E", "whatis D::D", "ptype D::~D", "ptype D",
    "info functions -n E::",
]  # fmt: skip


@pytest.mark.parametrize("level", ["-O0", "-gdwarf-4 -fdebug-types-section"])
def test_only_parameters_of_the_code_are_shown(
    tmp_path: Path, tool: Callable[[str], str], level: str
) -> None:
    build(tmp_path, {"a.cc": SOURCE}, [[tool("g++"), "-g", *level.split(), "a.cc", "-o", "a"]])
    files = [str(tmp_path / "a")]
    ours = answers(None, files, COMMANDS)
    assert ours == answers(tool("gdb"), files, COMMANDS)
    assert "{void (D * const, int)}" in ours[0] and "const void **" not in "".join(ours)


def test_a_part_of_an_object_has_a_table(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The only code of the constructor is that for a part of an object. GDB shows the parameter of
    its definition, which is `const`."""
    source = SOURCE.replace("D d(5); E e(1); return d.d;", "E e(1); return e.d;")
    build(tmp_path, {"a.cc": source}, [[tool("g++"), "-g", "a.cc", "-o", "a"]])
    files, commands = [str(tmp_path / "a")], ["p D::D", "p D::~D", "whatis E::E"]
    ours = answers(None, files, commands)
    of_gdb = answers(tool("gdb"), files, commands)
    assert ours == [text.replace("** const", "**") for text in of_gdb]
    assert "{void (D * const, const void **, int)}" in ours[0]
