"""A virtual base class whose table the compiler did not keep (`docs/types.md`)."""

from __future__ import annotations

from pathlib import Path

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.expr.text.assembly import assemble
from tests.cli.command import run
from tests.dwarf.builder import Shape, state_in

_NAMED = (dw.AT_NAME, dw.FORM_STRING)
_SIZED = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
_TYPED = (dw.AT_TYPE, dw.FORM_REF1)
_SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (), True),
    Shape(dw.TAG_BASE_TYPE, (_NAMED, (dw.AT_ENCODING, dw.FORM_DATA1), _SIZED)),
    Shape(dw.TAG_CLASS_TYPE, (_NAMED, _SIZED), True),
    Shape(dw.TAG_MEMBER, (_NAMED, _TYPED, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    Shape(
        dw.TAG_INHERITANCE,
        (
            _TYPED,
            (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_EXPRLOC),
            (dw.AT_VIRTUALITY, dw.FORM_DATA1),
        ),
    ),
    Shape(dw.TAG_VARIABLE, (_NAMED, _TYPED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]
_HEADER_BYTES = 12


def _expression(text: str) -> bytes:
    code = assemble(text)
    return bytes([len(code)]) + code


def test_its_base_has_no_address(tmp_path: Path) -> None:
    """GDB's words for the base; the members beside it are shown."""
    data = b"\1"
    number = _HEADER_BYTES + len(data)
    data += b"\2int\0\5\4"
    base = _HEADER_BYTES + len(data)
    data += b"\3Base\0\4" + b"\4b\0" + bytes([number, 0]) + b"\0"
    derived = _HEADER_BYTES + len(data)
    offset = _expression("dup; deref; lit24; minus; deref; plus")
    data += b"\3Derived\0\x10" + b"\5" + bytes([base]) + offset + b"\1"
    data += b"\4d\0" + bytes([number, 8]) + b"\0"
    known = "piece 8; lit7; stack_value; piece 4; piece 4"
    data += b"\6x\0" + bytes([derived]) + _expression(known) + b"\0"
    state = state_in(tmp_path, data, _SHAPES)
    assert run("eval", "--state", state, "x").out.startswith(
        "x = {<Base> = <invalid address>, d = 7}"
    )
