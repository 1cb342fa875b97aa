"""A dialect is known without the operations; their tables are made where they are decoded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dwarfgpu.expr.dialect.dialect import AMD, DIALECTS, UPSTREAM_CLANG, Dialect
from dwarfgpu.expr.dialect.encodings import encodings


def modules_after(imported: str) -> set[str]:
    code = f"import sys, {imported}\nprint(*(name for name in sys.modules if 'dwarfgpu' in name))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("imported", ["dwarfgpu.expr.dialect.dialect", "dwarfgpu.expr.context"])
def test_a_context_and_its_dialect_load_no_operation(imported: str) -> None:
    loaded = modules_after(imported)
    assert imported in loaded
    assert not loaded & {"dwarfgpu.expr.operation", "dwarfgpu.expr.ops"}


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=str)
def test_every_dialect_has_encodings(dialect: Dialect) -> None:
    result = encodings(dialect)
    assert result.by_code and set(result.codes) == {item.name for item in result.by_code.values()}
    assert all(result.by_code[code].name == name for name, code in result.codes.items())


def test_upstream_clang_has_the_encodings_of_amd() -> None:
    assert encodings(UPSTREAM_CLANG) is encodings(AMD)
