"""Numbers as wide as a pointer that are located by DW_OP_implicit_pointer: they have no bits."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.check.made import GFX942, block, operations
from tests.cli.command import run, run_json
from tests.dwarf.builder import Content, Shape, file_of

_CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_NAMED = (dw.AT_NAME, dw.FORM_STRING)
_SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, _CODE, True),
    Shape(
        dw.TAG_BASE_TYPE,
        (_NAMED, (dw.AT_ENCODING, dw.FORM_DATA1), (dw.AT_BYTE_SIZE, dw.FORM_DATA1)),
    ),
    Shape(dw.TAG_VARIABLE, (_NAMED, (dw.AT_TYPE, dw.FORM_REF1), (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
)
_ENCODINGS = {"long": 5, "double": 4}
_POINTER = "implicit_pointer 0x19 0"
_FOCUS = ("--arch", GFX942.name, "--pc", 0x1004, "--lanes", 64)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of gfx942 with a variable of each type, and a piece of one."""
    entries, types = b"\1" + (0x1000).to_bytes(8, "little") + b"\x40\0\0\0", dict[str, int]()
    for name, encoding in _ENCODINGS.items():
        types[name] = 12 + len(entries)
        entries += b"\2" + name.encode() + bytes((0, encoding, 8))
    for name, kind, text in [
        ("whole", "long", _POINTER), ("piece", "long", f"{_POINTER}; piece 8"),
        ("real", "double", _POINTER),
    ]:  # fmt: skip
        entries += b"\3" + name.encode() + bytes((0, types[kind])) + block(operations(text))
    others = {".text": Content(bytes(0x40), flags=6, address=0x1000)}
    path = tmp_path_factory.mktemp("removed") / "made.co"
    path.write_bytes(file_of(entries + b"\0", _SHAPES, others))
    return path


@pytest.mark.parametrize(("name", "kind"), [("whole", "long"), ("piece", "long"),
                                            ("real", "double")])  # fmt: skip
def test_they_are_synthetic_pointers(program: Path, name: str, kind: str) -> None:
    text = f"({kind}) <synthetic pointer>"
    done = run("eval", program, *_FOCUS, "--lane", 0, name)
    assert (done.status, done.out) == (0, f"{name} = {text}\n")
    assert run("explain", program, *_FOCUS, "--lane", 0, name).out.count(f"{name} = {text}\n") == 1
    record = run_json("eval", program, *_FOCUS, "--lane", 0, name).json
    assert (record["bytes"], record["text"], record["type"]) == (None, text, kind)
    assert record["data"] == {"unknown": "synthetic pointer"}


def test_every_lane_has_one(program: Path) -> None:
    text = "(long) <synthetic pointer>"
    assert run("eval", program, *_FOCUS, "--lane", "all", "whole").out == f"[ 0-63] {text}\n"
    table = run("lanes", program, *_FOCUS, "whole").out.splitlines()
    assert sum(line.endswith(text) for line in table) == 64


def test_a_number_computed_from_one_is_refused(program: Path) -> None:
    done = run("eval", program, *_FOCUS, "--lane", 0, "whole + 1")
    assert done.status != 0 and "a synthetic pointer has no number" in done.err
