"""What is asked of one program location again and again is found once."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf import unit as unit_module
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope import by_pc
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import FIXTURES


def test_variables_at_one_location_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The frames of a recursion are at one program location; each gets a list of its own."""
    code_object = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co", 0)
    pc = 0x1690
    scans = 0
    declared_in = by_pc.declared_in

    def counted(scope: by_pc.Die) -> object:
        nonlocal scans
        scans += 1
        return declared_in(scope)

    monkeypatch.setattr(by_pc, "declared_in", counted)
    first = code_object.scopes.variables_at(pc)
    once = scans
    first.clear()
    again = code_object.scopes.variables_at(pc)
    assert again and scans == once


def test_unreadable_entries_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disassembly asks for the function at every instruction."""
    data = bytearray((FIXTURES / "x86_64/demo.gcc.O2.v5").read_bytes())
    whole = ObjectFile("whole", bytes(data))
    entries = next(section for section in whole.sections if section.name == ".debug_info")
    data[entries.offset + entries.size_bytes - 1] = 0x7F  # an abbreviation that does not exist
    damaged = tmp_path / "damaged"
    damaged.write_bytes(data)
    scopes = CodeObject.open(damaged, 0).scopes
    begin = next(symbol.address for symbol in whole.symbols if symbol.name == "main")
    reads = 0
    original = unit_module.read_tree

    def counted(*arguments: object) -> object:
        nonlocal reads
        reads += 1
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(unit_module, "read_tree", counted)
    for pc in range(begin, begin + 20):
        with pytest.raises(Malformed, match="unknown abbreviation 127"):
            scopes.subprogram_at(pc)
    assert reads == 1
