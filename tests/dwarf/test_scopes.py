"""Subprograms, variables and their locations, by program location and name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.scope.global_variables import global_named, globals_of
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.scope_entries import code_ranges
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocList
from tests.cli.command import run
from tests.dwarf.builder import (
    X86_64,
    Content,
    Shape,
    abbreviations,
    debug_info,
    elf,
    file_of,
    fixture,
    unit,
)

LEAF = "x86_64/demo.gcc.O2.v5"
BLOCK = 0x123E
"""In leaf, in its block, in the inlined clamp, in the block of that."""


def scopes(name: str, load_address: int = 0) -> Scopes:
    return Scopes(fixture(name, load_address))


def named(variables: list[Variable], name: str) -> list[Variable]:
    return [variable for variable in variables if variable.name == name]


@pytest.mark.parametrize(
    ("name", "pc", "expected"),
    [
        (LEAF, 0x1210, "leaf"),
        (LEAF, 0x12B1, "leaf"),
        (LEAF, 0x12C0, "mid"),
        (LEAF, 0x1050, "main"),  # the cold part of main
        (LEAF, 0x1055, None),  # between the parts
        (LEAF, 0x1, None),
        ("hip/nest.gfx942.O2.v5.co", 0x1600, "nest"),
        ("hip/nest.gfx942.O2.v5.co", 0x17AC, None),
    ],
)
@pytest.mark.parametrize("load_address", [0, 0x7FFF_0000_0000])
def test_subprogram_at(name: str, pc: int, expected: str | None, load_address: int) -> None:
    subprogram = scopes(name, load_address).subprogram_at(pc + load_address)
    assert (subprogram.name if subprogram else None) == expected
    if subprogram is not None:
        assert any(span.covers(pc + load_address) for span in subprogram.ranges)


def test_chain_at() -> None:
    chain = scopes(LEAF).chain_at(BLOCK)
    assert [die.tag for die in chain] == [
        dw.TAG_SUBPROGRAM, dw.TAG_LEXICAL_BLOCK, dw.TAG_INLINED_SUBROUTINE, dw.TAG_LEXICAL_BLOCK,
    ]  # fmt: skip
    assert [die.name for die in chain] == ["leaf", None, "clamp", None]


def test_the_frames_of_a_program_location_share_its_functions() -> None:
    """Each of 10,000 inlined frames went through the whole chain."""
    of_leaf = scopes(LEAF)
    functions = of_leaf.function_entries_at(BLOCK)
    assert [die.name for die in functions] == ["clamp", "leaf"]
    assert of_leaf.function_entries_at(BLOCK) is functions
    assert of_leaf.function_entries_at(0) == ()


def test_variables_innermost_first() -> None:
    variables = scopes(LEAF).variables_at(BLOCK)
    assert [(variable.name, variable.kind, variable.inline_level) for variable in variables][
        :4
    ] == [
        ("result", "local", 0),
        ("high", "parameter", 0),
        ("low", "parameter", 0),
        ("value", "parameter", 0),
    ]
    inner, outer = named(variables, "local")
    assert (inner.decl_line, inner.inline_level, inner.is_shadowed) == (92, 1, False)
    assert (outer.decl_line, outer.inline_level, outer.is_shadowed) == (82, 1, True)
    # The inlined function sees the globals before the variables of its caller.
    order = [variable.name for variable in variables]
    assert order.index("result") < order.index("global_struct") < order.index("local")


def test_a_name_means_the_innermost_variable() -> None:
    here = scopes(LEAF)
    inside, outside = here.variable_at(BLOCK, "local"), here.variable_at(0x1236 + 0x40, "local")
    assert inside is not None and outside is not None
    assert (inside.decl_line, outside.decl_line) == (92, 82)
    assert here.variable_at(BLOCK, "nothing") is None
    variable = here.variable_at(0x12C0, "numbers")
    assert variable is not None and variable.kind == "global"


def test_a_variable_of_the_abstract_instance_gives_name_and_type() -> None:
    assert [variable.name for variable in scopes(LEAF).variables_at(BLOCK)].count("result") == 1
    result = scopes(LEAF).variable_at(BLOCK, "result")
    assert result is not None and isinstance(result.location, LocList)
    assert (result.decl_line, str(result.type and result.type.name)) == (77, "int")


def test_locations_and_their_gaps() -> None:
    here = scopes(LEAF, 0x10000)
    sp = here.variable_at(0x11210, "sp")
    assert sp is not None
    assert sp.described == ((0x11210, 0x112B2),)
    assert sp.why_optimized_out_at(0x11210) is None
    into = here.variable_at(0x11210, "into")
    assert into is not None
    assert into.why_optimized_out_at(0x11210) == (
        "into is optimized out at this pc; described at [0x1123d,0x112b2)"
    )
    lost = here.variable_at(0x11210, "lost")
    assert lost is not None
    assert (lost.location, lost.described) == (None, ())
    assert "optimized out" in (lost.why_optimized_out_at(0x11210) or "")
    array = here.variable_at(0x11210, "array")
    assert array is not None
    assert isinstance(array.location, ExprLoc) and array.why_optimized_out_at(0x11210) is None


def test_load_address_moves_what_leaves_the_file() -> None:
    near, far = (
        fixture("hip/nest.gfx942.O2.v5.co"),
        fixture("hip/nest.gfx942.O2.v5.co", 0x1_0000_0000),
    )
    a, b = near.units[0], far.units[0]
    assert (a.address(0), a.relocate(0x10)) == (b.address(0), b.relocate(0x10) - 0x1_0000_0000)
    here, there = Scopes(near).variable_at(0x1644, "a"), Scopes(far).variable_at(0x1_0000_1644, "a")
    assert here is not None and there is not None
    assert here.described == ((0x1644, 0x169C),)
    assert there.described == ((0x1_0000_1644, 0x1_0000_169C),)


def test_subprogram_attributes_of_the_amd_text() -> None:
    kernel = scopes("asm/locations.gfx942.v5.co").subprogram_at(0x1642)
    assert kernel is not None
    assert (kernel.name, kernel.lanes) == ("k", 64)
    assert isinstance(kernel.lane_pc, LocList)
    assert isinstance(kernel.frame_base, ExprLoc)
    plain = scopes("hip/nest.gfx942.O2.v5.co").subprogram_at(0x1642)
    assert plain is not None
    assert (plain.lanes, plain.lane_pc, plain.frame_base) == (None, None, None)


def test_attributes_under_their_old_numbers() -> None:
    here = scopes("asm/legacy.gfx942.v5.co")
    kernel = here.subprogram_at(0x1642)
    assert kernel is not None
    assert kernel.lanes == 64
    word = here.variable_at(0x1642, "lds_word")
    assert word is not None
    assert word.memory_space is not None


@pytest.mark.parametrize(("lanes", "expected"), [(b"\x20", 32), (b"\x00", None), (b"\xff", 255)])
def test_lanes_must_be_above_zero(lanes: bytes, expected: int | None) -> None:
    shapes = [Shape(0x11, (), True), Shape(dw.TAG_SUBPROGRAM, ((dw.AT_LLVM_LANES, 0x0B),))]
    subprogram = Subprogram(debug_info(file_of(b"\x01\x02" + lanes, shapes)).die_at(0xD))
    if expected is None:
        with pytest.raises(IllFormed, match="DW_AT_LLVM_lanes of subprogram 0xd is 0"):
            assert subprogram.lanes
    else:
        assert subprogram.lanes == expected


def test_constants_are_objects_of_their_types() -> None:
    here = scopes("asm/locations.gfx942.v5.co")
    value = here.variable_at(0x1642, "const_value")
    assert value is not None
    assert isinstance(value.location, ConstValue)
    assert len(value.location.data) == 4
    assert value.why_optimized_out_at(0x1642) is None


def test_globals_of_other_units_and_of_namespaces() -> None:
    shapes = [
        Shape(0x11, (), True),
        Shape(dw.TAG_NAMESPACE, ((dw.AT_NAME, dw.FORM_STRING),), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),)),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_DECLARATION, dw.FORM_FLAG))),
    ]
    first = b"\x01\x04far\0\x01\x03near\0\0"
    second = b"\x01\x02ns\0\x03far\0\0\x03plain\0\0"
    info = debug_info(
        elf({
            ".debug_info": unit(first) + unit(second),
            ".debug_abbrev": abbreviations(*shapes),
        })
    )  # fmt: skip
    here = Scopes(info)
    assert [variable.name for variable in globals_of(info.units[0])] == ["near"]
    result = global_named(here.info, "far")
    assert result is not None and result.unit is info.units[1]
    assert qualified_name(result.die) == "ns::far"
    assert global_named(here.info, "ns::far") == result
    assert global_named(here.info, "other::far") is None
    assert global_named(here.info, "ns::plain") is None


def test_the_nearest_of_equal_names_in_namespaces() -> None:
    """`ns` has x and a function, the unit itself x; `other`, which comes first, has x too."""
    shapes = [
        Shape(0x11, ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B)), True),
        Shape(dw.TAG_NAMESPACE, ((dw.AT_NAME, dw.FORM_STRING),), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),)),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B))),
    ]

    def function(low: int) -> bytes:
        return b"\x04" + low.to_bytes(8, "little") + b"\x10"

    body = (
        b"\x01" + (0x100).to_bytes(8, "little") + b"\xff"
        b"\x02other\0\x03x\0\x03y\0\0"
        b"\x02ns\0\x03x\0" + function(0x110) + b"\0"
        b"\x03x\0" + function(0x130) + b"\0"
    )  # fmt: skip
    sections = {".debug_info": unit(body), ".debug_abbrev": abbreviations(*shapes)}
    here = Scopes(debug_info(elf(sections)))

    def meant(pc: int | None, name: str) -> str | None:
        variable = global_named(here.info, name) if pc is None else here.variable_at(pc, name)
        return None if variable is None else qualified_name(variable.die)

    assert [meant(pc, "x") for pc in (0x115, 0x135, None)] == ["ns::x", "x", "x"]
    assert [meant(pc, "::x") for pc in (0x115, 0x135, None)] == ["x"] * 3
    assert [meant(pc, "other::x") for pc in (0x115, None)] == ["other::x"] * 2
    assert [meant(pc, "y") for pc in (0x115, None)] == [None, "other::y"], (
        "a finder finds the first"
    )
    assert meant(None, "::y") is None


def test_an_unreadable_unit_does_not_hide_another() -> None:
    shapes = [Shape(0x11, (), True), Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),))]
    broken, good = unit(b"\x01\x07y\0"), unit(b"\x01\x02x\0\0")
    sections = {".debug_info": broken + good, ".debug_abbrev": abbreviations(*shapes)}
    here = Scopes(debug_info(elf(sections)))
    assert global_named(here.info, "x") is not None
    with pytest.raises(Malformed, match="unknown abbreviation 7"):
        global_named(here.info, "y")
    assert global_named(here.info, "z") is None, "its bytes tell that it has no z"


@pytest.mark.parametrize("entries", [b"", b"\0", bytes(4)])
def test_a_unit_without_entries(entries: bytes) -> None:
    """Code 0 is that of the null entry (DWARF 5 7.5.2), not of an unknown abbreviation."""
    info = debug_info(elf({".debug_info": unit(entries), ".debug_abbrev": abbreviations()}))
    with pytest.raises(Malformed, match="the unit has no entry of its own"):
        _ = info.units[0].root


def test_an_extern_declaration_in_a_block_means_the_global() -> None:
    shapes = [
        Shape(0x11, ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B)), True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B)), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_DECLARATION, dw.FORM_FLAG))),
    ]
    pc = (0x1000).to_bytes(8, "little") + b"\x10"
    entries = b"\x01" + pc + b"\x02" + pc + b"\x03x\0\x01\0" + b"\x03x\0\0\0"
    variables = Scopes(debug_info(file_of(entries, shapes))).variables_at(0x1000)
    assert [(variable.name, variable.kind) for variable in variables] == [("x", "global")]


def test_a_variable_that_only_the_abstract_instance_has() -> None:
    shapes = [
        Shape(0x11, (), True),
        Shape(dw.TAG_SUBPROGRAM, (), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),)),
        Shape(
            dw.TAG_SUBPROGRAM,
            ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B), (dw.AT_ABSTRACT_ORIGIN, 0x11)),
            True,
        ),
        Shape(dw.TAG_VARIABLE, ((dw.AT_ABSTRACT_ORIGIN, 0x11), (dw.AT_LOCATION, 0x18))),
    ]
    abstract = b"\x02\x03kept\0\x03gone\0\0"  # at 0xd, 0xe and 0x14
    concrete = b"\x04" + (0x1000).to_bytes(8, "little") + b"\x10\x0d" + b"\x05\x0e\x01\x50\0\0"
    here = Scopes(debug_info(file_of(b"\x01" + abstract + concrete, shapes)))
    kept, gone = here.variables_at(0x1008)
    assert (kept.name, kept.location is not None) == ("kept", True)
    assert (gone.name, gone.location) == ("gone", None)


@pytest.mark.parametrize("is_of_list", [False, True])
def test_a_common_block_of_the_abstract_instance(is_of_list: bool) -> None:
    """Its variables are of the procedure (DWARF 5 4.2), those of a namelist too, to which gfortran
    gives DW_AT_declaration; an instance may have some of them, with their locations."""
    shapes = [
        Shape(0x11, (), True),
        Shape(dw.TAG_SUBPROGRAM, (), True),
        Shape(dw.TAG_COMMON_BLOCK, ((dw.AT_NAME, dw.FORM_STRING),), True),
        Shape(
            dw.TAG_VARIABLE,
            ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_EXTERNAL, 0x0C), (dw.AT_DECLARATION, 0x0C)),
        ),
        Shape(
            dw.TAG_SUBPROGRAM,
            ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B), (dw.AT_ABSTRACT_ORIGIN, 0x11)),
            True,
        ),
        Shape(dw.TAG_COMMON_BLOCK, ((dw.AT_ABSTRACT_ORIGIN, 0x11),), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_ABSTRACT_ORIGIN, 0x11), (dw.AT_LOCATION, 0x18))),
    ]
    flags = bytes((1, is_of_list))
    block = b"\x03blk\0\x04kept\0" + flags + b"\x04gone\0" + flags + b"\0"  # at 0xe and 0x13
    concrete = b"\x05" + (0x1000).to_bytes(8, "little") + b"\x10\x0d"
    concrete += b"\x06\x0e\x07\x13\x01\x50\0\0"
    here = Scopes(debug_info(file_of(b"\x01\x02" + block + b"\0" + concrete + b"\0", shapes)))
    kept, gone = here.variables_at(0x1008)
    assert (kept.name, kept.location is not None) == ("kept", True)
    assert (gone.name, gone.location, gone.kind) == ("gone", None, "local")


def test_names_that_cannot_be_printed_are_escaped() -> None:
    shapes = [Shape(0x11, (), True), Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),))]
    entries = b"\x01\x02a\x1b[2J\n\0\x02\xce\xb1\0\0"
    here = Scopes(debug_info(file_of(entries, shapes)))
    assert [variable.name for variable in globals_of(here.info.units[0])] == [
        "a\\x1b[2J\\x0a",
        "α",
    ]


def test_lists_that_overlap_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dwarfgpu.dwarf.section_budget.ALLOWANCE_BYTES", -4)
    shapes = [
        Shape(0x11, ((dw.AT_LOW_PC, 1),), True),
        Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),)),
    ]
    entries = b"\x01" + bytes(8) + b"".join(b"\x02" + bytes((at, 0, 0, 0)) for at in (0, 3)) + b"\0"
    lists = {".debug_rnglists": b"\x04\x01\x02\x04\x03\x04\0"}
    first, second = debug_info(file_of(entries, shapes, lists)).units[0].root.children()
    assert code_ranges(first) == ((1, 2), (3, 4))
    with pytest.raises(LimitExceeded, match="reading .debug_rnglists takes far more bytes"):
        code_ranges(second)


def test_a_block_without_addresses_is_wherever_its_function_is() -> None:
    block = Shape(dw.TAG_LEXICAL_BLOCK, (), True)
    code = ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B))
    shapes = [
        Shape(0x11, (), True),
        Shape(dw.TAG_SUBPROGRAM, code, True),
        block,
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),)),
        Shape(dw.TAG_LEXICAL_BLOCK, code, True),
    ]

    def at(low: int) -> bytes:
        return low.to_bytes(8, "little") + b"\x10"

    inside = b"\x03\x03\x04v\0\x05" + at(0x1004) + b"\x04x\0\0\0\0"
    here = Scopes(debug_info(file_of(b"\x01\x02" + at(0x1000) + inside + b"\x04w\0\0\0", shapes)))
    assert [variable.name for variable in here.variables_at(0x1000)] == ["v", "w"]
    assert [variable.name for variable in here.variables_at(0x1008)] == ["x", "v", "w"]


@pytest.mark.parametrize("labels", [0, 2_000])
def test_the_first_of_blocks_that_overlap(labels: int) -> None:
    """Also where an index of many entries is made. One that cannot be read is an error unless one
    before it is the answer; those after it are not asked."""
    code = ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B))
    shapes = [
        Shape(0x11, (), True),
        Shape(dw.TAG_SUBPROGRAM, code, True),
        Shape(dw.TAG_LEXICAL_BLOCK, code, False),
        Shape(dw.TAG_LEXICAL_BLOCK, (), True),
        Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),), False),
        Shape(dw.TAG_LABEL),
    ]

    def at(low: int, size_bytes: int) -> bytes:
        return low.to_bytes(8, "little") + bytes((size_bytes,))

    inside = (
        b"\x03" + at(0x1010, 0x30),
        b"\x03" + at(0x1020, 0x08),  # in the first
        b"\x04\x03" + at(0x1030, 0x20) + b"\0",  # in a block without code of its own
        b"\x05\0\0\0\0",  # 0x1004 to 0x1008 and 0x1038 to 0x1058
        b"\x03" + at(0x1050, 0x10),
        b"\x03" + at(0x1070, 0),  # without code
    )
    lists = b"\x07" + at(0x1004, 4) + b"\x07" + at(0x1038, 0x20) + b"\0"
    expected = {
        0x1003: None, 0x1004: 3, 0x1007: 3, 0x1008: None, 0x1010: 0, 0x1022: 0, 0x103F: 0,
        0x1040: 2, 0x104F: 2, 0x1050: 3, 0x1057: 3, 0x1058: 4, 0x1060: None, 0x1070: None,
    }  # fmt: skip

    def inner_at(entries: tuple[bytes, ...], pcs: Iterable[int]) -> dict[int, int | None]:
        """Which of the entries is the inner scope at each address."""
        before = b"\x01\x02" + at(0x1000, 0x80) + b"\x06" * labels
        offsets = {12 + len(before) + len(b"".join(entries[:n])): n for n in range(len(entries))}
        offsets = {at + (entries[n][0] == 4): n for at, n in offsets.items()}
        data = file_of(before + b"".join(entries) + b"\0\0", shapes, {".debug_rnglists": lists})
        here = Scopes(debug_info(data))
        chains = {pc: here.chain_at(pc)[1:] for pc in pcs}
        return {pc: offsets[inner[0].offset] if inner else None for pc, inner in chains.items()}

    assert inner_at(inside, expected) == expected
    unreadable = b"\x05\xff\0\0\0"
    assert inner_at((*inside[:3], unreadable, *inside[4:]), (0x1022, 0x104F)) == {
        0x1022: 0,
        0x104F: 2,
    }
    for pc in (0x1008, 0x1058):
        with pytest.raises(Malformed, match="debug_rnglists"):
            inner_at((*inside[:3], unreadable, *inside[4:]), (0x1010, pc))


def test_enumerators_in_structures_of_c() -> None:
    """C 6.2.1: a structure is no scope. clang describes an enumeration without a name there."""
    shapes = [
        Shape(0x11, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_NAME, dw.FORM_STRING),), True),
        Shape(dw.TAG_ENUMERATION_TYPE, ((dw.AT_BYTE_SIZE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_ENUMERATOR, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_CONST_VALUE, 0x0B))),
    ]
    of_structure = b"\2outer\0\3\x04\4HI\0\5\0\0"
    for language, expected in ((0x1D, ["HI"]), (0x1A, [])):
        info = debug_info(file_of(b"\1" + bytes([language]) + of_structure + b"\0", shapes))
        lookup = NameLookup([info], info.units[0])
        found = [die.name for die in lookup.of("HI") if isinstance(die, Die)]
        assert found == expected
        (inside,) = lookup.of("outer::HI")
        assert isinstance(inside, Die) and inside.name == "HI"


def test_aliases_of_namespaces_in_functions_are_listed() -> None:
    """As in GDB: they are symbols of the file, wherever they are declared."""
    shapes = [
        Shape(0x11, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_NAMESPACE, ((dw.AT_NAME, dw.FORM_STRING),)),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRING),), True),
        Shape(0x0B, (), True),  # a block
        Shape(dw.TAG_IMPORTED_DECLARATION, ((dw.AT_NAME, 8), (dw.AT_IMPORT, dw.FORM_REF4))),
    ]
    namespace = 12 + 2
    alias = b"\5in\0" + namespace.to_bytes(4, "little")
    entries = b"\1\x1a\2N\0\3f\0\4" + alias + b"\0\0\0"
    info = debug_info(file_of(entries, shapes))
    assert sorted(symbol.name for symbol in listed_symbols(info, "types")) == ["N", "in"]


def test_a_constant_of_a_variable_template_has_its_arguments() -> None:
    """clang gives `template <class T> constexpr T v` no linkage name, and its arguments as GDB
    shows them."""
    shapes = [
        Shape(0x11, ((dw.AT_LANGUAGE, dw.FORM_DATA1),), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, 8), (dw.AT_CONST_VALUE, 0x0B)), True),
        Shape(dw.TAG_TEMPLATE_TYPE_PARAMETER, ((dw.AT_NAME, 8), (dw.AT_TYPE, dw.FORM_REF4))),
        Shape(dw.TAG_BASE_TYPE, ((dw.AT_NAME, 8), (dw.AT_BYTE_SIZE, 0x0B), (dw.AT_ENCODING, 0x0B))),
    ]
    variable = b"\2v\0\5\3T\0"
    base = 12 + 2 + len(variable) + 4 + 1
    entries = b"\1\x1a" + variable + base.to_bytes(4, "little") + b"\0\4int\0\4\5\0"
    info = debug_info(file_of(entries, shapes))
    assert [symbol.name for symbol in listed_symbols(info, "variables")] == ["v<int>"]
    (found,) = NameLookup([info], info.units[0]).of("v<int>")
    assert isinstance(found, Die) or found.name == "v"
    assert NameLookup([info], info.units[0]).of("v<char>") == ()


def test_code_between_units_hides_no_unit() -> None:
    """Where an address is in no unit, the code of all units is kept."""
    of_leaf = scopes(LEAF)
    unit = of_leaf.unit_at(BLOCK)
    assert unit is not None
    of_leaf = scopes(LEAF)
    found = [of_leaf.unit_at(pc) for pc in (1, BLOCK, 2, BLOCK + 1)]
    assert [None if at is None else at.offset for at in found] == [None, unit.offset] * 2


@pytest.mark.parametrize(
    ("form", "operand", "entry"),
    [
        (None, b"", 0x30),  # the base address: that of the first range
        (0x01, (0x14).to_bytes(8, "little"), 0x14),  # DW_FORM_addr
        (0x0B, b"\4", 0x34),  # DW_FORM_data1: from the base address
        (0x01, (0x100).to_bytes(8, "little"), 0x30),  # beyond the code: ignored
    ],
)
def test_where_a_function_is_entered(
    tmp_path: Path, form: int | None, operand: bytes, entry: int
) -> None:
    """DWARF 5 2.18."""
    attributes = [(dw.AT_NAME, dw.FORM_STRING), (dw.AT_RANGES, dw.FORM_SEC_OFFSET)]
    attributes += [] if form is None else [(dw.AT_ENTRY_PC, form)]
    unit_code = ((dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B))
    shapes = [Shape(0x11, unit_code, True), Shape(dw.TAG_SUBPROGRAM, tuple(attributes))]
    entries = b"\x01" + bytes(8) + b"\x40" + b"\x02f\0" + bytes(4) + operand + b"\0"
    lists = b"\x04\x30\x38\x04\x10\x18\0"  # DW_RLE_offset_pair, from the unit's address
    text = Content(bytes(0x40), flags=6, address=0)
    data = file_of(entries, shapes, {".text": text, ".debug_rnglists": lists}, machine=X86_64)
    function = Scopes(debug_info(data, load_address=0x1000)).subprogram_at(0x1011)
    assert function is not None and function.entry == 0x1000 + entry
    (tmp_path / "f").write_bytes(data)
    shown = run("debug", tmp_path / "f", "-batch", "-ex", "print f")
    assert f"0x{entry:x} <f>" in shown.out


def test_a_unit_with_unreadable_ranges_has_the_code_of_its_functions() -> None:
    """As in GDB. Where no function says it either, the message names the unit."""
    function = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOW_PC, 1), (dw.AT_HIGH_PC, 0x0B))
    shapes = [
        Shape(0x11, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),), True),
        Shape(dw.TAG_SUBPROGRAM, function),
    ]
    entries = b"\x01" + b"\xff" * 4 + b"\x02f\0" + (0x10).to_bytes(8, "little") + b"\x08\0"
    for questions in (1, 20_000):  # the second time, an index of all units answers
        here = Scopes(debug_info(file_of(entries, shapes, {".debug_rnglists": b"\0"})))
        for _ in range(questions):
            function_at = here._code.linked_unit(0x14)
        assert function_at is here.info.units[0]
        assert here.unit_at(0x14) is function_at
        for address in range(0x18, 0x18 + questions):
            with pytest.raises(DwarfGpuError, match="the code of the unit at 0x0: .*outside the"):
                here.unit_at(address)
