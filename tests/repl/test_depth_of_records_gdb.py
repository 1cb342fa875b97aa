"""Records of Ada and Fortran below the depth that is shown are in parentheses, as in GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers, fortran_with_core

ADA = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Inner is record A : Integer := 1; end record;
   type Outer is record B : Inner; C : Integer := 2; end record;
   X : Outer;
   Y : array (1 .. 2) of Outer;
begin
   if X.C + Y (1).C = 4 then C_Abort; end if;
end Example;
"""
FORTRAN = """\
program main
  call example()
end program
subroutine example()
  type inner
    integer :: a
  end type
  type outer
    type(inner) :: b
    integer :: c
  end type
  type(outer) :: x, y(2)
  x%b%a = 1; x%c = 2; y(1) = x; y(2) = x
  call abort()
end subroutine
"""
SHOWN = [
    command
    for depth in range(3)
    for command in (f"set print max-depth {depth}", "output x", "output y")
]


START = "frame function example"


def test_of_ada(tool: Callable[[str], str], tmp_path: Path) -> None:
    files = ada_with_core(tool, tmp_path, ADA)
    own = answers(None, files, [START, *SHOWN])[1:]
    assert own == answers(tool("gdb"), files, [START, *SHOWN])[1:]
    assert own[1] == "output x\n(...)"


def test_of_fortran(tool: Callable[[str], str], tmp_path: Path) -> None:
    """GDB selects no frame by the name of a Fortran subroutine; in the frame it shows this."""
    files = fortran_with_core(tool, tmp_path, FORTRAN)
    own = answers(None, files, [START, *SHOWN])[1:]
    assert [answer.partition("\n")[2] for answer in own if answer.startswith("output")] == [
        "(...)", "(...)", "( b = (...), c = 2 )",
        "(( b = (...), c = 2 ), ( b = (...), c = 2 ))",
        "( b = ( a = 1 ), c = 2 )", "(( b = ( a = 1 ), c = 2 ), ( b = ( a = 1 ), c = 2 ))",
    ]  # fmt: skip
