"""What names mean in procedures of Fortran, by the sentences of Fortran 2018: each procedure of the
programs prints what its names mean there, and is asked for them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.repl.side_by_side import answers, build, with_core

Tool: TypeAlias = Callable[[str], str]
Values: TypeAlias = Mapping[tuple[str, str], str]

MAIN = """\
program main
  use host
  call s
end program
"""
"""Ends a source whose module `host` has the procedure `s` that stops."""
MODULES = """\
module base
  implicit none
  integer :: x = 1, tol = 2, deep = 3
  integer, private :: secret = 4
  integer, parameter :: limit = 5
end module
module hides
  use base
  implicit none
  private
  integer, public :: level = 11
  integer :: count = 12
  integer, parameter :: size_of = 13
end module
module shows
  use base, dx => x
  implicit none
  integer :: level = 21
contains
  subroutine show(next)
    external next
    print *, 'show dx', dx
    call next('show')
  end subroutine
end module
module other
  implicit none
  integer :: q = 31, level = 32
end module
"""
PROGRAM = """\
module host
  use other, only: level
  implicit none
  integer :: x = 101, tol = 102, count = 103, secret = 104, limit = 105, deep = 106
  integer, parameter :: size_of = 107
contains
  subroutine whole
    use base
    print *, 'whole x', x
    print *, 'whole tol', tol
    print *, 'whole count', count
    print *, 'whole secret', secret
    print *, 'whole limit', limit
    call step('whole')
  end subroutine
  subroutine renamed
    use base, mx => x
    print *, 'renamed x', x
    print *, 'renamed mx', mx
    print *, 'renamed tol', tol
    call step('renamed')
  end subroutine
  subroutine twice
    use base, mx => x
    use base, mt => tol
    print *, 'twice x', x
    print *, 'twice mx', mx
    print *, 'twice tol', tol
    print *, 'twice mt', mt
    call step('twice')
  end subroutine
  subroutine listed
    use base, only: tol, x2 => x
    print *, 'listed x', x
    print *, 'listed x2', x2
    print *, 'listed tol', tol
    call step('listed')
  end subroutine
  subroutine swapped
    use base, x => tol, tol => x
    print *, 'swapped x', x
    print *, 'swapped tol', tol
    call step('swapped')
  end subroutine
  subroutine private_of_used
    use hides
    print *, 'private_of_used count', count
    print *, 'private_of_used level', level
    print *, 'private_of_used tol', tol
    print *, 'private_of_used size_of', size_of
    call step('private_of_used')
  end subroutine
  subroutine through
    use shows
    print *, 'through dx', dx
    print *, 'through x', x
    print *, 'through level', level
    print *, 'through deep', deep
    call step('through')
  end subroutine
  subroutine of_host
    print *, 'of_host level', level
    print *, 'of_host x', x
    call step('of_host')
  end subroutine
  subroutine outer
    use base, only: deep
    integer :: mine, tol
    mine = 201; tol = 202
    call inner
  contains
    subroutine inner
      use base, only: x
      use shows, only: level
      print *, 'inner x', x
      print *, 'inner level', level
      print *, 'inner tol', tol
      print *, 'inner mine', mine
      print *, 'inner deep', deep
      call step('inner')
      mine = x
    end subroutine
  end subroutine
end module
subroutine outside
  use other, only: level
  implicit none
  integer :: q, x, tol
  q = 301; x = 302; tol = 303
  call within
  q = x + tol
contains
  subroutine within
    use other
    use base, only: x
    print *, 'within q', q
    print *, 'within x', x
    print *, 'within tol', tol
    print *, 'within level', level
    call step('within')
    q = tol
  end subroutine
end subroutine
program main
  use host
  implicit none
  call step('main')
end program
subroutine step(from)
  use host
  use shows, only: show
  implicit none
  external again
  character(*) from
  select case (from)
  case ('main'); call whole
  case ('whole'); call renamed
  case ('renamed'); call twice
  case ('twice'); call listed
  case ('listed'); call swapped
  case ('swapped'); call private_of_used
  case ('private_of_used'); call through
  case ('through'); call of_host
  case ('of_host'); call outer
  case ('inner'); call outside
  case ('within'); call show(again)
  case default; call flush; call abort
  end select
end subroutine
subroutine again(from)
  character(*) from
  call step(from)
end subroutine
"""
NOT_SAID = {
    ("whole", "limit"),  # a constant, which has no symbol
    ("private_of_used", "tol"),  # what the used module uses
    ("private_of_used", "size_of"),
    ("through", "deep"),
}
"""Where nothing says whether a module keeps a name private."""
DOUBTED = {
    ("whole", "x"), ("whole", "tol"), ("renamed", "tol"), ("private_of_used", "level"),
    ("through", "level"), ("within", "q"),
}  # fmt: skip
"""Where a note names what the name would be if the module did not show it."""


def _printed(folder: Path) -> Values:
    """Return what the procedures of the program `a` print of their names."""
    done = subprocess.run(["./a"], cwd=folder, capture_output=True, text=True, check=False)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {
        (line[0], line[1]): line[2] for line in lines if len(line) == 3 and line[0].isidentifier()
    }


def _asked(gdb: str | None, files: list[str], names: Iterable[tuple[str, str]]) -> Values:
    asked = [*names]
    commands = [line for where, name in asked for line in (f"frame function {where}", f"p {name}")]
    shown = [answer.partition("\n")[2] for answer in answers(gdb, files, commands)[1::2]]
    return dict(zip(asked, shown, strict=True))


def _value(answer: str) -> str:
    return answer.partition("\n")[0].rpartition("= ")[2]


@pytest.fixture(name="one_file", scope="module")
def _one_file(
    tool: Tool, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Values, Values, Values]:
    """What the program prints, and the answers of dwarfgpu and of GDB."""
    folder = tmp_path_factory.mktemp("names")
    compiler = [tool("gfortran"), "-g", "-O0", "-fno-backtrace"]
    build(folder, {"a.f90": MODULES + PROGRAM}, [[*compiler, "-o", "a", "a.f90"]])
    printed = _printed(folder)
    files = with_core(tool, folder)
    return printed, _asked(None, files, printed), _asked(tool("gdb"), files, printed)


def test_every_name_means_what_the_program_prints(
    one_file: tuple[Values, Values, Values],
) -> None:
    """14.2.2: `use` makes the public entities of a module accessible, a renamed one by its local
    name alone, and with `only` those that it lists. 19.5.1.4: the host's entity of such a name is
    inaccessible."""
    printed, ours, _ = one_file
    assert len(printed) == 37
    known = {key: _value(ours[key]) for key in printed if key not in NOT_SAID}
    assert known == {key: value for key, value in printed.items() if key not in NOT_SAID}
    assert {key for key in printed if "note: " in ours[key]} == DOUBTED
    note = "note: level is shows::level, which host::through uses: other::level has the name, too\n"
    assert ours["through", "level"].endswith(f"= 21\n{note}")
    note = "note: q is other::q, which outside::within uses: outside::q has the name, too\n"
    assert ours["within", "q"].endswith(f"= 31\n{note}")


def test_nothing_says_what_is_private(one_file: tuple[Values, Values, Values]) -> None:
    """The public entities are those without PRIVATE, which no debug information describes."""
    _, ours, of_gdb = one_file
    text = '"tol" is ambiguous here: it is base::tol or host::tol, and the debug information does '
    text += "not say what the modules keep private\n"
    assert ours["private_of_used", "tol"] == text
    assert all(" is ambiguous here: " in ours[key] for key in NOT_SAID)
    assert _value(of_gdb["through", "deep"]) == "106"  # and the program prints 3
    assert _value(of_gdb["private_of_used", "tol"]) == "102"  # as the program


def test_names_that_gdb_takes_for_others(one_file: tuple[Values, Values, Values]) -> None:
    """GDB 13 has the names of the host first, and reads no renaming without `only`."""
    printed, _, of_gdb = one_file
    wrong = {key for key in printed if _value(of_gdb[key]) != printed[key]} - NOT_SAID
    assert wrong <= {
        ("whole", "x"), ("whole", "tol"), ("renamed", "tol"), ("within", "q"), ("swapped", "x"),
        ("swapped", "tol"),
    }  # fmt: skip


def _program(tool: Tool, folder: Path, *sources: str, other: str | None = None) -> list[str]:
    """Build a program of Fortran files, and perhaps one of C, and return it and its core file."""
    files = {f"{index}.f90": source for index, source in enumerate(sources)}
    commands = [[tool("gfortran"), "-g", "-O0", "-c", name] for name in files]
    if other is not None:
        files["c.c"] = other
        commands.append([tool("gcc"), "-g", "-O0", "-c", "c.c"])
    objects = [f"{name.partition('.')[0]}.o" for name in files]
    build(folder, files, [*commands, [tool("gfortran"), "-o", "a", *objects]])
    return with_core(tool, folder)


def test_what_a_command_says_of_an_ambiguous_name(tool: Tool, tmp_path: Path) -> None:
    source = MODULES + """\
module host
  integer :: tol = 10
contains
  subroutine s
    use hides
    print *, tol, level
    call abort
  end subroutine
end module
""" + MAIN  # fmt: skip
    files = _program(tool, tmp_path, source)
    names = ["TOL", "level", "hides::count", "hides::tol", "shows::dx", "shows::x", "host::tol"]
    commands = ["frame function s", *(f"p {name}" for name in names)]
    commands += ["whatis tol", "info address tol", "p tol = 3", "p base::tol"]
    shown = [answer.partition("\n")[2] for answer in answers(None, files, commands)][1:]
    ambiguous = '"tol" is ambiguous here: it is base::tol or host::tol, and the debug information '
    ambiguous += "does not say what the modules keep private\n"
    assert shown[:6] == [
        ambiguous, "$1 = 11\n", "$2 = 12\n", "$3 = 2\n", "$4 = 1\n",
        'No symbol "x" in namespace "shows". Did you mean "x"?\n',
    ]  # fmt: skip
    assert shown[6:] == ["$5 = 10\n", ambiguous, ambiguous, ambiguous, "$6 = 2\n"]


def test_what_a_used_module_lists(tool: Tool, tmp_path: Path) -> None:
    """It may keep that private, whatever the symbol of the variable says."""
    source = MODULES + """\
module picks
  use base, only: deep, x2 => x
  implicit none
  private
  public :: show_it
contains
  subroutine show_it
    print *, 'show_it deep', deep
    print *, 'show_it x2', x2
  end subroutine
end module
module host
  implicit none
  integer :: deep = 30, x2 = 31
contains
  subroutine s
    use picks
    call show_it
    print *, 's deep', deep
    print *, 's x2', x2
    call flush
    call abort
  end subroutine
end module
""" + MAIN  # fmt: skip
    files = _program(tool, tmp_path, source)
    printed = _printed(tmp_path)
    assert (printed["s", "deep"], printed["s", "x2"]) == ("30", "31")
    ours = _asked(None, files, [("s", "deep"), ("s", "x2")])
    assert ours["s", "deep"].startswith('"deep" is ambiguous here: it is base::deep or host::deep')
    assert ours["s", "x2"].startswith('"x2" is ambiguous here: it is base::x or host::x2, and')


def test_internal_procedures(tool: Tool, tmp_path: Path) -> None:
    """19.3: the name of an internal procedure is one of its host; GDB has it only inside."""
    build(tmp_path, {"a.f90": MODULES + PROGRAM}, [[tool("gfortran"), "-g", "-o", "a", "a.f90"]])
    commands = ["frame function within", "p within", "p inner", "up", "p within"]
    shown = answers(None, with_core(tool, tmp_path), commands)
    assert shown[1].endswith(" <outside::within>\n") and shown[4].endswith(" <outside::within>\n")
    assert 'No symbol "inner" in current context.' in shown[2]


def test_a_name_that_a_module_alone_keeps_private(tool: Tool, tmp_path: Path) -> None:
    """It has no other meaning. What is renamed has none."""
    source = MODULES + """\
subroutine s
  use hides
  print *, level
  call t
end subroutine
subroutine t
  use base, mx => x
  print *, mx
  call abort
end subroutine
program main
  call s
end program
"""  # fmt: skip
    files = _program(tool, tmp_path, source)
    commands = ["frame function s", "p count", "frame function t", "p secret", "p mx", "p x"]
    shown = [answer.partition("\n")[2] for answer in answers(None, files, commands)]
    assert [_value(shown[index]) for index in (1, 3, 4)] == ["12", "4", "1"]
    assert shown[5].startswith('No symbol "x" in current context.')


def test_a_submodule(tool: Tool, tmp_path: Path) -> None:
    """14.2.3: the host of a submodule is the module that it extends, with all that it keeps
    private."""
    module = """\
module host
  use base, only: x
  implicit none
  integer, private :: own = 1
  integer :: hidden = 2, limit = 3
  interface
    module subroutine s
    end subroutine
  end interface
end module
"""
    submodules = """\
submodule (host) middle
  implicit none
  integer :: hidden = 12, between = 13
end submodule
submodule (host:middle) last
  implicit none
  integer :: limit = 23
contains
  module subroutine s
    print *, 's own', own
    print *, 's hidden', hidden
    print *, 's between', between
    print *, 's limit', limit
    call flush
    call abort
  end subroutine
end submodule
"""
    program = "program main\n  use host\n  call s\nend program\n"
    files = _program(tool, tmp_path, MODULES + module, submodules, program)
    printed = _printed(tmp_path)
    assert printed == {
        ("s", "own"): "1", ("s", "hidden"): "12", ("s", "between"): "13", ("s", "limit"): "23",
    }  # fmt: skip
    ours = _asked(None, files, printed)
    assert {key: answer.partition("= ")[2] for key, answer in ours.items()} == {
        key: f"{value}\n" for key, value in printed.items()
    }


COMMON = """\
module m
  integer ca, cb
  common /blk/ ca, cb
end module
"""
OF_COMMON = (
    """\
module host
  integer :: ca = 70, own = 71
contains
  subroutine s
    use m
    ca = 2; cb = 3
    call abort
  end subroutine
end module
"""
    + MAIN
)


def test_variables_of_a_common_block_of_a_module(tool: Tool, tmp_path: Path) -> None:
    """gfortran describes none of them, or, where `only` names one, not where it is."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    commands = ["frame function s", "p ca", "p cb", "p own"]
    listed = OF_COMMON.replace("use m", "use m, only: ca, cb")
    first = answers(None, _program(tool, folders[0], COMMON + OF_COMMON), commands)[1:]
    note = "ca is host::ca, unless a variable of the common block blk of m has the name: the debug "
    assert f"$1 = 70\nnote: {note}" in first[0]
    assert 'No symbol "cb" in current context.' in first[1]
    second = answers(None, _program(tool, folders[1], COMMON, listed), commands)[1:]
    where = "the debug information does not say where {} is in the common block blk\n"
    assert [answer.partition("\n")[2] for answer in second[:2]] == [
        where.format("ca"), where.format("cb")
    ]  # fmt: skip


def test_a_renaming_that_the_compiler_leaves_out(tool: Tool, tmp_path: Path) -> None:
    """gfortran does, where the module is of another file and nothing refers to the name: the note
    names the variable that the program prints."""
    procedure = (
        """\
module host
  integer :: x = 101
contains
  subroutine s
    use base, mx => x
    print *, x
    call abort
  end subroutine
end module
"""
        + MAIN
    )
    files = _program(tool, tmp_path, MODULES, procedure)
    [_, shown] = answers(None, files, ["frame function s", "p x"])
    assert shown.endswith("note: x is base::x, which host::s uses: host::x has the name, too\n")


def test_a_static_variable_of_c(tool: Tool, tmp_path: Path) -> None:
    """A procedure of Fortran cannot mean it; a constant that `only` names is not described."""
    procedure = """\
subroutine s
  use base, only: most => limit
  print *, most
  call stop_here
end subroutine
program main
  call s
end program
"""
    c = "#include <stdlib.h>\nstatic int most = 7; int shown = 8;\n"
    c += "void stop_here_(void) { if (most + shown) abort(); }\n"
    files = _program(tool, tmp_path, MODULES, procedure, other=c)
    shown = answers(None, files, ["frame function s", "p most", "p shown"])[1:]
    note = "note: most is the static variable of c.c, which the code here cannot mean\n"
    assert shown[0].endswith(f"= 7\n{note}")
    assert shown[1].endswith("= 8\n")


def test_a_type_that_only_names(tool: Tool, tmp_path: Path) -> None:
    """gfortran describes no use of it: a type of C that another file has must not be meant."""
    procedures = """\
module forms
  type node
    integer :: v, w, x
  end type
end module
subroutine s
  use forms, only: node
  type(node) :: first
  first = node(1, 2, 3)
  call stop_here(first)
end subroutine
program main
  call s
end program
"""
    c = "#include <stdlib.h>\ntypedef struct t *node; node shown;\n"
    c += "void stop_here_(void *p) { shown = p; abort(); }\n"
    files = _program(tool, tmp_path, procedures, other=c)
    shown = answers(None, files, ["frame function s", "p sizeof(node)", "whatis node"])[1:]
    note = "note: node is the type forms::node, if the code here uses it\n"
    assert shown[0].endswith(f"\n$1 = 12\n{note}")
    assert shown[1].endswith("\ntype = Type node\n")


OF_LIBRARY = """\
module cfg
  implicit none
  private
  integer :: depth = 11
  integer, public :: level = 12
  public :: setup
contains
  subroutine setup
    depth = depth + 1
  end subroutine
end module
module phys
  implicit none
  integer :: depth = 21, level = 22
contains
  subroutine step
    use cfg
    call setup
    print *, 'step depth', depth
    print *, 'step level', level
    call flush
    call abort
  end subroutine
end module
subroutine enter
  use phys
  call step
end subroutine
"""


@pytest.mark.parametrize("exported", [None, "__cfg_MOD_setup; enter_", "enter_"])
def test_symbols_that_the_linker_of_a_library_made_local(
    tool: Tool, tmp_path: Path, exported: str | None
) -> None:
    """GNU ld does so to hidden ones, and also to others if a script of versions does not name them:
    then nothing says which variables of a module are private."""
    compiler = [tool("gfortran"), "-g", "-O0", "-fno-backtrace"]
    script = f"{{ global: {exported or '*'}; local: *; }};\n"
    options = [] if exported is None else ["-Wl,--version-script=script"]
    files = {"lib.f90": OF_LIBRARY, "a.f90": "call enter\nend\n", "script": script}
    build(tmp_path, files, [
        [*compiler, "-fPIC", "-shared", *options, "-o", "libown.so", "lib.f90"],
        [*compiler, "-o", "a", "a.f90", f"{tmp_path}/libown.so"],
    ])  # fmt: skip
    core = with_core(tool, tmp_path)
    assert _printed(tmp_path) == {("step", "depth"): "21", ("step", "level"): "12"}
    ours = _asked(None, core, [("step", "depth"), ("step", "level"), ("step", "cfg::depth")])
    depth, level, qualified = ours.values()
    if exported is None:
        note = "note: depth is phys::depth, unless cfg::depth is public: its symbol is local, as "
        assert depth == f"$1 = 21\n{note}GNU ld makes those of private variables\n"
        assert level.startswith("$2 = 12\nnote: level is cfg::level, which phys::step uses: ")
    else:
        assert " is ambiguous here: it is cfg::depth or phys::depth, and" in depth
        assert " is ambiguous here: it is cfg::level or phys::level, and" in level
    assert qualified.endswith("= 12\n") and "note: " not in qualified
