"""A short run of `tools/gdb_expressions.py`, the first commands of each of its tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.repl.test_gdb_sessions import gdb_version
from tools import gdb_expressions

COUNT = 30


@pytest.mark.parametrize("number", range(len([*gdb_expressions.sections()])))
def test_the_answers_are_gdbs_or_explained(number: int, tmp_path: Path) -> None:
    source, frame, asked = [*gdb_expressions.sections()][number]
    [compiler, *_] = gdb_expressions.COMPILERS[Path(source).suffix]
    if not gdb_version().startswith("13.") or shutil.which(compiler) is None:
        pytest.skip(f"needs GDB 13 and {compiler}")
    assert not gdb_expressions.compared(source, frame, asked[:COUNT], tmp_path)
