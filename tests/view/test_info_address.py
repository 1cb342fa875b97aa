"""Descriptions of locations for `info scope` and `info address`: their work is bounded."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.expr.context import ExprLoc, UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.explicit_context import ExplicitUnit
from dwarfgpu.view.info_address import Describer
from tests.cli.command import run

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


LONG = 1 << 20_000
"""More digits than Python converts to text."""
FRAME = ExprLoc(b"\x76" + encode_sleb(-LONG), UNIT)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (b"\x10" + encode_uleb(LONG) + b"\x9f", "DW_OP_constu (a number of 20001 bits)"),
        (b"\x11" + encode_sleb(-LONG) + b"\x9f", "DW_OP_consts (a number of 20001 bits)"),
        (b"\x76" + encode_sleb(LONG), "DW_OP_breg6 (a number of 20001 bits) [$rbp]"),
        (b"\x92\6" + encode_sleb(LONG), "[$rbp] offset (a number of 20001 bits)"),
        (b"\x91" + encode_sleb(5), "offset (a number of 20001 bits)+5"),
        (b"\x10" + encode_uleb((1 << 64) - 1), "DW_OP_constu 18446744073709551615"),
        (b"\x9e" + encode_uleb(50_000) + bytes(50_000), "DW_OP_implicit_value 0xc350 0x00 0x00"),
    ],
)
def test_long_operands(location: bytes, expected: str) -> None:
    """Of numbers that no address has, and blocks of a whole section, only the size is of use."""
    describer = Describer(architecture("x86_64"), "program", FRAME)
    text = describer.text(ExprLoc(location, UNIT))
    assert expected in text and len(text) < 1_100


def test_the_offset_of_a_thread_local_variable_in_split_dwarf() -> None:
    """The operand of DW_OP_constx is an index, as GDB reads it."""
    unit = ExplicitUnit(UnitFormat(), AMD, addresses={2: 0x18})
    text = Describer(architecture("x86_64"), "program").text(ExprLoc(b"\xa2\x02\x9b", unit))
    assert (
        text == "a thread-local variable at offset 0x18 in the thread-local storage for `program'"
    )


def test_a_frame_base_that_is_a_location_list(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GCC writes one before DWARF 4: GDB takes that of the entry of the block, or of the frame."""
    (tmp_path / "a.c").write_text("int main(void)\n{\n  int r = 3;\n  return r;\n}\n")
    command = [tool("gcc"), "-g", "-gdwarf-2", "-gstrict-dwarf", "-O0", "a.c", "-o", "a"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    done = run("debug", tmp_path / "a", "--batch", "-ex", "info scope main")
    place = r"a variable at frame base reg \$\w+ offset -?\d+\+-?\d+"
    assert re.fullmatch(f"Symbol r is {place}, length 4\\.", done.lines[-1]), done.out
