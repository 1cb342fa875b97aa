"""One file that is loaded many times: what it holds is read once, whatever the number of loads."""

from __future__ import annotations

import struct
from collections.abc import Callable
from weakref import ref

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import Content, Shape, file_of
from tests.work import calls_of

BIAS = 0x7F0000000000
_PLACE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))


def _functions(count: int) -> bytes:
    """A unit of so many functions, 8 bytes one after the other."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, _PLACE, has_children=True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRING), *_PLACE)),
    )
    entries = b"\1" + struct.pack("<QI", 0x1000, 8 * count)
    for number in range(count):
        entries += b"\2f%05d\0" % number + struct.pack("<QI", 0x1000 + 8 * number, 8)
    text = Content(bytes(8 * count), flags=6, address=0x1000)
    return file_of(entries + b"\0", shapes, {".text": text})


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
            assert function is not None
            assert (function.name, function.entry) == (
                f"f{number:05}", bias + 0x1000 + 8 * number,
            )  # fmt: skip

    return ask


@pytest.mark.parametrize("make", [_functions])
def test_each_more_load_takes_the_same(make: Callable[[int], bytes]) -> None:
    """However much the file holds."""
    _work(make(1), 1)()  # what is done once
    each = []
    for count in (100, 1000):
        few, many = (calls_of(_work(make(count), loads)) for loads in (30, 50))
        each.append((many - few) / 20)
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
