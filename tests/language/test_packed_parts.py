"""Parts of packed records and arrays, which have fewer bits than their types, in both orders."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import Content, Shape, file_of

_NAMED = (dw.AT_NAME, dw.FORM_STRING)
_SIZED = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
_TYPED = (dw.AT_TYPE, dw.FORM_REF1)
_BITS = ((dw.AT_BIT_SIZE, dw.FORM_DATA1), (dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1))
_AT_ENDIANITY = 0x65
_CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, _CODE, True),
    Shape(dw.TAG_BASE_TYPE, (_NAMED, (dw.AT_ENCODING, dw.FORM_DATA1), _SIZED)),
    Shape(dw.TAG_ENUMERATION_TYPE, (_NAMED, _SIZED), True),
    Shape(dw.TAG_ENUMERATOR, (_NAMED, (dw.AT_CONST_VALUE, dw.FORM_SDATA))),
    Shape(dw.TAG_ARRAY_TYPE, (_TYPED, (dw.AT_BIT_STRIDE, dw.FORM_DATA1)), True),
    Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    Shape(dw.TAG_STRUCTURE_TYPE, (_NAMED, _SIZED), True),
    Shape(dw.TAG_MEMBER, (_NAMED, _TYPED, *_BITS)),
    Shape(dw.TAG_VARIABLE, (_NAMED, _TYPED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(
        dw.TAG_BASE_TYPE,
        (
            _NAMED,
            (dw.AT_ENCODING, dw.FORM_DATA1),
            _SIZED,
            (_AT_ENDIANITY, dw.FORM_DATA1),
        ),
    ),
]
_DATA = 0x8000
_BOTH: list[Endian] = ["little", "big"]


def _program(folder: Path, endian: Endian, *, is_turned: bool) -> Path:
    """Write a program with `colors[5]` of two bits each at 0x8000, and at 0x8010 a structure with
    two of four bits, and a float behind the first of them. `is_turned`: integers have the other
    byte order."""
    entries = b"\1" + (0x1000).to_bytes(8, endian) + (0x40).to_bytes(4, endian)
    at: dict[str, int] = {}

    def add(name: str, entry: bytes) -> None:
        nonlocal entries
        at[name] = 12 + len(entries)
        entries += entry

    order = bytes((1 if endian == "little" else 2,))  # DW_END_big, DW_END_little
    add("int", b"\x0aint\0\5\4" + order if is_turned else b"\2int\0\5\4")
    add("float", b"\2float\0\4\4")
    add("color", b"\3color\0\1")
    for name, value in [("minus", 0x7F), ("zero", 0), ("plus", 1)]:
        entries += b"\4" + name.encode() + bytes((0, value))
    entries += b"\0"
    add("colors", bytes((5, at["color"], 2, 6, 5, 0)))
    add("pair", b"\7pair\0\1\x08a\0" + bytes((at["int"], 3, 0)))
    entries += b"\x08b\0" + bytes((at["int"], 1, 3, 0))
    add("whole", b"\7whole\0\5\x08p\0" + bytes((at["pair"], 4, 0)))
    entries += b"\x08f\0" + bytes((at["float"], 32, 4))
    entries += b"\x08q\0" + bytes((at["pair"], 4, 36, 0))
    for name, kind, address in [("c", "colors", _DATA), ("w", "whole", _DATA + 16)]:
        location = b"\3" + address.to_bytes(8, endian)  # DW_OP_addr
        entries += b"\x09" + name.encode() + bytes((0, at[kind], len(location))) + location
    others = {".text": Content(bytes(0x40), flags=6, address=0x1000)}
    path = folder / "packed"
    path.write_bytes(file_of(entries + b"\0", _SHAPES, others, machine=183, endian=endian))
    return path


def _printed(folder: Path, endian: Endian, *commands: str, is_turned: bool = False) -> list[str]:
    """Return the lines of commands, in a program whose memory is all zeros."""
    memory = ("--mem", f"{_DATA:#x}=" + "00" * 32)
    given = [word for command in commands for word in ("-ex", command)]
    done = run(
        "debug",
        "--batch",
        _program(folder, endian, is_turned=is_turned),
        "--pc",
        0x1004,
        *memory,
        *given,
    )
    return [line for line in (*done.lines, *done.err.splitlines()) if not line.startswith("note")]


@pytest.mark.parametrize("endian", _BOTH)
def test_elements_of_an_enumeration(tmp_path: Path, endian: Endian) -> None:
    """They have its sign."""
    changes = ("set var c[0] = plus", "set var c[3] = minus", "set var c[4] = 1")
    shown = ("print c", "print c[3]", "print/x c[3]", "print c[3] + 0", "x/2xb 0x8000")
    lines = _printed(tmp_path, endian, *changes, *shown)[-5:]
    assert lines[:2] == ["$1 = {plus, zero, zero, minus, plus}", "$2 = minus"]
    assert lines[2:4] == ["$3 = 0xff", "$4 = -1"]
    assert lines[4].split()[-2:] == (["0xc1", "0x01"] if endian == "little" else ["0x43", "0x40"])


@pytest.mark.parametrize("endian", _BOTH)
def test_a_structure_with_fewer_bits_than_its_type(tmp_path: Path, endian: Endian) -> None:
    """What shares a byte with it stays, and a float has no integer of its bits."""
    changes = ("set var w.f = 2.5", "set var w.q.a = 2", "set var w.q.b = -1", "set var w.p = w.q")
    lines = _printed(tmp_path, endian, *changes, "print w", "print w.f + 1")[-2:]
    assert lines == ["$1 = {p = {a = 2, b = -1}, f = 2.5, q = {a = 2, b = -1}}", "$2 = 3.5"]


@pytest.mark.parametrize("endian", _BOTH)
def test_a_part_whose_type_ends_behind_the_whole(tmp_path: Path, endian: Endian) -> None:
    """Its own bits are in the structure."""
    changes = ("set var w.p.a = 2", "set var $x = w", "set var $x.q = w.p")
    lines = _printed(tmp_path, endian, *changes, "print $x.q", "print $x.q.a", "print $x")
    whole = "$3 = {p = {a = 2, b = 0}, f = 0, q = {a = 2, b = 0}}"
    assert lines[-3:] == ["$1 = {a = 2, b = 0}", "$2 = 2", whole]


@pytest.mark.parametrize("endian", _BOTH)
def test_a_part_of_a_convenience_variable(tmp_path: Path, endian: Endian) -> None:
    changes = ("set var w.q.a = 2", "set var $x = w", "set var $x.p = w.q", "print $x")
    assert _printed(tmp_path, endian, *changes)[-1] == (
        "$1 = {p = {a = 2, b = 0}, f = 0, q = {a = 2, b = 0}}"
    )


@pytest.mark.parametrize("endian", _BOTH)
def test_a_part_in_the_other_byte_order(tmp_path: Path, endian: Endian) -> None:
    """Its bits are no run of the structure's: those of its neighbours were written."""
    changes = ("set var w.q.a = 2", "set var w.q.b = -1", "set var w.p = w.q")
    shown = ("print w", "print w.p", "print w.q.a", "x/5xb 0x8010")
    lines = _printed(tmp_path, endian, *changes, *shown, is_turned=True)
    assert lines[0].startswith("$1 = {p = {a = 0, b = 0}, f = ")
    assert lines[1] == "$2 = 2"
    refused = [line for line in lines if line.startswith("Unsupported: components that share")]
    assert len(refused) == 2


@pytest.mark.parametrize(
    ("attribute", "stride", "expected", "size"),
    [
        (dw.AT_BIT_STRIDE, 4, [-7, 0, -6, 0], 2),
        (dw.AT_BIT_STRIDE, -4, [0, -6, 0, -7], 2),
        (dw.AT_BIT_STRIDE, -32, [24, 16, 8, 2569], 16),
        (dw.AT_BYTE_STRIDE, 2, [2569, 0, 8, 0], 8),
        (dw.AT_BYTE_STRIDE, -2, [0, 8, 0, 2569], 8),
        (dw.AT_BYTE_STRIDE, -4, [24, 16, 8, 2569], 16),
    ],
)
def test_elements_have_no_more_bits_than_the_stride(
    tmp_path: Path, attribute: int, stride: int, expected: list[int], size: int
) -> None:
    """Whichever its sign is: none is in the bits of another one."""
    array = Shape(dw.TAG_ARRAY_TYPE, (_TYPED, (attribute, dw.FORM_SDATA)), True)
    entries = b"\1" + (0x1000).to_bytes(8, "little") + (0x40).to_bytes(4, "little")
    number_at = 12 + len(entries)
    entries += b"\2int\0\5\4"
    array_at = 12 + len(entries)
    entries += bytes((5, number_at, stride & 0x7F, 6, 4, 0))
    location = b"\3" + _DATA.to_bytes(8, "little")
    entries += b"\x09v\0" + bytes((array_at, len(location))) + location
    others = {".text": Content(bytes(0x40), flags=6, address=0x1000)}
    shapes = [*_SHAPES[:4], array, *_SHAPES[5:]]
    path = tmp_path / "strides"
    path.write_bytes(file_of(entries + b"\0", shapes, others, machine=183, endian="little"))
    memory = b"".join(value.to_bytes(4, "little") for value in (2569, 8, 16, 24))
    asked = ["v", *(f"v[{index}]" for index in range(4)), "sizeof(v)"]
    given = [word for one in asked for word in ("-ex", f"print {one}")]
    known = ("--pc", 0x1004, "--mem", f"{_DATA:#x}={memory.hex()}")
    lines = [
        line.partition(" = ")[2] for line in run("debug", "--batch", path, *known, *given).lines
    ]
    whole = "{" + ", ".join(map(str, expected)) + "}"
    assert [line for line in lines if line] == [whole, *map(str, expected), str(size)]
