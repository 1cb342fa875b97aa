"""Names of the entries of a unit are read without objects for these, each string once."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.names.qualified import canonical
from dwarfgpu.dwarf.scope import declarations
from dwarfgpu.dwarf.scope.declarations import declared
from dwarfgpu.dwarf.scope.scope_entries import UNKNOWN_NAME
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import open_object
from tests.dwarf.builder import FIXTURES
from tests.dwarf.test_name_filter import FILES


@pytest.mark.parametrize("path", FILES[::3], ids=lambda path: path.name)
def test_names_are_those_of_the_entries(path: Path) -> None:
    for unit in DebugInfo.of(open_object(path)).units:
        try:
            entries = [unit.die(index) for index in range(len(unit.tree.offsets))]
        except DwarfGpuError:
            continue
        name_of = declarations._name_reader(unit)
        for index, entry in enumerate(entries):
            if dw.AT_NAME not in entry.abbreviation.positions:
                continue
            try:
                expected = canonical(entry.string(dw.AT_NAME) or "")
            except DwarfGpuError:
                with pytest.raises(DwarfGpuError):
                    name_of(index, entry.abbreviation)
                continue
            assert name_of(index, entry.abbreviation) == expected


def test_each_string_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    [unit, *_] = DebugInfo.of(open_object(FIXTURES / "x86_64/demo.gcc.O2.v5")).units
    strings: list[tuple[str, int]] = []
    entries: list[int] = []
    string, die = Sections.string, CompilationUnit.die

    def counted_string(self: Sections, section: str, offset: int) -> bytes:
        strings.append((section, offset))
        return string(self, section, offset)

    def counted_die(self: CompilationUnit, index: int) -> object:
        entries.append(index)
        return die(self, index)

    monkeypatch.setattr(Sections, "string", counted_string)
    monkeypatch.setattr(CompilationUnit, "die", counted_die)
    declared.cache_clear()
    by_name = declared(unit).by_name
    assert UNKNOWN_NAME not in by_name and "main" in by_name
    names = [section for section, _ in strings if section == ".debug_str"]
    assert len(names) == len({at for section, at in strings if section == ".debug_str"})
    assert len(entries) < sum(map(len, by_name.values()))
