"""Arithmetic on fixed-point numbers of Ada, and the order of its arrays, at the prompt."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import ada_with_core, answers, last_lines

SOURCE = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type Fx is delta 0.125 range -4095.0 .. 4095.0;
   for Fx'Size use 16;
   type Fd is delta 0.01 digits 9;
   type Odd is delta 0.75 range -60.0 .. 60.0;
   for Odd'Small use 0.75;
   type Ints is array (Integer range <>) of Integer;
   type Bits is array (1 .. 12) of Boolean with Pack;
   type Reals is array (1 .. 2) of Float;
   procedure Stop
     (X, Y : Fx; D, E : Fd; S, T : Odd; V, W : Ints; B, C : Bits; R : Reals)
   is
      Q01 : Fx := X + Y;
      Q02 : Fx := X - Y;
      Q03 : Fx := -X;
      Q04 : Fx := abs Y;
      Q05 : Fx := X + 0.3;
      Q06 : Fx := 1.0 - X;
      Q07 : Fx := Fx'Max (X, Y);
      Q08 : Fx := Fx'Min (X, 1.5);
      Q09 : Fd := D + E;
      Q10 : Odd := S - T;
      Q11 : Boolean := V < W;
      Q12 : Boolean := W <= V;
      Q13 : Boolean := B > C;
      Q14 : Boolean := V (2 .. 3) < V;
      Q15 : Boolean := V (3 .. 2) >= W;
      Q16 : Boolean := V >= V;
   begin
      C_Abort;
      if Q16 and R (1) > 0.0 then null; end if;
   end Stop;
begin
   Stop (3.375, -2.5, 123.45, -0.07, 2.25, -3.75, (2 => 10, 3 => -20, 4 => 30),
         (0 => 10, 1 => 2), (1 | 3 => True, others => False), (2 | 3 => True, others => False),
         (1.0, 2.0));
end Example;
"""
RESULTS = {
    "q01": "x + y", "q02": "x - y", "q03": "-x", "q04": "abs y", "q05": "x + 0.3", "q06": "1.0 - x",
    "q07": "fx'max(x, y)", "q08": "fx'min(x, 1.5)", "q09": "d + e", "q10": "s - t",
    "q11": "v < w", "q12": "w <= v", "q13": "b > c", "q14": "v(2 .. 3) < v",
    "q15": "v(3 .. 2) >= w", "q16": "v >= v",
}  # fmt: skip
"""By the variable that has the program's result."""
REFUSED = {
    "x * y": "Unsupported: arithmetic on the fixed-point type example.fx",
    "x + d": "Unsupported: arithmetic on the fixed-point type example.fx",
    "r < r": "Invalid type combination in ordering comparison.",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """Gives the program and its core file."""
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCE)


def test_results_are_those_of_the_program(files: list[str]) -> None:
    pairs = [text for pair in RESULTS.items() for text in pair]
    asked = ["frame function stop", *(f"output {text}" for text in pairs)]
    shown = last_lines(files, asked)[1:]
    assert dict(zip(RESULTS, shown[1::2], strict=True)) == dict(
        zip(RESULTS, shown[::2], strict=True)
    )
    assert shown[::2][:2] == ["0.875", "5.875"]


def test_results_that_the_type_does_not_hold(files: list[str]) -> None:
    """They wrap: 4095 + 4095 is 8192 - 2."""
    said = answers(None, files, ["frame function stop", "print fx'(4095.0) + fx'(4095.0)"])[1]
    assert said.splitlines()[-1].endswith("= -2")
    assert "the result overflows example.fx, where Ada raises Constraint_Error" in said


@pytest.mark.parametrize(
    ("expression", "shown", "ordinary"),
    [
        ("fd(float'(r(1)) * 0.7)", "0.69", "0.7"),
        ("fd(r(1) / 3.0)", "0.33", None),
        ("fx(r(1) / 3.0)", "0.375", None),
    ],
)
def test_a_decimal_type_is_assumed_where_it_makes_a_difference(
    files: list[str], expression: str, shown: str, ordinary: str | None
) -> None:
    """0.7 of a Float is less; both readings are those of Ada 2012 4.6."""
    said = answers(None, files, ["frame function stop", f"output {expression}"])[1]
    assert said.splitlines()[-1] == shown
    assert ("is taken for a decimal type" in said) == (ordinary is not None)
    assert ordinary is None or f"for an ordinary one this is {ordinary}" in said


def test_other_operands_are_refused(files: list[str]) -> None:
    asked = ["frame function stop", *(f"output {text}" for text in REFUSED)]
    assert dict(zip(REFUSED, last_lines(files, asked)[1:], strict=True)) == REFUSED
    assert last_lines(files, ["frame function stop", "whatis x + y"])[1] == "type = example.fx"
