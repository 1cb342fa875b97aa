"""Complex numbers as arms of `?:`: gcc gives the value and the size of the type."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import build, last_lines

DATA = """\
_Complex double cd = 1.5 + 2.5i, *pcd = &cd; _Complex float cf = 2.25f + 3.5fi;
_Complex long double cl = 1 + 2i; long double ld = 8; float fl = 2; long n = -3;
enum E { A, B } e = B; char ch = 'a'; struct { int f : 3; } bits = { -2 };
int yes = 1, no = 0;
"""
PAIRS = (
    ("cd", "2"), ("cd", "cf"), ("cf", "1.0f"), ("cf", "1.0"), ("cf", "ld"), ("cf", "cl"),
    ("cl", "cd"), ("cd", "(_Complex float)1"), ("n", "cf"), ("e", "cd"), ("ch", "cf"), ("cd", "cd"),
    ("bits.f", "cf"), ("*pcd", "fl"), ("1.5fi", "1.5"), ("cd", "yes"),
)  # fmt: skip
CONDITIONALS = [
    f"({choice} ? {arms[0]} : {arms[1]}){after}"
    for pair in PAIRS
    for arms in (pair, pair[::-1])
    for choice in ("yes", "no")
    for after in ("", " * 2")
]
TYPES = ("float _Complex", "double _Complex", "long double _Complex")


def test_values_and_types(tmp_path: Path, tool: Callable[[str], str]) -> None:
    names = ", ".join(f'{name}: "{name}"' for name in TYPES)
    show = (
        f"#define SHOW(x) printf(_Generic((x), {names}));"
        ' printf(": %Lg + %Lgi\\n", (long double) __real__ (x), (long double) __imag__ (x));\n'
    )
    body = "\n".join(f"  SHOW({text})" for text in CONDITIONALS)
    source = f"#include <stdio.h>\n{DATA}{show}int main(void) {{\n{body}\n}}\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-w", "-g", "a.c", "-o", "a"]])
    run = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True, timeout=60)
    lines = [line.split(": ") for line in run.stdout.splitlines()]
    files = [str(tmp_path / "a")]
    values = last_lines(files, [f"output {text}" for text in CONDITIONALS])
    sizes = last_lines(files, [f"output sizeof({text})" for text in CONDITIONALS])
    expected = {"float _Complex": "8", "double _Complex": "16", "long double _Complex": "32"}
    for text, (type_, value), ours, size in zip(CONDITIONALS, lines, values, sizes, strict=True):
        assert (text, ours, size) == (text, value, expected[type_])


@pytest.mark.parametrize("other", ["bits", "pcd"])
def test_arms_without_a_common_type(other: str, tmp_path: Path, tool: Callable[[str], str]) -> None:
    source = f"{DATA}int main(void) {{ return 0; }}\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "a.c", "-o", "a"]])
    [said] = last_lines([str(tmp_path / "a")], [f"print 1 ? cd : {other}"])
    assert said.startswith("Type mismatch in conditional expression: `complex double' and ")
