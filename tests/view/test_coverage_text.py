"""Bars, percentages and words of coverage."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.address_ranges import Range, merged
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import CodeScope, Coverage, Description
from dwarfgpu.dwarf.types.types import Base
from dwarfgpu.errors import IllFormed
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocList, UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD, UPSTREAM_CLANG
from dwarfgpu.expr.explicit_context import ExplicitUnit
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.expr.static_check.extent import extent_of
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.view.coverage_text import (
    ASCII,
    BLOCKS,
    SourceLines,
    bar,
    bar_width,
    cells_for,
    percent,
    rows,
    spans_text,
)
from dwarfgpu.view.location_sentence import description_text, location_words

ARCH = architecture("x86_64")
DEMO = Path("dwarfgpu/data/demo.co")
UNIT = ExplicitUnit(UnitFormat(), AMD)
Pairs = list[tuple[int, int]]


def spans(pairs: Pairs) -> tuple[Range, ...]:
    return tuple(Range(*pair) for pair in pairs)


def coverage(scope: Pairs, complete: Pairs, described: Pairs | None = None) -> Coverage:
    place = CodeScope(None, None, spans(scope), "f", "f")  # type: ignore[arg-type]
    result = spans(complete)
    either = result if described is None else spans(described)
    return Coverage(None, place, complete=result, described=either)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scope", "complete", "described", "expected"),
    [
        ([(0, 8)], [(0, 8)], None, "████"),
        ([(0, 8)], [], None, "░░░░"),
        ([(0, 8)], [(0, 4)], None, "██░░"),
        ([(0, 8)], [(0, 5)], None, "██▒░"),  # a cell that is half covered
        ([(0, 8)], [(2, 7)], None, "░██▒"),
        ([(0, 4000)], [(1, 4000)], None, "▒███"),  # however little is missing
        ([(0, 4000)], [(1, 2)], None, "▒░░░"),  # however little there is
        ([(0, 8)], [(0, 4)], [(0, 8)], "██▒▒"),  # described in part
        ([(0, 8)], [], [(2, 4)], "░▒░░"),
        ([(0, 4), (100, 104)], [(100, 104)], None, "░░██"),  # what is between is left out
        ([(0, 4), (100, 104)], [(0, 4), (100, 104)], None, "████"),
        ([(0, 3)], [(0, 1)], None, "█▒░░"),  # fewer bytes than cells
        ([(0, 1)], [(0, 1)], None, "████"),
        ([(0, 3)], [(1, 2)], None, "░▒▒░"),
        ([], [], None, "░░░░"),
    ],
)
def test_bar(scope: Pairs, complete: Pairs, described: Pairs | None, expected: str) -> None:
    assert bar(coverage(scope, complete, described), 4) == expected
    plain = expected.translate(str.maketrans("█▒░", "#+."))
    assert bar(coverage(scope, complete, described), 4, ASCII) == plain


@pytest.mark.parametrize(("columns", "width"), [(1, 10), (30, 10), (40, 10), (50, 10), (100, 60)])
def test_bar_on_a_narrow_terminal(columns: int, width: int) -> None:
    assert len(bar(coverage([(0, 8)], [(0, 4)]), bar_width(columns))) == width


def test_bars_of_any_scope() -> None:
    """A cell is full, empty or mixed as its bytes are, one by one."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    for _ in range(300):
        width = source.randint(1, 12)
        scope = merged(
            Range(at, at + source.randint(1, 9)) for at in source.sample(range(90), 3)
        )  # fmt: skip
        known = {at for begin, end in scope for at in range(begin, end) if source.random() < 0.7}
        result = merged(Range(at, at + 1) for at in known)
        place = CodeScope(None, None, scope, "f", "f")  # type: ignore[arg-type]
        drawn = bar(Coverage(None, place, complete=result, described=result), width)  # type: ignore[arg-type]
        # every byte as `width` equal parts: each cell has as many parts as the scope has bytes
        parts = [
            at in known for begin, end in scope for at in range(begin, end) for _ in range(width)
        ]
        size = len(parts) // width
        for cell, mark in enumerate(drawn):
            inside = parts[cell * size : (cell + 1) * size]
            assert mark == ("█" if all(inside) else "▒" if any(inside) else "░")


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        (0, 0, "-"),
        (0, 10, "0.0%"),
        (10, 10, "100.0%"),
        (1, 3, "33.3%"),
        (99_999, 100_000, "99.9%"),
        (1, 100_000, "<0.1%"),
        (1, 1000, "0.1%"),
    ],
)
def test_percent(part: int, whole: int, expected: str) -> None:
    assert percent(part, whole) == expected


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", BLOCKS), ("UTF-8", BLOCKS), (None, BLOCKS), ("ascii", ASCII), ("latin-1", ASCII),
     ("cp437", BLOCKS), ("no such thing", ASCII)],
)  # fmt: skip
def test_cells(encoding: str | None, expected: object) -> None:
    assert cells_for(encoding) is expected


def test_ranges() -> None:
    assert spans_text(spans([(16, 32), (48, 64)])) == "[0x10,0x20) [0x30,0x40)"
    assert spans_text(spans([(16, 32), (48, 64)]), 1) == "[0x10,0x20) and 1 more"


def description(text: str, bounds: Range | None = None) -> Description:
    data = assemble(text, arch=ARCH)
    return Description(bounds, ExprLoc(data, UNIT), extent_of(data, AMD, UnitFormat()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reg5", "in rdi: DW_OP_reg5 RDI"),
        ("regx rax", "in rax: DW_OP_regx RAX"),
        ("reg5; piece 4; piece 4",
         "in 2 pieces, bits 32-63 optimized out: DW_OP_reg5 RDI, DW_OP_piece 0x4, DW_OP_piece 0x4"),
        ("fbreg -20", "in memory at the frame base - 20: DW_OP_fbreg -20"),
        ("breg7 8", "in memory at rsp + 8: DW_OP_breg7 RSP+8"),
        ("breg7 0", "in memory at rsp: DW_OP_breg7 RSP+0"),
        ("addr 0x4048", "in memory at 0x4048: DW_OP_addr 0x4048"),
        ("breg7 8; deref", "in memory: DW_OP_breg7 RSP+8, DW_OP_deref"),
        ("breg5 1; breg4 2; plus; stack_value",
         "computed from rdi and rsi: DW_OP_breg5 RDI+1, DW_OP_breg4 RSI+2, DW_OP_plus, "
         "DW_OP_stack_value"),
        ("lit7; stack_value", "the constant 7: DW_OP_lit7, DW_OP_stack_value"),
        ("consts -5; stack_value", "the constant -5: DW_OP_consts -5, DW_OP_stack_value"),
        ("entry_value(reg5); stack_value",
         "its value on entry to the function: DW_OP_entry_value(DW_OP_reg5 RDI), "
         "DW_OP_stack_value"),
        ("", "optimized out: the description is empty"),
        ("call2 5", "how much of it depends on DW_OP_call2: DW_OP_call2 0x5"),
        ("lit4; swap",
         "cannot be evaluated: DW_OP_swap at offset 0x1: 2 stack entries needed, the stack has 1: "
         "DW_OP_lit4, DW_OP_swap"),
    ],
)  # fmt: skip
def test_words(text: str, expected: str) -> None:
    assert description_text(description(text), ARCH) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bregx v2 0; lit1; swap; xderef", "v2 holds the value or its address"),
        ("bregx v2 0", "v2 holds the value or its address"),
        ("bregx v2 0; deref", "v2 holds the value or its address"),
        ("bregx v2 0; stack_value", "computed from v2"),
        ("regx v2", "in v2"),
        ("bregx s33 8; lit1; swap; xderef", "in memory"),
    ],
)
def test_words_of_registers_that_clang_writes_as_addresses(text: str, expected: str) -> None:
    """docs/dialects.md: where a register may hold the address or the value, no answer says that
    the variable is in memory."""
    arch = architecture("gfx942")
    unit = ExplicitUnit(UnitFormat(), UPSTREAM_CLANG)
    assert location_words(ExprLoc(assemble(text, arch=arch), unit), arch) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("regx 2563", "in VGPR3 of wave64"),
        ("regx 1539", "in v3"),
        ("regx 2563; LLVM_push_lane; lit4; mul; LLVM_offset", "in VGPR3 of wave64, by lane"),
        ("regx 5000", "in register 5000"),
    ],
)
def test_words_of_registers_of_the_other_wave_size(text: str, expected: str) -> None:
    """A file that specifies no wave size may be for both."""
    source = ExprLoc(assemble(text), UNIT)
    assert location_words(source, architecture("gfx1100", 32)) == expected


def test_words_of_constants() -> None:
    text = Description(None, ConstValue(b"\1\0"), extent_of(b"\x50", AMD, UnitFormat()))
    assert description_text(text, ARCH) == "a constant of the bytes 01 00: DW_AT_const_value"


def test_neighbours_with_the_same_description_are_one_row() -> None:
    output = [("reg5", 0, 4), ("reg5", 4, 6), ("reg4", 6, 8), ("reg5", 30, 50)]
    descriptions = tuple(description(text, Range(begin, end)) for text, begin, end in output)
    place = CodeScope(None, None, spans([(0, 40)]), "f", "f")  # type: ignore[arg-type]
    location = LocList(
        tuple(LocationListEntry(assemble(text), *span) for text, *span in output), UNIT
    )
    extents = tuple(one.extent for one in descriptions)
    result = rows(Coverage(None, place, location, extents))  # type: ignore[arg-type]
    assert [(item.span, item.description is None, item.is_outside) for item in result] == [
        ((0, 6), False, False), ((6, 8), False, False), ((8, 30), True, False),
        ((30, 40), False, False), ((40, 50), False, True),
    ]  # fmt: skip


def test_words_of_a_variable_whose_type_is_unreadable() -> None:
    """Whoever shows the type reports why: the list of all variables does not end."""

    class Unreadable:
        @property
        def type(self) -> object:
            raise IllFormed("no entry starts there")

    arch = architecture("gfx942")
    unit = ExplicitUnit(UnitFormat(), UPSTREAM_CLANG)
    source = ExprLoc(assemble("bregx s33 8; lit1; swap; xderef", arch=arch), unit)
    assert location_words(source, arch, Unreadable()) == "in memory"  # type: ignore[arg-type]


def test_a_constant_with_too_few_bytes_for_its_type() -> None:
    class Unit:
        endian, is_cplusplus = "little", False

    class Integer:
        type = Base(BaseType("int", "signed", 32))
        unit = Unit()

    def words(text: str) -> str:
        """Of an expression, judged for the object."""
        whole = description(text)
        of_object = whole._replace(extent=whole.extent.of_object(32))
        shown = description_text(of_object, ARCH, Integer())  # type: ignore[arg-type]
        return shown.split(": ")[0]

    text, variable = description("implicit_value 3 1 2 3"), Integer()
    assert description_text(text, ARCH, variable) == (  # type: ignore[arg-type]
        "a constant of the bytes 01 02 03, 24 of the 32 bits of its type: "
        "DW_OP_implicit_value 0x3 0x01 0x02 0x03"
    )
    assert words("implicit_value 3 1 2 3") == (
        "a constant of the bytes 01 02 03, 24 of the 32 bits of its type"
    )
    assert words("lit1; stack_value; lit6; LLVM_offset") == "16 of the 32 bits of its type"
    assert words("implicit_value 0") == "a value of 0 bytes"
    assert description_text(description("implicit_value 0"), ARCH) == (
        "a constant of 0 bytes: DW_OP_implicit_value 0x0"
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([("a.h", [15]), ("nest.hip", [9])], "a.h:15 nest.hip:9"),
        ([("nest.hip", [1, 3, 5, 7, 9])], "nest.hip:1,3,5,7,…"),
        ([("new_allocator.h", [80]), ("stl_pair.h", [195]), ("stl_tree.h", [175, 208, 734]),
          ("nest.hip", [26, 35, 36])], "new_allocator.h:80 nest.hip:26,35-36 …"),
        ([("n" * 60, [1]), ("a.h", [2])], f"{'n' * 60}:1 …"),
        ([("a.h", [2]), ("n" * 60, [1])], "a.h:2 …"),
        ([], ""),
    ],
    ids=["all", "lines", "own file", "long first", "long second", "none"],
)  # fmt: skip
def test_lines_of_many_files(
    files: list[tuple[str, list[int]]], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A range of optimized C++ has lines of a dozen headers: as wide as all of them, the table
    shows nothing else on a screen."""
    [unit] = CodeObject.open(DEMO).scopes.info.units
    source = SourceLines(unit)
    monkeypatch.setattr(source, "of", lambda _: files)
    assert source.text(Range(0, 8)) == expected
