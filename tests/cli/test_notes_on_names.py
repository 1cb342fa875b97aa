"""Commands that take the name of a variable give the notes on its search that the prompt gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.objfile.build import run as run_tool
from tests.repl.side_by_side import answers, build, with_core

C = {
    "first.c": "static int level = 5, own = 1; int one(void) { return level + own; }\n",
    "second.c": "static int level = 6; int two(void) { return level; }\n",
    "main.c": """\
#include <stdlib.h>
int one(void), two(void);
int single = 7;
int main(void) { int local = one(); if (local + two() + single) abort(); }
""",
}
NOTE = "level is that of first.c: second.c has another one"
FORTRAN = """\
module base
  integer :: hits = 7, total = 8
end module
module host
  integer :: hits = 61
contains
  subroutine leaf(o)
    use base
    integer, intent(inout) :: o
    o = o + total + hits
    call abort
  end subroutine
end module
program main
  use host
  integer :: k
  k = 1
  call leaf(k)
end program
"""
NOTE_OF_FORTRAN = "hits is base::hits, which host::leaf uses: host::hits has the name, too"
KERNEL = {
    "kernel.cl": """\
int one(void), two(void);
__kernel void k(__global int *out) { out[__builtin_amdgcn_workitem_id_x()] = one() + two(); }
""",
    "first.cl": """\
static __constant int level[2] = {5, 7};
__attribute__((used)) __constant int *at(int i) { return &level[i]; }
int one(void) { return *at(1); }
""",
    "second.cl": """\
static __constant int level[2] = {6, 8};
__attribute__((used)) __constant int *of(int i) { return &level[i]; }
int two(void) { return *of(1); }
""",
}


def where(files: list[str], function: str) -> list[str]:
    """Return the program and the core file, with the option for the frame of a function."""
    [number] = re.findall(rf"^#(\d+) .* {function} \(", run("bt", *files).out, re.MULTILINE)
    return [*files, "--frame", number]


@pytest.fixture(scope="module")
def of_c(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("c")
    build(folder, C, [[tool("gcc"), "-g", "-o", "a", *C]])
    return where(with_core(tool, folder), "main")


def test_eval_gives_the_note_of_the_prompt(of_c: list[str]) -> None:
    program, core, _, number = of_c
    _, shown = answers(None, [program, core], [f"frame {number}", "print level"])
    assert shown == f"print level\n$1 = 5\nnote: {NOTE}\n"
    done = run("eval", *of_c, "level")
    assert (done.out, done.err) == ("level = 5\n", f"note: {NOTE}\n")
    assert run_json("eval", *of_c, "level").json["notes"] == [NOTE]


def test_a_note_is_given_once(of_c: list[str]) -> None:
    done = run("eval", *of_c, "level", "level + 1", "level")
    assert (done.out, done.err) == ("level = 5\nlevel + 1 = 6\nlevel = 5\n", f"note: {NOTE}\n")
    [first, second] = run_json("eval", *of_c, "level", "single").json["variables"]
    assert (first["kind"], first["notes"], second["notes"]) == ("global", [NOTE], [])


@pytest.mark.parametrize("command", ["explain", "location"])
def test_other_commands(of_c: list[str], command: str) -> None:
    assert run(command, *of_c, "level").err == f"note: {NOTE}\n"


@pytest.mark.parametrize("name", ["own", "single", "local", "one"])
def test_names_without_a_note(of_c: list[str], name: str) -> None:
    assert run("eval", *of_c, name).err == ""


@pytest.mark.parametrize("name", ["hits", "HITS"])
def test_what_a_procedure_of_fortran_uses(
    tool: Callable[[str], str], tmp_path: Path, name: str
) -> None:
    build(tmp_path, {"a.f90": FORTRAN}, [[tool("gfortran"), "-g", "-o", "a", "a.f90"]])
    files = where(with_core(tool, tmp_path), "host::leaf")
    done = run("eval", *files, name)
    assert (done.out, done.err) == (f"{name} = 7\n", f"note: {NOTE_OF_FORTRAN}\n")
    assert run("eval", *files, "total").err == ""


def test_lanes_of_a_kernel(tool: Callable[[str], str], tmp_path: Path) -> None:
    for name, text in KERNEL.items():
        (tmp_path / name).write_text(text)
        options = ["-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx942"]
        source, made = tmp_path / name, tmp_path / f"{name}.o"
        run_tool(tool("clang-19"), *options, "-nogpulib", "-g", "-O0", "-c", source, "-o", made)
    made_of = [tmp_path / f"{name}.o" for name in KERNEL]
    run_tool(tool("ld.lld-19"), "-shared", *made_of, "-o", tmp_path / "k.co")
    state = tmp_path / "state.json"
    done = run(
        "run", tmp_path / "k.co", "k", "--grid", 64, "--workgroup", 64, "--arg", "out=zeros:256",
        "--scratch", 4096, "--break", "kernel.cl:2", "--print", "level", "--save", state,
    )  # fmt: skip
    note = f"level is that of {tmp_path}/first.cl: {tmp_path}/second.cl has another one"
    assert done.err.count(f"note: {note}\n") == 1
    for command in (["lanes"], ["eval", "--lane", "all"], ["eval", "--lane", "5"]):
        asked = [*command, "--state", state, "level"]
        assert run(*asked).err.count(f"note: {note}\n") == 1, command
    assert note in run_json("lanes", "--state", state, "level").json["notes"]


INTRINSICS = {
    "first.c": "static const double huge = 2; double first(double x) { return x * huge; }\n",
    "second.c": "static const double huge = 3; double second(double x) { return x * huge; }\n",
    "a.f90": """\
program main
  integer, pointer :: nowhere
  print *, huge(1)
  nullify(nowhere)
  nowhere = huge(1)
end program
""",
}


def test_intrinsic_functions_of_fortran(tool: Callable[[str], str], tmp_path: Path) -> None:
    """The note on a variable of the name of one is for where the variable is meant."""
    of_c = [name for name in INTRINSICS if name.endswith(".c")]
    objects = [name.replace(".c", ".o") for name in of_c]
    compiled = [[tool("gcc"), "-g", "-c", name] for name in of_c]
    linked = [tool("gfortran"), "-g", "-o", "a", "a.f90", *objects]
    build(tmp_path, INTRINSICS, [*compiled, linked])
    files = with_core(tool, tmp_path)
    note = "note: huge is that of first.c: second.c has another one\n"
    done = run("eval", *files, "huge(1)", "HUGE(1.0) > huge(2)")
    assert done.out == "huge(1) = 2147483647\nHUGE(1.0) > huge(2) = .TRUE.\n"
    assert note not in done.err
    for text in ("huge", "huge + huge(1)", "huge(1) + huge"):
        assert note in run("eval", *files, text).err, text
    assert note not in answers(None, files, ["whatis huge(1)"])[0]
    assert note in answers(None, files, ["whatis huge"])[0]
