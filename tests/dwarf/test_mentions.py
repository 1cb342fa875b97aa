"""A unit that is passed over in a look-up by name has no entry of that name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dwarfgpu.dwarf.info import DebugInfo
from dwarfgpu.dwarf.mentions import mentions
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import open_object
from tests.dwarf.builder import FIXTURES

FILES = sorted(
    path for path in FIXTURES.glob("*/*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"
)


def names(unit: CompilationUnit) -> Iterator[str]:
    for index in range(len(unit.tree.offsets)):
        try:
            name = unit.die(index).name
        except DwarfGpuError:
            continue
        if name is not None:
            yield name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_name_of_every_unit(path: object) -> None:
    info = DebugInfo(open_object(str(path)))
    for unit in info.units:
        try:
            found = set(names(unit))
        except DwarfGpuError:
            continue
        assert all(mentions(info, name)(unit) for name in found)


def test_units_without_a_name_are_passed_over() -> None:
    info = DebugInfo(open_object(FIXTURES / "x86_64" / "demo.gcc.O2.v5"))
    assert not any(map(mentions(info, "no_such_name"), info.units))
    assert any(map(mentions(info, "factorial"), info.units))
