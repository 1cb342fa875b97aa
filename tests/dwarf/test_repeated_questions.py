"""What is asked of one program location again and again is found once."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope import by_pc
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
