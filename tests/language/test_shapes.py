"""Types whose shape the running program determines: the AMD text's figures, and a C++ program."""

from __future__ import annotations

import pytest

from dwarfgpu import language
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import element_type
from dwarfgpu.dwarf.types.types import Array, Base
from dwarfgpu.errors import DwarfGpuError, EvaluationError
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.syntax.expression_language import source_language
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.session import type_attributes
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.variable_description import description
from tests.language.sessions import kind, stopped, text
from tests.work import at_most

TOP = "{_vptr.Top = 0x403ee8 <vtable for Bottom+80>, t = %d}"
LOST = "DW_AT_count refers to nowhere, which is optimized out: it has no location"
BOTTOM = (
    "{<Left> = {<Top> = %s, _vptr.Left = 0x403eb0 <vtable for Bottom+24>, l = %d}, "
    "<Right> = {_vptr.Right = 0x403ed0 <vtable for Bottom+56>, r = %d}, b = %d}"
)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # Figure D.4: descriptors in structures in an array behind a descriptor.
        (
            "arrayvar",
            "(( myvar = 1.5, ap = (0.5, 1, 1.5) ), ( myvar = 2.5, ap = <not associated> ))",
        ),
        ("arrayvar[1].ap[3]", "1.5"),
        ("arrayvar[2]", "( myvar = 2.5, ap = <not associated> )"),
        ("arrayvar[2].ap[1]", "no such vector element (vector not associated)"),
        ("released", "<not allocated>"),
        ("released[1]", "no such vector element (vector not allocated)"),
        ("loose[-1]", "0.5"),  # from -1 to 1
        ("loose[1]", "1.5"),
        ("&loose[1]", "(PTR TO -> ( real )) 0x12008"),
        ("sizeof(loose)", "12"),
        # The descriptor and the data of each lane.
        ("of_lane", "(3.25, 3.5)"),
        # Figure D.13: the rank is part of the descriptor.
        ("ranked", "((1, 2) (3, 4) (5, 6))"),
        ("ranked[2][1]", "3"),
        ("scalar", "1"),
        ("reversed", "(6, 5, 4, 3, 2, 1)"),
        ("reversed[1]", "6"),
        ("sizeof(reversed[6])", "4"),
        # Fortran: column major, from 1.
        ("grid", "((1, 2) (3, 4) (5, 6))"),
        ("grid[3][2]", "6"),
        ("strided", "(1, 3, 5)"),
        ("strided[2]", "3"),
        # Strings.
        ("text", "'hello world'"),
        ("text[1]", "104 'h'"),
        ("fixed", "'abcde'"),
        ("counted", "'abc'"),
        ("*behind", "1"),
        # Bounds that no program has.
        ("negative", "()"),
        ("sizeof(absurd) > 0x3fffffffffffffff", ".TRUE."),
        ("beyond", "the size of a type in bits is 295147905179352825824"),
    ],
)  # fmt: skip
def test_figures(expression: str, expected: str) -> None:
    assert text(stopped("shapes.gfx942", 3), expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # Figure D.20: bounds that are variables and members.
        ("VEC1", "(10, 20, 30)"),
        ("VEC1[3]", "30"),
        ("OBJ2B", "(N => 4, VEC2 => (1, 2, 3, 4))"),
        ("OBJ2B.VEC2", "(1, 2, 3, 4)"),
        ("OBJ2B.VEC2[4]", "4"),
        ("sizeof(OBJ2B)", "20"),
        ("sizeof(OBJ2B.VEC2)", "16"),
        ("small", "3"),
        ("in_byte", "3"),
        # Figure D.1.3: a member of an object that is in two vector registers.
        ("pair", "(first => 103, second => 203)"),
        ("pair.second", "203"),
    ],
)
def test_figures_of_records(expression: str, expected: str) -> None:
    assert text(stopped("records.gfx942", 3), expression) == expected


def test_the_descriptor_is_that_of_the_lane() -> None:
    assert text(stopped("shapes.gfx942", 4), "of_lane") == "<not associated>"
    assert kind(stopped("shapes.gfx942"), "of_lane") == "MissingContext"


def test_a_count_in_a_location_list_is_that_of_the_program_location() -> None:
    assert text(stopped("shapes.gfx942", 3), "listed") == "(1, 2, 3)"
    assert text(stopped("shapes.gfx942", 3, pc=0x1604), "listed") == "(1, 2)"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("deep", "IllFormed", "DW_AT_rank is 1099511627776: not of 0 to 100"),
        ("endless", "LimitExceeded", "a loop back to the same stack: it never ends"),
        ("endless_rows", "LimitExceeded", "a loop back to the same stack: it never ends"),
        ("cyclic", "IllFormed", "DW_AT_count refers to cyclic, which is not an integer"),
        ("lost", "UndefinedBits", "<optimized out>"),
        ("outside", "MissingContext", "DW_AT_count refers to n, a member of a structure"),
    ],
)
def test_shapes_that_cannot_be_evaluated(name: str, error: str, message: str) -> None:
    session = stopped("shapes.gfx942", 3)
    with at_most(10_000_000):
        assert kind(session, name) == error
        assert text(session, name).startswith(message)
        reading = session.read(session.variable(name))
    assert reading.error is not None and reading.error.kind == error


def test_the_steps_of_the_attributes_of_a_type_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_attributes, "STEPS", 2)
    session = stopped("shapes.gfx942", 3)
    shown = text(session, "endless")
    assert shown.startswith("more than 2 operations performed") and "--max-steps" not in shown


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("lost", "<optimized out>"),
        ("lost[1]", "1"),
        ("*lost", "Attempt to take contents of a non-pointer value."),
        ("lost[1] + 1", "2"),
        (
            "sizeof(lost)",
            "DW_AT_count refers to nowhere, which is optimized out: it has no location",
        ),
        ("sizeof(lost[1])", "4"),
    ],
)
def test_an_array_of_lost_length(expression: str, expected: str) -> None:
    assert text(stopped("shapes.gfx942", 3), expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # As GDB 13 prints a variable-length array of gcc -Og whose bound is optimized out.
        ("lost", "0x30000"),
        ("&lost", "(integer (*)[]) 0x30000"),
        ("&lost[1]", "(integer *) 0x30000"),  # the language begins at 1
        ("lost + 1", "(integer *) 0x30004"),
        ("sizeof(lost[1])", "4"),
        ("sizeof(lost)", LOST),
    ],
)
def test_an_array_of_c_has_an_address_without_its_length(
    expression: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dw, "FORTRAN", frozenset())  # the unit has the rules of C then
    source_language.cache_clear()
    try:
        assert text(stopped("shapes.gfx942", 3), expression) == expected
    finally:
        source_language.cache_clear()


def test_of_a_huge_array_the_elements_shown_are_read() -> None:
    shown = text(stopped("shapes.gfx942", 3), "absurd")
    assert shown.startswith("(1, 2, 3, 4, 5, 6, 0, <repeats 58 times>, ") and shown.endswith("...)")


def test_one_entry_is_still_one_type() -> None:
    session = stopped("shapes.gfx942", 3)
    variable = session.variable("loose")
    before = variable.type
    text(session, "loose")
    assert variable.type is before
    value = language.evaluate("loose", session)
    assert value.type is not before and type_name(value.type) == "real [3]"


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("loose", [
            "its type has DW_AT_associated: DW_OP_push_object_address, DW_OP_lit8, DW_OP_LLVM_user "
            "DW_OP_LLVM_offset, DW_OP_deref, DW_OP_lit1, DW_OP_and (dialect amd)",
            "its type has DW_AT_data_location: ",
            "its type has DW_AT_lower_bound: ",
            "its type has DW_AT_upper_bound: ",
        ]),
        ("counted", ["its type has DW_AT_string_length: that is length, which is 3"]),
        ("listed", ["its type has DW_AT_count: a list of 2 entries"]),
        ("grid", []),
    ],
)  # fmt: skip
def test_explain_shows_the_evaluation(name: str, lines: list[str]) -> None:
    session = stopped("shapes.gfx942", 3)
    shown = [item for item in description(session, session.variable(name)) if "its type" in item]
    assert len(shown) == len(lines)
    assert all(item.startswith(line) for item, line in zip(shown, lines, strict=True))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("bottom", BOTTOM % (TOP % 1, 2, 3, 4)),
        ("many", f"{{{BOTTOM % (TOP % 10, 0, 0, 0)}, {BOTTOM % (TOP % 20, 0, 0, 0)}}}"),
        ("right", "{<Top> = {_vptr.Top = 0x403fd0 <vtable for Right+48>, t = 5}, "
         "_vptr.Right = 0x403fb8 <vtable for Right+24>, r = 6}"),
        ("holder", f"{{inner = {BOTTOM % (TOP % 30, 0, 0, 0)}, after = 31}}"),
        ("left", f"(const Left &) @0x404060: {{<Top> = {TOP % 1}, "
         "_vptr.Left = 0x403eb0 <vtable for Bottom+24>, l = 2}"),
        ("*top", TOP % 1),
        ("bottom.t", "1"),
        ("left.t", "1"),
        ("holder.inner.t", "30"),
        ("bottom.t = 7, bottom.t", "7"),
        ("sizeof(bottom)", "48"),
        ("sizeof(bottom.t)", "4"),
        ("plain", "{p = 3, q = 4}"),
        ("data_member", "&Plain::q"),
        ("no_member", "NULL"),
        ("plain.*data_member", "4"),
        ("(&plain)->*data_member", "4"),
        ("plain.*data_member + 1", "5"),
        ("sizeof(plain.*data_member)", "4"), ("sizeof((&plain)->*data_member + 1.0)", "8"),
        ("plain.*no_member", "the pointer to member is null"),
        ("*data_member", "Attempt to dereference pointer to member without an object"),
        ("plain.*1", "non-pointer-to-member value used in pointer-to-member construct"),
        ("function", "(int (Plain::*)(const Plain * const, int)) 0x401414 <Plain::get(int) const>"),
        ("virtual_function", "&virtual Top::twice(int)"),
        ("sizeof(function)", "16"),
        ("right.*virtual_function", "{int (Top * const, int)} 0x4013d2 <Top::twice(int)>"),
        ("top->*virtual_function",
         "{int (Top * const, int)} 0x40140a <virtual thunk to Left::twice(int)>"),
        ("plain.*virtual_function",
         "The pointer to a member of Top is not for objects of Plain."),
        ("fields", "{a = 5, b = -3, c = Color::GREEN, d = -7}"),
        ("numbers", "{0, 1, 4, 9}"),
        ("rows", "{{0, 1, 2, 3}, {0, 10, 20, 30}}"),
        ("sizeof(rows)", "32"),
        ("sizeof rows[1]", "16"),
        ("rows[1]", "{0, 10, 20, 30}"),
        ("rows[1][3]", "30"),
        ("&rows[1]", "(int (*)[4]) 0x7fffffffe6b8"),
    ],
)  # fmt: skip
def test_a_program_in_cplusplus(expression: str, expected: str) -> None:
    assert text(stopped("bases.gcc.O0"), expression) == expected


def test_a_virtual_base_whose_table_cannot_be_read() -> None:
    """GDB's words; what is known of the object is shown."""
    session = stopped("bases.gcc.O0")
    for place in ("bottom", "many[0]", "many[1]"):
        text(session, f"*(long *)&{place} = 0")
    assert text(session, "bottom").startswith("{<Left> = {<Top> = <invalid address>, ")
    assert text(session, "many[0]").endswith("<vtable for Bottom+56>, r = 0}, b = 0}")
    with pytest.raises(DwarfGpuError, match="0xffffffffffffffe8"):
        language.evaluate("bottom.t + 1", session)


def test_a_virtual_base_of_a_copy() -> None:
    """GDB shows `<invalid address>`, and reads address 0 for a member."""
    session = stopped("bases.gcc.O0")
    named: dict[str, TypedValue] = {}
    options = Options(named.get, named.__setitem__)
    language.evaluate("$kept = bottom", session, options)
    why = "where the virtual base class of a copy is, is not known"
    shown = language.format(language.evaluate("$kept", session, options), session, FormatOptions())
    assert shown.startswith(f"{{<Left> = {{<Top> = <error: {why}>, ")
    with pytest.raises(EvaluationError, match=f"^{why}$"):
        language.evaluate("$kept.t + 1", session, options)


def test_only_the_first_length_of_an_array_is_lost() -> None:
    rows = Array(Base(BaseType("int", "signed", 32)), (None, 4), lost_length="n is optimized out")
    row = element_type(rows)
    assert isinstance(row, Array) and row.dimensions == (4,) and row.lost_length is None
