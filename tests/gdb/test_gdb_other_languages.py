"""`compare` in Fortran and D, whose names and values GDB reads or shows in its own ways."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.gdb.debugger import Debugger

FORTRAN = """\
subroutine stop_here(n)
  integer :: n
  integer :: loc(n), kind, size
  real(8) :: real, integer
  kind = 3
  loc = 5
  size = 7
  real = 2.5
  integer = 3.5
  n = kind + loc(1) + size + int(real) + int(integer)
end subroutine

program p
  integer :: n
  n = 3
  call stop_here(n)
end program
"""


def compared(debugger: Debugger, compiler: str, source: Path, text: str, line: int) -> str:
    """What `dwarfgpu compare` says where a program stops at a line."""
    source.write_text(text)
    program = source.with_suffix("")
    command = [compiler, "-g", "-O0", source.name, "-o", program.name]
    subprocess.run(command, cwd=source.parent, check=True, timeout=120)
    code = 'print(gdb.execute("dwarfgpu compare", to_string=True))'
    return debugger.python(code, f"break {source.name}:{line}", "run", file=program)


def test_names_that_gdb_reads_in_another_way(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As intrinsic functions or types. They are compared by GDB's value of the symbol."""
    out = compared(debugger, tool("gfortran"), tmp_path / "a.f90", FORTRAN, 10)
    assert "6 variables of 1 frame: 6 are the same, 0 differ for a known reason, 0 differ" in out


D = """\
enum Color { red = 1, green }
struct Pair { int number; int[] items; }
class Thing { int held = 3; }
int stop(string text, int[] items, Thing thing)
{
    Color color = Color.green;
    Pair pair = Pair(1, items);
    return cast(int) (text.length + pair.items.length + thing.held + color);
}
int main() { return stop("text", [1, 2, 3], new Thing); }
"""


def test_slices_and_names_of_d(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB shows the elements of a slice; with the same length and pointer it is the same."""
    out = compared(debugger, tool("gdc"), tmp_path / "a.d", D, 8)
    assert 'text: GDB has "text", dwarfgpu {length = 4, ptr = ' in out
    assert ", 0 differ\n" in out and out.count("(the same, worded differently)") == 5
