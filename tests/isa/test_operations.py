"""Declarations of operations: each encoding has one, each of its fields is bound once."""

from __future__ import annotations

import re

import pytest

from dwarfgpu.isa.operation import (
    DeclaredOperand,
    Operation,
    operation_named,
    operations,
    operations_by_name,
    parse_line,
    type_bits,
    without_suffix,
)
from dwarfgpu.isa.tables import GENERATIONS, table_lines


def one(line: str) -> Operation:
    ((operation, _),) = parse_line(line)
    return operation


def test_places_of_a_line() -> None:
    operation = one("v_addc_co_u32 v_add_co_ci_u32 : u32 mask = u32 u32 mask")
    assert operation.names == ("v_addc_co_u32", "v_add_co_ci_u32")
    assert operation.results == (DeclaredOperand("", "u32"), DeclaredOperand("", "mask"))
    assert [str(place) for place in operation.sources] == ["u32", "u32", "mask"]
    assert operation.is_masked and not operation.is_scalar


def test_memory_is_load_store_or_both() -> None:
    load = one("ds_read_u8 : u32 = lds.u8")
    store = one("ds_write_b8 : lds.b8 = b8")
    add = one("ds_add_rtn_u32 : u32 lds.u32 = lds.u32 u32")
    kinds = [(item.is_load, item.is_store, item.is_atomic) for item in (load, store, add)]
    assert kinds == [(True, False, False), (False, True, False), (True, True, True)]
    assert add.memory == (DeclaredOperand("lds", "u32"),)


def test_flags_and_expression() -> None:
    operation = one("v_readlane_b32 : b32 = b32 u32 : lanes unmasked : lane(a, b) : not a column")
    assert operation.flags == {"lanes", "unmasked"} and not operation.is_masked
    assert operation.expression == "lane(a, b) : not a column"


def test_braces_stand_for_each_member() -> None:
    lines = [item for item, _ in parse_line("v_cmp_lt_{f16,f32} : mask = {} {} : : {}(a) < b")]
    assert [item.name for item in lines] == ["v_cmp_lt_f16", "v_cmp_lt_f32"]
    assert lines[1].sources == (DeclaredOperand("", "f32"), DeclaredOperand("", "f32"))
    assert lines[1].expression == "f32(a) < b"


@pytest.mark.parametrize(
    "line, message",
    [
        ("s_nop", "no columns"),
        ("s_nop : imm16", "no = between"),
        ("s_nop : = imm16 : quick", "unknown flag quick"),
        ("s_nop : = word", "no type of operands: word"),
        ("s_nop : = lds.word", "no type of operands: word"),
    ],
)
def test_wrong_lines(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(parse_line(line))


def test_a_name_means_what_it_means_in_its_generation() -> None:
    with_carry, without = (operation_named("v_add_u32_e32", number) for number in (8, 9))
    assert with_carry is operation_named("v_add_co_u32_e64", 9)
    assert without is operation_named("v_add_nc_u32_e64_dpp", 10)
    assert operation_named("v_add_u32_e32", 10) is None


def test_types() -> None:
    sizes = {"b32": 32, "v2bf16": 32, "v8i4": 32, "v32b32": 1024, "u24": 24, "mask": 64}
    assert {name: type_bits(name, 64) for name in sizes} == sizes
    assert type_bits("mask", 32) == 32


def mnemonics(generation: int) -> set[str]:
    """Without suffixes of encodings; the first of the two of a VOPD."""
    lines = (re.fullmatch(r"[0-9a-f]+ (\w+)( \d+)?", line) for line in table_lines(generation))
    return {without_suffix(match[1]).replace("v_dual_", "v_") for match in lines if match}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_encoding_has_an_operation(generation: int) -> None:
    assert mnemonics(generation) - operations_by_name(generation).keys() == set()


LATER = "_load_lds_"
"""Names that gfx8 to gfx10 spell with `lds` after the operands, and other spaces of that line."""


def test_each_name_has_an_encoding() -> None:
    known = {(number, name) for number in GENERATIONS for name in mnemonics(number)}
    unknown = [
        name
        for operation, ranges in operations()
        for name, generations in zip(operation.names, ranges, strict=True)
        if not any((number, name) in known for number in GENERATIONS if number in generations)
        and LATER not in name
    ]
    assert unknown == []
