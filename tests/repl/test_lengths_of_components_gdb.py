"""Components whose length the object determines, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers, build, with_core

FORTRAN = """\
program p
  implicit none
  type row
    integer :: n
    real, allocatable :: d(:)
  end type
  type table
    type(row) :: rows(2)
  end type
  type(row), target :: v
  type(row), pointer :: vp
  type(row), allocatable :: va(:)
  type(table) :: t
  integer, pointer :: to_nothing
  integer, allocatable :: al(:)
  allocate(v%d(3), va(2), al(3))
  allocate(va(1)%d(4), va(2)%d(2))
  v%d = [1, 2, 3]
  va(1)%d = 5
  va(2)%d = 6
  al = 7
  t%rows = va
  vp => v
  to_nothing => null()
  to_nothing = vp%n + va(1)%n
end program
"""
OF_FORTRAN = [
    "whatis vp%d", "ptype vp%d", "print sizeof(vp%d)", "whatis vp%d(1)", "whatis vp%d(1:2)",
    "whatis va(2)%d", "whatis t%rows(2)%d", "print sizeof(va(2)%d)", "whatis al(1:2)",
    "ptype v", "ptype *vp", "ptype vp", "ptype va(2)", "ptype t%rows(2)", "ptype row",
    "whatis vp%n", "print vp%d",
]  # fmt: skip
ADA = """\
with System.Machine_Code; use System.Machine_Code;
procedure Example is
   type Buffer (Size : Natural) is record
      Data : String (1 .. Size);
      Used : Integer;
   end record;
   type Access_Buffer is access Buffer;
   B : Buffer := (5, "abcde", 99);
   A : Access_Buffer := new Buffer'(2, "xy", 1);
   procedure Stop (N : Integer) is
   begin
      Asm ("ud2", Volatile => True);
   end Stop;
begin
   Stop (B.Used + A.Used);
end Example;
"""
OF_ADA = ["ptype b", "ptype buffer", "ptype b.data", "whatis b"]


def test_allocatable_components_of_fortran(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tmp_path, {"a.f90": FORTRAN}, [[tool("gfortran"), "-g", "-O0", "-o", "a", "a.f90"]])
    files = with_core(tool, tmp_path)
    assert answers(None, files, OF_FORTRAN) == answers(tool("gdb"), files, OF_FORTRAN)


def test_records_of_ada_with_discriminants(tool: Callable[[str], str], tmp_path: Path) -> None:
    files = ada_with_core(tool, tmp_path, ADA)
    commands = ["up", *OF_ADA]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    (said,) = answers(None, files, ["up", "ptype a.all"])[1:]
    assert "    data: array (1 .. 2) of character;" in said  # GDB 13: array (<>)
