"""Strings of `x` in frames of Fortran, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
subroutine stop_here(text, n)
  character(len=*) :: text
  integer :: n
  integer, pointer :: nowhere
  nullify(nowhere)
  nowhere = n + len(text)
end subroutine

program strings
  character(len=5) :: s
  integer :: i(2)
  s = 'it''s '
  i = [43, 0]
  call stop_here(s, i(1))
end program
"""
COMMANDS = [
    "frame 0", "x/s &text", "x/2s &n", "x/hs &n", "x/ws &n", "x &n",
    "set print elements 3", "x/3s &text", "x/3c &text", "x/dw &n", "print text", "print/c n",
]  # fmt: skip


def test_strings(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They have its quotes, and end with their NUL."""
    build(tmp_path, {"a.f90": SOURCE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    of_gdb = answers(tool("gdb"), files, COMMANDS)
    assert answers(None, files, COMMANDS) == of_gdb
    assert "\\000'" in of_gdb[1] and "unrecognized character type" in of_gdb[3]
