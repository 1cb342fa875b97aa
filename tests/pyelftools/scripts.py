"""What scripts of pyelftools have: an `ELFFile` of a fixture, its `CodeObject`, and DIEs."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu.dwarf.code_object import CodeObject

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

elffile = pytest.importorskip("elftools.elf.elffile")


def opened(name: str) -> tuple[Any, CodeObject]:
    """The `ELFFile` of a fixture, and its code object."""
    elf = elffile.ELFFile(BytesIO((FIXTURES / name).read_bytes()))
    return elf, dg.CodeObject.from_elffile(elf)


def dies(elf: Any) -> Iterator[Any]:
    """Every DIE of a file, those of type units too."""
    dwarf = elf.get_dwarf_info(relocate_dwarf_sections=elf["e_machine"] != "EM_AMDGPU")
    units = [
        *dwarf.iter_CUs(),
        *(dwarf.iter_TUs() if getattr(dwarf, "debug_types_sec", None) else ()),
    ]
    for unit in units:
        yield from (die for die in unit.iter_DIEs() if die.tag is not None)


def named(elf: Any, name: str, tag: str = "DW_TAG_variable") -> Any:
    """The first DIE of a name and tag that has a location."""
    for die in dies(elf):
        own = die.attributes.get("DW_AT_name")
        is_named = own is not None and own.value == name.encode()
        if die.tag == tag and is_named and "DW_AT_location" in die.attributes:
            return die
    raise KeyError(name)
