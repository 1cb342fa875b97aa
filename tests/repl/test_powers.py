"""Powers of real numbers: what programs of gfortran, GNAT and LDC compute, also of zeros,
infinities and NaN.

Law: the program that the compiler makes is the expectation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

from tests.repl.side_by_side import ada_with_core, answers, build, fortran_with_core, with_core

NUMBERS = ["0.0", "-0.0", "1.0", "-1.0", "0.5", "-0.5", "2.0", "-2.0", "1e308"]
INTEGERS = [0, 1, -1, 2, -2, 3, 65, -65, 16777217]
"""16777217 is odd, but no number of 32 bits with a binary point."""
COUNT = len(NUMBERS) + 3
"""Besides ∞, -∞ and NaN."""


def shown(files: list[str], expressions: list[str]) -> list[str]:
    """Return the answers; a NaN is one whatever its bits are."""
    said = answers(None, files, [f"output {text}" for text in expressions])
    return [re.sub(r"-?nan\(.*\)", "nan", text.splitlines()[-1]) for text in said]


def compare(files: list[str], own: list[str], of_program: list[str]) -> None:
    values = shown(files, own + of_program)
    pairs = zip(own, values[: len(own)], values[len(own) :], strict=True)
    assert [pair for pair in pairs if pair[1] != pair[2]] == []


FORTRAN = f"""\
program a
 use ieee_arithmetic
 implicit none
 real(8) :: v({COUNT}), r({COUNT}, {COUNT}), s({len(INTEGERS)}, {COUNT})
 real(4) :: f({COUNT}), t({len(INTEGERS)}, {COUNT})
 integer :: i, j, k({len(INTEGERS)}) = [{", ".join(map(str, INTEGERS))}]
 v(:{len(NUMBERS)}) = [{", ".join(text if "e" in text else f"{text}d0" for text in NUMBERS)}]
 v({COUNT - 2}) = ieee_value(1d0, ieee_positive_inf)
 v({COUNT - 1}) = ieee_value(1d0, ieee_negative_inf)
 v({COUNT}) = ieee_value(1d0, ieee_quiet_nan)
 f = real(v, 4)
 do i = 1, {COUNT}
  do j = 1, {COUNT}
   r(j, i) = v(i)**v(j)
  end do
  do j = 1, {len(INTEGERS)}
   s(j, i) = v(i)**k(j)
   t(j, i) = f(i)**k(j)
  end do
 end do
 call abort()
end program
""".replace("1e308", "1d308")


def test_fortran(tmp_path: Path, tool: Callable[[str], str]) -> None:
    files = fortran_with_core(tool, tmp_path, FORTRAN)
    files = [*files, "-ex", "frame function a"]
    reals = [*product(range(1, COUNT + 1), repeat=2)]
    mixed = [*product(range(1, COUNT + 1), range(1, len(INTEGERS) + 1))]
    compare(
        files,
        [f"v({i})**v({j})" for i, j in reals]
        + [f"{x}({i})**k({j})" for x in "vf" for i, j in mixed],
        [f"r({j},{i})" for i, j in reals] + [f"{x}({j},{i})" for x in "st" for i, j in mixed],
    )


D = f"""\
module m; import std.math;
int main() {{
    double[{COUNT}] v = [{", ".join(NUMBERS)}, double.infinity, -double.infinity, double.nan];
    double[{COUNT}][{COUNT}] r; double[{len(INTEGERS)}][{COUNT}] s;
    int[{len(INTEGERS)}] k = {INTEGERS};
    foreach (i; 0 .. {COUNT}) {{
        foreach (j; 0 .. {COUNT}) r[i][j] = v[i] ^^ v[j];
        foreach (j; 0 .. {len(INTEGERS)}) s[i][j] = v[i] ^^ k[j];
    }}
    int* nowhere; *nowhere = 1;
    return cast(int) (r[0][0] + s[0][0]);
}}
"""


def test_d(tmp_path: Path, tool: Callable[[str], str]) -> None:
    tool("gcc")  # ldc2 links with it
    build(tmp_path, {"a.d": D}, [[tool("ldc2"), "-g", "a.d", "-of=a"]])
    files = with_core(tool, tmp_path)
    reals = [*product(range(COUNT), repeat=2)]
    mixed = [*product(range(COUNT), range(len(INTEGERS)))]
    compare(
        files,
        [f"v[{i}] ^^ v[{j}]" for i, j in reals] + [f"v[{i}] ^^ k[{j}]" for i, j in mixed],
        [f"r[{i}][{j}]" for i, j in reals] + [f"s[{i}][{j}]" for i, j in mixed],
    )


ADA = f"""\
procedure Example is
   type Numbers is array (Positive range <>) of Long_Float;
   type Powers is array (Positive range <>) of Integer;
   Zero : Long_Float := 0.0; V : Numbers (1 .. {COUNT - 1});
   K : Powers := (0, 1, -1, 2, -2, 3, 65, -65);
   R : array (V'Range, K'Range) of Long_Float;
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
begin
   V (1 .. {len(NUMBERS)}) := ({", ".join("1.0e308" if "e" in text else text for text in NUMBERS)});
   V (2) := -Zero; V (V'Last - 1) := 1.0 / Zero; V (V'Last) := -1.0 / Zero;
   for I in V'Range loop
      for J in K'Range loop
         R (I, J) := V (I) ** K (J);
      end loop;
   end loop;
   C_Abort;
end Example;
"""


def test_ada(tmp_path: Path, tool: Callable[[str], str]) -> None:
    files = [*ada_with_core(tool, tmp_path, ADA), "-ex", "frame function example"]
    pairs = [*product(range(1, COUNT), range(1, 9))]
    compare(
        files,
        [f"v({i}) ** k({j})" for i, j in pairs],
        [f"r({i},{j})" for i, j in pairs],
    )
