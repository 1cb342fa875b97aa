"""Optional arguments of Fortran that were not passed, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
module m
contains
  subroutine work(n, whole, number)
    integer :: n
    real, optional :: whole(:)
    integer, optional :: number
    integer, pointer :: nowhere
    nullify(nowhere)
    nowhere = n
  end subroutine
end module

program p
  use m
  call work(3)
end program
"""


def test_absent_arguments(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A frame's line and `info args` have GDB's words; the line has each name once."""
    build(tmp_path, {"a.f90": SOURCE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = ["frame 0", "info args", "bt -frame-arguments all 1"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    unset = "error reading variable: Location address is not set."
    assert f"whole=<{unset}>" in ours[0] and f"whole=<{unset}>" in ours[2]
