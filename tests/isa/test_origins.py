"""The source of each instruction, by ranges: the same as looked up one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.function_names import name_in_frames
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.service.code.disassembly import Disassembly

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FILES = ("hip/nest.gfx942.O2.v5.co", "hip/library.gfx1100.O2.v5.co", "hip/call.gfx90a.O0.v5.co")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("backwards", [False, True])
def test_origins(name: str, backwards: bool) -> None:
    made = Disassembly(CodeObject.open(FIXTURES / name, 0x7000))
    pcs = [pc for item in made.ranges for pc in range(item.begin, item.end, 4)]
    for pc in reversed(pcs) if backwards else pcs:
        chain = made.code_object.scopes.chain_at(pc)
        names = [name_in_frames(die) or "?" for die in chain if die.tag in FUNCTIONS]
        origin = made.origin(pc)
        assert origin.inlined == tuple(reversed(names))
        assert origin.line == made.lines.line_of(pc)
    assert any(len(made.origin(pc).inlined) > 1 for pc in pcs) == ("O2" in name)
