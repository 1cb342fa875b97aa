"""`disassemble` of functions whose symbol `ld -x` left out, behind a symbol without a size, against
the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import answers, build

SOURCE = """\
static int __attribute__((noinline,noclone)) hidden(int x)
{
  volatile int y = x;
  __asm__ volatile("inner_label: nop");
  return y * 2;
}
int __attribute__((noinline,noclone)) seen_by_all(int x) { return hidden(x) + 1; }
int main(int c, char **v) { return seen_by_all(c); }
"""
FUNCTIONS = ("hidden", "seen_by_all", "main", "frame_dummy")


def test_a_described_function_is_disassembled(tmp_path: Path, tool: Callable[[str], str]) -> None:
    pytest.importorskip("capstone")
    gcc = tool("gcc")
    build(
        tmp_path,
        {"a.c": SOURCE},
        [
            [gcc, "-g", "-O1", "-c", "a.c"],
            [tool("ld"), "-r", "-x", "-o", "b.o", "a.o"],
            [gcc, "-o", "a", "b.o"],
        ],
    )
    files, commands = [str(tmp_path / "a")], [f"disassemble {name}" for name in FUNCTIONS]
    ours, of_gdb = (
        [re.sub(r"(<\+[0-9]+>:)\t.*", r"\1", text) for text in answers(gdb, files, commands)]
        for gdb in (None, tool("gdb"))
    )
    assert ours == of_gdb
    assert "for function hidden:\n" in ours[0]
    assert run("disas", tmp_path / "a", "hidden").lines[1].endswith(" <hidden>:")


LABELS = """\
int g;
int __attribute__((noinline)) f(int x)
{
  g += x;
  __asm__ volatile("label: nop\\nnop");
  g -= 1;
  __asm__ volatile(".type unsized, @function\\nunsized: nop\\nnop");
  return g + x;
}
int main(void) { return f(3); }
"""


def test_code_behind_a_label_is_named_by_its_function(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """A label names its own address alone, where the symbol of the function is missing."""
    build(
        tmp_path,
        {"a.c": LABELS},
        [
            [tool("gcc"), "-g", "-O0", "-no-pie", "-o", "whole", "a.c"],
            [tool("objcopy"), "--strip-symbol=f", "whole", "a"],
        ],
    )
    names = ("f", "label", "unsized")
    commands = [f"print/a (char *){name}+{offset}" for name in names for offset in (0, 1, 2, 6)]
    commands += [f"info symbol (char *){name}+1" for name in names[1:]]
    for file in ("whole", "a"):
        files = [str(tmp_path / file)]
        assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
