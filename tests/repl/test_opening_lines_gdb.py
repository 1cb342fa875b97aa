"""The first lines of `disassemble /s` where a function's opening brace has no code of its own,
against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
struct pair { int a, b; };
static inline int square(int q)
{
  return q * q + 1;
}
int
first(struct pair *p)
{
  return p->a;
}

int twice(int x)
{

  int y = x * 3;

  return y;
}
void empty(void)
{
}
int sum(int n,
        int m)
{
  return square(n) + square(m);
}
int main(void)
{
  struct pair v = {1, 2};
  empty();
  return first(&v) + twice(3) + sum(1, 2);
}
"""
FUNCTIONS = ("first", "twice", "empty", "sum", "main")


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_opening_lines(
    tmp_path: Path, tool: Callable[[str], str], compiler: str, level: str
) -> None:
    pytest.importorskip("capstone")
    options = [tool(compiler), "-g", level, "-fno-inline-functions", "-o", "a", "a.c"]
    build(tmp_path, {"a.c": SOURCE}, [options])
    commands = [f"disassemble /s {function}" for function in FUNCTIONS]
    files = [str(tmp_path / "a")]
    ours, of_gdb = (
        [re.sub(r"(<\+[0-9]+>:)\t.*", r"\1", text) for text in answers(gdb, files, commands)]
        for gdb in (None, tool("gdb"))
    )
    assert ours == of_gdb
    if (compiler, level) == ("gcc", "-O2"):
        assert re.search("\n8\t{\n9\t  return p->a;\n   0x", of_gdb[0])
