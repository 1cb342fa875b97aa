"""A.5.7, A.5.14, A.5.18 and A.7.12: what types are evaluated with, attribute by attribute."""

from __future__ import annotations

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.class_parts import Method
from dwarfgpu.dwarf.types.dynamic_properties import Bounds, Computed, Properties
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Dynamic,
    Function,
    Member,
    MemberPointer,
    Struct,
    Type,
)
from dwarfgpu.errors import IllFormed, MissingContext
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.model.location import Location
from dwarfgpu.model.value import Value
from dwarfgpu.session.resolve_type import Resolver, TypedObject
from tests.dwarf.builder import Shape, debug_info, file_of
from tests.spec.machine import CPU, GPU, location_list, raises, shown

INT = Base(BaseType("int", "signed", 32))
CONTAINER = GPU.memory(0, 0x1000)
"""Where the bytes are 0, 1, 2 …"""
LANE = GPU.memory(5, 0x10, 3)


def expression(text: str) -> ExprLoc:
    return ExprLoc(GPU.asm(text), GPU.unit)


def resolver() -> Resolver:
    return Resolver(lambda: evolve(GPU.context, object=LANE, initial_stack=(LANE,)))


def kept(clause: str, *row: object) -> object:
    return pytest.param(*row, marks=pytest.mark.clause(clause, "keeps"), id=str(row[0]))


def broken(clause: str, *row: object) -> object:
    return pytest.param(*row, marks=pytest.mark.clause(clause, "breaks"), id=str(row[0]))


@pytest.mark.parametrize(("bytes_or_text", "container", "place"), [
    kept("A.5.7.3/member-constant", 4, CONTAINER, "global#0x1004"),
    kept("A.5.7.3/member-constant", 0, LANE, "private_lane[3]#0x10"),
    kept("A.5.7.3/member-constant", 1, CONTAINER.displaced(3), "global#0x1001+3b"),
    kept("A.5.7.3/member-expression", "LLVM_offset_uconst 4", CONTAINER, "global#0x1004"),
    kept("A.5.7.3/member-expression", "LLVM_offset_uconst 4", LANE, "private_lane[3]#0x14"),
    kept("A.5.7.3/member-expression", "lit4; LLVM_offset", LANE, "private_lane[3]#0x14"),
    kept("A.5.7.3/member-expression", "dup; deref_size 1; plus", CONTAINER.displaced(32),
         "global#0x1008"),
    kept("A.5.7.3/member-expression", "drop; lit9", CONTAINER, "global#0x9"),
    kept("A.5.7.3/member-expression", "", CONTAINER, "global#0x1000"),
])  # fmt: skip
def test_members(bytes_or_text: int | str, container: Location, place: str) -> None:
    if isinstance(bytes_or_text, int):
        member = Member("m", INT, 8 * bytes_or_text)
    else:
        member = Member("m", INT, 0, None, expression(bytes_or_text))
    kind = Struct("struct", "s", 16, (member,))
    assert shown(resolver().member(kind, container, member).location) == place


@pytest.mark.parametrize(("text", "error"), [
    broken("A.5.7.3/member-constant", None, Exception),
    broken("A.5.7.3/member-expression", "swap", IllFormed),
    broken("A.5.7.3/member-object", "push_object_address", MissingContext),
])  # fmt: skip
def test_members_that_are_nowhere(text: str | None, error: type[Exception]) -> None:
    if text is None:
        member = Member("m", INT, -8 * 0x2000)
    else:
        member = Member("m", INT, 0, None, expression(text))
    kind = Struct("struct", "s", 16, (member,))
    with pytest.raises(error):
        resolver().member(kind, CONTAINER, member)


def test_a_member_with_a_location_list_as_its_offset() -> None:
    """Its entries have the stack of the attribute: docs/spec-notes.md."""
    entries = location_list(
        GPU, (0x1000, 0x2000, "LLVM_offset_uconst 4"), (0x1040, 0x1044, "lit8; LLVM_offset"),
        (0x3000, 0x4000, "lit0"),
    )  # fmt: skip
    kind = Struct("struct", "s", 16, (member := Member("m", INT, 0, None, entries),))
    assert shown(resolver().member(kind, CONTAINER, member).location) == (
        "global#0x1004 | global#0x1008"
    )
    entries = location_list(GPU, (0x3000, 0x4000, "lit0"))
    kind = Struct("struct", "s", 16, (member := Member("m", INT, 0, None, entries),))
    assert resolver().member(kind, CONTAINER, member).location.is_undefined


@pytest.mark.parametrize(("text", "place"), [
    kept("A.5.7.8/vtable_elem-stack", "deref_size 1; lit16; plus", "global#0x10"),
    kept("A.5.7.8/vtable_elem-stack", "LLVM_offset_uconst 8", "global#0x1008"),
    broken("A.5.7.8/vtable_elem-stack", "swap", None),
    broken("A.5.7.8/vtable_elem-object", "push_object_address", None),
])  # fmt: skip
def test_slots(text: str, place: str | None) -> None:
    method = Method("f", Function(), True, True, expression(text))

    def slot() -> str:
        return shown(resolver().slot(method, CONTAINER))

    if place is not None:
        assert slot() == place
    else:
        raises(slot, IllFormed if text == "swap" else MissingContext)


@pytest.mark.parametrize(("text", "place"), [
    kept("A.5.14/use-stack", "plus", "global#0x1004"),  # what GCC writes
    kept("A.5.14/use-stack", "swap; LLVM_offset", "global#0x1004"),
    kept("A.5.14/use-stack", "drop", "global#0x4"),
    broken("A.5.14/use-stack", "rot", None),
    broken("A.5.14/use-object", "push_object_address", None),
])  # fmt: skip
def test_pointers_to_members(text: str, place: str | None) -> None:
    kind = MemberPointer(INT, None, 8, expression(text))
    value = Value(4, GPU.arch.generic)

    def pointed() -> str:
        return shown(resolver().pointed(kind, value, CONTAINER))

    if place is not None:
        assert pointed() == place
    else:
        raises(pointed, IllFormed if text == "rot" else MissingContext)


def described(**properties: object) -> TypedObject:
    """An object of a dynamic array type at 0x1000."""
    kind = Dynamic(Array(INT, (None,)), Properties(**properties))  # type: ignore[arg-type]
    return resolver().resolved(kind, CONTAINER)


def computed(text: str, factor: int = 1) -> Computed:
    return Computed("DW_AT_count", expression(text), factor)


@pytest.mark.parametrize(("text", "place"), [
    kept("A.5.18.1/data-object", "push_object_address; LLVM_offset_uconst 8", "global#0x1008"),
    kept("A.5.18.1/data-object", "push_object_address; deref_size 1", "global#0x0"),
    kept("A.5.18.1/data-absent", None, "global#0x1000"),
    broken("A.5.18.1/data-object", "dup", None),  # the initial stack is empty
])  # fmt: skip
def test_data_locations(text: str | None, place: str | None) -> None:
    location = None if text is None else computed(text)

    def placed() -> str:
        count = computed("push_object_address; deref_size 1; lit2; plus")
        result = described(data_location=location, bounds=(Bounds(0, count=count),))
        assert isinstance(result.type, Array) and result.type.dimensions == (2,)
        return shown(result.location)

    if place is not None:
        assert placed() == place
    else:
        raises(placed, IllFormed)


def test_the_size_of_a_descriptor_is_not_that_of_its_data() -> None:
    kind = Array(INT, (None,), declared_bits=8 * 24)
    for data, size in ((None, 24), (computed("push_object_address"), 8)):
        properties = Properties(data_location=data, bounds=(Bounds(0, count=computed("lit2")),))
        resolved = resolver().resolved(Dynamic(kind, properties), CONTAINER)
        assert size_bytes(resolved.type) == size


@pytest.mark.clause("D.2.3/rank-index", "keeps")
def test_the_bounds_of_a_rank_know_their_dimension() -> None:
    bounds = Bounds(computed("lit1; plus"), computed("lit3; mul; lit5; plus"))
    result = described(rank=computed("lit3"), bounds=(bounds,)).type
    assert isinstance(result, Array)
    assert result.lower_bounds == (1, 2, 3) and result.dimensions == (5, 7, 9)


@pytest.mark.clause("D.2.3/rank-index", "breaks")
def test_other_bounds_have_an_empty_stack() -> None:
    raises(lambda: described(bounds=(Bounds(0, count=computed("dup")),)), IllFormed)


@pytest.mark.parametrize(("count", "place"), [(0, "global#0x1000"), (2, "global#0x0"),
                                              (3, "global#0xfffffffffffff000")])  # fmt: skip
def test_a_descriptor_that_was_never_set_has_a_type(count: int, place: str) -> None:
    """An array without elements begins where its data is; addresses wrap around."""
    result = described(bounds=(Bounds(0, count=count, stride_bits=-8 * 0x1000),))
    assert isinstance(result.type, Array) and result.type.dimensions == (count,)
    assert shown(result.location) == place


def lower_bound(language: int, form: int = dw.FORM_DATA2) -> int | None:
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, form),), True),
        Shape(dw.TAG_ARRAY_TYPE, (), True),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_UPPER_BOUND, dw.FORM_DATA1),)),
    ]
    data = b"\x01" + language.to_bytes(2, "little") + b"\x02\x03\x05\0"
    info = debug_info(file_of(data, shapes))
    kind: Type = info.types.build(info.die_at(0xF))
    assert isinstance(kind, Array)
    return kind.lower_bound


@pytest.mark.parametrize(("language", "expected"), [
    kept("A.7.12/hip-lower-bound", 0x8100, 0),
    kept("A.7.12/hip-lower-bound", 0x30, 0),
    broken("A.7.12/hip-lower-bound", 0x8101, None),  # the lower bound of its arrays is unknown
])  # fmt: skip
def test_languages(language: int, expected: int | None) -> None:
    assert lower_bound(language) == expected


TABLE_7_17 = {
    0: (0x01, 0x02, 0x04, 0x0B, 0x0C, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x18, 0x19, 0x1A,
        0x1B, 0x1C, 0x1D, 0x1E, 0x20, 0x21, 0x24, 0x25),
    1: (0x03, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0D, 0x0E, 0x0F, 0x17, 0x1F, 0x22, 0x23),
}  # fmt: skip


@pytest.mark.parametrize("expected", [0, 1])
def test_the_languages_of_dwarf_5(expected: int) -> None:
    assert {language: lower_bound(language) for language in TABLE_7_17[expected]} == dict.fromkeys(
        TABLE_7_17[expected], expected
    )


def test_the_expressions_of_figure_d_1_3() -> None:
    """A member four bytes into its structure; 16 bytes beyond what a register held on entry."""
    assert shown(GPU.changed(initial_stack=(LANE,)).location("LLVM_offset_uconst 4")) == (
        "private_lane[3]#0x14"
    )
    entry = {CPU.asm("reg5"): Value(0x1000, CPU.arch.generic)}
    frame = ExplicitFrame(
        CPU.arch, given_caller=(ExplicitFrame(CPU.arch), 0x5000), entry_values=entry
    )
    location = CPU.changed(frame=frame).location("entry_value(reg5); LLVM_offset_uconst 16")
    assert shown(location) == "default#0x1010"
