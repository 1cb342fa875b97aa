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


def test_names_that_gdb_reads_in_another_way(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As intrinsic functions or types. They are compared by GDB's value of the symbol."""
    (tmp_path / "a.f90").write_text(FORTRAN)
    command = [tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    code = 'print(gdb.execute("dwarfgpu compare", to_string=True))'
    out = debugger.python(code, "break 10", "run", file=tmp_path / "a")
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
    (tmp_path / "a.d").write_text(D)
    command = [tool("gdc"), "-g", "-O0", "a.d", "-o", "a"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    code = 'print(gdb.execute("dwarfgpu compare", to_string=True))'
    out = debugger.python(code, "break a.d:8", "run", file=tmp_path / "a")
    assert 'text: GDB has "text", dwarfgpu {length = 4, ptr = ' in out
    assert ", 0 differ\n" in out and out.count("(the same, worded differently)") == 5
