"""Which readings of vector registers are warned of: those that name no lane."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD, dialect
from dwarfgpu.expr.lane_zero import lane_zero_notes
from dwarfgpu.expr.text.assembly import assemble

GFX = architecture("gfx942")
"""Its vector registers have 64 dwords, 2048 bits."""


@pytest.mark.parametrize(
    ("text", "size_bits", "registers"),
    [
        ("regx v3", 32, ["v3"]),
        ("regx v3", 2047, ["v3"]),
        ("regx v3", None, ["v3"]),
        ("regx v3", 2048, []),  # the whole register, as an array of a dword for each lane
        ("regx a3", 32, ["a3"]),
        ("regx s3", 32, []),
        ("regx v3; piece 4; regx v4; piece 4", 64, ["v3", "v4"]),
        ("regx v3; piece 256", 2048, []),
        ("regx v3; bit_piece 16, 0", 16, ["v3"]),
        ("regx v3; bit_piece 32, 64", 32, []),  # it says which dword
        ("regx v3; LLVM_offset_uconst 8", 32, []),
        ("regx v3; LLVM_push_lane; lit4; mul; LLVM_offset", 32, []),
        ("regx v3; LLVM_extend 32, 64", 2048, []),
        ("regx v3; deref_size 4; stack_value", 32, ["v3"]),
        ("regx v3; deref; stack_value", 64, ["v3"]),
        ("bregx v3, 0", 32, ["v3"]),
    ],
)
def test_which_registers(text: str, size_bits: int | None, registers: list[str]) -> None:
    program = prepare(assemble(text, AMD, arch=GFX), AMD, UnitFormat())
    notes = lane_zero_notes(program.instructions, size_bits, GFX)
    assert [note.split()[5] for note in notes] == registers


def test_not_what_upstream_clang_means() -> None:
    upstream = dialect("upstream-clang")
    program = prepare(assemble("regx v3", upstream, arch=GFX), upstream, UnitFormat())
    assert lane_zero_notes(program.instructions, 32, GFX) == ()
