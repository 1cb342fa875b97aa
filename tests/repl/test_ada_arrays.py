"""Arrays of Ada by their indexes, as GDB 13 shows them."""

from __future__ import annotations

import pytest

from dwarfgpu.repl.shell import Shell
from tests.language.sessions import FIXTURES, program
from tests.repl.repl_shell import made, output_of

SHOWN = {
    "v_zero": "(0 => 10, 20, 30, 40)",
    "v_one": "(1, 2, 3)",
    "v_grid": "(0 => (0 => 1, 2, 3), (0 => 4, 5, 6))",
    "v_days": "(1, 2, 3, 4, 5)",
    "v_late": "(tue => 1, 2, 3, 4)",
    "v_colors": "(1, 2, 3, 4)",
    "v_cold": "(green => 1, 2)",
    "v_truths": "(1, 2)",
    "v_truth": "(true => 1)",
    "v_letters": "('a' => 1, 2, 3, 4)",
    "v_codes": "(1, 2, 3)",
    "v_table": "(tue => (1, 2), (3, 4))",
    "v_flags": "(0 => true, false, true, false, false, false, false, false, false)",
    "v_prices": "(0 => 1.5, -0.25)",
    "v_zeros": "(0 => (0 => 1, 2, 3, 4), (0 => 5, 6, 7, 8))",
    "v_holder": "(count => 7, items => (0 => 1, 2, 3, 4), hours => (tue => 1, 2, 3, 4), "
    "marks => (0 => true, false, false, false, false, false, false, false, false))",
    "v_zero@1": "((0 => 10, 20, 30, 40))",
    "v_zero(0)@3": "(10, 20, 30)",
    "v_one@1": "((1, 2, 3))",
    "v_zero(2..3)": "(2 => 30, 40)",
    "v_zero(0..1)": "(0 => 10, 20)",
    "v_zero(1..2)": "(20, 30)",
    "v_zero(3..2)": "()",
    "v_late(2..3)": "(wed => 2, 3)",
    "v_letters('b'..'c')": "('b' => 2, 3)",
    "v_truths(false..true)": "(1, 2)",
    "v_cold(5)": "1",
    "v_cold(7)": "2",
}
TYPES = {
    "v_days": "array (mon .. fri) of integer",
    "v_late": "array (tue .. fri) of integer",
    "v_truths": "array (boolean) of integer",
    "v_truth": "array (true .. true) of integer",
    "v_letters": "array ('a' .. 'd') of integer",
    "v_codes": """array ('["00"]' .. '["02"]') of integer""",
    "v_table": "array (tue .. wed, boolean) of integer",
    "v_zero@2": "array (1 .. 2) of bounds.zero",
}


@pytest.fixture(scope="module")
def shell() -> Shell:
    shell = made(program(FIXTURES / "ada/bounds/bounds.gcc.O0.v5"))
    output_of(shell, "set language ada", "output bounds__v_one")  # an assumption is printed once
    return shell


@pytest.mark.parametrize("expression", SHOWN)
def test_the_first_index(shell: Shell, expression: str) -> None:
    """GDB leaves out a first index of 1, and the first value of an enumeration, of Boolean and of
    characters; that of `x@3` is 1."""
    shown = output_of(shell, f"output bounds__{expression}")
    assert shown.strip() == SHOWN[expression]


def test_an_index_that_is_no_enumerator(shell: Shell) -> None:
    """The enumerators have the values 1, 5, 7 and 9."""
    assert output_of(shell, "p bounds__v_cold(6)").strip() == "array subscript out of bounds"


@pytest.mark.parametrize("expression", TYPES)
def test_the_indexes_of_a_type(shell: Shell, expression: str) -> None:
    command = "whatis" if "@" in expression else "ptype"
    shown = output_of(shell, f"{command} bounds__{expression}")
    assert shown.strip() == f"type = {TYPES[expression]}"


@pytest.mark.parametrize("name", ["v_zero", "v_days", "v_late", "v_grid"])
def test_an_array_is_no_pointer(shell: Shell, name: str) -> None:
    """As in GDB 13; the first element of `v_late` has the index 2."""
    shown = output_of(shell, f"output *bounds__{name}")
    assert shown.strip() == "Attempt to take contents of a non-pointer value."


def test_arrays_are_joined(shell: Shell) -> None:
    """`&` is an operator of numbers, too."""
    assert output_of(shell, 'output "ab" & "c"').strip() == '"abc"'
    one = output_of(shell, "output bounds__v_one").strip().strip("()")
    joined = output_of(shell, "output bounds__v_one & bounds__v_one").strip()
    assert joined.strip("()") == f"{one}, {one}"
    assert output_of(shell, "output 6 & 3").strip() == "2"
