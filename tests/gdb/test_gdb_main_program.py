"""Where the frames end in programs whose main function is not `main`, as in GDB 13."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger
from tests.repl.plain_gdb import NO_DEBUG_FILES
from tests.repl.side_by_side import answers
from tests.repl.test_gdb_sessions import gdb_version

_FORTRAN = """
  integer :: x = 3
  call sub(x)
end program
subroutine sub(n)
  integer :: n
  if (n > 1) call abort()
end subroutine
"""
_FORTRAN_OF_ONE_UNIT = """
  integer :: x = 3
  call sub(x)
end program
subroutine sub(n)
  integer :: n
  integer, pointer :: p
  nullify(p)
  p = n
end subroutine
"""
"""The signal is in code of the program itself: if it is in a library, GDB 13 looks for the main
program before it has read its unit, and remembers that there is none."""
_ADA = """
procedure Hi is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Sub (N : Integer) is
   begin
      if N > 1 then
         C_Abort;
      end if;
   end Sub;
begin
   Sub (3);
end Hi;
"""
_RUST = """
fn sub(n: i32) { if n > 1 { std::process::abort() } }
fn main() { sub(std::env::args().count() as i32 + 2); }
"""


@pytest.mark.parametrize(
    ("compiler", "file", "source", "last"),
    [
        ("gfortran", "hi.f90", f"program hello{_FORTRAN_OF_ONE_UNIT}", "hello"),
        ("gfortran -gdwarf-3 -gstrict-dwarf", "hi.f90", f"program t{_FORTRAN_OF_ONE_UNIT}", "t"),
        ("gfortran", "hi.f90", _FORTRAN, "MAIN__"),
        ("gnatmake", "hi.adb", _ADA, "hi"),
        ("rustc", "hi.rs", _RUST, "main"),
    ],
)
def test_the_last_frame(
    tool: Callable[[str], str], tmp_path: Path, compiler: str, file: str, source: str, last: str
) -> None:
    gdb = [tool("gdb"), "-nx", "-q", "-batch", "-iex", NO_DEBUG_FILES]
    (tmp_path / file).write_text(source)
    program, core = tmp_path / "hi", tmp_path / "core"
    name, *options = compiler.split()
    command = [tool(name), "-g", *options, file, "-o", str(program)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"{compiler} makes no program here")
    subprocess.run([*gdb, "-ex", "run", "-ex", f"gcore {core}", "-ex", "kill", program],
                   capture_output=True, check=False)  # fmt: skip
    if not core.exists():
        pytest.skip("GDB writes no core file here")
    files = [str(program), str(core)]
    for debugger in (gdb[0], None) if gdb_version().startswith("13.") else (None,):
        (printed,) = answers(debugger, files, ["bt -1"])
        line = re.findall(r"^#[0-9]+ .*", printed, re.MULTILINE)[-1]
        found = re.match(r"#[0-9]+ +(?:0x[0-9a-f]+ in )?(\S+) \(", line)
        assert found is not None and found[1].rpartition("::")[2] == last, (debugger, line)


@pytest.mark.parametrize(
    ("compiler", "file", "source"),
    [
        ("gfortran", "hi.f90", f"program hello{_FORTRAN}"),
        ("gfortran", "hi.f90", f"program t{_FORTRAN}"),
        ("gnatmake", "hi.adb", _ADA),
    ],
)
def test_the_frames_inside_gdb_end_where_its_own_end(
    debugger: Debugger,
    tool: Callable[[str], str],
    tmp_path: Path,
    compiler: str,
    file: str,
    source: str,
) -> None:
    (tmp_path / file).write_text(source)
    program = tmp_path / "hi"
    command = [tool(compiler), "-g", file, "-o", str(program)]
    if subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip(f"{compiler} makes no program here")
    code = """
def frames(command):
    lines = [line for line in said(command).splitlines() if line.startswith("#")]
    return len(lines), [line.split()[3:5] for line in lines if " in main " in line or "hi." in line]
print(frames("bt") == frames("dwarfgpu bt"), said("dwarfgpu bt -compare").find("frame: "))
"""
    out = debugger.python(code, "run", file=program)
    assert out.split() == ["True", "-1"]


_TAGGED = """
procedure Hi is
   type Base is tagged record X : Integer := 1; end record;
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   D : Base;
begin
   if D.X = 1 then
      C_Abort;
   end if;
end Hi;
"""


def test_variables_that_gnat_made_up_are_compared(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB puts their names into `<>`: `<S26b>`."""
    (tmp_path / "hi.adb").write_text(_TAGGED)
    program = tmp_path / "hi"
    command = [tool("gnatmake"), "-g", "hi.adb", "-o", str(program)]
    if subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip("gnatmake makes no program here")
    code = """
print([symbol.name[:1] for symbol in gdb.selected_frame().block()].count("<") > 2)
print("no such variable" in said("dwarfgpu compare"))
"""
    out = debugger.python(code, "run", "frame function hi", file=program)
    assert out.split() == ["True", "False"]
