"""Bombs of tables of a type that each of many values is looked up in."""

from __future__ import annotations

from functools import partial
from typing import Final

from dwarfgpu.base.leb128 import encode_sleb
from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import Shape
from tools.bombs.elf import (
    FIRST,
    INT,
    MAIN,
    NAME,
    OF_INT,
    OF_MAIN,
    PLACE,
    START,
    TYPE,
    block,
    program,
    word,
)
from tools.bombs.entries import INFO, LOCATION, large_locals
from tools.bombs.model import Bomb, Files

_ARRAY: Final = (
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
    INT,
    Shape(dw.TAG_ARRAY_TYPE, (TYPE, (dw.AT_BIT_STRIDE, dw.FORM_DATA1)), True),
    Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA4),)),
)
"""Codes 3 to 6."""
_PLACE: Final = (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1)
_RANGES: Final = 20
"""Of each variant."""


def _array_of(element: bytes, count: int, data: bytes, *shapes: Shape, bits: int = 32) -> Files:
    """A variable `x` that is an array of a type, and a function with a local variable of it."""
    entries = b"\4" + OF_INT
    element_at, array_at = FIRST + len(entries), FIRST + len(entries) + len(element)
    entries += element + b"\5" + word(element_at) + word(bits, 1) + b"\6" + word(count) + b"\0"
    location = block(b"\x9e" + block(data))  # DW_OP_implicit_value
    entries += b"\3x\0" + word(array_at) + location + OF_MAIN
    entries += b"\3y\0" + word(array_at) + location + b"\0"
    return {"bomb": program(entries, MAIN, *_ARRAY, *shapes)}


def variant_values(count: int) -> Files:
    """Records with as many variants, each for twenty ranges; the last one has all of them."""
    at_int = word(FIRST)
    shapes = (
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_MEMBER, (NAME, TYPE, _PLACE)),
        Shape(dw.TAG_VARIANT_PART, ((dw.AT_DISCR, dw.FORM_REF4),), True),
        Shape(dw.TAG_VARIANT, ((dw.AT_DISCR_LIST, dw.FORM_BLOCK),), True),
    )
    begin = b"\7r\0\x08"
    tag_at = FIRST + len(b"\4" + OF_INT + begin)
    entries = begin + b"\x08t\0" + at_int + b"\0" + b"\x09" + word(tag_at)
    for number in range(count):
        first = 4 * _RANGES * (count - 1 - number)
        ranges = b"".join(
            b"\1" + b"".join(map(encode_sleb, (first + 4 * index, first + 4 * index + 2)))
            for index in range(_RANGES)
        )
        entries += b"\x0a" + block(ranges) + b"\x08m\0" + at_int + b"\4\0"
    data = b"".join(word(0) + word(number) for number in range(count))
    return _array_of(entries + b"\0\0", count, data, *shapes, bits=64)


def enumerator_values(count: int, bits: int = 32) -> Files:
    """Values that no enumerator has; `bits`: of each in the array."""
    shapes = (
        Shape(dw.TAG_ENUMERATION_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_ENUMERATOR, (NAME, (dw.AT_CONST_VALUE, dw.FORM_DATA4))),
    )
    entries = b"\7e\0\4" + b"".join(
        b"\x08a%d\0" % number + word(3 * number + 3) for number in range(count)
    )
    data = b"".join(word(0x700001 + 3 * number, bits // 8) for number in range(count))
    return _array_of(entries + b"\0", count, data, *shapes, bits=bits)


def overloads(count: int) -> Files:
    """Functions of one name, with up to six parameters."""
    shapes = (Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE), True), INT,
              Shape(dw.TAG_FORMAL_PARAMETER, (TYPE,)))  # fmt: skip
    functions = (
        b"\3f\0" + word(START, 8) + word(1) + (b"\5" + word(FIRST)) * (number % 7) + b"\0"
        for number in range(count)
    )
    entries = b"\4" + OF_INT + b"".join(functions) + OF_MAIN + b"\0"
    return {"bomb": program(entries, MAIN, *shapes)}


def displays(count: int) -> Files:
    """As many displays of a value, which becomes a structure of 5,000 members."""
    script = "display $v\n" * count + "set $v = v0\ndisplay\n"
    return {**large_locals(5_000 * 5_000), "script": script.encode()}


_SHOW: Final = (
    "debug bomb <<< print -elements unlimited -- x", "eval --file bomb --pc 0x1000",
    "eval --json --file bomb --pc 0x1000",
)  # fmt: skip
BOMBS: Final = (
    Bomb("variant-values", INFO, "{} records of as many variants, each for 20 ranges",
         variant_values, 5_000, _SHOW),
    Bomb("enumerator-values", INFO, "{} values of an enumeration that none of as many names has",
         enumerator_values, 10_000, _SHOW),
    Bomb("packed-values", INFO, "{} values of as large an enumeration, packed in 24 bits each",
         partial(enumerator_values, bits=24), 10_000, _SHOW),
    Bomb("overloads", INFO, "{} functions of one name", overloads, 60_000,
         ("eval --file bomb f", "debug bomb <<< whatis f", "debug bomb <<< print &f",
          "debug bomb <<< info address f"), says="--max-namesakes"),
    Bomb("displays", INFO, "{} displays of a structure of 5,000 members", displays, 100,
         ("debug --pc 0x1000 bomb <<< source script",), small=4, says="--max-listed-characters"),
)  # fmt: skip
