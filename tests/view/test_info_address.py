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


def test_the_offset_of_a_thread_local_variable_in_split_dwarf() -> None:
    """The operand of DW_OP_constx is an index, as GDB reads it."""
    unit = ExplicitUnit(UnitFormat(), AMD, addresses={2: 0x18})
    text = Describer(architecture("x86_64"), "program").text(ExprLoc(b"\xa2\x02\x9b", unit))
    assert (
        text == "a thread-local variable at offset 0x18 in the thread-local storage for `program'"
    )
