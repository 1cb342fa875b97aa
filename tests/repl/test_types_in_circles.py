"""Types that are damaged into circles: each command ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import Shape, state_in

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
PC = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1), *PC), True),
    Shape(dw.TAG_CONST_TYPE, (TYPE,)),
    Shape(dw.TAG_VOLATILE_TYPE, (TYPE,)),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(dw.TAG_SUBPROGRAM, (NAME, TYPE, *PC)),
]
CODE = (0x1000).to_bytes(8, "little") + (16).to_bytes(4, "little")
CONST = 12 + 1 + 1 + len(CODE)
VOLATILE, STRUCTURE = CONST + 5, CONST + 10


def reference(offset: int) -> bytes:
    return offset.to_bytes(4, "little")


AT = b"\x09\x03" + (0x1000).to_bytes(8, "little")
ENTRIES = (
    b"\1\4" + CODE
    + b"\2" + reference(VOLATILE) + b"\3" + reference(CONST)
    + b"\4S\0\4" + b"\5m\0" + reference(CONST) + b"\0\0"
    + b"\6v\0" + reference(CONST) + AT + b"\6w\0" + reference(STRUCTURE) + AT
    + b"\7main\0" + reference(CONST) + CODE + b"\0"
)  # fmt: skip


@pytest.mark.parametrize("command", [
    "info variables", "info functions", "info types", "info scope main", "info line main",
    "print v", "ptype v", "ptype w", "ptype/o w", "ptype/o struct S", "whatis main", "print main",
    "break main",
])  # fmt: skip
def test_qualifiers_of_each_other(tmp_path: Path, command: str) -> None:
    state = state_in(tmp_path, ENTRIES, SHAPES)
    done = run("debug", "-q", "--batch", "--state", state, "-ex", command, "-ex", "echo end")
    assert done.out.endswith("end")
