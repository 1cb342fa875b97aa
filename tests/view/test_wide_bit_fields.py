"""Bit-fields that are wider than their type: the other bits are padding (C++ class.bit).

The bytes and the values are those of GDB 13 for `struct S { int m:40; char c; bool b:9; }`, as
clang 19 describes it: DW_AT_bit_size is 40 and 9.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import Shape, state_in

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
SIZE = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
BITS = ((dw.AT_BIT_SIZE, dw.FORM_DATA1), (dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1))
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (), True),
    Shape(dw.TAG_BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, dw.FORM_DATA1))),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, SIZE), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, *BITS)),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]
INT, BOOL, STRUCT = (at.to_bytes(4, "little") for at in (13, 20, 28))
"""Where the types are."""
ENTRIES = (
    b"\1\2int\0\4\5\2bool\0\1\2"
    + b"\3S\0\x08"
    + b"\4m\0" + INT + b"\x28\0"
    + b"\4b\0" + BOOL + b"\x09\x28"
    + b"\0"
    + b"\5s\0" + STRUCT + b"\x0a\x9e\x08\xfb\xff\xff\xff\x55\x01\xff\xff"
    + b"\0"
)  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "text"), [("s", "{m = -5, b = true}"), ("s.m", "-5"), ("s.b", "true")]
)
def test_the_padding_is_no_part_of_the_value(tmp_path: Path, expression: str, text: str) -> None:
    state = state_in(tmp_path, ENTRIES, SHAPES)
    shown = run("debug", "-q", "--batch", "--state", state, "-ex", f"print {expression}")
    assert f"$1 = {text}" in shown.lines
    if expression == "s":
        answer = json.loads(run("eval", "--json", "--state", state, "s").out)
        assert [member["value"] for member in answer["data"]["members"]] == [-5, True]


def test_the_declaration_shows_the_width(tmp_path: Path) -> None:
    state = state_in(tmp_path, ENTRIES, SHAPES)
    shown = run("debug", "-q", "--batch", "--state", state, "-ex", "ptype s")
    assert "    int m : 40;" in shown.lines and "    bool b : 9;" in shown.lines
