"""Named constants of Fortran (DW_TAG_constant), against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = """\
module m
  integer, parameter :: kk = 42
  real(8), parameter :: half = 0.5d0
  character(len=3), parameter :: word = 'abc'
  enum, bind(c)
    enumerator :: red = 1, green
  end enum
end module

program p
  use m
  integer, parameter :: inner = 7
  print *, inner + kk, word, half, green
end program
"""


def test_named_constants(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They are variables; those of functions are of no list."""
    build(tmp_path, {"a.f90": SOURCE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    commands = ["info scope p", "list m::kk", "list m::green", "list half", "info variables kk"]
    commands += ["info variables m::red", "info variables word", "info variables inner"]
    commands += ["list inner", "break m::kk"]
    files = [str(tmp_path / "a")]
    ours = answers(None, files, commands)
    said = [text.replace(' Did you mean "m::kk"?', "") for text in ours]
    assert said == answers(tool("gdb"), files, commands)
    assert "2:\tinteger(kind=4) m::kk;\n" in ours[4]
