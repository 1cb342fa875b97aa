"""Entries of a unit by name: a few names are looked for in its bytes, for more all are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import canonical
from dwarfgpu.dwarf.scope.declarations import _is_of_function
from dwarfgpu.dwarf.scope.global_variables import own_globals_of
from dwarfgpu.dwarf.scope.named_entries import _COMPLETED, _MAX_SEARCHES, NamedEntries
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, UNKNOWN_NAME, UNREADABLE_NAME
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
        name_of = NamedEntries(unit)._name_of
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


@pytest.mark.parametrize("path", FILES[::5], ids=lambda path: path.name)
def test_global_variables_of_a_name_are_those_of_all(path: Path) -> None:
    info = DebugInfo.of(open_object(path))
    for unit in info.units:
        try:
            every = list(own_globals_of(unit))
        except DwarfGpuError:
            continue
        names = {canonical(variable.name): None for variable in every}
        for name in [*names][:8]:
            accepted = {name, UNKNOWN_NAME, UNREADABLE_NAME}
            expected = [variable for variable in every if canonical(variable.name) in accepted]
            assert list(own_globals_of(unit, {name})) == expected


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
    by_name = NamedEntries(unit).by_name
    assert UNKNOWN_NAME not in by_name and "main" in by_name
    names = [section for section, _ in strings if section == ".debug_str"]
    assert len(names) == len({at for section, at in strings if section == ".debug_str"})
    assert len(entries) < sum(map(len, by_name.values()))


def shown(unit: CompilationUnit) -> bool:
    return NamedEntries(unit)._shows_names


@pytest.mark.parametrize("path", FILES[::2], ids=lambda path: path.name)
def test_a_name_that_is_looked_for_has_the_entries_of_all_names(path: Path) -> None:
    for unit in DebugInfo.of(open_object(path)).units[:8]:
        try:
            by_name = NamedEntries(unit).by_name
        except DwarfGpuError:
            continue
        names = list(by_name)
        for name in [*names[:: len(names) // 10 + 1], "no_such_name", "int", "unsigned"]:
            entries = NamedEntries(unit)
            assert tuple(entries.with_name(name)) == by_name.get(name, ()), name


def test_there_are_units_of_both_kinds() -> None:
    """Whose bytes show the names, and those whose names are indexed or in other units."""
    units = [unit for path in FILES[::3] for unit in DebugInfo.of(open_object(path)).units]
    readable = [unit for unit in units if not unit.header.is_type_unit]
    assert len(list(filter(shown, readable))) > 10
    assert any(not shown(unit) for unit in readable)


def unit_of(path: str) -> CompilationUnit:
    """A unit whose entries have not been read."""
    return DebugInfo.of(open_object(FIXTURES / path)).units[0]


def test_few_names_are_read_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = unit_of("x86_64/demo.gcc.O2.v5")
    read: list[int] = []
    names = NamedEntries._names

    def counted(self: NamedEntries, index: int, abbreviation: Abbreviation) -> Iterator[str]:
        read.append(index)
        return names(self, index, abbreviation)

    monkeypatch.setattr(NamedEntries, "_names", counted)
    entries = NamedEntries(unit)
    for name in ("no_such_name", "neither"):
        assert entries.with_name(name) == ()
        assert entries.templates(name) == []
    assert entries.imports == () and "tree" not in vars(unit) and not read
    [main] = entries.with_name("main")
    assert read == [main]
    assert "by_name" not in vars(entries)


def test_many_names_are_read_once() -> None:
    entries = NamedEntries(unit_of("x86_64/demo.gcc.O2.v5"))
    searches = 0
    while "by_name" not in vars(entries):
        entries.with_name(f"name{searches}")
        searches += 1
    assert searches == _MAX_SEARCHES + 1
    assert len(entries.with_name("main")) == 1


def test_a_name_at_the_end_of_many_strings_is_not_looked_for() -> None:
    unit = unit_of("x86_64/demo.gcc.O2.v5")
    strings = b"".join(b"%dmain\0" % number for number in range(40))
    unit.sections._data[".debug_str"] = unit.sections.section(".debug_str") + strings
    entries = NamedEntries(unit)
    assert len(entries.with_name("main")) == 1
    assert "by_name" in vars(entries)


def test_instances_of_templates_are_found_by_their_names() -> None:
    """The bytes say only that a unit has none: the names are those of all entries."""
    count = 0
    for path in FILES[::5]:
        for unit in DebugInfo.of(open_object(path)).units[:2]:
            keys = NamedEntries(unit).by_name
            instances = {key.partition("<")[0] for key in keys if "<" in key}
            for name in [*sorted(instances)[:5], "main", "no_such_name"]:
                found = [key for key in keys if key.startswith(f"{name}<")]
                assert NamedEntries(unit).templates(name) == found
                count += bool(found)
    assert count > 5


@pytest.mark.parametrize("searches", [0, 10_000])
def test_entries_that_complete_others_are_those_with_the_reference(
    searches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few are looked for in the bytes, the others in a table."""
    monkeypatch.setattr("dwarfgpu.dwarf.scope.named_entries._MAX_SEARCHES", searches)
    units = [DebugInfo.of(open_object(path)).units[:1] for path in FILES[::6]]
    count = 0
    for unit in (unit for first in units for unit in first):
        expected: dict[Die, list[int]] = {}
        for index, abbreviation in enumerate(unit.tree.abbreviations):
            for name in _COMPLETED.get(abbreviation.tag, ()):
                try:
                    origin = unit.die(index).reference(name)
                except DwarfGpuError:
                    break
                if origin is not None:
                    expected.setdefault(origin, []).append(index)
        entries = NamedEntries(unit)
        assert all([*entries.completing(die)] == found for die, found in expected.items())
        assert not entries.completing(unit.root)
        count += len(expected)
    assert count > 5


@pytest.mark.parametrize("path", FILES[::3], ids=lambda path: path.name)
def test_local_variables_are_left_out_without_a_look_at_each(path: Path) -> None:
    for unit in DebugInfo.of(open_object(path)).units:
        entries = NamedEntries(unit)
        try:
            names = [*entries.by_name]
        except DwarfGpuError:
            continue
        for name in names[:: 1 + len(names) // 200]:
            kept = {*entries.outside_functions(name)}
            for index in entries.with_name(name):
                die = unit.die(index)
                if index not in kept:
                    assert _is_of_function(die)
                elif not die.abbreviation.positions.keys() & {
                    dw.AT_SPECIFICATION,
                    dw.AT_ABSTRACT_ORIGIN,
                }:
                    assert not _is_of_function(die) or _is_in_inlined_code(die)


def _is_in_inlined_code(die: Die) -> bool:
    scope = die.parent()
    while scope is not None and scope.tag in BLOCKS:
        if dw.AT_ABSTRACT_ORIGIN in scope.abbreviation.positions:
            return True
        scope = scope.parent()
    return False
