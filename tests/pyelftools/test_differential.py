"""Every description of the fixtures: the entry and the bytes that pyelftools has, and its text."""

from __future__ import annotations

import re
from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.pyelftools import dis
from dwarfgpu.pyelftools.attribute import described
from dwarfgpu.pyelftools.entry_of_die import entry_of
from tests.pyelftools.scripts import dies, opened

dwarf_expr = pytest.importorskip("elftools.dwarf.dwarf_expr")
locationlists = pytest.importorskip("elftools.dwarf.locationlists")

FILES = [
    "x86_64/demo.gcc.O0.v4", "x86_64/demo.gcc.O2.v4", "x86_64/demo.gcc.O2.v5",
    "x86_64/demo.clang.O2.v5", "x86_64/meanings.clang-types.O0.v5", "split/types-gcc4/prog",
    "split/dwz5/prog", "objects/placed.clang.o", "objects/placed.gcc.o", "aarch64/stacks.gcc.O2",
    "aarch64_be/fields.clang.O0.v5", "fortran/shapes.gcc.O0.v5", "ada/shapes.gcc.O0.v5",
    "hip/nest.gfx942.O2.v5.co", "hip/nest.gfx942.O2.v5.dw64.co", "hip/nest.gfx1100.O2.v4.co",
    "asm/legacy.gfx942.v5.co", "asm/locations.gfx942.v4.co", "triton/loops.gfx1250.co",
    "llvm24/call.gfx942.O2.co",
]  # fmt: skip
BLOCKS = ("DW_FORM_exprloc", "DW_FORM_block", "DW_FORM_block1", "DW_FORM_block2")
DESCRIBED = ("DW_AT_location", "DW_AT_frame_base", "DW_AT_data_member_location", "DW_AT_call_value")


def all_of(name: str) -> list[tuple[Any, Any, CodeObject]]:
    """The descriptions of a file, with their DIEs."""
    elf, code = opened(name)
    return [
        (attribute, die, code)
        for die in dies(elf)
        for number, attribute in die.attributes.items()
        if number in DESCRIBED
    ]


def parsed_list(attribute: Any, die: Any) -> list[Any]:
    """The entries with an expression of a location list, as pyelftools reads it."""
    parser = locationlists.LocationParser(die.dwarfinfo.location_lists())
    entries = parser.parse_from_attribute(attribute, die.cu["version"], die)
    return [entry for entry in entries if hasattr(entry, "loc_expr")]


@pytest.mark.parametrize("name", FILES)
def test_a_die_is_the_entry_with_the_same_descriptions(name: str) -> None:
    count = 0
    for attribute, die, code in all_of(name):
        entry = entry_of(die, code)
        assert entry.offset == die.offset
        match described(attribute, die, entry).source:
            case int(number):
                assert number == attribute.value
            case ExprLoc(expression=data):
                # The sections of an unlinked file are placed, those of pyelftools are all at 0.
                is_same = data == bytes(attribute.value)
                assert is_same or (data[:1] == b"\x03" and code.file.is_relocatable)
                count += 1
            case LocList(entries=entries, empty=empty):
                theirs = [bytes(entry.loc_expr) for entry in parsed_list(attribute, die)]
                ours = [entry.expression for entry in (*entries, *empty)]
                assert sorted(ours) == sorted(theirs)
                count += len(ours)
    assert count >= 3


@pytest.mark.parametrize("name", FILES)
def test_the_text_is_that_of_the_operations_of_pyelftools(name: str) -> None:
    compared, refused = 0, 0
    for attribute, die, code in all_of(name):
        if attribute.form in BLOCKS:
            expressions = [attribute.value]
        elif isinstance(described(attribute, die, entry_of(die, code)).source, LocList):
            expressions = [entry.loc_expr for entry in parsed_list(attribute, die)]
        else:
            continue
        unit = entry_of(die, code).unit
        for expression in expressions:
            text = dis(expression, die, code)
            bytes_of_text = dg.assemble(text, unit.dialect, unit.format, code.info.architecture)
            if bytes_of_text != bytes(expression):  # a number was padded
                assert len(bytes_of_text) < len(expression)
            try:
                parsed = dwarf_expr.DWARFExprParser(die.cu.structs).parse_expr(expression)
            except KeyError:  # an operation that pyelftools does not know
                refused += 1
                continue
            words = [re.split(r"[ (]", line)[0] for line in text.split(", ") if "DW_OP_" in line]
            assert words == [item.op_name for item in parsed]
            if bytes_of_text == bytes(expression):
                assert dis(parsed, die, code) == text
            else:
                with pytest.raises(dg.UsageError, match="do not follow from the parsed"):
                    dis(parsed, die, code)
            compared += 1
    assert compared + refused >= 3
    assert bool(refused) == name.startswith("asm/")
