"""Integers of Rust are numbers however small they are; C's of one byte are characters."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.global_variables import global_named
from dwarfgpu.dwarf.types.types import Type, strip
from dwarfgpu.language.read_strings import string_character
from dwarfgpu.model.object import Bits
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.values import format_value
from tests.dwarf.builder import Shape, debug_info, file_of

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF1)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
    Shape(
        dw.TAG_BASE_TYPE,
        (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1)),
    ),
    Shape(dw.TAG_ARRAY_TYPE, (TYPE,), True),
    Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    Shape(dw.TAG_POINTER_TYPE, (TYPE, (dw.AT_BYTE_SIZE, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT))),
]
FIRST = 14
"""The offset of the first entry below the unit."""
SIGNED, UNSIGNED, C_99 = 5, 7, 0x0C
DATA = b"\1\2\xfc\0"


def type_named(language: int, encoding: int, name: bytes) -> Type | None:
    base = b"\2" + b"u8\0" + b"\1" + bytes((encoding,))
    array, pointer = FIRST + len(base), FIRST + len(base) + 5
    entries = b"\1" + bytes((language,)) + base
    entries += b"\3" + bytes((FIRST,)) + b"\4\4" + b"\0"
    entries += b"\5" + bytes((FIRST, 8))
    for own_name, at in ((b"scalar", FIRST), (b"array", array), (b"pointer", pointer)):
        entries += b"\6" + own_name + b"\0" + bytes((at,))
    variable = global_named(debug_info(file_of(entries + b"\0", SHAPES)), name.decode())
    assert variable is not None
    return variable.type


def shown(language: int, encoding: int, name: bytes) -> str:
    contents = {b"scalar": DATA[:1], b"array": DATA, b"pointer": bytes(8)}[name]
    if name == b"pointer":
        contents = (0x1000).to_bytes(8, "little")
    return format_value(
        Bits(int.from_bytes(contents, "little"), 8 * len(contents)),
        type_named(language, encoding, name),
        FormatOptions(),
        architecture=architecture("x86_64"),
        read_memory=lambda address, _, size: (b"text" + bytes(96))[address - 0x1000 :][:size],
    )


@pytest.mark.parametrize(
    ("language", "encoding", "name", "expected"),
    [
        (dw.LANG_RUST, UNSIGNED, b"array", "{1, 2, 252, 0}"),
        (dw.LANG_RUST, SIGNED, b"array", "{1, 2, -4, 0}"),
        (dw.LANG_RUST, UNSIGNED, b"scalar", "1"),
        (dw.LANG_RUST, UNSIGNED, b"pointer", "(u8 *) 0x1000"),
        (C_99, UNSIGNED, b"array", r'"\001\002\374"'),
        (C_99, UNSIGNED, b"scalar", r"1 '\001'"),
    ],
)
def test_bytes(language: int, encoding: int, name: bytes, expected: str) -> None:
    assert shown(language, encoding, name) == expected


@pytest.mark.parametrize("language", [dw.LANG_RUST, C_99])
@pytest.mark.parametrize("name", [b"array", b"pointer"])
def test_functions_of_strings_take_bytes(language: int, name: bytes) -> None:
    """As `$_strlen` does, and "%s" of `printf`: they ask for text."""
    characters = string_character(strip(type_named(language, UNSIGNED, name)))
    assert characters is not None and characters.unit_bytes == 1
