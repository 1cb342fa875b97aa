"""Random objects of random types of C and C++ are printed as by the installed GDB.

`tools/differential_values.py` runs more seeds.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.test_gdb_sessions import gdb_version
from tests.view.value_differential import differences


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_same_as_gdb(tool: Callable[[str], str], tmp_path: Path, seed: int) -> None:
    """Odd seeds are of C, even ones of C++."""
    gdb, compiler = tool("gdb"), tool("g++" if seed % 2 == 0 else "gcc")
    if not gdb_version().startswith("13."):
        pytest.skip("GDB 16 ends equal characters at the limit")
    try:
        compared, result = differences(seed, seed % 2 == 0, tmp_path, compiler, gdb)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the compiler does not build the program: {error.stderr.splitlines()[:1]}")
    assert compared == 200
    assert not result, f"seed {seed}\n" + "\n".join(map(str, result))
