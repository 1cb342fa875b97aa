"""Code outside of the entry around it, and DW_AT_sibling: what `llvm-dwarfdump --verify` finds, and
what readers lose that skip children."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.check.made import (
    ADDR,
    COMPILE_UNIT,
    DATA4,
    REF4,
    SEC_OFFSET,
    STRING,
    SUBPROGRAM,
    VARIABLE,
    findings,
    info_file,
    verdict_on,
    words,
)
from tests.dwarf.builder import Shape

SIBLING, DATA2 = 0x01, 0x05
CODE = ((dw.AT_LOW_PC, ADDR), (dw.AT_HIGH_PC, DATA4))
SHAPES = [
    Shape(COMPILE_UNIT, CODE, True),
    Shape(SUBPROGRAM, CODE, True),
    Shape(dw.TAG_LEXICAL_BLOCK, CODE, True),
    Shape(dw.TAG_LEXICAL_BLOCK, (), True),
    Shape(dw.TAG_INLINED_SUBROUTINE, ((dw.AT_RANGES, SEC_OFFSET),)),
]


def code(number: int, begin: int, size_bytes: int, *inside: bytes) -> bytes:
    own = bytes((number,)) + words(begin) + words(size_bytes, size_bytes=4)
    return own + b"".join(inside) + b"\0"


WHOLE = (0x1000, 0x400)
RANGES = {".debug_ranges": words(0x10, 0x20, 0x30, 0x58, 0, 0)}  # from the unit's low_pc on
OF_RANGES = b"\5" + words(0, size_bytes=4)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (code(1, *WHOLE, code(2, 0x1000, 0x40, code(3, 0x1010, 0x30))), None),
        (
            code(1, *WHOLE, code(2, 0x1000, 0x40, code(3, 0x1010, 0x34))),
            "[0x1040,0x1044) is not within the code of the entry around it, [0x1000,0x1040)",
        ),
        (
            code(1, 0x1000, 0x20, code(2, 0x1000, 0x40)),
            "[0x1020,0x1040) is not within the code of the unit, [0x1000,0x1020)",
        ),
        # A block without code between them, and ranges.
        (code(1, *WHOLE, code(2, 0x1000, 0x58, b"\4" + OF_RANGES + b"\0")), None),
        (
            code(1, *WHOLE, code(2, 0x1000, 0x40, b"\4" + OF_RANGES + b"\0")),
            "[0x1040,0x1058) is not within the code of the entry around it, [0x1000,0x1040)",
        ),
        # A nested function has code of its own, and the linker dropped the last.
        (code(1, *WHOLE, code(2, 0x1000, 0x40, code(2, 0x1100, 0x40))), None),
        (
            code(1, 0x1000, 0x80, code(2, 0x1000, 0x40, code(2, 0x1100, 0x40))),
            "[0x1100,0x1140) is not within the code of the unit, [0x1000,0x1080)",
        ),
        (code(1, *WHOLE, code(2, 0, 0x40, code(3, 0, 0x50))), None),
        (code(1, 5, 0x40, code(3, 9, 0x50)), None),
        # A dropped function that is larger than the address of the first code.
        (
            code(1, *WHOLE, code(2, 0, 0x2000, code(3, 0x1800, 0x40, code(3, 0x1800, 0x50)))),
            None,
        ),
        # The code of a unit is where none is.
        (
            code(1, 0x4000, 0x40, code(2, 0x1000, 0x40)),
            "[0x1000,0x1040) is not within the code of the unit, [0x4000,0x4040)",
        ),
        # What has no bytes contains none; a function that the linker dropped may.
        (
            code(1, *WHOLE, code(2, 0x1000, 0x40, code(3, 0x1000, 0, code(3, 0x1010, 0x10)))),
            "[0x1010,0x1020) is not within the code of the entry around it, which has no code",
        ),
        (
            code(1, 0x1000, 0, code(2, 0x1000, 0x40)),
            "[0x1000,0x1040) is not within the code of the unit, which has no code",
        ),
        (
            code(1, *WHOLE, code(2, 0x1000, 0, code(3, 0x1000, 0x40))),
            "[0x1000,0x1040) is not within the code of the entry around it, which has no code",
        ),
        (code(1, *WHOLE, code(2, 0, 0, code(3, 0, 0x40))), None),
    ],
    ids=range(15),
)
def test_code_within_the_code_around_it(entries: bytes, message: str | None) -> None:
    found = findings(verdict_on(info_file(SHAPES, entries, RANGES, version=4)))
    assert [one.message for one in found] == ([] if message is None else [message])
    if found:
        assert (found[0].rule, found[0].severity) == ("range-outside-parent", "warning")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (code(2, 0x1000, 0x40) + code(2, 0x1040, 0x40), None),
        (code(2, 0x1040, 0x40) + code(2, 0x1000, 0x40), None),
        (
            code(2, 0x1000, 0x40) + code(2, 0x103C, 0x40),
            "[0x103c,0x1040) is also the code of the entry at offset 0x18",
        ),
        (
            code(2, 0x103C, 0x40) + code(2, 0x1000, 0x40),
            "[0x103c,0x1040) is also the code of the entry at offset 0x26",
        ),
        # A third one between them, and one in the middle of another.
        (
            code(2, 0x1000, 0x40) + code(2, 0x1080, 0x40) + code(2, 0x1010, 0x10),
            "[0x1010,0x1020) is also the code of the entry at offset 0x18",
        ),
        (code(2, 0x1000, 0x40) + code(2, 0x1000, 0x40), None),  # the linker folded them
        (code(2, 0, 0x40) + code(2, 0, 0x50), None),  # and dropped them
        # Blocks in one function, in two, and a function in a function.
        (
            code(2, 0x1000, 0x40, code(3, 0x1000, 0x20), code(3, 0x1018, 0x20)),
            "[0x1018,0x1020) is also the code of the entry at offset 0x25",
        ),
        (code(2, 0x1000, 0x40, code(3, 0x1000, 0x20, code(3, 0x1010, 0x10))), None),
        (code(2, 0x1000, 0x40, code(2, 0x1040, 0x40)), None),
        (
            code(2, 0x1000, 0x40, code(2, 0x1020, 0x40)),
            "[0x1020,0x1040) is also the code of the entry at offset 0x18",
        ),
    ],
)
def test_code_of_two_entries(entries: bytes, message: str | None) -> None:
    """As `llvm-dwarfdump --verify`: "DIEs have overlapping address ranges"."""
    found = findings(verdict_on(info_file(SHAPES, code(1, *WHOLE, entries), version=4)))
    assert [one.message for one in found] == ([] if message is None else [message])
    assert {(one.rule, one.severity) for one in found} <= {("overlapping-code", "warning")}


def test_symbols_of_assembly_may_share_code() -> None:
    """As the functions of a C library: GNU as describes each symbol."""
    shapes = [Shape(COMPILE_UNIT, (*CODE, (dw.AT_LANGUAGE, DATA2)), True), *SHAPES[1:]]

    def data(language: int) -> bytes:
        own = b"\1" + words(0x1000) + words(0x400, size_bytes=4)
        own += language.to_bytes(2, "little")
        inside = code(2, 0x1000, 0x40) + code(2, 0x1010, 0x30)
        return info_file(shapes, own + inside + b"\0", version=4)

    assert findings(verdict_on(data(dw.LANG_MIPS_ASSEMBLER))) == []
    assert [one.rule for one in findings(verdict_on(data(0x1D)))] == ["overlapping-code"]


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ((0x10, 0x20, 0x20, 0x30), None),
        ((0x20, 0x30, 0x10, 0x20), None),
        ((0x10, 0x21, 0x20, 0x30), "[0x1010,0x1021) and [0x1020,0x1030) overlap"),
        ((0x10, 0x30, 0x18, 0x20), "[0x1010,0x1030) and [0x1018,0x1020) overlap"),
        # A base of 0: the linker dropped the code of both.
        (((1 << 64) - 1, 0, 0, 0x20, 0, 0x30), None),
    ],
    ids=range(5),
)
def test_ranges_that_overlap(ranges: tuple[int, ...], message: str | None) -> None:
    """DWARF 5 2.17.3."""
    sections = {".debug_ranges": words(*ranges, 0, 0)}
    data = info_file(SHAPES, code(1, *WHOLE, code(2, 0x1000, 0x40, OF_RANGES)), sections, version=4)
    found = findings(verdict_on(data))
    expected = [] if message is None else [f"DW_AT_ranges: {message}"]
    assert [one.message for one in found if one.rule == "ill-formed-list"] == expected


def sibling_file(first: int, last: int) -> bytes:
    """A unit with two functions, each with a variable and a sibling, from offset 0xc on: the first
    at 0xc, its variable at 0x11, the second at 0x15, whose children end at 0x1d."""
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(SUBPROGRAM, ((SIBLING, REF4),), True),
        Shape(VARIABLE, ((dw.AT_NAME, STRING),)),
    ]
    named = b"".join(
        b"\2" + words(target, size_bytes=4) + b"\3v\0" + b"\0" for target in (first, last)
    )
    return info_file(shapes, b"\1" + named + b"\0")


FIRST, SECOND, END = 0xD, 0x16, 0x1F


@pytest.mark.parametrize(
    ("first", "last", "messages"),
    [
        (SECOND, END, []),
        (SECOND - 1, END, [f"DW_AT_sibling {SECOND - 1:#x}: the next sibling is at {SECOND:#x}"]),
        (END, END, [f"DW_AT_sibling {END:#x}: the next sibling is at {SECOND:#x}"]),
        (FIRST, END, [f"DW_AT_sibling {FIRST:#x}: the next sibling is at {SECOND:#x}"]),
        (SECOND, FIRST, [f"DW_AT_sibling {FIRST:#x}: the entry is the last of its siblings"]),
        (SECOND, 0x900, ["DW_AT_sibling 0x900: the entry is the last of its siblings"]),
    ],
)
def test_siblings(first: int, last: int, messages: list[str]) -> None:
    found = findings(verdict_on(sibling_file(first, last)))
    assert [one.message for one in found] == messages
    assert {one.rule for one in found} <= {"wrong-sibling"}
