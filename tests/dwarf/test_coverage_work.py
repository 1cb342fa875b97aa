"""How much is read for coverage: what instances and variables share is read once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import sections as sections_module
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage import coverage, instances, unit_groups
from dwarfgpu.dwarf.coverage import find_variables as find_module
from dwarfgpu.dwarf.coverage.coverage import CodeScope, Extents, coverage_of
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.coverage.unit_groups import UnitGroups
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.declarations import _kept_scopes
from dwarfgpu.dwarf.section_budget import SectionBudget
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.expr.static_check.extent import Extent, extent_of
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.where import coverage_listing
from dwarfgpu.service.where.coverage_json import WhereJson
from dwarfgpu.service.where.coverage_listing import CoverageListing
from tests.dwarf.builder import (
    FIXTURES,
    Shape,
    abbreviations,
    debug_info,
    elf,
    file_of,
)
from tests.dwarf.builder import unit as unit_bytes
from tests.dwarf.test_coverage import (
    ABSTRACT,
    BASE,
    HALF,
    INLINED,
    INSTANCE,
    INT,
    INT_AT,
    LIST,
    NONE,
    ROOT,
    SHAPES,
    F,
    code,
    coverages,
    entry,
    named,
    scopes,
    word,
)
from tests.work import calls_of
from tools.bombs.catalogue import BOMBS
from tools.bombs.elf import FIRST, HERE, NAME, PLACE, program
from tools.bombs.entries import units_with_entries

ABSTRACT_AT = INT_AT + len(INT)
VARIABLES = 50


def inlined(calls: int, has_instances: bool) -> bytes:
    """A function into which one of `VARIABLES` variables is inlined so many times, with entries for
    them, or without."""
    head = bytes((ABSTRACT,)) + b"h\0"
    variable = bytes((NONE,)) + b"v\0"
    call = bytes((INLINED,)) + word(ABSTRACT_AT) + code(BASE, 8) + b"\x01"
    first = ABSTRACT_AT + len(head)
    for index in range(VARIABLES * has_instances):
        call += bytes((INSTANCE,)) + word(first + index * len(variable)) + b"\x01\x50"
    return head + variable * VARIABLES + b"\0" + F + (call + b"\0") * calls + b"\0"


@pytest.mark.parametrize(("has_instances", "most"), [(False, 12), (True, 100)])
def test_an_abstract_instance_is_read_once(has_instances: bool, most: int) -> None:
    def calls(count: int) -> int:
        result = scopes(inlined(count, has_instances))
        return calls_of(lambda: coverages(result))

    calls(1)  # what is done once
    more = calls(40) - calls(20)
    assert more <= most * 20 * VARIABLES


def test_names_are_read_once_for_all_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[int] = Counter()

    def name_of(die: Die) -> str | None:
        read[die.offset] += 1
        return die.name

    monkeypatch.setattr(instances, "name_of", name_of)
    result = coverages(scopes(inlined(10, has_instances=True)))
    assert [coverage.variable.name for coverage in result] == ["v"] * 10 * VARIABLES
    assert read.total() == VARIABLES


def test_an_expression_is_judged_once_for_a_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[bytes] = []

    def extent(data: bytes, *rest: object) -> object:
        judged.append(data)
        return extent_of(data, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(coverage, "extent_of", extent)
    result = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co")
    used: list[bytes] = []
    for item in coverages(result.scopes):
        location = item.variable.location
        if isinstance(location, LocList):
            used += [entry.expression for entry in location.entries]
        elif isinstance(location, ExprLoc):
            used.append(location.expression)
    assert len(used) > len(set(used)) == len(judged)


def test_an_extent_is_that_of_the_dialect_of_the_unit() -> None:
    """0xe9 is an operation in one dialect, and the prefix of others in another."""
    path = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    units = [
        next(iter(CodeObject.open(path, 0, name).info.units)) for name in ("amd", "amd-direct-16")
    ]
    extents = Extents()
    expression = b"\x50\xe9\x02"  # reg0, and DW_OP_LLVM_user with DW_OP_LLVM_form_aspace_address
    first, second = (extents.of(expression, unit) for unit in units)
    assert first != second
    assert first == extents.of(expression, units[0])
    for unit, one in zip(units, (first, second), strict=True):
        arch = unit.sections.program.architecture
        assert one == extent_of(expression, unit.dialect, unit.format, arch)


def test_units_that_read_expressions_alike_share_extents(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[bytes] = []

    def extent(data: bytes, *rest: object) -> object:
        judged.append(data)
        return extent_of(data, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(coverage, "extent_of", extent)
    extents = Extents()
    for name in ("amd", "amd-direct-16"):
        units = list(CodeObject.open(FIXTURES / "index/gdb.gcc", 0, name).info.units)
        assert len(units) > 1
        for unit in units:
            extents.of(b"\x50", unit)
    assert judged == [b"\x50"] * 2


def test_without_a_wave_size_registers_of_both_exist() -> None:
    """1536 is v0 in wave32, 2560 in wave64."""
    wave32, wave64, none = (b"\x90" + encode_uleb(number) for number in (1536, 2560, 15370))
    contents = {
        ".debug_info": unit_bytes(b"\1"),
        ".debug_abbrev": abbreviations(Shape(dw.TAG_COMPILE_UNIT)),
    }
    (without_kernels,) = debug_info(elf(contents, flags=0x41)).units
    (with_kernels,) = CodeObject.open(FIXTURES / "hip/nest.gfx1100.O2.v5.co").info.units
    extents = Extents()
    assert [extents.of(one, without_kernels).completeness for one in (wave32, wave64, none)] == [
        "whole", "whole", "broken",
    ]  # fmt: skip
    assert extents.of(wave32, with_kernels).completeness == "whole"
    assert extents.of(wave64, with_kernels) == Extent(
        "broken",
        reason="DW_OP_regx at offset 0x0: gfx1100 defines no DWARF register 2560: it is VGPR0 in "
        "wave64, and the wave has 32 lanes",
    )
    # The table of AArch64 is not complete.
    (cpu,) = debug_info(elf(contents, machine=183)).units
    assert extents.of(none, cpu) == Extent("whole")
    assert extents.of(none + b"\x93\4", cpu) == Extent("whole", size_bits=32)
    in_space = b"\x30\x34\xe9\2"  # lit0; lit4; LLVM_form_aspace_address
    reason = "DW_OP_LLVM_form_aspace_address at offset 0x2: aarch64 defines no address space 4"
    assert extents.of(in_space, cpu) == Extent("broken", reason=reason)


def test_variables_without_a_location_cost_no_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most variables of optimized code have none: their abbreviation shows it."""
    asked: Counter[int] = Counter()
    attribute = Die.attribute

    def counted(die: Die, name: int) -> object:
        asked[name] += 1
        return attribute(die, name)

    monkeypatch.setattr(Die, "attribute", counted)
    result = coverages(scopes(inlined(10, has_instances=False)))
    assert [item.variable.name for item in result] == ["v"] * 10 * VARIABLES
    assert not asked[dw.AT_LOCATION] and not asked[dw.AT_CONST_VALUE]
    assert asked[dw.AT_NAME] <= VARIABLES + 20  # each abstract variable once, and the functions


def listed(variables: int, expression: bytes = HALF) -> bytes:
    """A function with variables of type int that have two of their bytes in a register."""
    body = b"".join(named(LIST, b"v", word(INT_AT) + word(0)) for _ in range(variables))
    data = ROOT + INT + F + body + b"\0\0"
    return file_of(data, SHAPES, {".debug_loclists": entry(0x10, 0x20, expression) + b"\0"})


def test_the_size_of_a_type_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def counted(type_: Type | None) -> int | None:
        asked.append(type_)
        return size_bits(type_)

    monkeypatch.setattr(coverage, "size_bits", counted)
    result = coverages(Scopes(debug_info(listed(VARIABLES))))
    assert [(item.described_bytes, item.complete_bytes) for item in result] == [(16, 0)] * VARIABLES
    assert len(asked) == 1


def test_the_size_of_a_type_is_that_in_its_unit() -> None:
    """Types of two files at the same offset have different sizes."""
    data = listed(1)
    short = data.replace(INT, INT.replace(b"\0\x04", b"\0\x02"))
    assert short != data
    extents = Extents()
    for _ in range(2):
        for file, complete in ((data, 0), (short, 16)):
            (result,) = coverages(Scopes(debug_info(file)))
            again = coverage_of(result.variable, result.code_scope, extents)
            assert (again.described_bytes, again.complete_bytes) == (16, complete)
            assert again.complete == result.complete


def test_a_line_of_a_variable_costs_little() -> None:
    """Most variables of optimized code are in no location: their lines differ in names alone."""

    def calls(count: int) -> int:
        data = file_of(ROOT + INT + inlined(count, has_instances=False) + b"\0", SHAPES)
        file = CodeObject.of(ObjectFile("made.co", data))
        groups = [group for unit in find_variables(file.scopes, Wanted()) for group in unit.groups]
        listing = CoverageListing(file, None, 80)
        return calls_of(lambda: list(listing.groups([UnitGroups(None, groups)])))

    more = calls(40) - calls(20)
    assert more <= 7.5 * 20 * VARIABLES


def test_names_of_the_string_section_are_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: Counter[bytes] = Counter()
    text = SectionBudget.text

    def counted(budget: SectionBudget, data: bytes) -> str:
        decoded[data] += 1
        return text(budget, data)

    monkeypatch.setattr(SectionBudget, "text", counted)
    sections = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co").info.sections
    names = sections.section(".debug_str").split(b"\0")
    for _ in range(3):
        offset = 0
        for name in names[:-1]:
            assert sections.text(offset) == name.decode()
            offset += len(name) + 1
    assert set(decoded.values()) == {1}
    monkeypatch.setattr(sections_module, "_MAX_TEXTS", 2)
    sections = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co").info.sections
    for offset in range(12):  # also parts of names
        sections.text(offset)
        assert len(sections._texts) <= 2


def test_a_large_unit_is_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have the same functions and variables in the same order, and one heading each."""

    def answers() -> tuple[list[UnitGroups], list[str], str]:
        file = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O2.v5")
        units = list(find_variables(file.scopes, Wanted(with_functions=True)))
        lines = "\n".join(CoverageListing(file, None, 80).groups(units)).splitlines()
        return units, lines, "".join(WhereJson(file, None, True).text(units, ()))

    def listed(units: list[UnitGroups]) -> list[tuple[str, str]]:
        return [
            (group.code_scope.qualified_name if group.code_scope else "", variable.name)
            for unit in units for group in unit.groups for variable, _ in group.declared
        ]  # fmt: skip

    whole, lines, text = answers()
    assert not any("continued" in line for line in lines)
    monkeypatch.setattr(unit_groups, "_PART_ENTRIES", 1)
    parts, part_lines, part_text = answers()
    assert len(parts) > len(whole) and max(len(unit.groups) for unit in parts) < max(
        len(unit.groups) for unit in whole
    )
    assert listed(parts) == listed(whole)
    assert [scope.die.offset for unit in parts for scope in unit.functions] == [
        scope.die.offset for unit in whole for scope in unit.functions
    ]
    assert part_text == text
    monkeypatch.setattr(coverage_listing, "_MAX_LINES", 1)
    _, short_lines, _ = answers()
    for split in (part_lines, short_lines):
        assert [line for line in split if line.startswith("  ")] == [
            line for line in lines if line.startswith("  ")
        ]
    continued = [line for line in short_lines if "continued" in line]
    assert any(line.startswith("globals of ") for line in continued)
    assert any(line.endswith(": 1 variable, 100.0% described") for line in continued)


def test_functions_without_a_wanted_name_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    scope = instances.ScopeReader.scope

    def counted(
        reader: instances.ScopeReader, die: Die, parent: CodeScope | None
    ) -> tuple[CodeScope, int | None]:
        read.append(die.offset)
        return scope(reader, die, parent)

    monkeypatch.setattr(instances.ScopeReader, "scope", counted)
    for data, expected, most in (
        ((F + named(NONE, b"w") + b"\0") * 100 + F + named(NONE, b"v") + b"\0", 1, 1),
        (inlined(20, has_instances=True), 20 * VARIABLES, 22),  # names are elsewhere
        (inlined(20, has_instances=False), 20 * VARIABLES, 22),
    ):
        read.clear()
        units = find_variables(scopes(data), Wanted(("v",)))
        assert sum(len(group.declared) for unit in units for group in unit.groups) == expected
        assert len(read) <= most


@pytest.mark.parametrize(
    ("attribute", "inside", "names"),
    [
        (dw.AT_SPECIFICATION, b"", []),
        (dw.AT_SPECIFICATION, b"\4p\0", []),  # a parameter of the declaration has no code
        (dw.AT_ABSTRACT_ORIGIN, b"", []),
        (dw.AT_ABSTRACT_ORIGIN, b"\4p\0", ["p"]),  # an instance has what only its origin has
    ],
)
def test_functions_without_variables_are_not_read(
    attribute: int, inside: bytes, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a class have no entries where they are defined: a unit may have a million."""
    read: list[int] = []
    scope = instances.ScopeReader.scope

    def counted(reader: instances.ScopeReader, die: Die, parent: CodeScope | None) -> Any:
        read.append(die.offset)
        return scope(reader, die, parent)

    monkeypatch.setattr(instances.ScopeReader, "scope", counted)
    outside = Shape(dw.TAG_SUBPROGRAM, (NAME,), bool(inside))
    defined = Shape(dw.TAG_SUBPROGRAM, ((attribute, dw.FORM_REF4), *PLACE))
    parameter = Shape(dw.TAG_FORMAL_PARAMETER, (NAME,))
    declared = b"\2f\0" + (inside + b"\0" if inside else b"")
    data = program(declared + (b"\3" + word(FIRST) + HERE) * 9, outside, defined, parameter)
    result = coverages(CodeObject.of(ObjectFile("made", data)).scopes)
    assert [coverage.variable.name for coverage in result] == names * 9
    assert len([offset for offset in read if offset != FIRST]) == 9 * len(names)


def test_a_large_function_is_read_in_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No part has more of its variables than it may have, and none is read for an earlier part."""
    monkeypatch.setattr(unit_groups, "_PART_ENTRIES", 40)
    bomb = next(bomb for bomb in BOMBS if bomb.name == "locals")
    work = []
    for count in (50, 100, 1_000):
        path = tmp_path / f"{count}"
        path.write_bytes(bomb.make(count)["bomb"])
        file = CodeObject.open(path)
        [unit] = file.info.units
        assert unit.tree
        units = find_variables(file.scopes, Wanted())
        work.append(calls_of(lambda asked=units: next(asked)))
        sizes = [len(group.declared) for part in units for group in part.groups]
        assert sum(sizes) == count - 40 and max(sizes) <= 40
    assert work[2] <= work[1] + 100, work


def test_inlined_calls_of_a_large_function_are_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their variables are in the parts that are read with them, and what only the abstract
    instances have is in the last one."""

    def answers() -> tuple[Counter[tuple[str, str, str]], str, Any]:
        file = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co")
        units = list(find_variables(file.scopes, Wanted()))
        listing = CoverageListing(file, None, 80)
        lines = [*listing.groups(units), *listing.totals(None)]
        found = Counter(
            (group.code_scope.name, scope.functions[-1].name, variable.name)
            for part in units for group in part.groups for variable, scope in group.declared
            if group.code_scope is not None and scope is not None
        )  # fmt: skip
        return found, lines[-1], json.loads("".join(WhereJson(file, None, True).text(units, ())))

    found, total, data = answers()
    monkeypatch.setattr(unit_groups, "_PART_ENTRIES", 1)
    parts, parts_total, parts_data = answers()
    assert (parts, parts_total) == (found, total)
    assert parts_data["functions"] == data["functions"]
    assert parts_data["total"] == data["total"]


def test_at_a_program_location_other_functions_are_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of 66,000 functions with a variable of the name, each in a section, their addresses are."""
    path = tmp_path / "bomb"
    bomb = next(bomb for bomb in BOMBS if bomb.name == "function-sections")
    path.write_bytes(bomb.make(40)["bomb"])
    read: list[str] = []
    scope = instances.ScopeReader.scope

    def counted(reader: instances.ScopeReader, die: Die, parent: CodeScope | None) -> Any:
        read.append(str(die.name))
        return scope(reader, die, parent)

    monkeypatch.setattr(instances.ScopeReader, "scope", counted)
    query = Wanted(names=("x",), pc=2 * 9)
    units = list(find_variables(CodeObject.open(path).scopes, query))
    groups = [group for unit in units for group in unit.groups]
    assert [group.code_scope and group.code_scope.name for group in groups] == ["f9"]
    assert read == ["f9"]


def test_types_and_scopes_of_earlier_units_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may have 200,000 units: the answer is as without."""

    def answer(count: int) -> tuple[str, CodeObject]:
        data = units_with_entries(count)["bomb"]
        file = CodeObject.of(ObjectFile("made", data))
        units = find_variables(file.scopes, Wanted())
        return "".join(WhereJson(file, None, False).text(units, ())), file

    text, _ = answer(40)
    monkeypatch.setattr(find_module, "_MOST_TYPES", 5)
    again, file = answer(40)
    assert again == text and text.count('"type": "struct s"') == 40
    units = file.info.units
    assert len(types_of(units[0])._built) <= 6
    assert not any(map(len, map(_kept_scopes, units)))
