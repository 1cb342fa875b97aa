"""Comparisons of whole arrays and records, which are those of their contents in some languages."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.language import stored_objects
from dwarfgpu.language.evaluator import type_of
from dwarfgpu.view.type_text import type_text
from tests.cli.command import run
from tests.dwarf.builder import Content, Shape, file_of
from tests.language.sessions import text
from tests.language.test_other_languages import frame_of

_NO_ARRAY = "Attempt to compare array with non-array"
_NOT_EQUAL = "Invalid type combination in equality test."
_NO_ORDER = "Invalid type combination in ordering comparison."
SAME = {
    "ada.1": ["run_time = local(1..3)", "run_time(4..5) = local(2..3)", 'text = "abcd"'],
    "ada.2": [
        "line = line", "mask(4..6) = mask(5..7)", "mask(1..2) = mask(3..4)", 'name(1..3) = "hel"',
        "spot = where.all", "circle = circle", "dot = dot", "three = three", "marked = marked",
    ],
    "fortran.1": ["assumed(:,2) == explicit(3:4)", "assumed == assumed"],
    "fortran.2": [
        "flags(1:1) == flags(3:3)", "flags(1:3:2) == flags(3:1:-2)", "words == words",
        "held%corner == held%corner", "grid(:,1) .eq. row(1:2)",
    ],
}  # fmt: skip
DIFFERENT = {
    "ada.1": ["run_time = local(2..4)", "run_time = local", "text = local", 'text = "abc"'],
    "ada.2": [
        "mask(2..4) = mask(4..6)", "packed(1..2) = packed(2..3)", "line(1..2) = matrix",
        "circle = box", "circle = dot", "name = line",
    ],
    "fortran.2": [
        "row(1:1) == row(2:2)", "dynamic == window", "words(1:1) == words(2:2)",
        "held%corner(1:1) == held%corner(2:2)",
    ],
}  # fmt: skip
REFUSED = {
    ("ada.1", "run_time = 1"): _NO_ARRAY,
    ("ada.2", "1 /= line"): _NO_ARRAY,
    ("ada.2", "line = where"): _NO_ARRAY,
    ("ada.2", "line = spot"): _NO_ARRAY,
    ("ada.2", "spot = 1"): _NOT_EQUAL,
    ("ada.2", "spot = circle"): _NOT_EQUAL,
    ("ada.2", "spot < spot"): "Structure has no component named operator<.",
    ("fortran.2", "row == 1"): _NOT_EQUAL,
    ("fortran.2", "row == row(1:2)"): _NOT_EQUAL,
    ("fortran.2", "words == text"): _NOT_EQUAL,
    ("fortran.2", "row == 'abc'"): _NOT_EQUAL,
    ("fortran.2", "row < row"): _NO_ORDER,
    ("fortran.2", "spot == spot"): "Structure has no component named operator==.",
}


@pytest.mark.parametrize(("place", "expression"), [(at, one) for at in SAME for one in SAME[at]])
def test_same(place: str, expression: str) -> None:
    truths = ("true", "false") if place.startswith("ada") else (".TRUE.", ".FALSE.")
    other = expression.replace(" == ", " /= ").replace(" = ", " /= ").replace(".eq.", ".ne.")
    session = frame_of(place)
    assert (text(session, expression), text(session, other)) == truths
    assert type_text(type_of(expression, session).type) in ("boolean", "logical(kind=4)")


@pytest.mark.parametrize(
    ("place", "expression"), [(at, one) for at in DIFFERENT for one in DIFFERENT[at]]
)
def test_different(place: str, expression: str) -> None:
    assert text(frame_of(place), expression) in ("false", ".FALSE.")


@pytest.mark.parametrize(("place", "expression"), REFUSED)
def test_refused_as_in_gdb(place: str, expression: str) -> None:
    assert text(frame_of(place), expression) == REFUSED[place, expression]


def test_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Integers are compared at once. Components are counted, those of all comparisons of an
    expression together."""
    monkeypatch.setattr(stored_objects, "_MOST_PARTS", 8)
    assert text(frame_of("ada.2"), "line = line") == "true"
    refused = (
        "an expression takes more than 8 elements and components one by one, each 16 KiB of an "
        "object counted as one"
    )
    compared = "circle = circle"
    for expression in (compared, compared, f"{compared} and then {compared}"):
        expected = "true" if expression == compared else refused
        assert text(frame_of("ada.2"), expression) == expected


_TYPED = (dw.AT_TYPE, dw.FORM_REF1)
_NAMED, _SIZED = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
_CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (*_CODE, (dw.AT_LANGUAGE, dw.FORM_DATA1)), True),
    Shape(dw.TAG_BASE_TYPE, (_NAMED, (dw.AT_ENCODING, dw.FORM_DATA1), _SIZED)),
    Shape(dw.TAG_ARRAY_TYPE, (_TYPED,), True),
    Shape(dw.TAG_ARRAY_TYPE, (_TYPED, (dw.AT_BIT_STRIDE, dw.FORM_DATA1)), True),
    Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    Shape(dw.TAG_STRUCTURE_TYPE, (_NAMED, _SIZED), True),
    Shape(dw.TAG_MEMBER, (_NAMED, _TYPED, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (_NAMED, _TYPED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]
_DATA = 0x8000


def _printed(folder: Path, endian: Endian, language: int, *expressions: str) -> list[str]:
    """Return values in a program with pairs of objects, whose names begin alike."""
    entries = b"\1" + (0x1000).to_bytes(8, endian) + (0x40).to_bytes(4, endian) + bytes((language,))
    at: dict[str, int] = {}
    memory = b""

    def add(name: str, entry: bytes) -> None:
        nonlocal entries
        at[name] = 12 + len(entries)
        entries += entry

    order = "<" if endian == "little" else ">"
    add("int", b"\2int\0\5\4")
    add("float", b"\2float\0\4\4")
    add("byte", b"\2byte\0\7\1")
    add("ints", bytes((3, at["int"], 5, 3, 0)))
    add("floats", bytes((3, at["float"], 5, 2, 0)))
    add("packed", bytes((4, at["byte"], 2, 5, 5, 0)))
    add("pad", b"\6pad\0\x08" + b"\7a\0" + bytes((at["byte"], 0)))
    entries += b"\7b\0" + bytes((at["int"], 4)) + b"\0"
    packed = (b"\x1b\xfe", b"\x1b\x02") if endian == "little" else (b"\x1b\xbf", b"\x1b\x80")
    for name, kind, value in [
        ("a1", "ints", struct.pack(order + "3i", 1, 2, 3)),
        ("a2", "ints", struct.pack(order + "3i", 1, 2, 3)),
        ("a3", "ints", struct.pack(order + "3i", 1, 2, 4)),
        ("f1", "floats", struct.pack(order + "2f", 0.0, 1.0)),
        ("f2", "floats", struct.pack(order + "2f", -0.0, 1.0)),
        ("f3", "floats", struct.pack(order + "2f", float("nan"), 1.0)),
        ("p1", "packed", packed[0]),
        ("p2", "packed", packed[1]),
        ("r1", "pad", struct.pack(order + "BBHi", 5, 6, 7, 8)),
        ("r2", "pad", struct.pack(order + "BBHi", 5, 9, 9, 8)),
    ]:
        location = b"\3" + (_DATA + len(memory)).to_bytes(8, endian)  # DW_OP_addr
        entries += b"\x08" + name.encode() + bytes((0, at[kind], len(location))) + location
        memory += value.ljust(16, b"\0")
    others = {".text": Content(bytes(0x40), flags=6, address=0x1000)}
    path = folder / "program"
    path.write_bytes(file_of(entries + b"\0", _SHAPES, others, machine=183, endian=endian))
    given = [word for one in expressions for word in ("-ex", f"print {one}")]
    known = ("--mem", f"{_DATA:#x}={memory.hex()}")
    done = run("debug", "--batch", path, "--pc", 0x1004, *known, *given)
    lines = [line for line in (*done.lines, *done.err.splitlines()) if not line.startswith("note")]
    return [line.partition(" = ")[2] or line for line in lines]


@pytest.mark.parametrize("endian", ["little", "big"])
def test_bits_that_are_no_part_of_a_value(tmp_path: Path, endian: Endian) -> None:
    """What is behind a packed array and between components does not count, GDB compares it; and a
    number is equal to what the language says, not to its own bits."""
    same = ["a1 = a2", "f1 = f2", "p1 = p2", "r1 = r2", "p1 /= p1(1..4)"]
    different = ["a1 = a3", "f3 = f3", "f1 = f3", "r1 /= r2", "a1 = f1"]
    lines = _printed(tmp_path, endian, 0x0D, *same, *different)
    assert lines[-10:] == ["true"] * 5 + ["false"] * 5


@pytest.mark.parametrize("language", [dw.LANG_D, dw.LANG_GO, dw.LANG_RUST])
def test_arrays_that_are_values(tmp_path: Path, language: int) -> None:
    lines = _printed(tmp_path, "little", language, "a1 == a2", "a1 != a2", "a1 == a3", "&a1 == &a2")
    assert lines[-4:] == ["true", "false", "false", "false"]
    order = "false" if language == dw.LANG_D else _NO_ORDER
    assert _printed(tmp_path, "little", language, "a1 < a2")[-1] == order
    refused = "operator==" if language == dw.LANG_RUST else "== of pad is supported only of its"
    assert refused in _printed(tmp_path, "little", language, "r1 == r2")[-1]


@pytest.mark.parametrize("language", [0x0C, 0x21])
def test_arrays_that_are_addresses(tmp_path: Path, language: int) -> None:
    """In C and C++, as in GDB."""
    lines = _printed(tmp_path, "little", language, "a1 == a2", "a1 < a2", "a1 == a1")
    assert lines[-3:] in (["0", "1", "1"], ["false", "true", "true"])
