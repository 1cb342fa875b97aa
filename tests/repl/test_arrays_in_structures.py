"""Arrays of variable length in structures (an extension of GCC), against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <stdlib.h>
int main(int argc, char **argv)
{
  int n = argc + 2;
  struct { int x; int y[n]; short z[n + 1]; char last; } whole;
  whole.x = 1;
  for (int i = 0; i < n; i++) whole.y[i] = i, whole.z[i] = -i;
  whole.z[n] = 7; whole.last = 'l';
  if (argc) abort();
  return 0;
}
"""
COMMANDS = [
    "frame function main", "ptype whole", "ptype/o whole", "ptype/ox whole", "print whole",
    "print sizeof(whole)", "print whole.y", "whatis whole.z", "ptype whole.y", "print whole.last",
    "print/x whole", "print &whole.z[1]", "print *&whole", "whatis whole",
]  # fmt: skip


def test_lengths_are_those_of_the_object(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB's resolve_dynamic_struct; ptype/o said that y has 0 bytes, and that padding follows."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "-w", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    of_gdb = answers(tool("gdb"), files, COMMANDS)
    assert answers(None, files, COMMANDS) == of_gdb
    assert "    short z[4];\n" in of_gdb[1]
