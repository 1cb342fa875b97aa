"""Expressions in frames of Fortran, against the installed GDB."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
subroutine stop_here(part, whole, n)
  integer :: part(:, :), n
  integer :: whole(0:1, 2)
  integer, pointer :: nowhere
  nullify(nowhere)
  nowhere = n + part(1, 1) + whole(0, 1)
end subroutine

program expressions
  interface
    subroutine stop_here(part, whole, n)
      integer :: part(:, :), n
      integer :: whole(0:1, 2)
    end subroutine
  end interface
  integer :: grid(4, 4), n
  n = 7
  grid = 3
  grid(1, 2) = 5
  call stop_here(grid(1:4:2, 1:2), grid, n)
end program
"""
COMMANDS = [
    "frame 0", "print part@2", "whatis part@2", "print whole@2", "whatis whole@2",
    "print (whole@2)(0, 2, 1)", "print n@1@1", "whatis n@2@2", "print $sp", "whatis $sp",
    "print $sp + 8", "print/x $sp", "print n(1)", "print/x part@1",
]  # fmt: skip


def values_in(said: list[str]) -> list[str]:
    """The values with their numbers in the value history, and what is behind them."""
    return re.findall(r"\$.*", "\n".join(said))


def test_answers_are_those_of_gdb(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """`@` makes one more dimension of an array, and addresses in registers have Fortran's types."""
    build(tmp_path, {"a.f90": SOURCE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    own = answers(None, files, COMMANDS)
    assert own == answers(tool("gdb"), files, COMMANDS)
    assert "(((" in own[1] and "(2,2,2)" in own[2]


def test_gaps_of_sections(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Sections follow each other behind the gap after the last element, and gaps are not compared
    with each other."""
    far = SOURCE.replace("grid(1:4:2, 1:2)", "grid(1:4:2, 1:3:2)").replace(
        "(1, 2) = 5", "(2, 2) = 5"
    )
    build(tmp_path, {"a.f90": far}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = [
        "frame 0", "print &part + 1", "print part@2", "set print repeats 1", "print part",
        "x/dw &part", "print part", "x/dw",
    ]  # fmt: skip
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "<repeats 2 times>) <repeats 2 times>)" in own[4]


def test_the_type_of_the_program_counter(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB has the parentheses of a function twice (docs/gdb-differences.md)."""
    build(tmp_path, {"a.f90": SOURCE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    (shown,) = answers(None, with_core(tool, tmp_path), ["whatis $pc"])
    assert shown.splitlines()[1] == "type = PTR TO -> ( void () )"


def test_texts_of_results_of_operators(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """They are of no unit: as in `print`, the language in focus spells them."""
    build(tmp_path, {"a.f90": SOURCE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    values = "1 == 1", ".not. .true.", ".true.", "1 + 1", "2.5 > 1", "(1, 2)"
    commands = [f"print $_as_string({value})" for value in values]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


LISTS = """\
module store
  integer :: shared = 4
  real :: row(3) = [1.0, 2.5, 3.0]
  namelist /of_module/ shared, row
end module

subroutine stop_here(n, grown)
  integer :: n
  integer, allocatable :: grown(:)
  character(len=5) :: text
  logical :: yes
  complex :: z
  integer, pointer :: nowhere
  integer :: shared
  integer, save :: kept = 6, large(300000)
  namelist /wide/ kept, large, n
  namelist /inner/ n, text, yes, z
  namelist /dynamic/ n, grown
  text = 'it''s '
  yes = .true.
  z = (1.0, -2.0)
  write (*, nml=inner)
  shared = 5
  large = kept
  nullify(nowhere)
  nowhere = n
end subroutine

program lists
  use store
  interface
    subroutine stop_here(n, grown)
      integer :: n
      integer, allocatable :: grown(:)
    end subroutine
  end interface
  integer, allocatable :: grown(:)
  integer :: n = 7
  allocate(grown(3))
  grown = n
  write (*, nml=of_module)
  call stop_here(43, grown)
end program
"""


def test_namelists(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.f90": LISTS}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = [
        "frame 0", "print stop_here::inner", "print inner", "whatis inner", "print INNER",
        "print $1", "output dynamic", "whatis dynamic", "up", "print of_module",
        "whatis of_module", "ptype of_module",
    ]  # fmt: skip
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    own = answers(None, files, ["print inner%n", "print sizeof(inner)", "print &inner"])
    assert "$1 = 43" in own[0] and "$2 = 21" in own[1] and "not located in memory" in own[2]
    commands = ["print of_module", "print shared", "up", "print n"]
    own = answers(None, files, ["frame 0", *commands])
    shown = ["$1 = ( shared = 4, row = (1, 2.5, 3) )", "$2 = 5", "$3 = 7"]
    assert values_in(own) == shown


def test_namelists_of_variables_that_cannot_be_read(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(tmp_path, {"a.f90": LISTS}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    commands = ["print wide", "print wide%n", "up", "print stop_here::wide"]
    own = answers(None, with_core(tool, tmp_path), ["frame 0", *commands])
    large = "<error: large in a namelist: 65536 of 1200000 bytes are read (--max-bytes)>"
    none = "<error: No frame is currently executing in block stop_here.>"
    assert values_in(own) == [
        f"$1 = ( kept = 6, large = {large}, n = 43 )",
        "$2 = 43",
        f"$3 = ( kept = 6, large = {large}, n = {none} )",
    ]


CONSTANTS = """\
module store
  integer :: number = 1000
  real(8) :: ratio = 77
  integer, pointer :: nowhere => null()
contains
  subroutine work(n)
    integer, intent(in) :: n
    integer :: number
    real(8) :: ratio
    namelist /items/ number, ratio
    number = -5
    ratio = 2.5d0
    nowhere = n
    if (number > 0) nowhere = number
  end subroutine
end module

program constants
  use store
  call work(3)
end program
"""


def test_variables_of_a_namelist_that_became_constants(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """gfortran 12 -Og gives them DW_AT_declaration besides DW_AT_const_value: they hide those of
    the module."""
    build(tmp_path, {"a.f90": CONSTANTS}, [[tool("gfortran"), "-g", "-Og", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = ["print number", "print ratio", "print items", "print number+1", "whatis number"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    own = answers(None, files, ["print store::number", "info locals", "info scope store::work"])
    assert "= 1000" in own[0] and "number = -5\nratio = 2.5\n" in own[1]
    constant = "Symbol number is a constant with value -5 (0xfffffffb), length 4."
    assert constant in own[2] and "Symbol ratio is constant bytes: " in own[2]


MODULE = """\
module mm
  implicit none
  integer :: va = 1, vb = 2
  namelist /mn/ va, vb
end module
"""
USER = """\
program prog
  use mm, only: mn, va, second => mn
  implicit none
  integer :: host = 42, plain
  plain = 6
  write(*, nml=mn)
  write(*, nml=second)
  call internal(1)
contains
  subroutine internal(depth)
    integer :: depth, own
    integer, pointer :: nowhere
    namelist /inn/ depth, own, host, plain
    own = depth * 10 + plain
    write(*, nml=inn)
    nullify(nowhere)
    nowhere = depth
  end subroutine
end program
"""


def test_namelists_of_modules_and_of_internal_procedures(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GCC only declares the namelist of a module in other files, and defines it outside of the
    module. The variables of a host are those of the frame that called."""
    compiler = [tool("gfortran"), "-g", "-O0"]
    command = [*compiler, "m.f90", "a.f90", "-o", "a"]
    build(tmp_path, {"m.f90": MODULE, "a.f90": USER}, [command])
    commands = ["print inn", "print mm::mn", "print mn", "print second%vb", "print sizeof(mn)"]
    own = answers(None, with_core(tool, tmp_path), ["frame 0", *commands])
    assert values_in(own) == [
        "$1 = ( depth = 1, own = 16, host = 42, plain = 6 )",
        "$2 = ( va = 1, vb = 2 )",
        "$3 = ( va = 1, vb = 2 )",
        "$4 = 2",
        "$5 = 8",
    ]


def test_a_namelist_that_is_only_declared(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Its module is in a file without debug information."""
    compiler = tool("gfortran")
    steps = [[compiler, "-c", "m.f90"], [compiler, "-g", "m.o", "a.f90", "-o", "a"]]
    build(tmp_path, {"m.f90": MODULE, "a.f90": USER}, steps)
    (own,) = answers(None, with_core(tool, tmp_path), ["print mm::mn"])
    assert "the variables of the namelist mm::mn are unknown: no namelist of that name" in own


ALIKE = """\
module ma
  integer :: x = 1, y = 2
  namelist /cfg/ x, y
contains
  subroutine first
    write(*, nml=cfg)
  end subroutine
end module
module mb
  integer :: x = 10, z = 30
  namelist /cfg/ x, z
end module
subroutine user
  use mb
  integer, pointer :: nowhere
  write(*, nml=cfg)
  nullify(nowhere)
  nowhere = z
end subroutine
program prog
  use ma, only: first
  call first
  call user
end program
"""


def test_namelists_of_one_name(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GCC defines those of modules in the unit, one beside the other."""
    build(tmp_path, {"a.f90": ALIKE}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    commands = [
        "print cfg",
        "print ma::cfg",
        "print mb::cfg%z",
        "up",
        "print cfg",
        "print nomod::cfg",
    ]
    own = answers(None, with_core(tool, tmp_path), ["frame 0", *commands])
    assert values_in(own) == [
        "$1 = ( x = 10, z = 30 )",
        "$2 = ( x = 1, y = 2 )",
        "$3 = 30",
    ]
    assert "the namelist cfg is one of several: give MODULE::cfg" in own[5]
    assert 'No symbol "nomod" in current context.' in own[6]


STOPPED = """\
contains
  subroutine second
    integer, pointer :: nowhere
    write(*, nml=cfg)
    nullify(nowhere)
    nowhere = z
  end subroutine
end module
"""
FIRST = """\
module ma
  integer :: x = 1, y = 2
  namelist /cfg/ x, y
end module
"""
SECOND = f"""\
module mb
  use ma, only: x, y
  integer :: z = 30
  namelist /cfg/ x, z
{STOPPED}program prog
  use mb, only: second
  call second
end program
"""


def test_a_namelist_with_variables_of_another_module(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """All variables of both namelists are visible in the module of one of them: GCC defines each
    beside the entry of its module."""
    sources = {"m.f90": FIRST, "a.f90": SECOND, "one.f90": FIRST + SECOND}
    commands = ["print cfg", "print ma::cfg", "print mb::cfg"]
    for files in (["m.f90", "a.f90"], ["one.f90"]):
        build(tmp_path, sources, [[tool("gfortran"), "-g", "-O0", *files, "-o", "a"]])
        own = answers(None, with_core(tool, tmp_path), ["frame 0", *commands])
        assert values_in(own) == [
            "$1 = ( x = 1, z = 30 )",
            "$2 = ( x = 1, y = 2 )",
            "$3 = ( x = 1, z = 30 )",
        ]
        assert not any("taken for it" in answer for answer in own)


BORROWED = f"""\
module ma
  integer :: x = 1, y = 2
  namelist /cfg/ y
end module
module mb
  use ma, only: x
  integer :: z = 30
  namelist /cfg/ x
  namelist /only/ x
  namelist /mixed/ x, z
{STOPPED}module mc
  use mb, only: z
  integer :: w = 99
  namelist /cfg/ z, w
end module
subroutine user
  use mb, only: second, only, mixed
  write(*, nml=only)
  write(*, nml=mixed)
  call second
end subroutine
program prog
  call user
end program
"""


def test_a_namelist_of_the_variables_of_another_module(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """One that is not visible as a whole is none, though it has a variable of the module in focus.
    The only one of a name is that of the module that declares it."""
    build(tmp_path, {"a.f90": BORROWED}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    commands = ["print cfg", "up", "print only", "print mixed", "print mb::only"]
    own = answers(None, with_core(tool, tmp_path), ["frame 0", *commands])
    assert values_in(own) == ["$1 = ( x = 1 )", "$2 = ( x = 1 )", "$3 = ( x = 1, z = 30 )",
                              "$4 = ( x = 1 )"]  # fmt: skip
    assert not any("taken for it" in answer for answer in own)


def test_namelists_of_variables_with_the_same_names(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Of modules of other files: their linkage names tell them apart."""
    modules = [f"module {m}\ninteger :: x = {n}\nend module\n" for m, n in (("ma", 1), ("mc", 7))]
    lists = [
        f"module {m}\nuse {used}, only: x\nnamelist /cfg/ x\nend module\n"
        for m, used in (("mb", "ma"), ("md", "mc"))
    ]
    user = """\
subroutine user
  use md, only: cfg
  integer, pointer :: nowhere
  write(*, nml=cfg)
  nullify(nowhere)
  nowhere = 1
end subroutine
program prog
  call user
end program
"""
    sources = {"m.f90": "".join(modules), "u.f90": "".join((*lists, user))}
    command = [tool("gfortran"), "-g", "-O0", "m.f90", "u.f90", "-o", "a"]
    build(tmp_path, sources, [command])
    own = answers(None, with_core(tool, tmp_path), ["frame 0", "print cfg"])
    assert values_in(own) == ["$1 = ( x = 7 )"]


LAZY = """\
module mx
  use ma, only: x
  namelist /cfg/ x
end module
"""
CRASH = """\
  integer, pointer :: nowhere
  write(*, nml=cfg)
  nullify(nowhere)
  nowhere = 1
end subroutine
"""
CRASH_AT_X = CRASH.replace("  nowhere", "  x = 77\n  nowhere")
USER_OF = f"""\
subroutine user
  use %s
{CRASH}program prog
  use mb, only: z
  z = 31
  call user
end program
"""
THIRD = """\
module mb
  integer :: z = 30
  namelist /cfg/ z
end module
"""


def test_a_namelist_of_a_module_that_is_used(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Not that of another module which is not used, though its variable is visible."""
    for modules in ((FIRST, LAZY + THIRD), ("", FIRST + LAZY + THIRD)):
        sources = {"m.f90": modules[0], "u.f90": modules[1] + USER_OF % "ieee_arithmetic\n  use ma"}
        for optimization in ("-O0", "-O2"):
            command = [tool("gfortran"), "-g", optimization, "m.f90", "u.f90", "-o", "a"]
            build(tmp_path, sources, [command])
            commands = ["frame 0", "print cfg", "print ma::cfg", "print mx::cfg"]
            own = answers(None, with_core(tool, tmp_path), commands)
            first = "( x = 1, y = 2 )"
            assert values_in(own) == [f"$1 = {first}", f"$2 = {first}", "$3 = ( x = 1 )"]
            assert not any("taken for it" in answer for answer in own)


def test_a_namelist_of_a_module_without_debug_information(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The namelist of another module is not that of the one from which it is imported; where the
    module as a whole is used, a note says that it may be another one."""
    compiler = tool("gfortran")
    for used, notes in (("ma, only: cfg", 0), ("ma", 1)):
        sources = {"m.f90": FIRST, "b.f90": THIRD, "u.f90": USER_OF % used}
        steps = [[compiler, "-c", "m.f90"], [compiler, "-g", "m.o", "b.f90", "u.f90", "-o", "a"]]
        build(tmp_path, sources, steps)
        own = answers(None, with_core(tool, tmp_path), ["frame 0", "print cfg", "print mb::cfg"])
        assert values_in(own)[-1].endswith("= ( z = 31 )")
        note = "warning: cfg: a namelist with variables of mb is taken for it"
        assert (note in own[1]) == notes
        unknown = "the variables of the namelist ma::cfg are unknown: no namelist of that name"
        assert (unknown in own[1]) == (not notes)


def test_a_local_variable_is_none_of_a_used_module(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GCC declares the variables of a module of another file outside of the module."""
    user = f"""\
module whole
  use ma
contains
subroutine user
  integer :: x
{CRASH_AT_X}end module
program prog
  use whole
  call user
end program
"""
    compiler = tool("gfortran")
    for flags in ([], ["-g"]):
        steps = [[compiler, *flags, "-c", "m.f90"], [compiler, "-g", "m.o", "a.f90", "-o", "a"]]
        build(tmp_path, {"m.f90": FIRST, "a.f90": user}, steps)
        commands = ["frame 0", "print cfg", "print whole::cfg", "print x"]
        own = answers(None, with_core(tool, tmp_path), commands)
        first = "( x = 1, y = 2 )"
        assert values_in(own) == [f"$1 = {first}", f"$2 = {first}", "$3 = 77"]


def test_the_module_of_a_namelist_that_is_not_certain(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The entry of a module with variables is before its namelist, that of one without variables
    behind it: between both, it may be of either."""
    without = FIRST.replace("  namelist /cfg/ x, y\n", "")
    source = without + LAZY + THIRD + USER_OF % "mx, only: cfg"
    build(tmp_path, {"a.f90": source}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    commands = ["frame 0", "print cfg", "print ma::cfg", "print mb::cfg", "up", "print cfg"]
    own = answers(None, with_core(tool, tmp_path), commands)
    assert values_in(own) == ["$1 = ( x = 1 )", "$2 = ( x = 1 )", "$3 = ( z = 31 )"]
    note = "ma::cfg: of 2 such namelists the one with variables of ma is taken for it"
    assert [note in answer for answer in own] == [False, False, True, False, False, False]
    assert "the namelist cfg is one of several: give MODULE::cfg" in own[5]


def test_a_namelist_of_a_common_block(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """No variable of its name outside of the module, as one in a library, is its variable."""
    source = """\
module ma
  integer :: c = 5
  namelist /cfg/ c
end module
module mc
  integer :: c
  common /block/ c
  namelist /cfg/ c
end module
subroutine user
  use mc
""" + CRASH + """\
program prog
  call user
end program
"""  # fmt: skip
    build(tmp_path, {"a.f90": source}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    own = answers(None, with_core(tool, tmp_path), ["frame 0", "print cfg", "print ma::cfg"])
    where = "where c is in the common block block"
    unknown = f"( c = <error: the debug information does not say {where}> )"
    assert values_in(own) == [f"$1 = {unknown}", "$2 = ( c = 5 )"]


EXTENDED = """\
module shapes
  type :: point
    real :: x
  end type
  type, extends(point) :: solid
    real :: z
  end type
contains
  subroutine stop_here(body)
    type(solid), intent(inout) :: body
    integer, pointer :: nowhere
    nullify(nowhere)
    body%z = 2
    nowhere = 1
  end subroutine
end module

program types
  use shapes
  type(solid) :: mine
  mine%x = 1
  call stop_here(mine)
end program
"""


def test_a_member_that_a_type_of_a_module_lacks(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The type was looked up as a class of C++ whose members may be functions, and missed."""
    build(tmp_path, {"a.f90": EXTENDED}, [[tool("gfortran"), "-g", "-O0", "-o", "a", "a.f90"]])
    files = with_core(tool, tmp_path)
    commands = ["frame 0", "print body%y", "print body%point%x", "whatis body%y", "print body%Z"]
    assert answers(None, files, commands)[1:] == answers(tool("gdb"), files, commands)[1:]


LOST_DESCRIPTORS = """\
subroutine fill(n, total)
  integer, intent(in) :: n
  real, intent(out) :: total
  real, allocatable :: work(:), grid(:, :)
  integer :: i
  allocate(work(n), grid(n, 2*n))
  do i = 1, n
    work(i) = i
    grid(i, :) = i
  end do
  total = sum(work) + sum(grid)
  call stop_here(total)
  deallocate(work)
end subroutine

program descriptors
  real :: total
  call fill(5, total)
end program
"""
STOP = """\
subroutine stop_here(total)
  real :: total
  real, pointer :: nowhere
  nullify(nowhere)
  nowhere = total
end subroutine
"""


def test_types_of_arrays_whose_descriptors_are_optimized_out(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The type of such a variable is the declared one; the size needs the bounds."""
    gfortran = tool("gfortran")
    build(tmp_path, {"a.f90": LOST_DESCRIPTORS, "stop.f90": STOP}, [
        [gfortran, "-g", "-O0", "-c", "stop.f90"],
        [gfortran, "-g", "-O2", "a.f90", "stop.o", "-o", "a"],
    ])  # fmt: skip
    files = with_core(tool, tmp_path)
    commands = ["frame 1", "whatis work", "ptype work", "whatis grid", "ptype grid"]
    own = answers(None, files, commands)
    assert own[1:] == answers(tool("gdb"), files, commands)[1:]
    assert own[-1] == "ptype grid\ntype = real(kind=4), allocatable (:,:)\n"
    element, size = answers(None, files, ["frame 1", "whatis work(1)", "print sizeof(grid)"])[1:]
    assert element == "whatis work(1)\ntype = real(kind=4)\n"
    assert "\nvalue has been optimized out: DW_AT_lower_bound: " in size


LOGICALS = """\
program logicals
  logical(1) :: a(6)
  logical(2) :: b(6)
  logical(4) :: c(6), flag
  logical(8) :: d(6)
  integer(1) :: ia(6)
  integer(2) :: ib(6)
  integer(4) :: ic(6), number
  integer(8) :: id(6)
  integer, pointer :: nowhere
  equivalence (a, ia), (b, ib), (c, ic), (d, id), (flag, number)
  ia = [0, 1, 2, 8, -1, -127]; ib = [0, 1, 2, 256, -1, -32767]; number = 8
  ic = [0, 1, 2, 65536, -1, -2147483647]; id = [0_8, 1_8, 2_8, 4294967296_8, -1_8, -2_8]
  print *, a
  print *, b
  print *, c
  print *, d
  print *, flag
  flush(6)
  nullify(nowhere)
  nowhere = 1
end program
"""


def test_logical_values_are_those_of_the_program(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """libgfortran writes T for any number but 0, and GDB `.TRUE.`."""
    make = [tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]
    build(tmp_path, {"a.f90": LOGICALS}, [make])
    written = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=False).stdout
    files = with_core(tool, tmp_path)
    commands = [f"print {name}" for name in ("a", "b", "c", "d", "flag", "c(4)")]
    commands += ["print .not. flag", "print/d c", "print/x d", "info locals"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    letters = {".FALSE.": "F", ".TRUE.": "T"}
    shown = [[letters[word] for word in re.findall(r"\.[A-Z]+\.", text)] for text in own[:5]]
    assert shown == [line.split() for line in written.splitlines()]
