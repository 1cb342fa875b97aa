"""Values of functions in Go point to a closure, which begins with the address of the code."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
SIZE = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1), *CODE), True),
    Shape(dw.TAG_SUBROUTINE_TYPE, (NAME, SIZE)),
    Shape(dw.TAG_TYPEDEF, (NAME, TYPE)),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(dw.TAG_SUBPROGRAM, (NAME, *CODE)),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, SIZE), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
]
HEADER_BYTES = 12
TEXT, HANDLER, CLOSURE = 0x1000, 0x2000, 0x2010
DATA = struct.pack("<4Q", CLOSURE, 0, TEXT + 8, 3)


def program(folder: Path) -> Path:
    """`main.handler` of the type `main.Handler`: a function value, and a null one."""
    out = b"\1main\0" + bytes([dw.LANG_GO]) + struct.pack("<QI", TEXT, 16)
    function_at = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\2func()\0\x08"
    named_at = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\3func()\0" + function_at
    handler_at = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\6main.Handler\0\x10" + b"\7run\0" + named_at + b"\0\7stop\0" + named_at + b"\x08\0"
    out += b"\4main.handler\0" + handler_at + b"\x09\3" + struct.pack("<Q", HANDLER)
    out += b"\5main.main\0" + struct.pack("<QI", TEXT, 8)
    out += b"\5main.main.func1\0" + struct.pack("<QI", TEXT + 8, 8)
    sections: dict[str, bytes | Content] = {
        ".debug_info": unit(out + b"\0"),
        ".debug_abbrev": abbreviations(*SHAPES),
        ".text": Content(bytes(16), flags=6, address=TEXT),
        ".data": Content(DATA, flags=3, address=HANDLER),
    }
    path = folder / "a.so"
    path.write_bytes(elf(sections, machine=X86_64))
    return path


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print main.handler", "$1 = {run = 0x2010, stop = 0x0}"),
        ("print main.handler.run", "$1 = (func()) 0x2010"),
        ("print *main.handler.run", "$1 = (func() *) 0x1008 <main.main.func1>"),
        ("whatis main.handler.run", "type = func()"),
        ("print sizeof(main.handler.run)", "$1 = 8"),
    ],
)
def test_a_function_value_is_shown(tmp_path: Path, command: str, expected: str) -> None:
    program(tmp_path)
    state = tmp_path / "a.json"
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": "a.so"}], "waves": [{"pc": TEXT}],
        "memory": [{"address": HANDLER, "bytes": DATA.hex()}],
    }))  # fmt: skip
    done = run("debug", "-q", "--batch", "--state", state, "-ex", command)
    assert (done.out + done.err).splitlines() == [expected]


def test_members_have_the_size_of_a_pointer(tmp_path: Path) -> None:
    done = run("debug", "-q", program(tmp_path), "--batch", "-ex", "ptype/o main.Handler")
    assert "/*      8      |       8 */    func() stop;" in done.out
    assert "hole" not in done.out
