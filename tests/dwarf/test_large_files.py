"""Units of large programs are read as llvm-dwarfdump prints them; `tools/readers.py` takes all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.separate_debug import find_debug_file, has_debug_info
from tests.dwarf.builder import FIXTURES
from tools.readers import DUMP, differences

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
LARGE = {
    "python3.11-dbg": Path("/usr/bin/python3.11d"),
    "libpython3.11-dbg": LIBRARIES / "libpython3.11d.so.1.0",
    "libc6-dbg": LIBRARIES / "libc.so.6",
}
"""Files of Debian packages; that of libc6 is stripped, its debug file is in the package."""
SAMPLE = 3


def is_described(path: Path) -> bool:
    file = open_object(path)
    return has_debug_info(file) or find_debug_file(file) is not None


@pytest.mark.parametrize("package", LARGE)
def test_entries_of_large_files(package: str, tool: Callable[[str], str]) -> None:
    path = LARGE[package]
    if not path.exists() or not is_described(path):
        pytest.skip(f"{path} with the debugging information of {package} is not there")
    assert list(differences(path, tool(DUMP), units=SAMPLE, seed=20)) == []


@pytest.mark.parametrize("name", sorted(p.name for p in (FIXTURES / "hip").glob("*.co")))
def test_entries_of_fixtures(name: str, tool: Callable[[str], str]) -> None:
    assert list(differences(FIXTURES / "hip" / name, tool(DUMP))) == []
