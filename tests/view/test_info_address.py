"""Descriptions of locations for `info scope` and `info address`: their work is bounded."""

from __future__ import annotations

from dwarfgpu.arch.registry import architecture
from dwarfgpu.expr.context import ExprLoc, UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.explicit_context import ExplicitUnit
from dwarfgpu.view.info_address import Describer

UNIT = ExplicitUnit(UnitFormat(), AMD)
REGISTER_PIECE = b"\x50\x93\x04"
"""DW_OP_reg0, DW_OP_piece 4."""


def test_the_pieces_of_a_location() -> None:
    describer = Describer(architecture("x86_64"), "program")
    two = describer.text(ExprLoc(REGISTER_PIECE + b"\x93\x08", UNIT))
    assert two == "a variable in $rax [4-byte piece], and an empty 8-byte piece"
    tail = describer.text(ExprLoc(REGISTER_PIECE + b"\x50", UNIT))
    assert tail == "a variable in $rax [4-byte piece], and a variable in $rax"
    many = describer.text(ExprLoc(REGISTER_PIECE * 5_000, UNIT))
    assert many.count("[4-byte piece]") == 1_000 and many.endswith(", and ...")
