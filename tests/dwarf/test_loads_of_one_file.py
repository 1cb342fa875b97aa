"""One file that is loaded many times: what it holds is read once, whatever the number of loads."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from weakref import ref

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.function_names import full_function_name, name_in_frames
from dwarfgpu.dwarf.scope.functions_by_name import functions_named
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import Content, Shape, abbreviations, elf, file_of, unit
from tests.work import calls_of

BIAS = 0x7F0000000000
_PLACE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))


_SHAPES = (
    Shape(dw.TAG_COMPILE_UNIT, _PLACE, has_children=True),
    Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRING), *_PLACE)),
    Shape(
        dw.TAG_COMPILE_UNIT,
        ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_RANGES, dw.FORM_SEC_OFFSET)),
        has_children=True,
    ),
)
_FEW = 50
"""Functions that are asked for."""


def _function(number: int) -> bytes:
    """A function of 8 bytes behind those with lower numbers."""
    return b"\2f%05d\0" % number + struct.pack("<QI", 0x1000 + 8 * number, 8)


def _text(count: int) -> dict[str, Content]:
    return {".text": Content(bytes(8 * count), flags=6, address=0x1000)}


def _functions(count: int) -> bytes:
    """A unit of so many functions."""
    entries = b"\1" + struct.pack("<QI", 0x1000, 8 * count)
    entries += b"".join(map(_function, range(count)))
    return file_of(entries + b"\0", _SHAPES, _text(count))


def _units(count: int, *, with_sets: bool = False) -> bytes:
    """So many units of a function each, which `.debug_aranges` names or not."""
    units, sets = b"", b""
    for number in range(count):
        if with_sets:
            place = struct.pack("<QQQQ", 0x1000 + 8 * number, 8, 0, 0)
            sets += struct.pack("<IHIBB4x", 44, 2, len(units), 8, 0) + place
        own = b"\1" + struct.pack("<QI", 0x1000 + 8 * number, 8)
        units += unit(own + _function(number) + b"\0")
    sections = {".debug_info": units, ".debug_abbrev": abbreviations(*_SHAPES)}
    if with_sets:
        sections[".debug_aranges"] = sets
    return elf({**sections, **_text(count)})


def _ranges(count: int) -> bytes:
    """A unit of so many ranges, those of its functions and others."""
    pairs = (b"\7" + struct.pack("<Q", 0x1000 + 8 * n + (n >= _FEW)) + b"\7" for n in range(count))
    body = struct.pack("<HBBI", 5, 8, 0, 0) + b"".join(pairs) + b"\0"
    lists = {".debug_rnglists": struct.pack("<I", len(body)) + body}
    entries = b"\3" + struct.pack("<QI", 0, 12) + b"".join(map(_function, range(_FEW))) + b"\0"
    return file_of(entries, _SHAPES, {**_text(count), **lists})


def _frames(count: int) -> bytes:
    """A few functions, and so many entries of call frame information: the code of one."""
    cie = struct.pack("<IIBBBBBbBBBB", 20, 0xFFFFFFFF, 4, 0, 8, 0, 4, 4, 16, 0x0C, 32, 0)
    cie = cie.ljust(24, b"\0")
    rows = (struct.pack("<IIQQ", 20, 0, 0x1000 + 8 * number, 8) for number in range(count))
    entries = b"\1" + struct.pack("<QI", 0x1000, 8 * count)
    entries += b"".join(map(_function, range(_FEW))) + b"\0"
    return file_of(entries, _SHAPES, {**_text(count), ".debug_frame": cie + b"".join(rows)})


def _work(data: bytes, loads: int) -> Callable[[], object]:
    """What asks each load of a file for the function at another address."""
    file = ObjectFile("made.co", data)

    def ask() -> None:
        kept = []
        for number in range(loads):
            bias = BIAS + number * 0x100000
            code = CodeObject.of(file, bias)
            kept.append(code)
            function = code.scopes.subprogram_at(bias + 0x1000 + 8 * number)
            code.info.call_frames.row_at(bias + 0x1000 + 8 * number)
            assert function is not None
            assert (function.name, function.entry) == (
                f"f{number:05}", bias + 0x1000 + 8 * number,
            )  # fmt: skip

    return ask


@pytest.mark.parametrize(
    "make", [_functions, _units, partial(_units, with_sets=True), _ranges, _frames]
)
def test_each_more_load_takes_the_same(make: Callable[[int], bytes]) -> None:
    """However much the file holds."""
    _work(make(1), 1)()  # what is done once
    each = []
    for count in (100, 1000):
        few, many = (calls_of(_work(make(count), loads)) for loads in (30, 50))
        each.append((many - few) / 20)
    assert each[1] < 1.05 * each[0], each


def _parameters(count: int) -> bytes:
    """A function of C++ with so many parameters."""
    number = dw.FORM_DATA1
    base_type = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_BYTE_SIZE, number), (dw.AT_ENCODING, number))
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, number), *_PLACE), has_children=True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRING), *_PLACE), has_children=True),
        Shape(dw.TAG_FORMAL_PARAMETER, ((dw.AT_TYPE, dw.FORM_REF4),)),
        Shape(dw.TAG_BASE_TYPE, base_type),
    )
    head = b"\1" + struct.pack("<BQI", 4, 0x1000, 8) + _function(0)
    type_at = 12 + len(head) + 5 * count + 1
    parameters = (b"\3" + struct.pack("<I", type_at)) * count
    return file_of(head + parameters + b"\0\4int\0\4\5\0", shapes, _text(1))


@pytest.mark.parametrize(
    ("name_of", "name"), [(name_in_frames, "f00000"), (full_function_name, "f00000({})")]
)
def test_each_more_load_names_a_function_as_quickly(
    name_of: Callable[[Die], str | None], name: str
) -> None:
    """However many parameters it has."""

    def name_all(file: ObjectFile, loads: int, name: str) -> None:
        kept = [CodeObject.of(file, BIAS + number * 0x1000) for number in range(loads)]
        for load in kept:
            function = load.scopes.subprogram_at(load.load_address + 0x1000)
            assert function is not None
            assert name_of(function.die) == name

    each = []
    for count in (1, 100):
        file = ObjectFile("made.co", _parameters(count))
        shown = name.format(", ".join(["int"] * count))
        name_all(file, 1, shown)
        few, many = (calls_of(partial(name_all, file, loads, shown)) for loads in (10, 20))
        each.append((many - few) / 10)
    assert each[1] < 1.05 * each[0], each


def _overloads(count: int) -> bytes:
    """So many functions of C++ with one name, one after the other."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1), *_PLACE), has_children=True),
        _SHAPES[1],
        Shape(dw.TAG_NAMESPACE, ((dw.AT_NAME, dw.FORM_STRING),), has_children=True),
    )
    inside = b"".join(b"\3n%05d\0" % number + _function(0) + b"\0" for number in range(count))
    head = b"\1" + struct.pack("<BQI", 4, 0x1000, 16) + b"\2f\0" + struct.pack("<QI", 0x1008, 8)
    return file_of(head + inside + b"\0", shapes, _text(2))


def test_each_more_load_has_the_functions_of_a_name_as_quickly() -> None:
    """However many entries have it."""

    def ask(file: ObjectFile, loads: int) -> None:
        kept = [CodeObject.of(file, BIAS + number * 0x1000) for number in range(loads)]
        for load in kept:
            [function] = functions_named(load, "f00000")
            assert function.die.unit.info is load.info
            assert (function.name, function.entry) == (
                "n00000::f00000()", load.load_address + 0x1000,
            )  # fmt: skip

    each = []
    for count in (1, 100):
        file = ObjectFile("made.co", _overloads(count))
        ask(file, 1)
        few, many = (calls_of(partial(ask, file, loads)) for loads in (10, 20))
        each.append((many - few) / 10)
    assert each[1] < 1.05 * each[0], each


def _located(count: int) -> bytes:
    """A unit with so many variables, each with another location."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_PRODUCER, dw.FORM_STRING),), has_children=True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_LOCATION, dw.FORM_EXPRLOC),)),
    )
    variables = (b"\2\x0a\x03" + struct.pack("<Q", at) + b"\xe9" for at in range(count))
    return file_of(b"\1clang\0" + b"".join(variables) + b"\0", shapes, _text(1))


def test_each_more_load_has_its_dialect_as_quickly() -> None:
    """However many expressions its units have."""

    def detect(file: ObjectFile, loads: int) -> None:
        kept = [CodeObject.of(file, BIAS + number * 0x1000) for number in range(loads)]
        assert len({load.info.units[0].dialect for load in kept}) == 1

    each = []
    for count in (1, 100):
        file = ObjectFile("made.co", _located(count))
        detect(file, 1)
        few, many = (calls_of(partial(detect, file, loads)) for loads in (10, 20))
        each.append((many - few) / 10)
    assert each[1] < 1.05 * each[0], each


def test_what_is_read_ends_with_the_last_load() -> None:
    file = ObjectFile("made.co", _functions(3))
    loads = [CodeObject.of(file, BIAS + number * 0x1000) for number in range(2)]
    first, second = (load.info.units[0] for load in loads)
    assert first.tree is second.tree
    assert [unit.relocate(unit.die(1).address(dw.AT_LOW_PC) or 0) for unit in (first, second)] == [
        BIAS + 0x1000, BIAS + 0x2000,
    ]  # fmt: skip
    tree = ref(first.tree)
    first.forget_entries()
    assert tree() is second.tree
    second.forget_entries()
    assert tree() is None
