"""Derived types of Fortran: components behind descriptors, and those that a type inherits."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
module shapes
  implicit none
  type :: base
    integer :: id
    real :: weight
  end type
  type, extends(base) :: point
    integer :: x
  end type
  type, extends(point) :: holder
    integer, allocatable :: list(:), none(:)
    real, pointer :: every(:) => null()
    type(point), allocatable :: inner
  end type
contains
  subroutine show(h, any)
    type(holder), intent(inout) :: h
    class(point), intent(inout) :: any
    type(holder) :: pair(2)
    integer, pointer :: nowhere
    pair(1) = h
    pair(2) = h
    pair(2)%list(3) = 30
    nullify(nowhere)
    nowhere = any%id
  end subroutine
end module

program records
  use shapes
  implicit none
  type(holder) :: h
  real, target :: reals(4) = [1.0, 2.0, 3.0, 4.0]
  h%id = 1; h%weight = 2.5; h%x = 3
  allocate(h%list(3), source=[7, 8, 9])
  allocate(h%inner)
  h%inner%id = 10; h%inner%weight = 0.5; h%inner%x = 11
  h%every => reals(1:4:2)
  call show(h, h)
end program
"""


def files_of(folder: Path, tool: Callable[[str], str]) -> list[str]:
    """Return the program and its core file."""
    build(folder, {"a.f90": SOURCE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    return with_core(tool, folder)


def test_kept_components_behind_descriptors(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A kept record has the descriptors of its components, whose data stays where it is."""
    files = files_of(tmp_path, tool)
    commands = ["print h", "print $%list", "print $1%list(2)", "print $1", "print $kept = h"]
    commands += ["print $kept%list", "print $kept%every", "print $kept%none", "print $kept"]
    commands += ["ptype $kept", "whatis $kept%list", "print sizeof($kept%list)"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "(7, 8, 9)" in own[5] and "(1, 3)" in own[6] and "<not allocated>" in own[7]


def test_kept_arrays_of_records(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """At these GDB 13 ends with an internal error."""
    commands = ["print $kept = pair", "print $kept(2)%list", "print $kept(1)%list(3)"]
    own = answers(None, files_of(tmp_path, tool), commands)
    assert own[0].count("list = (7, 8, ") == 2 and "error" not in own[0]
    assert "$2 = (7, 8, 30)" in own[1] and "$3 = 9" in own[2]


def test_inherited_components(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They are components of the extended type, too (Fortran 2018 7.5.7.2); GDB 13 finds them only
    through the parent. Those of a polymorphic object are those of its declared type."""
    files = files_of(tmp_path, tool)
    short = ["h%id", "h%base%weight", "h%X", "h%inner%weight", "pair(2)%id", "any%id", "any%x"]
    whole = ["h%point%base%id", "h%point%base%weight", "h%point%x", "h%inner%base%weight"]
    whole += ["pair(2)%point%base%id", "any%_data%base%id", "any%_data%x"]
    own = answers(None, files, [f"print {name}" for name in short])
    gdb = answers(tool("gdb"), files, [f"print {name}" for name in whole])
    values = [re.findall(r"= (.*)", "\n".join(said)) for said in (own, gdb)]
    assert values[0] == values[1] and len(values[0]) == len(short)
    commands = ["whatis h%weight", "print $kept = h", "print $kept%id = 9", "print $kept%id"]
    commands += ["print any%list", "print h%idd"]
    own = answers(None, files, commands)
    assert "real(kind=4)" in own[0] and "$3 = 9" in own[3]
    assert "There is no member named list." in own[4] and 'Did you mean "id"?' in own[5]


POLYMORPHIC = """\
module shapes
  implicit none
  type :: base
    integer :: id = 1
  end type
  type, extends(base) :: point
    integer :: x = 5
  end type
contains
  subroutine show(every, grid)
    class(base), intent(in) :: every(:)
    class(base), allocatable, intent(in) :: grid(:, :)
    integer, pointer :: nowhere
    nullify(nowhere)
    nowhere = every(1)%id + grid(1, 1)%id
  end subroutine
end module

program records
  use shapes
  implicit none
  type(point) :: points(3)
  class(base), allocatable :: grid(:, :)
  points(2)%id = 20
  allocate(grid(2, 2))
  grid(2, 1)%id = 30
  call show(points, grid)
end program
"""


def test_polymorphic_arrays(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Their elements are those of the array in the descriptor; GDB 13 finds them only there."""
    compiler = tool("gfortran")
    build(tmp_path, {"a.f90": POLYMORPHIC}, [[compiler, "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    parts = ["every{}(2)%id", "every{}(3)", "grid{}(2,1)%id", "every{}(2:3)", "every{}(4)"]
    commands = [f"{word} {part}" for part in parts for word in ("print", "whatis")]
    own = answers(None, files, [command.format("") for command in commands])
    gdb = answers(tool("gdb"), files, [command.format("%_data") for command in commands])
    said = [[text.split("\n", 1)[1] for text in texts] for texts in (own, gdb)]
    assert said[0] == said[1]
    assert said[0][0] == "$1 = 20\n" and "= 30" in said[0][4]


PARAMETERIZED = """\
program records
  implicit none
  type :: grid(k, n, m)
    integer, kind :: k = 4
    integer, len :: n = 3, m = 2
    real(k) :: a(n)
    integer(k) :: q(n, m)
  end type
  type(grid(8, 4, 3)) :: g
  type(grid(4, 3, 2)) :: two(2)
  integer, pointer :: nowhere
  g%a = [1.5d0, 2.5d0, 3.5d0, 4.5d0]
  g%q = reshape([11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34], [4, 3])
  two(1)%a = [1., 2., 3.]
  two(2)%a = [4., 5., 6.]
  nullify(nowhere)
  nowhere = two(2)%n
end program
"""


def test_parameterized_derived_types(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """gfortran computes a stride of 0 for their arrays: no stride, as in GDB."""
    compiler = tool("gfortran")
    build(tmp_path, {"a.f90": PARAMETERIZED}, [[compiler, "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    parts = ["", "%a", "%a(2)", "%a(2:4:2)", "%a(4:1:-1)", "%q", "%q(2,3)", "%q(2,:)", "%q(:,2)"]
    commands = [f"{word} g{part}" for part in parts for word in ("print", "whatis") if part]
    commands += ["print g", "print sizeof(g%q)", "print size(g%q)", "print two(1)%a"]
    commands += ["set language c", "print g.q", "print g.q[2][1]", "print sizeof(g.q)"]
    own, gdb = answers(None, files, commands), answers(tool("gdb"), files, commands)
    assert own[:-4] == gdb[:-4] and own[-3:] == gdb[-3:]  # GDB warns of another language
    assert "(1.5, 2.5, 3.5, 4.5)" in own[0] and "= 32" in own[10]
    # GDB repeats the array of the first element of `two`.
    assert "$1 = (4, 5, 6)" in answers(None, files, ["print two(2)%a"])[0]
    assert "a = (4, 5, 6)" in answers(None, files, ["print two"])[0]


RENAMED = """\
module shapes
  implicit none
  type :: base
    integer :: id = 1
  end type
end module

module other
  use shapes, only: renamed => base
  implicit none
  type, extends(renamed) :: leaf
    integer :: y = 4
  end type
  type :: pair
    type(renamed) :: one
    integer :: z = 6
  end type
contains
  subroutine show(any)
    class(leaf), intent(in) :: any
    type(pair) :: two
    class(pair), allocatable :: three
    integer, pointer :: nowhere
    allocate(three)
    nullify(nowhere)
    nowhere = any%id + two%z + three%z
  end subroutine
end module

program records
  use other
  implicit none
  type(leaf) :: l
  call show(l)
end program
"""


def test_renamed_parents(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The component of a parent has the name by which it is used; only the table of the type says
    that it is a parent."""
    compiler = tool("gfortran")
    build(tmp_path, {"a.f90": RENAMED}, [[compiler, "-g", "-O0", "a.f90", "-o", "a"]])
    commands = ["print any%id", "print any%renamed%id", "print two%one%id", "print two%id"]
    own = answers(None, with_core(tool, tmp_path), commands)
    assert "$1 = 1" in own[0] and "$2 = 1" in own[1] and "$3 = 1" in own[2]
    assert "There is no member named id." in own[3]
