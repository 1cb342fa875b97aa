"""Completion in a procedure of Fortran: what its host has, as in GDB, and the used modules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, fortran_with_core

SOURCE = """\
module geometry
 type circle
  real :: radius = 2.5
 end type
 integer :: gridsize = 3
end module
module shapes
 use geometry
 integer :: shapecount = 4
end module
program host
 use shapes
 implicit none
 integer :: arrthree(3) = 1
 type(circle) :: arrcircle
 call inner(5)
contains
 subroutine inner(depth)
  integer :: depth, arrinner
  integer, pointer :: nowhere
  arrinner = depth + arrthree(1) + gridsize + shapecount + int(arrcircle%radius)
  nowhere => null()
  nowhere = arrinner
 end subroutine
end program
"""
WORDS = {
    "print arrt": "hree", "print arrc": "ircle", "print arri": "nner", "ptype cir": "cle",
    "whatis cir": "cle", "print gridsi": "ze", "print shapecou": "nt",
    "print arrthree(1) + arrc": "ircle",
}  # fmt: skip
"""What is typed, and the rest of the only word that begins so."""


def test_names_of_the_host(tool: Callable[[str], str], tmp_path: Path) -> None:
    files = fortran_with_core(tool, tmp_path, SOURCE)
    commands = ["frame function inner", *(f"complete {word}" for word in WORDS)]
    own, of_gdb = (answers(gdb, files, commands)[1:] for gdb in (None, tool("gdb")))
    assert own == [f"complete {word}\n{word}{rest}\n" for word, rest in WORDS.items()]
    assert [of_gdb[index] for index in (0, 1, 2)] == own[:3]
