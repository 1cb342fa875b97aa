"""Integers of Free Pascal: what its program prints for operators between all types and constants.

Law: the program that the compiler makes is the expectation; nothing is written down here. What the
compiler takes as a constant though a variable is in it, as `x mod 1`, is none here. One in five of
all is compared: five has no factor in common with the numbers of operators, of types and of what is
around them, so that each operator meets each type on either side and each of what shows types.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

VARIABLES = {
    "sh": ("ShortInt", -100), "b": ("Byte", 200), "si": ("SmallInt", -30000), "w": ("Word", 60000),
    "l": ("LongInt", -70000), "lw": ("LongWord", 4000000000), "q": ("Int64", -5000000000000),
    "qw": ("QWord", 17446744073709551615),
}  # fmt: skip
CONSTANTS = ["1", "3", "200", "70000", "5000000000", "18446744073709551615", "(-70000)",
             "Byte(100)", "LongWord(7)", "0", "(-1)", "QWord(0)"]  # fmt: skip
OPERATORS = ["+", "-", "*", "and", "or", "xor", "div", "mod", "shl", "shr", "<", "="]
AROUND = ["not ({})", "({}) shl 33", "({}) shr 31", "-({})", "({}) < -5", "({}) > qw", "{}"]
"""What shows the type of a result."""
SAMPLE = 5
FOLDED = [
    "Byte(100) shl 31", "5000000000 shl 31", "200 shl 56", "100 shl 57", "LongWord(5) shl 61",
    "4294967295 shl 32", "-5 shr 1", "-5 shr 0", "not 5", "not Byte(7)", "not QWord(7)",
    "(200 or 56) shl 33", "QWord(5) or -1", "18446744073709551615 > -1", "LongInt(5000000000)",
    "3 - QWord(5)", "-(not 5)", "7 div QWord(2)", "-7 mod 4", "(-1) and 255", "1 shl 63",
]  # fmt: skip


def _expressions() -> list[str]:
    names = list(VARIABLES)
    pairs = [*product(names, names), *product(names, CONSTANTS), *product(CONSTANTS, names)]
    made = []
    for number, ((left, right), operator) in enumerate(product(pairs, OPERATORS)):
        around = AROUND[number % len(AROUND)] if operator not in "<=" else "{}"
        zeros = {"0", "QWord(0)"}
        is_folded = {left, right} & zeros and operator in ("*", "and", "shl", "shr", "div", "mod")
        if (operator, right) != ("mod", "1") and not is_folded:
            made.append(around.format(f"{left} {operator} {right}"))
    return made[::SAMPLE] + FOLDED


def _source(expressions: list[str]) -> str:
    types = [*(kind for kind, _ in VARIABLES.values()), "Boolean"]
    outputs = [
        f"procedure put(const v: {kind}); overload; begin writeln(v) end;\n" for kind in types
    ]
    parts = [expressions[first : first + 100] for first in range(0, len(expressions), 100)]
    procedures = [
        f"procedure p{number}; begin {' '.join(f'put({text});' + chr(10) for text in part)} end;\n"
        for number, part in enumerate(parts)
    ]
    return "".join([
        "program p; {$mode objfpc}{$R-}{$Q-}\nvar\n",
        *(f"  {name}: {kind} = {value};\n" for name, (kind, value) in VARIABLES.items()),
        "  nowhere: ^LongInt = nil;\n", *outputs, *procedures,
        "begin\n  assign(output, 'printed'); rewrite(output);\n",
        *(f"  p{number};\n" for number in range(len(parts))),
        "  close(output); nowhere^ := 1;\nend.\n",
    ])  # fmt: skip


def test_integers_are_those_of_the_program(tmp_path: Path, tool: Callable[[str], str]) -> None:
    expressions = _expressions()
    build(tmp_path, {"a.pas": _source(expressions)}, [[tool("fpc"), "-gw3", "-v0", "a.pas"]])
    files = with_core(tool, tmp_path)
    printed = (tmp_path / "printed").read_text().splitlines()
    shown = answers(None, files, [f"output {text}" for text in expressions])
    values = [answer.splitlines()[-1] for answer in shown]
    pairs = zip(expressions, values, printed, strict=True)
    assert [pair for pair in pairs if pair[1].lower() != pair[2].lower()] == []


CONSTANT_TYPES = ["3", "200", "-5", "300", "-300", "40000", "70000", "-70000", "4000000000",
                  "5000000000", "18446744073709551615", "Byte(3)"]  # fmt: skip


def test_types_of_constants(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The program takes the procedure whose parameter has the type."""
    names = [kind for kind, _ in VARIABLES.values()]
    outputs = "".join(
        f"procedure put(const v: {kind}); overload; begin writeln('{kind}') end;\n"
        for kind in names
    )
    calls = "".join(f"  put({text});\n" for text in CONSTANT_TYPES)
    source = f"program p; {{$mode objfpc}}\nvar nowhere: ^LongInt = nil;\n{outputs}begin\n"
    source += "  assign(output, 'printed'); rewrite(output);\n"
    source += f"{calls}  close(output); nowhere^ := 1;\nend.\n"
    build(tmp_path, {"a.pas": source}, [[tool("fpc"), "-gw3", "-v0", "a.pas"]])
    files = with_core(tool, tmp_path)
    printed = (tmp_path / "printed").read_text().splitlines()
    shown = answers(None, files, [f"whatis {text}" for text in CONSTANT_TYPES])
    assert [text.splitlines()[-1] for text in shown] == [f"type = {kind}" for kind in printed]
