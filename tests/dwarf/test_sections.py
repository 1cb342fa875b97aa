"""Sections are read without units, and each part of a program is made whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.sections import Program, Sections
from dwarfgpu.dwarf.types.builder import TypeBuilder, types_of
from dwarfgpu.dwarf.unit_header import read_headers
from dwarfgpu.errors import Malformed
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import read_fixture
from tests.dwarf.programs import SPLIT

FILE = "x86_64/demo.gcc.O2.v5"


def sections(suffix: str = "") -> Sections:
    file = ObjectFile(FILE, read_fixture(FILE))
    return Sections(file, Program(file), suffix=suffix)


def test_sections_load_neither_units_nor_entries() -> None:
    names = ("unit", "die", "info", "types.builder", "line.line_table")
    code = (
        "import sys, dwarfgpu.dwarf.sections\n"
        f"print(*({{f'dwarfgpu.dwarf.{{name}}' for name in {names}}} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_a_string_and_the_abbreviations_of_a_unit() -> None:
    result = sections()
    headers, problems = read_headers(result.section(".debug_info"), result.endian)
    assert not problems
    table = result.abbreviations(headers[0].abbreviations_at, headers[0].format)
    assert dw.TAG_COMPILE_UNIT in {item.tag for item in table.values()}
    assert table is result.abbreviations(headers[0].abbreviations_at, headers[0].format)
    data = result.section(".debug_str")
    assert result.string(".debug_str", 0) == data[: data.index(b"\0")]


def test_an_offset_behind_a_string_section_names_the_section_of_the_file() -> None:
    with pytest.raises(Malformed, match=r"no string starts at \.debug_str\.dwo\+0x7"):
        sections(".dwo").string(".debug_str", 7)


def test_an_abbreviation_table_that_is_cut_short_names_the_part() -> None:
    result = sections()
    end = len(result.section(".debug_abbrev"))
    with pytest.raises(Malformed) as caught:
        result.abbreviations(end, UnitFormat())
    assert caught.value.context == f"{FILE}: .debug_abbrev table {end:#x}"


@pytest.mark.parametrize("kind", ["named", "clang5"])
def test_all_parts_share_one_program(kind: str) -> None:
    info = CodeObject.open(SPLIT / kind / "prog").info
    units = [unit.full for unit in info.units if unit.is_skeleton]
    assert units and all(unit.info is not info for unit in units)
    for unit in units:
        assert unit.info.main is info
        assert unit.sections.program is info.sections.program
        assert unit.sections.suffix == ".dwo" and unit.section == ".debug_info.dwo"
        assert types_of(unit) is info.types
    assert info.types is info.sections.program.shared(TypeBuilder)


def test_a_part_of_a_part_has_the_main_file_of_the_program() -> None:
    info = CodeObject.open(SPLIT / "named" / "prog").info
    part = info.part(Sections(info.object, info.sections.program, suffix=".dwo"))
    below = part.part(Sections(info.object, info.sections.program))
    assert part.main is info and below.main is info
