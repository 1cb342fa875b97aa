"""Functions that a resolver chooses when a program is loaded (STT_GNU_IFUNC), against the installed
GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

LIBRARY = """\
int fast(int a) { int b = a + 1; return b; }
int slow(int a) { return a + 2; }
static int (*resolve_pick(void))(int) { return fast; }
int pick(int a) __attribute__((ifunc("resolve_pick")));
static int (*resolve_other(void))(int) { return slow; }
int other(int a) __attribute__((ifunc("resolve_other")));
"""
PROGRAM = """\
#include <stdlib.h>
extern int pick(int), other(int);
static int own(int a) { return a - 1; }
static int (*resolve_own(void))(int) { return own; }
int mine(int a) __attribute__((ifunc("resolve_own")));
int main(int argc, char **argv)
{
  int sum = pick(argc) + mine(argc);
  if (sum) abort();
  return other(argc);
}
"""
COMMANDS = [
    "info line pick", "info line other", "info line mine", "list pick", "break pick", "break mine",
    "break other", "break resolve_own", "tbreak mine if 1 == 1", "break *mine", "info breakpoints",
    "print pick", "print mine", "print &mine", "ptype mine", "whatis mine", "whatis &mine",
    "print mine + 1", "print (void *) mine", "print mine == resolve_own", "output mine",
    "info symbol pick", "info symbol mine", "info address pick", "info address mine",
    "info scope mine", "info functions ^pick$", "info functions ^mine$",
    "print resolve_own", "info address resolve_own", "print sizeof(mine)", "ptype resolve_own",
]  # fmt: skip


def with_library(tool: Callable[[str], str], folder: Path, *flags: str) -> list[str]:
    """Compile the program and its library; write a core file where it aborts. `other` is bound when
    it is called first, which does not happen."""
    compiler = [tool("gcc"), *flags, "-O0"]
    build(
        folder,
        {"lib.c": LIBRARY, "a.c": PROGRAM},
        [
            [*compiler, "-fPIC", "-shared", "-o", "libpick.so", "lib.c"],
            [*compiler, "-Wl,-z,lazy", "-o", "a", "a.c", f"{folder}/libpick.so"],
        ],
    )
    return with_core(tool, folder, LD_BIND_NOW="")


@pytest.mark.parametrize("flags", [("-g",), ()], ids=["described", "symbols"])
def test_answers_are_those_of_gdb(
    tmp_path: Path, tool: Callable[[str], str], flags: tuple[str, ...]
) -> None:
    files = with_library(tool, tmp_path, *flags)
    commands = [command for command in COMMANDS if flags or command != "list pick"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    text = "".join(of_gdb)
    assert "STT_GNU_IFUNC resolver" in text  # not bound: the code that chooses
    assert ("lib.c, line 1." if flags else "<fast+4>") in text  # bound: what was chosen


def test_without_a_process_nothing_is_chosen(tmp_path: Path, tool: Callable[[str], str]) -> None:
    files = with_library(tool, tmp_path, "-g")[:1]
    commands = [command for command in COMMANDS if "pick" not in command and "other" not in command]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_the_contents_of_an_indirect_function_need_a_call(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """C 6.5.3.2p4: `*f` is the function to which `f` points; only the resolver knows it. GDB:
    `You can't do that without a process to debug.`"""
    [answer] = answers(None, with_library(tool, tmp_path)[:1], ["print *mine"])
    assert "only a call chooses what an indirect one means" in answer
    [answer] = answers(None, [str(tmp_path / "a")], ["print *&mine"])
    assert "only a call chooses what an indirect one means" in answer
    [answer] = answers(None, [str(tmp_path / "a")], ["whatis *mine"])
    assert answer.endswith("type = <text gnu-indirect-function variable, no debug info>\n")
