"""Names of types are spelled as GDB spells them: random declarations, and GDB 13's answers.

`tools/gdb_type_names.py --record` wrote them; it compares many more where GDB is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tools.gdb_type_names import COMPILERS, HEADS, compiled, declared_name

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("gdb_type_names.txt").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("language", [*HEADS])
def test_names(language: str, tmp_path: Path, tool: Callable[[str], str]) -> None:
    tool(COMPILERS[language][0])
    rows = [row[1:] for row in ROWS if row[0] == language]
    assert len(rows) > 50
    declarations = [*dict.fromkeys(declaration for _, declaration, _ in rows)]
    program, kept = compiled(language, declarations, tmp_path)
    assert kept == declarations
    words = [
        word
        for verb, declaration, _ in rows
        for word in ("-ex", f"{verb} t_{declared_name(declaration)}")
    ]
    done = run("debug", "--batch", "-q", str(program), "-ex", "list main", *words)
    names = [line.removeprefix("type = ") for line in done.lines if line.startswith("type = ")]
    assert [*zip(rows, names, strict=True)] == [(row, row[2]) for row in rows]
